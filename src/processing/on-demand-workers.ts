/** The workers of one client, loaded and started on demand, and the serial queue of the caller's own thread. */
import { setImmediate } from 'node:timers/promises';
import { type ComputationName, type Compute, computeHere } from '../formats/computations.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Light pages in one stretch of time after which workers read them: starting one takes 0.2 s. */
const manyLightPages = 30;

/** Milliseconds of that stretch. */
const stretch = 10_000;

/** Light pages of one worker, waiting ones included, from which there should be another worker. */
const pagesPerWorker = 4;

/** Characters of a text from which a worker works on it: as many take some 50 ms where they are dense. */
const leastLong = 16 * 1024;

/** The same from which it may take long, so that nothing should wait behind it. */
const leastHeavy = 256 * 1024;

/** Characters and bytes in plain data, counted as far as `most`. */
function sizeOf(data: unknown, most: number): number {
  let size = 0;
  const open: unknown[] = [data];
  while (open.length > 0 && size < most) {
    const value = open.pop();
    if (typeof value === 'string') size += value.length;
    else if (value instanceof Uint8Array) size += value.length;
    else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) {
        size += 8;
        open.push(member);
        if (size >= most) break;
      }
    }
  }
  return size;
}

/** Made by the client, which closes it. */
export class OnDemandWorkers {
  /** Told once when there can be no workers. */
  readonly #warn: (sentence: string) => void;
  /** The caller's own thread. */
  readonly serialQueue: SerialQueue = new SerialQueue();
  #pool: WorkerPool | undefined;
  #isUnavailable = false;
  /** Pages that workers have, or that wait for one. */
  #pagesInWorkers = 0;
  /** The heavy ones among them. */
  #heavyPages = 0;
  /** Of this stretch. */
  #lightPages = 0;
  /** Many came in the stretch before: a crawl goes on. */
  #wasBusy = false;
  /** A job said that many light pages come. */
  #isExpected = false;
  /** A worker is being started for light pages. */
  #isPreparing = false;
  #stretchBegan = 0;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Told of each light page that a worker may read. */
  countLightPage(): void {
    this.#passTime();
    this.#lightPages += 1;
  }

  /** Told by a job of the pages that it has yet to fetch. */
  expectPages(pages: number): void {
    if (pages < manyLightPages) return;
    this.#passTime();
    this.#lightPages = Math.max(this.#lightPages, manyLightPages);
    this.#isExpected = true;
  }

  /**
   * Asked when it is a light page's turn: true when a worker should read it. While many come, workers
   * read all of them: code that two threads run is compiled twice and slow twice at first, and the
   * caller's thread has other work. It reads while the first worker starts, where nobody said that
   * there will be many, and while heavy pages keep all workers busy.
   */
  shouldUseWorker(): boolean {
    const isMany = this.#wasBusy || this.#lightPages >= manyLightPages;
    if (!isMany || this.#isUnavailable) return false;
    const { ready = 0, size = 0, limit = 1 } = this.#pool ?? {};
    const isBusy = this.#pagesInWorkers >= ready * pagesPerWorker;
    if (isBusy && size < limit && !this.#isPreparing) void this.#prepare();
    return this.#heavyPages < (this.#isExpected ? Math.max(1, ready) : ready);
  }

  /**
   * Reads a page in a worker, as `WorkerPool` does. Undefined when that cannot be done: the plan
   * cannot be sent, or the process may not have workers.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    signal: AbortSignal,
    how: { readonly isLight?: boolean } = {},
  ): Promise<ProcessedPage | undefined> {
    const isLight = how.isLight === true;
    return this.#inWorker(isLight, (pool) => pool.process(snapshot, plan, signal, { isLight }));
  }

  /**
   * What does work on texts of a page: a worker where they are long, the caller's own where they are
   * short or there can be no workers. Rejects with the signal's reason at once.
   */
  computing(url: string, signal: AbortSignal): Compute {
    const compute = async (computation: ComputationName, input: unknown): Promise<unknown> => {
      signal.throwIfAborted();
      const size = sizeOf(input, leastHeavy);
      const how = { signal, url, isLight: size < leastHeavy };
      const done =
        size < leastLong
          ? undefined
          : await this.#inWorker(how.isLight, async (pool) => ({
              result: await pool.compute({ computation, input }, how),
            }));
      return done === undefined ? computeHere(computation, input as never) : done.result;
    };
    // The worker gives what the computation of that name gives.
    return compute as Compute;
  }

  /** Undefined where it cannot be done in a worker. */
  async #inWorker<Result>(
    isLight: boolean,
    work: (pool: WorkerPool) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#isUnavailable) return undefined;
    this.#pagesInWorkers += 1;
    if (!isLight) this.#heavyPages += 1;
    try {
      return await work(this.#pool ?? (await this.#load()));
    } catch (error) {
      // A function in a caller's JSON Schema.
      if (error instanceof DOMException && error.name === 'DataCloneError') return undefined;
      const { WorkerUnavailable } = await import('./worker-pool.ts');
      if (!(error instanceof WorkerUnavailable)) throw error;
      this.#giveUp(error);
      return undefined;
    } finally {
      this.#pagesInWorkers -= 1;
      if (!isLight) this.#heavyPages -= 1;
    }
  }

  /** Begins a new stretch when the last one is over. */
  #passTime(): void {
    const now = performance.now();
    const passed = now - this.#stretchBegan;
    if (passed <= stretch) return;
    this.#wasBusy = passed < 2 * stretch && this.#lightPages >= manyLightPages;
    this.#isExpected &&= this.#wasBusy;
    this.#lightPages = 0;
    this.#stretchBegan = now;
  }

  /** Never rejects. */
  async #prepare(): Promise<void> {
    this.#isPreparing = true;
    try {
      const pool = await this.#load();
      if (this.#isUnavailable) return;
      const isReady = await pool.prepare();
      if (!isReady) this.#giveUp(new Error('it ended at once'));
    } catch (error) {
      this.#giveUp(error as Error);
    } finally {
      this.#isPreparing = false;
    }
  }

  async #load(): Promise<WorkerPool> {
    const { WorkerPool } = await import('./worker-pool.ts');
    return (this.#pool ??= new WorkerPool());
  }

  /** Ends the workers; the pages that they read should have been aborted before. */
  async close(): Promise<void> {
    // What is being started is not missed.
    this.#isUnavailable = true;
    await this.#pool?.close();
  }

  #giveUp({ message }: Error): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#warn(
      `No thread can be started (${message}): heavy pages are read on the main thread, which they hold up. ` +
        'Keep pagewright out of the bundle, and allow workers (--allow-worker).',
    );
  }
}

// Readings on the caller's thread, one after the other.

/**
 * Reading has steps that wait for nothing; without turns the trees of all pages that arrived together
 * would be in memory at once, and the process would stand still until the last of them was read.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs the work when all before it are done. Before each the process goes on, before the first one
   * too: pages of several connections arrive in one go, and each could be the first when it does.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    let end: () => void;
    this.#last = new Promise<void>((resolve) => (end = resolve));
    return before
      .then(() => setImmediate())
      .then(work)
      .finally(() => end());
  }
}
