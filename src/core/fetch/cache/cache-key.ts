/**
 * The keys of cached pages: a URL with every option that changes the response, and the identity of
 * the caller.
 */
import { createHmac } from 'node:crypto';
import type { Facet } from '../../checks/option.ts';
import { requestRows } from '../../model/request-options.ts';
import type { HostHeaders, ScrapeRequest } from '../../model/request.ts';
import { isPlainHeader } from '../../../content/text/http-headers.ts';
import { sha256Of } from '../../runtime/identifiers.ts';

/** The reason that a request cannot share its page; undefined if it can. Hooks may have added headers. */
export function sharingObstacle({ headers, cache }: ScrapeRequest<unknown>): string | undefined {
  // The language headers of `location` and the type of a body are part of the key.
  const isOwn = Object.keys(headers).some(
    (name) => !/^(?:accept-language|content-type)$/.test(name),
  );
  const obstacle = cache.obstacle ?? (isOwn ? requestRows.headers.private : undefined);
  return obstacle && `it has ${obstacle}`;
}

/** The options that change the page and do not prevent sharing. */
const variants = Object.entries<Facet[string]>(requestRows).flatMap(([name, row]) =>
  row.samePage === true || row.private !== undefined ? [] : [name as keyof typeof requestRows],
);

/**
 * Hashed, so that it is a valid name in any store and does not reveal the page. `scope` is common
 * to all requests of the client.
 */
export function cacheKey(scope: string, request: ScrapeRequest<unknown>): string {
  const { url, method, body, headers, requires, rendering, skipTlsVerification = true } = request;
  // A page fetched without a browser is not valid for a request that needs one, and vice versa.
  const engine = request.mayRender ? [...requires.keys()] : 'http';
  const values = { ...request, skipTlsVerification };
  const options = variants.map((name) => values[name]);
  const typed = [headers['accept-language'], headers['content-type']];
  const variant = [scope, url, method, body?.digest, engine, rendering, typed, options];
  return sha256Of(JSON.stringify(variant));
}

// The identity of the caller, which separates stored page data.

/**
 * A hash of all that lets a site serve visitors different pages: headers, cookies, profile,
 * actions, country and languages, mobile, method and body. Undefined for a visitor without any.
 */
export type IdentifyCaller = (
  request: Pick<
    ScrapeRequest<unknown>,
    'url' | 'headers' | 'cookies' | 'location' | 'rendering' | 'method' | 'body'
  >,
) => string | undefined;

/** `key` protects the hashes from guessed secrets; `certificate` and `hostHeaders` are those of the client. */
export function createIdentify(
  key: string | undefined,
  certificate: unknown,
  hostHeaders?: HostHeaders,
): IdentifyCaller {
  const hash = (value: unknown): string =>
    createHmac('sha256', key ?? '')
      .update(JSON.stringify(value))
      .digest('hex')
      .slice(0, 32);
  const certificateHash = certificate === undefined ? undefined : hash(certificate);
  return ({ url, headers, cookies = [], location, rendering, method, body }) => {
    const own = Object.entries({ ...hostHeaders?.of(new URL(url)), ...headers }).filter(
      ([name]) => name === 'accept-language' || !isPlainHeader(name),
    );
    const { profile, actions, mobile } = rendering;
    const traits = [
      location?.country,
      profile?.name,
      actions?.map(({ type, key: one = type }) => one),
      location,
      mobile,
      ...(cookies.length > 0 ? [cookies.map(({ name, value }) => `${name}=${value}`).sort()] : []),
      ...(method === undefined ? [] : [method, body?.digest]),
    ];
    if (own.length === 0 && [...traits, certificateHash].every((trait) => trait === undefined)) {
      return undefined;
    }
    return hash([own.sort(([one], [other]) => (one < other ? -1 : 1)), traits, certificateHash]);
  };
}
