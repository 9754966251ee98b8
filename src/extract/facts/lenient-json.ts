/**
 * Parses JSON as found in pages: wrapped in comments, escaped for HTML, with other quotes, with missing or
 * extra commas and brackets. See docs/decisions/015-own-lenient-json.md.
 */
import { isCodeUrl } from '../../core/url/links.ts';

/** The parsed value, or undefined when it is not JSON even after simple repairs. */
export function parseLenientJson(text: string): unknown {
  const value = tryParse(text) ?? tryParse(new Repair(withoutEscapes(text)).text());
  // Some pages have the JSON as a string in JSON.
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return tryParse(value) ?? tryParse(new Repair(value).text());
}

function tryParse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text, harmless);
  } catch {
    return undefined;
  }
}

/**
 * Drops a key `__proto__`, which would become a prototype when the object is copied, and URLs that run code,
 * which could be followed.
 */
function harmless(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined;
  // The pattern takes quadratic time in the length of the key.
  if (key.length > 100 || !urlKey.test(key)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutCode(item));
  return withoutCode(value);
}

function withoutCode(value: unknown): unknown {
  return typeof value === 'string' && isCodeUrl(value) ? '' : value;
}

/** The schema.org names whose values are URLs or things with URLs. */
const urlKey =
  /^(?:@id|\w*url\w*|sameAs|image|logo|photo|thumbnail|item|target|license|mainEntityOfPage|hasMap|\w*[pP]age)$/i;

/** `{&quot;a&quot;:1}` and `{\"a\":1}`: the whole text is escaped once or twice. */
function withoutEscapes(text: string): string {
  let plain = text;
  for (let pass = 0; pass < 2 && /^\s*[[{][[{\s]{0,100}&/.test(plain); pass += 1) {
    plain = plain.replace(
      /&(?:(quot|amp|lt|gt|apos|nbsp)|#(\d{1,6})|#x([\da-f]{1,5}));/gi,
      (_, name: string | undefined, decimal: string | undefined, hex: string | undefined) =>
        name === undefined
          ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : +decimal)
          : (entities[name.toLowerCase()] ?? ''),
    );
  }
  return /^\s*[[{][[{\s]{0,100}\\"/.test(plain) ? plain.replace(/\\(["\\])/g, '$1') : plain;
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  nbsp: ' ',
};

/** Opening quotes with their closing quotes. */
const quotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '“”'],
  ['”', '“”'],
  ['„', '“”'],
]);

const word = /[^\s,:;[\]{}"'“”„/<]+/y;
const tag = /<\/?[a-z][^<>]{0,200}>/iy;
/** What may follow a comma. */
const member = /$|["'“”„{[}\]\d/<-]|(?:true|false|null)\b|[\w$]{1,40}\s{0,9}:/y;

/**
 * Repairs in one pass. Drops comments, tags, CDATA markers, extra commas and brackets; adds missing commas
 * and brackets, and a list around several values. Quotes strings and names with `"`, and escapes invalid
 * characters. A text that ends within a string, a number or a word stays invalid, since its continuation is
 * unknown.
 */
class Repair {
  readonly #source: string;
  readonly #out: string[] = [];
  /** Expected closing marks, innermost last. */
  readonly #closing: string[] = [];
  readonly #open = new Map([
    ['}', 0],
    [']', 0],
  ]);
  /** The position in the output of a comma without a following value. */
  #comma = -1;
  /** The last token ended a value; a word may be cut. */
  #last: 'value' | 'word' | 'mark' = 'mark';
  #roots = 0;
  #at = 0;
  /** End of the next HTML comment. */
  #commentEnd = -1;
  readonly #lastBracket: number;

  constructor(source: string) {
    this.#source = source;
    this.#lastBracket = Math.max(source.lastIndexOf('{'), source.lastIndexOf('['));
  }

  text(): string | undefined {
    const source = this.#source;
    while (this.#at < source.length) {
      const char = source.charAt(this.#at);
      const skip = /\s/.test(char) ? 1 : this.#wrapperLength();
      if (skip > 0) this.#at += skip;
      else if (quotes.has(char)) {
        if (!this.#string(quotes.get(char) ?? char)) return undefined;
      } else if (char === '{' || char === '[') this.#opened(char);
      else if (char === '}' || char === ']') this.#closed(char);
      else if (char === ',' || char === ':') this.#mark(char);
      else if (char === ';' && this.#closing.length === 0) this.#at += 1;
      else if (!this.#word()) return undefined;
    }
    if (this.#closing.length > 0 && this.#last === 'word') return undefined;
    this.#dropComma();
    const text = [...this.#out, ...this.#closing.reverse()].join('');
    return this.#roots > 1 ? `[${text}]` : text;
  }

  #beginValue(): void {
    if (this.#last !== 'mark') this.#out.push(',');
    if (this.#closing.length === 0) this.#roots += 1;
    this.#comma = -1;
  }

  #opened(char: string): void {
    this.#beginValue();
    const closing = char === '{' ? '}' : ']';
    this.#closing.push(closing);
    this.#open.set(closing, (this.#open.get(closing) ?? 0) + 1);
    this.#out.push(char);
    this.#last = 'mark';
    this.#at += 1;
  }

  /** Also closes everything open inside; does nothing if no such bracket is open. */
  #closed(char: string): void {
    this.#at += 1;
    if (this.#open.get(char) === 0) return;
    this.#dropComma();
    let closing: string | undefined;
    do {
      closing = this.#closing.pop() ?? char;
      this.#open.set(closing, (this.#open.get(closing) ?? 0) - 1);
      this.#out.push(closing);
    } while (closing !== char);
    this.#last = 'value';
  }

  #mark(char: string): void {
    // Consecutive commas count as one.
    if (char === ',' && this.#comma === -1) this.#comma = this.#out.push(char) - 1;
    else if (char === ':') this.#out.push(char);
    this.#last = 'mark';
    this.#at += 1;
  }

  #dropComma(): void {
    if (this.#comma !== -1) this.#out[this.#comma] = '';
    this.#comma = -1;
  }

  /** A number, a literal, or a name without quotes; false for anything else. */
  #word(): boolean {
    word.lastIndex = this.#at;
    const text = word.exec(this.#source)?.[0];
    if (text === undefined) return false;
    this.#beginValue();
    this.#at += text.length;
    const isName = this.#source.charAt(this.#afterSpace(this.#at)) === ':';
    if (isName) this.#out.push(JSON.stringify(text));
    else this.#out.push(/^(?:undefined|NaN)$/.test(text) ? 'null' : text);
    this.#last = 'word';
    return true;
  }

  /** Reads the string here; false if it does not end. */
  #string(closing: string): boolean {
    const source = this.#source;
    const literal = ['"'];
    let at = this.#at + 1;
    for (; at < source.length; at += 1) {
      const char = source.charAt(at);
      if (closing.includes(char) && this.#endsString(at + 1)) break;
      if (char === '\\') {
        at += 1;
        const escaped = source.charAt(at);
        literal.push(/["\\/bfnrtu]/.test(escaped) ? `\\${escaped}` : inString(escaped));
      } else literal.push(inString(char));
    }
    if (at >= source.length) return false;
    this.#beginValue();
    literal.push('"');
    this.#out.push(literal.join(''));
    this.#last = 'value';
    this.#at = at + 1;
    return true;
  }

  /** False for a quote within a text: "He said "no" to it". */
  #endsString(end: number): boolean {
    const source = this.#source;
    const at = this.#afterSpace(end);
    const char = source.charAt(at);
    if (char === '' || '}]:;<'.includes(char)) return true;
    if (char === '/') return /[/*]/.test(source.charAt(at + 1));
    if (char === '-') return source.startsWith('-->', at);
    if (char === ',') {
      member.lastIndex = this.#afterSpace(at + 1);
      return member.test(source);
    }
    // A missing comma at the end of a line.
    return quotes.has(char) && source.slice(end, at).includes('\n');
  }

  #afterSpace(start: number): number {
    let at = start;
    while (at < this.#source.length && /\s/.test(this.#source.charAt(at))) at += 1;
    return at;
  }

  /** The length of a comment, a tag, or a marker of a comment or CDATA section here; 0 for none. */
  #wrapperLength(): number {
    const text = this.#source;
    const at = this.#at;
    if (!'<-/]'.includes(text.charAt(at))) return 0;
    if (text.startsWith('<!--', at)) return this.#htmlCommentLength();
    for (const mark of ['-->', '<![CDATA[', ']]>']) {
      if (text.startsWith(mark, at)) return mark.length;
    }
    if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      return (end === -1 ? text.length : end + 2) - at;
    }
    // `//<![CDATA[` hides the marker from script parsers; the JSON may follow on the same line.
    if (/^\/\/\s*(<!\[CDATA\[|\]\]>|<!--|-->)/.test(text.slice(at, at + 20))) return 2;
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      return (end === -1 ? text.length : end) - at;
    }
    tag.lastIndex = at;
    return tag.exec(text)?.[0].length ?? 0;
  }

  /** A comment within or before the JSON is taken whole; of one around the JSON, the first marker. */
  #htmlCommentLength(): number {
    const at = this.#at;
    if (this.#commentEnd < at) {
      const end = this.#source.indexOf('-->', at);
      this.#commentEnd = end === -1 ? Number.POSITIVE_INFINITY : end + 3;
    }
    const isWhole = this.#closing.length > 0 || this.#lastBracket >= this.#commentEnd;
    return isWhole && Number.isFinite(this.#commentEnd) ? this.#commentEnd - at : 4;
  }
}

/** Escapes what a string of JSON must not contain. */
function inString(char: string): string {
  return char < ' ' || char === '"' ? JSON.stringify(char).slice(1, -1) : char;
}
