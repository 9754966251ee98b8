/** The value of a key in a map, made and added where there is none: `Map.prototype.getOrInsertComputed` to come. */

/** The value of `key`; without one, the result of `make`, which is added. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
