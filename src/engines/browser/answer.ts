/** Status and headers of a document's response, as a snapshot has them. */
import { tidyHeader } from '../../text/header-syntax.ts';
import { isAttachment } from '../download.ts';

/** The response to a request for a document. */
export interface Answer {
  readonly url: string;
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** All Location headers, as received. */
  readonly locations: readonly string[];
  /** Characters of all names and values. */
  readonly headerBytes: number;
}

/** What the DevTools protocol tells of a request or a response that waits (`Fetch.requestPaused`). */
export interface PausedResponse {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly networkId?: string;
  readonly request: { readonly url: string };
  readonly responseErrorReason?: string;
  readonly responseStatusCode?: number;
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[];
}

/** Reads a response that is paused. */
export function answerOf({
  request,
  responseStatusCode = 200,
  responseHeaders = [],
}: PausedResponse): Answer {
  const headers = new Map<string, string>();
  const locations: string[] = [];
  let headerBytes = 0;
  for (const { name, value } of responseHeaders) {
    const key = name.toLowerCase();
    headerBytes += name.length + value.length;
    if (key === 'location') locations.push(...value.split('\n'));
    const before = headers.get(key);
    // Chromium joins the values of repeated headers by line breaks.
    const text = tidyHeader(value.replaceAll('\n', ', '));
    headers.set(key, before === undefined ? text : `${before}, ${text}`);
  }
  return {
    url: withoutFragment(request.url),
    statusCode: responseStatusCode,
    headers: Object.fromEntries(headers),
    locations,
    headerBytes,
  };
}

/** True for what a browser shows as a page; without a type it looks at the content, which may be one. */
export function isPage({ headers }: Answer): boolean {
  if (isAttachment(headers)) return false;
  const type = (headers['content-type'] ?? '').trim();
  return type === '' || /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** The URL as it is asked for. */
export function withoutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}

/** An answer without a document: the browser stays where it is. */
export function isEmpty(answer: Answer | undefined): boolean {
  return answer !== undefined && (answer.statusCode === 204 || answer.statusCode === 205);
}

/** The headers of a page that was decoded: its bytes are ours. */
export function htmlHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  const { 'content-encoding': _, 'content-length': __, ...others } = headers;
  const type = /xhtml/i.test(headers['content-type'] ?? '') ? 'application/xhtml+xml' : 'text/html';
  return { ...others, 'content-type': `${type}; charset=utf-8` };
}
