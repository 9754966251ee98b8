/** Indexes the numbers of a page by their value, as people write them. */
import { coerceNumber, type Unit, unitNamed, round } from '../values/numbers.ts';
import { type SpanCandidates, knownSpans, type TextSpan } from './span-candidates.ts';
import type { FoldedText } from './folded-text.ts';

/** The text from which numbers are read. */
export interface NumberText {
  readonly markdown: string;
  readonly folded: FoldedText;
  readonly language: string | undefined;
}

const maxNumbers = 200_000; // only a page that consists of numbers has more

const literalPattern = /\d+(?:[.,'٬٫]\d+)*|[★⭐]{1,10}/g;
const spacedGroups = /(?: \d{3}(?!\d)){1,5}(?:[.,]\d+)?/y;

/** Created once for each page, with the first number leaf. */
export class NumberIndex {
  /** False when there were too many numbers. */
  readonly isComplete: boolean;
  readonly #text: NumberText;
  readonly #spans = new Map<number, TextSpan[]>();
  /** Spans by kind of unit and by the value in the kind's base unit. */
  readonly #quantities = new Map<string, Map<number, TextSpan[]>>();
  readonly #readings = new Map<string, readonly number[]>();
  #last: { readonly span: TextSpan; readonly unit: Unit; readonly base: number } | undefined;

  constructor(text: NumberText) {
    this.#text = text;
    let left = maxNumbers;
    for (const { 0: literal, index } of text.folded.text.matchAll(literalPattern)) {
      left -= 1;
      if (left < 0) break;
      if (/^\d/.test(literal)) this.#addLiteral(literal, index);
      else this.#add(literal.length, this.#spanOf(index, literal.length));
    }
    this.isComplete = left >= 0;
  }

  /** Spans of the number in the page, in the given unit if there is one. */
  find(value: number, unit: Unit | undefined): SpanCandidates {
    const quantities =
      unit === undefined
        ? undefined
        : this.#quantities.get(unit.kind)?.get(round(value * unit.size));
    return knownSpans(quantities ?? this.#spans.get(round(value)) ?? []);
  }

  #addLiteral(literal: string, index: number): void {
    const { text } = this.#text.folded;
    const end = index + literal.length;
    if (/\d:$/.test(text.slice(Math.max(0, index - 2), index)) || /^:\d/.test(text.slice(end))) {
      return;
    }
    const grouped = literal.length <= 3 ? this.#spaced(literal, end) : undefined;
    if (grouped !== undefined) this.#addNumber(grouped, index);
    this.#addNumber(literal, index);
  }

  /** Reads `12 345,60`, unless the groups are in different cells or lines. */
  #spaced(literal: string, end: number): string | undefined {
    const { folded, markdown } = this.#text;
    spacedGroups.lastIndex = end;
    const [groups] = spacedGroups.exec(folded.text) ?? [];
    if (groups === undefined) return undefined;
    const written = markdown.slice(folded.endAt(end), folded.endAt(end + groups.length));
    return written.length === groups.length && !written.includes('\n')
      ? literal + groups
      : undefined;
  }

  #addNumber(literal: string, index: number): void {
    const written = this.#spanOf(index, literal.length);
    const { markdown } = this.#text;
    const before = markdown.slice(Math.max(0, written.start - 8), written.start);
    const after = markdown.slice(written.end, written.end + 16);
    if (isPartOfName(before)) return;
    const span = withSigns(written, before, after);
    const values = this.#read(literal);
    for (const value of values) {
      this.#add(value, span);
      if (/(?:^|[\s(:|])[-−–]\s?\p{Sc}?$/u.test(before)) {
        this.#add(-value, {
          start: span.start - signLength(markdown, span.start),
          end: span.end,
        });
      }
      if (/^\s?%/.test(after)) this.#add(value / 100, span);
      this.#addWithWord(literal, value, span, written.end, after);
    }
    // `03.05.2026` is not a number, but its year is.
    if (values.length === 0) {
      for (const year of literal.matchAll(/(?<!\d)\d{4}(?!\d)/g)) {
        this.#add(Number(year[0]), this.#spanOf(index + year.index, 4));
      }
    }
  }

  /** `1.2k`, `3 million`, `500 g`, `1 h 30 min`. */
  #addWithWord(literal: string, value: number, span: TextSpan, end: number, after: string): void {
    const [whole = '', word = ''] = /^[\s-]?(\p{L}{1,12})(?!\p{L})/u.exec(after) ?? [];
    if (word === '') return;
    const long = { start: span.start, end: end + whole.length };
    const multiplied = coerceNumber(`${literal}${whole}`, {
      language: this.#text.language,
      unit: undefined,
    });
    if (multiplied !== undefined && multiplied > value) this.#add(multiplied, long);
    const unit = unitNamed(word);
    if (unit === undefined) return;
    const base = value * unit.size;
    this.#addQuantity(unit, base, long);
    const last = this.#last;
    if (last?.unit.kind === unit.kind && unit.size < last.unit.size && long.start > last.span.end) {
      const gap = this.#text.markdown.slice(last.span.end, long.start);
      if (gap.length <= 5 && !/\d|\n/.test(gap)) {
        this.#addQuantity(unit, last.base + base, { start: last.span.start, end: long.end });
      }
    }
    this.#last = { span: long, unit, base };
  }

  #addQuantity({ kind }: Unit, base: number, span: TextSpan): void {
    const ofKind = this.#quantities.get(kind) ?? new Map<number, TextSpan[]>();
    this.#quantities.set(kind, ofKind);
    push(ofKind, round(base), span);
  }

  #add(value: number, span: TextSpan): void {
    push(this.#spans, round(value), span);
  }

  /** In a page that does not declare its language, `1.299` may be 1299 or 1.299. */
  #read(literal: string): readonly number[] {
    if (/^\d{1,15}$/.test(literal)) return [Number(literal)];
    let values = this.#readings.get(literal);
    if (values === undefined) {
      const { language } = this.#text;
      const languages = language === undefined || language === '' ? ['en', 'de'] : [language];
      const read = languages.map((one) =>
        coerceNumber(literal, { language: one, unit: undefined }),
      );
      values = [...new Set(read)].filter((value) => value !== undefined);
      this.#readings.set(literal, values);
    }
    return values;
  }

  #spanOf(index: number, length: number): TextSpan {
    const { folded } = this.#text;
    return { start: folded.startAt(index), end: folded.endAt(index + length) };
  }
}

function push(map: Map<number, TextSpan[]>, value: number, span: TextSpan): void {
  const known = map.get(value);
  if (known === undefined) map.set(value, [span]);
  else if (known.at(-1)?.start !== span.start) known.push(span);
}

/** True in `A4`, `RTX-4090`; a currency before a number is not part of a name. */
function isPartOfName(before: string): boolean {
  const [word] =
    /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+[-_/]?$/u.exec(before) ?? [];
  return (
    word !== undefined &&
    coerceNumber(`${word}1`, { language: 'en', unit: undefined }) === undefined
  );
}

/** Extends the quote by a currency or percent sign. */
function withSigns(span: TextSpan, before: string, after: string): TextSpan {
  const [lead = ''] = /\p{Sc}\s?$/u.exec(before) ?? [];
  const [tail = ''] = /^\s?[\p{Sc}%](?!\s?\d)/u.exec(after) ?? [];
  return { start: span.start - lead.length, end: span.end + (lead === '' ? tail.length : 0) };
}

function signLength(markdown: string, start: number): number {
  return /[-−–]\s?$/.exec(markdown.slice(Math.max(0, start - 2), start))?.[0].length ?? 0;
}
