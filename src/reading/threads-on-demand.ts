/** The reading threads of one client. Nothing of them is loaded before the first heavy page comes. */
import type { Snapshot } from '../model/snapshot.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import type { ReadingThreads } from './reading-threads.ts';

/** Made by the client, which closes it. */
export class ThreadsOnDemand {
  /** Told once when there can be no threads. */
  readonly #warn: (sentence: string) => void;
  #threads: ReadingThreads | undefined;
  #isUnavailable = false;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /**
   * Reads a page on a thread, as `ReadingThreads` does. Undefined when that cannot be done: the plan
   * cannot be sent, or the process may not have threads.
   */
  async read(
    snapshot: Snapshot,
    plan: ReadingPlan,
    signal: AbortSignal,
  ): Promise<PageReading | undefined> {
    if (this.#isUnavailable) return undefined;
    const { ReadingThreads, ThreadUnavailable } = await import('./reading-threads.ts');
    this.#threads ??= new ReadingThreads();
    try {
      return await this.#threads.read(snapshot, plan, signal);
    } catch (error) {
      // A function in a caller's JSON Schema.
      if (error instanceof DOMException && error.name === 'DataCloneError') return undefined;
      if (!(error instanceof ThreadUnavailable)) throw error;
      this.#giveUp(error);
      return undefined;
    }
  }

  /** Ends the threads; the pages that they read should have been aborted before. */
  async close(): Promise<void> {
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
