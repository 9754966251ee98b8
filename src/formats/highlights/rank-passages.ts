/** The passages with most of a query, without a model. */
import { markdownWords } from '../../text/markdown-words.ts';
import { type Match, Relevance } from '../../text/relevance.ts';
import { pauses } from '../change-tracking/pause.ts';
import type { Highlight } from './highlight.ts';
import { type Passage, readPassages } from './passages.ts';

/** How much a passage itself counts, and the headings above it with the header of its table. */
const weights = [2, 1];

/** The best `limit` passages, in the order of the page. Other work goes on meanwhile. */
export async function rankPassages(
  markdown: string,
  query: string,
  limit: number,
): Promise<Highlight[]> {
  const relevance = new Relevance(query, weights);
  const pause = pauses();
  const matches: { readonly passage: Passage; readonly match: Match }[] = [];
  for (const passage of readPassages(markdown)) {
    await pause();
    const { text, headingPath, head = '' } = passage;
    const around = `${headingPath.join(' ')} ${markdownWords(head)}`;
    const match = relevance.add([markdownWords(text), around]);
    // A heading alone makes nothing below it an answer.
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
