/** The channels of `node:diagnostics_channel`, and their messages. */
import {
  type Channel,
  channel,
  subscribe,
  type TracingChannel,
  tracingChannel,
  unsubscribe,
} from 'node:diagnostics_channel';
import type { JobInput, JobState } from '../model/job.ts';

/**
 * The messages by channel. `pagewright:retry` is a plain channel, the others are tracing channels: each message is
 * one object that is published at the start and again at the end, when its optional fields are filled in. No message
 * has headers, bodies, prompts or addresses of proxies.
 *
 * @example
 * tracingChannel('pagewright:page').subscribe({
 *   asyncEnd: (message) => {
 *     const { url, durationMs } = message as ChannelMessages['pagewright:page'];
 *     console.log(url, durationMs);
 *   },
 * });
 */
export interface ChannelMessages {
  readonly 'pagewright:request': RequestMessage;
  readonly 'pagewright:retry': RetryMessage;
  readonly 'pagewright:page': PageMessage;
  readonly 'pagewright:job': JobMessage;
  readonly 'pagewright:model': ModelMessage;
}

/** The fields that every message of a tracing channel has at its end. */
export interface TracedMessage {
  /** Milliseconds from the start to the end. */
  durationMs?: number;
  /** The error that the caller gets. */
  error?: unknown;
  /** Its code, where it is a `PagewrightError`. */
  errorCode?: string | undefined;
}

/** One fetch by an engine, redirects included: of a page, a robots.txt, a sitemap or a feed. */
export interface RequestMessage extends TracedMessage {
  /** The requested URL, without user name and password; signatures in its query are `REDACTED`. */
  readonly url: string;
  /** `GET`, or the option `method`. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The name of the engine: `http`, `stealth`, `browser`, or one of your own. */
  readonly engine: string;
  /** 1, and one more for each attempt at the same page. */
  readonly attempt: number;
  /** The crawl or batch. */
  readonly jobId: string | undefined;
  /** The URL after redirects. */
  finalUrl?: string;
  /** The status of the response, after redirects. */
  statusCode?: number;
  /** Requests over the network, redirects included; 0 from a fixture. */
  requests?: number;
  /** Bytes received, before decompression. */
  bytes?: number;
}

/** A failed attempt at a page that is followed by another one. */
export interface RetryMessage {
  /** As in `pagewright:request`. */
  readonly url: string;
  /** The engine of the failed attempt. */
  readonly engine: string;
  /** The number of the failed attempt. */
  readonly attempt: number;
  /** `retry` of a temporary failure, `stealth` after a refusal, `rate-limit` for a host that asks to wait. */
  readonly kind: 'retry' | 'stealth' | 'rate-limit';
  /** Milliseconds until the next attempt; its host may make it wait longer. */
  readonly delayMs: number;
  /** The crawl or batch. */
  readonly jobId: string | undefined;
  /** The status of the failed attempt, if a response came. */
  readonly statusCode?: number | undefined;
  /** The code of its error, if none came. */
  readonly errorCode?: string | undefined;
}

/**
 * One page, from its request to its document: a scrape, or a visit of a job in the process that fetches the page.
 * The wait for its host is before the start. A page that is taken from an interrupted job has no message.
 */
export interface PageMessage extends TracedMessage {
  /** As in `pagewright:request`. */
  readonly url: string;
  /** The crawl or batch. */
  readonly jobId: string | undefined;
  /** The URL after redirects. */
  finalUrl?: string;
  /** The status of the response; in a job with `errorPages: 'fail'` a page of 400 or more fails. */
  statusCode?: number;
  /** The engine that fetched the page; `none` for content that the caller brought. */
  engine?: string;
  /** Whether the page is a stored copy; absent where the cache was not asked. */
  cacheState?: 'hit' | 'miss' | undefined;
  /** Requests over the network, redirects and retries included. */
  requests?: number;
  /** Bytes received, before decompression. */
  bytes?: number;
  /** Milliseconds that a browser had the page open. */
  browserMs?: number | undefined;
  /** The credits of the document, where one was made. */
  creditsUsed?: number;
  /** The warning of the document. */
  warning?: string | undefined;
}

/** One job, from the call to its end in this process. Jobs that are only read have no message. */
export interface JobMessage extends TracedMessage {
  /** Undefined for a map and a search. */
  readonly id: string | undefined;
  /** The call; of a resumed job it is known at the end. */
  verb: JobInput['verb'] | 'extract' | 'map' | 'plan' | 'search' | undefined;
  /** The start URL of a crawl or a map, as in `pagewright:request`. */
  readonly url: string | undefined;
  /** The state at the end. */
  status?: Exclude<JobState, 'scraping'>;
  /** Pages that were read; for a map the URLs and for a search the results that were found. */
  completed?: number;
  /** Pages that failed. */
  failed?: number;
  /** URLs that were left out. */
  skipped?: number;
  /** Requests over the network. */
  requests?: number;
  /** Bytes received, before decompression. */
  bytes?: number;
  /** The credits of all pages. */
  creditsUsed?: number;
  /** The warning of the result. */
  warning?: string | undefined;
}

/** One call of the client's model, with all its attempts. */
export interface ModelMessage extends TracedMessage {
  /** The name of the model. */
  readonly model: string;
  /** An answer, or the vectors of texts. */
  readonly operation: 'generate' | 'embed';
  /** Tokens of the request: counted by the provider, or estimated. */
  inputTokens?: number;
  /** Tokens of the answer. */
  outputTokens?: number;
  /** In the currency of the model's price; absent where that is not known. */
  cost?: number | undefined;
}

/** The channels with a start and an end. */
export type TracedName = Exclude<keyof ChannelMessages, 'pagewright:retry'>;

/** The tracing channel of a name. */
export const tracing: {
  readonly [Name in TracedName]: TracingChannel<object, ChannelMessages[Name]>;
} = {
  'pagewright:request': tracingChannel('pagewright:request'),
  'pagewright:page': tracingChannel('pagewright:page'),
  'pagewright:job': tracingChannel('pagewright:job'),
  'pagewright:model': tracingChannel('pagewright:model'),
};

export const retries: Channel = channel('pagewright:retry');

/** True while a tracing channel has a subscriber. */
export function isHeard(name: TracedName): boolean {
  const { start, end, asyncStart, asyncEnd, error } = tracing[name];
  return [start, end, asyncStart, asyncEnd, error].some(({ hasSubscribers }) => hasSubscribers);
}

/** Calls `hear` with each message of a tracing channel at its start or its end, until the returned function is called. */
export function onMessage<Name extends TracedName>(
  name: Name,
  moment: 'start' | 'asyncEnd',
  hear: (message: ChannelMessages[Name]) => void,
): () => void {
  return subscribed(tracing[name][moment], (message) => hear(message as ChannelMessages[Name]));
}

/** The same for retries. */
export function onRetry(hear: (message: RetryMessage) => void): () => void {
  return subscribed(retries, (message) => hear(message as RetryMessage));
}

function subscribed({ name }: Channel, hear: (message: unknown) => void): () => void {
  subscribe(name, hear);
  return () => void unsubscribe(name, hear);
}
