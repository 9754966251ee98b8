/** Cuts markdown into passages: sections first, then the best positions inside of them. */
import { type Definitions, definitionsFor } from '../../markdown/references.ts';
import { estimateExactly, estimateTokens } from '../../text/estimate-tokens.ts';
import { type MarkdownBlock, readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { partedSentences, type Piece, quoteMarks, toPieces } from '../../text/markdown-pieces.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { urlOf, isRoute } from '../../../core/url/normalize-url.ts';
import { uuidOf } from '../../../core/runtime/identifiers.ts';
import { withoutVisitMarks } from '../../../core/url/visit-marks.ts';
import {
  blockKey,
  type HeadingId,
  type MarkdownSection,
  readSections,
  termLevel,
  withTerms,
} from './headings.ts';

/** A passage of the page. */
export interface Chunk {
  /**
   * A UUID made of the page's URL and the text: no other passage has it, and the passage has it again at the next
   * visit while its text is the same.
   */
  id: string;
  /** Its position on the page, from 0. */
  number: number;
  /**
   * Markdown. Joined, the passages without overlap are the page's markdown, apart from white space, the headers that
   * the parts of a table repeat, and definitions of links.
   */
  text: string;
  /** The headings above the whole passage, from the outermost to the nearest. */
  headingPath: string[];
  /**
   * The page's URL with the `#id` of the nearest heading, or term of a list, with an id above its first text; of a PDF
   * with the page, `#page=3`.
   */
  anchor: string;
  /**
   * The passage is from `start` to `end` in the page's markdown with the same options. `text` is the same, but for
   * indentation, for what parts of a table or quote repeat, and for definitions of links.
   */
  start: number;
  end: number;
  /** Tokens of `text`. */
  tokens: number;
}

/** The markdown to cut. */
export interface MarkdownSource {
  readonly markdown: string;
  /** Targets of links; each passage gets the definitions that it uses. @default none */
  readonly definitions?: Definitions | undefined;
  readonly ids: readonly HeadingId[];
  /** The blocks of a file with pages, in their order. */
  readonly pages?: readonly PageBlock[] | undefined;
  /** The page's URL. */
  readonly url: string;
}

/** A block on a page of a file. */
export interface PageBlock {
  /** The beginning of its text, reduced as keys of headings are. */
  readonly key: string;
  readonly page: number;
}

/** Options of the cutting. */
export interface CutOptions {
  readonly maxTokens: number;
  readonly overlap: number;
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** Cuts markdown into passages. The time grows with the length of the text. */
export function cutMarkdown(source: MarkdownSource, options: CutOptions): Chunk[] {
  const { markdown, definitions = new Map<number, string>(), ids, url } = source;
  const { maxTokens, overlap } = options;
  const counting =
    (countTokens: (text: string) => number) =>
    (text: string): number =>
      countTokens(text + definitionsFor(text, definitions));
  const count = counting(options.countTokens ?? estimateTokens);
  const countPiece = counting(options.countTokens ?? estimateExactly);
  // In as many characters, `[text](1)` is a link to all readers of markdown.
  const inline = withTargets(markdown, definitions, (number) => number);
  const blocks = withTerms(inline, readMarkdownBlocks(inline), ids);
  const sections = readSections(inline, blocks, ids);
  const pageStarts = startsOfPages(inline, blocks, source.pages ?? []);
  const pieces = toPieces(inline, blocks, { room: maxTokens - overlap, count: countPiece });
  const groups = groupPieces(pieces, {
    maxTokens,
    overlap,
    fits: (from, to) => count(passageText(markdown, pieces, from, to)) <= maxTokens,
  });
  let pageStart = 0;
  const passages = groups.map((group, index): Passage => {
    const { from, to, isCut } = group;
    const place = positionOf(pieces, sections, group, url);
    const whole = rangeOf(markdown, pieces[from]?.start ?? 0, pieces[to]?.start);
    while ((pageStarts[pageStart]?.start ?? Infinity) <= whole.start) pageStart += 1;
    const { page } = pageStarts[pageStart - 1] ?? {};
    if (page !== undefined) place.anchor = anchorOf(url, `page=${page}`);
    const text = passageText(markdown, pieces, from, to);
    const chunk = { text, ...place, ...whole, tokens: count(text) };
    const before = groups[index - 1];
    if (!isCut || overlap === 0 || before === undefined) return chunk;
    const repeated = repeatedFrom(markdown, pieces, before, { overlap, count });
    if (repeated === undefined) return chunk;
    const longer = passageText(markdown, pieces, repeated.piece, to, repeated.start);
    const tokens = count(longer);
    const range = rangeOf(markdown, repeated.start, pieces[to]?.start);
    return tokens <= maxTokens ? { text: longer, ...place, ...range, tokens } : chunk;
  });
  const parts = passages.flatMap((chunk, index) => {
    const { from = 0, to = 0 } = groups[index] ?? {};
    const isTable = chunk.tokens > maxTokens && pieces[to - 1]?.kind === 'table';
    return isTable && to - from === 1 ? tableParts(chunk, markdown, maxTokens, count) : [chunk];
  });
  return withIds(parts, url, definitions);
}

/** Writes references as inline links. */
function withTargets(
  markdown: string,
  definitions: Definitions,
  write: (number: string, target: string) => string,
): string {
  if (definitions.size === 0) return markdown;
  return markdown.replace(/\]\[(\d+)\]/g, (whole, number: string) => {
    const target = definitions.get(Number(number));
    return target === undefined ? whole : `](${write(number, target)})`;
  });
}

type Passage = Omit<Chunk, 'id' | 'number'>;

/** Equal texts of a page are distinguished by their order. Adds the definitions of links. */
function withIds(passages: readonly Passage[], url: string, definitions: Definitions): Chunk[] {
  const page = withoutVisitMarks(anchorOf(url, ''));
  const times = new Map<string, number>();
  return passages.map((passage, number) => {
    // Numbers change when the page gets another link.
    const named = withTargets(passage.text, definitions, (_, target) => target);
    const key = `${page}\n${withoutVisitMarks(named)}`;
    const text = passage.text + definitionsFor(passage.text, definitions);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return { id: uuidOf(before === 0 ? key : `${key}\n${before}`), number, ...passage, text };
  });
}

/** A range without white space at its ends. */
function rangeOf(
  markdown: string,
  from: number,
  to: number = markdown.length,
): Pick<Chunk, 'start' | 'end'> {
  const text = markdown.slice(from, to).trimEnd();
  return { start: from + text.length - text.trimStart().length, end: from + text.length };
}

interface PageStart {
  /** The offset of the first block that is known to be on the page, or on a later one. */
  readonly start: number;
  readonly page: number;
}

/** Blocks are matched by their beginnings, in order, because not all are in the markdown. */
function startsOfPages(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  pages: readonly PageBlock[],
): readonly PageStart[] {
  const [first] = pages;
  if (first === undefined) return [];
  const starts: PageStart[] = [{ start: 0, page: first.page }];
  let next = 0;
  for (const [index, { start, textStart }] of blocks.entries()) {
    const text = markdown.slice(textStart, blocks[index + 1]?.start);
    const marked = /^<!-- page (\d{1,6}) -->/.exec(text)?.[1];
    const key = marked === undefined ? blockKey(text) : '';
    const found =
      key === '' ? -1 : pages.slice(next, next + mostPassed).findIndex((one) => one.key === key);
    const page = marked === undefined ? pages[next + found]?.page : Number(marked);
    if (page === undefined || (found < 0 && marked === undefined)) continue;
    next += found + 1;
    if (page !== starts.at(-1)?.page) starts.push({ start, page });
  }
  return starts;
}

const mostPassed = 50; // blocks of a file that may be missing in a row

/** Cuts a table between its rows and repeats the header. A row larger than `maxTokens` is a part of its own. */
function tableParts(
  table: Passage,
  markdown: string,
  maxTokens: number,
  count: (text: string) => number,
): readonly Passage[] {
  const lines = table.text.split('\n');
  const ruler = lines.findIndex((line) => line.includes('-') && /^[\s>]*\|[\s|:-]+$/.test(line));
  const header = `${lines.slice(0, ruler + 1).join('\n')}\n`;
  const room = maxTokens - count(header);
  // A header that fills most of a passage would fill most of every passage.
  if (ruler < 1 || room < maxTokens / 2) return [table];
  const parts: Passage[] = [];
  // The text has the same lines, with fewer spaces before each.
  const written = markdown.slice(table.start, table.end).split('\n');
  let { start } = table;
  let end = start + written.slice(0, ruler + 1).join('\n').length;
  let rows: string[] = [];
  let tokens = 0;
  const endPart = (): void => {
    if (rows.length === 0) return;
    const text = header + rows.join('\n');
    parts.push({ ...table, text, start, end, tokens: count(text) });
    start = end + 1;
    [rows, tokens] = [[], 0];
  };
  for (const [index, row] of lines.slice(ruler + 1).entries()) {
    // The line break counts too.
    const more = count(`${row}\n`);
    if (tokens + more > room) endPart();
    rows.push(row);
    tokens += more;
    end += 1 + (written[ruler + 1 + index]?.length ?? 0);
  }
  endPart();
  return parts;
}

/** The text of some pieces, from `start` on; text indented below a list item moves to the margin. */
function passageText(
  markdown: string,
  pieces: readonly Piece[],
  from: number,
  to: number,
  start: number = pieces[from]?.start ?? 0,
): string {
  const piece = pieces[from];
  if (piece === undefined) return '';
  const text = markdown.slice(start, pieces[to]?.start).trimEnd();
  if (piece.isPart || start > piece.start) return quoteMarks(piece) + text.trimStart();
  const indent = /^ */.exec(markdown.slice(start, piece.textStart))?.[0].length ?? 0;
  if (indent > 0) return text.replace(new RegExp(`^ {1,${indent}}`, 'gm'), '');
  return text.replace(/^(?:[ \t]*\n)+/, '');
}

/** The start of a group's last sentences of at most `overlap` tokens; tables and code are not repeated. */
function repeatedFrom(
  markdown: string,
  pieces: readonly Piece[],
  group: PieceGroup,
  { overlap, count }: { readonly overlap: number; readonly count: (text: string) => number },
): { readonly piece: number; readonly start: number } | undefined {
  let left = overlap;
  let found: { readonly piece: number; readonly start: number } | undefined;
  for (let at = group.to - 1; at >= group.from; at--) {
    const piece = pieces[at];
    if (piece?.kind !== 'text') break;
    if (piece.tokens <= left) {
      left -= piece.tokens;
      found = { piece: at, start: piece.start };
      continue;
    }
    let start = pieces[at + 1]?.start ?? markdown.length;
    for (const sentence of sentencesOf(markdown.slice(piece.textStart, start)).reverse()) {
      left -= count(sentence);
      start -= sentence.length;
      if (left < 0 || start <= piece.textStart) break;
      found = { piece: at, start };
    }
    break;
  }
  return found;
}

/** The headings above the group's content, and their anchor. */
function positionOf(
  pieces: readonly Piece[],
  sections: readonly MarkdownSection[],
  { from, to }: PieceGroup,
  url: string,
): { headingPath: string[]; anchor: string } {
  const isAllHeadings = pieces.slice(from, to).every(({ kind }) => kind === 'heading');
  let first: MarkdownSection | undefined;
  let path: readonly string[] = [];
  let last = -1;
  for (let at = from; at < to; at++) {
    const piece = pieces[at];
    if (piece === undefined || piece.section === last) continue;
    if (piece.kind === 'heading' && !isAllHeadings) continue;
    last = piece.section;
    const section = sections[last];
    if (section === undefined) continue;
    if (first === undefined) [first, path] = [section, section.headingPath];
    else path = commonStart(path, section.headingPath);
  }
  return { headingPath: [...path], anchor: anchorOf(url, first?.id ?? '') };
}

function commonStart(path: readonly string[], other: readonly string[]): readonly string[] {
  const end = path.findIndex((heading, at) => heading !== other[at]);
  return end < 0 ? path : path.slice(0, end);
}

/** Preserves a URL fragment that names a page. */
function anchorOf(url: string, id: string): string {
  const anchor = urlOf(url);
  if (anchor === undefined) return url;
  if (!isRoute(anchor.hash)) anchor.hash = id;
  return anchor.href;
}

// Groups pieces into passages: sections first, then the best positions inside of them.

/** The pieces from `from` up to, not including, `to`. */
export interface PieceGroup {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  /** True when the section was cut before this group, which may repeat the end of the group before. */
  readonly isCut: boolean;
}

/** The limits of groups. */
export interface ChunkBounds {
  readonly maxTokens: number;
  /** Tokens reserved for repeated sentences. */
  readonly overlap: number;
  /** True when the text of these pieces, counted exactly, has at most `maxTokens` tokens. */
  fits(from: number, to: number): boolean;
}

/**
 * A section that fits is a group; else its subsections and parts of its text are groups. Groups with
 * less than a quarter of `maxTokens` join a neighbour under the same heading. Headings stay with the
 * text after them.
 */
function groupPieces(pieces: readonly Piece[], bounds: ChunkBounds): PieceGroup[] {
  const sums = [0];
  for (const { tokens } of pieces) sums.push((sums.at(-1) ?? 0) + tokens);
  return section(0, pieces.length);

  /** Groups one section; recurses one level of headings and terms at a time, of which there are a dozen. */
  function section(from: number, to: number): PieceGroup[] {
    const starts = subsections(from, to);
    if (starts.length === 0) return cut(from, to);
    const groups: PieceGroup[] = [];
    let start = from;
    for (const end of [...starts, to]) {
      // Headings with nothing below them stand above the next section.
      if (contentStart(start, end) === end && end < to) continue;
      groups.push(...section(start, end));
      start = end;
    }
    return joinSmall(groups);
  }

  /** The headings, or terms, of the highest level in the section, apart from its own. */
  function subsections(from: number, to: number): number[] {
    let level = Infinity;
    const starts: number[] = [];
    for (let at = contentStart(from, to) + 1; at < to; at++) {
      const piece = pieces[at];
      if (piece === undefined || piece.level === 0 || piece.level > level) continue;
      if (piece.level < level) starts.length = 0;
      level = piece.level;
      starts.push(at);
    }
    return starts;
  }

  /** The first piece that is not a heading. */
  function contentStart(from: number, to: number): number {
    let at = from;
    while (at < to && pieces[at]?.kind === 'heading') at++;
    return at;
  }

  /** Cuts into parts of about the same size, at the positions of least loss. */
  function cut(from: number, to: number): PieceGroup[] {
    const groups: PieceGroup[] = [];
    const { maxTokens, overlap, fits } = bounds;
    for (let start = from; start < to;) {
      const isCut = start > from;
      const room = isCut ? maxTokens - overlap : maxTokens;
      let end = bestEnd(start, to, room);
      // Counted exactly, a group may have more tokens than the sum of its pieces.
      while (end > start + 1 && !fits(start, end)) end--;
      groups.push(grouped(start, end, isCut));
      start = end;
    }
    return groups;
  }

  function bestEnd(from: number, to: number, room: number): number {
    const all = tokensOf(from, to);
    if (all <= room) return to;
    const target = all / Math.ceil(all / room);
    let best = from + 1;
    let least = Infinity;
    for (let end = from + 1; end < to; end++) {
      const tokens = tokensOf(from, end);
      if (tokens > room) break;
      const loss = lossAt(end) + Math.abs(tokens - target) / target;
      // Of two equally good ends, the later one gives a passage nearer to the requested size.
      if (loss <= least) {
        least = loss;
        best = end;
      }
    }
    return best;
  }

  /** The cost of a cut before the piece; the distance of an empty group from the target size costs 1. */
  function lossAt(at: number): number {
    const { depth = 0 } = pieces[at] ?? {};
    const parted = depth >= partedSentences ? 0.6 + (depth - partedSentences) * 0.2 : depth * 0.08;
    const before = pieces[at - 1];
    const parting = before?.kind === 'heading' ? 2 : before?.leadsOn === true ? 0.4 : 0;
    return Math.min(parted, 1) + parting;
  }

  /** Small groups join each other first, then the smaller neighbour. */
  function joinSmall(groups: readonly PieceGroup[]): PieceGroup[] {
    const bothSmall = joinWhere(groups, (a, b) => isSmall(a) && isSmall(b));
    return joinWhere(bothSmall, (a, b, next) => {
      if (isSmall(a)) return true;
      const isNextBetter = next !== undefined && next.tokens < a.tokens && canJoin(b, next);
      return isSmall(b) && !isNextBetter;
    });
  }

  function joinWhere(
    groups: readonly PieceGroup[],
    wanted: (a: PieceGroup, b: PieceGroup, next: PieceGroup | undefined) => boolean,
  ): PieceGroup[] {
    const joined: PieceGroup[] = [];
    for (const [index, group] of groups.entries()) {
      const last = joined.at(-1);
      if (last !== undefined && canJoin(last, group) && wanted(last, group, groups[index + 1])) {
        joined[joined.length - 1] = grouped(last.from, group.to, last.isCut);
      } else {
        joined.push(group);
      }
    }
    return joined;
  }

  function isSmall({ tokens }: PieceGroup): boolean {
    return tokens < bounds.maxTokens / 4;
  }

  /** A term and its definition are a passage of their own. */
  function canJoin(a: PieceGroup, b: PieceGroup): boolean {
    if (holdsTerm(a) || holdsTerm(b)) return false;
    const { maxTokens, overlap, fits } = bounds;
    const room = a.isCut ? maxTokens - overlap : maxTokens;
    return a.tokens + b.tokens <= room && fits(a.from, b.to);
  }

  function holdsTerm({ from, to }: PieceGroup): boolean {
    for (let at = from; at < to; at++) {
      const { kind = 'heading', level = 0 } = pieces[at] ?? {};
      if (level >= termLevel) return true;
      // Only headings precede the term of a section.
      if (kind !== 'heading') return false;
    }
    return false;
  }

  function grouped(from: number, to: number, isCut: boolean): PieceGroup {
    return { from, to, tokens: tokensOf(from, to), isCut };
  }

  function tokensOf(from: number, to: number): number {
    return (sums[to] ?? 0) - (sums[from] ?? 0);
  }
}
