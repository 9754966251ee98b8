/** How well links answer a query: BM25F over a few short texts of each, in any script. */
import { wordLikeness } from './word-likeness.ts';
import { wordsOf } from './words.ts';

/** What a link has of the words that are looked for. Its score changes with what else is known. */
export interface Match {
  /** For each word looked for, how often each text has it; forms and parts of words count less. */
  readonly counts: readonly (readonly number[] | undefined)[];
  /** Words of each text. */
  readonly lengths: readonly number[];
}

/** Characters of a text, and words of a query, that count. */
const textLimit = 1_000;
const queryLimit = 64;
/** How soon more of the same word says less, and how much the length of a text matters (BM25). */
const saturation = 1.2;
const lengthShare = 0.5;
/** A link needs this share of the query, weighed by rarity: `the` alone does not answer it. */
const leastShare = 0.2;

/**
 * Learns from every link that is added how rare each word is and how long texts are. The same links
 * give the same scores, in any order.
 */
export class Relevance {
  /** Each with its other spellings. */
  readonly #sought: readonly (readonly string[])[];
  readonly #weights: readonly number[];
  /** By word: its likeness to each word looked for, where there is any. */
  readonly #known = new Map<string, readonly number[] | undefined>();
  /** Links added, and how many of them have each word. */
  #links = 0;
  readonly #having: number[];
  /** For each place of a text: how many links have it, and all their words. */
  readonly #texts: { count: number; words: number }[];

  /** `weights` says how much each text of a link counts, in the order in which `add` gets them. */
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

  /** Counts a link in; gives what it has, or undefined when it has nothing. */
  add(texts: readonly (string | undefined)[]): Match | undefined {
    const match = this.#match(texts);
    this.#links += 1;
    for (const [place, known] of this.#texts.entries()) {
      const words = match.lengths[place] ?? 0;
      if (words > 0) known.count += 1;
      known.words += words;
    }
    for (const [index, counts] of match.counts.entries()) {
      if (counts !== undefined) this.#having[index] = (this.#having[index] ?? 0) + 1;
    }
    return match.counts.some((counts) => counts !== undefined) ? match : undefined;
  }

  /** 0 for a link with too little of the query. */
  score({ counts, lengths }: Match): number {
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
      for (const [place, count] of found.entries()) {
        weight += (count * (this.#weights[place] ?? 0)) / this.#lengthFactor(place, lengths);
      }
      score += (rarity * weight) / (saturation + weight);
    }
    return share >= whole * leastShare ? score : 0;
  }

  #lengthFactor(place: number, lengths: readonly number[]): number {
    const { count = 0, words = 0 } = this.#texts[place] ?? {};
    const average = words / Math.max(1, count);
    return 1 - lengthShare + (lengthShare * (lengths[place] ?? 0)) / Math.max(1, average);
  }

  #match(texts: readonly (string | undefined)[]): Match {
    const counts: (number[] | undefined)[] = this.#sought.map(() => undefined);
    const lengths = texts.map((text, place) => {
      const words = text ? wordsOf(text.slice(0, textLimit)) : [];
      for (const word of words) {
        for (const [index, likeness] of (this.#likeness(word) ?? []).entries()) {
          if (likeness === 0) continue;
          const found = (counts[index] ??= texts.map(() => 0));
          found[place] = (found[place] ?? 0) + likeness;
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
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(word, some);
    return some;
  }
}

/** Words that are remembered: those of a site repeat. */
const mostKnown = 50_000;

/** Each word once. URLs write `ö` as `oe` where titles write it as it is. */
function soughtWords(query: string): string[][] {
  const words = wordsOf(query.slice(0, textLimit));
  const written = wordsOf(
    query
      .slice(0, textLimit)
      .normalize('NFC')
      .replace(/[äöü]/gi, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter.toLowerCase()] ?? ''),
  );
  const spellings = new Map(
    words.map((word, index) => [word, [...new Set([word, written[index] ?? word])]]),
  );
  return [...spellings.values()].slice(0, queryLimit);
}
