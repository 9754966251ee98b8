/** A world of ours in a page: it shares the document with the page's scripts and nothing else. */
import type { CDPSession, Page } from 'playwright-core';
import { withSignal } from '../../../network/deadline.ts';

/** Dispose it when done: its session is closed. */
export interface PrivateWorld extends AsyncDisposable {
  readonly session: CDPSession;
  readonly frameId: string;
  readonly contextId: number;
  /**
   * Runs a self-contained function and gives what it returns, as JSON: it comes out of a hostile
   * page and has to be looked at.
   */
  ask<A>(run: (argument: A) => unknown, argument: A): Promise<unknown>;
  /** Runs the text of a script, in the page's own world where `isOurs` is false. */
  run(script: string, isOurs?: boolean): Promise<unknown>;
}

/** Milliseconds after which V8 ends what runs without a pause. */
const runLimit = 1000;

/** Opens one by name: its global variables are there again when the same document is asked again. */
export async function openPrivateWorld(
  page: Page,
  name: string,
  signal: AbortSignal,
): Promise<PrivateWorld> {
  const session = await withSignal(page.context().newCDPSession(page), signal);
  const close = (): void => {
    // Nobody waits: a page that hangs does not answer.
    void session.detach().catch(() => undefined);
  };
  try {
    const { targetInfo } = await withSignal(session.send('Target.getTargetInfo'), signal);
    const frameId = targetInfo.targetId;
    const world = { frameId, worldName: name };
    const { executionContextId: contextId } = await withSignal(
      session.send('Page.createIsolatedWorld', world),
      signal,
    );
    const run = async (expression: string, isOurs = true): Promise<unknown> => {
      const { result, exceptionDetails } = await withSignal(
        session.send('Runtime.evaluate', {
          expression,
          ...(isOurs ? { contextId } : {}),
          awaitPromise: true,
          returnByValue: true,
          timeout: runLimit,
        }),
        signal,
      );
      if (exceptionDetails === undefined) return result.value;
      const text = exceptionDetails.exception?.description ?? exceptionDetails.text;
      throw new Error(`A script of ours failed in the page: ${text.slice(0, 500)}`);
    };
    return {
      session,
      frameId,
      contextId,
      run,
      ask: (run_, argument) => run(`(${run_.toString()})(${JSON.stringify(argument)})`),
      [Symbol.asyncDispose]: () => Promise.resolve(close()),
    };
  } catch (error) {
    close();
    throw error;
  }
}
