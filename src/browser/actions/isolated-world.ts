/**
 * Runs functions of this library in a page, in an isolated world, which shares only the DOM with
 * the page's scripts.
 */
import type { CDPSession, Frame, Page } from 'playwright-core';

/** Options of an isolated world. */
interface WorldOptions {
  /** Worlds of the same name are one world, as long as the document is the same. @default 'pagewright' */
  readonly name?: string;
  /** Milliseconds after which V8 ends code that runs without a pause, if it gets only values. @default never */
  readonly runLimit?: number;
  /** Limits the wait for an answer, which a hanging page never gives. @default waits without a limit */
  readonly within?: <T>(answer: Promise<T>) => Promise<T>;
}

/** Arguments of a function, with references in place of objects of the page. */
type PageArguments<A extends readonly unknown[]> = { readonly [I in keyof A]: A[I] | InPage<A[I]> };

/** A function without references to its surroundings; promises are awaited. */
type PageFunction<A extends readonly unknown[], R> = (...given: A) => R;

/**
 * An isolated world in a frame, until the frame has another document. Results of functions come from a
 * page that may be hostile, and are `unknown`: see `checkAnswer`.
 */
export class IsolatedWorld {
  readonly frameId: string;
  readonly contextId: number;
  readonly session: CDPSession;
  readonly #options: WorldOptions;

  private constructor(
    session: CDPSession,
    ids: Pick<IsolatedWorld, 'frameId' | 'contextId'>,
    options: WorldOptions,
  ) {
    this.session = session;
    this.frameId = ids.frameId;
    this.contextId = ids.contextId;
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

  /** The same world, with other limits. */
  with(options: Omit<WorldOptions, 'name'>): IsolatedWorld {
    return new IsolatedWorld(this.session, this, options);
  }

  /** Calls a function and returns its result, as JSON. */
  async call<A extends readonly unknown[]>(
    run: PageFunction<A, unknown>,
    ...given: PageArguments<A>
  ): Promise<unknown> {
    return (await this.#call(run, given, true)).value;
  }

  /** Calls a function whose result stays in the page. Undefined for null, undefined and plain values. */
  async keep<A extends readonly unknown[], R>(
    run: PageFunction<A, R>,
    ...given: PageArguments<A>
  ): Promise<InPage<NonNullable<Awaited<R>>> | undefined> {
    const { objectId } = await this.#call(run, given, false);
    return objectId === undefined ? undefined : { objectId };
  }

  /** A node of the frame; undefined when it is gone. */
  async node(backendNodeId: number): Promise<InPage<Node> | undefined> {
    const { contextId: executionContextId } = this;
    const resolving = this.send('DOM.resolveNode', { backendNodeId, executionContextId });
    const { object } = await resolving.catch(() => ({ object: undefined }));
    return object?.objectId === undefined ? undefined : { objectId: object.objectId };
  }

  /** Runs a script in this world; in the page's own world where `isOurs` is false. */
  async run(script: string, isOurs = true): Promise<unknown> {
    return (await this.#evaluate(script, { returnByValue: true, isOurs })).value;
  }

  /** Sends a command to the frame's target. */
  send: CDPSession['send'] = (method, parameters) => {
    const { within = asItIs } = this.#options;
    return within(this.session.send(method, parameters));
  };

  #call(
    run: PageFunction<never, unknown>,
    given: readonly unknown[],
    returnByValue: boolean,
  ): Promise<Evaluated['result']> {
    const source = run.toString();
    if (!given.some(isInPage)) {
      const values = given.map((value) => (value === undefined ? 'null' : JSON.stringify(value)));
      return this.#evaluate(`(${source})(${values.join()})`, { returnByValue, isOurs: true });
    }
    return this.send('Runtime.callFunctionOn', {
      functionDeclaration: source,
      executionContextId: this.contextId,
      arguments: given.map((value) => (isInPage(value) ? { ...value } : { value })),
      awaitPromise: true,
      returnByValue,
    }).then(resultOf, sayWhy);
  }

  #evaluate(
    expression: string,
    { returnByValue, isOurs }: { readonly returnByValue: boolean; readonly isOurs: boolean },
  ): Promise<Evaluated['result']> {
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

/** A reference to an object that stays in the page. */
export interface InPage<T> {
  readonly objectId: string;
  /** Carries only the type; it has no value. */
  readonly type?: T;
}

/** An answer of DevTools to a function or a script. */
export interface Evaluated {
  readonly result: {
    readonly value?: unknown;
    readonly objectId?: string;
    readonly unserializableValue?: string;
  };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}

function resultOf({ result, exceptionDetails: thrown }: Evaluated): Evaluated['result'] {
  if (thrown === undefined) return result;
  throw new Error((thrown.exception?.description ?? thrown.text).slice(0, 500));
}

/** Rethrows a DevTools error; for the caller, in words, if the page went away. */
export function sayWhy(error: unknown): never {
  // The ids of contexts begin anew in another process: an object is then of another world.
  const isGone =
    /navigated|context was destroyed|Cannot find context|same JavaScript world|Target closed/i.test(
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

// The shared DevTools session of a page: opening one takes several round trips.

/** A shared session: leave no domain enabled, and do not detach it: it ends with its page. */
export interface PageSession {
  readonly session: CDPSession;
  /** The id of the main frame. */
  readonly frameId: string;
}

interface KnownPage {
  readonly opening: Promise<PageSession>;
  /** Isolated world of the current document. */
  world: Promise<IsolatedWorld> | undefined;
}

const knownPages = new WeakMap<Page, KnownPage>();

/** Opens the session, or returns the open one. */
export function pageSession(page: Page): Promise<PageSession> {
  return rememberPage(page).opening;
}

/** The isolated world in the main frame, shared by all callers while the document is the same. */
export async function pageWorld(
  page: Page,
  options: Omit<WorldOptions, 'name'> = {},
): Promise<IsolatedWorld> {
  const { within } = options;
  const one = rememberPage(page);
  const opening = (one.world ??= one.opening.then(({ session, frameId }) =>
    IsolatedWorld.open(session, frameId),
  ));
  opening.catch(() => {
    if (one.world === opening) one.world = undefined;
  });
  const world = await (within === undefined ? opening : within(opening));
  return world.with(options);
}

/** Drops the world of a document that was left without an event. */
export function forgetWorld(page: Page): void {
  rememberPage(page).world = undefined;
}

function rememberPage(page: Page): KnownPage {
  const before = knownPages.get(page);
  if (before !== undefined) return before;
  const made: KnownPage = { opening: openPageSession(page), world: undefined };
  made.opening.catch(() => knownPages.delete(page));
  knownPages.set(page, made);
  page.on('framenavigated', (frame: Frame) => {
    if (frame.parentFrame() === null) made.world = undefined;
  });
  return made;
}

async function openPageSession(page: Page): Promise<PageSession> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  return { session, frameId: targetInfo.targetId };
}

// Checks that a value from a page has the requested shape.

/** The type of answers with the shape of a sample. */
export type AnswerOf<Sample> = Sample extends object
  ? { readonly [Name in keyof Sample]: AnswerOf<Sample[Name]> }
  : Sample;

/**
 * Returns `value` if it has the shape of `sample`: an array's only element describes all elements, numbers
 * are finite, and `null` in the sample accepts null or an object.
 */
export function checkAnswer<T>(value: unknown, sample: T, name: string): T {
  const problem = mismatch(value, sample, name);
  if (problem !== undefined) throw new Error(`The page returned something unexpected: ${problem}`);
  return value as T;
}

/** True for a value that `checkAnswer` returns. */
export function hasShape(value: unknown, sample: unknown): boolean {
  return mismatch(value, sample, '') === undefined;
}

function mismatch(value: unknown, sample: unknown, path: string): string | undefined {
  if (Array.isArray(sample)) {
    if (!Array.isArray(value)) return path;
    if (sample.length === 0) return undefined;
    if (sample.length > 1) return firstOf(sample, (part, at) => mismatch(value[at], part, path));
    return firstOf(value, (part, at) => mismatch(part, sample[0], `${path}[${at}]`));
  }
  if (typeof sample === 'object' && sample !== null) {
    if (typeof value !== 'object' || value === null) return path;
    return firstOf(Object.entries(sample), ([name, part]) =>
      mismatch(Reflect.get(value, name), part, `${path}.${name}`),
    );
  }
  const isFit = typeof value === typeof sample && (typeof value !== 'number' || isFinite(value));
  return isFit ? undefined : path;
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Bounds the wait for a page that may never answer.

/** Undefined when `work` fails or takes longer. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
