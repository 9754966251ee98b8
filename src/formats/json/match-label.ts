/** Which labels mean a property: by name, synonym, words and description. */
import type { JsonSchema } from './json-schema.ts';
import { fold, wordsOf } from './names.ts';
import { canonical } from './synonyms.ts';
import { unitWords } from './units.ts';

/** Finds the entries for a property; those of the best kind of match only. */
export type LabelIndex<T> = (name: string, schema: JsonSchema) => readonly T[];

/** Prepares labels for matching; `labelOf` tells an entry's label. */
export function labelIndex<T>(entries: readonly T[], labelOf: (entry: T) => string): LabelIndex<T> {
  const byName = new Map<string, T[]>();
  const byMeaning = new Map<string, T[]>();
  const byWords = new Map<string, T[]>();
  const phrases: { readonly words: string; readonly entry: T }[] = [];
  for (const entry of entries) {
    const label = labelOf(entry);
    const folded = fold(label);
    if (folded === '') continue;
    add(byName, folded, entry);
    add(byMeaning, canonical(folded), entry);
    add(byWords, keyOf(wordsOf(label)), entry);
    phrases.push({ words: wordsOf(label).join(' '), entry });
  }
  return (name, schema) => {
    const folded = fold(name);
    const description = describing(schema.description ?? '');
    return (
      byName.get(folded) ??
      byName.get(fold(schema.title ?? '')) ??
      byMeaning.get(canonical(folded)) ??
      byWords.get(keyOf(wordsOf(name))) ??
      described(phrases, description) ??
      []
    );
  };
}

function add<T>(index: Map<string, T[]>, key: string, entry: T): void {
  if (key === '') return;
  const known = index.get(key);
  if (known === undefined) index.set(key, [entry]);
  else known.push(entry);
}

const small = new Set('a an the of in for to and or per is no'.split(' '));

/** The words that carry the meaning, in any order: `Date of birth` and `birthDate` agree. */
function keyOf(words: readonly string[]): string {
  const heavy = words.filter((word) => !small.has(word));
  while (heavy.length > 1 && unitWords.has(heavy.at(-1) ?? '')) heavy.pop();
  return heavy.sort().join(' ');
}

/** The description's first sentence in words, without what it starts with. */
function describing(description: string): string {
  const [first = ''] = description.split(/[.;(](?:\s|$)/);
  return wordsOf(first)
    .join(' ')
    .replace(/^(?:(?:a|an|the|what|how|of|its|this) )+/, '');
}

/** Labels with which the description begins; or, of two words and more, that occur in it. */
function described<T>(
  phrases: readonly { readonly words: string; readonly entry: T }[],
  description: string,
): T[] | undefined {
  if (description === '') return undefined;
  const padded = ` ${description} `;
  const found = phrases.filter(({ words }) => {
    if (words.length < 3) return false;
    if (padded.startsWith(` ${words} `)) return true;
    return words.includes(' ') && padded.includes(` ${words} `);
  });
  return found.length === 0 ? undefined : found.map(({ entry }) => entry);
}
