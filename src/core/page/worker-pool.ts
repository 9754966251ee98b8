/** A pool of workers that process heavy pages: started when needed, ended when idle. */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { pick } from '../runtime/compact.ts';
import { PagewrightError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { copyBytes } from '../runtime/yield-to-event-loop.ts';
import type { PictureRecognizer } from '../model/ocr-engine.ts';
import type { Parser } from '../../content/parsers/parser.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import { deserializeError } from './serialized-error.ts';
import { workerFile } from './worker-file.ts';
import {
  type ComputationTask,
  type OcrPort,
  type ProcessingTask,
  type SentCode,
  serveOcr,
  type WorkerMessage,
  type WorkerTask,
} from './worker-messages.ts';

/** Limits of the pool. */
export interface WorkerPoolOptions {
  /** Workers at most. @default processors less one, from 1 to 4 */
  readonly limit?: number | undefined;
  /**
   * Megabytes of memory of one worker. With 512 the process ended when pdf.js allocated an array larger than the
   * remaining memory. @default 1024
   */
  readonly memory?: number | undefined;
  /** Milliseconds after which an idle worker ends. @default 5000 */
  readonly idleTime?: number | undefined;
}

/** A task, as seen by the pool. */
interface TaskSettings {
  /** Aborts. */
  readonly signal: AbortSignal;
  /** True for a task that others may wait behind. */
  readonly isLight: boolean;
  /** The page's, for messages. */
  readonly url: string;
}

/** A page that waits for a worker. */
interface WaitingTask {
  readonly isLight: boolean;
  readonly take: (worker: PageWorker) => void;
  readonly fail: (error: Error) => void;
}

/** A pool of workers. Pages wait in a queue while all workers are busy. */
export class WorkerPool {
  /** Workers at most. */
  readonly limit: number;
  readonly #memory: number;
  readonly #idleTime: number;
  readonly #all = new Set<PageWorker>();
  readonly #started = new Set<PageWorker>();
  /** Idle workers with the timers that end them, the most recently used last. */
  readonly #idle = new Map<PageWorker, NodeJS.Timeout>();
  /** Waiting pages, in order. */
  readonly #waiting = new Set<WaitingTask>();

  constructor(options: WorkerPoolOptions = {}) {
    this.limit = options.limit ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    this.#memory = options.memory ?? 1024;
    this.#idleTime = options.idleTime ?? 5000;
  }

  /** Running or idle workers. */
  get size(): number {
    return this.#all.size;
  }

  /** Workers that have started and not ended. */
  get ready(): number {
    return this.#started.size;
  }

  /** Starts one more worker, if the limit allows; false when it ended before starting. */
  async prepare(): Promise<boolean> {
    if (this.#all.size >= this.limit) return true;
    const worker = this.#start();
    const isReady = await worker.ready;
    if (isReady && worker.isUsable && worker.isIdle) this.#rest(worker);
    return isReady;
  }

  /**
   * Reads a page in a worker; see {@link PageWorker.process}. The wait for a worker counts too. Light pages are sent
   * ahead to a worker that reads another page, so that it need not wait for the next; they start no second worker.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    signal: AbortSignal,
    { isLight = false }: { readonly isLight?: boolean } = {},
  ): Promise<ProcessedPage> {
    const settings = { signal, isLight };
    return this.#inWorker(settings, (worker) => worker.process(snapshot, plan, settings));
  }

  /** Runs a computation in a worker; see {@link PageWorker.run}. */
  async compute(task: ComputationTask, settings: TaskSettings): Promise<unknown> {
    return this.#inWorker(settings, (worker) => worker.run(task, [], settings));
  }

  async #inWorker<Result>(
    { signal, isLight }: Omit<TaskSettings, 'url'>,
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

  /** Ends all workers. Their pages should be aborted before. */
  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const worker of this.#all) worker.end();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  /** Waits in the queue for a worker. */
  #take(signal: AbortSignal, isLight: boolean): Promise<PageWorker> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.fail(signal.reason as Error);
        // The aborted page may have blocked later light pages from a worker.
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

  /** Assigns workers to waiting pages, while there is one for the first. */
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

  /** A worker that may take one more page. */
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
      // Else each waiting page would start another worker.
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

// One worker, controlled from the caller's thread.

/** Megabytes: a crawl takes 6 % less CPU than with 16, and hardly less again with 48 (`npm run bench:crawl -- --young`). */
const youngMemory = 32;

const pagesAhead = 3; // light pages sent to a busy worker: enough while the process works

/** The worker could not be started; the page is not the cause. */
export class WorkerUnavailable extends Error {}

/** The worker ended before it began the page, which another worker may read. */
class NotProcessed extends Error {}

/** The worker's answer for a page, or the failure of the worker. */
type WorkerResult = Exclude<WorkerMessage, 'ready'> | { readonly failure: unknown };

/** A page sent to the worker. */
interface PendingTask {
  readonly isLight: boolean;
  /** Gets the answer or the failure. */
  readonly settle: (answer: WorkerResult) => void;
}

/** Reads pages one by one. Prevents the process from ending only while it reads. */
export class PageWorker {
  /** Resolves when the worker has exited. */
  readonly ended: Promise<void>;
  /** Resolves to true when the worker has started, to false when it ended before. */
  readonly ready: Promise<boolean>;
  readonly #worker: Worker;
  /** Megabytes. */
  readonly #memory: number;
  #isReady = false;
  #isOver = false;
  #failure: unknown;
  /** The page being read, and the pages after it. */
  readonly #tasks: PendingTask[] = [];

  /** Throws `WorkerUnavailable` if the process may not have workers. */
  constructor(memory: number) {
    this.#memory = memory;
    try {
      this.#worker = new Worker(workerFile(), {
        name: 'pagewright',
        // A tree is a few megabytes: with a small young generation, garbage is collected earlier.
        resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: youngMemory },
        // The worker does not get the host's loaders and environment.
        execArgv: [],
        env: {},
        // Packages that read files log: output caused by a page is not for the streams of the process. A reader of them
        // would prevent its exit; `worker.ts` drops the logs.
        stdout: true,
        stderr: true,
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

  /** False once the worker has ended or is ending. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** Why the worker never started; undefined when it did, or was ended before. */
  get startFailure(): WorkerUnavailable | undefined {
    const failure = this.#failure;
    if (this.#isReady || failure === undefined || failure instanceof PagewrightError) return;
    if (isOutOfMemory(failure)) return;
    return new WorkerUnavailable((failure as Error).message, { cause: failure });
  }

  /** True when the worker has no page. */
  get isIdle(): boolean {
    return this.#tasks.length === 0;
  }

  /** True when the worker reads a light page and few pages wait. */
  get mayTakeNext(): boolean {
    const [first] = this.#tasks;
    return this.isUsable && first?.isLight === true && this.#tasks.length <= pagesAhead;
  }

  /**
   * Reads a page, after the pages sent before. Rejects at once with the signal's reason when it aborts, which ends a
   * worker that has begun the page; with `PARSE_LIMIT` when the worker crashes, for example out of memory; with
   * `NotProcessed` when the worker ended before it began; and with errors of the reading. A plan that cannot be cloned
   * is a `DataCloneError`.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    settings: Omit<TaskSettings, 'url'>,
  ): Promise<ProcessedPage> {
    settings.signal.throwIfAborted();
    const asking = plan.pictures === undefined ? undefined : openOcrPort(plan.pictures);
    // Copied, because the caller's engine may reuse its buffer.
    const body = await copyBytes([snapshot.body]);
    const task = taskOf(snapshot, body, plan, asking?.sent);
    const handed = [task.snapshot.body.buffer, ...(asking === undefined ? [] : [asking.sent.port])];
    try {
      const result = await this.run(task, handed, { ...settings, url: snapshot.url });
      return result as ProcessedPage;
    } finally {
      asking?.own.close();
    }
  }

  /** Runs a task, after the tasks sent before; rejects as `process` does. */
  async run(
    task: WorkerTask,
    handed: readonly Transferable[],
    { signal, isLight, url }: TaskSettings,
  ): Promise<unknown> {
    // The signal may have aborted while the body was copied, unnoticed by a listener.
    signal.throwIfAborted();
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
      // A worker that is ending holds the process open for the next page until it has exited.
      if (this.isUsable && this.isIdle) this.#worker.unref();
    }
  }

  /** Ends the worker at once, even while it reads. */
  end(): void {
    this.#isOver = true;
    this.#failure ??= new PagewrightError('CANCELLED', 'The threads were closed.');
    void this.#worker.terminate();
  }

  /** The error for a page whose worker has ended. */
  #breakdown(failure: unknown, url: string): Error {
    if (failure instanceof PagewrightError || failure instanceof NotProcessed) return failure;
    if (this.startFailure !== undefined) return this.startFailure;
    return new PagewrightError(
      'PARSE_LIMIT',
      isOutOfMemory(failure)
        ? `Reading ${url} takes more than ${this.#memory} MB of memory. Request fewer formats, or lower limits.nodes and limits.bodyBytes to refuse such pages earlier.`
        : `The thread that read ${url} crashed: ${(failure as Error).message}`,
      { url, cause: failure },
    );
  }
}

function isOutOfMemory(failure: unknown): boolean {
  return (failure as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Copies only the needed properties: a custom engine may add values that cannot be sent. */
function taskOf(
  snapshot: Omit<Snapshot, 'body'>,
  body: Uint8Array<ArrayBuffer>,
  plan: ProcessingPlan,
  pictures: ProcessingTask['pictures'],
): ProcessingTask {
  const formats = plan.formats.map(({ format, options }) => ({ ...sentCode(format), options }));
  return {
    snapshot: { ...pick(snapshot, sentOfSnapshot), body },
    plan: { ...pick(plan, sentOfPlan), formats },
    parsers: (plan.workerParsers ?? []).map(sentCode),
    pictures,
  };
}

const sentOfSnapshot = [
  'url',
  'statusCode',
  'headers',
  'engine',
  'redirects',
  'warnings',
  'requests',
  'bytes',
  'unseen',
] as const;

const sentOfPlan = [
  'clean',
  'limits',
  'pdf',
  'archive',
  'outline',
  'schemas',
  'fingerprints',
  'modelText',
  'recipe',
  'linkDetails',
  'nearHash',
  'evidenceFor',
  'pageHooks',
] as const;

function sentCode({ name, worker }: Pick<Format | Parser, 'name' | 'worker'>): SentCode {
  if (worker === undefined) throw new TypeError(`"${name}" names no module for a worker.`);
  return { name, module: worker };
}

function openOcrPort(pictures: PictureRecognizer): { own: MessagePort; sent: OcrPort } {
  const { port1: own, port2: port } = new MessageChannel();
  serveOcr(own, pictures);
  const { name, mediaTypes, pagesAtOnce } = pictures;
  return { own, sent: { port, name, mediaTypes, pagesAtOnce } };
}
