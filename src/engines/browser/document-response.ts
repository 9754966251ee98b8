/**
 * Responses to documents of a page: status and headers for the snapshot, and the downloads that a
 * page starts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Download, Page } from 'playwright-core';
import { tidyHeader } from '../../text/http-headers.ts';
import { downloadName, downloadWarnings, isAttachment } from '../download.ts';

/** The response to a request for a document. */
export interface DocumentResponse {
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
export function documentResponseOf({
  request,
  responseStatusCode = 200,
  responseHeaders = [],
}: PausedResponse): DocumentResponse {
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
export function isHtmlPage({ headers }: DocumentResponse): boolean {
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
export function isEmptyResponse(answer: DocumentResponse | undefined): boolean {
  return answer !== undefined && (answer.statusCode === 204 || answer.statusCode === 205);
}

/** The headers of a page that was decoded: its bytes are ours. */
export function htmlHeaders({ headers }: DocumentResponse): Readonly<Record<string, string>> {
  const { 'content-encoding': _, 'content-length': __, ...others } = headers;
  const type = /xhtml/i.test(headers['content-type'] ?? '') ? 'application/xhtml+xml' : 'text/html';
  return { ...others, 'content-type': `${type}; charset=utf-8` };
}

// The downloads that a page starts by itself: they are named, and neither waited for to their end nor saved.

/** Milliseconds. */
const downloadWaits = {
  /** How long the answer to a download that was asked for is waited for. */
  patience: 2_000,
  /** From one download to the next of a page that starts several. */
  quiet: 200,
} as const;

/** URLs that are remembered; a page may go on for ever. */
const maxDownloads = 1_000;

/** Watches one page, over many visits. */
export class Downloads {
  readonly #names = new Map<string, string>();
  /** URLs that were asked for to be saved, whose answer is not there yet. */
  readonly #open = new Set<string>();
  #lastChange = -Infinity;
  readonly #onSaved: () => void;

  /** `onSaved` is called when the browser itself has begun one, which it was told to refuse. */
  constructor(page: Page, onSaved: () => void) {
    this.#onSaved = onSaved;
    page.on('download', this.#onDownload);
  }

  /** Forgets the last visit. */
  reset(): void {
    this.#names.clear();
    this.#open.clear();
    this.#lastChange = -Infinity;
  }

  /** Notes a download that a script asked for; how it is called is known when it is answered. */
  asked(url: string): void {
    if (this.#open.size < maxDownloads) this.#open.add(url);
  }

  /** Notes one that was stopped before the browser began it. */
  stopped({ url, headers }: Pick<DocumentResponse, 'url' | 'headers'>): void {
    this.#note(url, downloadName(url, headers));
  }

  /** Resolves when those that were asked for are answered and no more come, or not in time. */
  async settle(cap: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + Math.min(cap, downloadWaits.patience);
    for (let now = performance.now(); now < end; now = performance.now()) {
      signal.throwIfAborted();
      if (this.#open.size === 0 && now - this.#lastChange >= downloadWaits.quiet) return;
      await sleep(Math.min(25, end - now));
    }
  }

  /** What is to be said of them. */
  warnings(): string[] {
    return downloadWarnings(this.#names);
  }

  #note(url: string, name: string): void {
    this.#open.delete(url);
    this.#lastChange = performance.now();
    if (this.#names.size < maxDownloads && !this.#names.has(url)) this.#names.set(url, name);
  }

  readonly #onDownload = (download: Download): void => {
    this.#onSaved();
    this.#note(download.url(), download.suggestedFilename());
    // A context of the caller's own may accept what comes.
    const refused = download.cancel().then(() => download.delete());
    void refused.catch(() => undefined);
  };
}
