/** Under which key a page is kept: its URL, and all that changes what an engine brings. */
import { createHash } from 'node:crypto';
import type { ScrapeRequest } from '../model/request.ts';

/** The part of a request that is about the cache. */
export type CacheRequest = Pick<
  ScrapeRequest<unknown>,
  | 'url'
  | 'cache'
  | 'headers'
  | 'limits'
  | 'requires'
  | 'mayRender'
  | 'rendering'
  | 'skipTlsVerification'
  | 'country'
  | 'retries'
  | 'proxy'
  | 'stealthTimeout'
  | 'pace'
  | 'zeroDataRetention'
>;

/**
 * Why a request cannot share its page with others; undefined when it can. Pages that were asked for with
 * headers of one's own, with steps, or as somebody who is logged in, are nobody else's.
 */
export function obstacleTo({ headers, rendering }: CacheRequest): string | undefined {
  if (rendering.actions !== undefined) return 'it has actions';
  if (rendering.profile !== undefined) return 'it has a profile';
  // Those of `location`, which the key has.
  const isOwn = Object.keys(headers).some((name) => name !== 'accept-language');
  return isOwn ? 'it has headers of its own' : undefined;
}

/**
 * A hash, so that it is a name in any store, and tells nobody who sees it which page it is of. `scope` is
 * what all requests of the client have in common.
 */
export function cacheKey(scope: string, request: CacheRequest): string {
  const { url, headers, limits, requires, rendering } = request;
  // A page that came without a browser is no answer where one is asked for, and the other way round.
  const engine = request.mayRender ? [...requires.keys()] : 'http';
  const variant = [
    ...[scope, url, engine, rendering, headers['accept-language'], request.country],
    ...[request.skipTlsVerification ?? true, limits],
  ];
  return createHash('sha256').update(JSON.stringify(variant)).digest('hex');
}
