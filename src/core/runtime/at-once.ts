/** Results of functions that have to return at once. */

/**
 * The result of a caller's function; throws a `TypeError` for a promise, whose rejection would end the process.
 */
export function atOnce<Result>(result: Result): Result {
  if (!isThenable(result)) return result;
  Promise.resolve(result).catch(() => undefined);
  throw new TypeError('it returned a promise; it must be synchronous');
}

/** True for a promise of any library. */
export function isThenable(value: unknown): boolean {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
