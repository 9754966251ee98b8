/** Reads dates and times of day, as written by people and machines, to ISO 8601. */
import type { Page } from '../../core/model/page.ts';
import { latinDigits } from './numbers.ts';

/** A date, with the known parts of its time. */
export interface ParsedDate {
  /** `2026-03-04` */
  readonly date: string;
  /** `10:30:00`, when the text has a time. */
  readonly time: string | undefined;
  /** `Z` or `+02:00`, when the text has one. */
  readonly offset: string | undefined;
  /** Where the date begins in the text. */
  readonly start: number;
}

/**
 * Creates the function that finds the date in a text. Returns undefined if there is none or it is ambiguous:
 * `03/04/2026` is skipped unless the language's region decides which comes first.
 */
export function dateReader(language: string | undefined): (text: string) => ParsedDate | undefined {
  let months: ReadonlyMap<string, number> | undefined;
  const monthNamed = (name: string): number | undefined => {
    months ??= monthNames(language);
    return months.get(name);
  };
  return (text) => {
    const plain = latinDigits(text.slice(0, 200));
    if (!/\d/.test(plain)) return undefined;
    const parts =
      isoDate(plain) ??
      yearFirst(plain) ??
      numericDate(plain, language) ??
      namedDate(plain, monthNamed) ??
      shortDate(plain, language);
    if (parts === undefined) return undefined;
    const { month, day, rest, start } = parts;
    // Thai years count from 543 BC.
    const year = /^th\b/i.test(language ?? '') && parts.year > 2400 ? parts.year - 543 : parts.year;
    if (!isRealDate(year, month, day)) return undefined;
    return { date: `${pad(year, 4)}-${pad(month)}-${pad(day)}`, ...timeIn(rest), start };
  };
}

/** `2026-03-04T08:30:00Z`: one form for one instant; undefined when the offset is unknown. */
export function utcDateTime(parsed: ParsedDate): string | undefined {
  const { date, time, offset } = parsed;
  // As in ECMAScript, a date without a time is midnight UTC.
  if (time === undefined) return `${date}T00:00:00Z`;
  if (offset === undefined) return undefined;
  const instant = new Date(`${date}T${time}${offset}`);
  if (Number.isNaN(instant.getTime())) return undefined;
  return instant.toISOString().replace('.000Z', 'Z');
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** The text after the date, where a time may follow. */
  readonly rest: string;
  readonly start: number;
}

function isoDate(text: string): Parts | undefined {
  const match =
    /(?:^|[^\d])(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text) ??
    /^\s*((?:19|20)\d\d)([01]\d)([0-3]\d)(?=T\d|\s*$)/.exec(text);
  return match === null ? undefined : partsOf(match, text, 1, 2, 3);
}

function yearFirst(text: string): Parts | undefined {
  const match = /(?:^|[^\d])(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)/.exec(
    text,
  );
  return match === null ? undefined : partsOf(match, text, 1, 2, 3);
}

function numericDate(text: string, language: string | undefined): Parts | undefined {
  const match = /(?:^|[^\d.])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)/.exec(text);
  if (match === null) return undefined;
  const [first, second] = [Number(match[1]), Number(match[3])];
  const dayFirst = second > 12 ? false : first > 12 || match[2] === '.' || isDayFirst(language);
  if (dayFirst === undefined && first !== second) return undefined;
  return dayFirst === false ? partsOf(match, text, 4, 1, 3) : partsOf(match, text, 4, 3, 1);
}

/** Undefined for English without a region, and for no language. */
function isDayFirst(language: string | undefined): boolean | undefined {
  const order = partOrder(language);
  return order === undefined ? undefined : order.indexOf('d') < order.indexOf('m');
}

/** `dmy`, `mdy` or `ymd`, as the language writes dates in figures. */
function partOrder(language: string | undefined): string | undefined {
  if (language === undefined || /^(en)?$/i.test(language)) return undefined;
  const order = formatter(language, { day: 'numeric', month: 'numeric', year: 'numeric' })
    ?.formatToParts(new Date(Date.UTC(2026, 2, 4)))
    .map(({ type }) => (/^(?:day|month|year)$/.test(type) ? type.charAt(0) : ''))
    .join('');
  return order?.length === 3 ? order : undefined;
}

/**
 * `24.11.08`, `7/3/17`: a two-digit year, if the language decides which part it is. Without a language only
 * the German form, with two digits each: others may be versions.
 */
function shortDate(text: string, language: string | undefined): Parts | undefined {
  if (!/\d[./-]\s?\d/.test(text)) return undefined;
  const match = /(?:^|[^\d.,:/-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{2})(?![\d:]|[./-]\d)/.exec(
    text,
  );
  if (match === null || /\b(?:v|version|release)\.?\s?$/i.test(text.slice(0, match.index + 1)))
    return undefined;
  const isPadded = match[1]?.length === 2 && match[3]?.length === 2;
  const isGerman = match[2] === '.' && isPadded && !/^en/i.test(language ?? '');
  const order = partOrder(language) ?? (isGerman ? 'dmy' : undefined);
  if (order === undefined) return undefined;
  const [year, month, day] = ['y', 'm', 'd'].map((part) => [1, 3, 4][order.indexOf(part)] ?? 0);
  const parts = partsOf(match, text, year ?? 0, month ?? 0, day ?? 0);
  return { ...parts, year: fullYear(parts.year) };
}

/** Two digits as POSIX reads them: 69 to 99 are of the last century. */
function fullYear(year: number): number {
  return year >= 100 ? year : year + (year < 69 ? 2000 : 1900);
}

/**
 * A letter or vowel sign, by what it is not: V8 needs 200 ms to compile one pattern with `\p{L}` for text beyond
 * Latin-1. The names of months decide. The micro sign is no exception: it is the Greek mu where case is ignored.
 */
const letter =
  '[^\\s\\d!-\\/:-@\\[-`{-~\u00a1-\u00b4\u00b6-\u00bf\u060c\u2000-\u206f\u2190-\u2bff\u3001-\u303f\ud800-\udfff\uff01-\uff20\uff5b-\uff65]';

/** A month in letters, with the vowel signs of Indian scripts; in Thai with points, in Vietnamese as a number. */
const monthName = `(tháng\\s\\d{1,2}|${letter}{3,}|${letter}{1,2}\\.${letter}{1,2}\\.)`;

const nameBased = [
  // 4 March 2026, 4. März 2026, 4 de marzo de 2026, 4th of March, 2026, 5 tháng 1 năm 2015
  {
    pattern: `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|\\.|º)?\\s+(?:of\\s+|de\\s+|d[’'])?${monthName}\\.?,?\\s+(?:de\\s+|del\\s+|năm\\s+)?(\\d{4})(?!\\d)`,
    day: 1,
    month: 2,
    year: 3,
  },
  // March 4, 2026
  {
    pattern: `${monthName}\\.?\\s+(\\d{1,2})(?:st|nd|rd|th|\\.)?,?\\s+(\\d{4})(?!\\d)`,
    day: 2,
    month: 1,
    year: 3,
  },
  // Tue Mar 07 09:30:00 GMT 2017
  {
    pattern: `${monthName}\\s+(\\d{1,2}),?\\s+(\\d{1,2}:\\d{2}(?::\\d{2})?(?:\\s+(?:[A-Z]{2,4}|[+-]\\d{4}))?)\\s+(\\d{4})(?!\\d)`,
    day: 2,
    month: 1,
    year: 4,
    time: 3,
  },
  // 04-Mar-2026, 04-Mar-26, 4 Mar 26
  {
    pattern: `(?<!\\d)(\\d{1,2})[-/ ]${monthName}[-/ ](\\d{4}|['’]?\\d{2}(?=\\s*$|[,;]|\\s+\\d{1,2}:))(?!\\d)`,
    day: 1,
    month: 2,
    year: 3,
  },
  // 2026. március 4., 2026 March 4, 2026 m. kovo 4 d., 2026. gada 4. marts
  {
    pattern: `(?<!\\d)(\\d{4})\\.?,?[ -](?:m\\.\\s|ж\\.\\s)?${monthName}\\.?[ -](\\d{1,2})(?!\\d)`,
    day: 3,
    month: 2,
    year: 1,
  },
  {
    pattern: `(?<!\\d)(\\d{4})\\.?\\s(?:gada\\s|ж\\.\\s)(\\d{1,2})\\.?\\s${monthName}`,
    day: 2,
    month: 3,
    year: 1,
  },
].map(({ pattern, ...parts }) => ({ pattern: new RegExp(pattern, 'gi'), time: 0, ...parts }));

function namedDate(
  text: string,
  monthNamed: (name: string) => number | undefined,
): Parts | undefined {
  const hasYear = /\d{4}/.test(text);
  // Most texts have no date: the patterns are tried where a year is.
  if (!hasYear && !/\d[-/ ][^\d\s/-]{2,}[-/ ]['’]?\d\d/.test(text)) return undefined;
  for (const { pattern, day, month, year, time } of nameBased) {
    for (const match of text.matchAll(pattern)) {
      const number = monthNumber(match[month] ?? '', monthNamed);
      if (number === undefined) continue;
      const rest = `${time === 0 ? '' : ` ${match[time] ?? ''}`}${text.slice(match.index + match[0].length)}`;
      const { index: start } = match;
      const written = Number(match[year]?.replace(/\D/g, ''));
      return { year: fullYear(written), month: number, day: Number(match[day]), rest, start };
    }
  }
  return undefined;
}

function monthNumber(
  written: string,
  monthNamed: (name: string) => number | undefined,
): number | undefined {
  const name = written.toLowerCase();
  const numbered = /^tháng\s(\d{1,2})$/.exec(name)?.[1];
  if (numbered !== undefined) return Number(numbered);
  // Hebrew and Arabic write short words together with the next one.
  const bare = /^[\u0590-\u06ff]/.test(name) ? name.slice(1) : name;
  return monthNamed(name.replace(/\.$/, '')) ?? monthNamed(bare);
}

/** Making the names of a language takes milliseconds; pages name any number of languages. */
const namesByLanguage = new Map<string, ReadonlyMap<string, number>>();

const maxLanguages = 50;

/** Month names of English and the page's language: long and short, alone and in a date. */
function monthNames(language: string | undefined): ReadonlyMap<string, number> {
  const key = language ?? '';
  const known = namesByLanguage.get(key);
  if (known !== undefined) return known;
  if (namesByLanguage.size >= maxLanguages) namesByLanguage.clear();
  const names = makeMonthNames(language);
  namesByLanguage.set(key, names);
  return names;
}

function makeMonthNames(language: string | undefined): Map<string, number> {
  const names = new Map<string, number>([
    ['sept', 9],
    ['jänner', 1],
  ]);
  for (const locale of new Set(['en', language ?? 'en'])) {
    for (const width of ['long', 'short'] as const) {
      const alone = formatter(locale, { month: width });
      const inDate = formatter(locale, { month: width, day: 'numeric', year: 'numeric' });
      for (let month = 1; month <= 12; month += 1) {
        const date = new Date(Date.UTC(2026, month - 1, 4));
        for (const format of [alone, inDate]) {
          const part = format?.formatToParts(date).find(({ type }) => type === 'month');
          const name = part?.value.toLowerCase().replace(/\.$/, '') ?? '';
          if (/^\p{L}[\p{L}\p{M}.]{2,}$/u.test(name)) names.set(name, month);
        }
      }
    }
  }
  return names;
}

function formatter(
  language: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat(language.replace(/_/g, '-'), {
      ...options,
      timeZone: 'UTC',
      calendar: 'gregory',
    });
  } catch {
    // The page's lang attribute is not a language tag.
    return undefined;
  }
}

function partsOf(
  match: RegExpExecArray,
  text: string,
  year: number,
  month: number,
  day: number,
): Parts {
  return {
    year: Number(match[year]),
    month: Number(match[month]),
    day: Number(match[day]),
    rest: text.slice(match.index + match[0].length),
    start: match.index,
  };
}

/** A time right after the date: `T10:30:00+02:00`, `, 10:30 am`, ` 10:30 GMT`. */
function timeIn(rest: string): Pick<ParsedDate, 'time' | 'offset'> {
  const match =
    /^(?:T|,?\s+(?:(?:at|um|à|a las|alle|às|kl\.?|klo|om|o|v|saat|в|о)\s+|[-–|·]\s*)?)(\d{1,2})[:.h](\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?m\b\.?)?\s*(Z\b|(?:UTC|GMT)?[+-]\d{2}:?\d{2}|UTC|GMT)?/i.exec(
      rest,
    );
  if (match === null) return { time: undefined, offset: undefined };
  const half = match[4]?.toLowerCase();
  const written = Number(match[1]);
  const hours = half === undefined ? written : (written % 12) + (half === 'p' ? 12 : 0);
  const minutes = Number(match[2]);
  if (hours > 23 || minutes > 59) return { time: undefined, offset: undefined };
  return {
    time: `${pad(hours)}:${pad(minutes)}:${match[3] ?? '00'}`,
    offset: offsetOf(match[5]),
  };
}

function offsetOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const offset = written.replace(/^[a-z]+/i, '');
  if (offset === '') return 'Z';
  return offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

function isRealDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

// Reads times of day, as written by people and machines, to `20:30`.

const machine = /T(\d{2}):(\d{2})/;

const clock =
  /(?<![\d.,:])(\d{1,2})\s?(?:[:h](\d{2})|\.(\d{2})(?=\s?(?:Uhr|h\b|[ap]\.?m))|\s?(?=Uhr|h\b|[ap]\.?m\b))\s?(?:([ap])\.?m\b)?/iu;

/** The first time in the text; undefined for none. */
export function coerceTime(text: string): string | undefined {
  const plain = text.slice(0, 200);
  const exact = machine.exec(plain);
  const match = exact ?? clock.exec(plain);
  if (match === null) return undefined;
  const half = exact === null ? match[4]?.toLowerCase() : undefined;
  const written = Number(match[1]);
  const hours = half === undefined ? written : (written % 12) + (half === 'p' ? 12 : 0);
  const minutes = Number(match[2] ?? (exact === null ? match[3] : undefined) ?? '0');
  if (hours > 23 || minutes > 59) return undefined;
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

// The language of a text, with the tables for reading its dates.

/** One for a page and one for machine-readable texts: preparing month names takes milliseconds. */
export interface TextLocale {
  /** A language tag; undefined if the page declares none. */
  readonly language: string | undefined;
  readonly readDate: (text: string) => ParsedDate | undefined;
}

/** The language on the page's root element; undefined without one. */
export function languageOf(page: Page): string | undefined {
  if (page.kind !== 'html') return undefined;
  const language = page.document.documentElement.getAttribute('lang')?.trim();
  return language === '' || language === undefined ? undefined : language;
}

/** Prepares the reader for a language. */
export function textLocale(language: string | undefined): TextLocale {
  return { language, readDate: dateReader(language) };
}
