/**
 * Functions run in a page where its own scripts cannot see or change them: a CDP session with an
 * isolated world, which shares the document and nothing else.
 */
import type { CDPSession, Page } from 'playwright-core';
import { withSignal } from '../../../network/deadline.ts';

/** A world of ours in the page. Dispose it when done; the page is left as it was. */
export interface IsolatedWorld extends AsyncDisposable {
  /** Commands to the page's target; each rejects when the signal aborts. */
  readonly send: CDPSession['send'];
  readonly frameId: string;
  /** Runs a self-contained function and gives what it returns, as JSON. */
  ask<A>(run: (argument: A) => unknown, argument: A): Promise<unknown>;
  /** Runs a function and keeps what it returns in the page. */
  hold<A>(run: (argument: A) => object, argument: A): Promise<HeldObject>;
}

/** An object that stays in the page. */
export interface HeldObject {
  readonly objectId: string;
  /** Runs a function with the object as `this`. */
  ask<A>(run: (argument: A) => unknown, argument: A): Promise<unknown>;
  hold<A>(run: (argument: A) => object, argument: A): Promise<HeldObject>;
}

/** Milliseconds after which V8 ends a function of ours. */
const runLimit = 2000;

/** Opens one. What waits in it rejects with the signal's reason as soon as that aborts. */
export async function openIsolatedWorld(page: Page, signal: AbortSignal): Promise<IsolatedWorld> {
  const session = await withSignal(page.context().newCDPSession(page), signal);
  const close = async (): Promise<void> => {
    // A page that hangs does not answer: its session ends with it.
    await Promise.race([session.detach(), sleep(500)]).catch(() => undefined);
  };
  const send: CDPSession['send'] = (method, parameters) =>
    withSignal(session.send(method, parameters), signal);

  try {
    const { frameTree } = await send('Page.getFrameTree');
    const frameId = frameTree.frame.id;
    const world = await send('Page.createIsolatedWorld', { frameId, worldName: 'branding' });
    const contextId = world.executionContextId;

    const evaluate = async (
      run: (argument: never) => unknown,
      argument: unknown,
      returnByValue: boolean,
    ): Promise<RemoteValue> => {
      const expression = `(${run.toString()})(${JSON.stringify(argument ?? null)})`;
      const settings = { contextId, awaitPromise: true, timeout: runLimit };
      return valueOf(await send('Runtime.evaluate', { expression, returnByValue, ...settings }));
    };
    const callOn = async (
      objectId: string,
      run: (argument: never) => unknown,
      argument: unknown,
      returnByValue: boolean,
    ): Promise<RemoteValue> => {
      const settings = { functionDeclaration: run.toString(), arguments: [{ value: argument }] };
      return valueOf(
        await send('Runtime.callFunctionOn', { objectId, returnByValue, ...settings }),
      );
    };
    const held = ({ objectId }: RemoteValue): HeldObject => {
      if (objectId === undefined) throw new Error('The page gave no object to hold.');
      return {
        objectId,
        ask: async (run, argument) => (await callOn(objectId, run, argument, true)).value,
        hold: async (run, argument) => held(await callOn(objectId, run, argument, false)),
      };
    };
    return {
      send,
      frameId,
      ask: async (run, argument) => (await evaluate(run, argument, true)).value,
      hold: async (run, argument) => held(await evaluate(run, argument, false)),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface RemoteValue {
  readonly value?: unknown;
  readonly objectId?: string | undefined;
}

function valueOf(answer: {
  readonly result: RemoteValue;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: object | undefined };
}): RemoteValue {
  const { exceptionDetails: thrown } = answer;
  if (thrown === undefined) return answer.result;
  const description = Reflect.get(thrown.exception ?? {}, 'description') as unknown;
  throw new Error(typeof description === 'string' ? description.slice(0, 500) : thrown.text);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
