/** The blocks of a markdown text: the start of each, and the cost of a cut before it. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** A leaf block. Container blocks (lists, quotes, notes) appear only as properties of the blocks inside. */
export interface MarkdownBlock {
  /** `code`: fenced and indented code, formulas. Headings inside of lists and quotes are `text`. */
  readonly kind: 'heading' | 'text' | 'code' | 'table';
  /** The start of its first line. The first block begins with the text; a block ends where the next begins. */
  readonly start: number;
  /** The start of its content, after the markers of quotes and lists. */
  readonly textStart: number;
  /** The level of a heading: 1 to 6. Greater for another block that begins a section, else 0. */
  readonly level: number;
  /**
   * What a cut before the block separates: 0 top-level blocks, 1 the items of a list, 2 the blocks in
   * an item or quote, 3 the items of a list inside of them, and so on.
   */
  readonly depth: number;
  /** The number of quotes around the block. */
  readonly quotes: number;
}

/**
 * Reads the blocks by the rules of CommonMark and GFM, as far as cutting needs them. All text
 * except white space is in a block. Takes time with the length of the text.
 */
export function readMarkdownBlocks(markdown: string): MarkdownBlock[] {
  const reader = new BlockReader(markdown);
  for (let start = frontMatterEnd(markdown); start < markdown.length;) {
    const lineEnd = markdown.indexOf('\n', start);
    const end = lineEnd < 0 ? markdown.length : lineEnd;
    reader.line(start, end);
    start = end + 1;
  }
  const { blocks } = reader;
  if (blocks.length > 0 || !/\S/.test(markdown)) return blocks;
  return [{ kind: 'text', start: 0, textStart: 0, level: 0, depth: 0, quotes: 0 }];
}

/** Position after front matter (settings between two `---` lines at the very start), which joins the first block. */
function frontMatterEnd(markdown: string): number {
  return /^---\n(?:[^\n]{0,1000}\n){0,200}?---(?:\n|$)/.exec(markdown)?.[0].length ?? 0;
}

const maxDepth = 100; // deeper containers are read as text

/** True for the last line of an open block. */
type IsLast = (line: string) => boolean;

class BlockReader {
  readonly blocks: MarkdownBlock[] = [];
  readonly #text: string;
  readonly #open: { readonly kind: 'quote' | 'item' | 'note'; readonly indent: number }[] = [];
  #state: 'none' | 'paragraph' | 'table' | 'indented' = 'none';
  /** Set while lines belong to a code or HTML block, whatever their content. */
  #isLast: IsLast | undefined;
  /** The last line of the open paragraph: above a row of dashes it is the header of a table. */
  #lastLine: MarkdownBlock | undefined;
  /** Position of the last closing tag, by element. */
  readonly #closingTags = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  line(start: number, end: number): void {
    const line = new MarkdownLine(this.#text, start, end);
    const matched = this.#matchContainers(line);
    const isInside = matched === this.#open.length;
    if (this.#isLast !== undefined) {
      const isOver = !isInside || this.#isLast(line.rest);
      if (isOver) this.#isLast = undefined;
      if (isInside) return;
    }
    if (line.isBlank) {
      this.#blankLine(matched);
      return;
    }
    const before = this.#open[matched];
    if (!isInside) {
      if (this.#state === 'paragraph' && !line.startsBlock(before?.kind === 'item')) return;
      this.#state = 'none';
    }
    this.#open.length = matched;
    if (this.#openContainers(line)) this.#state = 'none';
    const isSibling = before?.kind === 'item' && this.#open[matched]?.kind === 'item';
    this.#leaf(line, matched * 2 + Number(isSibling));
  }

  /** The number of open containers that the line continues. */
  #matchContainers(line: MarkdownLine): number {
    const { isBlank } = line;
    let matched = 0;
    for (const { kind, indent } of this.#open) {
      const goesOn = kind === 'quote' ? line.takeQuote() : isBlank || line.takeIndent(indent);
      if (!goesOn) break;
      matched++;
    }
    return matched;
  }

  /** A blank line ends quotes, but not items and notes. */
  #blankLine(matched: number): void {
    if (this.#state !== 'indented') this.#state = 'none';
    const quote = this.#open.findIndex(({ kind }, at) => at >= matched && kind === 'quote');
    if (quote >= 0) this.#open.length = quote;
  }

  #openContainers(line: MarkdownLine): boolean {
    const count = this.#open.length;
    while (this.#open.length < maxDepth && line.indent < 4) {
      if (line.takeQuote()) {
        this.#open.push({ kind: 'quote', indent: 0 });
      } else {
        const isFirst = this.#open.length === count;
        const indent = line.takeMarker(isFirst && this.#state === 'paragraph');
        if (indent === undefined) break;
        this.#open.push({ kind: line.tookNote ? 'note' : 'item', indent });
      }
    }
    return this.#open.length > count;
  }

  #leaf(line: MarkdownLine, depth: number): void {
    if (this.#state === 'table' && !line.startsBlock(false)) return;
    if (this.#state === 'indented' && line.indent >= 4) return;
    if (this.#state === 'paragraph' && this.#continues(line, depth)) return;
    this.#state = 'none';
    const { rest } = line;
    const heading = this.#open.length > 0 ? null : /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(rest);
    if (heading !== null) {
      this.#add({ kind: 'heading', level: heading[1]?.length ?? 1 }, line, depth);
    } else if (/^ {0,3}[`~$<]/.test(rest) && this.#opensCode(line, depth)) {
      return;
    } else if (line.indent >= 4) {
      this.#add({ kind: 'code' }, line, depth);
      this.#state = 'indented';
    } else {
      this.#lastLine = this.#add({ kind: 'text' }, line, depth);
      if (/\S/.test(rest) && !isThematicBreak(rest)) this.#state = 'paragraph';
    }
  }

  /** True if the line belongs to the previous paragraph, or turns it into a heading or a table. */
  #continues(line: MarkdownLine, depth: number): boolean {
    const { rest } = line;
    const header = this.#lastLine;
    const first = this.blocks.at(-1);
    if (header === undefined || first === undefined) return false;
    if (isTableRule(rest) && this.#text.slice(header.textStart, line.start).includes('|')) {
      if (first.start === header.start) this.blocks.pop();
      this.blocks.push({ ...header, kind: 'table' });
      this.#state = 'table';
      return true;
    }
    if (this.#open.length === 0 && /^ {0,3}(?:=+|-+)[ \t]*$/.test(rest)) {
      this.blocks.pop();
      this.blocks.push({ ...first, kind: 'heading', level: rest.includes('=') ? 1 : 2 });
      this.#state = 'none';
      return true;
    }
    if (line.startsBlock(false)) return false;
    this.#lastLine = this.#block({ kind: 'text' }, line, depth);
    return true;
  }

  /** True for fences, formulas on lines of their own, and HTML that is code or a table. */
  #opensCode(line: MarkdownLine, depth: number): boolean {
    const { rest } = line;
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(rest)?.[1];
    const formula = /^ {0,3}\$\$/.test(rest);
    const tag = /^ {0,3}<(pre|script|style|textarea|table)\b/i.exec(rest)?.[1]?.toLowerCase();
    let isLast: IsLast;
    if (fence !== undefined) isLast = (inner) => closesFence(inner, fence);
    else if (formula) isLast = (inner) => /^\s*$|\$\$\s*$/.test(inner);
    else if (tag !== undefined && this.#isClosed(tag, line.start)) {
      isLast = (inner) => inner.toLowerCase().includes(`</${tag}`);
    } else return false;
    this.#add({ kind: tag === 'table' ? 'table' : 'code' }, line, depth);
    const isOver = formula ? /\$\$.*\$\$/.test(rest) : tag !== undefined && isLast(rest);
    if (!isOver) this.#isLast = isLast;
    return true;
  }

  /** False for an unclosed element, which must not absorb the rest of the text. */
  #isClosed(tag: string, start: number): boolean {
    const last = getOrInsert(this.#closingTags, tag, () =>
      this.#text.toLowerCase().lastIndexOf(`</${tag}`),
    );
    return last > start;
  }

  #add(
    given: Pick<MarkdownBlock, 'kind'> & { level?: number },
    line: MarkdownLine,
    depth: number,
  ): MarkdownBlock {
    const block = this.#block(given, line, depth);
    this.blocks.push(block);
    return block;
  }

  #block(
    { kind, level = 0 }: Pick<MarkdownBlock, 'kind'> & { level?: number },
    line: MarkdownLine,
    depth: number,
  ): MarkdownBlock {
    const start = this.blocks.length === 0 ? 0 : line.start;
    const quotes = this.#open.reduce(
      (sum, container) => sum + Number(container.kind === 'quote'),
      0,
    );
    return { kind, start, textStart: line.at, level, depth, quotes };
  }
}

/** True for the delimiter row below the header of a table. */
function isTableRule(line: string): boolean {
  return /^[\s|:-]+$/.test(line) && line.includes('|') && line.includes('-');
}

function closesFence(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === (fence[0] ?? '').repeat(mark.length);
}

// One line of markdown, read from its start, with indentation and markers first.

/** Reads a line by the rules of CommonMark. A tab counts as four spaces. */
class MarkdownLine {
  /** The offset of the line. */
  readonly start: number;
  /** True when the last taken marker belongs to a footnote. */
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

  /** The offset of the rest of the line. */
  get at(): number {
    return this.#at;
  }

  /** The rest of the line. */
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

  /** Takes this many columns of white space, if the line has them. */
  takeIndent(columns: number): boolean {
    if (this.indent < columns) return false;
    for (let taken = 0; taken < columns; this.#at++) {
      taken += this.#text[this.#at] === '\t' ? 4 : 1;
    }
    return true;
  }

  /** Takes the marker of a list item or a footnote; returns the column of its content. */
  takeMarker(inParagraph: boolean): number | undefined {
    const { rest } = this;
    if (isThematicBreak(rest)) return undefined;
    const found =
      /^( {0,3}(?:[-*+]|(\d{1,9})[.)]|\[\^[^\s\]]{1,1000}\]:))(?:([ \t]+)(?=\S)|[ \t]*$)/.exec(
        rest,
      );
    if (found === null) return undefined;
    const [, marker = '', number, space] = found;
    // In a paragraph, a number other than 1, or a dash without text, does not begin a list.
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
   * True for a line that ends a paragraph: a heading, a fence, a quote, an item, a thematic break. In a
   * list any item ends it, elsewhere only an item with text and without a number other than 1.
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
function isThematicBreak(line: string): boolean {
  return /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
}
