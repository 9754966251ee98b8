/** The public names, grouped. */

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
export type { Client } from './client.ts';
export type { Session } from './session.ts';

// Options
export type { CacheOptions } from './cache/open-cache.ts';
export type { BatchOptions } from './options/batch-options.ts';
export type { Budget, ExtractBudget } from './options/job-options.ts';
export { defineConfig } from './options/client-options.ts';
export type { ClientEngines } from './options/client-options.ts';
export type { ClientDefaults } from './options/client-defaults.ts';
export type { ClientOptions } from './options/client-options.ts';
export type { ChangesOptions } from './options/client-options.ts';
export type {
  CrawlOptions,
  CrawlScrapeOptions,
  CrawlStrategy,
  ErrorPages,
} from './options/crawl-options.ts';
export type { ExtractOptions } from './options/extract-options.ts';
export type { MapOptions } from './options/map-options.ts';
export type { ResumeOptions } from './options/resume-options.ts';
export type { CookieInput, ScrapeOptions } from './options/scrape-options.ts';
export type { GotoOptions, OpenOptions, SessionScrapeOptions } from './options/session-options.ts';
export type {
  ExtractSearchOptions,
  IndexOptions,
  SearchOptions,
} from './options/search-options.ts';
export type { ContentDescription, HtmlInput } from './options/scrape-target.ts';
export type { WebhookOption, WebhookOptions } from './options/webhook-options.ts';
export type { UrlPattern } from './frontier/url-pattern.ts';
export type { NetworkConfig } from './network/policy.ts';

export type { BrowserChoice } from './engines/browser.ts';
export type { ActionInput } from './actions/index.ts';

// Hooks
export type {
  AfterResponseState,
  BeforeFormats,
  BeforeFormatsState,
  BeforeRequestState,
  DocumentState,
  ErrorState,
  Hooks,
  HookState,
  LinkState,
  OwnDocument,
  PageChange,
  PageLink,
  ResponseChange,
  SkippedState,
  WorkerHook,
} from './model/hooks.ts';

// Results
export type { Document, FormatInput, FormatName } from './formats/index.ts';
export type { ActionResults } from './actions/index.ts';
export type {
  ActEffect,
  ActElement,
  ActRecipe,
  ActRecipeChoice,
  ActRecipeStep,
  ActRisk,
  ActStepAction,
} from './actions/act-recipe.ts';
export type { Branding } from './formats/captured-formats.ts';
export type { AssetOptions, PageAsset } from './formats/assets/index.ts';
export type { Transcript, TranscriptCue, TranscriptOptions } from './formats/transcripts/index.ts';
export type { TranscriptKind } from './formats/transcripts/find-tracks.ts';
export type { ScreenshotOptions } from './formats/captured-formats.ts';
export type { RequestsOptions } from './formats/requests.ts';
export type { NetworkRequest } from './model/network-request.ts';
export type { WaitForResponse } from './options/rendering-options.ts';
export type { UrlPart } from './text/url-filter.ts';
export type { AttributeValues } from './formats/attributes.ts';
export type { VisualChange } from './formats/change-tracking/compare-pictures.ts';
export type {
  ChangeStatus,
  ChangeTracking,
  ChangeTrackingMode,
  ChangeTrackingRequest,
  ValueChange,
} from './formats/change-tracking/tracking-options.ts';
export type {
  DiffChange,
  DiffChunk,
  DiffFile,
  MarkdownDiff,
} from './formats/change-tracking/diff-markdown.ts';
export type { PageVersion, PageVersionContent } from './formats/change-tracking/read-history.ts';
export type { Chunk, ChunkOptions } from './formats/chunks/index.ts';
export type { Highlight } from './formats/highlights/passages.ts';
export type { HighlightsOptions } from './formats/highlights/index.ts';
export type { QuestionOptions } from './formats/question/index.ts';
export type { AnswerQuote, PageAnswer } from './formats/question/find-quotes.ts';
export type { InferSchema, JsonSchema, SchemaInput } from './extraction/schema/compile-schema.ts';
export type {
  Product,
  ProductAvailability,
  ProductCondition,
  ProductIdentifiers,
  ProductRating,
  ProductSource,
  ProductTerms,
  ProductUnitPrice,
  ProductVariant,
} from './extraction/product/product.ts';
export type { JsonLdNode, JsonLdValue } from './extraction/page-facts/json-ld.ts';
export type { MicrodataItem } from './extraction/page-facts/microdata.ts';
export type { OpenGraph, OpenGraphMedia } from './extraction/page-facts/meta-tags.ts';
export type { RdfaItem } from './extraction/page-facts/rdfa.ts';
export type { StructuredData } from './extraction/page-facts/structured-data.ts';
export type { Table } from './formats/tables.ts';
export type { PlainDocument } from './model/document.ts';
export type { Metadata } from './model/document.ts';
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
  JobState,
  PageFailure,
  PageTiming,
  SkippedUrl,
  SkipReason,
  UrlOutcome,
} from './model/job.ts';
export type { LinkSource, SiteLink } from './frontier/site-map.ts';
export type { MapResult } from './map.ts';
export type { CrawlPlan, PlannedPage } from './plan.ts';
export type { SearchHit, SearchResult } from './search.ts';
export type { ImageHit } from './search-engines/clean-results.ts';
export type { IndexHit, IndexSearchOptions, SearchIndex } from './search-index/search-index.ts';
export type {
  LeafProvenance,
  Provenance,
  ProvenanceStatus,
  UnverifiedChoice,
} from './extraction/grounding/provenance.ts';
export type { Recipe } from './extraction/learned-selectors/recipe.ts';
export type { RecipeChoice } from './extraction/learned-selectors/recipe.ts';
export type {
  RecipeChange,
  RecipeOutcome,
  RecipeReport,
} from './extraction/learned-selectors/recipe.ts';
export type { DerivedCrawlOptions } from './options/derived-crawl-options.ts';
export type { PreviewOptions } from './options/derived-crawl-options.ts';
export { verifyWebhook } from './webhooks/webhook-signature.ts';
export type { ReceivedWebhook } from './webhooks/webhook-signature.ts';
export type { UndeliveredEvent, WebhookBody, WebhookEvent, WebhookType } from './model/webhook.ts';
export type { DigestClaim, MonitorDigest, MonitoredChange } from './monitor/digest.ts';
export type { MonitorSummary } from './monitor/monitor-store.ts';
export type { Monitor, MonitorStatus } from './monitor/monitor.ts';
export type {
  Interval,
  MonitoredPage,
  MonitoredSite,
  MonitorOptions,
  MonitorTarget,
} from './options/monitor-options.ts';
export type {
  ExtractCandidate,
  ExtractConflict,
  ExtractCounts,
  ExtractEvents,
  ExtractJob,
  ExtractPage,
  ExtractProgress,
  ExtractResult,
  ExtractState,
  ExtractStatus,
} from './jobs/extract-job.ts';

// Errors
export {
  ActionError,
  ExtractError,
  MissingDependencyError,
  PagewrightError,
  ValidationError,
} from './errors.ts';
export type { ErrorCode, PlainError, ValidationIssue } from './errors.ts';

// Engines and stores
export { defineAction } from './actions/action.ts';
export type { Action, ActionContext } from './actions/action.ts';
export type { Asset, AssetKeeper } from './model/snapshot.ts';
export { diffMarkdown } from './formats/change-tracking/diff-markdown.ts';
export { defineFormat } from './formats/format.ts';
export type { CaptureSettings, FinishContext, Format, FormatContext } from './formats/format.ts';
export { turndownMarkdown } from './formats/turndown-markdown.ts';
export type { Turndown } from './formats/turndown-markdown.ts';
export { createProxy } from './proxies/create-proxy.ts';
export type { ProxyChoice, ProxyTiers } from './proxies/create-proxy.ts';
export type { Proxy, ProxyOutcome, ProxyRequest, ProxyTier } from './proxies/proxy.ts';
export type { StealthClient } from './engines/stealth.ts';
export type { Costs } from './model/costs.ts';
export type { TlsConfig } from './engines/http/tls-config.ts';
export { fixturesEngine } from './engines/fixtures.ts';
export type { Engine, OpenPage } from './engines/engine.ts';
export type { Parser } from './parsers/parser.ts';
export type { MainContent, MainContentExtractor, MainContentInput } from './model/page.ts';
export type { PersonalDataKind } from './text/personal-data.ts';
export type { RedactFunction, Redaction } from './text/redactor.ts';
export { fileStore } from './storage/file-store.ts';
export type { FileStoreOptions } from './storage/file-store.ts';
export { keyvStore } from './storage/key-value-stores.ts';
export type { KeyvLike } from './storage/key-value-stores.ts';
export { memoryStore } from './storage/memory-store.ts';
export { redisStore } from './storage/redis-store.ts';
export type { RedisStoreOptions } from './storage/redis-store.ts';
export type { RedisClient } from './storage/redis-store.ts';
export { s3Store } from './storage/s3-store.ts';
export type { S3StoreOptions } from './storage/s3-store.ts';
export type { S3Credentials } from './storage/s3-bucket.ts';
export { sqliteStore } from './storage/sqlite-store.ts';
export type { SqliteStoreOptions } from './storage/sqlite-store.ts';
export type { Store } from './storage/store.ts';
export { unstorageStore } from './storage/key-value-stores.ts';
export type { UnstorageLike } from './storage/key-value-stores.ts';
export type {
  AddedRequest,
  QueuedRequest,
  RequestQueueStorage,
} from './storage/request-queue-storage.ts';

// OCR
export { tesseractOcr } from './parsers/documents/ocr/tesseract-ocr.ts';
export type { TesseractOcrOptions } from './parsers/documents/ocr/tesseract-ocr.ts';
export type {
  OcrBox,
  OcrChoice,
  OcrEngine,
  OcrFunction,
  OcrImage,
  OcrLine,
  OcrText,
  OcrWord,
} from './parsers/documents/ocr/ocr-engine.ts';

// Language models
export { aiSdkModel } from './llm/ai-sdk-model.ts';
export type { AiSdkModelOptions } from './llm/ai-sdk-model.ts';
export type { AiSdkLanguageModel } from './llm/ai-sdk-model.ts';
export type { ModelChoice, ModelFunction } from './llm/create-model.ts';
export type {
  AnswerSchema,
  Model,
  ModelAnswer,
  ModelNetwork,
  ModelPost,
  ModelPrice,
  ModelReply,
  ModelRequest,
  ModelUsage,
  ModelVectors,
} from './llm/model.ts';
export { openAiModel } from './llm/openai-model.ts';
export type { OpenAiModelOptions } from './llm/openai-endpoint.ts';
export type { StructuredMode } from './llm/structured-output.ts';

// Search engines
export { braveSearch } from './search-engines/brave-search.ts';
export type { BraveSearchOptions } from './search-engines/brave-search.ts';
export { exa } from './search-engines/exa.ts';
export type { ExaOptions } from './search-engines/exa.ts';
export { searxng } from './search-engines/searxng.ts';
export type { SearxngOptions } from './search-engines/searxng.ts';
export { tavily } from './search-engines/tavily.ts';
export type { TavilyOptions } from './search-engines/tavily.ts';
export type {
  FoundPage,
  JsonRequest,
  SearchEngine,
  SearchEngineChoice,
  SearchFilter,
  SearchFunction,
  SearchRequest,
  SearchSource,
} from './search-engines/search-engine.ts';

// Logs and events
export type {
  ChannelMessages,
  JobMessage,
  ModelMessage,
  PageMessage,
  RequestMessage,
  RetryMessage,
  TracedMessage,
} from './telemetry/channels.ts';
export type { LogFields, Logger } from './telemetry/logger.ts';

// Types that engines and formats use
export type {
  ActionStep,
  Cookie,
  Limits,
  PageRequest,
  ProxyRoute,
  Rendering,
} from './model/request.ts';
export type {
  ActionDialog,
  ActionOutcome,
  ActionPagination,
  ActionRepeat,
  ActReport,
  Captures,
  PaginatedPage,
  Picture,
  PictureBox,
} from './model/snapshot.ts';
export type { Snapshot } from './model/snapshot.ts';
export type { HtmlPage, Page, TextPage } from './model/page.ts';
export type { DomDocument, DomElement, DomNode } from './html/dom.ts';
