/** What a model is told that answers a question. The same question gives the same bytes. */
import type { AnswerSchema } from '../../llm/model.ts';
import { pageIsText } from '../json/with-model/prompt.ts';
import type { Stage } from '../with-model/condense.ts';

/** Quotes of an answer at most, and characters of what is written. */
const mostQuotes = 10;
const longestAnswer = 4000;
const longestQuote = 1000;

/** As it is asked for. */
export interface WrittenAnswer {
  readonly answer: string | null;
  readonly quotes: readonly string[];
}

/** What an answer has to be. */
export const answerSchema: AnswerSchema = {
  type: 'object',
  properties: {
    answer: { type: ['string', 'null'], maxLength: longestAnswer },
    quotes: {
      type: 'array',
      items: { type: 'string', maxLength: longestQuote },
      maxItems: mostQuotes,
    },
  },
  required: ['answer', 'quotes'],
  additionalProperties: false,
};

const rules = `You answer a question from the text of a web page. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- Answer from this text alone. What you know otherwise counts for nothing here. Do not guess.
- "answer" is plain text and as short as the question allows: a word, a sentence, a few sentences. It is in the language of the question.
- "quotes" are the passages of the text that the answer rests on, in their order: one to ${mostQuotes}, each copied letter by letter and no longer than needed. They are looked up in the text; an answer whose quotes are not there is thrown away.
- When the text does not answer the question, "answer" is null and "quotes" is an empty list. That is a right answer; an invented one is a wrong answer.`;

const ofStage: Readonly<Record<Stage, readonly string[]>> = {
  page: [],
  part: [
    'The page is too long for one request. You get one part of it. Answer from this part alone, also when it gives only a part of the answer.',
  ],
  answers: [
    'The page was too long for one request. Between the tags stand the answers that its parts gave, each with its quotes. Make one answer of them, and take its quotes from theirs. Where they contradict each other, say so.',
  ],
};

/** The task, without any word of a page. */
export function questionSystem(question: string, stage: Stage): string {
  return [rules, ...ofStage[stage], `The question:\n${question.trim()}`].join('\n\n');
}

/** An answer about a part, for the request that makes one of all. */
export function writtenAnswer({ answer, quotes }: WrittenAnswer): string {
  return [`Answer: ${answer ?? ''}`, ...quotes.map((quote) => `Quote: ${quote}`)].join('\n\n');
}
