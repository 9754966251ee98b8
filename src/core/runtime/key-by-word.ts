/** Tables written as words by key, read as keys by word. */

/** The key of each word. A key's words are separated by spaces; of a word with several keys the last counts. */
export function keyByWord<Key extends string>(
  words: Readonly<Record<Key, string>>,
): ReadonlyMap<string, Key> {
  const keys = Object.keys(words) as Key[];
  return new Map(keys.flatMap((key) => words[key].split(' ').map((word) => [word, key] as const)));
}
