/** The threads of one client that read heavy pages: started when needed, ended when idle. */
import { availableParallelism } from 'node:os';
import type { Snapshot } from '../model/snapshot.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { NotRead, ReadingThread } from './reading-thread.ts';

export { ThreadUnavailable } from './reading-thread.ts';

/** How many, how large, how long. */
export interface ReadingThreadsOptions {
  /** Threads at most. @default processors less one, from 1 to 4 */
  readonly limit?: number | undefined;
  /** Megabytes of memory of one thread. @default 512 */
  readonly memory?: number | undefined;
  /** Milliseconds after which a thread that has nothing to do ends. @default 5000 */
  readonly idleTime?: number | undefined;
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
  /** Told when a place becomes free. */
  readonly #waiting = new Set<() => void>();

  constructor(options: ReadingThreadsOptions = {}) {
    this.limit = options.limit ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    this.#memory = options.memory ?? 512;
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
   * Reads a page on a thread; see {@link ReadingThread.read}. The wait for a thread counts too. A light
   * page is sent ahead to a thread that reads another one, which then need not wait for the next.
   */
  async read(
    snapshot: Snapshot,
    plan: ReadingPlan,
    signal: AbortSignal,
    { isLight = false }: { readonly isLight?: boolean } = {},
  ): Promise<PageReading> {
    for (;;) {
      const thread = await this.#take(signal, isLight);
      try {
        return await thread.read(snapshot, plan, { signal, isLight });
      } catch (error) {
        if (!(error instanceof NotRead)) throw error;
      } finally {
        if (thread.isUsable && thread.isIdle) this.#rest(thread);
      }
    }
  }

  /** Ends all threads. The pages they read should have been aborted before. */
  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const thread of this.#all) thread.end();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  async #take(signal: AbortSignal, isLight: boolean): Promise<ReadingThread> {
    for (;;) {
      signal.throwIfAborted();
      const [thread, timer] = [...this.#idle].at(-1) ?? [];
      const ahead = isLight ? [...this.#all].find(({ mayTakeNext }) => mayTakeNext) : undefined;
      if (thread !== undefined) {
        clearTimeout(timer);
        this.#idle.delete(thread);
        if (thread.isUsable) return thread;
      } else if (this.#all.size < this.limit) {
        return this.#start();
      } else if (ahead !== undefined) {
        return ahead;
      } else {
        await this.#turn(signal);
        // The turn of one that gave up meanwhile is the next one's.
        if (signal.aborted) this.#callNext();
      }
    }
  }

  #start(): ReadingThread {
    const thread = new ReadingThread(this.#memory);
    this.#all.add(thread);
    void thread.ready.then((isReady) => isReady && this.#started.add(thread));
    void thread.ended.then(() => {
      this.#all.delete(thread);
      this.#started.delete(thread);
      this.#callNext();
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
    this.#callNext();
  }

  /** Waits for its turn in line. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const called = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.delete(called);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(called);
    });
  }

  #callNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}
