/** The workers of one client, loaded and started on demand, and the serial queue of the caller's own thread. */
import { setImmediate } from 'node:timers/promises';
import {
  type ComputationName,
  type Compute,
  runComputation,
} from '../../content/formats/computations.ts';
import {
  freeDescriptors,
  isOutOfDescriptors,
  threadDescriptors,
  withDescriptors,
} from '../runtime/file-descriptors.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import type { WorkerPool } from './worker-pool.ts';

const thresholds = {
  manyLightPages: 30, // in one interval, before workers read them: starting a worker takes 0.2 s
  interval: 10_000, // milliseconds
  pagesPerWorker: 4, // light pages, waiting ones included, per worker: more start another one
  leastLong: 16 * 1024, // characters of a text for a worker: a dense one takes some 50 ms
  leastHeavy: 256 * 1024, // characters of a text too long for other pages to wait behind
};

/** Characters and bytes in plain data, counted up to `most`. */
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

/** The workers of a client, which closes them. */
export class OnDemandWorkers {
  /** Called once when workers are unavailable. */
  readonly #warn: (sentence: string) => void;
  /** The queue of the caller's thread. */
  readonly serialQueue: SerialQueue = new SerialQueue();
  #pool: WorkerPool | undefined;
  #isUnavailable = false;
  /** Pages in workers, or waiting for one. */
  #pagesInWorkers = 0;
  /** The heavy pages among them. */
  #heavyPages = 0;
  /** Light pages of this interval. */
  #lightPages = 0;
  /** Light pages being read or waiting. */
  #openLightPages = 0;
  /** True when the previous interval had many pages: a crawl continues. */
  #wasBusy = false;
  /** True when a job has announced many light pages. */
  #isExpected = false;
  /** True while a worker is being started for light pages. */
  #isPreparing = false;
  #stretchBegan = 0;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Counts a light page that a worker may read; dispose the result when the page is read. */
  beginLightPage(): Disposable {
    this.#passTime();
    this.#lightPages += 1;
    this.#openLightPages += 1;
    return { [Symbol.dispose]: () => void (this.#openLightPages -= 1) };
  }

  /** Lets a job announce the pages that it has yet to fetch. */
  expectPages(pages: number): void {
    if (pages < thresholds.manyLightPages) return;
    this.#passTime();
    this.#lightPages = Math.max(this.#lightPages, thresholds.manyLightPages);
    this.#isExpected = true;
  }

  /**
   * True when a worker should read the next light page. While many arrive, workers read all of
   * them: code that two threads run is compiled twice and slow twice at first, and the caller's thread
   * has other work. The caller's thread reads while the first worker starts, unless a job announced
   * many pages, and while heavy pages occupy all workers. It also reads pages that arrive one by one:
   * sending them would take longer, and nothing waits meanwhile.
   */
  shouldUseWorker(): boolean {
    const isMany = this.#wasBusy || this.#lightPages >= thresholds.manyLightPages;
    const isAlone = !this.#isExpected && this.#openLightPages <= 1;
    if (!isMany || isAlone || this.#isUnavailable) return false;
    const { ready = 0, size = 0, limit = 1 } = this.#pool ?? {};
    const isBusy = this.#pagesInWorkers >= ready * thresholds.pagesPerWorker;
    if (isBusy && size < limit && !this.#isPreparing) void this.#prepare();
    return this.#heavyPages < (this.#isExpected ? Math.max(1, ready) : ready);
  }

  /**
   * Reads a page in a worker, like `WorkerPool`. Undefined when this is impossible: the plan cannot
   * be sent, or the process may not have workers.
   */
  async process(
    snapshot: Snapshot,
    plan: ProcessingPlan,
    signal: AbortSignal,
    options: { readonly isLight?: boolean } = {},
  ): Promise<ProcessedPage | undefined> {
    const isLight = options.isLight === true;
    return this.#inWorker(isLight, (pool) => pool.process(snapshot, plan, signal, { isLight }));
  }

  /**
   * Runs computations on texts of a page: in a worker if they are long, on the caller's thread if they are short or
   * workers are unavailable. Rejects with the signal's reason at once.
   */
  computing(url: string, signal: AbortSignal): Compute {
    const compute = async (computation: ComputationName, ...input: unknown[]): Promise<unknown> => {
      signal.throwIfAborted();
      const size = sizeOf(input, thresholds.leastHeavy);
      const options = { signal, url, isLight: size < thresholds.leastHeavy };
      const done =
        size < thresholds.leastLong
          ? undefined
          : await this.#inWorker(options.isLight, async (pool) => ({
              result: await pool.compute({ computation, input }, options),
            }));
      return done === undefined ? runComputation(computation, input) : done.result;
    };
    // The worker returns the result type of the computation of that name.
    return compute as Compute;
  }

  /** Undefined if the work cannot run in a worker. */
  async #inWorker<Result>(
    isLight: boolean,
    work: (pool: WorkerPool) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#isUnavailable) return undefined;
    this.#pagesInWorkers += 1;
    if (!isLight) this.#heavyPages += 1;
    try {
      return await withDescriptors(async () => work(this.#pool ?? (await this.#load())));
    } catch (error) {
      // A caller's JSON Schema contains a function.
      if (error instanceof DOMException && error.name === 'DataCloneError') return undefined;
      const { WorkerUnavailable } = await loadModule(() => import('./worker-pool.ts'));
      if (!(error instanceof WorkerUnavailable)) throw error;
      this.#giveUp(error);
      return undefined;
    } finally {
      this.#pagesInWorkers -= 1;
      if (!isLight) this.#heavyPages -= 1;
    }
  }

  /** Begins a new interval when the last one is over. */
  #passTime(): void {
    const now = performance.now();
    const passed = now - this.#stretchBegan;
    if (passed <= thresholds.interval) return;
    this.#wasBusy =
      passed < 2 * thresholds.interval && this.#lightPages >= thresholds.manyLightPages;
    this.#isExpected &&= this.#wasBusy;
    this.#lightPages = 0;
    this.#stretchBegan = now;
  }

  /** Starts a worker for light pages; never rejects. */
  async #prepare(): Promise<void> {
    this.#isPreparing = true;
    try {
      const pool = await this.#load();
      await freeDescriptors(threadDescriptors);
      if (this.#isUnavailable) return;
      const isReady = await pool.prepare();
      if (!isReady) this.#giveUp(new Error('it ended at once'));
    } catch (error) {
      // Descriptors get free again: a later page retries.
      if (!isOutOfDescriptors(error)) this.#giveUp(error as Error);
    } finally {
      this.#isPreparing = false;
    }
  }

  async #load(): Promise<WorkerPool> {
    const { WorkerPool } = await loadModule(() => import('./worker-pool.ts'));
    return (this.#pool ??= new WorkerPool());
  }

  /** Ends the workers; their pages should be aborted before. */
  async close(): Promise<void> {
    // A pool that is still loading starts no worker after this.
    this.#isUnavailable = true;
    await this.#pool?.close();
  }

  #giveUp({ message }: Error): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#warn(
      `No thread can be started (${message}): heavy pages are read on the main thread, which they block. ` +
        "If pagewright was bundled, mark it as external (esbuild: external: ['pagewright'], Next.js: " +
        "serverExternalPackages: ['pagewright']); under Node's permission model, allow workers (--allow-worker).",
    );
  }
}

// The queue of pages read on the caller's thread, one after the other.

/**
 * Reading has synchronous steps; without a queue the trees of all pages that arrive together would be in memory at
 * once, and the process would block until the last page is read.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs the work when all earlier work is done. Yields to the event loop before each, even before the first: pages of
   * several connections arrive in one tick, and each could then be the first.
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
