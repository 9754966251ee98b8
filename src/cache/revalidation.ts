/** Asking whether a copy is still right: RFC 9110, 13 and RFC 9111, 4.3. */
import type { Snapshot } from '../model/snapshot.ts';
import type { CachedPage } from './cached-page.ts';

type Headers = Readonly<Record<string, string>>;

/** An entity tag. A server's list of several, which came as several headers, is none. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;
const printable = /^[\x20-\x7e]{1,100}$/;

/**
 * The headers that ask for the page only when it is no longer this one; undefined when the copy
 * cannot be asked about: it has no validator, or is what a browser made of more than one response.
 */
export function conditionsOf({ snapshot, isRendered }: CachedPage): Headers | undefined {
  return isRendered ? undefined : conditionsFor(snapshot.headers);
}

/** The same for the headers of a response as it came. */
export function conditionsFor(headers: Headers): Headers | undefined {
  const { etag = '', 'last-modified': modified = '' } = headers;
  const isDate = printable.test(modified) && !Number.isNaN(Date.parse(modified));
  // Who knows entity tags leaves the date aside (RFC 9110, 13.1.3).
  const conditions = {
    ...(entityTag.test(etag) ? { 'if-none-match': etag } : {}),
    ...(isDate ? { 'if-modified-since': modified } : {}),
  };
  return Object.keys(conditions).length > 0 ? conditions : undefined;
}

/**
 * The copy with the headers of the 304 that says that it is right; undefined when that is about
 * something else: another URL, since a redirect changed, or another version.
 */
export function confirmedPage(
  page: CachedPage,
  { url, headers }: Snapshot,
  times: Pick<CachedPage, 'askedAt' | 'cachedAt'>,
): CachedPage | undefined {
  const stored = page.snapshot.headers;
  if (url !== page.snapshot.url || !isSameVersion(stored, headers)) return undefined;
  const fresh = Object.entries(headers).filter(([name]) => !ofThisMessage.test(name));
  const snapshot = { ...page.snapshot, headers: { ...stored, ...Object.fromEntries(fresh) } };
  return { ...page, ...times, snapshot };
}

/** The same version by what both responses tell of it. */
export function isSameVersion(stored: Headers, fresh: Headers): boolean {
  const { etag, 'last-modified': modified } = fresh;
  if (etag !== undefined && stored['etag'] !== undefined) {
    return opaque(etag) === opaque(stored['etag']);
  }
  return modified === undefined || modified === (stored['last-modified'] ?? modified);
}

/** If-None-Match compares weakly: RFC 9110, 8.8.3.2. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** What is about the message with the body, or about the connection (RFC 9111, 3.2). */
const ofThisMessage =
  /^(?:content-(?:encoding|length|range|type)|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade)$/;
