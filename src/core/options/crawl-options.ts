/** Options of a crawl and of its pages: types, defaults and checks. */
import { z } from 'zod';
import { hookFailed, ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { Document, FormatInput } from '../../content/formats/index.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { UrlMatcher, UrlPattern } from '../frontier/url-pattern.ts';
import type { Hooks } from '../model/hooks.ts';
import { isPlainHeader } from '../../content/text/http-headers.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check, formatPath } from '../checks/check.ts';
import { compileRoutes, type PageRoute, routePatterns, routesRow } from './crawl-routes.ts';
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
  /** The settings of pages without a route, first, and those of the routes. May throw like `pageSettings`. */
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
  const { limit, strategy, delay, maxConcurrency, regexOnFullURL, routes = [] } = given;
  const { pageSettings, kindsOfPages, routeOf } = crawlPages(start, given, defaults);
  return {
    ...given,
    ...jobSettings('crawl', given, defaults),
    url: start,
    rules: {
      ...given,
      include: compilePatterns('crawl', 'includePaths', given.includePaths, regexOnFullURL),
      exclude: compilePatterns('crawl', 'excludePaths', given.excludePaths, regexOnFullURL),
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
    kindsOfPages,
    marksOf: (page) => ({ ...marksOf(routeOf, page), data }),
    zeroDataRetention: keepsNothing(given.scrapeOptions),
    budget: { ...given.budget, requests: given.budget.requests ?? mostRequests(limit) },
    warnings: [
      ...globWarnings(given, routePatterns(routes)),
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

/** The options of a crawl that decide how its pages are read. */
type GivenPageOptions = Pick<
  Output<typeof crawlCallRows>,
  'scrapeOptions' | 'routes' | 'regexOnFullURL' | 'since' | 'removeRepeatedBlocks' | 'endpoints'
>;

/** How the pages of a crawl are read. */
interface CrawlPages extends Pick<CrawlSettings, 'pageSettings' | 'kindsOfPages'> {
  readonly routeOf: (url: string) => PageRoute | undefined;
}

/**
 * Fixed objects are checked here, once; the result of a function for each page. Headers of a fixed
 * object are for the origin of the start URL, or with `redirectCredentials: 'same-site'` for its
 * site: pages of other origins do not get them.
 */
function crawlPages(start: string, given: GivenPageOptions, defaults: ScrapeDefaults): CrawlPages {
  const { scrapeOptions, routes = [], since, removeRepeatedBlocks, endpoints } = given;
  const parse = (options: unknown, at?: readonly (string | number)[]): PageSettings => {
    if (typeof options === 'object' && options !== null && 'signal' in options) {
      throw wrongScrapeOption('signal', 'pass signal to crawl() itself', at);
    }
    const page = parsePageOptions('crawl', options, defaults, at);
    const settings = endpoints ? withEndpoints(page) : page;
    if (endpoints && !page.mayRender) {
      throw wrongScrapeOption(
        'engine',
        "engine: 'http' opens no browser, which endpoints needs; leave one of them out",
        at,
      );
    }
    if (removeRepeatedBlocks && settings.clean.redact !== undefined) {
      throw wrongScrapeOption(
        'redact',
        'pages are kept as they came until the blocks of their site are known; leave out removeRepeatedBlocks',
        at,
      );
    }
    const { maxAge } = (options ?? {}) as { readonly maxAge?: unknown };
    if (since === undefined || maxAge !== undefined || settings.cache.isOnly) return settings;
    // Changes of a page are checked at the site, not in the cache.
    return { ...settings, cache: { ...settings.cache, maxAge: 0 } };
  };
  const from = new URL(start);
  const fixed = (settings: PageSettings): ((url: string) => PageSettings) => {
    const { headers, redirectCredentials } = settings;
    if (Object.keys(headers).every(isPlainHeader)) return () => settings;
    return (url) => ({
      ...settings,
      headers: headersForHop(headers, from, new URL(url), redirectCredentials),
    });
  };
  const ofOthers =
    typeof scrapeOptions === 'function'
      ? chosenPage(scrapeOptions as (url: string) => unknown, parse)
      : fixed(parse(scrapeOptions));
  const routePages: PageSettings[] = [];
  const routeOf = compileRoutes(routes, given, (options, at) => {
    const settings = parse(options, at);
    routePages.push(settings);
    return fixed(settings);
  });
  return {
    pageSettings: (url) => (routeOf(url)?.page ?? ofOthers)(url),
    kindsOfPages: () => [ofOthers(start), ...routePages],
    routeOf,
  };
}

/** The settings of a page whose options a function of the caller's chooses. */
function chosenPage(
  ofUrl: (url: string) => unknown,
  parse: (options: unknown) => PageSettings,
): (url: string) => PageSettings {
  return (url) => {
    const options = callOptions(ofUrl, url);
    if (keepsNothing(options)) {
      throw wrongScrapeOption('zeroDataRetention', 'it applies to the whole crawl: pass an object');
    }
    return parse(options);
  };
}

/** Errors of the caller's pattern are reported when the page is fetched. */
function marksOf(routeOf: CrawlPages['routeOf'], url: string): PageRoute['marks'] {
  try {
    return routeOf(url)?.marks ?? {};
  } catch {
    return {};
  }
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

function wrongScrapeOption(
  name: string,
  message: string,
  at: readonly (string | number)[] = ['scrapeOptions'],
): ValidationError {
  const path = [...at, name];
  return new ValidationError('crawl', [{ path, message: `${formatPath(path)}: ${message}` }]);
}
