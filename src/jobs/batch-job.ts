/** A running batch: a job over a list of URLs that may grow. What `batchScrape()` returns. */
import { PagewrightError } from '../errors.ts';
import { type BatchUrls, parseBatchUrls } from '../options/batch-options.ts';
import { BatchList } from './batch-list.ts';
import { Job } from './job.ts';
import type { JobControl, JobSetting } from './job-status.ts';

/** What a batch begins with. */
export interface BatchStart extends BatchUrls {
  readonly ignoreInvalidUrls: boolean;
}

/**
 * A job whose documents are in the order of the URLs given. It ends when all of them are done and
 * nobody is about to add more: a loop over the job has asked for the next document.
 */
export class BatchJob<Document> extends Job<Document> {
  readonly #list: BatchList;
  readonly #ignoreInvalidUrls: boolean;
  readonly #invalid: string[];

  constructor(
    setting: JobSetting,
    start: BatchStart,
    work: (list: BatchList, control: JobControl<Document>) => Promise<void>,
  ) {
    const list = new BatchList();
    list.add(start.targets);
    super(setting, (control) => work(list, control).finally(() => list.close()));
    this.#list = list;
    this.#ignoreInvalidUrls = start.ignoreInvalidUrls;
    this.#invalid = [...start.invalid];
  }

  /** What was given and is no URL. */
  get invalidURLs(): readonly string[] {
    return [...this.#invalid];
  }

  /**
   * Adds URLs behind those that there are, while the batch runs: from a listener of its events, or from
   * a loop over it. Throws `BAD_REQUEST` when the batch has ended, and, without `ignoreInvalidURLs`, for
   * what is no URL; nothing is added then.
   */
  add(urls: readonly (string | URL)[]): void {
    const { targets, invalid } = parseBatchUrls(urls, this.#ignoreInvalidUrls);
    if (this.#list.isClosed || this.progress.status !== 'scraping') {
      throw new PagewrightError(
        'BAD_REQUEST',
        `Batch ${this.id} has ended, so no URLs can be added to it. Start another with batchScrape().`,
      );
    }
    this.#invalid.push(...invalid);
    this.#list.add(targets);
  }
}
