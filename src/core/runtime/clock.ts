/** Time and randomness, replaceable in tests. */

/** The source of times and ids. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 up to 1. */
  random(): number;
}

/** A time as ISO 8601 text. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
