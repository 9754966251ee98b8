/** Lines of a region become blocks: paragraphs, headings, entries of lists, code. */
import type { Block } from './blocks.ts';
import type { BodyStyle } from './body-style.ts';
import { codeText } from './code-text.ts';
import type { Segment } from './geometry.ts';
import { type Line, lineOf } from './line-features.ts';
import { textOfLines, type Vocabulary } from './line-text.ts';
import { contentsLine } from './contents-line.ts';
import { isInnerBullet, listMarker, type ListMarker } from './list-marker.ts';
import { type Entry, nestEntries } from './lists.ts';

/** What a file's blocks are made with. */
export interface BlockContext {
  readonly body: BodyStyle;
  readonly words: Vocabulary;
}

/** The blocks of lines that are read one after the other. */
export function blocksOfLines(lines: readonly Segment[], context: BlockContext): Block[] {
  const features = lines.map((line) => lineOf(line, context.body));
  const builder = new BlockBuilder(features, context);
  for (const [at, line] of features.entries()) builder.add(line, features[at + 1]);
  return builder.end();
}

interface OpenEntry {
  readonly marker: ListMarker;
  readonly blocks: Block[];
}

class BlockBuilder {
  readonly #context: BlockContext;
  readonly #blocks: Block[] = [];
  readonly #entries: Entry[] = [];
  /** Where most lines end, and how far they are from each other. */
  readonly #edge: number;
  readonly #leading: number;
  #lines: Line[] = [];
  #entry: OpenEntry | undefined;

  constructor(lines: readonly Line[], context: BlockContext) {
    this.#context = context;
    const ends = lines.map(({ end }) => end).sort((a, b) => a - b);
    this.#edge = ends[Math.floor(ends.length * 0.92)] ?? 0;
    this.#leading = leadingOf(lines, context.body.size);
  }

  /** `next` is the line after it. */
  add(line: Line, next: Line | undefined): void {
    const contents = contentsLine(line);
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
      this.#closeBlock();
    }
    this.#lines.push(line);
  }

  end(): Block[] {
    this.#closeEntry();
    this.#closeList();
    return this.#blocks;
  }

  #markerOf(
    line: Line,
    previous: Line | undefined,
    next: Line | undefined,
  ): ListMarker | undefined {
    const { bullet } = line.segment;
    if ((line.isCode && bullet === undefined) || line.level !== undefined) return undefined;
    const marker = listMarker(line.segment);
    if (marker === undefined || (line.isBold && marker.number !== undefined)) return undefined;
    if (this.#entry !== undefined) return marker;
    if (isInnerBullet(line.segment)) return undefined;
    // A shape may decorate a heading.
    if (line.isBold && bullet !== undefined && next?.segment.bullet === undefined) return undefined;
    if (previous === undefined) return marker;
    // A dash or a number may be the first word of a line by chance, and a picture stand beside any.
    const isChance =
      (bullet !== undefined || /^(?:[-–—*·]|\(?\d+[.)])/.test(line.text)) &&
      !this.#startsBlock(previous, line) &&
      Math.abs(line.start - previous.start) < line.size * 0.5 &&
      previous.end > this.#edge - line.size * 3;
    return isChance ? undefined : marker;
  }

  /** A further paragraph of an entry begins where its text does. */
  #isInside(line: Line, next: Line | undefined, { left, textLeft }: ListMarker): boolean {
    // A paragraph after the list may begin with an indent, and go on further left.
    const isIndent =
      next !== undefined &&
      next.baseline - line.baseline < this.#leading * 1.35 &&
      next.start < line.start - line.size * 0.5;
    return (
      !isIndent &&
      line.level === undefined &&
      textLeft > left + line.size * 0.5 &&
      line.start > left + line.size * 0.5 &&
      Math.abs(line.start - textLeft) < line.size * 0.8
    );
  }

  #startsBlock(previous: Line, line: Line): boolean {
    const gap = line.baseline - previous.baseline;
    const size = Math.max(previous.size, line.size);
    if (this.#hangs(previous, line, gap)) return false;
    if (line.isCode !== previous.isCode) return !this.#isInCode(previous, line);
    if (line.isCode) return gap > this.#leading * 2.6 || gap < 0;
    if (Math.abs(line.size - previous.size) > size * 0.09) return true;
    if (line.level !== previous.level) return true;
    if (gap > Math.max(this.#leading * 1.35, size * 1.3) || gap < -size) {
      // Lines of a large heading stand further apart than those of the text.
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

  /** The lines of an entry of a bibliography stand further right than its `[1]`. */
  #hangs(previous: Line, line: Line, gap: number): boolean {
    const [first, second] = this.#lines;
    if (first === undefined || gap < 0 || gap > this.#leading * 1.35) return false;
    if (!/^\[[^\]]{1,20}\]\s/.test(first.text) || line.level !== undefined) return false;
    return (
      line.start > first.start + line.size * 0.8 &&
      (second === undefined || Math.abs(line.start - second.start) < line.size * 0.5) &&
      Math.abs(line.size - previous.size) <= line.size * 0.12
    );
  }

  /** A line of prose that begins with code, in the midst of a paragraph, is no block of code. */
  #isInCode(previous: Line, line: Line): boolean {
    const gap = line.baseline - previous.baseline;
    const isClose = gap < this.#leading * 1.2 && gap > 0;
    const isFull = previous.end > this.#edge - previous.size * 4;
    return isClose && isFull && line.isCode && this.#lines.length > 0 && !previous.isCode
      ? Math.abs(line.start - previous.start) < line.size * 0.5
      : false;
  }

  #closeBlock(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0) return;
    const block = this.#blockOf(lines);
    if (this.#entry !== undefined) {
      this.#entry.blocks.push(block);
      return;
    }
    this.#closeList();
    this.#blocks.push(block);
  }

  #blockOf(lines: readonly Line[]): Block {
    const segments = lines.map(({ segment }) => segment);
    // The one line of an entry is its text.
    const isEntry = lines.length === 1 && this.#entry?.blocks.length === 0;
    const isCode = !isEntry && lines.every((line) => line.isCode) && isCodeBlock(lines);
    if (isCode) {
      return { kind: 'code', text: codeText(segments) };
    }
    const content = textOfLines(segments, this.#context.words);
    const text = lines.map((line) => line.text).join(' ');
    const level = this.#entry === undefined ? this.#levelOf(lines, text) : undefined;
    return level === undefined
      ? { kind: 'paragraph', content }
      : { kind: 'heading', level, content };
  }

  #levelOf(lines: readonly Line[], text: string): number | undefined {
    const [first] = lines;
    if (first === undefined || lines.length > 4 || text.length > 250) return undefined;
    if (!/\p{L}/u.test(text)) return undefined;
    if (first.level !== undefined) return Math.min(Math.max(first.level, depthOf(text)), 6);
    const isTitle =
      lines.length <= 2 &&
      text.length <= 120 &&
      lines.every(({ isBold, size }) => isBold && size > this.#context.body.size * 0.95) &&
      !/[.,;:]$/.test(text) &&
      !lines.some(hasWideGap);
    if (!isTitle) return undefined;
    return Math.min(Math.max(this.#context.body.headingSizes.length + 1, depthOf(text)), 6);
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

/** 2 for `2.1 Tides`, which may look like `2 Tides`. */
function depthOf(text: string): number {
  return /^\d{1,3}(?:\.\d{1,3}){0,5}(?=\.?\s)/.exec(text)?.[0].split('.').length ?? 1;
}

/** The number of a page, far from the words. */
function hasWideGap({ segment, size }: Line): boolean {
  const runs = [...segment.runs].sort((a, b) => a.left - b.left);
  return runs.some((run, at) => run.left - (runs[at - 1]?.right ?? run.left) > size * 4);
}

/** A word alone in such a font may stand in a text. */
function isCodeBlock(lines: readonly Line[]): boolean {
  return lines.length > 1 || (lines[0]?.text.length ?? 0) > 1;
}

/** The usual distance of two lines: some of the larger ones are between paragraphs. */
function leadingOf(lines: readonly Line[], bodySize: number): number {
  const gaps = lines
    .slice(1)
    .map((line, at) => line.baseline - (lines[at]?.baseline ?? 0))
    .filter((gap) => gap > bodySize * 0.7 && gap < bodySize * 2.2)
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length * 0.3)] ?? bodySize * 1.25;
  // Of few lines, each may be a paragraph.
  return Math.min(usual, bodySize * (gaps.length < 4 ? 1.4 : 1.9));
}
