/** What a model is told that chooses passages. The same query gives the same bytes. */
import type { AnswerSchema } from '../../llm/model.ts';
import { pageIsText } from '../json/with-model/prompt.ts';
import type { Passage } from './passages.ts';

/** As it is asked for. */
export interface ChosenNumbers {
  readonly passages: readonly number[];
}

/** What an answer has to be: more numbers than are wanted are no mistake. */
export const numbersSchema: AnswerSchema = {
  type: 'object',
  properties: { passages: { type: 'array', items: { type: 'integer', minimum: 1 } } },
  required: ['passages'],
  additionalProperties: false,
};

/** The task, without any word of a page. */
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

/** Passages with their numbers, from `first` on. Numbers that the page writes itself are taken apart. */
export function numberedPassages(passages: readonly Passage[], first: number): string {
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
