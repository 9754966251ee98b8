/** The relevance of links to a query: BM25F over a few short texts of each, in any script. */
import { wordsOf } from './words.ts';

const limits = {
  text: 1_000, // characters used of a text
  query: 64, // words used of a query
  known: 50_000, // words in memory: words of a site repeat
};

const scores = {
  saturation: 1.2, // of repeated words (BM25)
  lengthShare: 0.5, // weight of a text's length (BM25)
  leastShare: 0.2, // share of the query, by rarity, that a link needs: `the` alone is not enough
  asForm: 0.7,
  asPart: 0.4,
};

/** The match of a link with the query. Its score changes as more links are known. */
export interface RelevanceMatch {
  /** For each word of the query, its count in each text; forms and parts of words count less. */
  readonly counts: readonly (readonly number[] | undefined)[];
  /** The number of words in each text. */
  readonly lengths: readonly number[];
}

/**
 * Learns the rarity of words and the length of texts from every added link. The same links give the same
 * scores, in any order.
 */
export class Relevance {
  /** The words of the query, each with its other spellings. */
  readonly #sought: readonly (readonly string[])[];
  readonly #weights: readonly number[];
  /** The likeness of each known word to each word of the query, if any. */
  readonly #known = new Map<string, readonly number[] | undefined>();
  /** Added links, and the number of links with each word. */
  #links = 0;
  readonly #having: number[];
  /** For each kind of text: the number of links that have it, and of all their words. */
  readonly #texts: { count: number; words: number }[];

  /** `weights`: the weight of each text of a link, in the order of the texts in `add`. */
  constructor(query: string, weights: readonly number[]) {
    this.#sought = soughtWords(query);
    this.#weights = weights;
    this.#having = this.#sought.map(() => 0);
    this.#texts = weights.map(() => ({ count: 0, words: 0 }));
  }

  /** Links added. */
  get links(): number {
    return this.#links;
  }

  /** Adds a link; returns its match, or undefined without one. */
  add(texts: readonly (string | undefined)[]): RelevanceMatch | undefined {
    const match = this.#match(texts);
    this.#links += 1;
    for (const [field, known] of this.#texts.entries()) {
      const words = match.lengths[field] ?? 0;
      if (words > 0) known.count += 1;
      known.words += words;
    }
    for (const [index, counts] of match.counts.entries()) {
      if (counts !== undefined) this.#having[index] = (this.#having[index] ?? 0) + 1;
    }
    return match.counts.some((counts) => counts !== undefined) ? match : undefined;
  }

  /** 0 for a link with too little of the query. */
  score({ counts, lengths }: RelevanceMatch): number {
    let score = 0;
    let share = 0;
    let whole = 0;
    for (const [index, having] of this.#having.entries()) {
      if (having === 0) continue;
      const rarity = Math.log(1 + (this.#links - having + 0.5) / (having + 0.5));
      whole += rarity;
      const found = counts[index];
      if (found === undefined) continue;
      share += rarity;
      let weight = 0;
      for (const [field, count] of found.entries()) {
        weight += (count * (this.#weights[field] ?? 0)) / this.#lengthFactor(field, lengths);
      }
      score += (rarity * weight) / (scores.saturation + weight);
    }
    return share >= whole * scores.leastShare ? score : 0;
  }

  #lengthFactor(field: number, lengths: readonly number[]): number {
    const { count = 0, words = 0 } = this.#texts[field] ?? {};
    const average = words / Math.max(1, count);
    return (
      1 - scores.lengthShare + (scores.lengthShare * (lengths[field] ?? 0)) / Math.max(1, average)
    );
  }

  #match(texts: readonly (string | undefined)[]): RelevanceMatch {
    const counts: (number[] | undefined)[] = this.#sought.map(() => undefined);
    const lengths = texts.map((text, field) => {
      const words = text ? wordsOf(text.slice(0, limits.text)) : [];
      for (const word of words) {
        for (const [index, likeness] of (this.#likeness(word) ?? []).entries()) {
          if (likeness === 0) continue;
          const found = (counts[index] ??= texts.map(() => 0));
          found[field] = (found[field] ?? 0) + likeness;
        }
      }
      return words.length;
    });
    return { counts, lengths };
  }

  #likeness(word: string): readonly number[] | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    const likeness = this.#sought.map((spellings) =>
      Math.max(...spellings.map((spelling) => wordLikeness(spelling, word))),
    );
    const some = likeness.some((value) => value > 0) ? likeness : undefined;
    if (this.#known.size >= limits.known) this.#known.clear();
    this.#known.set(word, some);
    return some;
  }
}

/** The distinct words of a query with other spellings: URLs write `ö` as `oe`, titles do not. */
export function soughtWords(query: string): string[][] {
  const words = wordsOf(query.slice(0, limits.text));
  const written = wordsOf(
    query
      .slice(0, limits.text)
      .normalize('NFC')
      .replace(/[äöü]/gi, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter.toLowerCase()] ?? ''),
  );
  const spellings = new Map(
    words.map((word, index) => [word, [...new Set([word, written[index] ?? word])]]),
  );
  return [...spellings.values()].slice(0, limits.query);
}

// The likeness of a word to a sought word: the same, a form of it, or a part of a longer word.

/** The word forms of one script. Lengths are in letters. */
interface WritingSystem {
  readonly letters: RegExp;
  /** Letters that two forms of a word share, at least. */
  readonly stem: number;
  /** The ending of one form after the stem, when the other form has none. */
  readonly ending: RegExp;
  /**
   * The endings if both forms have one.
   * @default `ending`
   */
  readonly exchanged?: RegExp;
  /** A prefix that may be attached to a word. */
  readonly attached?: RegExp;
  /** Letters that a word needs, to count as the first or last part of a longer one. */
  readonly part: number;
}

const writingSystems: readonly WritingSystem[] = [
  {
    letters: /^\p{Script=Latin}/u,
    stem: 3,
    // maps, mapped, mapping, Uhren, Brote
    ending: /^(?:[aeiouy]{0,2}[snm]?|ings?|e[dr]|ers|ern)$/,
    // story and stories, price and pricing, mappa and mappe
    exchanged: /^(?:[aeiouy]{1,2}[snm]?|ings?|e[dr]|ers)$/,
    part: 4,
  },
  {
    letters: /^\p{Script=Cyrillic}/u,
    stem: 3,
    ending: /^(?:[аеиоуыэюяьії]\p{L}{0,2}|[вмх]|ми)$/u,
    exchanged: /^[аеиоуыэюяьії]\p{L}{0,2}$/u,
    part: 4,
  },
  { letters: /^\p{Script=Greek}/u, stem: 3, ending: /^(?:[αεηιουω]\p{L}{0,2}|[σν])$/u, part: 4 },
  {
    letters: /^\p{Script=Hebrew}/u,
    stem: 2,
    ending: /^(?:ה|י|ת|ות|ימ|ית)$/,
    attached: /^[והבלמשכ]{1,2}$/,
    part: 3,
  },
  {
    letters: /^\p{Script=Arabic}/u,
    stem: 3,
    ending: /^(?:ه|ي|ا|ت|ات|ين|ون|يه)$/,
    attached: /^(?:[وف]?[بك]?ال|[وف]?لل|[وفبكل])$/,
    part: 3,
  },
  // Vowel signs, and the plurals after them
  {
    letters: /^\p{Script=Devanagari}/u,
    stem: 2,
    ending: /^[\u0900-\u0903\u093e-\u094cयओए]{1,5}$/,
    part: 3,
  },
  // Particles
  {
    letters: /^\p{Script=Hangul}/u,
    stem: 1,
    ending: /^(?:[은는이가을를의에도와과로들만]|에서|으로|까지|부터|들[은이을의])$/,
    exchanged: /^(?!)/,
    part: 2,
  },
  { letters: /^[\p{Script=Katakana}ー]/u, stem: 9, ending: /^(?!)/, part: 2 },
];

/** Chinese characters and hiragana come as pairs; a single one in the query is part of several. */
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}]$/u;

/**
 * 1 for the same word, less for another form (`maps` for `map`), a word that begins with it or a
 * compound that ends with it (`Roggenbrot` for `Brot`), 0 for another word. Both come from `wordsOf`.
 * These are rules of thumb, without a dictionary: now and then they take another word for a form.
 */
export function wordLikeness(sought: string, word: string): number {
  if (sought === word) return 1;
  // A number matches only itself.
  if (/\p{N}/u.test(sought)) return 0;
  if (ideograph.test(sought)) return word.includes(sought) ? scores.asPart : 0;
  const script = writingSystems.find(({ letters }) => letters.test(sought));
  if (script === undefined || !script.letters.test(word)) return 0;
  if (isForm(sought, word, script)) return scores.asForm;
  const { attached, part } = script;
  if (attached !== undefined) {
    if (isAttached(sought, word, script) || isAttached(word, sought, script)) return scores.asForm;
  }
  if (sought.length < part) return 0;
  if (word.startsWith(sought)) return scores.asPart;
  return word.endsWith(sought) && word.length - sought.length >= part - 1 ? scores.asPart : 0;
}

function isForm(
  one: string,
  other: string,
  { stem, ending, exchanged = ending }: WritingSystem,
): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  if (shared < stem) return false;
  const [rest, otherRest] = [one.slice(shared), other.slice(shared)];
  if (rest === '' || otherRest === '') return ending.test(rest + otherRest);
  return exchanged.test(rest) && exchanged.test(otherRest);
}

/** True when the longer word is a form of the shorter one with a prefix: `המפות`, `מפה`. */
function isAttached(short: string, long: string, script: WritingSystem): boolean {
  for (let length = 1; length <= 4 && long.length - length >= script.stem; length += 1) {
    if (script.attached?.test(long.slice(0, length)) !== true) continue;
    const rest = long.slice(length);
    if (rest === short || isForm(short, rest, script)) return true;
  }
  return false;
}
