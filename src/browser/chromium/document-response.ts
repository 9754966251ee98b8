/**
 * Responses to documents of a page: status and headers for the snapshot, and the downloads that a
 * page starts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Download, Page } from 'playwright-core';
import { tidyHeader } from '../../content/text/http-headers.ts';
import {
  type DownloadHead,
  downloadName,
  downloadWarnings,
  isAttachment,
} from '../../core/http/download.ts';
import type { RedirectHead } from '../../core/http/redirect.ts';

/** The response to a request for a document. */
export interface DocumentResponse extends DownloadHead, RedirectHead {
  readonly url: string;
  /** The total length of names and values, in characters. */
  readonly headerBytes: number;
}

/** A paused request or response in the DevTools protocol (`Fetch.requestPaused`). */
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

/** Reads a paused response. */
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
    // Chromium joins the values of repeated headers with line breaks.
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

/** True for a response that a browser displays as a page; without a type it sniffs the content, which may be one. */
export function isHtmlPage({ headers }: DocumentResponse): boolean {
  if (isAttachment(headers)) return false;
  const type = (headers['content-type'] ?? '').trim();
  return type === '' || /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** The URL as it is requested. */
export function withoutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}

/** A response without a document: the browser stays on its page. */
export function isEmptyResponse(answer: DocumentResponse | undefined): boolean {
  return answer !== undefined && (answer.statusCode === 204 || answer.statusCode === 205);
}

/** The headers of a decoded page: its bytes are encoded here. */
export function htmlHeaders({ headers }: DocumentResponse): Readonly<Record<string, string>> {
  const { 'content-encoding': _, 'content-length': __, ...others } = headers;
  const type = /xhtml/i.test(headers['content-type'] ?? '') ? 'application/xhtml+xml' : 'text/html';
  return { ...others, 'content-type': `${type}; charset=utf-8` };
}

// The downloads that a page starts by itself: they are listed, but neither awaited nor saved.

/** Milliseconds. */
const downloadWaits = {
  /** The longest wait for the response to a requested download. */
  patience: 2_000,
  /** The longest pause between downloads of a page that starts several. */
  quiet: 200,
} as const;

const maxDownloads = 1_000; // URLs in memory; a page may start downloads without end

/** Watches one page over many visits. */
export class Downloads {
  readonly #names = new Map<string, string>();
  /** URLs of requested downloads without a response yet. */
  readonly #open = new Set<string>();
  #lastChange = -Infinity;
  readonly #onSaved: () => void;

  /** `onSaved` is called if the browser has started a download although it was set to refuse it. */
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

  /** Records a download that a script requested; its name is known with the response. */
  requested(url: string): void {
    if (this.#open.size < maxDownloads) this.#open.add(url);
  }

  /** Records a download that was stopped before the browser started it. */
  stopped({ url, headers }: Pick<DocumentResponse, 'url' | 'headers'>): void {
    this.#note(url, downloadName(url, headers));
  }

  /**
   * Resolves when all requested downloads are answered and no more come, or when the time is over.
   */
  async settle(cap: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + Math.min(cap, downloadWaits.patience);
    for (let now = performance.now(); now < end; now = performance.now()) {
      signal.throwIfAborted();
      if (this.#open.size === 0 && now - this.#lastChange >= downloadWaits.quiet) return;
      await sleep(Math.min(25, end - now));
    }
  }

  /** Warnings about the downloads. */
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
    // The caller's own context may accept downloads.
    const refused = download.cancel().then(() => download.delete());
    void refused.catch(() => undefined);
  };
}
