/** Time and randomness, replaceable in tests. */

/** The source of times and ids. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 up to 1. */
  random(): number;
}
