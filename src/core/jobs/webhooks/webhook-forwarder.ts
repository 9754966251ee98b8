/** Forwards the events of a job to a webhook, in the order of the job. */
import { messageOf, PagewrightError } from '../../runtime/errors.ts';
import type { CrawlStop, JobState, PageFailure } from '../../model/job.ts';
import type { JobEventPayload } from './webhook-message.ts';
import type { UnsentEvents, WebhookOutbox } from './webhook-outbox.ts';
import { compact } from '../../runtime/compact.ts';
import type { DocumentLog } from '../document-log.ts';

/** The state of a job that has ended. */
type EndState = Exclude<JobState, 'scraping'>;

/** Why a job ended. */
interface JobEnding {
  readonly error: unknown;
  readonly stop: CrawlStop | undefined;
}

/** The events sent by an earlier process. */
export interface SentBefore {
  /** Events that need not be sent again; undefined if the job had no webhook before. */
  readonly sent: number | undefined;
  /** Stores that number. */
  readonly store: (position: number) => Promise<void>;
  /** Rejects when another process sends the events. */
  readonly confirm: () => Promise<void>;
  /** Numbers of the events with which the job ended before its failed pages were retried. */
  readonly ends?: readonly number[];
}

/**
 * Hands the job's events to the outbox, in the order of the job. A document is read from the log in its turn, so that
 * none is held for a slow receiver.
 */
export class WebhookForwarder {
  readonly #outbox: WebhookOutbox;
  readonly #log: Pick<DocumentLog<unknown>, 'read' | 'length'>;
  /** Set for a resumed job without a stored position. */
  #unknown: SentBefore | undefined;

  constructor(outbox: WebhookOutbox, log: Pick<DocumentLog<unknown>, 'read' | 'length'>) {
    this.#outbox = outbox;
    this.#log = log;
  }

  /** Continues after the events of an earlier process. */
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

  /** The job now differs from its earlier process. */
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

/** The last event of a job that failed or was cancelled: a receiver of the first event gets it. */
export function failedJob(reason: unknown): JobEventPayload {
  const code = reason instanceof PagewrightError ? reason.code : 'HOOK_FAILED';
  return { event: 'failed', failure: { error: messageOf(reason), code } };
}

function failedPage(failure: PageFailure): JobEventPayload {
  const { url, parent: parentUrl, code, error, statusCode, label, data } = failure;
  const metadata = compact<object>({ sourceURL: url, parentUrl, statusCode, label, data, error });
  return { event: 'page', url, failure: { error, code }, data: [{ metadata }] };
}
