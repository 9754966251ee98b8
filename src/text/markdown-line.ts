/** One line of markdown, read from its start: indentation and markers first. */

/** Reads a line by the rules of CommonMark. A tab counts as four spaces. */
export class MarkdownLine {
  /** Where it begins. */
  readonly start: number;
  /** True when the marker taken last was that of a footnote. */
  tookNote = false;
  readonly #text: string;
  readonly #end: number;
  #at: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.start = start;
    this.#at = start;
    this.#end = end;
  }

  /** Where what was not taken yet begins. */
  get at(): number {
    return this.#at;
  }

  /** What was not taken yet. */
  get rest(): string {
    return this.#text.slice(this.#at, this.#end);
  }

  get isBlank(): boolean {
    return !/\S/.test(this.rest);
  }

  /** Columns before the first character. */
  get indent(): number {
    let columns = 0;
    for (let at = this.#at; at < this.#end; at++) {
      const character = this.#text[at];
      if (character === ' ') columns += 1;
      else if (character === '\t') columns += 4;
      else break;
    }
    return columns;
  }

  /** Takes `>` and the space after it. */
  takeQuote(): boolean {
    const [mark] = /^ {0,3}> ?/.exec(this.rest) ?? [];
    this.#at += mark?.length ?? 0;
    return mark !== undefined;
  }

  /** Takes so many columns of white space, if they are there. */
  takeIndent(columns: number): boolean {
    if (this.indent < columns) return false;
    for (let taken = 0; taken < columns; this.#at++) {
      taken += this.#text[this.#at] === '\t' ? 4 : 1;
    }
    return true;
  }

  /** Takes the marker of a list item or a footnote; gives the column of what follows. */
  takeMarker(inParagraph: boolean): number | undefined {
    const { rest } = this;
    if (isThematicBreak(rest)) return undefined;
    const found =
      /^( {0,3}(?:[-*+]|(\d{1,9})[.)]|\[\^[^\s\]]{1,1000}\]:))(?:([ \t]+)(?=\S)|[ \t]*$)/.exec(
        rest,
      );
    if (found === null) return undefined;
    const [, marker = '', number, space] = found;
    // In a paragraph a number is mostly just a number, and a dash with nothing after it a dash.
    if (inParagraph && (space === undefined || (number !== undefined && number !== '1'))) {
      return undefined;
    }
    this.tookNote = marker.endsWith(':');
    const isWide = space === undefined || space.length > 4;
    this.#at += marker.length + (isWide ? Math.min(space?.length ?? 0, 1) : space.length);
    if (this.tookNote) return 4;
    return marker.length + (isWide ? 1 : space.length);
  }

  /**
   * True for what ends a paragraph: a heading, a fence, a quote, an item, a thematic break. In a
   * list any item does, elsewhere only one that has text and no other number than 1.
   */
  startsBlock(inList: boolean): boolean {
    const { rest } = this;
    if (inList && /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(rest)) return true;
    return blockStart.test(rest) || isThematicBreak(rest);
  }
}

const blockStart =
  /^ {0,3}(?:#{1,6}(?:[ \t]|$)|`{3}|~{3}|>|[-*+][ \t]+\S|1[.)][ \t]+\S|\[\^[^\s\]]{1,1000}\]:)/;

/** `---`, `***`, `___`, with spaces or without. */
export function isThematicBreak(line: string): boolean {
  return /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
}
