/** Objects with only those members that have a value, so that JSON and `in` agree. */

/** `T` with each optional member possibly undefined. */
type Undefinable<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** A copy without undefined members. `T` is inferred from the target, or given. */
export function compact<T extends object>(fields: NoInfer<Undefinable<T>>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** A copy of these members. */
export function pick<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}
