/** A frame's isolated world: the same DOM, but built-in functions that the page cannot replace. */
import type { CDPSession } from 'playwright-core';
import { messageOf } from '../../../errors.ts';

/** An argument: a plain value, or an object that lives in this world. */
export type WorldArgument = { readonly value: unknown } | { readonly objectId: string };

/** Ends with the document of its frame. */
export interface FrameWorld {
  readonly contextId: number;
  /**
   * Runs a self-contained function and brings its answer back as JSON. The answer is `unknown`: the
   * caller checks it. Rejects when the function throws or the document is gone.
   */
  call(run: InPageFunction, ...given: readonly WorldArgument[]): Promise<unknown>;
  /** A node of the frame as an argument; undefined when it is gone. */
  hold(backendNodeId: number): Promise<WorldArgument | undefined>;
}

/** What runs in a page: no reference to anything outside of itself. */
export type InPageFunction = (...given: never[]) => unknown;

/** One name for all calls: a document has one such world, however often it is asked for. */
const worldName = 'reader';

/** Opens the world of a frame, or finds it again. */
export async function openFrameWorld(session: CDPSession, frameId: string): Promise<FrameWorld> {
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName,
  });
  return {
    contextId,
    async call(run, ...given) {
      const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
        functionDeclaration: run.toString(),
        executionContextId: contextId,
        arguments: [...given],
        returnByValue: true,
      });
      if (exceptionDetails === undefined) return result.value as unknown;
      throw new Error(messageOf(exceptionDetails.exception?.description ?? exceptionDetails.text));
    },
    async hold(backendNodeId) {
      const { object } = await session
        .send('DOM.resolveNode', { backendNodeId, executionContextId: contextId })
        .catch(() => ({ object: undefined }));
      return object?.objectId === undefined ? undefined : { objectId: object.objectId };
    },
  };
}
