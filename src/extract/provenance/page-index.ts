/** Indexes one page's markdown lazily: texts by their rarest word, addresses, numbers and dates. */
import { urlOf } from '../../core/url/normalize-url.ts';
import { DateIndex } from './date-index.ts';
import { type FoldedText, foldMarkdown, type WrittenTarget } from './folded-text.ts';
import { NumberIndex } from './number-index.ts';
import type { QuotedPage } from './provenance.ts';
import {
  knownSpans,
  type SearchBudget,
  type SpanCandidates,
  type TextSpan,
} from './span-candidates.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

const limits = {
  characters: 4_000_000, // later text is not indexed: a value that is not found may be there
  steps: 5_000_000, // words looked up and spans compared, for all leaves of a page
  addresses: 200_000, // only a link farm has more
};

/** Spans in which the page states yes, and spans in which it states no. */
export interface BooleanAnswers {
  readonly yes: readonly TextSpan[];
  readonly no: readonly TextSpan[];
}

/** Created once for each page. */
export class PageIndex {
  readonly markdown: string;
  readonly language: string | undefined;
  /** False when a part of the markdown was left out. */
  readonly isWhole: boolean;
  readonly budget: SearchBudget = { steps: limits.steps };
  readonly texts: TextIndex;
  readonly urls: UrlIndex;
  /** Answers for boolean properties, by their names. */
  readonly answers: Map<string, BooleanAnswers> = new Map();
  readonly #folded: FoldedText;
  #numbers: NumberIndex | undefined;
  #dates: DateIndex | undefined;

  constructor({ markdown, language, url }: QuotedPage) {
    this.markdown = markdown.slice(0, limits.characters);
    this.isWhole = markdown.length <= limits.characters;
    this.language = language === '' ? undefined : language;
    const { folded, targets } = foldMarkdown(this.markdown);
    this.#folded = folded;
    this.texts = new TextIndex(folded, this.budget);
    this.urls = new UrlIndex(this.markdown, targets, url);
  }

  get numbers(): NumberIndex {
    const { markdown, language } = this;
    return (this.#numbers ??= new NumberIndex({ markdown, language, folded: this.#folded }));
  }

  get dates(): DateIndex {
    const { markdown, language } = this;
    return (this.#dates ??= new DateIndex({ markdown, language, folded: this.#folded }));
  }
}

// Finds texts in a folded text by their rarest word.

/** Scripts that put no spaces between words: each of their characters counts as one. */
const unspaced =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[\ud840-\ud87f]/;

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;

/** Created once for each page. */
class TextIndex {
  readonly #folded: FoldedText;
  readonly #budget: SearchBudget;
  readonly #positions = new Map<string, number[]>();

  constructor(folded: FoldedText, budget: SearchBudget) {
    this.#folded = folded;
    this.#budget = budget;
    for (const { word, at } of wordsIn(folded.text)) {
      getOrInsert(this.#positions, word, () => []).push(at);
    }
  }

  /** Spans where the folded text may be, as whole words. Undefined if there is nothing to search. */
  find(needle: string): SpanCandidates | undefined {
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

  #read(needle: string, at: number): TextSpan | undefined {
    const { text } = this.#folded;
    this.#budget.steps -= 1 + (needle.length >> 6);
    if (at < 0 || this.#budget.steps < 0 || !text.startsWith(needle, at)) return undefined;
    const end = at + needle.length;
    if (isWithinWord(text, at) || isWithinWord(text, end)) return undefined;
    return { start: this.#folded.startAt(at), end: this.#folded.endAt(end) };
  }

  /** Signs without a letter or a digit, such as `€`: the first matches are enough. */
  #plain(needle: string): SpanCandidates {
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

/** `art` is not found in `party`. */
function isWithinWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at);
  if (at === 0 || after === '' || unspaced.test(before) || unspaced.test(after)) return false;
  return wordCharacter.test(before) && wordCharacter.test(after);
}

// The addresses that a page's markdown links to or displays.

const readable =
  /https?:\/\/[^\s<>"'`|\\\]()]{1,2000}(?:\([^\s<>()]{0,500}\)[^\s<>"'`|\\\]()]{0,500}){0,5}/gi;

/** Created once for each page. */
class UrlIndex {
  readonly #pageUrl: string;
  readonly #spans = new Map<string, TextSpan[]>();

  constructor(markdown: string, targets: readonly WrittenTarget[], pageUrl: string) {
    this.#pageUrl = pageUrl;
    let left = limits.addresses;
    for (const { target, start, end } of targets) {
      if ((left -= 1) < 0) break;
      this.#add(target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&amp;/g, '&'), { start, end });
    }
    for (const { 0: written, index } of markdown.matchAll(readable)) {
      if ((left -= 1) < 0) break;
      const url = written.replace(/[.,;:!?*_~]{1,20}$/, '');
      this.#add(url.replace(/&amp;/g, '&'), { start: index, end: index + url.length });
    }
    for (const spans of this.#spans.values()) spans.sort((a, b) => a.start - b.start);
  }

  /** Spans of the address; relative ones are resolved. */
  find(value: string): SpanCandidates {
    const key = this.#keyOf(value);
    return knownSpans((key === undefined ? undefined : this.#spans.get(key)) ?? []);
  }

  /** True for the page's own address. */
  isPage(value: string): boolean {
    const key = this.#keyOf(value);
    return key !== undefined && key === this.#keyOf(this.#pageUrl);
  }

  #add(url: string, span: TextSpan): void {
    const key = this.#keyOf(url);
    if (key === undefined) return;
    const known = this.#spans.get(key);
    if (known === undefined) this.#spans.set(key, [span]);
    else if (known.at(-1)?.start !== span.start) known.push(span);
  }

  /** One key for each address: absolute, without a trailing slash; for `mailto:` the address itself. */
  #keyOf(url: string): string | undefined {
    const plain = url.trim().replace(/^mailto:/i, '');
    if (plain === '' || plain.length > 4000) return undefined;
    if (/^[^\s/:@]+@[^\s/:@]+$/.test(plain)) return plain.toLowerCase();
    return urlOf(plain, this.#pageUrl)?.href.replace(/\/$/, '');
  }
}
