/** Markdown to passages. */
import { estimateExactly, estimateTokens } from '../../text/estimate-tokens.ts';
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { isRoute } from '../../url/normalize-url.ts';
import { type Group, groupPieces } from './group-pieces.ts';
import type { HeadingId } from './heading-ids.ts';
import { type Piece, quoteMarks, toPieces } from './pieces.ts';
import { readSections, type Section } from './sections.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** A passage of the page. */
export interface Chunk {
  /** Markdown. Joined, the passages without overlap are the page's markdown, white space apart. */
  text: string;
  /** The headings above all of it, from the outermost to the nearest. */
  headingPath: string[];
  /** The page's URL with the `#id` of the nearest heading above its first text that has one. */
  anchor: string;
  /** Tokens of `text`. */
  tokens: number;
}

/** What is cut. */
export interface MarkdownSource {
  readonly markdown: string;
  readonly ids: readonly HeadingId[];
  /** The page's. */
  readonly url: string;
}

/** How it is cut. */
export interface CutOptions {
  readonly maxTokens: number;
  readonly overlap: number;
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** Cuts markdown into passages. The time grows with the length of the text. */
export function cutMarkdown(source: MarkdownSource, options: CutOptions): Chunk[] {
  const { markdown, ids, url } = source;
  const { maxTokens, overlap, countTokens: count = estimateTokens } = options;
  const blocks = readMarkdownBlocks(markdown);
  const sections = readSections(markdown, blocks, ids);
  const countPiece = options.countTokens ?? estimateExactly;
  const pieces = toPieces(markdown, blocks, { room: maxTokens - overlap, count: countPiece });
  const groups = groupPieces(pieces, {
    maxTokens,
    overlap,
    fits: (from, to) => count(passageText(markdown, pieces, from, to)) <= maxTokens,
  });
  return groups.map((group, index) => {
    const { from, to, isCut } = group;
    const place = placeOf(pieces, sections, group, url);
    const alone = passageText(markdown, pieces, from, to);
    const chunk = { text: alone, ...place, tokens: count(alone) };
    const before = groups[index - 1];
    if (!isCut || overlap === 0 || before === undefined) return chunk;
    const repeated = repeatedFrom(markdown, pieces, before, { overlap, count });
    if (repeated === undefined) return chunk;
    const text = passageText(markdown, pieces, repeated.piece, to, repeated.start);
    const tokens = count(text);
    return tokens <= maxTokens ? { text, ...place, tokens } : chunk;
  });
}

/** The text of some pieces, from `start` on; what was indented below a list item stands at the margin. */
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

/** Where the last sentences of a group begin that have at most `overlap` tokens; tables and code are not repeated. */
function repeatedFrom(
  markdown: string,
  pieces: readonly Piece[],
  group: Group,
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

/** The headings above everything in the group that is no heading itself, and where they are. */
function placeOf(
  pieces: readonly Piece[],
  sections: readonly Section[],
  { from, to }: Group,
  url: string,
): { headingPath: string[]; anchor: string } {
  const isAllHeadings = pieces.slice(from, to).every(({ kind }) => kind === 'heading');
  let first: Section | undefined;
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

/** A page that a fragment of the URL names keeps it. */
function anchorOf(url: string, id: string): string {
  if (!canParseUrl(url)) return url;
  const anchor = new URL(url);
  if (!isRoute(anchor.hash)) anchor.hash = id;
  return anchor.href;
}
