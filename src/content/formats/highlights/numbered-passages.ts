/** The passages of a text with their numbers, in parts that fit a model, and the prompt that requests these numbers. */
import { pageIsText } from '../../../extract/with-model/prompt.ts';
import type { AnswerSchema } from '../../../extract/llm/model.ts';
import { estimateExactly } from '../../text/estimate-tokens.ts';
import { type Passage, readPassages } from './passages.ts';

/** Consecutive passages as a model gets them. */
export interface NumberedPart {
  /** The number of its first passage; the page's first has 1. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

const numberTokens = 8; // tokens for the number and the header of a passage

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

// The prompt for a model that chooses passages; deterministic for each query.

/** The requested answer. */
export interface ChosenNumbers {
  readonly passages: readonly number[];
}

/** The schema of an answer: more numbers than wanted are not an error. */
export const numbersSchema: AnswerSchema = {
  type: 'object',
  properties: { passages: { type: 'array', items: { type: 'integer', minimum: 1 } } },
  required: ['passages'],
  additionalProperties: false,
};

/** The task, without any text of a page. */
export function highlightsSystem(query: string, limit: number): string {
  return `You choose the passages of a web page that answer a query. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- Before each passage stands its number in two pairs of brackets: [[1]]. What has no number, such as headings and headers of tables, only says where the passages stand.
- "passages" are the numbers of those passages that answer the query or a part of it, the most important one first, ${limit} at most. One that only has the words of the query and does not answer it is none of them.
- Where none does, "passages" is an empty list. That is a right answer.

The query:
${query.trim()}`;
}

/** Passages with their numbers, from `first` on. Look-alike numbers in the page's text are split. */
function numberedPassages(passages: readonly Passage[], first: number): string {
  const lines: string[] = [];
  let above = '';
  for (const [index, { text, headingPath, head = '' }] of passages.entries()) {
    const around = [headingPath.join(' > '), head].filter((line) => line !== '').join('\n');
    if (around !== above && around !== '') lines.push(withoutNumbers(around));
    above = around;
    lines.push(`[[${first + index}]] ${withoutNumbers(text)}`);
  }
  return lines.join('\n\n');
}

function withoutNumbers(text: string): string {
  return text.replace(/\[(?=\s?\[\s?\d)/g, '[ ');
}
