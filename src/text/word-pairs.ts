/** Neighbouring words as numbers: which words stand together in a text. */

/** A number of 32 bits for each word with the one before it, in their order; the first one has none before it. */
export function wordPairs(words: readonly string[]): number[] {
  let before = 0;
  return words.map((word) => {
    const hash = hashOf(word);
    const pair = mixBits(Math.imul(before, 31) ^ hash);
    before = hash;
    return pair;
  });
}

/** Spreads every bit over all others (the last step of MurmurHash3). */
export function mixBits(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) {
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  }
  return hash;
}
