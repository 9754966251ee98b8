/** The events that a job sends to a webhook, and the events that could not be delivered. */
import type { ErrorCode } from '../runtime/errors.ts';
import type { CrawlStop } from './job.ts';

/** The events of a job: its start, each page, and one of the two ends. */
export type WebhookEvent = 'started' | 'page' | 'completed' | 'failed';

/** The kind of job, or a round of a monitor: the prefix of event types. */
export type WebhookSource = 'crawl' | 'batch_scrape' | 'extract' | 'monitor.check';

/** The type of an event as sent to receivers. An extraction has no pages, a round of a monitor has one event. */
export type WebhookType = Exclude<
  `${WebhookSource}.${WebhookEvent}`,
  'extract.page' | `monitor.check.${Exclude<WebhookEvent, 'completed'>}`
>;

/** The headers of a signature: of the body alone, and of the body with the time of the attempt. */
export const signatureHeaders = {
  body: 'x-pagewright-signature',
  timed: 'x-pagewright-signature-timed',
} as const;

/** A checked webhook. */
export interface WebhookSettings {
  /** http or https, without credentials and fragment. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: unknown;
  readonly events: ReadonlySet<WebhookEvent>;
  readonly secret: string | undefined;
}

/** The JSON sent to a receiver. */
export interface WebhookBody<Data = unknown, Metadata = unknown> {
  /** False for a page that could not be scraped and for `failed`. */
  readonly success: boolean;
  readonly type: WebhookType;
  /** The id of the job or monitor. */
  readonly id: string;
  /** The id of this event; the same when it is sent again. */
  readonly webhookId: string;
  /**
   * The document of a page; for a failed one, `{ metadata: { sourceURL, error, statusCode? } }`;
   * the result of a completed extraction; the digest of a monitor's round; else empty.
   */
  readonly data: readonly Data[];
  /** The value of the `metadata` option. */
  readonly metadata: Metadata;
  /** The error if `success` is false, else null. */
  readonly error: string | null;
  /** The code of the error, if there is one. */
  readonly code?: ErrorCode;
  /** Of a completed crawl that ended because its query was answered. */
  readonly stop?: CrawlStop;
}

/** An event that did not reach its receiver. */
export interface UndeliveredEvent {
  readonly webhookId: string;
  readonly type: WebhookType;
  /** The page of the event. */
  readonly url?: string;
  readonly code: ErrorCode;
  /** The error of the last attempt, or why there was none. */
  readonly error: string;
  /** How often it was sent. */
  readonly attempts: number;
}
