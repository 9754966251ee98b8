/** The passages of a text with their numbers, in parts that fit a model. */
import { estimateExactly } from '../../text/estimate-tokens.ts';
import { numberedPassages } from './highlights-prompt.ts';
import { type Passage, readPassages } from './passages.ts';

/** Some passages as a model gets them. */
export interface NumberedPart {
  /** The number of its first passage; the page's first has 1. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

/** Tokens that number and header of a passage may take beside it. */
const numberTokens = 8;

/** Parts of about `room` tokens; none for a text without passages. */
export function numberedParts(markdown: string, room: number): NumberedPart[] {
  const passages = readPassages(markdown);
  const parts: NumberedPart[] = [];
  const put = (start: number, end: number): void => {
    const part: readonly Passage[] = passages.slice(start, end);
    if (part.length === 0) return;
    const text = numberedPassages(part, start + 1);
    parts.push({ first: start + 1, count: part.length, text });
  };
  let start = 0;
  let tokens = 0;
  for (const [index, { text, head = '', headingPath }] of passages.entries()) {
    const around = estimateExactly(head) + estimateExactly(headingPath.join(' > '));
    const size = estimateExactly(text) + around + numberTokens;
    if (tokens + size > room && index > start) {
      put(start, index);
      start = index;
      tokens = 0;
    }
    tokens += size;
  }
  put(start, passages.length);
  return parts;
}
