/** A running batch: a job over a list of URLs that may grow. `batchScrape()` returns it. */
import { PagewrightError } from '../errors.ts';
import { type BatchUrls, parseBatchUrls } from '../options/batch-options.ts';
import type { ScrapeTarget } from '../options/scrape-target.ts';
import type { JobControl, JobSetting } from './job-status.ts';
import { Job } from './job.ts';

/** What a batch begins with. */
export interface BatchStart {
  readonly list: BatchList;
  /** Known when the job is open. */
  readonly ignoreInvalidUrls: () => boolean;
}

/**
 * A job whose documents are in the order of the URLs given. It ends when all of them are done and
 * nobody is about to add more: a loop over the job has asked for the next document.
 */
export class BatchJob<Document> extends Job<Document> {
  readonly #start: BatchStart;
  readonly #setting: JobSetting;

  constructor(
    setting: JobSetting,
    start: BatchStart,
    work: (control: JobControl<Document>) => Promise<void>,
  ) {
    super(setting, (control) => work(control).finally(() => start.list.close()));
    this.#start = start;
    this.#setting = setting;
  }

  /** What was given and is no URL. */
  get invalidURLs(): readonly string[] {
    return [...this.#start.list.invalid];
  }

  /**
   * Adds URLs behind those that there are, while the batch runs: from a listener of its events, or from
   * a loop over it. Throws `BAD_REQUEST` when the batch has ended, and, without `ignoreInvalidURLs`, for
   * what is no URL; nothing is added then.
   */
  add(urls: readonly (string | URL)[]): void {
    const { list, ignoreInvalidUrls } = this.#start;
    const parsed = parseBatchUrls(urls, ignoreInvalidUrls());
    if (list.isClosed || this.progress.status !== 'scraping') {
      throw new PagewrightError(
        'BAD_REQUEST',
        `Batch ${this.id} has ended, so no URLs can be added to it. Start another with batchScrape().`,
      );
    }
    this.#setting.durable?.addUrls(urls.map(String));
    list.add(parsed);
  }
}

// The URLs of a batch that wait for their turn, in the order in which they were given.

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
