/** The parameters of the SDK for crawls, batches, maps, extractions and files, and the options that they become. */
import { contentTypeOf } from '../../core/http/content-types.ts';
import type { StandardSchema } from '../../extract/schema/compile-schema.ts';
import type { CrawlOptions as OwnCrawlOptions } from '../../core/options/crawl-options.ts';
import type { WebhookOptions } from '../../core/options/webhook-options.ts';
import {
  asObject,
  knownParameters,
  type ScrapeOptions,
  scrapeOptions,
  wholePrompt,
} from './scrape-parameters.ts';
import { badRequest, notAvailable, requireText } from './sdk-error.ts';

/** Where events are sent; the header is `X-Pagewright-Signature`. */
export interface WebhookConfig extends Pick<WebhookOptions, 'secret'> {
  url: string;
  headers?: Record<string, string> | undefined;
  metadata?: Record<string, string> | undefined;
  events?: ('completed' | 'failed' | 'page' | 'started')[] | undefined;
}

/** The crawl parameters of the SDK, and `signal` and `budget` of pagewright. */
export interface CrawlOptions extends Pick<OwnCrawlOptions, 'signal' | 'budget' | 'errorPages'> {
  /** For the client's model. */
  prompt?: string | null | undefined;
  excludePaths?: string[] | null | undefined;
  includePaths?: string[] | null | undefined;
  maxDiscoveryDepth?: number | null | undefined;
  sitemap?: 'skip' | 'include' | 'only' | undefined;
  ignoreQueryParameters?: boolean | undefined;
  deduplicateSimilarURLs?: boolean | undefined;
  limit?: number | null | undefined;
  crawlEntireDomain?: boolean | undefined;
  allowExternalLinks?: boolean | undefined;
  allowSubdomains?: boolean | undefined;
  ignoreRobotsTxt?: boolean | undefined;
  robotsUserAgent?: string | null | undefined;
  delay?: number | null | undefined;
  maxConcurrency?: number | null | undefined;
  webhook?: string | WebhookConfig | null | undefined;
  scrapeOptions?: Omit<ScrapeOptions, 'toolDetail'> | null | undefined;
  regexOnFullURL?: boolean | undefined;
  zeroDataRetention?: boolean | undefined;
  /** No effect. */
  integration?: string | undefined;
  /** No effect. */
  origin?: string | undefined;
}

/** Parameters of a call that waits for its job. */
export interface WaitOptions {
  /** No effect: the call returns when the job ends. */
  pollInterval?: number | undefined;
  /** Seconds to wait for the end of the job. @default no limit */
  timeout?: number | undefined;
}

/** The batch parameters of the SDK. Scrape parameters may also be beside `options`. */
export interface BatchScrapeOptions extends Omit<ScrapeOptions, 'timeout'> {
  options?: Omit<ScrapeOptions, 'toolDetail'> | undefined;
  webhook?: string | WebhookConfig | undefined;
  /** A batch that runs, to which the URLs are added; it has its options already. */
  appendToId?: string | undefined;
  ignoreInvalidURLs?: boolean | undefined;
  maxConcurrency?: number | undefined;
  zeroDataRetention?: boolean | undefined;
  /** A second job with the same key is refused, with the status 409. */
  idempotencyKey?: string | undefined;
}

/** The map parameters of the SDK. */
export interface MapOptions extends Pick<
  ScrapeOptions,
  | 'timeout'
  | 'integration'
  | 'origin'
  | 'location'
  | 'threatProtection'
  | 'auditMetadata'
  | 'signal'
> {
  search?: string | undefined;
  sitemap?: 'only' | 'include' | 'skip' | undefined;
  includeSubdomains?: boolean | undefined;
  ignoreQueryParameters?: boolean | undefined;
  /** @default 5000 */
  limit?: number | undefined;
}

/** The extract parameters of the SDK. */
export interface ExtractOptions extends Pick<
  ScrapeOptions,
  'integration' | 'origin' | 'threatProtection' | 'signal'
> {
  urls?: string[] | undefined;
  /** For the client's model. */
  prompt?: string | undefined;
  schema?: Record<string, unknown> | StandardSchema | undefined;
  /** Put before the prompt. */
  systemPrompt?: string | undefined;
  /** Refused. */
  allowExternalLinks?: boolean | undefined;
  /** Refused. */
  enableWebSearch?: boolean | undefined;
  showSources?: boolean | undefined;
  /**
   * Options for fetching the pages. Content options have no effect: `formats`, `onlyMainContent`, `includeTags`,
   * `excludeTags`, `removeBase64Images`, `blockAds`, `parsers`. Browser options except `engine` are refused: `waitFor`,
   * `mobile`, `actions`, `viewport`, `colorScheme`, `profile`. `exportShareLinks` is refused, too.
   */
  scrapeOptions?: ScrapeOptions | undefined;
  ignoreInvalidURLs?: boolean | undefined;
  /** Refused. */
  agent?: object | undefined;
  webhook?: string | WebhookConfig | null | undefined;
}

/** The content of a file. */
export type ParseFileData = Blob | File | Buffer | Uint8Array | ArrayBuffer | string;

/** A file to parse. */
export interface ParseFile {
  data: ParseFileData;
  filename: string;
  /** @default by the extension of the file name */
  contentType?: string | undefined;
}

/** Scrape parameters that are about the content. */
export type ParseOptions = Omit<
  ScrapeOptions,
  | ('waitFor' | 'mobile' | 'actions' | 'location' | 'proxy' | 'threatProtection' | 'toolDetail')
  | ('maxAge' | 'minAge' | 'storeInCache' | 'lockdown')
> & { proxy?: 'basic' | 'auto' | undefined };

/** The arguments of `crawl()`. Pages with an error status are documents, as in the service. */
export function crawlArguments(url: unknown, given: object | null | undefined): [string, object] {
  const {
    scrapeOptions: page,
    zeroDataRetention,
    pollInterval: _,
    timeout: __,
    ...same
  } = knownParameters(given);
  const options = {
    ...scrapeOptions(asObject('scrapeOptions', page)),
    ...retention(zeroDataRetention),
  };
  return [requireText('URL', url), { errorPages: 'keep', ...same, scrapeOptions: options }];
}

/** The options of `batchScrape()`. */
export function batchOptions(given: object | null | undefined): object {
  const {
    options,
    webhook,
    ignoreInvalidURLs,
    maxConcurrency,
    zeroDataRetention,
    pollInterval: _,
    timeout: __,
    appendToId: ___,
    idempotencyKey: ____,
    ...beside
  } = knownParameters(given);
  return {
    errorPages: 'keep',
    ...known({ webhook, ignoreInvalidURLs, maxConcurrency }),
    ...scrapeOptions(beside),
    ...scrapeOptions(asObject('options', options)),
    ...retention(zeroDataRetention),
  };
}

/** The options of `map()`. */
export function mapOptions(given: object | null | undefined): object {
  return { limit: 5000, ...knownParameters(given) };
}

/** Parts of `scrapeOptions` that `extract()` does not take: they set the content of a document. */
const contentParameters = [
  'formats',
  'onlyMainContent',
  'includeTags',
  'excludeTags',
  'removeBase64Images',
  'blockAds',
  'parsers',
];

/** The options of `extract()`. */
export function extractOptions(given: object | null | undefined): Record<string, unknown> {
  const {
    scrapeOptions: page,
    systemPrompt,
    prompt,
    allowExternalLinks,
    enableWebSearch,
    showSources: _,
    pollInterval: __,
    timeout: ___,
    urls,
    ...same
  } = knownParameters(given);
  if (allowExternalLinks === true) {
    throw notAvailable('allowExternalLinks', 'name the pages of other sites in urls');
  }
  const hasUrls = Array.isArray(urls) && urls.length > 0;
  if (enableWebSearch === true && hasUrls) {
    throw notAvailable('enableWebSearch with urls', 'leave the urls out, or search first');
  }
  if (!hasUrls && prompt === undefined) {
    throw badRequest('urls: name at least one page, or give a prompt to search for pages');
  }
  const fetching = Object.entries(scrapeOptions(asObject('scrapeOptions', page))).filter(
    ([name]) => !contentParameters.includes(name),
  );
  return {
    ...(hasUrls ? { urls } : {}),
    ...same,
    ...wholePrompt(systemPrompt, prompt),
    ...(fetching.length === 0 ? {} : { scrapeOptions: Object.fromEntries(fetching) }),
  };
}

/** The arguments of `parse()`. */
export async function parseArguments(
  file: ParseFile,
  given: object | null | undefined,
): Promise<[Uint8Array | ArrayBuffer | string, object]> {
  const { data, filename, contentType } = asObject('file', file) as Partial<ParseFile>;
  const name = requireText('filename', filename);
  const content = data instanceof Blob ? await data.arrayBuffer() : data;
  if (content === undefined) throw badRequest('file: its data is missing');
  const blobType = data instanceof Blob && data.type !== '' ? data.type : undefined;
  // A client that knows no type sends one of these: the name says more.
  const isVague = /^(?:text\/plain|application\/octet-stream)\b/.test(blobType ?? 'text/plain');
  const type = contentType ?? (isVague ? contentTypeOf(name, blobType) : blobType);
  return [content, { ...scrapeOptions(given), ...known({ contentType: type }) }];
}

function retention(isZero: unknown): object {
  return isZero === undefined ? {} : { zeroDataRetention: isZero };
}

function known(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
