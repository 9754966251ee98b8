/** Grounding of a model's answer: the numbers and addresses in it that its source does not contain. */
import { latinDigits, numberWords } from '../../../extract/values/numbers.ts';
import { markdownWords } from '../../text/markdown-inline.ts';

/** A source, parsed once. */
export class GroundingSource {
  readonly #language: string | undefined;
  readonly #addresses: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<string>;
  readonly #words: ReadonlySet<string>;

  /** `markdown`: its link targets count as addresses, but not as numbers. `language`: its language tag. */
  constructor(markdown: string, language: string | undefined) {
    this.#language = language;
    // Line by line, so that no number extends over a line break.
    const seen = withLatinNumerals(markdown.split('\n').map(markdownWords).join('\n'));
    const { addresses, rest } = readAddresses(seen);
    const unescaped = markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
    const targets = readAddresses(withLatinNumerals(unescaped)).addresses;
    this.#addresses = new Set([addresses, targets].flat().flatMap(addressForms));
    this.#numbers = new Set(
      writtenNumbers(rest).flatMap(({ meanings, parts }) => [...meanings, ...parts]),
    );
    this.#words = new Set(
      markdown
        .normalize('NFKD')
        .toLowerCase()
        .match(/\p{L}[\p{L}\p{M}]*/gu) ?? [],
    );
  }

  /**
   * Numbers and addresses of `said` that the source does not have, each once. A number has to occur as a
   * whole number: `1,299.00` is the same as `1.299`, `2` the same as `two`, digits of any script are alike, and a
   * date may be written otherwise. An address is one with `//`, `www.` or `@`.
   */
  unsupported(said: string): string[] {
    const { addresses, rest } = readAddresses(withLatinNumerals(said));
    const missing = addresses.filter((address) => !this.#addresses.has(comparableAddress(address)));
    const numbers = writtenNumbers(rest).filter((number) => !this.#backs(number));
    return [...new Set([...missing, ...numbers.map(({ written }) => written)])];
  }

  #backs({ written, meanings, parts }: WrittenNumber): boolean {
    if (meanings.some((meaning) => this.#has(meaning))) return true;
    if (parts.length > 0) return parts.every((part) => this.#has(part));
    const apart = written.split(' ');
    return apart.length > 1 && apart.flatMap(writtenNumbers).every((number) => this.#backs(number));
  }

  #has(number: string): boolean {
    if (this.#numbers.has(number)) return true;
    return numberWords(Number(number), this.#language).some((word) => this.#words.has(word));
  }
}

// Numbers in a text, each with its possible meanings.

/** A number as a text writes it. */
export interface WrittenNumber {
  /** The number as it is written; a space may separate groups: `1 299,00`. */
  readonly written: string;
  /** Its possible values, in a comparable form: `1299`, `12.5`. `1.299` may be two numbers. */
  readonly meanings: readonly string[];
  /** The parts of a date or a list, which have no value as one number. */
  readonly parts: readonly string[];
}

/** Converts digits and number marks of other scripts to ASCII, and removes exponents of areas. */
function withLatinNumerals(text: string): string {
  const apart = text.replace(/(?<=\p{L})[²³]/gu, '').replace(/(?<=[0-9])[，．]/g, '$& ');
  return latinDigits(apart.normalize('NFKC')).replace(/[٫٬’]/g, (mark) =>
    mark === '٫' ? '.' : mark === '٬' ? ',' : "'",
  );
}

const numberPattern = /\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*/g;

/** The numbers of a plain text, in its order. Linear in its length. */
function writtenNumbers(text: string): WrittenNumber[] {
  return (text.match(numberPattern) ?? []).map((written) => readNumber(written));
}

/** Reads a number; leading zeros and trailing zeros of a fraction are ignored. */
function readNumber(written: string): WrittenNumber {
  const number = written.replaceAll(' ', '');
  const groups = number.split(/[.,']/);
  const marks = number.match(/[.,']/g) ?? [];
  if (marks.length === 0) return { written, meanings: [withoutLeadingZeros(number)], parts: [] };
  const meanings = isGrouped(groups, marks) ? [groups.join('')] : [];
  const [before, marksBefore, last] = [groups.slice(0, -1), marks.slice(0, -1), marks.at(-1)];
  const isWhole = marksBefore.length === 0 || isGrouped(before, marksBefore);
  if (isWhole && last !== "'" && !marksBefore.includes(last ?? '')) {
    const fraction = groups.at(-1) ?? '';
    // `5.000` is five thousand or five: the fraction retains its zeros, so that it does not equal 5.
    const kept = meanings.length > 0 ? fraction : withoutTrailingZeros(fraction);
    meanings.push(withoutLeadingZeros(before.join('')) + (kept === '' ? '' : `.${kept}`));
  }
  if (meanings.length > 0) return { written, meanings, parts: [] };
  const isName = marks.every((mark) => mark === '.') && !isDate(groups);
  return isName
    ? { written, meanings: [number], parts: [] }
    : { written, meanings: [], parts: groups.map(withoutLeadingZeros) };
}

/** True for groups of thousands; with commas also as in `12,34,567`. */
function isGrouped(groups: readonly string[], marks: readonly string[]): boolean {
  const [mark] = marks;
  const inner = mark === ',' ? /^\d{2,3}$/ : /^\d{3}$/;
  return (
    marks.every((one) => one === mark) &&
    /^[1-9]\d{0,2}$/.test(groups[0] ?? '') &&
    groups.slice(1, -1).every((group) => inner.test(group)) &&
    groups.at(-1)?.length === 3
  );
}

function isDate(groups: readonly string[]): boolean {
  return /^(?:\d\d?\.\d\d?\.(?:\d\d|\d{4})|\d{4}\.\d\d?\.\d\d?)$/.test(groups.join('.'));
}

function withoutLeadingZeros(whole: string): string {
  return whole.replace(/^0+(?=\d)/, '');
}

function withoutTrailingZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}

// Web and e-mail addresses in a text.

const addressWords = /[^\s<>()[\]{}"'`|。、「」“”«»]+/g;

/** Addresses contain `//` or `@`, or begin with `www.`. Linear in the length of the text. */
function readAddresses(text: string): { addresses: readonly string[]; rest: string } {
  const addresses: string[] = [];
  const rest = text.replace(addressWords, (word) => {
    const start = addressStart(word);
    if (start < 0) return word;
    addresses.push(withoutSentenceEnd(word.slice(start)));
    return `${word.slice(0, start)} `;
  });
  return { addresses, rest };
}

/** The forms of an address to accept: whole, without its scheme, as a host. */
function addressForms(address: string): string[] {
  const whole = comparableAddress(address);
  const bare = whole.replace(/^(?:[a-z][a-z\d+.-]{0,19}:)?\/\//, '');
  return [whole, bare === whole ? bare : `//${bare}`, bare];
}

/** Lower-cases the host and removes a trailing slash. */
function comparableAddress(address: string): string {
  const [host = ''] = /^(?:[^/]{0,21}\/\/)?[^/]*/.exec(address) ?? [];
  return (host.toLowerCase() + address.slice(host.length)).replace(/\/$/, '');
}

function addressStart(word: string): number {
  const web = /(?:[a-z][a-z\d+.-]{0,19}:)?\/\/[^/]|(?<![\p{L}\p{N}])www\../iu.exec(word);
  if (web !== null) return web.index;
  if (!/[^@]@[^@]/.test(word)) return -1;
  return /^(?:[.,;:!?*_]{0,10}mailto:|[.,;:!?*]{1,10})?/i.exec(word)?.[0].length ?? 0;
}

/** Removes the punctuation of the sentence from the end. */
function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while (end > 0 && '.,;:!?*'.includes(address[end - 1] ?? ' ')) end -= 1;
  return address.slice(0, end);
}
