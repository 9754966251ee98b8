/** Folds texts for comparison and maps folded positions back to the original; reads markdown as readers see it. */
import { latinDigits } from '../values/numbers.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/**
 * The folded form of each ASCII character. Markdown's characters for emphasis, code and escapes are
 * dropped, here and in values.
 */
const ascii: readonly string[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (code <= 32 || character === '|') return ' ';
  return /[*_`~\\[\]]/.test(character) ? '' : character.toLowerCase();
});

/** Folds a value: case, compatibility forms, white space, quotes and dashes; drops combining marks. */
export function foldValue(text: string): string {
  const writer = new FoldingWriter();
  writer.write(text, 0, text.length);
  return writer.finish().text;
}

/** The folded text, with the position of each unit in the original. */
export class FoldedText {
  readonly text: string;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(text: string, starts: Uint32Array, ends: Uint32Array) {
    this.text = text;
    this.#starts = starts;
    this.#ends = ends;
  }

  /** The position in the text where the folded unit begins. */
  startAt(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** The position in the text where the content before the folded unit `index` ends. */
  endAt(index: number): number {
    return this.#ends[index - 1] ?? 0;
  }
}

/** Writes folded text with its positions. */
class FoldingWriter {
  readonly #fold = characterFolding();
  readonly #text: string[] = [];
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #length = 0;
  /** True at the start too, so that leading white space is dropped. */
  #endsInSpace = true;

  /** Folds a part of the text in which each character represents itself. */
  write(text: string, start: number, end: number): void {
    for (let at = start; at < end;) {
      const code = text.charCodeAt(at);
      const character =
        code < 128 ? text.charAt(at) : String.fromCodePoint(text.codePointAt(at) ?? 0);
      this.writeAs(character, at, at + character.length);
      at += character.length;
    }
  }

  /** Folds a character that represents a part of the text, such as its reference. */
  writeAs(character: string, start: number, end: number): void {
    const folded = ascii[character.charCodeAt(0)] ?? this.#fold(character);
    for (let index = 0; index < folded.length; index += 1) {
      const unit = folded.charAt(index);
      if (unit === ' ') this.space(start, end);
      else this.#put(unit, start, end);
    }
  }

  /** Writes a word boundary: one space for any amount of white space. */
  space(start: number, end: number = start + 1): void {
    if (this.#endsInSpace) return;
    this.#put(' ', start, end);
    this.#endsInSpace = true;
  }

  /** The folded text written so far. */
  finish(): FoldedText {
    const text = this.#text.join('');
    return new FoldedText(this.#endsInSpace ? text.slice(0, -1) : text, this.#starts, this.#ends);
  }

  #put(unit: string, start: number, end: number): void {
    if (this.#length === this.#starts.length) {
      this.#starts = longer(this.#starts);
      this.#ends = longer(this.#ends);
    }
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
    this.#text.push(unit);
    this.#endsInSpace = false;
  }
}

function longer(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(numbers.length * 2);
  copy.set(numbers);
  return copy;
}

// One character in the form in which texts are compared.

/**
 * Superscripts and fractions are not folded: as digits they would become part of a number. Nor are
 * Hangul syllables: a part of one is another syllable.
 */
const notFolded = /[\uac00-\ud7af\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u2189]/;

const unseen = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/;

/** Makes the function that folds one character beyond ASCII: compatibility forms, case, quotes, dashes. */
function characterFolding(): (character: string) => string {
  const known = new Map<string, string>();
  return (character) => {
    return getOrInsert(known, character, () => fold(character));
  };
}

function fold(character: string): string {
  if (unseen.test(character)) return '';
  if (notFolded.test(character)) return character;
  // Decomposed, as this needs no neighbours; both sides of each comparison are decomposed.
  return latinDigits(character.normalize('NFKD'))
    .toLowerCase()
    .normalize('NFKD')
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ')
    .replace(/[“”„‟«»〝〞″]/g, '"')
    .replace(/[‘’‚‛′´ʼ]/g, "'")
    .replace(/[‐-―−]/g, '-')
    .replace(/\s/g, ' ');
}

// The folded text that a reader sees of markdown, and the links in it.

/** A link's target as written between its parentheses. */
export interface WrittenTarget {
  readonly target: string;
  readonly start: number;
  readonly end: number;
}

/** The text of markdown without its syntax. */
export interface FoldedMarkdown {
  readonly folded: FoldedText;
  readonly targets: readonly WrittenTarget[];
}

/** Folds `markdown` in one pass. Block markers and link targets are not part of the text. */
export function foldMarkdown(markdown: string): FoldedMarkdown {
  const writer = new FoldingWriter();
  const targets: WrittenTarget[] = [];

  const { length } = markdown;
  let at = line(0);
  while (at < length) {
    special.lastIndex = at;
    const next = special.exec(markdown)?.index ?? length;
    writer.write(markdown, at, next);
    at = next < length ? mark(next) : length;
  }
  return { folded: writer.finish(), targets };

  /** Reads a special character; returns where text continues. */
  function mark(at: number): number {
    switch (markdown[at]) {
      case '\n':
        writer.space(at);
        return line(at + 1);
      case ']':
        return foldTarget(at);
      case '<':
        return angle(at);
      case '&':
        return foldReference(at);
      case '\\':
        return escaped(at);
      case '!':
        return markdown[at + 1] === '[' ? at + 1 : text(at, at + 1);
      case '[':
        return match(footnote, at)?.end ?? at + 1;
      default: {
        const code = match(codeSpan, at);
        return code === undefined ? at + 1 : text(at + 1, code.end);
      }
    }
  }

  /** Reads the start of a line, which determines the kind of its block. */
  function line(at: number): number {
    const opening = match(fence, at);
    if (opening !== undefined) return code(opening.end, opening.groups[0] ?? '');
    const rule = match(ruler, at);
    // Its line end begins the next line.
    if (rule !== undefined) return rule.end - (markdown[rule.end - 1] === '\n' ? 1 : 0);
    return match(blockMark, at)?.end ?? at;
  }

  /** Code is text to its last character. */
  function code(start: number, mark: string): number {
    const closing = new RegExp(`\\n[ \\t>]*${mark.charAt(0)}{${Math.min(mark.length, 100)},}`, 'g');
    closing.lastIndex = start - 1;
    const end = closing.exec(markdown)?.index ?? markdown.length;
    writer.space(start);
    text(start, end);
    const after = markdown.indexOf('\n', end + 1);
    return after === -1 ? markdown.length : after;
  }

  function foldTarget(at: number): number {
    const found = match(target, at);
    if (found === undefined) return at + 1;
    const written = found.groups[0] ?? found.groups[1] ?? '';
    const start = at + (found.groups[0] === undefined ? 2 : 3);
    targets.push({ target: written, start, end: start + written.length });
    return found.end;
  }

  function angle(at: number): number {
    const link = match(autolink, at);
    if (link !== undefined) {
      targets.push({
        target: markdown.slice(at + 1, link.end - 1),
        start: at + 1,
        end: link.end - 1,
      });
      text(at + 1, link.end - 1);
      return link.end;
    }
    const found = match(tag, at);
    if (found === undefined) return text(at, at + 1);
    if (/^\/?(?:br|p|div|li|t[dhr])$/i.test(found.groups[0] ?? '')) {
      writer.space(at, found.end);
    }
    return found.end;
  }

  function foldReference(at: number): number {
    const found = match(reference, at);
    if (found === undefined) return text(at, at + 1);
    writer.writeAs(character(markdown.slice(at, found.end)), at, found.end);
    return found.end;
  }

  function escaped(at: number): number {
    const isMark = /[!-/:-@[-`{-~]/.test(markdown[at + 1] ?? '');
    return isMark ? text(at + 1, at + 2) : at + 1;
  }

  function text(start: number, end: number): number {
    writer.write(markdown, start, end);
    return end;
  }

  function match(
    pattern: RegExp,
    at: number,
  ): { readonly end: number; readonly groups: readonly (string | undefined)[] } | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(markdown);
    return match === null ? undefined : { end: at + match[0].length, groups: match.slice(1) };
  }
}

/** Lengths are bounded and no character matches two parts, so that the time is linear. */
const target =
  /\]\((?:<([^<>\n]{0,2000})>|((?:[^\s()<>\\]|\\.|\([^\s()<>]{0,500}\)){0,2000}))(?:\s"(?:[^"\\]|\\.){0,1000}")?\)/y;

const autolink = /<(?:https?:|mailto:)[^<>\s]{1,2000}>/iy;

const tag = /<(\/?[a-z][a-z0-9]{0,20})(?:[\s/][^<>]{0,2000})?>/iy;

const reference = /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|nbsp);/iy;

const footnote = /\[\^[^\s\]]{1,50}\]/y;

const codeSpan = /`[^`\n]{1,1000}`/y;

const blockMark = /(?:[ \t]{0,100}(?:>|#{1,6}(?=[ \t])|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/y;

const ruler = /(?:[ \t]{0,100}\|)?[ \t]{0,100}:?--[-|: \t]*(?:\n|$)/y;

const fence = /[ \t]{0,100}(`{3,}|~{3,})[^\n]*(?:\n|$)/y;

/** Characters that may begin something other than text. */
const special = /[\]<&[\\!`\n]/g;

const named: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
};

function character(written: string): string {
  const [, hexadecimal, digits] = /^&#(x?)([\da-f]+);$/i.exec(written) ?? [];
  if (digits === undefined) return named[written.toLowerCase()] ?? ' ';
  const code = Number.parseInt(digits, hexadecimal === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}
