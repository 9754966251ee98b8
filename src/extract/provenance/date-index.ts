/** Indexes the dates of a page by their day, in any order and language of the page. */
import { dateReader, type ParsedDate } from '../values/dates.ts';
import type { TextSpan } from './span-candidates.ts';
import type { NumberText } from './number-index.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** A date in the page's text. */
export interface WrittenDate extends ParsedDate {
  readonly span: TextSpan;
}

const maxDates = 20_000; // more than a calendar of fifty years has
const reach = 40; // characters before a year and after it that may belong to its date

/** A date whose year comes last; each pattern matches from its first character to the end of the text. */
const yearLast: readonly RegExp[] = [
  /(?<!\d)\d{1,2}\s?([./-])\s?\d{1,2}\s?\1\s?\d{4}$/,
  /(?<!\d)\d{1,2}(?:st|nd|rd|th|er|o|\.|º)?\s+(?:of\s+|de\s+|d')?\p{L}{3,20}\.?,?\s+(?:de\s+|del\s+)?\d{4}$/u,
  /(?<!\p{L})\p{L}{3,20}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}$/u,
  /(?<!\d)\d{1,2}-\p{L}{3,20}-\d{4}$/u,
];
const yearFirst = /^\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}(?!\d)/;

/** Created once for each page, with the first date leaf. */
export class DateIndex {
  /** False when there were too many dates. */
  readonly isComplete: boolean;
  readonly #text: NumberText;
  readonly #dates = new Map<string, WrittenDate[]>();
  readonly #spans = new Map<string, readonly TextSpan[]>();
  readonly #read: (text: string) => ParsedDate | undefined;
  /** Readers for both orders, for `03/04/2026` if the language does not decide. */
  readonly #readBoth: readonly ((text: string) => ParsedDate | undefined)[];

  constructor(text: NumberText) {
    this.#text = text;
    this.#read = dateReader(text.language);
    this.#readBoth = [dateReader('en-US'), dateReader('en-GB')];
    let left = maxDates;
    for (const { index } of text.folded.text.matchAll(/(?<!\d)[12]\d{3}(?!\d)/g)) {
      if (this.#addAt(index)) left -= 1;
      if (left < 0) break;
    }
    this.isComplete = left >= 0;
  }

  /** The page's dates on the day `2026-03-04`. */
  on(day: string): readonly WrittenDate[] {
    return this.#dates.get(day) ?? [];
  }

  /** Spans of the day in the page; ambiguous dates only if there are no others. */
  spansOf(day: string): readonly TextSpan[] {
    let spans = this.#spans.get(day);
    if (spans === undefined) {
      const all = this.on(day).map(({ span }) => span);
      const certain = all.filter(({ isCertain }) => isCertain === true);
      spans = certain.length > 0 ? certain : all;
      this.#spans.set(day, spans);
    }
    return spans;
  }

  #addAt(year: number): boolean {
    const { text } = this.#text.folded;
    const after = text.slice(year, year + reach);
    const [whole] = yearFirst.exec(after) ?? [];
    if (whole !== undefined) return this.#add(year, year + whole.length);
    // Composed again: names of months are compared character by character.
    const before = text.slice(Math.max(0, year - reach), year + 4).normalize('NFC');
    for (const pattern of yearLast) {
      const [found] = pattern.exec(before) ?? [];
      if (found === undefined) continue;
      const isDate = this.#add(year + 4 - found.normalize('NFD').length, year + 4);
      if (isDate) return true;
    }
    return false;
  }

  #add(start: number, end: number): boolean {
    const { folded } = this.#text;
    const text = folded.text.slice(start, end + reach).normalize('NFC');
    const certain = this.#read(text);
    const parsed = certain === undefined ? this.#readBoth.map((read) => read(text)) : [certain];
    const span = {
      start: folded.startAt(start),
      end: folded.endAt(end),
      isCertain: certain !== undefined,
    };
    for (const date of parsed) {
      if (date === undefined) continue;
      getOrInsert(this.#dates, date.date, () => []).push({ ...date, span });
    }
    return parsed.some((date) => date !== undefined);
  }
}
