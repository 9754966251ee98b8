/** The report of a job about itself and about each URL that it met. */
import type { ErrorCode } from '../runtime/errors.ts';
import type { PlainDocument } from './document.ts';

/** The state of a job. */
export type JobState = 'scraping' | 'completed' | 'failed' | 'cancelled';

/** Why a URL was not scraped. */
export type SkipReason =
  | 'DEPTH'
  | 'LIMIT'
  | 'BUDGET'
  | 'ANSWERED'
  | 'INCLUDE'
  | 'EXCLUDE'
  | 'SCOPE'
  | 'SUBDOMAIN'
  | 'EXTERNAL'
  | 'ROBOTS'
  | 'FILE_TYPE'
  | 'PROTOCOL'
  | 'DUPLICATE_URL'
  | 'DUPLICATE_CONTENT'
  | 'TRAP'
  | 'BAD_URL';

/** A URL that was met and not scraped. */
export interface SkippedUrl {
  readonly url: string;
  readonly reason: SkipReason;
  /** The deciding rule: a pattern, a robots.txt line, the URL it repeats. */
  readonly rule: string;
  /** The page that links to it; absent for the start URL and sitemap entries. */
  readonly parent?: string;
}

/** A page that could not be scraped. */
export interface PageFailure {
  readonly url: string;
  readonly code: ErrorCode;
  readonly error: string;
  /** The HTTP status of the page's response, if the failure is about a response. */
  readonly statusCode?: number;
  /**
   * For `HTTP_STATUS`: the document of the response, if it had a body, without formats that ask a
   * model. A job keeps 10 MB of these; with `keepDocuments: false` only the event `pageFailed` has
   * them.
   */
  readonly document?: PlainDocument;
  /**
   * With `keepFailures`, of the first pages of each kind of failure: the HTML, and in a browser a picture (JPEG), as
   * `readAsset()` takes them: a `key` in the storage, or the `path` that the client's function `assets` returned.
   */
  readonly kept?: {
    readonly html?: { readonly key?: string; readonly path?: string };
    readonly screenshot?: { readonly key?: string; readonly path?: string };
  };
  readonly parent?: string;
  /** As in the metadata of a document. */
  readonly label?: string;
  /** Likewise. */
  readonly data?: unknown;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The last response of a page that fails because of its status. */
export interface ErrorAnswer {
  readonly statusCode: number;
  /** The URL of the response, after redirects. */
  readonly finalUrl: string;
  /** The time of the response, in milliseconds since 1970. */
  readonly at: number;
  /** False if it had no body, or an unreadable one. */
  readonly hasDocument: boolean;
}

/** The fetch of one page in a job. */
export interface PageTiming {
  readonly url: string;
  /** ISO 8601: when the fetch ended. */
  readonly fetchedAt: string;
  /** Milliseconds from the first request to the last byte, redirects, retries and rendering included. */
  readonly durationMs: number;
  /** Bytes received, before decompression; 0 for a page that failed. */
  readonly bytes: number;
}

/** The call that started a job. */
export interface JobInput {
  readonly verb: 'crawl' | 'batchScrape';
  /** The start URL of a crawl. */
  readonly url?: string;
  /** The options as JSON: `(secret)`, `(function)` and `(object)` stand for values that it cannot or must not hold. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The outcome of one URL; the result of `job.explain(url)`. */
export type UrlOutcome =
  | { readonly state: 'pending' | 'completed'; readonly url: string; readonly parent?: string }
  | ({ readonly state: 'failed' } & PageFailure)
  | ({ readonly state: 'skipped' } & SkippedUrl);

/**
 * The changes that a recrawl found, by URL and in its order. A page with status 404 or 410 counts
 * as missing; a page that failed, had another error status, ended early, or was skipped this time
 * is in none of the lists.
 */
export interface CrawlChanges {
  /** Pages without a document in the earlier crawl. */
  readonly new: readonly string[];
  /** Pages with other content: the markdown, or another part of the document. */
  readonly changed: readonly string[];
  readonly same: readonly string[];
  /** Missing pages, or, if the whole site was read, pages that were not met any more. */
  readonly removed: readonly string[];
}

/** Why a crawl with `until: 'answered'` ended before its last page. */
export interface CrawlStop {
  readonly reason: 'answered';
  /** The measure, or the model, that found the query answered. */
  readonly judge: 'words' | 'model';
  /** The share of the query that passages of the pages have, 0 to 1; rare words, names and numbers count more. */
  readonly coverage: number;
  /** The number of pages that were measured. */
  readonly pages: number;
  /** Up to 5 passages that answer the query, the best first, each of 600 characters at most. */
  readonly passages: readonly { readonly url: string; readonly text: string }[];
}

/** URLs by state; discovered = completed + failed + skipped + pending, always. */
export interface JobCounts {
  readonly discovered: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly pending: number;
}

/** Measured usage. */
export interface JobUsage {
  readonly requests: number;
  /** Bytes received, before decompression. */
  readonly bytes: number;
  /** Working time of browsers in milliseconds; absent if none was used. */
  readonly browserMs?: number | undefined;
  /** Tokens of a model, in and out; absent if none was asked. */
  readonly tokens?: number | undefined;
  /** Cost of a model, in the currency of its price; absent if no price is known. */
  readonly cost?: number | undefined;
}
