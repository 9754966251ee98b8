/** Options of `map()`: types, defaults and checks. */
import { z } from 'zod';
import type { UrlMatcher, UrlPattern } from '../frontier/url-pattern.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { check } from '../checks/check.ts';
import { compilePatterns, globWarnings, patternsSchema, startUrl } from './job-options.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
  withEndpoints,
} from './scrape-options.ts';
import { type Duration, durationSchema } from '../checks/duration.ts';

/**
 * Fetch options as in `scrape()`, for the pages that are read; of the headers, site files only get
 * the User-Agent. `redact` is for titles and descriptions: URLs stay as they are.
 */
type WayToSite = Pick<
  ScrapeOptions,
  | 'headers'
  | 'redirectCredentials'
  | 'skipTlsVerification'
  | 'proxy'
  | 'location'
  | 'retries'
  | 'redact'
>;

/** The scrape options that `map()` takes. */
export const mapPageOptionNames: readonly (keyof WayToSite)[] = [
  ...(['headers', 'redirectCredentials', 'skipTlsVerification'] as const),
  ...(['proxy', 'location', 'retries', 'redact'] as const),
];

/** Options of `map()`. */
export interface MapOptions extends WayToSite {
  /**
   * Keep links whose title, URL, description or link text has words of this, in any language, best
   * first; `limit` applies after that. The first 100,000 links of the site are searched.
   */
  readonly search?: string | undefined;
  /** The most links returned. @default 100 */
  readonly limit?: number | undefined;
  /**
   * Read the site's sitemaps: besides page links, not at all, or instead of them. @default
   * 'include'
   */
  readonly sitemap?: 'include' | 'skip' | 'only' | undefined;
  /** Hosts of the same registrable domain too. @default true */
  readonly includeSubdomains?: boolean | undefined;
  /** Treat URLs that differ only in their query as one, returned without it. @default true */
  readonly ignoreQueryParameters?: boolean | undefined;
  /** Only URLs that match one of these: regular expressions or functions, tested on the path. */
  readonly includePaths?: readonly UrlPattern[] | undefined;
  /** Leave out URLs that match one of these; wins over `includePaths`. */
  readonly excludePaths?: readonly UrlPattern[] | undefined;
  /** Test the patterns on the whole URL. @default false */
  readonly regexOnFullURL?: boolean | undefined;
  /**
   * Render the start page, and list the endpoints that gave JSON to its scripts and the URLs in that JSON:
   * GET requests with a status of 2xx. Needs an engine that renders. @default false
   */
  readonly endpoints?: boolean | undefined;
  /** Linked pages of other sites too. @default false */
  readonly allowExternalLinks?: boolean | undefined;
  /** Hops from the start page whose links are read, at most 50 pages. @default 2 */
  readonly maxDiscoveryDepth?: number | undefined;
  /** Milliseconds for the whole call. @default 60000 */
  readonly timeout?: Duration | undefined;
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked map options. */
export interface MapSettings {
  readonly url: string;
  readonly limit: number;
  readonly sitemap: 'include' | 'skip' | 'only';
  readonly includeSubdomains: boolean;
  readonly ignoreQueryParameters: boolean;
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
  readonly allowExternalLinks: boolean;
  readonly maxDiscoveryDepth: number | undefined;
  /**
   * The same for a site with sitemaps, for a map that needs only a sample. @default
   * maxDiscoveryDepth
   */
  readonly depthBesideSitemaps?: number;
  readonly search: string | undefined;
  /** Sentences about the options, for the result's warning. */
  readonly warnings?: readonly string[];
  /**
   * The settings of a page that is read; headers are for the origin of the start URL, see
   * `redirectCredentials`.
   */
  readonly pageSettings: (url: string) => PageSettings;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
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
  const { redirectCredentials } = given;
  const way = Object.fromEntries(mapPageOptionNames.map((name) => [name, given[name]]));
  const page = parseScrapeOptions({ ...way, formats: [] }, defaults, 'map');
  const startPage = given.endpoints === true ? withEndpoints(page, 'endpoints') : page;
  const onFullUrl = given.regexOnFullURL ?? false;
  return {
    url: start,
    limit: given.limit ?? 100,
    sitemap: given.sitemap ?? 'include',
    includeSubdomains: given.includeSubdomains ?? true,
    ignoreQueryParameters: given.ignoreQueryParameters ?? true,
    include: compilePatterns('map', 'includePaths', given.includePaths, onFullUrl),
    exclude: compilePatterns('map', 'excludePaths', given.excludePaths, onFullUrl),
    allowExternalLinks: given.allowExternalLinks ?? false,
    maxDiscoveryDepth: given.maxDiscoveryDepth,
    search: given.search,
    warnings: globWarnings(given),
    pageSettings: (url) => ({
      ...(url === start ? startPage : page),
      headers: headersForHop(page.headers, new URL(start), new URL(url), redirectCredentials),
    }),
    timeout: given.timeout ?? 60_000,
    signal: given.signal,
  };
}

const mapSchema = z.strictObject({
  search: z
    .string()
    .regex(/[\p{L}\p{N}]/u, 'expected words')
    .optional(),
  // Checked as in scrape().
  headers: z.custom<ScrapeOptions['headers']>().optional(),
  redirectCredentials: z.custom<ScrapeOptions['redirectCredentials']>().optional(),
  skipTlsVerification: z.custom<ScrapeOptions['skipTlsVerification']>().optional(),
  proxy: z.custom<ScrapeOptions['proxy']>().optional(),
  location: z.custom<ScrapeOptions['location']>().optional(),
  retries: z.custom<ScrapeOptions['retries']>().optional(),
  redact: z.custom<ScrapeOptions['redact']>().optional(),
  limit: z.int().min(1).optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
  includePaths: patternsSchema,
  excludePaths: patternsSchema,
  regexOnFullURL: z.boolean().optional(),
  endpoints: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  maxDiscoveryDepth: z.int().min(0).optional(),
  timeout: durationSchema(1).optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof MapOptions, z.ZodType>);
