/** Collects values in lists by key. */

/** The list at a key; adds an empty one where there is none. */
export function listAt<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Value[] = [];
  lists.set(key, list);
  return list;
}
