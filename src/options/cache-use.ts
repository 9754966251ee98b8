/** What scrape options say about stored copies. */
import { z } from 'zod';
import type { FormatRequest } from '../formats/format.ts';
import type { CacheUse } from '../model/request.ts';

/** Options that are about the cache. */
export interface CacheUseOptions {
  /**
   * A copy that is newer than this many ms is taken without a request; 0 always fetches. With
   * `cacheOnly` or `minAge` a copy may have any age unless this is
   * given. @default 172800000 (2 days), 0 with the format changeTracking
   */
  readonly maxAge?: number | undefined;
  /** Cache only: a copy at least this many ms old, else `CACHE_MISS`; nothing is fetched. */
  readonly minAge?: number | undefined;
  /** No request at all; without a cached copy `CACHE_MISS`. @default false */
  readonly cacheOnly?: boolean | undefined;
  /**
   * Keep this page for later calls. Never done with `headers`, `actions`, a `profile`, or
   * `zeroDataRetention`. @default true
   */
  readonly storeInCache?: boolean | undefined;
  /** Nothing of this scrape is written anywhere. @default false */
  readonly zeroDataRetention?: boolean | undefined;
}

const defaultMaxAge = 2 * 24 * 60 * 60 * 1000;

/** Reads the options. A page asked for with headers of its own is neither stored nor a stored one. */
export function cacheUse(
  given: CacheUseOptions & { readonly headers?: Readonly<Record<string, string>> | undefined },
  formats: readonly FormatRequest[],
): CacheUse {
  const { minAge, zeroDataRetention = false, storeInCache = true } = given;
  const hasHeaders = Object.keys(given.headers ?? {}).length > 0;
  const isOnly = given.cacheOnly === true || minAge !== undefined;
  // What changed since the last time is asked of the site.
  const isTracking = formats.some(({ format }) => format.name === 'changeTracking');
  const otherwise = isOnly ? Infinity : isTracking ? 0 : defaultMaxAge;
  const maxAge = given.maxAge ?? otherwise;
  return {
    maxAge: hasHeaders ? 0 : maxAge,
    minAge,
    isOnly,
    store: storeInCache && !zeroDataRetention && !hasHeaders,
  };
}

/** Their part of the schema of scrape options. */
export const cacheUseShape: {
  readonly [Name in keyof CacheUseOptions]-?: z.ZodType<CacheUseOptions[Name]>;
} = {
  maxAge: z.int().min(0).optional(),
  minAge: z.int().min(0).optional(),
  cacheOnly: z.boolean().optional(),
  storeInCache: z.boolean().optional(),
  zeroDataRetention: z.boolean().optional(),
};
