/** The events of a job: its listeners, and the forwarding of events to a webhook. An error of a listener goes to the logger. */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import type { CrawlStop, JobState, PageFailure, SkippedUrl } from '../model/job.ts';
import type { JobEventPayload } from './webhooks/webhook-message.ts';
import type { UnsentEvents, WebhookOutbox } from './webhooks/webhook-outbox.ts';
import type { DocumentLog } from './document-log.ts';
import type { JobProgress } from './job-status.ts';

/** The arguments of each event's listeners. */
export interface JobEvents<Document> {
  /** The job began. */
  readonly started: { readonly id: string };
  /** A document was kept. */
  readonly page: Document;
  /** A page could not be scraped; the job goes on. */
  readonly pageFailed: PageFailure;
  /** A URL will not be scraped. */
  readonly skipped: SkippedUrl;
  /**
   * The numbers have changed, for a progress bar: `done` of `total`. At most every 100 ms, after the events that
   * are counted, and once more with the final numbers right before the job ends.
   */
  readonly progress: JobProgress & Done;
  /** The job was cancelled; finished documents stay. */
  readonly cancelled: { readonly id: string };
  /** The job ended well. */
  readonly completed: { readonly id: string };
  /** The job could not go on. */
  readonly failed: { readonly id: string; readonly error: unknown };
}

/** The part of `total` that has an outcome. */
export interface Done {
  /** Pages that are completed or failed. */
  readonly done: number;
}

type JobListener<Payload> = (payload: Payload) => unknown;

/** Listeners by event, called in the order in which they were added. */
export class JobEmitter<Events extends object> {
  readonly #listeners = new Map<PropertyKey, Set<JobListener<never>>>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof Events>(name: Name, listener: JobListener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** True while somebody listens. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      Promise.resolve()
        .then(() => (listener as JobListener<Events[Name]>)(payload))
        .catch((error: unknown) => {
          this.#warn(`A listener of the job event "${name}" threw: ${String(error)}`);
        })
        // The error of a logger cannot be logged.
        .catch(() => undefined);
    }
  }
}

// The event progress: many changes are one event.

const progressInterval = 100; // milliseconds from one event to the next at least

/** Emits the event `progress` while somebody listens to it. */
export class ProgressEmitter<Progress> {
  readonly #events: JobEmitter<{ readonly progress: Progress }>;
  readonly #read: () => Progress;
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #hasEnded = false;

  constructor(events: JobEmitter<{ readonly progress: Progress }>, read: () => Progress) {
    this.#events = events;
    this.#read = read;
  }

  /** The numbers have changed: emits them now, or together with later changes. */
  changed(): void {
    if (this.#timer !== undefined || this.#hasEnded || !this.#events.has('progress')) return;
    const wait = this.#last + progressInterval - performance.now();
    if (wait <= 0) this.#emit();
    else this.#timer = setTimeout(() => this.#emit(), wait).unref();
  }

  /** Emits the final numbers, and nothing after them. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#emit();
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#events.has('progress')) return;
    this.#last = performance.now();
    this.#events.emit('progress', this.#read());
  }
}

// Forwards the events of a job to a webhook.

/** The state of a job that has ended. */
type EndState = Exclude<JobState, 'scraping'>;

/** Why a job ended. */
interface JobEnding {
  readonly error: unknown;
  readonly stop: CrawlStop | undefined;
}

/** What an earlier process of a job sent. */
export interface SentBefore {
  /** Events that need not be sent again; undefined where the job had no webhook before. */
  readonly sent: number | undefined;
  /** Stores that number. */
  readonly store: (position: number) => Promise<void>;
  /** Rejects when another process sends the events. */
  readonly confirm: () => Promise<void>;
  /** Numbers of the events with which the job ended before its failed pages were retried. */
  readonly ends?: readonly number[];
}

/**
 * Hands the job's events to the outbox, in the order of the job. A document is read from the log when
 * it is its turn, so that none is held for a slow receiver.
 */
export class WebhookForwarder {
  readonly #outbox: WebhookOutbox;
  readonly #log: Pick<DocumentLog<unknown>, 'read' | 'length'>;
  /** Of a resumed job without a stored position. */
  #unknown: SentBefore | undefined;

  constructor(outbox: WebhookOutbox, log: Pick<DocumentLog<unknown>, 'read' | 'length'>) {
    this.#outbox = outbox;
    this.#log = log;
  }

  /** Goes on behind the events of an earlier process. */
  resume(before: SentBefore): void {
    this.#outbox.leaveOut(before.ends ?? []);
    if (before.sent === undefined) this.#unknown = before;
    else {
      this.#outbox.startAt(before.sent);
      this.#outbox.storePosition(before.store, before.confirm);
    }
  }

  /** `isOld` is true, here and below, for an event that happened in an earlier process, too. */
  started(isOld = false): void {
    this.#add({ event: 'started' }, isOld);
  }

  /** The last document of the log. */
  page(url: string | undefined, isOld = false): void {
    const page = url === undefined ? {} : { url };
    this.#add({ event: 'page', ...page, document: this.#log.length - 1 }, isOld);
  }

  pageFailed(failure: PageFailure, isOld: boolean): void {
    this.#add(failedPage(failure), isOld);
  }

  ended(id: string, state: EndState, { error, stop }: JobEnding): void {
    if (state === 'completed') this.#add({ event: 'completed', stop });
    else {
      const cancelled = new PagewrightError('CANCELLED', `Job ${id} was cancelled.`);
      this.#add(failedJob(state === 'cancelled' ? cancelled : error));
    }
  }

  /** The job goes on otherwise than it did in the earlier process. */
  differs(): void {
    this.#outbox.startHere();
  }

  /** The events that wait, of a job that ended in an earlier process. */
  unsent({ waiting, end }: UnsentEvents): void {
    for (const [number, event] of waiting) {
      this.#outbox.passed(number);
      this.#add(event);
    }
    this.#outbox.passed(end);
  }

  #add(event: JobEventPayload, isOld = false): void {
    const { document } = event;
    if (this.#unknown !== undefined) {
      if (isOld) return this.#outbox.passed();
      this.resume({ ...this.#unknown, sent: this.#outbox.next });
      this.#unknown = undefined;
    }
    const read = async (): Promise<readonly unknown[]> => [await this.#log.read(document ?? 0)];
    this.#outbox.add(document === undefined ? event : { ...event, read });
  }
}

/** The last event of a job that failed or was cancelled: a receiver that got the first one gets it. */
export function failedJob(reason: unknown): JobEventPayload {
  const code = reason instanceof PagewrightError ? reason.code : 'HOOK_FAILED';
  return { event: 'failed', failure: { error: messageOf(reason), code } };
}

function failedPage({ url, parent, code, error, statusCode }: PageFailure): JobEventPayload {
  const metadata = {
    sourceURL: url,
    ...(parent === undefined ? {} : { parentUrl: parent }),
    ...(statusCode === undefined ? {} : { statusCode }),
    error,
  };
  return { event: 'page', url, failure: { error, code }, data: [{ metadata }] };
}
