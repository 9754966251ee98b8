/** A document before its type is known, and its metadata. */
import type { ErrorCode } from '../runtime/errors.ts';

/** Fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}

// Facts about a page besides its content.

/** Facts of the fetch. A page cannot set these. */
export interface FetchMetadata {
  /** The URL as the caller gave it. */
  sourceURL: string;
  /** The final URL, after redirects. */
  url: string;
  statusCode: number;
  /**
   * True when the body ended early, even after one more request; `warning` says so. The document
   * holds the received part. Absent for a whole body.
   */
  truncated?: boolean;
  /** The media type the content was read as. */
  contentType: string;
  /** For a status of 400 and above: the status line, such as `404 Not Found`. */
  error?: string;
  /**
   * `BLOCKED_BY_SITE` when the site refuses the client (401, 403), `HOST_BUSY` for a rate limit
   * (429, 503).
   */
  errorCode?: ErrorCode;
  /** Unique to this scrape. */
  scrapeId: string;
  /** The engine that fetched the page; `none` for content the caller brought. */
  engine: string;
  /** The signal that decided the engine. */
  engineReason: string;
  proxyUsed: 'basic' | 'stealth';
  /** Whether the page is a cached copy; set if the cache was asked. */
  cacheState?: 'hit' | 'miss';
  /** ISO 8601: when the copy was fetched, or last confirmed by the server. */
  cachedAt?: string;
  /** Pages or slides read, for files that have them. */
  numPages?: number;
  /** Lines of a PDF that repeat from page to page (headers, footers, page numbers) and were left out. */
  repeatedLines?: number;
  /** Pages, from 1, that were read by OCR; an image is one page. */
  ocrPages?: number[];
  /** 0 to 1: the confidence of the OCR engine, if it reports one. */
  ocrConfidence?: number;
  creditsUsed: number;
  /** The language model's usage for the document, if it was asked. */
  modelUsage?: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost?: number | undefined;
  };
  /** Set for a requested summary: `extractive` consists of the page's own sentences. */
  summaryMethod?: 'extractive' | 'model';
  /** Set for requested highlights: `extractive` ones contain words of the query. */
  highlightsMethod?: 'extractive' | 'model';
  /** The time zone that a browser told the page. */
  timezone?: string;
  /**
   * With `redact`: the number of different values that were replaced, by type: `{ email: 2 }`. Those of
   * actions and `branding` do not count.
   */
  redactions?: Record<string, number>;
  /** In a crawl: hops from the start URL. */
  depth?: number;
  /** In a crawl: the page that links here. */
  parentUrl?: string;
  /** In a crawl: the source of the URL; `since`: only the earlier crawl has it. */
  discoveredBy?: 'start' | 'link' | 'sitemap' | 'feed' | 'since';
  /**
   * In a crawl with `strategy: 'bestFirst'`: the estimated relevance of URL and link to the query;
   * 0 for none.
   */
  score?: number;
  /** In a crawl with `routes`: the label of the page's route. */
  label?: string;
  /** What the caller gave with the URL of a batch, or with the start URL of the crawl. */
  data?: unknown;
}

/** The method of formats that can do without a model. */
export type FormatMethods = Pick<FetchMetadata, 'summaryMethod' | 'highlightsMethod'>;

/** The page's own metadata. Every other meta tag is included by its own name; repeated ones are joined with ", ". */
export interface PageMetadata {
  title?: string;
  description?: string;
  language?: string;
  keywords?: string;
  robots?: string;
  favicon?: string;
  canonical?: string;
  /** The names of the authors, separated by commas: of the markup, else of the byline. */
  author?: string;
  /** As the markup has it, else of the byline: `2026-03-04`, with a time where one is known. */
  publishedTime?: string;
  /** Likewise. */
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
  articleTag?: string;
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

/** All metadata: facts of the fetch win over the page's own. */
export type Metadata = FetchMetadata & PageMetadata;
