/** The passages that a page may be quoted by: paragraphs, items, rows. */
import { estimateExactly } from '../../text/estimate-tokens.ts';
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import { toPieces } from '../chunks/pieces.ts';
import { readSections } from '../chunks/sections.ts';
import { tableRows } from '../json/with-model/table-rows.ts';

/** A piece of a markdown text: `markdown.slice(start, end) === text`. */
export interface Passage {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly headingPath: readonly string[];
  /** The header of the table that it is a row of, which is not part of it. */
  readonly head?: string;
}

/** Tokens of a passage; longer paragraphs are cut at the ends of sentences. */
const passageTokens = 120;
/** Characters that a passage has at most, whatever it is. */
const mostCharacters = 1000;
/** A page of more is not read to its end. */
const mostPassages = 20_000;

/** The passages of a text in their order. Headings are none, and neither is what has no words. */
export function readPassages(markdown: string): Passage[] {
  const blocks = readMarkdownBlocks(markdown);
  const sections = readSections(markdown, blocks, []);
  const pieces = toPieces(markdown, blocks, { room: passageTokens, count: estimateExactly });
  const passages: Passage[] = [];
  for (const [index, { kind, start, textStart, section }] of pieces.entries()) {
    if (kind === 'heading') continue;
    const headingPath = sections[section]?.headingPath ?? [];
    const end = pieces[index + 1]?.start ?? markdown.length;
    const from = kind === 'table' ? start : textStart;
    for (const { head, ...place } of parted(markdown.slice(from, end), kind === 'table')) {
      if (passages.length >= mostPassages) return passages;
      const passage = trimmed(markdown, from + place.start, from + place.end);
      if (!/[\p{L}\p{N}]/u.test(markdownWords(passage.text))) continue;
      passages.push({ ...passage, headingPath, ...(head === undefined ? {} : { head }) });
    }
  }
  return passages;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly head?: string;
}

/** Tables by rows; what is too long by lines, and at last anywhere. */
function* parted(text: string, isTable: boolean): Generator<Part, void, undefined> {
  const table = isTable ? tableRows(text) : undefined;
  if (table === undefined) return yield* byLines(text);
  const head = table.head.trim();
  let start = table.head.length;
  for (const row of table.rows) {
    for (const part of byLines(row)) {
      yield { start: start + part.start, end: start + part.end, head };
    }
    start += row.length;
  }
}

function* byLines(text: string): Generator<Part, void, undefined> {
  let start = 0;
  while (text.length - start > mostCharacters) {
    const line = text.lastIndexOf('\n', start + mostCharacters);
    let end = line > start ? line + 1 : start + mostCharacters;
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1;
    yield { start, end };
    start = end;
  }
  if (start < text.length) yield { start, end: text.length };
}

function trimmed(
  markdown: string,
  start: number,
  end: number,
): Pick<Passage, 'text' | 'start' | 'end'> {
  const given = markdown.slice(start, end);
  const text = given.trim();
  const first = start + given.indexOf(text);
  return { text, start: first, end: first + text.length };
}
