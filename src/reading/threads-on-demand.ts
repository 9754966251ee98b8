/** The reading threads of one client. Nothing of them is loaded before they are needed. */
import type { Snapshot } from '../model/snapshot.ts';
import { InTurn } from './in-turn.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import type { ReadingThreads } from './reading-threads.ts';

/** Light pages in one stretch of time after which threads help with them: starting one takes 0.2 s. */
const manyPages = 30;
/** Milliseconds of that stretch. */
const stretch = 10_000;
/** Light pages that a thread may have beside the one that it reads, so that it need not wait. */
const pagesAhead = 1;

/** Made by the client, which closes it. */
export class ThreadsOnDemand {
  /** Told once when there can be no threads. */
  readonly #warn: (sentence: string) => void;
  /** The caller's own thread. */
  readonly here: InTurn = new InTurn();
  #threads: ReadingThreads | undefined;
  #isUnavailable = false;
  /** Pages that threads have, or wait for one. */
  #onThreads = 0;
  #lightPages = 0;
  /** A thread is being started for light pages. */
  #isPreparing = false;
  #stretchBegan = 0;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Told of each light page that a thread may read. */
  count(): void {
    const now = performance.now();
    if (now - this.#stretchBegan > stretch) {
      // Those of the stretch before still count when it was busy: a crawl goes on.
      this.#lightPages = this.#lightPages < manyPages ? 0 : manyPages - 1;
      this.#stretchBegan = now;
    }
    this.#lightPages += 1;
  }

  /**
   * Asked when it is a light page's turn: true when a thread should read it. That is so while many
   * come, as in a crawl, and no thread is behind: then the caller's thread reads too. Threads are
   * started meanwhile: a page that waited for one would hold up all that come after it in a crawl.
   */
  help(): boolean {
    if (this.#lightPages < manyPages || this.#isUnavailable) return false;
    const { ready = 0, size = 0, limit = 1 } = this.#threads ?? {};
    if (this.#onThreads < ready * (1 + pagesAhead)) return true;
    if (size < limit && !this.#isPreparing) void this.#prepare();
    return false;
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
    if (this.#isUnavailable) return undefined;
    this.#onThreads += 1;
    try {
      const threads = this.#threads ?? (await this.#load());
      return await threads.read(snapshot, plan, signal, how);
    } catch (error) {
      // A function in a caller's JSON Schema.
      if (error instanceof DOMException && error.name === 'DataCloneError') return undefined;
      const { ThreadUnavailable } = await import('./reading-threads.ts');
      if (!(error instanceof ThreadUnavailable)) throw error;
      this.#giveUp(error);
      return undefined;
    } finally {
      this.#onThreads -= 1;
    }
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
