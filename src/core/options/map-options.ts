/** Options of `map()`: types, defaults and checks. */
import { z } from 'zod';
import type { UrlMatcher } from '../frontier/url-pattern.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { check } from '../checks/check.ts';
import { compilePatterns, globWarnings, siteRows, startUrl } from './job-options.ts';
import { type Input, option, type Output, schemaOf, split, takenBy } from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageOptionsOf,
  pageRows,
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  withEndpoints,
} from './scrape-options.ts';
import { durationSchema } from '../checks/duration.ts';

/**
 * Fetch options as in `scrape()`, for the pages that are read; of the headers, site files only get
 * the User-Agent. `redact` is for titles and descriptions: URLs stay as they are.
 */
export const mapPageRows = takenBy('map', pageRows);

/** The rows that only `map()` has. */
export const mapRows = {
  /**
   * Keep links whose title, URL, description or link text has words of this, in any language, best
   * first; `limit` applies after that. The first 100,000 links of the site are searched.
   */
  search: option(z.string().regex(/[\p{L}\p{N}]/u, 'expected words'), {
    cli: '<words> only links about this, best first',
  }),
  /** The most links returned. @default 100 */
  limit: option(z.int().min(1).default(100), { cli: '<count> maximum links (default: 100)' }),
  /**
   * Read the site's sitemaps: besides page links, not at all, or instead of them. @default
   * 'include'
   */
  sitemap: option(z.enum(['include', 'skip', 'only']).default('include'), {
    cli: '<use> read sitemaps in addition to pages, not at all, or instead of pages',
  }),
  /** Hosts of the same registrable domain too. @default true */
  includeSubdomains: option(z.boolean().default(true), { cli: 'only this host' }),
  /** Treat URLs that differ only in their query as one, returned without it. @default true */
  ignoreQueryParameters: option(z.boolean().default(true), {
    cli: 'treat URLs that differ in their query as different',
  }),
  /**
   * Render the start page, and list the endpoints that gave JSON to its scripts and the URLs in that JSON:
   * GET requests with a status of 2xx. Needs an engine that renders. @default false
   */
  endpoints: option(z.boolean().default(false), {
    cli: 'render the start page; list its JSON endpoints and the URLs in them',
  }),
  /** Linked pages of other sites too. @default false */
  allowExternalLinks: option(z.boolean().default(false), {
    cli: 'include linked pages of other sites',
  }),
  /** Hops from the start page whose links are read, at most 50 pages. @default 2 */
  maxDiscoveryDepth: option(z.int().min(0), {
    cli: '<hops> read links of pages up to this depth from the start page',
  }),
  /** Milliseconds for the whole call. @default 60000 */
  timeout: option(durationSchema(1).default(60_000), {
    cli: '<time> time limit for the whole command (default: 60s)',
  }),
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options of `map()`. */
export interface MapOptions
  extends PageOptionsOf<'map'>, Input<typeof siteRows>, Input<typeof mapRows> {}

/** Checked map options. */
export interface MapSettings extends Omit<Output<typeof mapRows>, 'endpoints'> {
  readonly url: string;
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
  /**
   * `maxDiscoveryDepth` for a site with sitemaps, for a map that needs only a sample. @default
   * maxDiscoveryDepth
   */
  readonly depthBesideSitemaps?: number;
  /** Sentences about the options, for the result's warning. */
  readonly warnings?: readonly string[];
  /**
   * The settings of a page that is read; headers are for the origin of the start URL, see
   * `redirectCredentials`.
   */
  readonly pageSettings: (url: string) => PageSettings;
}

/** Checks the arguments of `map()`. */
export function parseMapOptions(
  url: unknown,
  options: unknown,
  defaults: ScrapeDefaults,
): MapSettings {
  const start = startUrl(
    'map',
    check('map', z.union([z.string(), z.instanceof(URL)]), url),
    'give headers.Authorization',
  );
  const given = check('map', mapSchema, options ?? {}, {
    hintFor: optionHints('map()', { all: scrapeOptionNames, taken: [] }),
  });
  const { redirectCredentials, includePaths, excludePaths, regexOnFullURL, endpoints } = given;
  const page = parseScrapeOptions(
    { ...split(given, mapPageRows)[0], formats: [] },
    defaults,
    'map',
  );
  const startPage = endpoints ? withEndpoints(page, 'endpoints') : page;
  return {
    ...given,
    url: start,
    include: compilePatterns('map', ['includePaths'], includePaths, regexOnFullURL),
    exclude: compilePatterns('map', ['excludePaths'], excludePaths, regexOnFullURL),
    warnings: globWarnings({ includePaths, excludePaths }, regexOnFullURL),
    pageSettings: (url) => ({
      ...(url === start ? startPage : page),
      headers: headersForHop(page.headers, new URL(start), new URL(url), redirectCredentials),
    }),
  };
}

const mapSchema = schemaOf({ ...mapPageRows, ...siteRows, ...mapRows });
