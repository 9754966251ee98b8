/** How long a response may be used without asking, by its headers (RFC 9111, for a private cache). */
import type { CachedPage } from './cached-page.ts';

type Headers = Readonly<Record<string, string>>;

/** False for a response that must not be kept, or that depends on what no key tells. */
export function mayBeKept(headers: Headers): boolean {
  return !directivesOf(headers).has('no-store') && (headers['vary'] ?? '').trim() !== '*';
}

/** False for a copy that must not be used without asking once it is not fresh any more. */
export function mayBeStale({ snapshot: { headers } }: CachedPage): boolean {
  const directives = directivesOf(headers);
  return !directives.has('must-revalidate') && !directives.has('no-cache');
}

/** True while the copy may be used without asking. */
export function isFresh(page: CachedPage, now: number): boolean {
  return lifetimeOf(page) > ageOf(page, now);
}

/** RFC 9111, 4.2.3. In ms. */
function ageOf({ snapshot: { headers }, askedAt, cachedAt }: CachedPage, now: number): number {
  const apparent = Math.max(0, cachedAt - dateOf(headers, cachedAt));
  const told = (secondsOf(headers['age']) ?? 0) + (cachedAt - askedAt);
  return Math.max(apparent, told) + (now - cachedAt);
}

/** RFC 9111, 4.2.1 and 4.2.2. In ms; what cannot be read is no time at all. */
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

function dateOf({ date = '' }: Headers, otherwise: number): number {
  const told = Date.parse(date);
  return Number.isNaN(told) ? otherwise : told;
}

/** Seconds in ms; more than 68 years are as long as that (RFC 9111, 1.2.2). */
function secondsOf(text = ''): number | undefined {
  return /^\d+$/.test(text.trim()) ? Math.min(Number(text), 2 ** 31) * 1000 : undefined;
}

/** Characters of a Cache-Control header that are looked at. */
const longest = 4096;

/** The first of each name counts. */
function directivesOf(headers: Headers): ReadonlyMap<string, string> {
  // `Pragma: no-cache` is as old as HTTP/1.0 (RFC 9111, 5.4).
  const { pragma = '' } = headers;
  const text = (headers['cache-control'] ?? pragma).slice(0, longest);
  const directives = new Map<string, string>();
  const pattern = /([^\s,;="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?/g;
  for (const [, name = '', quoted, plain = ''] of text.matchAll(pattern)) {
    const key = name.toLowerCase();
    if (!directives.has(key)) directives.set(key, quoted ?? plain);
  }
  return directives;
}
