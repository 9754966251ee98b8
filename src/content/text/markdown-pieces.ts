/** Blocks as pieces that fit into a passage. */
import type { MarkdownBlock } from './markdown-blocks.ts';
import { sentencesOf } from './sentences.ts';

const limits = {
  longestJoined: 1000, // characters: an unclosed bracket must not join all later sentences
  longestWord: 64, // characters; a longer run without spaces is not a word that must stay whole
};

/** An indivisible piece: a heading, a block, or a part of a long paragraph. */
export interface Piece extends MarkdownBlock {
  readonly tokens: number;
  /** The index of its section. */
  readonly section: number;
  /** True for later parts of a paragraph, which begin in the middle of a line. */
  readonly isPart: boolean;
  /** True for a text that introduces the next one: it ends with a colon. */
  readonly leadsOn: boolean;
}

/** Depths of a cut in a paragraph; blocks have smaller numbers. */
export const partedSentences = 1000;
const partedLines = 1001;
const partedWords = 1002;

/**
 * The blocks, with paragraphs of more than `room` tokens cut at the ends of sentences; where a
 * sentence has more, at line ends, and at last between words.
 */
export function toPieces(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  { room, count }: { readonly room: number; readonly count: (text: string) => number },
): Piece[] {
  const pieces: Piece[] = [];
  const add = (piece: Omit<Piece, 'leadsOn'>, text: string): void => {
    pieces.push({ ...piece, leadsOn: /[:：][*_]{0,3}\s*$/.test(text.slice(-80)) });
  };
  let section = 0;
  let headings = 0;
  for (const [index, block] of blocks.entries()) {
    const text = markdown.slice(block.start, blocks[index + 1]?.start);
    const tokens = count(text);
    const isHeading = block.kind === 'heading';
    if (block.level > 0) section += 1;
    // A heading stays with the text after it; each part of a cut block begins with its marks.
    const marks = count(quoteMarks(block));
    const left = Math.max(room - headings, room / 2) - marks;
    headings = isHeading ? headings + tokens : 0;
    if (tokens <= left || block.kind === 'table' || block.kind === 'code') {
      add({ ...block, tokens, section, isPart: false }, text);
      continue;
    }
    let { start } = block;
    let end = start;
    for (const part of partsOf(text, left, count)) {
      end += part.text.length;
      if (!/\S/.test(part.text)) continue;
      const isPart = start > block.start;
      const rest = {
        kind: 'text',
        level: 0,
        depth: part.parted,
        start,
        textStart: start,
      } as const;
      add({ ...block, ...(isPart ? rest : {}), tokens: part.tokens, section, isPart }, part.text);
      start = end;
    }
  }
  return pieces;
}

/** The marks before text that is cut from the inside of quotes. Only some of many marks are repeated. */
export function quoteMarks({ quotes }: MarkdownBlock): string {
  return '> '.repeat(Math.min(quotes, 4));
}

/** Splits into sentences, and sentences with more tokens than fit into smaller parts. */
function* partsOf(
  text: string,
  room: number,
  count: (text: string) => number,
): Generator<{ text: string; tokens: number; parted: number }, void, undefined> {
  for (const sentence of withWholeLinks(sentencesOf(text))) {
    const tokens = count(sentence);
    if (tokens <= room) {
      yield { text: sentence, tokens, parted: partedSentences };
      continue;
    }
    let parted = partedSentences;
    for (const line of sentence.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      const lineTokens = count(line);
      if (lineTokens <= room) {
        yield { text: line, tokens: lineTokens, parted };
      } else {
        const isRoomFor = (word: string): boolean => count(word) <= room;
        for (const words of wordGroups(line, Math.max(1, Math.floor(room / 2)), isRoomFor)) {
          yield { text: words, tokens: count(words), parted };
          parted = partedWords;
        }
      }
      parted = partedLines;
    }
  }
}

/** Joins sentences that end within link text with the next one. */
function* withWholeLinks(sentences: readonly string[]): Generator<string, void, undefined> {
  let joined = '';
  let open = 0;
  for (const sentence of sentences) {
    joined += sentence;
    open = openBrackets(sentence, open);
    if (open > 0 && joined.length < limits.longestJoined) continue;
    yield joined;
    joined = '';
    open = 0;
  }
  if (joined !== '') yield joined;
}

/** The number of square brackets open at the end of a text. Escaped brackets do not count. */
function openBrackets(text: string, before: number): number {
  let open = before;
  for (const [mark] of text.matchAll(/\\.|[[\]]/gs)) {
    if (mark === '[') open += 1;
    else if (mark === ']' && open > 0) open -= 1;
  }
  return open;
}

/**
 * Groups of words of at most `length` characters, or one longer word. No character of common scripts
 * has more than two tokens, so that a group fits.
 */
function* wordGroups(
  text: string,
  length: number,
  isRoomFor: (word: string) => boolean,
): Generator<string, void, undefined> {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  let rest = text;
  while (rest.length > length) {
    const word = /^\S+\s/.exec(rest.slice(0, limits.longestWord))?.[0] ?? '';
    const isWhole = word.length > length && isRoomFor(word);
    const end = isWhole ? word.length : wordEnd(rest.slice(0, length), segmenter);
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  if (rest !== '') yield rest;
}

/** The end of the last whole word outside of a link, else of the last word, else of the last whole character. */
function wordEnd(group: string, segmenter: Intl.Segmenter): number {
  let open = 0;
  let afterSpace = 0;
  let outside = 0;
  for (const { 0: mark, index } of group.matchAll(/\\.|[[\]]|\s+/gs)) {
    if (mark === '[') {
      if (open === 0) outside = Math.max(outside, index);
      open += 1;
    } else if (mark === ']') open = Math.max(0, open - 1);
    else if (!mark.startsWith('\\')) {
      afterSpace = index + mark.length;
      if (open === 0) outside = afterSpace;
    }
  }
  if (outside > group.length / 4) return outside;
  if (afterSpace > 0) return afterSpace;
  let last = 0;
  for (const { index } of segmenter.segment(group.slice(-64))) last = index;
  const end = Math.max(group.length - 64, 0) + last;
  if (last > 0) return end;
  const isHalf = /[\ud800-\udbff]$/.test(group) && group.length > 1;
  return isHalf ? group.length - 1 : group.length;
}
