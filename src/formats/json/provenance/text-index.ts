/** Finds texts in a folded text by their rarest word. */
import type { Budget, Candidates, Place } from './candidates.ts';
import { type FoldedText } from './folded-text.ts';

/** Scripts that put no spaces between words: each of their characters counts as one. */
const unspaced =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[\ud840-\ud87f]/;
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;

/** One for a page. */
export class TextIndex {
  readonly #folded: FoldedText;
  readonly #budget: Budget;
  readonly #positions = new Map<string, number[]>();

  constructor(folded: FoldedText, budget: Budget) {
    this.#folded = folded;
    this.#budget = budget;
    for (const { word, at } of wordsIn(folded.text)) {
      const known = this.#positions.get(word);
      if (known === undefined) this.#positions.set(word, [at]);
      else known.push(at);
    }
  }

  /** Where the folded text may stand, as whole words. Undefined when it has nothing to look for. */
  find(needle: string): Candidates | undefined {
    const budget = this.#budget;
    if (needle === '' || budget.steps < 0) return undefined;
    const anchor = this.#rarest(needle);
    if (anchor === undefined) return this.#plain(needle);
    const { positions, offset } = anchor;
    return {
      get count() {
        return budget.steps < 0 ? 0 : positions.length;
      },
      startOf: (index) => this.#folded.startAt(Math.max(0, (positions[index] ?? 0) - offset)),
      read: (index) => this.#read(needle, (positions[index] ?? 0) - offset),
    };
  }

  #rarest(
    needle: string,
  ): { readonly positions: readonly number[]; readonly offset: number } | undefined {
    let best: { positions: readonly number[]; offset: number } | undefined;
    for (const { word, at } of wordsIn(needle)) {
      this.#budget.steps -= 1;
      const positions = this.#positions.get(word) ?? [];
      if (best === undefined || positions.length < best.positions.length) {
        best = { positions, offset: at };
      }
      if (positions.length === 0) break;
    }
    return best;
  }

  #read(needle: string, at: number): Place | undefined {
    const { text } = this.#folded;
    this.#budget.steps -= 1 + (needle.length >> 6);
    if (at < 0 || this.#budget.steps < 0 || !text.startsWith(needle, at)) return undefined;
    const end = at + needle.length;
    if (isWithinWord(text, at) || isWithinWord(text, end)) return undefined;
    return { start: this.#folded.startAt(at), end: this.#folded.endAt(end) };
  }

  /** Signs without a letter or a digit, such as `€`: the first ones tell enough. */
  #plain(needle: string): Candidates {
    const { text } = this.#folded;
    const found: number[] = [];
    for (let at = text.indexOf(needle); at !== -1 && found.length < 1000;) {
      found.push(at);
      at = text.indexOf(needle, at + needle.length);
    }
    this.#budget.steps -= 100 + (text.length >> 6);
    return {
      count: this.#budget.steps < 0 ? 0 : found.length,
      startOf: (index) => this.#folded.startAt(found[index] ?? 0),
      read: (index) => this.#read(needle, found[index] ?? -1),
    };
  }
}

function* wordsIn(text: string): Generator<{ readonly word: string; readonly at: number }> {
  for (const { 0: run, index } of text.matchAll(wordPattern)) {
    if (!unspaced.test(run)) {
      yield { word: run, at: index };
      continue;
    }
    let at = index;
    for (const word of run) {
      yield { word, at };
      at += word.length;
    }
  }
}

const wordCharacter = /[\p{L}\p{N}\p{M}]/u;

/** `art` does not stand in `party`. */
function isWithinWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at);
  if (at === 0 || after === '' || unspaced.test(before) || unspaced.test(after)) return false;
  return wordCharacter.test(before) && wordCharacter.test(after);
}
