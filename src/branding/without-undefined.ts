/** An object without the properties that have no value, so that JSON and `in` agree. */

/** Gives a copy. */
export function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
