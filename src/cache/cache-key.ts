/** The keys of stored pages: a URL with all that changes what an engine brings, and the identity of the caller. */
import { createHash, createHmac } from 'node:crypto';
import type { ScrapeRequest } from '../model/request.ts';
import { isPlainHeader } from '../network/credentials.ts';

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
export function sharingObstacle({ headers, rendering }: CacheRequest): string | undefined {
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
    scope,
    url,
    engine,
    rendering,
    headers['accept-language'],
    request.country,
    request.skipTlsVerification ?? true,
    limits,
  ];
  return createHash('sha256').update(JSON.stringify(variant)).digest('hex');
}

// Who asks for a page: what is stored of pages is kept apart by it.

/** The part of a request that says who asks, and from where. */
export type IdentityRequest = Pick<ScrapeRequest<unknown>, 'headers' | 'country' | 'rendering'>;

/**
 * A hash of everything by which a site may show one visitor another page than the next: headers, profile,
 * actions, country and languages, mobile. Undefined for a visitor without any of them.
 */
export type IdentifyCaller = (request: IdentityRequest) => string | undefined;

/** `key` makes the hashes useless to those who guess secrets; `certificate` is what the client shows servers. */
export function createIdentify(key: string | undefined, certificate: unknown): IdentifyCaller {
  const hash = (value: unknown): string =>
    createHmac('sha256', key ?? '')
      .update(JSON.stringify(value))
      .digest('hex')
      .slice(0, 32);
  const shown = certificate === undefined ? undefined : hash(certificate);
  return ({ headers, country, rendering }) => {
    const own = Object.entries(headers).filter(
      ([name]) => name === 'accept-language' || !isPlainHeader(name),
    );
    const { profile, actions, location, mobile } = rendering;
    const traits = [
      country,
      profile?.name,
      actions?.map(({ type, key: one = type }) => one),
      location,
      mobile,
    ];
    if (own.length === 0 && [...traits, shown].every((trait) => trait === undefined)) {
      return undefined;
    }
    return hash([own.sort(([one], [other]) => (one < other ? -1 : 1)), traits, shown]);
  };
}
