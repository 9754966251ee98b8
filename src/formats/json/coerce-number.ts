/** Numbers as people write them: separators of many locales, currencies, units, `1.2k`. */
import { writtenCodes } from '../../text/currency.ts';
import { type Unit, unitAtStart, unitNamed } from './units.ts';

/** What is known about the text. */
export interface NumberContext {
  /** The page's language: decides what `1.299` is. */
  readonly language: string | undefined;
  /** Converted to, when the text has another unit of the kind; without one a bare number is taken. */
  readonly unit: Unit | undefined;
}

/**
 * The number a text gives, or undefined where it gives none or more than one (`10–20`).
 *
 * `1.299` and `1,299` are read by the language: a thousand where its separator of thousands is used.
 */
export function coerceNumber(text: string, context: NumberContext): number | undefined {
  const plain = latinDigits(text)
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .slice(0, 200);
  const duration = isoDuration(plain);
  if (duration !== undefined) {
    return context.unit?.kind === 'time' ? round(duration / context.unit.size) : undefined;
  }
  if (context.unit?.kind === 'time') {
    const seconds = writtenDuration(plain, context.language);
    if (seconds !== undefined) return round(seconds / context.unit.size);
  }
  const found = findNumber(plain, context.language);
  if (found === undefined) return undefined;
  const after = plain.slice(found.end);
  if (isRange(after) || isCompound(after)) return undefined;
  const value = found.value * multiplier(after);
  return convert(value, after, context.unit);
}

interface Found {
  readonly value: number;
  readonly end: number;
}

/** The first number that is not part of a name such as `A4` or of a date such as `1.2.2020`. */
function findNumber(text: string, language: string | undefined): Found | undefined {
  const digits = /\d/g;
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    const start = match.index;
    const found = readNumber(text, start, language);
    if (found !== undefined && !isGlued(text, start)) {
      return { ...found, value: isNegative(text, start) ? -found.value : found.value };
    }
    digits.lastIndex = found?.end ?? skipDigits(text, start);
  }
  return undefined;
}

const grouped = /(\d{1,3})([ '’.,٬])\d{3}(?:\2\d{3})*(?:([.,٫])(\d+))?/y;
const indian = /\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?/y;
const simple = /\d+(?:([.,٫])(\d+))?/y;

function readNumber(text: string, start: number, language: string | undefined): Found | undefined {
  const match = at(indian, text, start) ?? at(grouped, text, start) ?? at(simple, text, start);
  if (match === undefined) return undefined;
  let end = start + match[0].length;
  const separator = match[2];
  if (match.length === 5 && separator !== undefined) {
    const isAmbiguous = match[3] === undefined && /^\d{1,3}[.,]\d{3}$/.test(match[0]);
    if (/^\d/.test(text.slice(end)) || (isAmbiguous && !groups(match[0], language, text))) {
      const plain = at(simple, text, start);
      if (plain === undefined) return undefined;
      end = start + plain[0].length;
      return isMore(text, end) ? undefined : { value: decimal(plain[0]), end };
    }
    const whole = match[0].slice(
      0,
      match[3] === undefined ? undefined : -(match[4] ?? '').length - 1,
    );
    const value = Number(`${whole.replace(/\D/g, '')}.${match[4] ?? '0'}`);
    return isMore(text, end) ? undefined : { value, end };
  }
  if (isMore(text, end)) return undefined;
  const isIndian = match.length === 1;
  return { value: isIndian ? Number(match[0].replace(/,/g, '')) : decimal(match[0]), end };
}

function at(pattern: RegExp, text: string, start: number): RegExpExecArray | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text) ?? undefined;
}

function decimal(text: string): number {
  return Number(text.replace(/[,٫]/, '.'));
}

/** Languages that write 1.234,5: from CLDR, those of the Latin, Greek and Cyrillic web. */
const commaDecimal = new Set(
  (
    'af az be bg bs ca cs da de el es et eu fi fo fr gl hr hu hy id is it ka kk ky lt lv mk nb nl ' +
    'nn no pl pt ro ru sk sl sq sr sv tr uk uz vi'
  ).split(' '),
);

/** Whether the one separator in `1.299` separates thousands. */
function groups(number: string, language: string | undefined, text: string): boolean {
  if (/^0/.test(number)) return false;
  const separator = number.includes(',') ? ',' : '.';
  const region = (language ?? '').toLowerCase();
  const usesComma = commaDecimal.has(region.split(/[-_]/)[0] ?? '') && !/^es[-_]mx/.test(region);
  if (language === undefined || language === '') return separator === ',' || text.includes('€');
  return usesComma ? separator === '.' : separator === ',';
}

/** `1.2.2020`, `10:30`, `2024-05-01`: a number goes on that is no number. */
function isMore(text: string, end: number): boolean {
  return /^(?:[.,:]\d|-\d+-)/.test(text.slice(end, end + 8));
}

const currencies = new RegExp(
  `(?:^|[^\\p{L}])(?:${writtenCodes.join('|')}|rmb|kr|rs|rm|fr|us|ca|au)$`,
  'iu',
);

/** `A4`, `RTX4090`: part of a word, unless the word is a currency. */
function isGlued(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  if (/\p{L}[-_/]$/u.test(before)) return true;
  return /\p{L}$/u.test(before) && !currencies.test(before);
}

function isNegative(text: string, start: number): boolean {
  return /(?:^|[\s(:])[-−]\s?[$€£¥]?$/u.test(text.slice(Math.max(0, start - 5), start));
}

/** Something like `– 20`, `to $20`, `x 200`: which of the numbers is meant is open. */
function isRange(after: string): boolean {
  return /^\s*(?:(?:[%$€£¥]|\p{L}{1,5}(?=[\s–—-]))\s*)?(?:[-–—×]|(?:to|bis|à|x)(?!\p{L}))\s*[^\s\d]{0,4}\s?\d/iu.test(
    after,
  );
}

/** `1 h 30 min`, `5 ft 10`: one quantity in two units; and fractions that are no `4.5/5`. */
function isCompound(after: string): boolean {
  if (/^\s*\/\s*\d/.test(after)) return !/^\s*\/\s*(?:5|10|100)(?!\d)/.test(after);
  return /^\s*(?:h|hr|hrs|hours?|std|ft|feet|foot|lbs?|['′])\.?\s*\d/i.test(after);
}

function multiplier(after: string): number {
  if (/^k\b/i.test(after)) return 1000;
  if (/^M\b/.test(after) || /^\s?(?:million|millionen|mio)\b/i.test(after)) return 1e6;
  if (/^B\b/.test(after) || /^\s?(?:billion|milliarden|mrd)\b/i.test(after)) return 1e9;
  return /^\s?(?:thousand|tsd|tausend)\b/i.test(after) ? 1000 : 1;
}

function convert(value: number, after: string, wanted: Unit | undefined): number | undefined {
  if (wanted === undefined) return round(value);
  const written = unitAtStart(after);
  if (written === undefined) return round(value);
  return written.kind === wanted.kind ? round((value * written.size) / wanted.size) : undefined;
}

/** Without the noise of binary fractions: 0.1 + 0.2 is 0.3. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** ISO 8601 durations (`PT1H30M`) in seconds. */
function isoDuration(text: string): number | undefined {
  const match = /^\s*P(?=.)(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\s*$/i.exec(
    text,
  );
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** `1 hour 20 minutes`, `90 min` in seconds; undefined when a part is in no unit of time. */
function writtenDuration(text: string, language: string | undefined): number | undefined {
  let total: number | undefined;
  for (const [, amount = '', name = ''] of text.matchAll(/(\d+(?:[.,]\d+)?)\s*(\p{L}+)/gu)) {
    const unit = unitNamed(name);
    if (unit?.kind !== 'time') return undefined;
    const value = findNumber(amount, language)?.value ?? 0;
    total = (total ?? 0) + value * unit.size;
  }
  return total;
}

/** The text with the digits of other scripts as 0 to 9. */
export function latinDigits(text: string): string {
  return text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    // Those of a script follow each other, from its zero on.
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

function skipDigits(text: string, start: number): number {
  const rest = /^[\d.,:]+/.exec(text.slice(start));
  return start + (rest?.[0].length ?? 1);
}
