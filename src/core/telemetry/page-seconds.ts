/** The buckets of page times, for workers and for OpenTelemetry. */

/** Upper bounds in seconds. */
export const pageSeconds: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
