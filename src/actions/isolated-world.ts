/** Runs functions of ours in a page, beside its scripts: they share the DOM and nothing else. */
import type { CDPSession, Page } from 'playwright-core';

/** A value that stays in the page. */
export interface InPage<T> {
  readonly objectId: string;
  /** Only its type: nothing is here. */
  readonly kept?: T;
}

/** What a function takes, with values of the page in their places. */
type Arguments<A extends readonly unknown[]> = { readonly [I in keyof A]: A[I] | InPage<A[I]> };

/** A world of our own in the page's main frame, until the page navigates. Close it. */
export class IsolatedWorld {
  readonly #session: CDPSession;
  readonly #context: number;

  private constructor(session: CDPSession, context: number) {
    this.#session = session;
    this.#context = context;
  }

  static async open(page: Page): Promise<IsolatedWorld> {
    const session = await page.context().newCDPSession(page);
    try {
      const { frameTree } = await session.send('Page.getFrameTree');
      const { executionContextId } = await session.send('Page.createIsolatedWorld', {
        frameId: frameTree.frame.id,
        worldName: 'pagewright',
      });
      return new IsolatedWorld(session, executionContextId);
    } catch (error) {
      await session.detach().catch(() => undefined);
      throw error;
    }
  }

  /** Calls a function that uses nothing outside of itself; promises are awaited. */
  async call<A extends readonly unknown[], R>(
    pageFunction: (...args: A) => R,
    ...args: Arguments<A>
  ): Promise<Awaited<R>> {
    const { result } = await this.#send(pageFunction.toString(), args, true);
    return result.value as Awaited<R>;
  }

  /** The same; what it gives stays in the page. Undefined for null and undefined. */
  async keep<A extends readonly unknown[], R>(
    pageFunction: (...args: A) => R,
    ...args: Arguments<A>
  ): Promise<InPage<NonNullable<Awaited<R>>> | undefined> {
    const { result } = await this.#send(pageFunction.toString(), args, false);
    return result.objectId === undefined ? undefined : { objectId: result.objectId };
  }

  async close(): Promise<void> {
    // The page may be gone, and its world with it.
    await this.#session.detach().catch(() => undefined);
  }

  async #send(
    source: string,
    args: readonly unknown[],
    returnByValue: boolean,
  ): Promise<{ readonly result: { readonly value?: unknown; readonly objectId?: string } }> {
    const answer = await this.#session
      .send('Runtime.callFunctionOn', {
        functionDeclaration: source,
        executionContextId: this.#context,
        arguments: args.map((value) =>
          isInPage(value) ? { objectId: value.objectId } : { value },
        ),
        awaitPromise: true,
        returnByValue,
      })
      .catch(sayWhy);
    const { exceptionDetails: thrown } = answer;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
    return answer;
  }
}

/** Throws on what DevTools says, in words for the caller where the page went away. */
export function sayWhy(error: unknown): never {
  const isGone = /navigated|context was destroyed|Cannot find context|Target closed/i.test(
    String(error),
  );
  if (!isGone) throw error;
  throw new Error('the page navigated away meanwhile; put what depends on the next page after', {
    cause: error,
  });
}

function isInPage(value: unknown): value is InPage<unknown> {
  return typeof value === 'object' && value !== null && 'objectId' in value;
}
