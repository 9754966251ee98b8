/** The parameters of v1 of the SDK, and those of v2 that they become. */
import type { StandardSchema } from '../../extract/schema/compile-schema.ts';
import type { CrawlOptions, MapOptions, WebhookConfig } from './job-parameters.ts';
import {
  type ActionOption,
  asObject,
  knownParameters,
  type ScrapeOptions,
  wholePrompt,
} from './scrape-parameters.ts';
import { badRequest, requireText } from './sdk-error.ts';

/** What both have with the same meaning. */
type SameParameters = Pick<
  ScrapeOptions,
  | ('headers' | 'includeTags' | 'excludeTags' | 'onlyMainContent' | 'waitFor' | 'timeout')
  | ('location' | 'mobile' | 'skipTlsVerification' | 'removeBase64Images' | 'blockAds' | 'proxy')
  | ('storeInCache' | 'maxAge' | 'auditMetadata' | 'signal' | 'origin')
>;

/** The scrape parameters of a crawl. */
export interface CrawlScrapeOptions extends SameParameters {
  /** `content` is refused. */
  formats?: V1Format[] | undefined;
  /** False gives the file as base64. @default true */
  parsePDF?: boolean | undefined;
}

type V1Format =
  | ('markdown' | 'html' | 'rawHtml' | 'content' | 'links' | 'screenshot' | 'screenshot@fullPage')
  | ('extract' | 'json' | 'changeTracking');

/** One step in a browser. */
export type Action = Exclude<ActionOption, { type: 'pdf' }>;

/** The schema of a format: a zod schema, any Standard Schema, or JSON Schema. */
type V1Schema = StandardSchema | Record<string, unknown>;

/** The question of the formats `json` and `extract`. */
interface JsonQuestion<Schema> {
  prompt?: string | undefined;
  schema?: Schema | undefined;
  /** Put before the prompt. */
  systemPrompt?: string | undefined;
}

/** The parameters of `scrapeUrl`. */
export interface ScrapeParams<
  Schema = V1Schema,
  Actions extends Action[] | undefined = Action[] | undefined,
> extends CrawlScrapeOptions {
  extract?: JsonQuestion<Schema> | undefined;
  jsonOptions?: (JsonQuestion<Schema> & { checkPromptInjection?: boolean | undefined }) | undefined;
  changeTrackingOptions?:
    | {
        prompt?: string | undefined;
        schema?: unknown;
        modes?: ('json' | 'git-diff')[] | undefined;
        tag?: string | null | undefined;
      }
    | undefined;
  actions?: Actions;
  /** Refused. */
  agent?: object | undefined;
  zeroDataRetention?: boolean | undefined;
}

/** The parameters of `crawlUrl`. */
export interface CrawlParams extends Pick<
  CrawlOptions,
  | ('maxDiscoveryDepth' | 'limit' | 'crawlEntireDomain' | 'allowExternalLinks' | 'webhook')
  | ('deduplicateSimilarURLs' | 'ignoreQueryParameters' | 'regexOnFullURL' | 'delay' | 'signal')
  | ('allowSubdomains' | 'maxConcurrency' | 'zeroDataRetention' | 'origin')
> {
  includePaths?: string[] | undefined;
  excludePaths?: string[] | undefined;
  /** Parts of a path below the path of the start URL. */
  maxDepth?: number | undefined;
  /** An older name of `crawlEntireDomain`. */
  allowBackwardLinks?: boolean | undefined;
  ignoreSitemap?: boolean | undefined;
  scrapeOptions?: CrawlScrapeOptions | undefined;
}

/** Where events are sent. */
export type V1Webhook = string | WebhookConfig | undefined;

/** The parameters of `mapUrl`. */
export interface MapParams extends Pick<
  MapOptions,
  | ('search' | 'includeSubdomains' | 'limit' | 'timeout' | 'location' | 'auditMetadata')
  | ('signal' | 'origin')
> {
  ignoreSitemap?: boolean | undefined;
  sitemapOnly?: boolean | undefined;
  /** No effect: there is no index. */
  useIndex?: boolean | undefined;
}

/** The parameters of `extract`. */
export interface ExtractParams<Schema = V1Schema | object> {
  prompt?: string | undefined;
  schema?: Schema | undefined;
  systemPrompt?: string | undefined;
  /** Refused. */
  allowExternalLinks?: boolean | undefined;
  /** Refused. */
  enableWebSearch?: boolean | undefined;
  includeSubdomains?: boolean | undefined;
  /** No effect. */
  origin?: string | undefined;
  showSources?: boolean | undefined;
  scrapeOptions?: CrawlScrapeOptions | undefined;
  /** Refused. */
  agent?: object | undefined;
}

/** The parameters of `search`. */
export interface SearchParams {
  /** @default 5 */
  limit?: number | undefined;
  tbs?: string | undefined;
  /** Refused: write it into the query. */
  filter?: string | undefined;
  /** No effect: the engine of the caller decides. */
  lang?: string | undefined;
  country?: string | undefined;
  location?: string | undefined;
  /** No effect. */
  origin?: string | undefined;
  timeout?: number | undefined;
  scrapeOptions?: ScrapeParams | undefined;
}

/** The scrape parameters of v2. Throws `SdkError`. */
export function v2Scrape(given: object | undefined): Record<string, unknown> {
  const { formats, jsonOptions, extract, changeTrackingOptions, parsePDF, ...same } =
    knownParameters(given);
  const options = { json: jsonOptions, extract, changeTracking: changeTrackingOptions };
  return {
    ...same,
    ...(formats === undefined ? {} : { formats: v2Formats(formats, options) }),
    ...(parsePDF === undefined ? {} : { parsers: parsePDF === true ? ['pdf'] : [] }),
  };
}

interface FormatOptions {
  readonly json: unknown;
  readonly extract: unknown;
  readonly changeTracking: unknown;
}

function v2Formats(formats: unknown, options: FormatOptions): unknown {
  if (!Array.isArray(formats)) return formats;
  // One format for both: their values are the same.
  const each = formats.includes('json') ? formats.filter((name) => name !== 'extract') : formats;
  return each.map((format: unknown) => {
    if (format === 'screenshot@fullPage') return { type: 'screenshot', fullPage: true };
    if (format === 'json' || format === 'extract') {
      const name = format === 'json' ? 'jsonOptions' : 'extract';
      return { type: 'json', ...question(name, options[format] ?? options.json) };
    }
    if (format !== 'changeTracking') return format;
    return { type: 'changeTracking', ...asObject('changeTrackingOptions', options.changeTracking) };
  });
}

function question(name: string, options: unknown): object {
  const { systemPrompt, prompt, ...same } = knownParameters(asObject(name, options));
  return { ...same, ...wholePrompt(systemPrompt, prompt) };
}

/** The crawl parameters of v2, and functions among the patterns. */
export function v2Crawl(url: unknown, given: object | undefined): object {
  const { maxDepth, allowBackwardLinks, ignoreSitemap, scrapeOptions, excludePaths, ...same } =
    knownParameters(given);
  const paths = Array.isArray(excludePaths) ? (excludePaths as unknown[]) : [];
  const tooDeep = maxDepth === undefined ? [] : [deeperThan(requireText('URL', url), maxDepth)];
  return {
    ...(allowBackwardLinks === undefined ? {} : { crawlEntireDomain: allowBackwardLinks }),
    ...same,
    ...(ignoreSitemap === true ? { sitemap: 'skip' } : {}),
    ...(paths.length + tooDeep.length === 0 ? {} : { excludePaths: [...paths, ...tooDeep] }),
    scrapeOptions: v2Scrape(asObject('scrapeOptions', scrapeOptions)),
  };
}

/** True for URLs with more parts in their path than `maxDepth` below the start URL. */
function deeperThan(start: string, maxDepth: unknown): (url: URL) => boolean {
  if (typeof maxDepth !== 'number' || !(maxDepth >= 0)) {
    throw badRequest('maxDepth: expected a number of at least 0');
  }
  const most = (URL.canParse(start) ? depthOf(new URL(start)) : 0) + maxDepth;
  return function maxDepthOfV1(url) {
    return depthOf(url) > most;
  };
}

function depthOf({ pathname }: URL): number {
  return pathname.split('/').filter((part) => part !== '' && !/^index\.\w+$/.test(part)).length;
}

/** The map parameters of v2. */
export function v2Map(given: object | undefined): object {
  const { ignoreSitemap, sitemapOnly, useIndex: _, ...same } = knownParameters(given);
  const sitemap = sitemapOnly === true ? 'only' : ignoreSitemap === true ? 'skip' : undefined;
  return { ...same, ...(sitemap === undefined ? {} : { sitemap }) };
}
