/** The requests of a page in a browser: what is asked of them, and what is found. */
import type { UrlFilter } from '../checks/url-filter.ts';

/** One request of a page. It has no headers: no cookies and no credentials. */
export interface NetworkRequest {
  readonly method: string;
  /** Absolute, at most 8192 characters, with secrets masked. */
  readonly url: string;
  /** The type of resource, as in browsers: `document`, `fetch`, `xhr`, `script`, `image`, `websocket`… */
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds until the body ended, or until the request failed; absent while it is open. */
  readonly duration?: number | undefined;
  /** Absent without a response. */
  readonly status?: number | undefined;
  /** The media type of the response, without parameters. */
  readonly contentType?: string | undefined;
  /** Bytes of the request's body. */
  readonly requestBytes?: number | undefined;
  /** Bytes of the response's body over the wire. */
  readonly bytes?: number | undefined;
  /** The URL that this one redirects to: the request with that URL is the next of the chain. */
  readonly redirectsTo?: string | undefined;
  /**
   * Why it was not sent: `notNeeded` for pictures, fonts and media that no format shows, and for icons;
   * `ads` for `blockAds`; `policy` for the client's `network`.
   */
  readonly blocked?: 'notNeeded' | 'ads' | 'policy' | undefined;
  /** Why there is no whole response: a code of errors such as `CONNECTION_REFUSED`, or Chromium's words. */
  readonly failure?: string | undefined;
  /** The response had not ended when the page was read: a stream, a socket. */
  readonly isOpen?: true | undefined;
  /** What was sent, with `bodies`: JSON parsed, else text. */
  readonly postData?: unknown;
  /** The body, with `bodies`, if it is JSON. */
  readonly json?: unknown;
  /** The body, with `bodies`, if it is other text. */
  readonly text?: string | undefined;
  /**
   * Why a body that `bodies` fits is missing: larger than `maxBodyBytes`, beyond 20 MB in all, not text,
   * or gone from the browser.
   */
  readonly bodyOmitted?: 'size' | 'total' | 'type' | 'gone' | undefined;
}

/** The requests to list. */
export interface RequestsSettings {
  /** Bodies of URLs that one of them fits. */
  readonly bodies: readonly UrlFilter[];
  readonly types: readonly BodyType[];
  /** The most bytes of one body. */
  readonly maxBodyBytes: number;
  readonly maskSecrets: boolean;
}

/** Types of bodies that are kept. */
export type BodyType = 'json' | 'text';

/** Milliseconds to wait for a response by default. */
export const responseWithin = 30_000;

/** A response to wait for. */
export interface ResponseWait {
  readonly response: UrlFilter;
  /** Milliseconds. */
  readonly timeout: number;
}

/** An endpoint that gave JSON to a page, and the URLs of pages in that JSON. */
export interface FoundEndpoint {
  readonly url: string;
  /** Absolute, in their order, each once. */
  readonly links: readonly string[];
}
