/** One reading thread, from outside. */
import { Worker } from 'node:worker_threads';
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { unpackError } from './sent-error.ts';
import { threadFile } from './thread-file.ts';
import type { ReadingTask, ThreadMessage } from './thread-messages.ts';

/** Megabytes. */
const youngMemory = 12;

/** The thread could not be started at all: nothing is wrong with the page. */
export class ThreadUnavailable extends Error {}

/** What the thread says of a page, or what happened to the thread. */
type Answer = Exclude<ThreadMessage, 'ready'> | { readonly failure: unknown };

/** Reads one page at a time. Keeps the process alive only while it does. */
export class ReadingThread {
  /** Settles when nothing of the thread is left. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  /** Megabytes. */
  readonly #memory: number;
  #isReady = false;
  #isOver = false;
  #failure: unknown;
  /** Takes the answer that is waited for, or the failure in its place. */
  #settle: ((answer: Answer) => void) | undefined;

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
    this.#worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') this.#isReady = true;
      else this.#settle?.(message);
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
        this.#settle?.({ failure: this.#failure });
        resolve();
      });
    });
  }

  /** False once it has ended, or is about to. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /**
   * Reads a page. Rejects at once with the signal's reason when it aborts, which ends the thread;
   * with `PARSE_LIMIT` when the thread breaks down, for example because its memory is used up; and
   * with what reading rejects with. A plan that cannot be cloned is a `DataCloneError`.
   */
  async read(snapshot: Snapshot, plan: ReadingPlan, signal: AbortSignal): Promise<PageReading> {
    signal.throwIfAborted();
    const task = taskOf(snapshot, plan);
    this.#worker.postMessage(task, [task.snapshot.body.buffer]);
    this.#worker.ref();
    const abort = (): void => {
      this.end();
      this.#settle?.({ failure: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const answer = await new Promise<Answer>((resolve) => (this.#settle = resolve));
      if ('reading' in answer) return answer.reading;
      if ('error' in answer) throw unpackError(answer.error);
      signal.throwIfAborted();
      throw this.#breakdown(answer.failure, snapshot.url);
    } finally {
      this.#settle = undefined;
      signal.removeEventListener('abort', abort);
      // One that is being ended holds the place of the next page until it has.
      if (this.isUsable) this.#worker.unref();
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
    if (failure instanceof PagewrightError) return failure;
    const { code, message } = failure as NodeJS.ErrnoException;
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!this.#isReady && !isMemory) return new ThreadUnavailable(message, { cause: failure });
    return new PagewrightError(
      'PARSE_LIMIT',
      isMemory
        ? `Reading ${url} takes more than ${this.#memory} MB of memory. Ask for fewer formats, or lower limits.nodes and limits.bodyBytes to refuse such pages earlier.`
        : `The thread that read ${url} broke down: ${message}`,
      { url, cause: failure },
    );
  }
}

/** Nothing but what is read: an engine of the caller's own may add what cannot be sent. */
function taskOf(snapshot: Snapshot, plan: ReadingPlan): ReadingTask {
  const { url, statusCode, headers, engine, redirects, warnings, requests, bytes } = snapshot;
  // A copy is handed over: the body may be the caller's own.
  const body = new Uint8Array(snapshot.body);
  const { clean, limits, parsePdf, outline, schema, fingerprints, linkDetails, nearHash } = plan;
  const formats = plan.formats.map(({ format, options }) => ({ name: format.name, options }));
  return {
    snapshot: { url, statusCode, headers, body, engine, redirects, warnings, requests, bytes },
    plan: {
      formats,
      clean,
      limits,
      parsePdf,
      outline,
      schema,
      fingerprints,
      linkDetails,
      nearHash,
    },
  };
}
