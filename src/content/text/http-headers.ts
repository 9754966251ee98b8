/** HTTP headers: the syntax of names and values, and the delay of Retry-After. */

/** A token of RFC 9110, section 5.6.2. */
export const headerName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A header value without control characters. */
export const headerValue: RegExp = /^[^\0-\x08\x0a-\x1f\x7f]*$/;

/** The headers with lower-case names. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(pairs);
}

/**
 * A received value without long runs of spaces, which are unusual and slow to match. Applied where a response
 * is received, so that all later code reads values of this form.
 */
export function tidyHeader(value: string): string {
  return value.replace(/[ \t\r\n]{9,}/g, ' ').trim();
}

// The Retry-After header (RFC 9110, 10.2.3): how long a server wants clients to wait.

/** Milliseconds from `now`, 0 for a past date; undefined without a usable value. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // All date forms of RFC 9110 begin with a weekday; anything else would be a guess.
  const time = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

// Status codes.

/** True for 3xx. */
export function isRedirect(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 400;
}

/** True if the status means that the page does not exist. */
export function isGone(statusCode: number | undefined): boolean {
  return statusCode === 404 || statusCode === 410;
}

/**
 * Headers that describe the wanted page, not the sender. Every other header of a caller is for one
 * server only.
 */
const plainNames: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'dnt',
  'if-modified-since',
  'if-none-match',
  'pragma',
  'priority',
  'range',
  'save-data',
  'upgrade-insecure-requests',
  'user-agent',
]);

/** True for a header that any server may receive and any store may hold. */
export function isPlainHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return plainNames.has(lower) || /^sec-(?:ch|fetch|gpc)/.test(lower);
}
