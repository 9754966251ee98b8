/** Splits a page into passages, and ranks them by a query without a model. */
import { tableRows } from '../../../extract/with-model/cut-for-model.ts';
import { pauses } from '../../../core/runtime/yield-to-event-loop.ts';
import { estimateExactly } from '../../text/estimate-tokens.ts';
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { toPieces } from '../../text/markdown-pieces.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import { Relevance, type RelevanceMatch } from '../../text/relevance.ts';
import { readSections } from '../chunks/headings.ts';

const limits = {
  passageTokens: 120, // longer paragraphs are cut at the ends of sentences
  characters: 1000, // of any passage
  passages: 20_000, // of a page
};

/** A piece of a markdown text: `markdown.slice(start, end) === text`. */
export interface Passage {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly headingPath: readonly string[];
  /** The header of the table, or its first 1000 characters, for a row; not part of `text`. */
  readonly head?: string;
}

/** The passages of a text in their order. Headings and blocks without words are left out. */
export function readPassages(markdown: string): Passage[] {
  const blocks = readMarkdownBlocks(markdown);
  const sections = readSections(markdown, blocks, []);
  const pieces = toPieces(markdown, blocks, { room: limits.passageTokens, count: estimateExactly });
  const passages: Passage[] = [];
  for (const [index, { kind, start, textStart, section }] of pieces.entries()) {
    if (kind === 'heading') continue;
    const headingPath = sections[section]?.headingPath ?? [];
    const end = pieces[index + 1]?.start ?? markdown.length;
    const from = kind === 'table' ? start : textStart;
    for (const { head, ...place } of partedBlock(markdown.slice(from, end), kind === 'table')) {
      if (passages.length >= limits.passages) return passages;
      const passage = trimmed(markdown, from + place.start, from + place.end);
      if (!/[\p{L}\p{N}]/u.test(markdownWords(passage.text))) continue;
      passages.push({ ...passage, headingPath, ...(head === undefined ? {} : { head }) });
    }
  }
  return passages;
}

interface PassagePart {
  readonly start: number;
  readonly end: number;
  readonly head?: string;
}

/** Splits tables by rows, too long text by lines, and at last anywhere. */
function* partedBlock(text: string, isTable: boolean): Generator<PassagePart, void, undefined> {
  const table = isTable ? tableRows(text) : undefined;
  if (table === undefined) return yield* byLines(text);
  // It is repeated with each row: a wide header would be read once per row.
  const head = table.head.trim().slice(0, limits.characters);
  let start = table.head.length;
  for (const row of table.rows) {
    for (const part of byLines(row)) {
      yield { start: start + part.start, end: start + part.end, head };
    }
    start += row.length;
  }
}

function* byLines(text: string): Generator<PassagePart, void, undefined> {
  let start = 0;
  while (text.length - start > limits.characters) {
    const line = text.lastIndexOf('\n', start + limits.characters);
    let end = line > start ? line + 1 : start + limits.characters;
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

// Ranks the passages of a page by a query, without a model.

/** Weights of a passage's text, and of the headings above it with the header of its table. */
const relevanceWeights = [2, 1];

/** The best `limit` passages, in the order of the page. Yields to other work. */
export async function rankPassages(
  markdown: string,
  query: string,
  limit: number,
): Promise<Highlight[]> {
  const relevance = new Relevance(query, relevanceWeights);
  const pause = pauses();
  let above = { head: '', words: '' };
  const matches: { readonly passage: Passage; readonly match: RelevanceMatch }[] = [];
  for (const passage of readPassages(markdown)) {
    await pause();
    const { text, headingPath, head = '' } = passage;
    if (head !== above.head) above = { head, words: markdownWords(head) };
    const around = `${headingPath.join(' ')} ${above.words}`;
    const match = relevance.add([markdownWords(text), around]);
    // A match in the heading alone does not make a passage an answer.
    if (match?.counts.some((counts) => (counts?.[0] ?? 0) > 0)) matches.push({ passage, match });
  }
  return matches
    .map(({ passage, match }) => ({ passage, score: relevance.score(match) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ passage: { text, start, end, headingPath } }) => ({ text, start, end, headingPath }))
    .sort((one, other) => one.start - other.start);
}

/** A passage of the page, word for word. */
export interface Highlight {
  /** The passage as it stands in the page's markdown. */
  readonly text: string;
  /**
   * The offset in the page's markdown, in UTF-16 units: `markdown.slice(start, end) === text`. Null where only
   * the model's text of the page has it.
   */
  readonly start: number | null;
  readonly end: number | null;
  /** The headings above the passage, the outermost first. */
  readonly headingPath: readonly string[];
}
