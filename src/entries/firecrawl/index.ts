/** `pagewright/firecrawl`: the class of `@mendable/firecrawl-js`, in your own process. */
export { Firecrawl, Firecrawl as default, Firecrawl as FirecrawlApp } from './firecrawl.ts';
export { Firecrawl as FirecrawlClient } from './firecrawl.ts';
export { JobTimeoutError, SdkError } from './sdk-error.ts';
export { Watcher } from './watcher.ts';
export type { WatcherOptions } from './watcher.ts';
export type { FirecrawlClientInput, FirecrawlClientOptions, PageClient } from './page-client.ts';
export type { MapData } from './firecrawl.ts';

export type {
  ActionOption,
  AttributesFormat,
  ChangeTrackingFormat,
  Format,
  FormatOption,
  FormatString,
  HighlightsFormat,
  ImageParser,
  JsonFormat,
  PDFParser,
  QueryFormat,
  QuestionFormat,
  ScrapeOptions,
  ScreenshotFormat,
  Viewport,
} from './scrape-parameters.ts';
export type {
  BatchScrapeOptions,
  CrawlOptions,
  ExtractOptions,
  MapOptions,
  ParseFile,
  ParseFileData,
  ParseOptions,
  WaitOptions,
  WebhookConfig,
} from './job-parameters.ts';
export type { Document, DocumentMetadata } from './document.ts';
export type { BrandingProfile } from './branding-profile.ts';
export type { ProductPrice, ProductProfile, ProductVariant } from './product-profile.ts';
export type {
  ActiveCrawl,
  ActiveCrawlsResponse,
  BatchScrapeJob,
  BatchScrapeResponse,
  CrawlErrorsResponse,
  CrawlJob,
  CrawlResponse,
  ExtractResponse,
  PaginationConfig,
} from './job-status.ts';
export type {
  SearchData,
  SearchRequest,
  SearchResultImages,
  SearchResultNews,
  SearchResultWeb,
} from './search.ts';
