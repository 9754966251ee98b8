/** Runs functions of ours in a page, beside its scripts: they share the DOM and nothing else. */
import type { CDPSession } from 'playwright-core';

/** How functions are run. */
export interface WorldOptions {
  /** Worlds of one name are one world, as long as the document is the same. @default 'pagewright' */
  readonly name?: string;
  /** Milliseconds after which V8 ends what runs without a pause, where it is given values only. @default never */
  readonly runLimit?: number;
  /** Ends the wait for an answer: a page that hangs gives none. @default it is waited for */
  readonly within?: <T>(answer: Promise<T>) => Promise<T>;
}

/** What a function takes, with objects of the page in their places. */
type Arguments<A extends readonly unknown[]> = { readonly [I in keyof A]: A[I] | InPage<A[I]> };

/** No reference to anything outside of itself; promises are awaited. */
type PageFunction<A extends readonly unknown[], R> = (this: never, ...given: A) => R;

/**
 * A world of our own in a frame, until the frame has another document. What functions give comes out
 * of a page that may be hostile, and is `unknown`: see `checkAnswer`.
 */
export class IsolatedWorld {
  readonly frameId: string;
  readonly contextId: number;
  readonly session: CDPSession;
  readonly #options: WorldOptions;

  private constructor(
    session: CDPSession,
    place: Pick<IsolatedWorld, 'frameId' | 'contextId'>,
    options: WorldOptions,
  ) {
    this.session = session;
    this.frameId = place.frameId;
    this.contextId = place.contextId;
    this.#options = options;
  }

  /** Opens the world of a frame, or finds it again. */
  static async open(
    session: CDPSession,
    frameId: string,
    options: WorldOptions = {},
  ): Promise<IsolatedWorld> {
    const { name = 'pagewright', within = asItIs } = options;
    const opening = session.send('Page.createIsolatedWorld', { frameId, worldName: name });
    const { executionContextId: contextId } = await within(opening);
    return new IsolatedWorld(session, { frameId, contextId }, options);
  }

  /** The same world with other limits. */
  with(options: Omit<WorldOptions, 'name'>): IsolatedWorld {
    return new IsolatedWorld(this.session, this, options);
  }

  /** Calls a function and brings what it returns, as JSON. */
  async call<A extends readonly unknown[]>(
    run: PageFunction<A, unknown>,
    ...given: Arguments<A>
  ): Promise<unknown> {
    return (await this.#call(run, given, { returnByValue: true })).value;
  }

  /** The same; what it returns stays in the page. Undefined for null, undefined and plain values. */
  async keep<A extends readonly unknown[], R>(
    run: PageFunction<A, R>,
    ...given: Arguments<A>
  ): Promise<InPage<NonNullable<Awaited<R>>> | undefined> {
    const { objectId } = await this.#call(run, given, { returnByValue: false });
    return objectId === undefined ? undefined : { objectId };
  }

  /** Calls a function whose `this` is an object of the page. */
  async callOn<A extends readonly unknown[]>(
    { objectId }: InPage<unknown>,
    run: PageFunction<A, unknown>,
    ...given: Arguments<A>
  ): Promise<unknown> {
    return (await this.#call(run, given, { returnByValue: true, objectId })).value;
  }

  /** The same; what it returns stays in the page. */
  async keepOn<A extends readonly unknown[], R>(
    { objectId }: InPage<unknown>,
    run: PageFunction<A, R>,
    ...given: Arguments<A>
  ): Promise<InPage<NonNullable<Awaited<R>>> | undefined> {
    const kept = await this.#call(run, given, { returnByValue: false, objectId });
    return kept.objectId === undefined ? undefined : { objectId: kept.objectId };
  }

  /** A node of the frame; undefined when it is gone. */
  async node(backendNodeId: number): Promise<InPage<Node> | undefined> {
    const { contextId: executionContextId } = this;
    const resolving = this.send('DOM.resolveNode', { backendNodeId, executionContextId });
    const { object } = await resolving.catch(() => ({ object: undefined }));
    return object?.objectId === undefined ? undefined : { objectId: object.objectId };
  }

  /** Runs a script; in the page's own world where `isOurs` is false. */
  async run(script: string, isOurs = true): Promise<unknown> {
    return (await this.#evaluate(script, { returnByValue: true, isOurs })).value;
  }

  /** A command to the frame's target. */
  send: CDPSession['send'] = (method, parameters) => {
    const { within = asItIs } = this.#options;
    return within(this.session.send(method, parameters));
  };

  #call(
    run: PageFunction<never, unknown>,
    given: readonly unknown[],
    { returnByValue, objectId }: { readonly returnByValue: boolean; readonly objectId?: string },
  ): Promise<Answer> {
    const source = run.toString();
    if (objectId === undefined && !given.some(isInPage)) {
      const values = given.map((value) => (value === undefined ? 'null' : JSON.stringify(value)));
      return this.#evaluate(`(${source})(${values.join()})`, { returnByValue, isOurs: true });
    }
    return this.send('Runtime.callFunctionOn', {
      functionDeclaration: source,
      ...(objectId === undefined ? { executionContextId: this.contextId } : { objectId }),
      arguments: given.map((value) => (isInPage(value) ? { ...value } : { value })),
      awaitPromise: true,
      returnByValue,
    }).then(resultOf, sayWhy);
  }

  #evaluate(
    expression: string,
    { returnByValue, isOurs }: { readonly returnByValue: boolean; readonly isOurs: boolean },
  ): Promise<Answer> {
    const { runLimit } = this.#options;
    return this.send('Runtime.evaluate', {
      expression,
      ...(isOurs ? { contextId: this.contextId } : {}),
      ...(runLimit === undefined ? {} : { timeout: runLimit }),
      awaitPromise: true,
      returnByValue,
    }).then(resultOf, sayWhy);
  }
}

/** An object that stays in the page. */
export interface InPage<T> {
  readonly objectId: string;
  /** Only its type: nothing is here. */
  readonly kept?: T;
}

interface Answer {
  readonly value?: unknown;
  readonly objectId?: string;
}

function resultOf(answer: {
  readonly result: Answer;
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}): Answer {
  const { exceptionDetails: thrown } = answer;
  if (thrown === undefined) return answer.result;
  throw new Error((thrown.exception?.description ?? thrown.text).slice(0, 500));
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

function asItIs<T>(answer: Promise<T>): Promise<T> {
  return answer;
}
