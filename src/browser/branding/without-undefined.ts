/** Removes properties without a value from an object, so that JSON and `in` agree. */

/** Returns a copy. */
export function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
