/** A document before its type is known, and its metadata. */
import type { ErrorCode } from '../errors.ts';

/** Fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}

// What is known about a page beside its content.

/** Facts of the fetch. A page cannot set these. */
export interface FetchMetadata {
  /** The URL as the caller gave it. */
  sourceURL: string;
  /** The final URL, after redirects. */
  url: string;
  statusCode: number;
  /**
   * True when the body ended before its end, also when it was asked for once more; `warning` says so.
   * The document is the part that came. Absent for a whole body.
   */
  truncated?: boolean;
  /** The media type the content was read as. */
  contentType: string;
  /** For a status of 400 and more: what the server said, such as `404 Not Found`. */
  error?: string;
  /** `BLOCKED_BY_SITE` when the site refuses this visitor (401, 403), `HOST_BUSY` when it asks for time (429, 503). */
  errorCode?: ErrorCode;
  /** Unique to this scrape. */
  scrapeId: string;
  /** The engine that fetched the page; `none` for content the caller brought. */
  engine: string;
  /** The signal that decided for this engine. */
  engineReason: string;
  proxyUsed: 'basic' | 'stealth';
  /** Whether the page is a stored copy; set when the cache was asked. */
  cacheState?: 'hit' | 'miss';
  /** ISO 8601: when the copy was fetched, or last confirmed by the server. */
  cachedAt?: string;
  /** Pages or slides that were read of a file that has some. */
  numPages?: number;
  /** Pages, from 1, that an OCR engine read by their pictures; an image is one page. */
  ocrPages?: number[];
  /** 0 to 1: how sure the engine is of what it read, where it says so. */
  ocrConfidence?: number;
  creditsUsed: number;
  /** What the language model used for the document, where it was asked. */
  modelUsage?: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost?: number | undefined;
  };
  /** Set when a summary was asked for: `extractive` is made of the page's own sentences. */
  summaryMethod?: 'extractive' | 'model';
  /** Set when highlights were asked for: `extractive` have the words of the query. */
  highlightsMethod?: 'extractive' | 'model';
  timezone?: string;
  /** In a crawl: hops from the start URL. */
  depth?: number;
  /** In a crawl: the page that links here. */
  parentUrl?: string;
  /** In a crawl: where the URL was found; `since`: only in the crawl that this one begins with. */
  discoveredBy?: 'start' | 'link' | 'sitemap' | 'feed' | 'since';
  /** In a crawl with `strategy: 'bestFirst'`: how well URL and link seemed to answer the query; 0 for not at all. */
  score?: number;
}

/** How formats were made that can do without a model. */
export type FormatMethods = Pick<FetchMetadata, 'summaryMethod' | 'highlightsMethod'>;

/** What the page says about itself. Every other meta tag is there by its own name. */
export interface PageMetadata {
  title?: string;
  description?: string;
  language?: string;
  keywords?: string;
  robots?: string;
  favicon?: string;
  canonical?: string;
  author?: string;
  publishedTime?: string;
  modifiedTime?: string;
  ogTitle?: string;
  ogDescription?: string;
  ogUrl?: string;
  ogImage?: string;
  ogAudio?: string;
  ogVideo?: string;
  ogDeterminer?: string;
  ogLocale?: string;
  ogLocaleAlternate?: string[];
  ogSiteName?: string;
  articleTag?: string | string[];
  articleSection?: string;
  dcTitle?: string;
  dcCreator?: string;
  dcDescription?: string;
  dcDate?: string;
  dcDateCreated?: string;
  dcSubject?: string;
  dcType?: string;
  dcTermsCreated?: string;
  dcTermsSubject?: string;
  dcTermsType?: string;
  dcTermsAudience?: string;
  dcTermsKeywords?: string;
  [name: string]: unknown;
}

/** Everything: the fetch's facts win over what the page says. */
export type Metadata = FetchMetadata & PageMetadata;
