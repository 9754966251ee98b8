/** Matches one leaf with the spans of the page where it may be: as a text, a date, a number, yes or no. */
import { wordsOf } from '../facts/property-names.ts';
import { coerceBoolean } from '../values/booleans.ts';
import { utcDateTime } from '../values/dates.ts';
import { coerceNumber, numberWords, wantedUnit } from '../values/numbers.ts';
import type { WrittenDate } from './date-index.ts';
import { foldMarkdown, foldValue } from './folded-text.ts';
import type { Leaf, MatchResult } from './leaves.ts';
import type { BooleanAnswers, PageIndex } from './page-index.ts';
import {
  firstSpan,
  knownSpans,
  someSpans,
  type SpanCandidates,
  type TextSpan,
} from './span-candidates.ts';

const limits = {
  pieces: 200,
  beginnings: 20, // candidates tried for each piece
  dates: 500, // dates of one day that are compared with a moment
  labels: 20, // labels read
  lines: 20_000, // lines read
};

/** Searches one leaf. */
export function matchLeaf(leaf: Leaf, page: PageIndex): MatchResult {
  const { value, shape } = leaf;
  const { schema } = shape;
  page.budget.steps -= 1 + (typeof value === 'string' ? value.length >> 2 : 0);
  if (page.budget.steps < 0) return { otherwise: 'unverified' };
  const matchResult =
    typeof value === 'boolean'
      ? matchBoolean(leaf.name, value, schema.title, page)
      : typeof value === 'number'
        ? matchNumber(leaf, value, page)
        : matchText({ ...leaf, value }, page);
  if (matchResult.candidates !== undefined) return matchResult;
  // A choice among the schema's words need not appear on the page.
  const isOpen = schema.enum !== undefined || !page.isWhole || page.budget.steps < 0;
  return isOpen ? { otherwise: 'unverified' } : matchResult;
}

function matchNumber(leaf: Leaf, value: number, page: PageIndex): MatchResult {
  const { numbers, texts } = page;
  const unit = wantedUnit(wordsOf(leaf.name), leaf.shape.schema.description ?? '');
  const spans = numbers.find(value, unit);
  if (spans.count > 0) return { candidates: spans, otherwise: 'notFound' };
  for (const word of numberWords(value, page.language)) {
    const candidates = texts.find(word);
    if (candidates !== undefined && firstSpan(candidates) !== undefined) {
      return { candidates, otherwise: 'notFound' };
    }
  }
  return { otherwise: numbers.isComplete ? 'notFound' : 'unverified' };
}

// Matches a text: as it is, in equivalent forms, or in pieces.

/** Searches one text. */
function matchText(leaf: Leaf & { readonly value: string }, page: PageIndex): MatchResult {
  const { value } = leaf;
  if (!/[^\s*_`~\\[\]|]/.test(value)) return { otherwise: 'unverified' };
  const isAddress = /^(uri|url|iri)/.test(leaf.shape.schema.format ?? '') || isUrl(value);
  if (isAddress || /^(?:mailto:)?[^\s@]+@[^\s@]+$/.test(value)) {
    const linked = page.urls.find(value);
    if (linked.count > 0) return { candidates: linked, otherwise: 'notFound' };
    if (isAddress && page.urls.isPage(value)) return { otherwise: 'supported' };
  }
  for (const needle of formsOf(value)) {
    const candidates = page.texts.find(needle);
    if (candidates !== undefined && firstSpan(candidates) !== undefined) {
      return { candidates, otherwise: 'notFound' };
    }
  }
  if (isDateLeaf(leaf)) return matchDate(value, page);
  const candidates = asAmount(value, page) ?? asCurrency(value, page) ?? inPieces(value, page);
  return candidates === undefined
    ? { otherwise: 'notFound' }
    : { candidates, otherwise: 'notFound' };
}

function isUrl(value: string): boolean {
  return /^https?:\/\/\S+$/i.test(value);
}

/** The value folded; read as markdown, if allowed; the words of a term such as `InStock`. */
function* formsOf(value: string): Generator<string> {
  const plain = foldValue(value);
  yield plain;
  if (/[\]<&#>]|^[ \t]*[-+*\d]/m.test(value)) {
    const read = foldMarkdown(value).folded.text;
    if (read !== plain && /[\p{L}\p{N}]/u.test(read)) yield read;
  }
  if (value.length < 100 && /^\p{L}+(?:[_-]\p{L}+)*$/u.test(value)) {
    const words = wordsOf(value).map(foldValue);
    if (words.length > 1) for (const joint of [' ', '-']) yield words.join(joint);
  }
}

/** Finds `$1,299.00` where the page writes `1.299,00 €`: amounts only, not article numbers. */
function asAmount(value: string, page: PageIndex): SpanCandidates | undefined {
  if (!/^[^\d\n]{0,5}\d[\d.,' ]{0,20}[^\d\n]{0,5}$/.test(value)) return undefined;
  if (!/\d[.,]\d|[\p{Sc}%]/u.test(value)) return undefined;
  const amount = coerceNumber(value, { language: 'en', unit: undefined });
  const candidates = amount === undefined ? undefined : page.numbers.find(amount, undefined);
  return candidates === undefined || candidates.count === 0 ? undefined : candidates;
}

/** Finds `EUR` where the page writes `€`; the page's language decides which dollar `$` is. */
function asCurrency(value: string, page: PageIndex): SpanCandidates | undefined {
  if (!/^[A-Z]{3}$/.test(value)) return undefined;
  const symbol = currencySymbol(value, page.language ?? 'en');
  if (symbol === undefined) return undefined;
  const candidates = page.texts.find(foldValue(symbol));
  return candidates !== undefined && firstSpan(candidates) !== undefined ? candidates : undefined;
}

function currencySymbol(currency: string, language: string): string | undefined {
  try {
    const symbol = new Intl.NumberFormat(language.replace(/_/g, '-'), {
      style: 'currency',
      currency,
    })
      .formatToParts(1)
      .find(({ type }) => type === 'currency')?.value;
    return symbol === currency ? undefined : symbol;
  } catch {
    // The value is not a currency, or the page's lang attribute is not a language tag.
    return undefined;
  }
}

/** A list in one text, or sentences that the page interrupts: all pieces, in order, close together. */
function inPieces(value: string, page: PageIndex): SpanCandidates | undefined {
  for (const separator of [/\n+/, /(?<=[.!?。])\s+/, /[,;·•|]\s+/]) {
    const parts = value.split(separator);
    if (parts.length < 2 || parts.length > limits.pieces) continue;
    const pieces = parts.map(foldValue).filter((piece) => /[\p{L}\p{N}]/u.test(piece));
    if (pieces.length < 2) continue;
    const found: SpanCandidates[] = [];
    for (const piece of pieces) {
      const candidates = page.texts.find(piece);
      if (candidates === undefined || candidates.count === 0) break;
      found.push(candidates);
    }
    if (found.length < pieces.length) continue;
    const spans = chains(found, value.length * 2 + 100);
    if (spans.length > 0) return knownSpans(spans);
  }
  return undefined;
}

function chains([first, ...rest]: readonly SpanCandidates[], reach: number): TextSpan[] {
  const beginnings = first === undefined ? [] : someSpans(first, 0, limits.beginnings);
  return beginnings.flatMap(({ start, end }): TextSpan[] => {
    let last = end;
    for (const candidates of rest) {
      const next = firstSpan(candidates, last, limits.beginnings);
      if (next === undefined || next.end - start > reach) return [];
      last = next.end;
    }
    return [{ start, end: last }];
  });
}

// Matches a day or a moment in any written form.

const isoDate = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** True for texts that are a day or a moment. */
function isDateLeaf({ value }: Leaf): boolean {
  return typeof value === 'string' && isoDate.test(value);
}

/**
 * The spans of the date in the page. A span is uncertain if the page does not state the time, or which number
 * is the day.
 */
function matchDate(value: string, page: PageIndex): MatchResult {
  const [, day = '', time] = isoDate.exec(value) ?? [];
  const otherwise = page.dates.isComplete ? 'notFound' : 'unverified';
  const spans = time === undefined ? page.dates.spansOf(day) : momentSpans(value, day, time, page);
  return spans.length > 0 ? { candidates: knownSpans(spans), otherwise } : { otherwise };
}

function momentSpans(value: string, day: string, time: string, page: PageIndex): TextSpan[] {
  const same: TextSpan[] = [];
  const partly: TextSpan[] = [];
  for (const one of daysAround(day)) {
    const dates = page.dates.on(one).slice(0, limits.dates);
    page.budget.steps -= dates.length;
    for (const written of dates) {
      const isSame = hasTime(written, value, time);
      if (isSame && written.span.isCertain === true) same.push(written.span);
      else if (isSame || one === day) partly.push({ ...written.span, isCertain: false });
    }
  }
  return (same.length > 0 ? same : partly).sort((a, b) => a.start - b.start);
}

/** The day itself and its neighbours: a time zone offset may move a moment to another day. */
function daysAround(day: string): string[] {
  const noon = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(noon)) return [day];
  return [-1, 0, 1].map((days) => new Date(noon + days * 86_400_000).toISOString().slice(0, 10));
}

function hasTime(written: WrittenDate, value: string, time: string): boolean {
  const { span: _, ...parsed } = written;
  // As in ECMAScript, a day without a time is its first moment.
  if (parsed.time === undefined) return /^00:00(:00)?$/.test(time) && value.startsWith(parsed.date);
  const utc = utcDateTime(parsed);
  if (utc !== undefined && Date.parse(utc) === Date.parse(value)) return true;
  return (
    parsed.offset === undefined && value.startsWith(`${parsed.date}T${parsed.time.slice(0, 5)}`)
  );
}

// Matches yes and no: beside the property's name, or in words about stock.

/** `notFound` if the page states the opposite; open if it has no words for the property. */
function matchBoolean(
  name: string,
  value: boolean,
  title: string | undefined,
  page: PageIndex,
): MatchResult {
  const key = `${name}\n${title ?? ''}`;
  const answers = page.answers.get(key) ?? answersTo(name, title, page);
  page.answers.set(key, answers);
  const spans = value ? answers.yes : answers.no;
  if (spans.length > 0) return { candidates: knownSpans(spans), otherwise: 'notFound' };
  const opposite = value ? answers.no : answers.yes;
  return { otherwise: opposite.length > 0 ? 'notFound' : 'unverified' };
}

function answersTo(name: string, title: string | undefined, page: PageIndex): BooleanAnswers {
  const answers = [...besideLabel(name, title, page), ...aboutStock(name, page)];
  answers.sort((a, b) => a.span.start - b.span.start);
  const spansOf = (value: boolean): TextSpan[] =>
    answers.filter((one) => one.value === value).map(({ span }) => span);
  return { yes: spansOf(true), no: spansOf(false) };
}

interface BooleanSpans {
  readonly value: boolean;
  readonly span: TextSpan;
}

/** `Free shipping: yes`, `| Waterproof | ✓ |`. */
function besideLabel(name: string, title: string | undefined, page: PageIndex): BooleanSpans[] {
  const words = wordsOf(name).filter((word, index) => index > 0 || !/^(is|has)$/.test(word));
  const labels = new Set([words.join(' '), title ?? ''].map(foldValue));
  return [...labels].flatMap((label): BooleanSpans[] => {
    const candidates = page.texts.find(label);
    const spans = candidates === undefined ? [] : someSpans(candidates, 0, limits.labels);
    return spans.flatMap(({ start, end }): BooleanSpans[] => {
      const after = page.markdown.slice(end, end + 60);
      const [whole = '', lead = '', answer = ''] =
        /^([\s|:*_?–—-]*)([^\n|.,;*_]+)/u.exec(after) ?? [];
      if (/\n\s*\n/.test(lead)) return [];
      const value = coerceBoolean(answer, name);
      return value === undefined
        ? []
        : [{ value, span: { start, end: end + whole.trimEnd().length } }];
    });
  });
}

const stockWords =
  /stock|available|lager|lieferbar|verfügbar|dispon|sold|rupture|épuisé|agotado|esaurito|ausverkauft|discontinued|pre-?order|backorder/i;

/** A line or a cell of its own: `In stock (12 pieces)`. */
function aboutStock(name: string, page: PageIndex): BooleanSpans[] {
  if (!/stock|availab/i.test(name)) return [];
  const answers: BooleanSpans[] = [];
  let left = limits.lines;
  for (const { 0: line, index } of page.markdown.matchAll(/[^\n|]+/g)) {
    if ((left -= 1) < 0) break;
    if (line.length > 100 || !stockWords.test(line)) continue;
    const text = line.replace(/^[\s*_#>✓✔✗✘•:-]+|[\s*_.!]+$/gu, '');
    const value = coerceBoolean(text, name);
    if (value === undefined) continue;
    const start = index + line.indexOf(text);
    answers.push({ value, span: { start, end: start + text.length } });
  }
  return answers;
}
