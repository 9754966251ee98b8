/** A text in the form in which it is compared, with the way back to the text as it is. */
import { characterFolding } from './fold-character.ts';

/**
 * What each character of ASCII becomes. Marks that markdown has for emphasis, code and escapes count
 * for nothing, here and in values.
 */
const ascii: readonly string[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (code <= 32 || character === '|') return ' ';
  return /[*_`~\\[\]]/.test(character) ? '' : character.toLowerCase();
});

/** Folds a value: case, compatibility forms, white space, quotes and dashes, and no marks. */
export function foldValue(text: string): string {
  const writer = new FoldingWriter();
  writer.write(text, 0, text.length);
  return writer.finish().text;
}

/** The folded text, and where each unit of it was. */
export class FoldedText {
  readonly text: string;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(text: string, starts: Uint32Array, ends: Uint32Array) {
    this.text = text;
    this.#starts = starts;
    this.#ends = ends;
  }

  /** Where the folded unit begins in the text. */
  startAt(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** Where what ends before the folded unit `index` ends in the text. */
  endAt(index: number): number {
    return this.#ends[index - 1] ?? 0;
  }
}

/** Writes folded text with its places. */
export class FoldingWriter {
  readonly #fold = characterFolding();
  readonly #text: string[] = [];
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #length = 0;
  /** At the start white space is left out, too. */
  #endsInSpace = true;

  /** Folds a part of the text, whose characters count as text. */
  write(text: string, start: number, end: number): void {
    for (let at = start; at < end;) {
      const code = text.charCodeAt(at);
      const character =
        code < 128 ? text.charAt(at) : String.fromCodePoint(text.codePointAt(at) ?? 0);
      this.writeAs(character, at, at + character.length);
      at += character.length;
    }
  }

  /** Folds a character that stands for a part of the text, such as its reference. */
  writeAs(character: string, start: number, end: number): void {
    const folded = ascii[character.charCodeAt(0)] ?? this.#fold(character);
    for (let index = 0; index < folded.length; index += 1) {
      const unit = folded.charAt(index);
      if (unit === ' ') this.space(start, end);
      else this.#put(unit, start, end);
    }
  }

  /** Words end here; one space stands for any number of them. */
  space(start: number, end: number = start + 1): void {
    if (this.#endsInSpace) return;
    this.#put(' ', start, end);
    this.#endsInSpace = true;
  }

  /** What was written. */
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
