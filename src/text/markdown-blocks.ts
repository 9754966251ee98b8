/** The blocks of a markdown text: where each begins, and what a cut before it would part. */

/** A leaf block. What holds other blocks (lists, quotes, notes) shows in the blocks inside. */
export interface MarkdownBlock {
  /** `code`: fenced and indented code, formulas. Headings inside of lists and quotes are `text`. */
  readonly kind: 'heading' | 'text' | 'code' | 'table';
  /** The start of its first line. The first block begins with the text; a block ends where the next begins. */
  readonly start: number;
  /** Where its content begins, after the markers of quotes and lists. */
  readonly textStart: number;
  /** Of a heading: 1 to 6. */
  readonly level: number;
  /**
   * What a cut before the block parts: 0 blocks on their own, 1 the items of a list, 2 the blocks
   * in an item or quote, 3 the items of a list in there, and so on.
   */
  readonly depth: number;
  /** In how many quotes it stands. */
  readonly quotes: number;
}

/**
 * Reads the blocks by the rules of CommonMark and GFM, as far as cutting needs them. Everything
 * that is not white space is in a block. Takes time with the length of the text.
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

/** Settings between two lines `---` at the very start: they stay with the first block. */
function frontMatterEnd(markdown: string): number {
  return /^---\n(?:[^\n]{0,1000}\n){0,200}?---(?:\n|$)/.exec(markdown)?.[0].length ?? 0;
}

/** An open quote, list item or note. `indent`: the column of what is inside, from that around it. */
interface BlockContainer {
  readonly kind: 'quote' | 'item' | 'note';
  readonly indent: number;
}

/** What is deeper is text. */
const maxDepth = 100;

/** Whether a line is the last one of an open block. */
type IsLast = (line: string) => boolean;

class BlockReader {
  readonly blocks: MarkdownBlock[] = [];
  readonly #text: string;
  readonly #open: BlockContainer[] = [];
  #state: 'none' | 'paragraph' | 'table' | 'indented' = 'none';
  /** Set while lines belong to a block of code or HTML, whatever is in them. */
  #isLast: IsLast | undefined;
  /** The last line of the open paragraph: above a row of dashes it is the header of a table. */
  #lastLine: MarkdownBlock | undefined;
  /** By element, the place of its last closing tag. */
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

  /** How many of the open containers the line goes on with. */
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

  /** Items and notes go on after a blank line, quotes end. */
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

  /** True when the line belongs to the paragraph before it, or makes something else of it. */
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

  /** Fences, formulas on lines of their own, and HTML that is code or a table. */
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

  /** An element that is never closed must not take in the rest of the text. */
  #isClosed(tag: string, start: number): boolean {
    let last = this.#closingTags.get(tag);
    if (last === undefined) {
      last = this.#text.toLowerCase().lastIndexOf(`</${tag}`);
      this.#closingTags.set(tag, last);
    }
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

/** The row below the header of a table. */
function isTableRule(line: string): boolean {
  return /^[\s|:-]+$/.test(line) && line.includes('|') && line.includes('-');
}

function closesFence(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === (fence[0] ?? '').repeat(mark.length);
}

// One line of markdown, read from its start: indentation and markers first.

/** Reads a line by the rules of CommonMark. A tab counts as four spaces. */
class MarkdownLine {
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

  /** The rest of the text. */
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
function isThematicBreak(line: string): boolean {
  return /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
}
