/** The events that a job sends to a webhook, and the events that could not be delivered. */
import type { ErrorCode } from '../errors.ts';

/** What a job has to tell: its start, each page, and one of the two ends. */
export type WebhookEvent = 'started' | 'page' | 'completed' | 'failed';

/** The kind of job, as the types of events begin. */
export type WebhookSource = 'crawl' | 'batch_scrape' | 'extract';

/** The type of an event as receivers get it. An extraction has no pages. */
export type WebhookType = Exclude<`${WebhookSource}.${WebhookEvent}`, 'extract.page'>;

/** A checked webhook. */
export interface WebhookSettings {
  /** http or https, without credentials and fragment. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly events: ReadonlySet<WebhookEvent>;
  readonly secret: string | undefined;
}

/** The JSON that a receiver gets. */
export interface WebhookBody<Data = unknown> {
  /** False for a page that could not be scraped and for `failed`. */
  readonly success: boolean;
  readonly type: WebhookType;
  /** The job's id. */
  readonly id: string;
  /** Of this event; the same when it is sent again. */
  readonly webhookId: string;
  /**
   * The document of a page; of one that failed, `{ metadata: { sourceURL, error, statusCode? } }`; the
   * result of an extraction that completed; else nothing.
   */
  readonly data: readonly Data[];
  /** What the `metadata` option says. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What went wrong where `success` is false, else null. */
  readonly error: string | null;
  /** The kind of error, where there is one. */
  readonly code?: ErrorCode;
}

/** An event that did not reach its receiver. */
export interface UndeliveredEvent {
  readonly webhookId: string;
  readonly type: WebhookType;
  /** The page that the event is about. */
  readonly url?: string;
  readonly code: ErrorCode;
  /** What went wrong at the last attempt, or why there was none. */
  readonly error: string;
  /** How often it was sent. */
  readonly attempts: number;
}
