/** Replaces personal data in the texts, URLs and values of one page, and counts what it replaced. */
import { hookFailed } from '../../core/runtime/errors.ts';
import { atOnce } from '../../core/runtime/at-once.ts';
import {
  findLabelledPhone,
  findPersonalData,
  type FoundData,
  mayHold,
  type PersonalDataKind,
} from './personal-data.ts';
import { mayHaveMarkup, Reading, type ReadingRules } from './reading.ts';

const limits = {
  shortestNumber: 100_000_000, // the smallest number that may be a card's or a person's
  deepest: 200, // levels of nested data; deeper data may have no end
  clean: 100_000,
};

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

/** Properties of a text that matter for redaction. */
export interface TextRules extends Pick<ReadingRules, 'collapses'> {
  /** It is JSON: a replaced number becomes a string. @default for a text that begins like JSON */
  readonly isJson?: boolean | undefined;
  /** The name of its field: `phone`. */
  readonly label?: string | undefined;
}

/** A part of a text and what replaces it. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** One for each page. */
export class Redactor {
  readonly #kinds: readonly PersonalDataKind[];
  readonly #functions: readonly RedactFunction[];
  readonly #url: string;
  readonly #found = new Map<string, Set<string>>();
  /** Texts without personal data: a page is read twice, and repeats texts. */
  readonly #clean = new Set<string>();

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

  /** The text with personal data replaced by `[type]`. Throws `HOOK_FAILED` for a function. */
  text(text: string, rules: TextRules = {}): string {
    return this.texts([text], rules)[0] ?? '';
  }

  /** Texts that follow each other in one line: a value may begin in one and end in another. */
  texts(texts: readonly string[], rules: TextRules = {}): readonly string[] {
    const text = texts.join('');
    if (this.#hasNothing(text)) return texts;
    const { label = '' } = rules;
    const key = label === '' ? text : `${label}\n${text}`;
    if (this.#clean.has(key)) return texts;
    // Tags within a value stay; what is in the tags is redacted afterwards.
    const joined = mayHaveMarkup(text)
      ? replaced(texts, this.#edits(text, this.#kinds, { ...rules, dropsMarkup: true }))
      : texts;
    const redacted = replaced(joined, this.#edits(joined.join(''), this.#kinds, rules));
    if (redacted === texts && this.#clean.size < limits.clean) this.#clean.add(key);
    return redacted;
  }

  /**
   * The URL with personal data replaced by `[type]`. Numbers in the path stay, since they identify pages,
   * unless the URL dials a number.
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
    if (this.#hasNothing(url)) return url;
    const query = /[?#]|$/.exec(url)?.index ?? url.length;
    return url.replace(/[^/?#&=;,\s]+/g, (part: string, at: number) => {
      const kinds = at < query ? this.#kinds.filter((kind) => kind === 'email') : this.#kinds;
      return replaced([part], this.#edits(part, kinds, {}))[0] ?? '';
    });
  }

  /** Plain data with strings, long numbers and property names redacted; null for what is nested too deep. */
  value<Value>(value: Value): Value {
    // Everything but such a number keeps its shape.
    return this.#value(value, '', 0) as Value;
  }

  #value(value: unknown, label: string, depth: number): unknown {
    if (typeof value === 'string') return this.text(value, { label });
    if (typeof value === 'number' && value >= limits.shortestNumber)
      return this.#number(value, label);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > limits.deepest) return null;
    if (Array.isArray(value)) return value.map((one) => this.#value(one, label, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [this.text(key), this.#value(one, key, depth + 1)]),
    );
  }

  /** A replaced number becomes a string. */
  #number(value: number, label: string): number | string {
    const text = String(value);
    const redacted = this.text(text, { label });
    return redacted === text ? value : redacted;
  }

  #edits(
    text: string,
    kinds: readonly PersonalDataKind[],
    { isJson = /^\s*[[{]/.test(text), ...rules }: TextRules & ReadingRules,
  ): readonly Edit[] {
    if (this.#hasNothing(text)) return [];
    const reading = new Reading(text, rules);
    const found = this.#matches(reading.text, kinds, rules.label).map((one) => ({
      ...one,
      ...reading.sourceOf(one.start, one.end),
      value: reading.text.slice(one.start, one.end),
    }));
    if (reading.text !== text) {
      for (const one of this.#findByFunctions(text)) {
        found.push({ ...one, markup: '', value: text.slice(one.start, one.end) });
      }
    }
    return apart(found).map(({ type, start, end, markup, value }) => {
      this.#count(type, value);
      const quote = isJson && isBareValue(text, start, end) ? '"' : '';
      return { start, end, replacement: `${quote}[${type}]${quote}${markup}` };
    });
  }

  /** True if there is certainly no data, without a search. */
  #hasNothing(text: string): boolean {
    return this.#functions.length === 0 && !mayHoldData.test(text);
  }

  #matches(text: string, kinds: readonly PersonalDataKind[], label = ''): FoundData[] {
    const found = this.#findByFunctions(text);
    for (const kind of kinds) {
      if (mayHold(text, kind)) found.push(...findPersonalData(text, kind));
    }
    if (label !== '' && kinds.includes('phone')) found.push(...findLabelledPhone(label, text));
    return found;
  }

  /** Findings of the caller's functions. */
  #findByFunctions(text: string): FoundData[] {
    try {
      return this.#functions.flatMap((find) =>
        [...atOnce(find(text))].filter(({ type, start, end }) => {
          const isPart = Number.isInteger(start) && Number.isInteger(end) && start >= 0;
          if (isPart && end <= text.length && start <= end && /^[\w-]{1,40}$/.test(type)) {
            return start < end;
          }
          throw new TypeError('it has to give { type, start, end } within the text');
        }),
      );
    } catch (error) {
      throw hookFailed('redact', this.#url, error);
    }
  }

  #count(type: string, text: string): void {
    const value = text
      .toLowerCase()
      .replace(/[[({]\s?at\s?[\])}]/g, '@')
      .replace(/[[(]\s?dot\s?[\])]/g, '')
      .replace(/[^\p{L}\p{N}@]/gu, '');
    const values = this.#found.get(type) ?? new Set();
    this.#found.set(type, values.add(value));
  }
}

/** URLs that dial: the scheme or path, and the number. */
const dialledNumber =
  /^(\s*(?:tel|sms|smsto|callto|fax|facetime|facetime-audio):(?:\/\/)?)[+\d(%][^?;&#]{4,60}|^(\s*(?:https?:)?\/\/wa\.me\/)[+\d(%][^?;&#/]{4,60}/i;

/** A text without any of these has no data: signs for "at", four digits, colons of IPv6, escapes of any of them. */
const mayHoldData =
  /[@\ufe6b\uff20]|[[({\uff08\uff3b]\s?[aA][tT]|:[\da-fA-F]{0,4}:|\\[ux]|%[\da-fA-F]{2}|&(?:#|[a-zA-Z]+;)|\p{N}(?:\P{N}*\p{N}){3}/u;

/** The replacement of a part of several texts goes into the first of them. */
function replaced(texts: readonly string[], edits: readonly Edit[]): readonly string[] {
  if (edits.length === 0) return texts;
  let [at, from] = [0, 0];
  return texts.map((text) => {
    const to = from + text.length;
    let result = '';
    let done = from;
    for (let edit = edits[at]; edit !== undefined && edit.start < to; edit = edits[at]) {
      if (edit.start >= from)
        result += text.slice(done - from, edit.start - from) + edit.replacement;
      done = Math.min(edit.end, to);
      // The rest of it is in the next text.
      if (edit.end > to) break;
      at += 1;
    }
    result += text.slice(done - from);
    from = to;
    return result;
  });
}

/** In order; overlapping findings are merged into the type that begins first. */
function apart<Found extends FoundData>(found: Found[]): Found[] {
  if (found.length < 2) return found;
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const joined: Found[] = [];
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
