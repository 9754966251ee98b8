/** Matches labels with a property: by name, synonym, words and description. */
import type { JsonSchema } from '../schema/json-schema.ts';
import { canonical, synonymPaths, withoutPreposition } from './synonyms.ts';
import { fold, wordsOf } from '../facts/property-names.ts';
import { unitWords } from '../values/numbers.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/** Finds the entries for a property; only entries with the best kind of match. */
export type LabelIndex<T> = (name: string, schema: JsonSchema) => readonly T[];

/** Indexes labels for matching; `labelOf` gives an entry's label. */
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
    const meaning = canonical(folded);
    add(byMeaning, meaning, entry);
    const short = withoutPreposition(label);
    const shortMeaning = short === label ? meaning : canonical(fold(short));
    if (shortMeaning !== meaning) add(byMeaning, shortMeaning, entry);
    const words = wordsOf(label);
    phrases.push({ words: words.join(' '), entry });
    add(byWords, keyOf(words), entry);
  }
  return (name, schema) => {
    const folded = fold(name);
    const bare = fold(withoutUnit(wordsOf(name)).join(' '));
    const description = describing(schema.description ?? '');
    return (
      byName.get(folded) ??
      byName.get(fold(schema.title ?? '')) ??
      byMeaning.get(canonical(folded)) ??
      byMeaning.get(canonical(bare)) ??
      byWords.get(keyOf(wordsOf(name))) ??
      firstDefined(nearMeanings(folded), (meaning) => byMeaning.get(meaning)) ??
      described(phrases, description) ??
      byMeaning.get(ofSomeone(name)) ??
      []
    );
  };
}

function add<T>(index: Map<string, T[]>, key: string, entry: T): void {
  if (key === '') return;
  getOrInsert(index, key, () => []).push(entry);
}

const small = new Set('a an the of in for to and or per is no'.split(' '));

/** The significant words, in any order: `Date of birth` and `birthDate` agree. */
function keyOf(words: readonly string[]): string {
  return withoutUnit(words.filter((word) => !small.has(word)))
    .sort()
    .join(' ');
}

/** `weightKg` → `weight`. */
function withoutUnit(words: readonly string[]): string[] {
  const rest = [...words];
  while (rest.length > 1 && unitWords.has(rest.at(-1) ?? '')) rest.pop();
  return rest;
}

/** Labels accepted if none has the name itself: a shop's reference is its article number. */
const near: Readonly<Record<string, readonly string[]>> = {
  sku: ['identifier'],
  abstract: ['description'],
  description: ['abstract'],
};

function nearMeanings(folded: string): readonly string[] {
  const meaning = canonical(folded);
  const others = Object.hasOwn(near, meaning) ? (near[meaning] ?? []) : [];
  return [...others, ...synonymPaths(folded).slice(1)];
}

const contactLabels = new Set(['phone', 'telephone', 'email', 'fax', 'website']);

/** `agentPhone` and `contactEmail`: a label seldom names the person. */
function ofSomeone(name: string): string {
  const last = wordsOf(name).at(-1) ?? '';
  return contactLabels.has(last) ? canonical(last) : '';
}

/** The words of the description's first sentence, without its introductory words. */
function describing(description: string): string {
  const [first = ''] = description.split(/[.;(](?:\s|$)/);
  return wordsOf(first)
    .join(' ')
    .replace(/^(?:(?:a|an|the|what|how|of|its|this) )+/, '');
}

/** Labels with which the description begins; or labels of two words or more that occur in it. */
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
