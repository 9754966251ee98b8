/**
 * Text as its reader perceives it: without invisible characters, escapes decoded, and digits, signs, spaces
 * and hyphens of all kinds in plain form. Positions map back to the source.
 */
import { tryDecodePercent } from '../../core/runtime/percent-encoding.ts';

/** A position of the read text, and the source range it was read from. */
interface Segment {
  readonly at: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
  readonly isMarkup: boolean;
}

/** A part of the source text. */
interface SourcePart {
  readonly start: number;
  readonly end: number;
  /** Tags and CDATA marks in it, which stay when it is replaced. */
  readonly markup: string;
}

/** The rules of a reading. */
export interface ReadingRules {
  /** White space counts as one space, as in HTML. @default false */
  readonly collapses?: boolean | undefined;
  /** Inline tags, comments, invisible elements and CDATA marks are dropped. @default false */
  readonly dropsMarkup?: boolean | undefined;
}

/** A text read once or several times: JSON may be in JSON, and HTML in both. */
export class Reading {
  readonly text: string;
  readonly #source: string;
  readonly #passes: (readonly Segment[])[] = [];

  constructor(source: string, { collapses = false, dropsMarkup = false }: ReadingRules = {}) {
    this.#source = source;
    let text = source;
    while (this.#passes.length < mostPasses) {
      const pattern =
        patterns[`${dropsMarkup && hasMarks.test(text)}/${hasSigns.test(text)}/${collapses}`];
      const segments: Segment[] = [];
      const read = pattern === undefined ? text : readOnce(text, segments, pattern);
      if (read === text) break;
      this.#passes.push(segments);
      text = read;
    }
    this.text = text;
  }

  /** The source part that a part of the read text came from; never empty. */
  sourceOf(start: number, end: number): SourcePart {
    const markup: [from: number, to: number][] = [];
    let [from, to] = [start, end];
    for (let pass = this.#passes.length - 1; pass >= 0; pass -= 1) {
      const segments = this.#passes[pass] ?? [];
      const first = startBefore(segments, from);
      const last = endBefore(segments, to - 1);
      for (let at = indexAt(segments, from) + 1; at < segments.length; at += 1) {
        const one = segments[at] as Segment;
        if (one.from >= last) break;
        if (one.isMarkup) markup.push(this.#below(pass, one.from, one.to));
      }
      [from, to] = [first, last];
    }
    markup.sort(([one], [other]) => one - other);
    const marks = markup.map(([one, other]) => this.#source.slice(one, other));
    return { start: from, end: to, markup: marks.join('') };
  }

  #below(pass: number, from: number, to: number): [from: number, to: number] {
    let range: [number, number] = [from, to];
    for (let one = pass - 1; one >= 0; one -= 1) {
      const segments = this.#passes[one] ?? [];
      range = [startBefore(segments, range[0]), endBefore(segments, range[1] - 1)];
    }
    return range;
  }
}

const mostPasses = 4; // JSON in a JSON string in an attribute, and one more for markup

/** The last segment that begins at or before the position; -1 if none does. */
function indexAt(segments: readonly Segment[], position: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle] as Segment).at <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function startBefore(segments: readonly Segment[], position: number): number {
  const segment = segments[indexAt(segments, position)];
  if (segment === undefined) return position;
  const beyond = position - segment.at - segment.length;
  return beyond < 0 ? segment.from : segment.to + beyond;
}

/** The end of the source of this unit, including invisible characters after it. */
function endBefore(segments: readonly Segment[], unit: number): number {
  const index = indexAt(segments, unit);
  const segment = segments[index];
  const beyond = segment === undefined ? 0 : unit - segment.at - segment.length;
  const end = segment === undefined ? unit + 1 : beyond < 0 ? segment.to : segment.to + beyond + 1;
  const next = segments[index + 1];
  return next?.from === end && next.length === 0 && !next.isMarkup ? next.to : end;
}

function readOnce(text: string, segments: Segment[], pattern: RegExp): string {
  pattern.lastIndex = 0;
  let read = '';
  let from = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { index, 0: found } = match;
    const to = index + found.length;
    const plain = isSpace(found) ? spaceBetween(text, index, to) : plainForm(found);
    if (plain === undefined) continue;
    read += text.slice(from, index);
    // Replacing one character by one moves no position.
    if (found.length > 1 || plain.length !== 1) {
      const isMarkup = plain === '' && /^[<\]]/.test(found);
      segments.push({ at: read.length, length: plain.length, from: index, to, isMarkup });
    }
    read += plain;
    from = to;
  }
  return from === 0 ? text : read + text.slice(from);
}

function isSpace(found: string): boolean {
  return found.charCodeAt(0) <= 0x20 && /^[ \t\n\f\r]/.test(found);
}

/** A group of letters only continues another group. Undefined if the space stays. */
function spaceBetween(text: string, start: number, end: number): ' ' | undefined {
  if (end - start === 1 && text[start] === ' ') return undefined;
  const isGroup = !/[A-Z]/.test(text[end] ?? '') || /[A-Z\d]/.test(text[start - 1] ?? '');
  return isGroup ? ' ' : undefined;
}

/** Characters without another form, of ASCII and of scripts with many readers. */
const ordinary =
  "\\x20-$'-;=-\\[^-~\\u00a1-\\u00ac\\u00ae-\\u00b1\\u00b4-\\u00b8\\u00ba-\\u02af\\u0370-\\u0482\\u048a-\\u052f" +
  '\\u2018-\\u2022\\u2026\\u20ac\\u3001\\u3041-\\u3096\\u30a1-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3';

const hasSigns = new RegExp(`[^\\t\\n\\f\\r<\\]${ordinary}]`);

/** True for a text that may have markup, which may be escaped. */
export function mayHaveMarkup(text: string): boolean {
  return /[<>]|&[lg]t;|\\[ux]0{0,2}3[ce]|&#|%3[ce]/i.test(text);
}

const hasMarks = /<[a-zA-Z/!?]|\]\]>/;

/** Inline elements, whose tags are invisible. */
const inlineNames =
  'a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|nobr|output|q|s|samp|small|' +
  'span|strike|strong|sub|sup|time|tt|u|var|wbr';

/** Elements that are invisible with their content. */
const unseenNames = 'script|style|template|noscript|svg|object|iframe|video|audio|canvas';

const markup: readonly string[] = [
  '<!\\[CDATA\\[|\\]\\]>',
  '<!--(?:(?!<!--|-->)[^]){0,2000}-->',
  '<\\?(?:(?!<\\?|\\?>)[^]){0,500}\\?>',
  `<(?<unseen>${unseenNames})(?:\\s[^<>]{0,500})?>(?:(?!</?\\k<unseen>)[^]){0,1000}</\\k<unseen>\\s{0,9}>`,
  '<(?<hidden>[a-zA-Z][\\w-]{0,20})\\s[^<>]{0,300}?(?:hidden|display\\s{0,3}:\\s{0,3}none)[^<>]{0,300}>[^<>]{0,300}</\\k<hidden>\\s{0,9}>',
  // An end tag and the next start tag of the same kind separate list items.
  `</?(?!(?<=/)(?<kind>\\w{1,9})>\\s{0,99}<\\k<kind>[\\s>])(?:${inlineNames}|${unseenNames})(?:\\s[^<>]{0,500})?/?>`,
];

const signs: readonly string[] = [
  // Escapes of JSON and of scripts, of XML and HTML, and of URLs.
  String.raw`\\(?:u\{[\da-fA-F]{1,6}\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[nrtbf"'\\/])`,
  '&(?:#\\d{1,7};?|#[xX][\\da-fA-F]{1,6};?|[a-zA-Z]{2,24};)',
  '(?:%[\\da-fA-F]{2})+',
  // Signs. Superscript digits are those of notes.
  '[\\u00b2\\u00b3\\u00b9\\u2070-\\u209c]',
  '[\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000]',
  '[\\u2010-\\u2013\\u2043\\u2212\\ufe63\\uff0d]',
  '(?<=[\\p{Nd})]\\s?|@[\\p{L}\\p{N}.-]{1,60})[\\u2014\\u2015\\ufe58]',
  '(?<=[a-zA-Z\\d\\uff10-\\uff5a])[\\u3002\\uff61](?=[a-zA-Z\\d\\uff10-\\uff5a])',
  '[\\u2024\\u2100-\\u214f\\u2460-\\u24ff\\ufb00-\\ufb06\\ufe50-\\ufe57\\ufe59-\\ufe6b\\uff01-\\uff5e\\u{1d400}-\\u{1d7ff}\\u{1f100}-\\u{1f16f}]',
  '(?![0-9])\\p{Nd}',
  // Marks that change no letter, such as the frame of a key, and characters that do not show.
  '(?<![\\p{L}\\p{M}])\\p{M}+',
  '(?![\\t\\n\\f\\r])[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\ufff9-\\ufffb\\ufeff]+',
];

/** White space before text that may continue a value. */
const space: readonly string[] = ['(?<![ \\t\\n\\f\\r])[ \\t\\n\\f\\r]+(?=[\\dA-Z([{+.-])'];

/** By whether there are tags, signs and white space to read; most texts have none. */
const patterns: Readonly<Record<`${boolean}/${boolean}/${boolean}`, RegExp | undefined>> = {
  'false/false/false': undefined,
  'false/false/true': patternOf(space),
  'false/true/false': patternOf(signs),
  'false/true/true': patternOf([...space, ...signs]),
  'true/false/false': patternOf(markup),
  'true/false/true': patternOf([...space, ...markup]),
  'true/true/false': patternOf([...markup, ...signs]),
  'true/true/true': patternOf([...space, ...markup, ...signs]),
};

/** Most positions are skipped by their first character. */
function patternOf(alternatives: readonly string[]): RegExp {
  return new RegExp(`(?=[^${ordinary}]| [ \\t\\n\\f\\r])(?:${alternatives.join('|')})`, 'gu');
}

/** Undefined if it stays. */
function plainForm(found: string): string | undefined {
  switch (found[0]) {
    case '\\':
      return unescaped(found);
    case '&':
      return entity(found);
    case '%':
      return tryDecodePercent(found);
    case '<':
    case ']':
      return '';
    default:
      return formOf(found);
  }
}

function unescaped(escape: string): string {
  const kind = escape[1] ?? '';
  if (escape.length === 2) return controls[kind] ?? kind;
  return characterOf(Number.parseInt(escape.replace(/[^\da-f]|^\\x|^\\u/gi, ''), 16));
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function entity(reference: string): string | undefined {
  if (reference[1] !== '#') return namedCharacters[reference.slice(1, -1)];
  const isHexadecimal = /[xX]/.test(reference[2] ?? '');
  return characterOf(
    isHexadecimal
      ? Number.parseInt(reference.slice(3), 16)
      : Number.parseInt(reference.slice(2), 10),
  );
}

/** Characters in mail addresses and numbers, and invisible ones. */
const namedCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  commat: '@',
  period: '.',
  plus: '+',
  lowbar: '_',
  colon: ':',
  sol: '/',
  lpar: '(',
  rpar: ')',
  percnt: '%',
  hyphen: '-',
  dash: '-',
  ndash: '\u2013',
  mdash: '\u2014',
  minus: '-',
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  numsp: ' ',
  puncsp: ' ',
  thinsp: ' ',
  hairsp: ' ',
  Tab: '\t',
  NewLine: '\n',
  shy: '',
  zwj: '',
  zwnj: '',
  lrm: '',
  rlm: '',
  NoBreak: '',
  ZeroWidthSpace: '',
  InvisibleTimes: '',
  InvisibleComma: '',
  ApplyFunction: '',
};

/** Cached forms of characters, which repeat in texts. */
const knownForms = new Map<string, string>();

const mostKnownForms = 2_000;

function formOf(found: string): string | undefined {
  if (found.length > 2) return '';
  let form = knownForms.get(found);
  if (form === undefined) {
    if (knownForms.size === mostKnownForms) knownForms.clear();
    // A copy: a slice would retain the page's source in memory.
    const own = Buffer.from(found, 'utf16le').toString('utf16le');
    knownForms.set(own, (form = usualForm(own)));
  }
  return form === found ? undefined : form;
}

function usualForm(character: string): string {
  if (spaceLike.test(character)) return ' ';
  if (/^[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/.test(character)) return '-';
  if (/^[\u3002\uff61]/.test(character)) return '.';
  const usual = character.normalize('NFKC');
  if (/^[\x20-\x7e]+$/.test(usual)) return usual;
  if (/^\p{Nd}$/u.test(character)) return digitOf(character.codePointAt(0) ?? 0);
  return /^[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb\ufeff]/u.test(character)
    ? ''
    : character;
}

/** Superscripts number notes. */
const spaceLike =
  /^[\u00a0\u00b2\u00b3\u00b9\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2070-\u209c\u2800\u3000]/;

/** The digits of a script are consecutive. */
function digitOf(code: number): string {
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
