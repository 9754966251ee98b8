/** Options of a crawl and of its pages: types, defaults and checks. */
import { z } from 'zod';
import { hookFailed, type ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { Document, FormatInput } from '../../content/formats/index.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { UrlMatcher, UrlPattern } from '../frontier/url-pattern.ts';
import type { Hooks } from '../model/hooks.ts';
import { isPlainHeader } from '../../content/text/http-headers.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check, wrongOption } from '../checks/check.ts';
import { compileRoutes, type PageRoute, routesRow } from './crawl-routes.ts';
import {
  boundHooks,
  compilePatterns,
  functionSchema,
  hooksSchema,
  jobRows,
  type JobSettings,
  jobSettings,
  globWarnings,
  concurrencyWarnings,
  siteRows,
  startUrl,
  crawlRows,
  paceRows,
} from './job-options.ts';
import { type Input, option, type Output, schemaOf } from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import { jobUrlSchema } from './scrape-target.ts';
import {
  type PageSettings,
  parsePageOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
  withEndpoints,
} from './scrape-options.ts';

/** Scrape options of the pages of a crawl; the signal belongs to the crawl itself. */
export type CrawlScrapeOptions<
  Inputs extends readonly FormatInput<Custom>[],
  Custom extends readonly Format[],
> = Omit<ScrapeOptions<Inputs, Custom>, 'signal'>;

/**
 * Scrape options by the URL of the page. The function itself has none of the options, so that the compiler names
 * the right one for a misspelt option.
 */
export type ScrapeOptionsOfUrl<
  Inputs extends readonly FormatInput<Custom>[],
  Custom extends readonly Format[],
> = ((url: string) => CrawlScrapeOptions<Inputs, Custom>) & {
  readonly [Name in keyof ScrapeOptions]?: undefined;
};

/** Options of `crawl()`. */
export interface CrawlOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
>
  extends
    Input<typeof crawlRows>,
    Input<typeof siteRows>,
    Input<typeof paceRows>,
    Input<typeof jobRows> {
  /** Scrape options for every page, or a function from the page's URL to them. */
  readonly scrapeOptions?:
    CrawlScrapeOptions<Inputs, Custom> | ScrapeOptionsOfUrl<Inputs, Custom> | undefined;
  /**
   * Options and labels of pages by their URL: the first route whose `match` fits the URL that is requested, before
   * redirects, is the page's. A page without one is read with `scrapeOptions`.
   * @default none
   * @example routes: [{ match: '^/p/', label: 'product', scrapeOptions: { formats: ['product'] } }]
   */
  readonly routes?:
    | readonly {
        /** As `includePaths`: tested on the path, or with `regexOnFullURL` on the whole URL. A list fits if one does. */
        readonly match: UrlPattern | readonly UrlPattern[];
        /** In `metadata.label` of its documents, in its failures, and for hooks. */
        readonly label?: string | undefined;
        /** Each replaces the one of the same name in the crawl's `scrapeOptions`, which may be no function then. */
        readonly scrapeOptions?:
          CrawlScrapeOptions<readonly FormatInput<Custom>[], Custom> | undefined;
        /** False: the links of its pages are not followed. @default true */
        readonly follow?: boolean | undefined;
      }[]
    | undefined;
  /** Your functions for steps of a page; called after the hooks of the client. */
  readonly hooks?: Hooks<Document<Inputs, Custom>> | undefined;
}

type CheckedRows = Output<typeof crawlRows>;

/** The checked URL rules of a crawl. */
export interface CrawlRules extends Pick<
  CheckedRows,
  | ('crawlEntireDomain' | 'allowSubdomains' | 'allowExternalLinks')
  | ('ignoreQueryParameters' | 'deduplicateSimilarURLs')
> {
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
  readonly maxDiscoveryDepth: number;
  /** True when the archive at a URL is to be read. */
  readonly readsArchive?: ((url: string) => boolean) | undefined;
}

/** Checked crawl options. */
export interface CrawlSettings
  extends
    Pick<
      CheckedRows,
      | ('prompt' | 'limit' | 'strategy' | 'sitemap' | 'deduplicateContent')
      | ('removeRepeatedBlocks' | 'since' | 'signal')
    >,
    JobSettings {
  /** Absolute and normalised. */
  readonly url: string;
  readonly rules: CrawlRules;
  /** Ends the crawl once it is answered, as `judge` finds. */
  readonly question: { readonly query: string; readonly judge: 'words' | 'model' } | undefined;
  readonly ignoreRobotsTxt: boolean;
  readonly robotsUserAgent: string;
  /** Milliseconds; undefined leaves it to robots.txt. */
  readonly delay: number | undefined;
  readonly maxConcurrencyPerHost: number;
  readonly hooks: Hooks | undefined;
  /** The caller's data, for every page. */
  readonly data: unknown;
  /** The settings of one page. Throws the errors of a caller's function. */
  readonly pageSettings: (url: string) => PageSettings;
  /** The settings of the pages of each route, and of those without one. May throw like `pageSettings`. */
  readonly kindsOfPages: () => readonly PageSettings[];
  /** The label and data of a page, and whether its links count; never throws: `pageSettings` does. */
  readonly marksOf: (url: string) => Pick<FrontierEntry, 'label' | 'follow' | 'data'>;
}

/** Checks the arguments of `crawl()`; throws at once. */
export function parseCrawlOptions(
  url: unknown,
  options: unknown,
  defaults: ScrapeDefaults,
): CrawlSettings {
  const { url: from, data } = check('crawl', jobUrlSchema, url, { at: ['url'] });
  const start = startUrl('crawl', from, 'use scrapeOptions.headers.Authorization');
  const given = check('crawl', crawlSchema, options ?? {}, {
    hintFor: optionHints('crawl()', { all: scrapeOptionNames, taken: scrapeOptionNames }),
  });
  const { limit, strategy, delay, maxConcurrency, routes = [] } = given;
  const { includePaths, excludePaths, regexOnFullURL } = given;
  const { routeOf, kinds } = crawlRoutes(start, given, defaults);
  const pageSettings = (page: string): PageSettings => routeOf(page).pageSettings(page);
  return {
    ...given,
    ...jobSettings('crawl', given, defaults),
    url: start,
    rules: {
      ...given,
      include: compilePatterns('crawl', ['includePaths'], includePaths, regexOnFullURL),
      exclude: compilePatterns('crawl', ['excludePaths'], excludePaths, regexOnFullURL),
      maxDiscoveryDepth: given.maxDiscoveryDepth ?? Infinity,
      readsArchive: (page) => readsArchive(pageSettings, page),
    },
    question:
      typeof strategy === 'object' && strategy.until !== undefined
        ? { query: strategy.query, judge: strategy.judge ?? 'words' }
        : undefined,
    robotsUserAgent: given.robotsUserAgent ?? defaults.userAgent,
    delay: delay === undefined ? undefined : delay * 1000,
    maxConcurrencyPerHost: given.maxConcurrencyPerHost ?? maxConcurrency ?? 8,
    hooks: boundHooks(options),
    data,
    pageSettings,
    kindsOfPages: () => kinds.map((settingsOf) => settingsOf(start)),
    marksOf: (page) => ({ ...routeOf(page).marks, data }),
    zeroDataRetention: keepsNothing(given.scrapeOptions),
    budget: { ...given.budget, requests: given.budget.requests ?? mostRequests(limit) },
    warnings: [
      ...globWarnings({ includePaths, excludePaths }, regexOnFullURL),
      ...routes.flatMap(({ match }, index) =>
        globWarnings({ [`routes[${index}].match`]: match }, regexOnFullURL),
      ),
      ...concurrencyWarnings(given, defaults.concurrency),
    ],
  };
}

/**
 * The request limit of a crawl with this page limit: most pages of a hostile site may be worthless.
 */
function mostRequests(limit: number): number {
  return Math.max(100, 10 * limit);
}

/** The rows of `crawl()`. */
export const crawlCallRows = {
  ...crawlRows,
  ...siteRows,
  ...paceRows,
  ...jobRows,
  scrapeOptions: option(z.union([z.looseObject({}), functionSchema])),
  routes: routesRow,
  hooks: option(hooksSchema, { mayChange: true }),
};

const crawlSchema = schemaOf(crawlCallRows);

// The scrape options of the pages of a crawl.

/**
 * Fixed objects are checked here, once; the result of a function for each page. Headers of a fixed
 * object are for the origin of the start URL, or with `redirectCredentials: 'same-site'` for its
 * site: pages of other origins do not get them.
 */
function crawlRoutes(
  start: string,
  given: Output<typeof crawlCallRows>,
  defaults: ScrapeDefaults,
): ReturnType<typeof compileRoutes> {
  const { scrapeOptions, since, removeRepeatedBlocks, endpoints } = given;
  const parse = (options: unknown, at: ValidationIssue['path']): PageSettings => {
    const wrong = (name: string, problem: string): ValidationError =>
      wrongOption('crawl', [...at, name], problem);
    if (typeof options === 'object' && options !== null && 'signal' in options) {
      throw wrong('signal', 'pass signal to crawl() itself');
    }
    const page = parsePageOptions('crawl', options, defaults, at);
    const settings = endpoints ? withEndpoints(page) : page;
    if (endpoints && !page.mayRender) {
      throw wrong(
        'engine',
        "engine: 'http' opens no browser, which endpoints needs; leave one of them out",
      );
    }
    if (removeRepeatedBlocks && settings.clean.redact !== undefined) {
      throw wrong(
        'redact',
        'pages are kept as they came until the blocks of their site are known; leave out removeRepeatedBlocks',
      );
    }
    const { maxAge } = (options ?? {}) as { readonly maxAge?: unknown };
    if (since === undefined || maxAge !== undefined || settings.cache.isOnly) return settings;
    // Changes of a page are checked at the site, not in the cache.
    return { ...settings, cache: { ...settings.cache, maxAge: 0 } };
  };
  const from = new URL(start);
  const fixed = (options: unknown, at: ValidationIssue['path']): PageRoute['pageSettings'] => {
    const settings = parse(options, at);
    const { headers, redirectCredentials } = settings;
    if (Object.keys(headers).every(isPlainHeader)) return () => settings;
    return (url) => ({
      ...settings,
      headers: headersForHop(headers, from, new URL(url), redirectCredentials),
    });
  };
  const at = ['scrapeOptions'];
  const chosen = (url: string): PageSettings => {
    const options = callOptions(scrapeOptions as (url: string) => unknown, url);
    if (!keepsNothing(options)) return parse(options, at);
    const problem = 'it applies to the whole crawl: pass an object';
    throw wrongOption('crawl', [...at, 'zeroDataRetention'], problem);
  };
  const others = typeof scrapeOptions === 'function' ? chosen : fixed(scrapeOptions, at);
  return compileRoutes(given, others, fixed);
}

function callOptions(ofUrl: (url: string) => unknown, url: string): unknown {
  try {
    return atOnce(ofUrl(url));
  } catch (error) {
    throw hookFailed('scrapeOptions', url, error);
  }
}

/**
 * True when an archive at this URL would be read. Errors of the caller's function are reported when
 * the page is fetched.
 */
function readsArchive(settings: (url: string) => PageSettings, url: string): boolean {
  try {
    return settings(url).archive !== undefined;
  } catch {
    return false;
  }
}

/** True when no data of the pages may be stored. */
function keepsNothing(scrapeOptions: unknown): boolean {
  return (scrapeOptions as { zeroDataRetention?: unknown } | undefined)?.zeroDataRetention === true;
}
