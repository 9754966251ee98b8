/** One event as bytes, the same at every attempt. */
import type { ErrorCode } from '../../runtime/errors.ts';
import type { CrawlStop } from '../../model/job.ts';
import type {
  WebhookBody,
  WebhookEvent,
  WebhookSettings,
  WebhookSource,
  WebhookType,
} from '../../model/webhook.ts';
import { uuidOf } from '../../runtime/identifiers.ts';

/** An event of a job, before it is written. */
export interface JobEventPayload {
  readonly event: WebhookEvent;
  /** The page of the event. */
  readonly url?: string;
  /** The failure. */
  readonly failure?: { readonly code: ErrorCode; readonly error: string };
  /** Why a completed crawl ended before its last page. */
  readonly stop?: CrawlStop | undefined;
  /** The event's data. @default nothing */
  readonly data?: readonly unknown[];
  /** The number of the document that is the event's data. */
  readonly document?: number;
  /** Reads the event's data when it is sent, so that memory does not hold it before. @default `data` */
  readonly read?: () => Promise<readonly unknown[]> | readonly unknown[];
}

/** The job that sends events. */
export interface WebhookSender {
  readonly source: WebhookSource;
  readonly jobId: string;
  readonly webhook: Pick<WebhookSettings, 'headers' | 'metadata' | 'secret'>;
}

/** A message ready to be signed and sent. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly secret: string | undefined;
}

/** The type of an event. */
export function typeOf(
  { source }: Pick<WebhookSender, 'source'>,
  { event }: JobEventPayload,
): WebhookType {
  return `${source}.${event}` as WebhookType;
}

/** The id of the event with this number in its job; deterministic. */
export function webhookIdOf(jobId: string, number: number | string): string {
  return uuidOf(`${jobId} ${number}`);
}

/** Reads a message and stores it. Rejects when it cannot be read or is not JSON. */
export async function writeMessage(
  sender: WebhookSender,
  news: JobEventPayload,
  webhookId: string,
): Promise<WebhookMessage> {
  const { jobId, webhook } = sender;
  const content: WebhookBody = {
    success: news.failure === undefined,
    type: typeOf(sender, news),
    id: jobId,
    webhookId,
    data: (await news.read?.()) ?? news.data ?? [],
    metadata: webhook.metadata,
    error: null,
    ...news.failure,
    ...(news.stop === undefined ? {} : { stop: news.stop }),
  };
  const body = Buffer.from(JSON.stringify(content));
  const headers = {
    accept: '*/*',
    ...webhook.headers,
    'content-type': 'application/json; charset=utf-8',
  };
  return { headers, body, secret: webhook.secret };
}
