/** Reads dates and times of day, as written by people and machines, to ISO 8601. */
import type { Page } from '../../model/page.ts';

/** A date, with the known parts of its time. */
export interface ParsedDate {
  /** `2026-03-04` */
  readonly date: string;
  /** `10:30:00`, when the text has a time. */
  readonly time: string | undefined;
  /** `Z` or `+02:00`, when the text has one. */
  readonly offset: string | undefined;
}

/**
 * Makes the function that finds the date in a text. It gives undefined when there is none or when it
 * is ambiguous: `03/04/2026` is left alone unless the region of the language tells which comes first.
 */
export function dateReader(language: string | undefined): (text: string) => ParsedDate | undefined {
  let months: ReadonlyMap<string, number> | undefined;
  const monthNamed = (name: string): number | undefined => {
    months ??= monthNames(language);
    return months.get(name);
  };
  return (text) => {
    const plain = text.slice(0, 200);
    const parts =
      isoDate(plain) ??
      yearFirst(plain) ??
      numericDate(plain, language) ??
      namedDate(plain, monthNamed);
    if (parts === undefined || !isRealDate(parts)) return undefined;
    const { year, month, day, rest } = parts;
    return { date: `${pad(year, 4)}-${pad(month)}-${pad(day)}`, ...timeIn(rest) };
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
}

function isoDate(text: string): Parts | undefined {
  const match = /(?:^|[^\d])(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text);
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
  if (language === undefined || /^(en)?$/i.test(language)) return undefined;
  const order = formatter(language, { day: 'numeric', month: 'numeric', year: 'numeric' })
    ?.formatToParts(new Date(Date.UTC(2026, 2, 4)))
    .find((part) => part.type === 'day' || part.type === 'month');
  return order === undefined ? undefined : order.type === 'day';
}

const nameBased = [
  // 4 March 2026, 4. März 2026, 4 de marzo de 2026, 4th of March, 2026
  {
    pattern:
      /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+|d[’'])?(\p{L}{3,})\.?,?\s+(?:de\s+|del\s+)?(\d{4})(?!\d)/giu,
    day: 1,
    month: 2,
    year: 3,
  },
  // March 4, 2026
  {
    pattern: /(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th|\.)?,?\s+(\d{4})(?!\d)/giu,
    day: 2,
    month: 1,
    year: 3,
  },
  // 04-Mar-2026
  { pattern: /(?<!\d)(\d{1,2})-(\p{L}{3,})-(\d{4})(?!\d)/giu, day: 1, month: 2, year: 3 },
  // 2026. március 4., 2026 March 4
  {
    pattern: /(?<!\d)(\d{4})\.?,?[ -](\p{L}{3,})\.?[ -](\d{1,2})(?!\d)/giu,
    day: 3,
    month: 2,
    year: 1,
  },
] as const;

function namedDate(
  text: string,
  monthNamed: (name: string) => number | undefined,
): Parts | undefined {
  if (!/\d{4}/.test(text)) return undefined;
  for (const { pattern, day, month, year } of nameBased) {
    for (const match of text.matchAll(pattern)) {
      const number = monthNamed((match[month] ?? '').toLowerCase());
      if (number === undefined) continue;
      const rest = text.slice(match.index + match[0].length);
      return { year: Number(match[year]), month: number, day: Number(match[day]), rest };
    }
  }
  return undefined;
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
          if (/^\p{L}{3,}$/u.test(name)) names.set(name, month);
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
  };
}

/** A time right after the date: `T10:30:00+02:00`, `, 10:30 am`, ` 10:30 GMT`. */
function timeIn(rest: string): Pick<ParsedDate, 'time' | 'offset'> {
  const match =
    /^(?:T|,?\s+(?:at\s+|um\s+|[-–|·]\s*)?)(\d{1,2})[:.](\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?m\b\.?)?\s*(Z\b|UTC|GMT|[+-]\d{2}:?\d{2})?/i.exec(
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
  if (/^[a-z]/i.test(written)) return 'Z';
  return written.includes(':') ? written : `${written.slice(0, 3)}:${written.slice(3)}`;
}

function isRealDate({ year, month, day }: Parts): boolean {
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
  /** A language tag; undefined when the page does not say. */
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
