/** HTTP caching of one response: freshness by its headers (RFC 9111, private cache) and revalidation (RFC 9110, 13). */
import type { Snapshot } from '../../model/snapshot.ts';
import type { CachedPage } from './cached-page.ts';

type ResponseHeaders = Readonly<Record<string, string>>;

/** True for a response that must not be stored (RFC 9111, 5.2.2.5). */
export function forbidsStoring(headers: ResponseHeaders): boolean {
  return directivesOf(headers).has('no-store');
}

/** True for a response that varies by something outside the key. */
export function variesByAnything(headers: ResponseHeaders): boolean {
  return (headers['vary'] ?? '').trim() === '*';
}

/** False for a copy that, once stale, requires revalidation. */
export function mayBeStale({ snapshot: { headers } }: CachedPage): boolean {
  const directives = directivesOf(headers);
  return !directives.has('must-revalidate') && !directives.has('no-cache');
}

/** True while the copy may be used without revalidation. */
export function isFresh(page: CachedPage, now: number): boolean {
  return lifetimeOf(page) > ageOf(page, now);
}

/** RFC 9111, 4.2.3. In ms. */
function ageOf({ snapshot: { headers }, askedAt, cachedAt }: CachedPage, now: number): number {
  const apparent = Math.max(0, cachedAt - dateOf(headers, cachedAt));
  const corrected = (secondsOf(headers['age']) ?? 0) + (cachedAt - askedAt);
  return Math.max(apparent, corrected) + (now - cachedAt);
}

/** RFC 9111, 4.2.1 and 4.2.2. In ms; unreadable values count as 0. */
function lifetimeOf({ snapshot: { headers }, cachedAt }: CachedPage): number {
  const directives = directivesOf(headers);
  if (directives.has('no-cache')) return 0;
  const maxAge = directives.get('max-age');
  if (maxAge !== undefined) return secondsOf(maxAge) ?? 0;
  const date = dateOf(headers, cachedAt);
  const { expires, 'last-modified': modified } = headers;
  if (expires !== undefined) return Math.max(0, (Date.parse(expires) || 0) - date);
  const unchangedFor = modified === undefined ? 0 : date - Date.parse(modified);
  return unchangedFor > 0 ? unchangedFor / 10 : 0;
}

function dateOf({ date = '' }: ResponseHeaders, otherwise: number): number {
  const time = Date.parse(date);
  return Number.isNaN(time) ? otherwise : time;
}

/** Seconds in ms, capped at 68 years (RFC 9111, 1.2.2). */
function secondsOf(text = ''): number | undefined {
  return /^\d+$/.test(text.trim()) ? Math.min(Number(text), 2 ** 31) * 1000 : undefined;
}

const longestCacheControl = 4096; // characters read

/** The first of duplicate names counts. */
function directivesOf(headers: ResponseHeaders): ReadonlyMap<string, string> {
  // `Pragma: no-cache` dates from HTTP/1.0 (RFC 9111, 5.4).
  const { pragma = '' } = headers;
  const text = (headers['cache-control'] ?? pragma).slice(0, longestCacheControl);
  const directives = new Map<string, string>();
  const pattern = /([^\s,;="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?/g;
  for (const [, name = '', quoted, plain = ''] of text.matchAll(pattern)) {
    const key = name.toLowerCase();
    if (!directives.has(key)) directives.set(key, quoted ?? plain);
  }
  return directives;
}

// Revalidation of a copy: RFC 9110, 13 and RFC 9111, 4.3.

type ValidatorHeaders = Readonly<Record<string, string>>;

/** An entity tag. A list of several, from repeated headers, is not one. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;

const printableDate = /^[\x20-\x7e]{1,100}$/;

/**
 * Conditional headers for this copy; undefined when it cannot be revalidated: it has no validator,
 * or a browser made it from several responses.
 */
export function conditionsOf({ snapshot, isRendered }: CachedPage): ValidatorHeaders | undefined {
  return isRendered ? undefined : conditionsFor(snapshot.headers);
}

/** The same for the headers of a received response. */
export function conditionsFor(headers: ValidatorHeaders): ValidatorHeaders | undefined {
  const { etag = '', 'last-modified': modified = '' } = headers;
  const isDate = printableDate.test(modified) && !Number.isNaN(Date.parse(modified));
  // A server that supports entity tags ignores the date (RFC 9110, 13.1.3).
  const conditions = {
    ...(entityTag.test(etag) ? { 'if-none-match': etag } : {}),
    ...(isDate ? { 'if-modified-since': modified } : {}),
  };
  return Object.keys(conditions).length > 0 ? conditions : undefined;
}

/**
 * The copy with the headers of the 304 that confirms it; undefined when the 304 is for another URL,
 * because a redirect changed, or for another version.
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

/** True if the validators of both responses agree. */
export function isSameVersion(stored: ValidatorHeaders, fresh: ValidatorHeaders): boolean {
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

/** Headers of the message with the body, or of the connection (RFC 9111, 3.2). */
const ofThisMessage =
  /^(?:content-(?:encoding|length|range|type)|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade)$/;
