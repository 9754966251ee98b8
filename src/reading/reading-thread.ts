/** One reading thread, from outside. */
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { PictureReading } from '../ocr/recognized-page.ts';
import { answerPictures, type SentPictureReading } from './picture-port.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { unpackError } from './sent-error.ts';
import { threadFile } from './thread-file.ts';
import type { ComputationTask, ReadingTask, ThreadMessage, ThreadTask } from './thread-messages.ts';

/** Megabytes. */
const youngMemory = 32;

/** Light pages that it may have beside the one that it reads: enough while the process does other work. */
const pagesAhead = 3;

/** The thread could not be started at all: nothing is wrong with the page. */
export class ThreadUnavailable extends Error {}

/** The thread ended before it came to the page, which another one may read. */
export class NotRead extends Error {}

/** What the thread says of a page, or what happened to the thread. */
type Answer = Exclude<ThreadMessage, 'ready'> | { readonly failure: unknown };

/** A page that the thread has. */
interface Asked {
  readonly isLight: boolean;
  /** Takes the answer, or the failure in its place. */
  readonly settle: (answer: Answer) => void;
}

/** Reads pages one after the other. Keeps the process alive only while it does. */
export class ReadingThread {
  /** Settles when nothing of the thread is left. */
  readonly ended: Promise<void>;
  /** True when it has started, false when it has ended before. */
  readonly ready: Promise<boolean>;
  readonly #worker: Worker;
  /** Megabytes. */
  readonly #memory: number;
  #isReady = false;
  #isOver = false;
  #failure: unknown;
  /** The page that it reads, and those that come after it. */
  readonly #asked: Asked[] = [];

  /** Throws `ThreadUnavailable` where the process may have no threads. */
  constructor(memory: number) {
    this.#memory = memory;
    try {
      this.#worker = new Worker(threadFile, {
        name: 'pagewright',
        // A tree is a few megabytes: with less room for what is new, garbage goes earlier.
        resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: youngMemory },
        // The host's loaders and environment are none of the thread's business.
        execArgv: [],
        env: {},
      });
    } catch (error) {
      throw new ThreadUnavailable((error as Error).message, { cause: error });
    }
    this.#worker.unref();
    let setReady: (isReady: boolean) => void = () => undefined;
    this.ready = new Promise((resolve) => (setReady = resolve));
    this.#worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') setReady((this.#isReady = true));
      else this.#asked.shift()?.settle(message);
    });
    const fail = (failure: unknown): void => {
      this.#isOver = true;
      this.#failure ??= failure;
    };
    this.#worker.on('error', fail);
    this.#worker.on('messageerror', (failure) => {
      fail(failure);
      this.end();
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (exitCode) => {
        fail(new Error(`The thread ended with exit code ${exitCode}.`));
        const [first, ...others] = this.#asked.splice(0);
        first?.settle({ failure: this.#failure });
        const failure = this.startFailure ?? new NotRead();
        for (const { settle } of others) settle({ failure });
        setReady(false);
        resolve();
      });
    });
  }

  /** False once it has ended, or is about to. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** Why it never started; undefined for one that did, or that was ended before. */
  get startFailure(): ThreadUnavailable | undefined {
    const failure = this.#failure;
    if (this.#isReady || failure === undefined || failure instanceof PagewrightError) return;
    if (isOutOfMemory(failure)) return;
    return new ThreadUnavailable((failure as Error).message, { cause: failure });
  }

  /** It has nothing to read. */
  get isIdle(): boolean {
    return this.#asked.length === 0;
  }

  /** It reads a page that will not take long, and has few to go on with. */
  get mayTakeNext(): boolean {
    const [first] = this.#asked;
    return this.isUsable && first?.isLight === true && this.#asked.length <= pagesAhead;
  }

  /**
   * Reads a page, after those that it has. Rejects at once with the signal's reason when it aborts,
   * which ends the thread where it has begun with the page; with `PARSE_LIMIT` when the thread breaks
   * down, for example because its memory is used up; with `NotRead` when it ended before it began;
   * and with what reading rejects with. A plan that cannot be cloned is a `DataCloneError`.
   */
  async read(
    snapshot: Snapshot,
    plan: ReadingPlan,
    { signal, isLight }: { readonly signal: AbortSignal; readonly isLight: boolean },
  ): Promise<PageReading> {
    signal.throwIfAborted();
    const asking = plan.pictures === undefined ? undefined : openPictures(plan.pictures);
    const task = taskOf(snapshot, plan, asking?.sent);
    const handed = [task.snapshot.body.buffer, ...(asking === undefined ? [] : [asking.sent.port])];
    try {
      const result = await this.#ask(task, handed, { signal, isLight, url: snapshot.url });
      return result as PageReading;
    } finally {
      asking?.own.close();
    }
  }

  /** Does work on texts of a page, after what it has; rejects as `read` does. */
  async compute(
    task: ComputationTask,
    how: { readonly signal: AbortSignal; readonly isLight: boolean; readonly url: string },
  ): Promise<unknown> {
    how.signal.throwIfAborted();
    return this.#ask(task, [], how);
  }

  async #ask(
    task: ThreadTask,
    handed: readonly Transferable[],
    {
      signal,
      isLight,
      url,
    }: { readonly signal: AbortSignal; readonly isLight: boolean; readonly url: string },
  ): Promise<unknown> {
    this.#worker.postMessage(task, handed);
    this.#worker.ref();
    const answered = new Promise<Answer>((settle) => this.#asked.push({ isLight, settle }));
    const asked = this.#asked.at(-1);
    const abort = (): void => {
      if (asked === this.#asked[0]) this.end();
      asked?.settle({ failure: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const answer = await answered;
      if ('result' in answer) return answer.result;
      if ('error' in answer) throw unpackError(answer.error);
      signal.throwIfAborted();
      throw this.#breakdown(answer.failure, url);
    } finally {
      signal.removeEventListener('abort', abort);
      // One that is being ended holds the place of the next page until it has.
      if (this.isUsable && this.isIdle) this.#worker.unref();
    }
  }

  /** Ends the thread, whatever it is doing. */
  end(): void {
    this.#isOver = true;
    this.#failure ??= new PagewrightError('CANCELLED', 'The threads were closed.');
    void this.#worker.terminate();
  }

  /** The error for a page whose thread is gone. */
  #breakdown(failure: unknown, url: string): Error {
    if (failure instanceof PagewrightError || failure instanceof NotRead) return failure;
    if (this.startFailure !== undefined) return this.startFailure;
    return new PagewrightError(
      'PARSE_LIMIT',
      isOutOfMemory(failure)
        ? `Reading ${url} takes more than ${this.#memory} MB of memory. Ask for fewer formats, or lower limits.nodes and limits.bodyBytes to refuse such pages earlier.`
        : `The thread that read ${url} broke down: ${(failure as Error).message}`,
      { url, cause: failure },
    );
  }
}

function isOutOfMemory(failure: unknown): boolean {
  return (failure as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Nothing but what is read: an engine of the caller's own may add what cannot be sent. */
function taskOf(
  snapshot: Snapshot,
  plan: ReadingPlan,
  pictures: ReadingTask['pictures'],
): ReadingTask {
  const { url, statusCode, headers, engine, redirects, warnings, requests, bytes, unseen } =
    snapshot;
  // A copy is handed over: the body may be the caller's own.
  const body = new Uint8Array(snapshot.body);
  const { clean, limits, pdf, archive, outline, schema, fingerprints, modelText, recipe } = plan;
  const { linkDetails, nearHash } = plan;
  const formats = plan.formats.map(({ format, options }) => ({ name: format.name, options }));
  return {
    snapshot: {
      ...{ url, statusCode, headers, body, engine, redirects, warnings, requests, bytes },
      ...(unseen === undefined ? {} : { unseen }),
    },
    plan: {
      formats,
      clean,
      limits,
      pdf,
      archive,
      outline,
      schema,
      fingerprints,
      modelText,
      recipe,
      linkDetails,
      nearHash,
    },
    pictures,
  };
}

function openPictures(pictures: PictureReading): { own: MessagePort; sent: SentPictureReading } {
  const { port1: own, port2: port } = new MessageChannel();
  answerPictures(own, pictures);
  const { name, mediaTypes, pagesAtOnce } = pictures;
  return { own, sent: { port, name, mediaTypes, pagesAtOnce } };
}
