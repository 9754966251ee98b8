/** Options of a crawl and of its pages: types, defaults and checks. */
import { z } from 'zod';
import { hookFailed, ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { Document, FormatInput } from '../../content/formats/index.ts';
import type { UrlMatcher } from '../frontier/url-pattern.ts';
import type { Hooks } from '../model/hooks.ts';
import { isPlainHeader } from '../../content/text/http-headers.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check } from '../checks/check.ts';
import { preview } from '../checks/option-errors.ts';
import {
  boundHooks,
  compilePatterns,
  concurrencySchema,
  concurrencyWarnings,
  functionSchema,
  globWarnings,
  hooksSchema,
  jobRows,
  type JobSettings,
  jobSettings,
  siteRows,
  startUrl,
} from './job-options.ts';
import { type Input, option, type Output, schemaOf } from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageSettings,
  parsePageOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
  withEndpoints,
} from './scrape-options.ts';
import { secondsSchema } from '../checks/duration.ts';

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

/** The prompt of a crawl. */
export const promptSchema: z.ZodType<string, string> = z
  .string()
  .max(10_000)
  .refine((text) => /\S/.test(text), 'expected some words');

/** Options about the pages of a crawl. */
export const crawlRows = {
  /**
   * The wanted pages, in words, up to 10,000 characters: the client's model derives options from
   * it, and the result's warning lists them. Other options take precedence. @default none
   */
  prompt: option(promptSchema),
  /** Documents kept, exactly. @default 10000 */
  limit: option(z.int().min(1).default(10_000), {
    cli: '<count> maximum pages to keep (default: 10000)',
  }),
  /** Hops from the start URL; start and sitemap URLs are 0. @default no limit */
  maxDiscoveryDepth: option(z.int().min(0), {
    cli: '<hops> maximum link depth from the start page',
  }),
  /**
   * The order of pages: by the number of links from the start, or by how well URL, link text and
   * linking page match `query`, in any language. Best-first takes at most 8 pages at a time, and
   * documents come in the order in which pages were chosen, with `metadata.score`. With
   * `by: 'embedding'` the meaning counts, not the words: the client's model embeds up to 20,000
   * link texts, which count in usage and budget. Words decide, with a warning, if it has no
   * embeddings, and once it fails. With `until: 'answered'` the crawl ends once passages of two
   * pages or more cover the query and further pages bring nothing new: `stop` of the job says so,
   * and other URLs are skipped as `ANSWERED`. It then takes 4 pages at a time.
   * @default 'breadthFirst'
   */
  strategy: option(
    z.custom<CrawlStrategy>(isStrategy, {
      error: ({ input }) =>
        `expected 'breadthFirst' or { type: 'bestFirst', query: 'words' }, got ${preview(input)}; ` +
        "it may have by: 'words' or 'embedding', until: 'answered', and with until judge: 'words' or 'model'",
    }),
  ),
  /** Follow links to siblings and parents of the start URL too. @default false */
  crawlEntireDomain: option(z.boolean().default(false), {
    cli: 'include pages beside and above the start page',
  }),
  /** Follow links to other hosts of the same registrable domain. @default false */
  allowSubdomains: option(z.boolean().default(false), {
    cli: 'include other hosts of the same domain',
  }),
  /** Take linked pages of other sites, without following their links. @default false */
  allowExternalLinks: option(z.boolean().default(false), {
    cli: 'include linked pages of other sites',
  }),
  /**
   * Follow what rendered pages load: the endpoints that gave JSON to their scripts (GET requests with a
   * status of 2xx), as pages, and the URLs in that JSON. Both count as links of the page. Opens no browser for
   * a page that needs none: `scrapeOptions: { engine: 'browser' }` does. @default false
   */
  endpoints: option(z.boolean().default(false), {
    cli: 'follow JSON endpoints of rendered pages, and the URLs in them',
  }),
  /**
   * Read the site's sitemaps: besides links, not at all, or instead of links. @default 'include'
   */
  sitemap: option(z.enum(['include', 'skip', 'only']).default('include'), {
    cli: '<use> read sitemaps in addition to links, not at all, or instead of links',
  }),
  /** Treat URLs that differ only in their query as one. @default false */
  ignoreQueryParameters: option(z.boolean().default(false), {
    cli: 'treat URLs that differ only in their query as one',
  }),
  /** Fold www, http and https, trailing slash and index file; follow redirects and canonical links. @default true */
  deduplicateSimilarURLs: option(z.boolean().default(true), {
    cli: 'treat URLs that differ in www, http, trailing slash or index file as different',
  }),
  /**
   * The same body of 512 bytes or more at another URL is an alias, not a document: the same but for what is
   * made for each visit (session ids, tokens), or with `near` a text of 50 words or more that differs in few
   * of them, such as a print version or a new date. `warning` says how many pages were merged.
   * @default 'exact'
   */
  deduplicateContent: option(z.enum(['off', 'exact', 'near']).default('exact'), {
    cli: '<how> skip pages with the same body at another URL',
  }),
  /**
   * Remove blocks that stand on most pages of a host: menus, promotions, notices. They are learnt
   * from the host's first 32 pages, which are returned after that; fewer than 3 teach nothing. A
   * page that would lose nearly everything stays whole. Followed links do not change. @default
   * false
   */
  removeRepeatedBlocks: option(z.boolean().default(false), {
    cli: 'remove blocks that appear on most pages: menus, promotions',
  }),
  /**
   * The id of an earlier crawl in the client's storage. Pages that have not changed since are not
   * downloaded again, and `changes` of the result lists new, changed, unchanged and removed pages.
   * `maxAge` is 0 by default.
   */
  since: option(z.string().min(1).max(200)),
  /** Ends the job; `await job` then rejects with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options about the pace of a crawl. */
export const paceRows = {
  /**
   * The most pages in flight, as far as the client's `maxConcurrency` allows. @default 8; with a `fleet` a
   * quarter more than its workers have slots, 8 to 1000, shared by the client's running jobs
   */
  maxConcurrency: option(concurrencySchema, { cli: '<count> concurrent pages (default: 8)' }),
  /**
   * The most requests to one host and port in flight, robots.txt and sitemaps included, as far as
   * the client's `maxConcurrencyPerHost` allows. An overloaded host automatically gets fewer for a
   * while. @default maxConcurrency where that is given, else 8
   */
  maxConcurrencyPerHost: option(concurrencySchema, { cli: '<count> concurrent requests per host' }),
  /**
   * Seconds between two request starts to one host, 0 to 60, or a time with its unit: `'500ms'`.
   * @default robots.txt's Crawl-delay, at most 10
   */
  delay: option(secondsSchema(60), {
    cli: '<seconds> pause between two requests to a host, or a time such as 500ms',
  }),
  /** Fetch pages that robots.txt disallows. @default false */
  ignoreRobotsTxt: option(z.boolean().default(false), { cli: 'fetch what robots.txt forbids' }),
  /** The product token to look up in robots.txt. @default the client's user agent */
  robotsUserAgent: option(z.string().min(1), {
    cli: '<name> user agent name in robots.txt (default: pagewright)',
  }),
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
  /** Your functions for steps of a page; called after the hooks of the client. */
  readonly hooks?: Hooks<Document<Inputs, Custom>> | undefined;
}

/** The order in which a crawl takes pages. */
export type CrawlStrategy =
  | 'breadthFirst'
  | {
      readonly type: 'bestFirst';
      readonly query: string;
      /** The basis of the comparison with the query. @default 'words' */
      readonly by?: 'words' | 'embedding' | undefined;
      /** Ends the crawl when its pages answer the query. @default all pages are visited */
      readonly until?: 'answered' | undefined;
      /**
       * What decides that: the measure alone, or the client's model, which is then asked at most 5 times whether
       * the best passages answer the query. Words decide, with a warning, without a model and once it fails.
       * Only with `until`. @default 'words'
       */
      readonly judge?: 'words' | 'model' | undefined;
    };

/** The properties of a strategy without a query. */
const noQuery: Partial<Exclude<CrawlStrategy, string>> = {};

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
      | ('prompt' | 'limit' | 'sitemap' | 'deduplicateContent' | 'removeRepeatedBlocks')
      | ('since' | 'signal')
    >,
    JobSettings {
  /** Absolute and normalised. */
  readonly url: string;
  readonly rules: CrawlRules;
  /** Pages that match it come first; if undefined, pages nearest to the start do. */
  readonly query: string | undefined;
  readonly ranksBy: 'words' | 'embedding';
  /** Decides when the pages answer the query; undefined where that does not end the crawl. */
  readonly judge: 'words' | 'model' | undefined;
  readonly ignoreRobotsTxt: boolean;
  readonly robotsUserAgent: string;
  /** Milliseconds; undefined leaves it to robots.txt. */
  readonly delay: number | undefined;
  readonly maxConcurrencyPerHost: number;
  readonly hooks: Hooks | undefined;
  /** The settings of one page. Throws the errors of a caller's function. */
  readonly pageSettings: (url: string) => PageSettings;
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
    'use scrapeOptions.headers.Authorization',
  );
  const given = check('crawl', crawlSchema, options ?? {}, {
    hintFor: optionHints('crawl()', { all: scrapeOptionNames, taken: scrapeOptionNames }),
  });
  const { limit, strategy, delay, maxConcurrency, regexOnFullURL } = given;
  const { query, by, until, judge } = typeof strategy === 'object' ? strategy : noQuery;
  const pageSettings = crawlPageSettings(start, given, defaults);
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
    query,
    ranksBy: by ?? 'words',
    judge: until && (judge ?? 'words'),
    robotsUserAgent: given.robotsUserAgent ?? defaults.userAgent,
    delay: delay === undefined ? undefined : delay * 1000,
    maxConcurrencyPerHost: given.maxConcurrencyPerHost ?? maxConcurrency ?? 8,
    hooks: boundHooks(options),
    pageSettings,
    zeroDataRetention: keepsNothing(given.scrapeOptions),
    budget: { ...given.budget, requests: given.budget.requests ?? mostRequests(limit) },
    warnings: [...globWarnings(given), ...concurrencyWarnings(given, defaults.concurrency)],
  };
}

/**
 * The request limit of a crawl with this page limit: most pages of a hostile site may be worthless.
 */
function mostRequests(limit: number): number {
  return Math.max(100, 10 * limit);
}

const crawlSchema = schemaOf({
  ...crawlRows,
  ...siteRows,
  ...paceRows,
  ...jobRows,
  scrapeOptions: option(z.union([z.looseObject({}), functionSchema])),
  hooks: option(hooksSchema),
});

function isStrategy(value: unknown): value is CrawlStrategy {
  if (typeof value !== 'object' || value === null) return value === 'breadthFirst';
  const { type, query, by, until, judge, ...rest } = value as Readonly<Record<string, unknown>>;
  const hasWords = typeof query === 'string' && /[\p{L}\p{N}]/u.test(query);
  const isKnown =
    [undefined, 'words', 'embedding'].some((known) => known === by) &&
    [undefined, 'answered'].some((known) => known === until) &&
    [undefined, ...(until === undefined ? [] : ['words', 'model'])].some(
      (known) => known === judge,
    );
  return type === 'bestFirst' && hasWords && isKnown && Object.keys(rest).length === 0;
}

// The scrape options of the pages of a crawl.

/** The options of a crawl that decide how its pages are read. */
interface GivenPageOptions {
  readonly scrapeOptions?: unknown;
  readonly since?: unknown;
  readonly removeRepeatedBlocks?: boolean | undefined;
  readonly endpoints?: boolean | undefined;
}

/**
 * A fixed object is checked here, once; the result of a function for each page. Headers of a fixed
 * object are for the origin of the start URL, or with `redirectCredentials: 'same-site'` for its
 * site: pages of other origins do not get them.
 */
function crawlPageSettings(
  start: string,
  { scrapeOptions, since, removeRepeatedBlocks, endpoints }: GivenPageOptions,
  defaults: ScrapeDefaults,
): (url: string) => PageSettings {
  const parse = (options: unknown): PageSettings => {
    if (typeof options === 'object' && options !== null && 'signal' in options) {
      throw wrongScrapeOption('signal', 'pass signal to crawl() itself');
    }
    const page = parsePageOptions('crawl', options, defaults);
    const settings = endpoints === true ? withEndpoints(page) : page;
    if (endpoints === true && !page.mayRender) {
      throw wrongScrapeOption(
        'engine',
        "engine: 'http' opens no browser, which endpoints needs; leave one of them out",
      );
    }
    if (removeRepeatedBlocks === true && settings.clean.redact !== undefined) {
      throw wrongScrapeOption(
        'redact',
        'pages are kept as they came until the blocks of their site are known; leave out removeRepeatedBlocks',
      );
    }
    const { maxAge } = (options ?? {}) as { readonly maxAge?: unknown };
    if (since === undefined || maxAge !== undefined || settings.cache.isOnly) return settings;
    // Changes of a page are checked at the site, not in the cache.
    return { ...settings, cache: { ...settings.cache, maxAge: 0 } };
  };
  if (typeof scrapeOptions === 'function') {
    const ofUrl = scrapeOptions as (url: string) => unknown;
    return (url) => {
      const options = callOptions(ofUrl, url);
      if (keepsNothing(options)) {
        throw wrongScrapeOption(
          'zeroDataRetention',
          'it applies to the whole crawl: pass an object',
        );
      }
      return parse(options);
    };
  }
  const settings = parse(scrapeOptions);
  const { headers, redirectCredentials } = settings;
  if (Object.keys(headers).every(isPlainHeader)) return () => settings;
  const from = new URL(start);
  return (url) => ({
    ...settings,
    headers: headersForHop(headers, from, new URL(url), redirectCredentials),
  });
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

function wrongScrapeOption(name: string, message: string): ValidationError {
  return new ValidationError('crawl', [
    { path: ['scrapeOptions', name], message: `scrapeOptions.${name}: ${message}` },
  ]);
}
