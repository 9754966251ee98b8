/** Replaces personal data in the texts, URLs and values of one page, and counts what it replaced. */
import { hookFailed } from '../errors.ts';
import { atOnce } from './at-once.ts';
import {
  findPersonalData,
  type FoundData,
  hasNoPersonalData,
  type PersonalDataKind,
} from './personal-data.ts';

/**
 * Finds data of your own in a text of the page: a paragraph, an attribute, a part of a URL. It runs on
 * your thread, for heavy pages too: functions cannot be sent to another.
 *
 * @example
 * const staffNumbers: RedactFunction = (text) =>
 *   [...text.matchAll(/\bEMP-\d{5}\b/g)].map(({ index, 0: { length } }) => ({
 *     type: 'staff-number',
 *     start: index,
 *     end: index + length,
 *   }));
 */
export type RedactFunction = (text: string) => Iterable<{
  /** Stands in the text as `[type]`: letters, digits, `-` and `_`, at most 40. */
  readonly type: string;
  /** The position of its first UTF-16 unit. */
  readonly start: number;
  /** The position after its last UTF-16 unit. */
  readonly end: number;
}>;

/** A kind of personal data, or a function that finds data of its own. */
export type Redaction = PersonalDataKind | RedactFunction;

/** Where a text stands, where that matters. */
interface TextPlace {
  /** It is JSON: a number that is replaced becomes a string. @default false */
  readonly isJson?: boolean;
}

/** One for each page. */
export class Redactor {
  readonly #kinds: readonly PersonalDataKind[];
  readonly #functions: readonly RedactFunction[];
  readonly #url: string;
  readonly #found = new Map<string, Set<string>>();

  /** `url` is named in errors of functions. */
  constructor(redactions: readonly Redaction[], url: string) {
    this.#kinds = redactions.filter((one) => typeof one === 'string');
    this.#functions = redactions.filter((one) => typeof one === 'function');
    this.#url = url;
  }

  /** The number of different values of each type that were replaced, by name. */
  get counts(): Record<string, number> {
    const types = [...this.#found].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(types.map(([type, values]) => [type, values.size]));
  }

  /** The text with `[type]` in place of what is found. Throws `HOOK_FAILED` for a function. */
  text(text: string, { isJson = false }: TextPlace = {}): string {
    let redacted = '';
    let from = 0;
    for (const { type, start, end } of this.find(text)) {
      const quote = isJson && isBareValue(text, start, end) ? '"' : '';
      redacted += `${text.slice(from, start)}${quote}[${type}]${quote}`;
      from = end;
    }
    return from === 0 ? text : redacted + text.slice(from);
  }

  /**
   * The URL with `[type]` in place of what is found. Numbers in the path are left alone: they name pages. One
   * that dials a number loses it.
   */
  url(url: string): string {
    if (/^\s*data:[^,]*;base64,/i.test(url)) return url;
    if (this.#kinds.includes('phone')) {
      const dialled = dialledNumber.exec(url);
      if (dialled !== null) {
        const { 0: found, 1: dials = '', 2: scheme = dials } = dialled;
        this.#count('phone', found.slice(scheme.length));
        return `${scheme}[phone]${this.url(url.slice(found.length))}`;
      }
    }
    const query = /[?#]|$/.exec(url)?.index ?? url.length;
    return url.replace(/[^/?#&=;,\s]+/g, (part: string, at: number) => {
      const plain = decoded(part);
      const kinds = at < query ? this.#kinds.filter((kind) => kind === 'email') : this.#kinds;
      const redacted = this.#replaced(plain, this.#matches(plain, kinds));
      if (redacted === plain) return part;
      return encodeURIComponent(redacted)
        .replace(/%5B([\w-]+)%5D/g, '[$1]')
        .replaceAll('%3A', ':');
    });
  }

  /**
   * Plain data with its strings and long numbers redacted, names of properties included; null for what is nested too
   * deep.
   */
  value<Value>(value: Value): Value {
    // Everything but such a number keeps its shape.
    return this.#value(value, 0) as Value;
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number' && value >= shortestNumber) return this.#number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return null;
    if (Array.isArray(value)) return value.map((one) => this.#value(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [this.text(key), this.#value(one, depth + 1)]),
    );
  }

  /** A number that is replaced becomes a string. */
  #number(value: number): number | string {
    const text = String(value);
    const redacted = this.text(text);
    return redacted === text ? value : redacted;
  }

  /** The parts to replace, in their order; they do not overlap. They count as replaced. */
  find(text: string): FoundData[] {
    const found = this.#matches(text, this.#kinds);
    for (const { type, start, end } of found) this.#count(type, text.slice(start, end));
    return found;
  }

  #replaced(text: string, found: readonly FoundData[]): string {
    let redacted = '';
    let from = 0;
    for (const { type, start, end } of found) {
      this.#count(type, text.slice(start, end));
      redacted += `${text.slice(from, start)}[${type}]`;
      from = end;
    }
    return redacted + text.slice(from);
  }

  #matches(given: string, kinds: readonly PersonalDataKind[]): FoundData[] {
    const found: FoundData[] = [];
    const text = kinds.length > 0 ? usualSigns(given) : '';
    if (!hasNoPersonalData(text)) {
      for (const kind of kinds) for (const one of findPersonalData(text, kind)) found.push(one);
    }
    for (const find of this.#functions) found.push(...this.#ask(find, given));
    return apart(found);
  }

  #ask(find: RedactFunction, text: string): FoundData[] {
    try {
      return [...atOnce(find(text))].filter(({ type, start, end }) => {
        const isPart = Number.isInteger(start) && Number.isInteger(end) && start >= 0;
        if (isPart && end <= text.length && start <= end && /^[\w-]{1,40}$/.test(type)) {
          return start < end;
        }
        throw new TypeError('it has to give { type, start, end } within the text');
      });
    } catch (error) {
      throw hookFailed('redact', this.#url, error);
    }
  }

  #count(type: string, text: string): void {
    const value = text
      .toLowerCase()
      .replace(/%40|&#x?0*[46][04];|&commat;|\\u0040|\[\s?at\s?\]|\(\s?at\s?\)/g, '@')
      .replace(/\[\s?dot\s?\]|\(\s?dot\s?\)/g, '')
      .replace(/[^\p{L}\p{N}@]/gu, '');
    const values = this.#found.get(type) ?? new Set();
    this.#found.set(type, values.add(value));
  }
}

/** The least number that may be one of a card or of a person. */
const shortestNumber = 100_000_000;

/** Levels of nested data; what is nested deeper may have no end. */
const deepest = 200;

/** URLs that dial: the scheme or the place, and the number. */
const dialledNumber =
  /^(\s*(?:tel|sms|smsto|callto|fax|facetime|facetime-audio):(?:\/\/)?)[+\d(%][^?;&#]{4,60}|^(\s*(?:https?:)?\/\/wa\.me\/)[+\d(%][^?;&#/]{4,60}/i;

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Full-width letters, digits and signs, as Japanese pages have them, and Arabic, Persian, Indian and Thai digits, by
 * their usual forms: one for one.
 */
function usualSigns(text: string): string {
  return text.replace(unusualSigns, (sign) => {
    if (sign === '\u3000') return ' ';
    const code = sign.charCodeAt(0);
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
    return String(code - (zeros.findLast((zero) => zero <= code) ?? code));
  });
}

/** The digits 0 of scripts with digits of their own. */
const zeros: readonly number[] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const unusualSigns =
  /[\uff01-\uff5e\u3000\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g;

/** In their order; overlapping ones are one, of the type that begins first. */
function apart(found: FoundData[]): FoundData[] {
  if (found.length < 2) return found;
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const joined: FoundData[] = [];
  for (const one of found) {
    const last = joined.at(-1);
    if (last === undefined || one.start >= last.end) joined.push(one);
    else if (one.end > last.end) joined[joined.length - 1] = { ...last, end: one.end };
  }
  return joined;
}

/** True for a value without quotes in JSON. */
function isBareValue(text: string, start: number, end: number): boolean {
  const before = /[:[,]\s{0,40}$/.test(text.slice(Math.max(0, start - 42), start));
  return before && /^\s{0,40}[,\]}]/.test(text.slice(end, end + 42));
}
