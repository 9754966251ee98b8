/** The Retry-After header (RFC 9110, 10.2.3): how long a server asks to be left alone. */

/** Milliseconds from `now`, 0 for a date that is past; undefined when there is no usable value. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // All date forms of RFC 9110 begin with a weekday; anything else would be a lucky guess.
  const time = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
