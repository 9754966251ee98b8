/** A pool of workers that process heavy pages: started when needed, ended when idle. */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { copyBytes } from '../model/yield-to-event-loop.ts';
import type { PictureRecognizer } from '../parsers/documents/ocr/ocr-engine.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import { deserializeError } from './serialized-error.ts';
import { workerFile } from './worker-file.ts';
import {
  type ComputationTask,
  type OcrPort,
  type ProcessingTask,
  serveOcr,
  type WorkerMessage,
  type WorkerTask,
} from './worker-messages.ts';

/** How many, how large, how long. */
export interface WorkerPoolOptions {
  /** Workers at most. @default processors less one, from 1 to 4 */
  readonly limit?: number | undefined;
  /**
   * Megabytes of memory of one worker. With 512 the process ended where pdf.js asked for one array that
   * was larger than what was left. @default 1024
   */
  readonly memory?: number | undefined;
  /** Milliseconds after which a worker that has nothing to do ends. @default 5000 */
  readonly idleTime?: number | undefined;
}

/** A page that waits for a worker. */
interface WaitingTask {
  readonly isLight: boolean;
  readonly take: (worker: PageWorker) => void;
  readonly fail: (error: Error) => void;
}

/** A pool of workers. Pages that find all of them busy wait in line. */
export class WorkerPool {
  /** Workers at most. */
  readonly limit: number;
  readonly #memory: number;
  readonly #idleTime: number;
  readonly #all = new Set<PageWorker>();
  readonly #started = new Set<PageWorker>();
  /** Each with the timer that ends it; the last one was used last. */
  readonly #idle = new Map<PageWorker, NodeJS.Timeout>();
  /** In their order. */
  readonly #waiting = new Set<WaitingTask>();

  constructor(options: WorkerPoolOptions = {}) {
    this.limit = options.limit ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    this.#memory = options.memory ?? 1024;
    this.#idleTime = options.idleTime ?? 5000;
  }

  /** Workers that run or idle. */
  get size(): number {
    return this.#all.size;
  }

  /** Workers that have started, and not ended. */
  get ready(): number {
    return this.#started.size;
  }

  /** Starts one more worker, if there may be one; gives false when it ended before it had started. */
  async prepare(): Promise<boolean> {
    if (this.#all.size >= this.limit) return true;
    const worker = this.#start();
    const isReady = await worker.ready;
    if (isReady && worker.isUsable && worker.isIdle) this.#rest(worker);
    return isReady;
  }

  /**
   * Reads a page in a worker; see {@link PageWorker.process}. The wait for a worker counts too. Light
   * pages are sent ahead to a worker that reads another one, which then need not wait for them; for
   * their sake no second worker is started.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    signal: AbortSignal,
    { isLight = false }: { readonly isLight?: boolean } = {},
  ): Promise<ProcessedPage> {
    return this.#inWorker(signal, isLight, (worker) =>
      worker.process(snapshot, plan, { signal, isLight }),
    );
  }

  /** Does work on texts of a page in a worker; see {@link PageWorker.compute}. */
  async compute(
    task: ComputationTask,
    {
      signal,
      isLight,
      url,
    }: { readonly signal: AbortSignal; readonly isLight: boolean; readonly url: string },
  ): Promise<unknown> {
    return this.#inWorker(signal, isLight, (worker) =>
      worker.compute(task, { signal, isLight, url }),
    );
  }

  async #inWorker<Result>(
    signal: AbortSignal,
    isLight: boolean,
    work: (worker: PageWorker) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const worker = await this.#take(signal, isLight);
      try {
        return await work(worker);
      } catch (error) {
        if (!(error instanceof NotProcessed)) throw error;
      } finally {
        if (worker.isUsable && worker.isIdle) this.#rest(worker);
        else this.#serve();
      }
    }
  }

  /** Ends all workers. The pages they read should have been aborted before. */
  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const worker of this.#all) worker.end();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  /** Waits in line for a worker. */
  #take(signal: AbortSignal, isLight: boolean): Promise<PageWorker> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.fail(signal.reason as Error);
        // It may have kept light pages behind it from a worker that reads.
        this.#serve();
      };
      const leave = (): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', abort);
      };
      const waiting: WaitingTask = {
        isLight,
        take: (worker) => {
          leave();
          resolve(worker);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
      this.#serve();
    });
  }

  /** Gives workers to those who wait, as long as there is one for the first of them. */
  #serve(): void {
    for (const { isLight, take, fail } of this.#waiting) {
      try {
        const worker = this.#free(isLight);
        if (worker === undefined) return;
        take(worker);
      } catch (error) {
        fail(error as Error);
      }
    }
  }

  /** A worker that may have one page more. */
  #free(isLight: boolean): PageWorker | undefined {
    for (const [worker, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      if (worker.isUsable) return worker;
    }
    if (this.#all.size < this.limit && !(isLight && this.#all.size > 0)) return this.#start();
    return isLight ? [...this.#all].find(({ mayTakeNext }) => mayTakeNext) : undefined;
  }

  #start(): PageWorker {
    const worker = new PageWorker(this.#memory);
    this.#all.add(worker);
    void worker.ready.then((isReady) => isReady && this.#started.add(worker));
    void worker.ended.then(() => {
      this.#all.delete(worker);
      this.#started.delete(worker);
      const { startFailure } = worker;
      // Else each of those who wait would try another.
      if (startFailure !== undefined) for (const { fail } of this.#waiting) fail(startFailure);
      this.#serve();
    });
    return worker;
  }

  #rest(worker: PageWorker): void {
    const timer = setTimeout(() => {
      this.#idle.delete(worker);
      worker.end();
    }, this.#idleTime);
    timer.unref();
    this.#idle.set(worker, timer);
    this.#serve();
  }
}

// One worker, from outside.

/** Megabytes. */
const youngMemory = 32;

/** Light pages that it may have beside the one that it reads: enough while the process does other work. */
const pagesAhead = 3;

/** The worker could not be started at all: nothing is wrong with the page. */
export class WorkerUnavailable extends Error {}

/** The worker ended before it came to the page, which another one may read. */
class NotProcessed extends Error {}

/** What the worker says of a page, or what happened to the worker. */
type WorkerResult = Exclude<WorkerMessage, 'ready'> | { readonly failure: unknown };

/** A page that the worker has. */
interface PendingTask {
  readonly isLight: boolean;
  /** Takes the answer, or the failure in its place. */
  readonly settle: (answer: WorkerResult) => void;
}

/** Reads pages one after the other. Keeps the process alive only while it does. */
export class PageWorker {
  /** Settles when nothing of the worker is left. */
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
  readonly #tasks: PendingTask[] = [];

  /** Throws `WorkerUnavailable` where the process may have no workers. */
  constructor(memory: number) {
    this.#memory = memory;
    try {
      this.#worker = new Worker(workerFile, {
        name: 'pagewright',
        // A tree is a few megabytes: with less room for what is new, garbage goes earlier.
        resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: youngMemory },
        // The host's loaders and environment are none of the worker's business.
        execArgv: [],
        env: {},
      });
    } catch (error) {
      throw new WorkerUnavailable((error as Error).message, { cause: error });
    }
    this.#worker.unref();
    let setReady: (isReady: boolean) => void = () => undefined;
    this.ready = new Promise((resolve) => (setReady = resolve));
    this.#worker.on('message', (message: WorkerMessage) => {
      if (message === 'ready') setReady((this.#isReady = true));
      else this.#tasks.shift()?.settle(message);
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
        const [first, ...others] = this.#tasks.splice(0);
        first?.settle({ failure: this.#failure });
        const failure = this.startFailure ?? new NotProcessed();
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
  get startFailure(): WorkerUnavailable | undefined {
    const failure = this.#failure;
    if (this.#isReady || failure === undefined || failure instanceof PagewrightError) return;
    if (isOutOfMemory(failure)) return;
    return new WorkerUnavailable((failure as Error).message, { cause: failure });
  }

  /** It has nothing to read. */
  get isIdle(): boolean {
    return this.#tasks.length === 0;
  }

  /** It reads a page that will not take long, and has few to go on with. */
  get mayTakeNext(): boolean {
    const [first] = this.#tasks;
    return this.isUsable && first?.isLight === true && this.#tasks.length <= pagesAhead;
  }

  /**
   * Reads a page, after those that it has. Rejects at once with the signal's reason when it aborts,
   * which ends the worker where it has begun with the page; with `PARSE_LIMIT` when the worker breaks
   * down, for example because its memory is used up; with `NotProcessed` when it ended before it began;
   * and with what reading rejects with. A plan that cannot be cloned is a `DataCloneError`.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    { signal, isLight }: { readonly signal: AbortSignal; readonly isLight: boolean },
  ): Promise<ProcessedPage> {
    signal.throwIfAborted();
    const asking = plan.pictures === undefined ? undefined : openOcrPort(plan.pictures);
    // The caller's engine may go on using its own.
    const body = await copyBytes([snapshot.body]);
    const task = taskOf(snapshot, body, plan, asking?.sent);
    const handed = [task.snapshot.body.buffer, ...(asking === undefined ? [] : [asking.sent.port])];
    try {
      const result = await this.#ask(task, handed, { signal, isLight, url: snapshot.url });
      return result as ProcessedPage;
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
    task: WorkerTask,
    handed: readonly Transferable[],
    {
      signal,
      isLight,
      url,
    }: { readonly signal: AbortSignal; readonly isLight: boolean; readonly url: string },
  ): Promise<unknown> {
    this.#worker.postMessage(task, handed);
    this.#worker.ref();
    const answered = new Promise<WorkerResult>((settle) => this.#tasks.push({ isLight, settle }));
    const pending = this.#tasks.at(-1);
    const abort = (): void => {
      if (pending === this.#tasks[0]) this.end();
      pending?.settle({ failure: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const answer = await answered;
      if ('result' in answer) return answer.result;
      if ('error' in answer) throw deserializeError(answer.error);
      signal.throwIfAborted();
      throw this.#breakdown(answer.failure, url);
    } finally {
      signal.removeEventListener('abort', abort);
      // One that is being ended holds the place of the next page until it has.
      if (this.isUsable && this.isIdle) this.#worker.unref();
    }
  }

  /** Ends the worker, whatever it is doing. */
  end(): void {
    this.#isOver = true;
    this.#failure ??= new PagewrightError('CANCELLED', 'The threads were closed.');
    void this.#worker.terminate();
  }

  /** The error for a page whose worker is gone. */
  #breakdown(failure: unknown, url: string): Error {
    if (failure instanceof PagewrightError || failure instanceof NotProcessed) return failure;
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
  snapshot: Omit<Snapshot, 'body'>,
  body: Uint8Array<ArrayBuffer>,
  plan: ProcessingPlan,
  pictures: ProcessingTask['pictures'],
): ProcessingTask {
  const { url, statusCode, headers, engine, redirects, warnings, requests, bytes, unseen } =
    snapshot;
  const { clean, limits, pdf, archive, outline, schema, fingerprints, modelText, recipe } = plan;
  const { linkDetails, nearHash } = plan;
  const formats = plan.formats.map(({ format, options }) => ({ name: format.name, options }));
  return {
    snapshot: {
      url,
      statusCode,
      headers,
      body,
      engine,
      redirects,
      warnings,
      requests,
      bytes,
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

function openOcrPort(pictures: PictureRecognizer): { own: MessagePort; sent: OcrPort } {
  const { port1: own, port2: port } = new MessageChannel();
  serveOcr(own, pictures);
  const { name, mediaTypes, pagesAtOnce } = pictures;
  return { own, sent: { port, name, mediaTypes, pagesAtOnce } };
}
