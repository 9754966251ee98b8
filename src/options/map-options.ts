/** What a caller may say to `map()`: types, defaults and checks. */
import { z } from 'zod';
import type { UrlMatcher, UrlPattern } from '../frontier/url-pattern.ts';
import { startUrl } from './start-url.ts';
import { check } from './check.ts';
import { compilePatterns, patternsSchema } from './crawl-options.ts';
import { refuseUnsupported } from './refuse-unsupported.ts';

/** Options of `map()`. */
export interface MapOptions {
  /** Links given at most. @default 100 */
  readonly limit?: number | undefined;
  /** Read the site's sitemaps: beside page links, not at all, or instead of them. @default 'include' */
  readonly sitemap?: 'include' | 'skip' | 'only' | undefined;
  /** Hosts of the same registrable domain too. @default true */
  readonly includeSubdomains?: boolean | undefined;
  /** URLs that differ in their query only are one, given without it. @default true */
  readonly ignoreQueryParameters?: boolean | undefined;
  /** Only URLs that match one of these: regular expressions or functions, tested on the path. */
  readonly includePaths?: readonly UrlPattern[] | undefined;
  /** URLs that match one of these are left out; wins over `includePaths`. */
  readonly excludePaths?: readonly UrlPattern[] | undefined;
  /** Test the patterns on the whole URL. @default false */
  readonly regexOnFullURL?: boolean | undefined;
  /** Linked pages of other sites too. @default false */
  readonly allowExternalLinks?: boolean | undefined;
  /** Hops from the start page whose links are read, at most 50 pages. @default 1 where there are sitemaps, else 2 */
  readonly maxDiscoveryDepth?: number | undefined;
  /** Milliseconds for the whole call, at least 1000. @default 60000 */
  readonly timeout?: number | undefined;
  /** Rejects the call with `CANCELLED`. */
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
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Checks the arguments of `map()`. */
export function parseMapOptions(url: unknown, options: unknown): MapSettings {
  const start = check('map', z.union([z.string(), z.instanceof(URL)]), url);
  refuseUnsupported('map', options, ['search']);
  const given = check('map', mapSchema, options ?? {});
  const onFullUrl = given.regexOnFullURL ?? false;
  return {
    url: startUrl('map', start, 'give the URL without them'),
    limit: given.limit ?? 100,
    sitemap: given.sitemap ?? 'include',
    includeSubdomains: given.includeSubdomains ?? true,
    ignoreQueryParameters: given.ignoreQueryParameters ?? true,
    include: compilePatterns('map', 'includePaths', given.includePaths, onFullUrl),
    exclude: compilePatterns('map', 'excludePaths', given.excludePaths, onFullUrl),
    allowExternalLinks: given.allowExternalLinks ?? false,
    maxDiscoveryDepth: given.maxDiscoveryDepth,
    timeout: given.timeout ?? 60_000,
    signal: given.signal,
  };
}

const mapSchema = z.strictObject({
  limit: z.int().min(1).optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
  includePaths: patternsSchema,
  excludePaths: patternsSchema,
  regexOnFullURL: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  maxDiscoveryDepth: z.int().min(0).optional(),
  timeout: z
    .int()
    .min(1000)
    .max(2 ** 31 - 1)
    .optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof MapOptions, z.ZodType>);
