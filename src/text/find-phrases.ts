/** Where a text has phrases of a kind, told by their beginnings. */

/** Characters that are searched, and of a phrase that are told. */
const mostSearched = 2_000_000;
const mostTold = 80;

/**
 * The beginnings of what the patterns find, each on one line, at most `limit`, in their order. The
 * patterns have to be global, and to bound their gaps.
 */
export function findPhrases(text: string, patterns: readonly RegExp[], limit: number): string[] {
  const searched = text.slice(0, mostSearched).normalize('NFKC').replace(/\s+/g, ' ');
  const found = new Map<number, string>();
  for (const pattern of patterns) {
    let left = limit;
    for (const { index, 0: match } of searched.matchAll(pattern)) {
      if (left-- === 0) break;
      const told = searched.slice(index, index + Math.max(match.length, mostTold));
      found.set(index, told.length > mostTold ? `${wholeCharacters(told)}…` : told);
    }
  }
  // Two patterns find the same sentence at places near each other.
  const places = [...found.keys()].sort((one, other) => one - other);
  const first = places.filter((place, at) => at === 0 || place - (places[at - 1] ?? 0) > mostTold);
  return [...new Set(first.map((place) => (found.get(place) ?? '').trim()))].slice(0, limit);
}

function wholeCharacters(text: string): string {
  return text.slice(0, mostTold).replace(/[\ud800-\udbff]$/, '');
}
