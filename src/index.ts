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
export { defineConfig } from './core/options/client-options.ts';
export { diffMarkdown } from './content/formats/change-tracking/diff-markdown.ts';
export { verifyWebhook } from './core/jobs/webhooks/webhook-signature.ts';
export type { Client } from './client.ts';
export type { Session } from './session.ts';
export type { Monitor } from './entries/monitor/monitor.ts';

// Errors
export {
  ActionError,
  ExtractError,
  MissingDependencyError,
  PagewrightError,
  ValidationError,
} from './core/runtime/errors.ts';
export type { ErrorCode, ValidationIssue } from './core/runtime/errors.ts';

// Options
export type { ActionInput } from './browser/actions/action-types.ts';
export type { FormatInput, FormatName } from './content/formats/index.ts';
export type { BatchOptions } from './core/options/batch-options.ts';
export type { ClientDefaults } from './core/options/client-defaults.ts';
export type { ChangesOptions, ClientOptions } from './core/options/client-options.ts';
export type { CrawlOptions } from './core/options/crawl-options.ts';
export type { DerivedCrawlOptions, PreviewOptions } from './core/options/derived-crawl-options.ts';
export type { ExtractOptions } from './core/options/extract-options.ts';
export type { Budget } from './core/options/job-options.ts';
export type { MapOptions } from './core/options/map-options.ts';
export type { MonitorOptions } from './core/options/monitor-options.ts';
export type { ResumeOptions } from './core/options/resume-options.ts';
export type { ScrapeOptions } from './core/options/scrape-options.ts';
export type { ContentDescription, HtmlInput } from './core/options/scrape-target.ts';
export type { IndexOptions, SearchOptions } from './core/options/search-options.ts';
export type {
  GotoOptions,
  OpenOptions,
  SessionScrapeOptions,
} from './core/options/session-options.ts';
export type { WebhookOptions } from './core/options/webhook-options.ts';
export type { JsonSchema, SchemaInput, InferSchema } from './extract/schema/compile-schema.ts';

// Documents
export type { Document } from './content/formats/index.ts';
export type { Metadata, PlainDocument } from './core/model/document.ts';
export type { ActionResults } from './browser/actions/action-types.ts';
export type { ActRecipe } from './browser/actions/act-recipe.ts';
export type { ActReport } from './core/model/snapshot.ts';
export type { Branding } from './content/formats/captured-formats.ts';
export type { PageAsset } from './content/formats/assets/index.ts';
export type { ChangeTracking } from './content/formats/change-tracking/tracking-options.ts';
export type { AttributeValues } from './content/formats/attributes.ts';
export type { MarkdownDiff } from './content/formats/change-tracking/diff-markdown.ts';
export type { PageVersion } from './content/formats/change-tracking/read-history.ts';
export type { Chunk } from './content/formats/chunks/index.ts';
export type { MarkdownHandler } from './content/markdown/markdown-options.ts';
export type { Highlight } from './content/formats/highlights/passages.ts';
export type { PageAnswer } from './content/formats/question/find-quotes.ts';
export type { Table } from './content/formats/tables.ts';
export type { Transcript } from './content/formats/transcripts/index.ts';
export type { NetworkRequest } from './core/model/network-request.ts';
export type { Provenance } from './extract/provenance/provenance.ts';
export type { Recipe, RecipeReport } from './extract/recipes/recipe.ts';
export type { StructuredData } from './extract/facts/structured-data.ts';
export type { Product } from './extract/product/product.ts';

// Jobs and other results
export type { JobSummary } from './client-jobs.ts';
export type { BatchJob } from './core/jobs/batch-job.ts';
export type { Job as CrawlJob } from './core/jobs/job.ts';
export type { JobEvents } from './core/jobs/job-emitter.ts';
export type {
  JobProgress,
  JobResult as CrawlResult,
  JobStatus as CrawlStatus,
} from './core/jobs/job-status.ts';
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
} from './core/model/job.ts';
export type {
  ExtractCandidate,
  ExtractConflict,
  ExtractJob,
  ExtractPage,
  ExtractProgress,
  ExtractResult,
  ExtractStatus,
} from './core/jobs/extract-job.ts';
export type { SiteLink } from './core/frontier/sitemaps/site-map.ts';
export type { MapResult } from './map.ts';
export type { CrawlPlan, PlannedPage } from './plan.ts';
export type { SearchHit, SearchResult } from './search.ts';
export type { ImageHit } from './core/fetch/search-results.ts';
export type { IndexHit, IndexSearchOptions, SearchIndex } from './entries/search/search-index.ts';
export type { MonitorDigest, MonitoredChange } from './entries/monitor/digest.ts';
export type { MonitorStatus } from './entries/monitor/monitor.ts';
export type { MonitorSummary } from './entries/monitor/monitor-store.ts';
export type { ReceivedWebhook } from './core/jobs/webhooks/webhook-signature.ts';
export type { UndeliveredEvent, WebhookBody } from './core/model/webhook.ts';

// Adapters
export { defineAction } from './browser/actions/action.ts';
export { defineFormat } from './content/formats/format.ts';
export { turndownMarkdown } from './content/formats/turndown-markdown.ts';
export { aiSdkModel } from './extract/llm/ai-sdk-model.ts';
export { openAiModel } from './extract/llm/openai-model.ts';
export { createProxy } from './core/http/proxies/create-proxy.ts';
export { fileStore } from './core/storage/file-store.ts';
export { memoryStore } from './core/storage/memory-store.ts';
export type { Action, ActionContext } from './browser/actions/action.ts';
export type { Format, FormatContext } from './content/formats/format.ts';
export type { Engine, OpenPage } from './core/model/engine.ts';
export type { DomDocument } from './content/html/dom.ts';
export type { AiSdkModelOptions } from './extract/llm/ai-sdk-model.ts';
export type { Model, ModelAnswer, ModelRequest } from './extract/llm/model.ts';
export type { OpenAiModelOptions } from './extract/llm/openai-endpoint.ts';
export type { BeforeFormatsState, Hooks } from './core/model/hooks.ts';
export type { MainContentExtractor, HtmlPage, Page } from './core/model/page.ts';
export type { PageRequest } from './core/model/request.ts';
export type { AssetKeeper, Snapshot } from './core/model/snapshot.ts';
export type { OcrEngine, OcrImage, OcrText } from './core/model/ocr-engine.ts';
export type { Parser } from './content/parsers/parser.ts';
export type { Proxy, ProxyRequest } from './core/http/proxies/proxy.ts';
export type { FoundPage, SearchEngine, SearchRequest } from './core/model/search-engine.ts';
export type { FileStoreOptions } from './core/storage/file-store.ts';
export type { RequestQueueStorage } from './core/storage/request-queue-storage.ts';
export type { Store } from './core/storage/store.ts';
export type { ChannelMessages } from './core/telemetry/channels.ts';
export type { Logger } from './core/telemetry/logger.ts';
export type { RedactFunction } from './content/text/redactor.ts';
