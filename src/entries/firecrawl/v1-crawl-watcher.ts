/** Watches a job of v1: events of an `EventTarget`, from the moment it is made. */
import { messageOf } from '../../core/runtime/errors.ts';
import type { Job } from '../../core/jobs/job.ts';
import type { Document } from './document.ts';
import type { CrawlJob } from './job-status.ts';
import { type FirecrawlDocument, toV1Document } from './v1-document.ts';
import { Watcher } from './watcher.ts';

// The names of lib.dom are not there in a project for Node.
type Listener = Parameters<EventTarget['addEventListener']>[1];
type ListenerOptions = Parameters<EventTarget['addEventListener']>[2];

/** The state of the job. */
interface WatchedJob {
  status: CrawlJob['status'];
  data: FirecrawlDocument<undefined>[];
  id: string;
}

/** The events, with what their `detail` has. */
interface CrawlWatcherEvents {
  document: CustomEvent<FirecrawlDocument<undefined> & { id: string }>;
  done: CustomEvent<WatchedJob>;
  error: CustomEvent<WatchedJob & { error: string }>;
}

/**
 * Dispatches `document`, then `done` (the job has ended, however it did) or `error`.
 *
 * @example
 * const watcher = await app.v1.crawlUrlAndWatch('https://example.com', { limit: 5 });
 * watcher.addEventListener('document', ({ detail }) => console.log(detail.metadata?.url));
 */
export class CrawlWatcher extends EventTarget {
  /** The documents so far. */
  data: FirecrawlDocument<undefined>[] = [];
  status: CrawlJob['status'] = 'scraping';
  id: string;
  readonly #watcher: Watcher;

  /** Made by `crawlUrlAndWatch` and `batchScrapeUrlsAndWatch`. */
  constructor(job: Job<object>) {
    super();
    this.id = job.id;
    this.#watcher = new Watcher(() => job, job.id);
    this.#watcher.on('document', (document: Document) => {
      this.data.push(toV1Document(document));
      this.#dispatch('document', document);
    });
    this.#watcher.on('done', ({ status }: WatchedJob) => {
      this.status = status;
      this.#dispatch('done', this.#state());
    });
    this.#watcher.on('error', ({ error }: { readonly error: string }) => this.#fail(error));
    this.#watcher.start().catch((error: unknown) => this.#fail(messageOf(error)));
  }

  /** Adds a listener to an event of the job. */
  override addEventListener<Name extends keyof CrawlWatcherEvents>(
    type: Name,
    listener: (event: CrawlWatcherEvents[Name]) => unknown,
    options?: ListenerOptions,
  ): void;
  override addEventListener(type: string, listener: Listener, options?: ListenerOptions): void;
  override addEventListener(type: string, listener: Listener, options?: ListenerOptions): void {
    super.addEventListener(type, listener, options);
  }

  /** Ends the watch. The job continues. */
  close(): void {
    this.#watcher.close();
  }

  #fail(error: string): void {
    this.status = 'failed';
    this.#dispatch('error', { ...this.#state(), error });
  }

  #state(): WatchedJob {
    const { status, data, id } = this;
    return { status, data, id };
  }

  #dispatch(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
