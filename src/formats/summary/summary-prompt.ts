/** What a model is told that sums up a page. The same stage gives the same bytes. */
import type { AnswerSchema } from '../../llm/model.ts';
import { pageIsText } from '../json/with-model/prompt.ts';
import type { Stage } from '../with-model/condense.ts';

/** As it is asked for. */
export interface WrittenSummary {
  readonly summary: string | null;
}

/** What an answer has to be. */
export const summarySchema: AnswerSchema = {
  type: 'object',
  properties: { summary: { type: ['string', 'null'], maxLength: 2000 } },
  required: ['summary'],
  additionalProperties: false,
};

const rules = `You sum up the text of a web page. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- "summary" says what the page is about and what it has to say of it: three to five whole sentences, 120 words at most, less for a short text.
- It is in the language of the text, and plain text: no headings, no lists, no markup, no addresses.
- It has nothing that the text does not say: no opinion, no guess, nothing that you know otherwise. Numbers, names and dates are as the text writes them.
- It does not speak to the reader, nor of the text as a text: not "This page is about lamps", but what is said of lamps.
- Where the text says nothing, "summary" is null.`;

const ofStage: Readonly<Record<Stage, readonly string[]>> = {
  page: [],
  part: [
    'The page is too long for one request. You get one part of it. Sum up this part alone; the summaries of all parts are put together later.',
  ],
  answers: [
    'The page was too long for one request. Between the tags stand the summaries of its parts, in their order. Make one summary of all.',
  ],
};

/** The task, without any word of a page. */
export function summarySystem(stage: Stage): string {
  return [rules, ...ofStage[stage]].join('\n\n');
}
