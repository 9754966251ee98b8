/** The URLs of a batch that wait for their turn, in the order in which they were given. */
import type { BatchUrls } from '../options/batch-options.ts';
import type { ScrapeTarget } from '../options/scrape-target.ts';

/** Takes URLs until it is closed, and then no more. */
export class BatchList {
  /** What was given and is no URL. */
  readonly invalid: string[] = [];
  #waiting: ScrapeTarget[] = [];
  #isClosed = false;
  /** Hears of each URL that is added. */
  #onAdded: ((targets: readonly ScrapeTarget[]) => void) | undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add({ targets, invalid }: BatchUrls): void {
    this.invalid.push(...invalid);
    if (this.#onAdded === undefined) this.#waiting = [...this.#waiting, ...targets];
    else this.#onAdded(targets);
  }

  /** Adds what an earlier process of the job was given, before all that came since. */
  restore({ targets, invalid }: BatchUrls): void {
    this.invalid.unshift(...invalid);
    this.#waiting = [...targets, ...this.#waiting];
  }

  /** Hands over what was added so far, and from now on what is added. */
  open(onAdded: (targets: readonly ScrapeTarget[]) => void): void {
    const targets = this.#waiting;
    this.#waiting = [];
    this.#onAdded = onAdded;
    onAdded(targets);
  }

  close(): void {
    this.#isClosed = true;
  }
}
