/** A running batch: a job over a list of URLs that may grow. `batchScrape()` returns it. */
import { PagewrightError } from '../runtime/errors.ts';
import { type BatchUrls, parseBatchUrls } from '../options/batch-options.ts';
import type { JobUrl, ScrapeTarget } from '../options/scrape-target.ts';
import type { JobControl, JobSetting } from './job-status.ts';
import { Job } from './job.ts';

/** The list of a batch, and how it treats invalid URLs. */
export interface BatchStart {
  readonly list: BatchList;
  /** Known when the job is open. */
  readonly ignoreInvalidUrls: () => boolean;
}

/**
 * A job whose documents are in the order of the URLs given. It ends when all of them are done and
 * every loop over the job has asked for the next document: none is about to add more.
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

  /** Entries of the list that are not URLs. */
  get invalidURLs(): readonly string[] {
    return [...this.#start.list.invalid];
  }

  /**
   * Appends URLs to the list, while the batch runs: from a listener of its events, or from
   * a loop over it. Throws `BAD_REQUEST` when the batch has ended, and, without `ignoreInvalidURLs`, for
   * entries that are not URLs; nothing is added then.
   */
  add(urls: readonly JobUrl[]): void {
    const { list, ignoreInvalidUrls } = this.#start;
    const parsed = parseBatchUrls(urls, ignoreInvalidUrls());
    if (list.isClosed || this.progress.status !== 'scraping') {
      throw new PagewrightError(
        'BAD_REQUEST',
        `Batch ${this.id} has ended, so no URLs can be added to it. Start another with batchScrape().`,
      );
    }
    this.#setting.durable?.addUrls(parsed.entries);
    list.add(parsed);
  }
}

// The pending URLs of a batch, in the order in which they were passed.

/** Accepts URLs until it is closed. */
export class BatchList {
  /** Entries of the list that are not URLs. */
  readonly invalid: string[] = [];
  #waiting: ScrapeTarget[] = [];
  #isClosed = false;
  /** Called with the URLs that are added. */
  #onAdded: ((targets: readonly ScrapeTarget[]) => void) | undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add({ targets, invalid }: BatchUrls): void {
    this.invalid.push(...invalid);
    if (this.#onAdded === undefined) this.#waiting = [...this.#waiting, ...targets];
    else this.#onAdded(targets);
  }

  /** Adds the URLs of an earlier process of the job, before all newer ones. */
  restore({ targets, invalid }: BatchUrls): void {
    this.invalid.unshift(...invalid);
    this.#waiting = [...targets, ...this.#waiting];
  }

  /** Passes on the URLs so far, and then each one that is added. */
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
