/** Builds blocks from the lines of a region: paragraphs, headings, list items, code. */
import type { Block, ListItem } from './blocks.ts';
import { type BodyStyle, hasLetters, levelOfSize, styleKey } from './body-style.ts';
import { gapsOf, type Segment, type TextRun } from './geometry.ts';
import {
  codeText,
  firstWordWidth,
  inReadingOrder,
  isCodeLine,
  textOfLines,
  type Vocabulary,
  wordsInOrder,
} from './line-text.ts';
import { isInnerBullet, listMarker, type ListMarker } from './list-markers.ts';
import { monoParts } from './mono-text.ts';

const limits = {
  terms: 24, // consecutive terms that share a definition
  codeTerms: 4,
  leastShare: 0.6, // of a style's lines that are titles of the outline; otherwise they are not headings
  indentTolerance: 5, // points: items of one level begin within this distance
  listLevels: 8,
};

/** The context for a file's blocks. */
export interface BlockContext {
  readonly body: BodyStyle;
  readonly words: Vocabulary;
  /** The left edge of the page's text. */
  readonly left?: number | undefined;
  /** The left edge of bold headings left of the text; undefined if they are not. */
  readonly hanging?: number | undefined;
}

/** The blocks of consecutive lines. */
export function blocksOfLines(lines: readonly Segment[], context: BlockContext): Block[] {
  if (!context.body.isMono) return blocksOfText(lines, context);
  const isTitle = (line: Segment): boolean =>
    line.title !== undefined ||
    levelOfSize(line.size, context.body) !== undefined ||
    isBoldLine(line.runs, context.body);
  return monoParts(lines, isTitle).flatMap((part): Block[] =>
    part.isText
      ? blocksOfText(part.lines, context)
      : [{ kind: 'code', text: codeText(part.lines) }],
  );
}

function blocksOfText(lines: readonly Segment[], context: BlockContext): Block[] {
  const features = lines.map((line) => lineOf(line, context.body));
  const builder = new BlockBuilder(features, context);
  for (const at of features.keys()) builder.add(at);
  return builder.end();
}

/** `2.1.3 Tides` */
const sectionNumber = /^(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}\.?\s+\p{L}/u;

/** Bold lines that are not headings: titles of boxes, captions, page numbers. */
const noHeading =
  /^(?:(?:note|tip|hint|warning|caution|danger|attention|important)\W*\d*\W*$|(?:fig(?:ure|ura|\.)|tab(?:le|elle|la|leau|\.)|abb(?:ildung|\.)|рис(?:унок|\.)|таблица|[图圖図表])\s?\d|[ivxlc]+$)/iu;

class BlockBuilder {
  readonly #context: BlockContext;
  readonly #all: readonly TextLine[];
  readonly #blocks: Block[] = [];
  readonly #entries: ListEntry[] = [];
  /** The usual right edge of lines, and their distance. */
  readonly #edge: number;
  readonly #leading: number;
  /** The index of the line being added. */
  #at = 0;
  #lines: TextLine[] = [];
  #entry: { readonly marker: ListMarker; readonly blocks: Block[] } | undefined;

  constructor(lines: readonly TextLine[], context: BlockContext) {
    this.#context = context;
    this.#all = lines;
    const ends = lines.map(({ end }) => end).sort((a, b) => a - b);
    this.#edge = ends[Math.floor(ends.length * 0.92)] ?? 0;
    this.#leading = leadingOf(lines, context.body.size);
  }

  /** Adds the line at this index. */
  add(at: number): void {
    this.#at = at;
    const [line, next] = this.#all.slice(at, at + 2);
    if (line === undefined) return;
    const contents = tableOfContentsEntry(line);
    if (contents !== undefined) {
      this.#closeEntry();
      this.#entry = { marker: contents, blocks: [] };
      this.#lines = [{ ...line, segment: { ...line.segment, runs: contents.runs } }];
      this.#closeEntry();
      return;
    }
    const previous = this.#lines.at(-1);
    const marker = this.#markerOf(line, previous, next);
    if (marker !== undefined) {
      this.#closeEntry();
      this.#entry = { marker, blocks: [] };
      this.#lines = [
        { ...line, segment: { ...line.segment, runs: marker.runs, left: marker.textLeft } },
      ];
      return;
    }
    if (previous === undefined) {
      this.#lines = [line];
      return;
    }
    if (this.#startsBlock(previous, line)) {
      if (this.#entry !== undefined && !this.#isInside(line, next, this.#entry.marker)) {
        this.#closeEntry();
      }
      this.#closeBlock(this.#all.slice(at, at + limits.terms));
    }
    this.#lines.push(line);
  }

  end(): Block[] {
    this.#closeEntry();
    this.#closeList();
    return this.#blocks;
  }

  #markerOf(
    line: TextLine,
    previous: TextLine | undefined,
    next: TextLine | undefined,
  ): ListMarker | undefined {
    const { bullet, title } = line.segment;
    if (title !== undefined || (line.isCode && bullet === undefined) || line.level !== undefined)
      return undefined;
    const marker = listMarker(line.segment);
    if (marker === undefined || (line.isBold && marker.number !== undefined)) return undefined;
    if (this.#entry !== undefined) return marker;
    if (isInnerBullet(line.segment)) return undefined;
    // A shape may decorate a heading.
    if (line.isBold && bullet !== undefined && next?.segment.bullet === undefined) return undefined;
    if (previous === undefined) return marker;
    // A dash or a number may start a line by chance, and a picture may be beside any line.
    const isChance =
      (bullet !== undefined || /^(?:[-–—*·]|\(?\d+[.)])/.test(line.text)) &&
      !this.#startsBlock(previous, line) &&
      Math.abs(line.start - previous.start) < line.size * 0.5 &&
      previous.end > this.#edge - line.size * 3;
    return isChance ? undefined : marker;
  }

  /** True for a further paragraph of an item, aligned with its text. */
  #isInside(line: TextLine, next: TextLine | undefined, { left, textLeft }: ListMarker): boolean {
    // A paragraph after the list may be indented, and continue further left.
    const isIndent =
      next !== undefined &&
      next.baseline - line.baseline < this.#leading * 1.35 &&
      next.start < line.start - line.size * 0.5;
    return (
      !isIndent &&
      line.segment.title === undefined &&
      line.level === undefined &&
      textLeft > left + line.size * 0.5 &&
      line.start > left + line.size * 0.5 &&
      Math.abs(line.start - textLeft) < line.size * 0.8
    );
  }

  #startsBlock(previous: TextLine, line: TextLine): boolean {
    const gap = line.baseline - previous.baseline;
    const size = Math.max(previous.size, line.size);
    const { title } = line.segment;
    if (title !== previous.segment.title) return true;
    if (title !== undefined || this.#hangs(previous, line, gap)) return false;
    if (line.isCode !== previous.isCode) return !this.#isInCode(previous, line);
    if (line.isCode) {
      if (gap > this.#leading * 2.6 || gap < 0) return true;
      const isOutside = line.start < (this.#lines[0]?.start ?? 0) - line.size * 0.8;
      const following = this.#all.slice(this.#at + 1, this.#at + 3);
      return isOutside && gap > this.#leading * 1.5 && this.#areCodeTerms([line], following);
    }
    if (Math.abs(line.size - previous.size) > size * 0.09) return true;
    if (line.level !== previous.level) return true;
    if (gap > Math.max(this.#leading * 1.35, size * 1.3) || gap < -size) {
      // Lines of a large heading are further apart than lines of body text.
      return line.level === undefined || gap > size * 1.6 || gap < 0;
    }
    const room = this.#edge - previous.end;
    const fits = room > line.firstWord + size * 0.8;
    if (line.isBold !== previous.isBold && fits) return true;
    if (line.level !== undefined) return false;
    const isEnd = /[.!?:;。！？」』؟]["'”’)\]]?$/u.test(previous.text);
    if (fits && (isEnd || room > (this.#edge - previous.start) * 0.45)) return true;
    const indent = line.start - previous.start;
    if (this.#entry !== undefined && this.#lines.length === 1) return false;
    if (indent > size * 0.8 && indent < size * 5) return this.#lines.length > 1 || isEnd;
    return indent < -size * 0.8 && this.#lines.length > 1;
  }

  /** True for the hanging indent of a bibliography entry, whose lines are right of its `[1]`. */
  #hangs(previous: TextLine, line: TextLine, gap: number): boolean {
    const [first, second] = this.#lines;
    if (first === undefined || gap < 0 || gap > this.#leading * 1.35) return false;
    if (!/^\[[^\]]{1,20}\]\s/.test(first.text) || line.level !== undefined) return false;
    return (
      line.start > first.start + line.size * 0.8 &&
      (second === undefined || Math.abs(line.start - second.start) < line.size * 0.5) &&
      Math.abs(line.size - previous.size) <= line.size * 0.12
    );
  }

  /** A line of prose that begins with code, within a paragraph, is not a code block. */
  #isInCode(previous: TextLine, line: TextLine): boolean {
    const gap = line.baseline - previous.baseline;
    const isClose = gap < this.#leading * 1.2 && gap > 0;
    const isFull = previous.end > this.#edge - previous.size * 4;
    return isClose && isFull && line.isCode && this.#lines.length > 0 && !previous.isCode
      ? Math.abs(line.start - previous.start) < line.size * 0.5
      : false;
  }

  /** `following`: the lines after the block. */
  #closeBlock(following: readonly TextLine[] = []): void {
    const lines = this.#lines.splice(0);
    if (lines.length === 0) return;
    if (this.#areCodeTerms(lines, following)) {
      for (const line of lines) this.#addBlock(this.#paragraphOf([line]));
    } else this.#addBlock(this.#blockOf(lines, following));
  }

  #addBlock(block: Block): void {
    if (this.#entry !== undefined) {
      this.#entry.blocks.push(block);
      return;
    }
    this.#closeList();
    this.#blocks.push(block);
  }

  #blockOf(lines: readonly TextLine[], following: readonly TextLine[]): Block {
    const segments = lines.map(({ segment }) => segment);
    // The only line of an item is its text.
    const isEntry = lines.length === 1 && this.#entry?.blocks.length === 0;
    const isTitle = segments[0]?.title !== undefined;
    const isCode = !isEntry && !isTitle && lines.every((line) => line.isCode) && isCodeBlock(lines);
    if (isCode) {
      return { kind: 'code', text: codeText(segments) };
    }
    const { content } = this.#paragraphOf(lines);
    const text = lines.map((line) => line.text).join(' ');
    const level = this.#entry === undefined ? this.#levelOf(lines, text, following) : undefined;
    return level === undefined
      ? { kind: 'paragraph', content }
      : { kind: 'heading', level, content };
  }

  #paragraphOf(lines: readonly TextLine[]): Extract<Block, { kind: 'paragraph' }> {
    const segments = lines.map(({ segment }) => segment);
    return { kind: 'paragraph', content: textOfLines(segments, this.#context.words) };
  }

  /** True for lines of code whose definition is right below, indented further. */
  #areCodeTerms(lines: readonly TextLine[], [line, second]: readonly TextLine[]): boolean {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined || line === undefined) return false;
    // The first line of a paragraph may be indented.
    const isBlock =
      second !== undefined &&
      second.baseline - line.baseline < this.#leading * 1.35 &&
      Math.abs(second.start - line.start) < 2;
    const leastIndent = first.size * (isBlock ? 0.8 : 2.2);
    return (
      (isBlock || !this.#isFirstLine(line, second)) &&
      lines.length <= limits.codeTerms &&
      lines.every(({ isCode, start }) => isCode && Math.abs(start - first.start) < 1) &&
      !line.isCode &&
      isPlain(line) &&
      listMarker(line.segment) === undefined &&
      line.start > first.start + leastIndent &&
      line.start < first.start + first.size * 12 &&
      line.baseline - last.baseline < this.#leading * 1.45
    );
  }

  #levelOf(
    lines: readonly TextLine[],
    text: string,
    following: readonly TextLine[],
  ): number | undefined {
    const [first] = lines;
    const { outline } = this.#context.body;
    const title = first?.segment.title;
    if (title !== undefined) return Math.min((outline?.top ?? 1) + title.depth - 1, 6);
    if (first === undefined || lines.length > 4 || text.length > 250) return undefined;
    if (!hasLetters(text) || this.#isBoxTitle(first, following)) return undefined;
    if (isNumberOfTitle(first, following)) return undefined;
    if (first.level !== undefined) return Math.min(Math.max(first.level, depthOf(text)), 6);
    const isNumbered = sectionNumber.test(text);
    const { hanging } = this.#context;
    const isHanging = first.segment.left < (this.#context.left ?? 0) - first.size * 0.5;
    // Some programs set the headings of the lowest level smaller than the text.
    const leastSize = isNumbered ? 0.8 : 0.95;
    if (!isNumbered) {
      // The outline has the headings of this style.
      const isKnown =
        (outline?.styles.get(styleKey(first.segment))?.share ?? 0) >= limits.leastShare;
      if (isKnown || noHeading.test(text) || this.#context.body.labels.has(text)) return undefined;
      if (hanging !== undefined && !isHanging) return undefined;
      if (this.#isTerm(first, following)) return undefined;
    }
    const isTitle =
      lines.length <= 2 &&
      text.length <= 120 &&
      lines.every(({ isBold, size }) => isBold && size > this.#context.body.size * leastSize) &&
      !/[.,;:]$/.test(text) &&
      !lines.some(hasWideGap);
    if (!isTitle) return undefined;
    // Headings of several depths may be styled alike: chapters are larger in most files.
    const depth = depthOf(text);
    const isInner = isHanging && first.segment.left > (hanging ?? Infinity) + first.size * 0.8;
    const below =
      this.#context.body.headingSizes.length + Math.max(depth - 1, 1) + (isInner ? 1 : 0);
    return Math.min(Math.max(below, depth), 6);
  }

  /** True for a term with its definition below it, which is further right. */
  #isTerm(term: TextLine, following: readonly TextLine[]): boolean {
    // Several terms may have one definition.
    const { start, size } = term;
    const at = following.findIndex((one) => !one.isBold || Math.abs(one.start - start) > 1);
    const { segment } = following[at - 1] ?? term;
    const [line, second] = at < 0 ? [] : following.slice(at);
    if (line === undefined || line.isCode || line.isBold || line.level !== undefined) return false;
    if (segment.baseline - term.baseline > this.#leading * 1.35 * Math.max(at, 0)) return false;
    if (segment.left < (this.#context.left ?? 0) - size * 0.5) return false;
    const isIndented = line.start > start + size * 0.8 && line.start < start + size * 12;
    if (!isIndented || line.baseline - segment.baseline > this.#leading * 1.9) return false;
    // The next term is in bold.
    return second?.segment.runs[0]?.font.isBold === true || !this.#isFirstLine(line, second);
  }

  /** True for the indented first line of a paragraph. */
  #isFirstLine(line: TextLine, second: TextLine | undefined): boolean {
    const isNext = second !== undefined && second.baseline - line.baseline < this.#leading * 1.35;
    return isNext && second.start < line.start - line.size * 0.5;
  }

  /** True for the title of a box: it is indented from the surrounding text, as is the text below it. */
  #isBoxTitle({ start, size, segment }: TextLine, [line]: readonly TextLine[]): boolean {
    const edge = start - size * 0.8;
    return (
      line !== undefined &&
      segment.bullet === undefined &&
      isPlain(line) &&
      Math.abs(line.start - start) < 2 &&
      (this.#context.left ?? Infinity) < edge &&
      this.#all.some((one) => one.start < edge && isPlain(one))
    );
  }

  #closeEntry(): void {
    const entry = this.#entry;
    this.#closeBlock();
    this.#entry = undefined;
    if (entry === undefined) return;
    const { number, left } = entry.marker;
    this.#entries.push({ number, left, blocks: entry.blocks });
  }

  #closeList(): void {
    if (this.#entries.length === 0) return;
    this.#blocks.push(...nestEntries(this.#entries.splice(0)));
  }
}

/** True for `ONE` above a chapter's title, which the outline has without the number. */
function isNumberOfTitle({ segment }: TextLine, [next]: readonly TextLine[]): boolean {
  if (next?.segment.title === undefined || segment.runs.length > 1) return false;
  const gap = next.baseline - segment.baseline;
  return gap < next.size * 4 && styleKey(segment) === styleKey(next.segment);
}

function isPlain({ isBold, level }: TextLine): boolean {
  return !isBold && level === undefined;
}

/** The depth of a section number: 2 for `2.1 Tides`, which may be styled like `2 Tides`. */
function depthOf(text: string): number {
  return /^\d{1,3}(?:\.\d{1,3}){0,5}(?=\.?\s)/.exec(text)?.[0].split('.').length ?? 1;
}

/** True for a page number far from the words. */
function hasWideGap({ segment, size }: TextLine): boolean {
  const runs = [...segment.runs].sort((a, b) => a.left - b.left);
  return runs.some((run, at) => run.left - (runs[at - 1]?.right ?? run.left) > size * 4);
}

/** A single character in a monospaced font may belong to a text. */
function isCodeBlock(lines: readonly TextLine[]): boolean {
  return lines.length > 1 || (lines[0]?.text.length ?? 0) > 1;
}

/** The usual distance of two lines: some larger distances are between paragraphs. */
function leadingOf(lines: readonly TextLine[], bodySize: number): number {
  const gaps = gapsOf(lines)
    .filter((gap) => gap > bodySize * 0.7 && gap < bodySize * 2.2)
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length * 0.3)] ?? bodySize * 1.25;
  // With few lines, each may be a paragraph.
  return Math.min(usual, bodySize * (gaps.length < 4 ? 1.4 : 1.9));
}

// Features that decide whether a line begins a block: its start and end, its style, its words.

/** A line with its features. */
interface TextLine {
  readonly segment: Segment;
  readonly text: string;
  /** Start and end in reading direction: mirrored for right-to-left scripts. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly baseline: number;
  /** True when all words except code are bold. */
  readonly isBold: boolean;
  readonly isCode: boolean;
  /** The heading level of its size. */
  readonly level: number | undefined;
  /** Width of its first word in points. */
  readonly firstWord: number;
}

function lineOf(segment: Segment, body: BodyStyle): TextLine {
  const ordered = inReadingOrder(segment.runs);
  const text = wordsInOrder(segment.runs);
  const isMirrored = (ordered[0]?.left ?? 0) > (ordered.at(-1)?.left ?? 0) || isRtl(text);
  const { left, right, baseline } = segment;
  const size = sizeOfWords(segment, body);
  return {
    segment,
    text,
    start: isMirrored ? -right : left,
    end: isMirrored ? -left : right,
    size,
    baseline,
    isBold: isBoldLine(ordered, body),
    isCode: !body.isMono && isCodeLine(segment),
    level: levelOfSize(size, body),
    firstWord: firstWordWidth(text, segment),
  };
}

/** The size of a line; code in it may be larger than its words. */
function sizeOfWords({ runs, size }: Segment, { isMono }: BodyStyle): number {
  const words = isMono ? [] : runs.filter(({ text, font }) => !font.isMono && hasLetters(text));
  return words.length === 0 || words.length === runs.length
    ? size
    : Math.max(...words.map((run) => run.size));
}

/** Many monospaced fonts have no bold: code in a bold heading is not bold. */
function isBoldLine(runs: readonly TextRun[], body: BodyStyle): boolean {
  const words = runs.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (body.isBold || words[0]?.font.isBold !== true) return false;
  if (words.every(({ font }) => font.isBold)) return true;
  if (body.isMono || !words.every(({ font }) => font.isBold || font.isMono)) return false;
  return lengthOf(runs.filter(({ font }) => font.isBold)) > lengthOf(runs) / 2;
}

function lengthOf(runs: readonly TextRun[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

function isRtl(text: string): boolean {
  return /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(text);
}

// Consecutive items become lists, nested by their indents.

/** A list item in its layout. */
interface ListEntry {
  readonly number: number | undefined;
  readonly left: number;
  readonly blocks: readonly Block[];
}

/** Nested lists of items, from the top. */
function nestEntries(entries: readonly ListEntry[], level = 1): Block[] {
  const lists: Block[] = [];
  let items: ListItem[] = [];
  let start: number | undefined;
  let previous: number | undefined;
  for (let at = 0; at < entries.length;) {
    const entry = entries[at];
    if (entry === undefined) break;
    let end = at + 1;
    while (end < entries.length && isNested(entries[end], entry, level)) end += 1;
    const inner = nestEntries(entries.slice(at + 1, end), level + 1);
    const goesOn =
      entry.number === undefined
        ? previous === undefined
        : previous !== undefined && entry.number === previous + 1;
    if (items.length > 0 && !goesOn) {
      lists.push({ kind: 'list', start, items });
      items = [];
    }
    if (items.length === 0) start = entry.number;
    items.push({ blocks: [...entry.blocks, ...inner] });
    previous = entry.number;
    at = end;
  }
  if (items.length > 0) lists.push({ kind: 'list', start, items });
  return lists;
}

function isNested(entry: ListEntry | undefined, outer: ListEntry, level: number): boolean {
  return (
    entry !== undefined &&
    level < limits.listLevels &&
    entry.left > outer.left + limits.indentTolerance
  );
}

// Lines of a table of contents: a dot leader before a page number.

const dotLeaders = /(?:[.·][  ]?){4,}|…{2,}|(?:\s\.){1,3}\s\d{1,4}$/;

/** The line as a list item, without the dots; undefined for other lines. */
function tableOfContentsEntry({ segment, text, isCode }: TextLine): ListMarker | undefined {
  if (isCode || !dotLeaders.test(text) || !/[\p{L}\p{N}]\W*$/u.test(text)) return undefined;
  let isAfterDots = false;
  const runs = inReadingOrder(segment.runs).flatMap((run) => {
    const plain = run.text.replace(/(?:[.·][  ]?){4,}|…{2,}|^[.· ]+$|(?:\s\.){1,3}$/g, ' ');
    if (plain === run.text) {
      const spaced = isAfterDots ? { ...run, afterSpace: true } : run;
      isAfterDots = false;
      return [spaced];
    }
    isAfterDots = true;
    return plain.trim() === '' ? [] : [{ ...run, text: plain }];
  });
  const { left } = segment;
  return runs.length === 0 ? undefined : { number: undefined, left, textLeft: left, runs };
}
