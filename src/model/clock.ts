/** Time and chance, so that a test can decide them. */

/** Where times and ids come from. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 up to 1. */
  random(): number;
}
