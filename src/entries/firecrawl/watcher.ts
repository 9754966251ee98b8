/** Watches a job: its documents as they come, and its end, as events. */
import { EventEmitter } from 'node:events';
import { messageOf } from '../../core/runtime/errors.ts';
import type { Job } from '../../core/jobs/job.ts';
import { type Document, toDocument } from './document.ts';
import { type CrawlJob, crawlJob } from './job-status.ts';
import { badRequest, type JobKind } from './sdk-error.ts';

/** Options of a watcher. */
export interface WatcherOptions {
  /** @default 'crawl' */
  kind?: JobKind | undefined;
  /** Seconds between two looks at a job that another process runs. @default 2 */
  pollInterval?: number | undefined;
  /** Seconds until the event `error`. The job continues. @default no limit */
  timeout?: number | undefined;
}

/** The limit of timers, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

const kinds: ReadonlySet<unknown> = new Set<JobKind>(['crawl', 'batch']);

/**
 * Emits `document` (the document, with the job's `id`), `snapshot` (the job with its documents so far), at last `done`
 * (the same, however the job ended) or `error` (`{ status, data, error, id }`: the job is not known, or the time
 * is over). Documents come in their order, each once.
 *
 * @example
 * const watcher = app.watcher(id);
 * watcher.on('document', (document) => console.log(document.metadata?.url));
 * await watcher.start();
 */
export class Watcher extends EventEmitter {
  readonly #open: () => Job<object>;
  readonly #jobId: string;
  readonly #pollInterval: number;
  readonly #timeout: number;
  readonly #closing = new AbortController();
  #wake: () => void = () => undefined;

  /** Made by `watcher()` of the client. */
  constructor(open: () => Job<object>, jobId: string, options: WatcherOptions = {}) {
    super();
    const { kind = 'crawl', pollInterval = 2, timeout = Infinity } = options;
    if (!kinds.has(kind)) throw badRequest("kind: expected 'crawl' or 'batch'");
    if (!(pollInterval > 0)) throw badRequest('pollInterval must be positive');
    if (!(timeout > 0)) throw badRequest('timeout must be positive');
    this.#open = open;
    this.#jobId = jobId;
    this.#pollInterval = pollInterval * 1000;
    this.#timeout = timeout * 1000;
  }

  /** Resolves after `done`, `error` or `close()`. Rejects with the error of a listener. */
  async start(): Promise<void> {
    let job: Job<object>;
    try {
      job = this.#open();
    } catch (error) {
      this.#fail(messageOf(error));
      return;
    }
    const unsubscribe = (['page', 'completed', 'failed', 'cancelled'] as const).map((name) =>
      job.on(name, () => this.#wake()),
    );
    try {
      await this.#watch(job);
    } finally {
      for (const off of unsubscribe) off();
    }
  }

  /** Ends the watch. The job continues. */
  close(): void {
    this.#closing.abort();
    this.#wake();
  }

  async #watch(job: Job<object>): Promise<void> {
    const deadline = performance.now() + this.#timeout;
    const data: Document[] = [];
    while (!this.#isClosed()) {
      // Created first: an event during the check is not lost.
      const changed: Promise<void> = new Promise<void>((resolve) => (this.#wake = resolve));
      const snapshot = await this.#poll(job, data);
      if (snapshot === undefined || this.#isClosed()) return;
      this.emit('snapshot', snapshot);
      if (snapshot.status !== 'scraping') {
        const { id, status, total, completed, creditsUsed } = snapshot;
        this.emit('done', { status, data, id, total, completed, creditsUsed });
        return;
      }
      const left = deadline - performance.now();
      if (left <= 0) {
        this.#fail('The time of the watcher is over.');
        return;
      }
      const timer = setTimeout(
        () => this.#wake(),
        Math.min(this.#pollInterval, left, longestTimer),
      );
      await changed;
      clearTimeout(timer);
    }
  }

  /** Emits the documents that are new; undefined after an error. */
  async #poll(job: Job<object>, data: Document[]): Promise<CrawlJob | undefined> {
    for (;;) {
      const status = await job.status({ skip: data.length }).catch((error: unknown) => {
        this.#fail(messageOf(error));
      });
      if (status === undefined) return undefined;
      const { data: found, next, changes: _, ...progress } = status;
      for (const document of found.map(toDocument)) {
        if (this.#isClosed()) return undefined;
        data.push(document);
        this.emit('document', { ...document, id: this.#jobId });
      }
      const isComplete = progress.status === 'scraping' ? found.length === 0 : next === undefined;
      if (isComplete) return crawlJob(progress, data, null);
    }
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #fail(error: string): void {
    // An error that nothing listens to would be thrown.
    if (this.listenerCount('error') === 0) return;
    this.emit('error', { status: 'failed', data: [], error, id: this.#jobId });
  }
}
