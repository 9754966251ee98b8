/** The report of a job about itself and about each URL that it met. */
import type { ErrorCode } from '../errors.ts';
import type { PlainDocument } from './document.ts';

/** Where a job is. */
export type JobState = 'scraping' | 'completed' | 'failed' | 'cancelled';

/** Why a URL was not scraped. */
export type SkipReason =
  | 'DEPTH'
  | 'LIMIT'
  | 'BUDGET'
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
  /** The rule that decided: a pattern, a robots.txt line, the URL it repeats. */
  readonly rule: string;
  /** The page that links to it; absent for the start URL and sitemap entries. */
  readonly parent?: string;
}

/** A page that could not be scraped. */
export interface PageFailure {
  readonly url: string;
  readonly code: ErrorCode;
  readonly error: string;
  /** The HTTP status of the page's answer, where the failure is about an answer. */
  readonly statusCode?: number;
  /**
   * Of `HTTP_STATUS`: what came, where the answer had a body, without the formats that ask a model. A
   * job keeps 10 MB of these; with `keepDocuments: false` only the event `pageFailed` has them.
   */
  readonly document?: PlainDocument;
  readonly parent?: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The last answer of a page that fails by its status. */
export interface ErrorAnswer {
  readonly statusCode: number;
  /** Where it came from, after redirects. */
  readonly finalUrl: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  /** False where it had no body, or one that cannot be read. */
  readonly hasDocument: boolean;
}

/** What became of one URL; the answer of `job.explain(url)`. */
export type UrlOutcome =
  | { readonly state: 'pending' | 'completed'; readonly url: string; readonly parent?: string }
  | ({ readonly state: 'failed' } & PageFailure)
  | ({ readonly state: 'skipped' } & SkippedUrl);

/**
 * What a recrawl found of each page, by URL and in its order. A page that answers with 404 or 410 is not
 * there; one that failed, answered with another error, ended early, or was skipped this time is in none
 * of the lists.
 */
export interface CrawlChanges {
  /** The earlier crawl had no document of them. */
  readonly new: readonly string[];
  /** Their content is another: the markdown, or what else the document has. */
  readonly changed: readonly string[];
  readonly same: readonly string[];
  /** Gone, or, when the whole site was read, not met any more. */
  readonly removed: readonly string[];
}

/** How many URLs are where; discovered = completed + failed + skipped + pending, always. */
export interface JobCounts {
  readonly discovered: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly pending: number;
}

/** What was used, measured. */
export interface JobUsage {
  readonly requests: number;
  /** Bytes received, before decompression. */
  readonly bytes: number;
  /** Milliseconds that browsers worked; absent where none did. */
  readonly browserMs?: number | undefined;
  /** Tokens of a model, in and out; absent where none was asked. */
  readonly tokens?: number | undefined;
  /** Money that a model cost, in the currency of its price; absent where no price is known. */
  readonly cost?: number | undefined;
}
