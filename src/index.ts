/** The calls, with their options and results, the client, errors, and the interfaces of adapters. */

// Calls
export {
  batchScrape,
  crawl,
  createClient,
  extract,
  map,
  parse,
  plan,
  previewCrawl,
  scrape,
  search,
} from './client.ts';
export { defineConfig } from './options/client-options.ts';
export { diffMarkdown } from './formats/change-tracking/diff-markdown.ts';
export { verifyWebhook } from './webhooks/webhook-signature.ts';
export type { Client } from './client.ts';
export type { Session } from './session.ts';
export type { Monitor } from './monitor/monitor.ts';

// Errors
export {
  ActionError,
  ExtractError,
  MissingDependencyError,
  PagewrightError,
  ValidationError,
} from './errors.ts';
export type { ErrorCode, ValidationIssue } from './errors.ts';

// Options
export type { ActionInput } from './actions/index.ts';
export type { FormatInput, FormatName } from './formats/index.ts';
export type { BatchOptions } from './options/batch-options.ts';
export type { ClientDefaults } from './options/client-defaults.ts';
export type { ChangesOptions, ClientOptions } from './options/client-options.ts';
export type { CrawlOptions } from './options/crawl-options.ts';
export type { DerivedCrawlOptions, PreviewOptions } from './options/derived-crawl-options.ts';
export type { ExtractOptions } from './options/extract-options.ts';
export type { Budget } from './options/job-options.ts';
export type { MapOptions } from './options/map-options.ts';
export type { MonitorOptions } from './options/monitor-options.ts';
export type { ResumeOptions } from './options/resume-options.ts';
export type { ScrapeOptions } from './options/scrape-options.ts';
export type { ContentDescription, HtmlInput } from './options/scrape-target.ts';
export type { IndexOptions, SearchOptions } from './options/search-options.ts';
export type { GotoOptions, OpenOptions, SessionScrapeOptions } from './options/session-options.ts';
export type { WebhookOptions } from './options/webhook-options.ts';
export type { JsonSchema, SchemaInput, InferSchema } from './extraction/schema/compile-schema.ts';

// Documents
export type { Document } from './formats/index.ts';
export type { Metadata, PlainDocument } from './model/document.ts';
export type { ActionResults } from './actions/index.ts';
export type { ActRecipe } from './actions/act-recipe.ts';
export type { ActReport } from './model/snapshot.ts';
export type { Branding } from './formats/captured-formats.ts';
export type { PageAsset } from './formats/assets/index.ts';
export type { ChangeTracking } from './formats/change-tracking/tracking-options.ts';
export type { AttributeValues } from './formats/attributes.ts';
export type { MarkdownDiff } from './formats/change-tracking/diff-markdown.ts';
export type { PageVersion } from './formats/change-tracking/read-history.ts';
export type { Chunk } from './formats/chunks/index.ts';
export type { Highlight } from './formats/highlights/passages.ts';
export type { PageAnswer } from './formats/question/find-quotes.ts';
export type { Table } from './formats/tables.ts';
export type { Transcript } from './formats/transcripts/index.ts';
export type { NetworkRequest } from './model/network-request.ts';
export type { Provenance } from './extraction/grounding/provenance.ts';
export type { Recipe, RecipeReport } from './extraction/learned-selectors/recipe.ts';
export type { StructuredData } from './extraction/page-facts/structured-data.ts';
export type { Product } from './extraction/product/product.ts';

// Jobs and other results
export type { JobSummary } from './client/client-jobs.ts';
export type { BatchJob } from './jobs/batch-job.ts';
export type { Job as CrawlJob } from './jobs/job.ts';
export type { JobEvents } from './jobs/forward-events.ts';
export type {
  JobProgress,
  JobResult as CrawlResult,
  JobStatus as CrawlStatus,
} from './jobs/job-status.ts';
export type {
  CrawlChanges,
  CrawlStop,
  JobInput,
  JobUsage,
  PageFailure,
  PageTiming,
  SkippedUrl,
  SkipReason,
  UrlOutcome,
} from './model/job.ts';
export type {
  ExtractCandidate,
  ExtractConflict,
  ExtractJob,
  ExtractPage,
  ExtractProgress,
  ExtractResult,
  ExtractStatus,
} from './jobs/extract-job.ts';
export type { SiteLink } from './frontier/site-map.ts';
export type { MapResult } from './map.ts';
export type { CrawlPlan, PlannedPage } from './plan.ts';
export type { SearchHit, SearchResult } from './search.ts';
export type { ImageHit } from './search-engines/clean-results.ts';
export type { IndexHit, IndexSearchOptions, SearchIndex } from './search-index/search-index.ts';
export type { MonitorDigest, MonitoredChange } from './monitor/digest.ts';
export type { MonitorStatus } from './monitor/monitor.ts';
export type { MonitorSummary } from './monitor/monitor-store.ts';
export type { ReceivedWebhook } from './webhooks/webhook-signature.ts';
export type { UndeliveredEvent, WebhookBody } from './model/webhook.ts';

// Adapters
export { defineAction } from './actions/action.ts';
export { defineFormat } from './formats/format.ts';
export { turndownMarkdown } from './formats/turndown-markdown.ts';
export { aiSdkModel } from './llm/ai-sdk-model.ts';
export { openAiModel } from './llm/openai-model.ts';
export { createProxy } from './proxies/create-proxy.ts';
export { fileStore } from './storage/file-store.ts';
export { memoryStore } from './storage/memory-store.ts';
export type { Action, ActionContext } from './actions/action.ts';
export type { Format, FormatContext } from './formats/format.ts';
export type { Engine, OpenPage } from './engines/engine.ts';
export type { DomDocument } from './html/dom.ts';
export type { AiSdkModelOptions } from './llm/ai-sdk-model.ts';
export type { Model, ModelAnswer, ModelRequest } from './llm/model.ts';
export type { OpenAiModelOptions } from './llm/openai-endpoint.ts';
export type { BeforeFormatsState, Hooks } from './model/hooks.ts';
export type { MainContentExtractor, HtmlPage, Page } from './model/page.ts';
export type { PageRequest } from './model/request.ts';
export type { AssetKeeper, Snapshot } from './model/snapshot.ts';
export type { OcrEngine, OcrImage, OcrText } from './parsers/documents/ocr/ocr-engine.ts';
export type { Parser } from './parsers/parser.ts';
export type { Proxy, ProxyRequest } from './proxies/proxy.ts';
export type { FoundPage, SearchEngine, SearchRequest } from './search-engines/search-engine.ts';
export type { FileStoreOptions } from './storage/file-store.ts';
export type { RequestQueueStorage } from './storage/request-queue-storage.ts';
export type { Store } from './storage/store.ts';
export type { ChannelMessages } from './telemetry/channels.ts';
export type { Logger } from './telemetry/logger.ts';
export type { RedactFunction } from './text/redactor.ts';
