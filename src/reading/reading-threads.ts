/** The threads of one client that read heavy pages: started when needed, ended when idle. */
import { availableParallelism } from 'node:os';
import type { Snapshot } from '../model/snapshot.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { NotRead, ReadingThread } from './reading-thread.ts';
import type { ComputationTask } from './thread-messages.ts';

export { ThreadUnavailable } from './reading-thread.ts';

/** How many, how large, how long. */
export interface ReadingThreadsOptions {
  /** Threads at most. @default processors less one, from 1 to 4 */
  readonly limit?: number | undefined;
  /**
   * Megabytes of memory of one thread. With 512 the process ended where pdf.js asked for one array that
   * was larger than what was left. @default 1024
   */
  readonly memory?: number | undefined;
  /** Milliseconds after which a thread that has nothing to do ends. @default 5000 */
  readonly idleTime?: number | undefined;
}

/** A page that waits for a thread. */
interface Waiter {
  readonly isLight: boolean;
  readonly take: (thread: ReadingThread) => void;
  readonly fail: (error: Error) => void;
}

/** A pool of threads. Pages that find all of them busy wait in line. */
export class ReadingThreads {
  /** Threads at most. */
  readonly limit: number;
  readonly #memory: number;
  readonly #idleTime: number;
  readonly #all = new Set<ReadingThread>();
  readonly #started = new Set<ReadingThread>();
  /** Each with the timer that ends it; the last one was used last. */
  readonly #idle = new Map<ReadingThread, NodeJS.Timeout>();
  /** In their order. */
  readonly #waiting = new Set<Waiter>();

  constructor(options: ReadingThreadsOptions = {}) {
    this.limit = options.limit ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    this.#memory = options.memory ?? 1024;
    this.#idleTime = options.idleTime ?? 5000;
  }

  /** Threads that run or idle. */
  get size(): number {
    return this.#all.size;
  }

  /** Threads that have started, and not ended. */
  get ready(): number {
    return this.#started.size;
  }

  /** Starts one more thread, if there may be one; gives false when it ended before it had started. */
  async prepare(): Promise<boolean> {
    if (this.#all.size >= this.limit) return true;
    const thread = this.#start();
    const isReady = await thread.ready;
    if (isReady && thread.isUsable && thread.isIdle) this.#rest(thread);
    return isReady;
  }

  /**
   * Reads a page on a thread; see {@link ReadingThread.read}. The wait for a thread counts too. Light
   * pages are sent ahead to a thread that reads another one, which then need not wait for them; for
   * their sake no second thread is started.
   */
  async read(
    snapshot: Snapshot,
    plan: ReadingPlan,
    signal: AbortSignal,
    { isLight = false }: { readonly isLight?: boolean } = {},
  ): Promise<PageReading> {
    return this.#onThread(signal, isLight, (thread) =>
      thread.read(snapshot, plan, { signal, isLight }),
    );
  }

  /** Does work on texts of a page on a thread; see {@link ReadingThread.compute}. */
  async compute(
    task: ComputationTask,
    {
      signal,
      isLight,
      url,
    }: { readonly signal: AbortSignal; readonly isLight: boolean; readonly url: string },
  ): Promise<unknown> {
    return this.#onThread(signal, isLight, (thread) =>
      thread.compute(task, { signal, isLight, url }),
    );
  }

  async #onThread<Result>(
    signal: AbortSignal,
    isLight: boolean,
    work: (thread: ReadingThread) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const thread = await this.#take(signal, isLight);
      try {
        return await work(thread);
      } catch (error) {
        if (!(error instanceof NotRead)) throw error;
      } finally {
        if (thread.isUsable && thread.isIdle) this.#rest(thread);
        else this.#serve();
      }
    }
  }

  /** Ends all threads. The pages they read should have been aborted before. */
  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const thread of this.#all) thread.end();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  /** Waits in line for a thread. */
  #take(signal: AbortSignal, isLight: boolean): Promise<ReadingThread> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiter.fail(signal.reason as Error);
        // It may have kept light pages behind it from a thread that reads.
        this.#serve();
      };
      const leave = (): void => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        isLight,
        take: (thread) => {
          leave();
          resolve(thread);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
      this.#serve();
    });
  }

  /** Gives threads to those who wait, as long as there is one for the first of them. */
  #serve(): void {
    for (const { isLight, take, fail } of this.#waiting) {
      try {
        const thread = this.#free(isLight);
        if (thread === undefined) return;
        take(thread);
      } catch (error) {
        fail(error as Error);
      }
    }
  }

  /** A thread that may have one page more. */
  #free(isLight: boolean): ReadingThread | undefined {
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (thread.isUsable) return thread;
    }
    if (this.#all.size < this.limit && !(isLight && this.#all.size > 0)) return this.#start();
    return isLight ? [...this.#all].find(({ mayTakeNext }) => mayTakeNext) : undefined;
  }

  #start(): ReadingThread {
    const thread = new ReadingThread(this.#memory);
    this.#all.add(thread);
    void thread.ready.then((isReady) => isReady && this.#started.add(thread));
    void thread.ended.then(() => {
      this.#all.delete(thread);
      this.#started.delete(thread);
      const { startFailure } = thread;
      // Else each of those who wait would try another.
      if (startFailure !== undefined) for (const { fail } of this.#waiting) fail(startFailure);
      this.#serve();
    });
    return thread;
  }

  #rest(thread: ReadingThread): void {
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      thread.end();
    }, this.#idleTime);
    timer.unref();
    this.#idle.set(thread, timer);
    this.#serve();
  }
}
