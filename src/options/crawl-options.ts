/** What a caller may say about a crawl: types, defaults and checks. */
import { z } from 'zod';
import { hookFailed, ValidationError } from '../errors.ts';
import { headersForHop } from '../engines/http/redirect.ts';
import type { Format } from '../formats/format.ts';
import type { FormatInput } from '../formats/index.ts';
import { compileUrlPattern, type UrlMatcher, type UrlPattern } from '../frontier/url-pattern.ts';
import { check } from './check.ts';
import { startUrl } from './start-url.ts';
import { refuseUnsupported, unsupported } from './refuse-unsupported.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  type ScrapeOptions,
} from './scrape-options.ts';

/** Scrape options of the pages of a crawl; the signal belongs to the crawl itself. */
export type CrawlScrapeOptions<
  Inputs extends readonly FormatInput<Custom>[],
  Custom extends readonly Format[],
> = Omit<ScrapeOptions<Inputs, Custom>, 'signal'>;

/** Options of `crawl()`. */
export interface CrawlOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> {
  /** Only URLs that match one of these are kept: regular expressions or functions, tested on the path. */
  readonly includePaths?: readonly UrlPattern[] | undefined;
  /** URLs that match one of these are left out; wins over `includePaths`. */
  readonly excludePaths?: readonly UrlPattern[] | undefined;
  /** Test the patterns on the whole URL. @default false */
  readonly regexOnFullURL?: boolean | undefined;
  /** Hops from the start URL; start and sitemap URLs are 0. @default no limit */
  readonly maxDiscoveryDepth?: number | undefined;
  /** Documents kept, exactly. @default 10000 */
  readonly limit?: number | undefined;
  /** Follow links to siblings and parents of the start URL too. @default false */
  readonly crawlEntireDomain?: boolean | undefined;
  /** Follow links to other hosts of the same registrable domain. @default false */
  readonly allowSubdomains?: boolean | undefined;
  /** Take linked pages of other sites, without following their links. @default false */
  readonly allowExternalLinks?: boolean | undefined;
  /** Read the site's sitemaps: beside links, not at all, or instead of links. @default 'include' */
  readonly sitemap?: 'include' | 'skip' | 'only' | undefined;
  /** URLs that differ in their query only are one. @default false */
  readonly ignoreQueryParameters?: boolean | undefined;
  /** Fold www, http and https, trailing slash and index file; follow redirects and canonical links. @default true */
  readonly deduplicateSimilarURLs?: boolean | undefined;
  /** The same body at another URL is an alias, not a document. @default 'exact' */
  readonly deduplicateContent?: 'off' | 'exact' | undefined;
  /**
   * Remove blocks that stand on most pages of a host: menus, promotions, notices. They are learnt from
   * the host's first 32 pages, which are given when that is done; less than 3 teach nothing. A page that
   * would lose nearly everything stays whole. Which links are followed does not change. @default false
   */
  readonly removeRepeatedBlocks?: boolean | undefined;
  /** Fetch what robots.txt forbids. @default false */
  readonly ignoreRobotsTxt?: boolean | undefined;
  /** The product token that is looked for in robots.txt. @default the client's user agent */
  readonly robotsUserAgent?: string | undefined;
  /** Seconds between two request starts to one host, 0 to 60. @default robots.txt's Crawl-delay, at most 10 */
  readonly delay?: number | undefined;
  /** Pages fetched at the same time. @default 8 */
  readonly maxConcurrency?: number | undefined;
  /** Scrape options for every page, or a function of the page's URL that gives them. */
  readonly scrapeOptions?:
    | CrawlScrapeOptions<Inputs, Custom>
    | ((url: string) => CrawlScrapeOptions<Inputs, Custom>)
    | undefined;
  /** Ends the job; `await job` then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Which URLs a crawl takes, checked. */
export interface CrawlRules {
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
  readonly maxDiscoveryDepth: number;
  readonly crawlEntireDomain: boolean;
  readonly allowSubdomains: boolean;
  readonly allowExternalLinks: boolean;
  readonly ignoreQueryParameters: boolean;
  readonly deduplicateSimilarURLs: boolean;
}

/** Checked crawl options. */
export interface CrawlSettings {
  /** Absolute and normalised. */
  readonly url: string;
  readonly rules: CrawlRules;
  readonly limit: number;
  readonly sitemap: 'include' | 'skip' | 'only';
  readonly deduplicateContent: boolean;
  readonly removeRepeatedBlocks: boolean;
  readonly ignoreRobotsTxt: boolean;
  readonly robotsUserAgent: string;
  /** Milliseconds; undefined leaves it to robots.txt. */
  readonly delay: number | undefined;
  readonly maxConcurrency: number;
  /** The settings of one page. Throws what a caller's function throws. */
  readonly pageSettings: (url: string) => PageSettings;
  /** Documents are kept in memory only, whatever the client's storage is. */
  readonly zeroDataRetention: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Checks the arguments of `crawl()`; throws at once. */
export function parseCrawlOptions(
  url: unknown,
  options: unknown,
  defaults: ScrapeDefaults,
): CrawlSettings {
  const start = startUrl(
    'crawl',
    check('crawl', z.union([z.string(), z.instanceof(URL)]), url),
    'give scrapeOptions.headers.Authorization',
  );
  refuseUnsupported('crawl', options, laterOptions);
  if ((options as { deduplicateContent?: unknown } | undefined)?.deduplicateContent === 'near') {
    throw unsupported("crawl: deduplicateContent: 'near'", "Use 'exact'.");
  }
  const given = check('crawl', crawlSchema, options ?? {});
  const { scrapeOptions } = given;
  const onFullUrl = given.regexOnFullURL ?? false;
  return {
    url: start,
    rules: {
      include: compilePatterns('crawl', 'includePaths', given.includePaths, onFullUrl),
      exclude: compilePatterns('crawl', 'excludePaths', given.excludePaths, onFullUrl),
      maxDiscoveryDepth: given.maxDiscoveryDepth ?? Infinity,
      crawlEntireDomain: given.crawlEntireDomain ?? false,
      allowSubdomains: given.allowSubdomains ?? false,
      allowExternalLinks: given.allowExternalLinks ?? false,
      ignoreQueryParameters: given.ignoreQueryParameters ?? false,
      deduplicateSimilarURLs: given.deduplicateSimilarURLs ?? true,
    },
    limit: given.limit ?? 10_000,
    sitemap: given.sitemap ?? 'include',
    deduplicateContent: (given.deduplicateContent ?? 'exact') === 'exact',
    removeRepeatedBlocks: given.removeRepeatedBlocks ?? false,
    ignoreRobotsTxt: given.ignoreRobotsTxt ?? false,
    robotsUserAgent: given.robotsUserAgent ?? defaults.userAgent,
    delay: given.delay === undefined ? undefined : given.delay * 1000,
    maxConcurrency: given.maxConcurrency ?? 8,
    pageSettings: pageSettings(start, scrapeOptions, defaults),
    zeroDataRetention: keepsNothing(scrapeOptions),
    signal: given.signal,
  };
}

/** Compiles the patterns of one option; throws `ValidationError` naming the bad one. */
export function compilePatterns(
  subject: string,
  option: string,
  patterns: readonly unknown[] | undefined,
  onFullUrl: boolean,
): UrlMatcher[] {
  return (patterns ?? []).map((pattern, index) => {
    try {
      // A URL that cannot be decided in time is left out.
      return compileUrlPattern(pattern as UrlPattern, onFullUrl, option === 'excludePaths');
    } catch (error) {
      const message = `${option}[${index}]: ${(error as Error).message}`;
      throw new ValidationError(subject, [{ path: [option, index], message }]);
    }
  });
}

const aFunction = z.custom<(...parameters: never[]) => unknown>(
  (value) => typeof value === 'function',
  'expected a function',
);

/** A list of patterns. */
export const patternsSchema: z.ZodType<unknown[] | undefined> = z
  .array(z.union([z.string(), z.instanceof(RegExp), aFunction]))
  .max(1000)
  .optional();

const crawlSchema = z.strictObject({
  includePaths: patternsSchema,
  excludePaths: patternsSchema,
  regexOnFullURL: z.boolean().optional(),
  maxDiscoveryDepth: z.int().min(0).optional(),
  limit: z.int().min(1).optional(),
  crawlEntireDomain: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  ignoreQueryParameters: z.boolean().optional(),
  deduplicateSimilarURLs: z.boolean().optional(),
  deduplicateContent: z.enum(['off', 'exact']).optional(),
  removeRepeatedBlocks: z.boolean().optional(),
  ignoreRobotsTxt: z.boolean().optional(),
  robotsUserAgent: z.string().min(1).optional(),
  delay: z.number().min(0).max(60).optional(),
  maxConcurrency: z.int().min(1).max(1000).optional(),
  scrapeOptions: z.union([z.looseObject({}), aFunction]).optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof CrawlOptions, z.ZodType>);

/** Options of the contract that this version does not have. */
const laterOptions = [
  'prompt',
  'maxConcurrencyPerHost',
  'budget',
  'webhook',
  'strategy',
  'hooks',
  'since',
];

/**
 * A fixed object is checked here, once; a function's answer for each page. Credentials of a fixed
 * object are for the site of the start URL: pages of others do not get them.
 */
function pageSettings(
  start: string,
  scrapeOptions: unknown,
  defaults: ScrapeDefaults,
): (url: string) => PageSettings {
  const parse = (options: unknown): PageSettings => {
    if (typeof options === 'object' && options !== null && 'signal' in options) {
      throw wrongScrapeOption('signal', 'give signal to crawl itself');
    }
    return parseScrapeOptions(options, defaults, 'crawl: scrapeOptions');
  };
  if (typeof scrapeOptions === 'function') {
    const ofUrl = scrapeOptions as (url: string) => unknown;
    return (url) => {
      const options = callOptions(ofUrl, url);
      if (keepsNothing(options)) {
        throw wrongScrapeOption('zeroDataRetention', 'it is for a whole crawl: give an object');
      }
      return parse(options);
    };
  }
  const settings = parse(scrapeOptions);
  if (!siteHeaders.some((name) => name in settings.headers)) return () => settings;
  const from = new URL(start);
  return (url) => ({ ...settings, headers: headersForHop(settings.headers, from, new URL(url)) });
}

/** Headers that are for one site or host only. */
const siteHeaders: readonly string[] = ['authorization', 'cookie', 'proxy-authorization', 'host'];

function callOptions(ofUrl: (url: string) => unknown, url: string): unknown {
  try {
    const options = ofUrl(url);
    if (options instanceof Promise)
      throw new TypeError('it gave a promise; options are needed at once');
    return options;
  } catch (error) {
    throw hookFailed('scrapeOptions', url, error);
  }
}

function keepsNothing(scrapeOptions: unknown): boolean {
  return (scrapeOptions as { zeroDataRetention?: unknown } | undefined)?.zeroDataRetention === true;
}

function wrongScrapeOption(name: string, message: string): ValidationError {
  return new ValidationError('crawl', [
    { path: ['scrapeOptions', name], message: `scrapeOptions.${name}: ${message}` },
  ]);
}
