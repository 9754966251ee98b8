/** The reading threads of one client. Nothing of them is loaded before they are needed. */
import { type ComputationName, type Compute, computeHere } from '../formats/computations.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { InTurn } from './in-turn.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import type { ReadingThreads } from './reading-threads.ts';

/** Light pages in one stretch of time after which threads read them: starting one takes 0.2 s. */
const manyPages = 30;
/** Milliseconds of that stretch. */
const stretch = 10_000;
/** Light pages of one thread, waiting ones included, from which there should be another thread. */
const pagesOfOne = 4;

/** Characters of a text from which a thread works on it: as many take some 50 ms where they are dense. */
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
export class ThreadsOnDemand {
  /** Told once when there can be no threads. */
  readonly #warn: (sentence: string) => void;
  /** The caller's own thread. */
  readonly here: InTurn = new InTurn();
  #threads: ReadingThreads | undefined;
  #isUnavailable = false;
  /** Pages that threads have, or that wait for one. */
  #onThreads = 0;
  /** The heavy ones among them. */
  #heavyPages = 0;
  /** Of this stretch. */
  #lightPages = 0;
  /** Many came in the stretch before: a crawl goes on. */
  #wasBusy = false;
  /** A job said that many light pages come. */
  #isExpected = false;
  /** A thread is being started for light pages. */
  #isPreparing = false;
  #stretchBegan = 0;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Told of each light page that a thread may read. */
  count(): void {
    this.#passTime();
    this.#lightPages += 1;
  }

  /** Told by a job of the pages that it has yet to fetch. */
  expect(pages: number): void {
    if (pages < manyPages) return;
    this.#passTime();
    this.#lightPages = Math.max(this.#lightPages, manyPages);
    this.#isExpected = true;
  }

  /**
   * Asked when it is a light page's turn: true when a thread should read it. While many come, threads
   * read all of them: code that two threads run is compiled twice and slow twice at first, and the
   * caller's thread has other work. It reads while the first thread starts, where nobody said that
   * there will be many, and while heavy pages keep all threads busy.
   */
  help(): boolean {
    const isMany = this.#wasBusy || this.#lightPages >= manyPages;
    if (!isMany || this.#isUnavailable) return false;
    const { ready = 0, size = 0, limit = 1 } = this.#threads ?? {};
    const isBusy = this.#onThreads >= ready * pagesOfOne;
    if (isBusy && size < limit && !this.#isPreparing) void this.#prepare();
    return this.#heavyPages < (this.#isExpected ? Math.max(1, ready) : ready);
  }

  /**
   * Reads a page on a thread, as `ReadingThreads` does. Undefined when that cannot be done: the plan
   * cannot be sent, or the process may not have threads.
   */
  async read(
    snapshot: Snapshot,
    plan: ReadingPlan,
    signal: AbortSignal,
    how: { readonly isLight?: boolean } = {},
  ): Promise<PageReading | undefined> {
    const isLight = how.isLight === true;
    return this.#onThread(isLight, (threads) => threads.read(snapshot, plan, signal, { isLight }));
  }

  /**
   * What does work on texts of a page: a thread where they are long, the caller's own where they are
   * short or there can be no threads. Rejects with the signal's reason at once.
   */
  computing(url: string, signal: AbortSignal): Compute {
    const compute = async (computation: ComputationName, input: unknown): Promise<unknown> => {
      signal.throwIfAborted();
      const size = sizeOf(input, leastHeavy);
      const how = { signal, url, isLight: size < leastHeavy };
      const done =
        size < leastLong
          ? undefined
          : await this.#onThread(how.isLight, async (threads) => ({
              result: await threads.compute({ computation, input }, how),
            }));
      return done === undefined ? computeHere(computation, input as never) : done.result;
    };
    // The thread gives what the computation of that name gives.
    return compute as Compute;
  }

  /** Undefined where it cannot be done on a thread. */
  async #onThread<Result>(
    isLight: boolean,
    work: (threads: ReadingThreads) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#isUnavailable) return undefined;
    this.#onThreads += 1;
    if (!isLight) this.#heavyPages += 1;
    try {
      return await work(this.#threads ?? (await this.#load()));
    } catch (error) {
      // A function in a caller's JSON Schema.
      if (error instanceof DOMException && error.name === 'DataCloneError') return undefined;
      const { ThreadUnavailable } = await import('./reading-threads.ts');
      if (!(error instanceof ThreadUnavailable)) throw error;
      this.#giveUp(error);
      return undefined;
    } finally {
      this.#onThreads -= 1;
      if (!isLight) this.#heavyPages -= 1;
    }
  }

  /** Begins a new stretch when the last one is over. */
  #passTime(): void {
    const now = performance.now();
    const passed = now - this.#stretchBegan;
    if (passed <= stretch) return;
    this.#wasBusy = passed < 2 * stretch && this.#lightPages >= manyPages;
    this.#isExpected &&= this.#wasBusy;
    this.#lightPages = 0;
    this.#stretchBegan = now;
  }

  /** Never rejects. */
  async #prepare(): Promise<void> {
    this.#isPreparing = true;
    try {
      const threads = await this.#load();
      if (this.#isUnavailable) return;
      const isReady = await threads.prepare();
      if (!isReady) this.#giveUp(new Error('it ended at once'));
    } catch (error) {
      this.#giveUp(error as Error);
    } finally {
      this.#isPreparing = false;
    }
  }

  async #load(): Promise<ReadingThreads> {
    const { ReadingThreads } = await import('./reading-threads.ts');
    return (this.#threads ??= new ReadingThreads());
  }

  /** Ends the threads; the pages that they read should have been aborted before. */
  async close(): Promise<void> {
    // What is being started is not missed.
    this.#isUnavailable = true;
    await this.#threads?.close();
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
