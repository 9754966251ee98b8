/** Answers a question about a page with a model, and retains the quotes that are found on the page. */
import type { ValidationIssue } from '../../../core/runtime/errors.ts';
import type { QuotedPage } from '../../../extract/provenance/provenance.ts';
import { pageIsText } from '../../../extract/with-model/prompt.ts';
import type { AnswerSchema } from '../../../extract/llm/model.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import { mapReduce, type MapReduceStage } from '../with-model/map-reduce.ts';
import { isWithoutWords, type ModelReader, shapeCheck } from '../with-model/model-reader.ts';
import type { PageAnswer } from './find-quotes.ts';

const limits = {
  quotes: 10, // of an answer
  longestAnswer: 4000, // characters
  longestQuote: 1000, // characters
};

/** An answer whose quotes were looked up. */
interface CheckedAnswer {
  readonly answer: string | null;
  /** The quotes as they stand in the text that the model got. */
  readonly quotes: readonly string[];
  /** True when the model twice gave quotes that are not in the text. */
  readonly hasFalseQuotes: boolean;
}

const notFound: PageAnswer = { answer: null, status: 'notFound', quotes: [] };

/** Calls the model. Throws as `mapReduce` does. */
export async function answerQuestion(
  reader: ModelReader,
  question: string,
  page: QuotedPage,
): Promise<PageAnswer> {
  if (await isWithoutWords(reader)) return notFound;
  const { compute, text, warn } = reader;
  const checkOf = await shapeCheck<WrittenAnswer>(answerSchema);
  const told = await mapReduce<CheckedAnswer>(reader, {
    schema: answerSchema,
    check: (source) =>
      checkOf(async (written, isLast) => {
        const { answer, issues } = await lookUpQuotes(written, source, compute);
        return issues.length === 0 || isLast ? { answer } : { issues };
      }),
    systemFor: (stage) => questionSystem(question, stage),
    isSilent: ({ answer, quotes }) => answer === null || quotes.length === 0,
    written: writtenAnswer,
  });
  if (told === undefined || told.answer === null) return notFound;
  const { quotes, answer, hasFalseQuotes } = told;
  const placed =
    quotes.length === 0 ? [] : await compute('placedQuotes', quotes, text.markdown, page);
  if (placed.length === 0) {
    warn(
      'question: the model gave an answer without a quote that is on the page; it was left out.',
    );
    return notFound;
  }
  const unsupported = await compute(
    'unsupported',
    placed.map(({ quote }) => quote).join('\n'),
    page.language,
    answer,
  );
  if (unsupported.length > 0) {
    warn(`question: the quotes do not have ${unsupported.slice(0, 10).join(', ')} of the answer.`);
  }
  const isSupported = unsupported.length === 0 && !hasFalseQuotes;
  return { answer, status: isSupported ? 'supported' : 'unverified', quotes: placed };
}

/** Finds the quotes in the text that the model got. */
async function lookUpQuotes(
  written: WrittenAnswer,
  source: string,
  compute: ModelReader['compute'],
): Promise<{ readonly answer: CheckedAnswer; readonly issues: readonly ValidationIssue[] }> {
  // Markup that a page made the model write must not become a picture or a link.
  const answer = markdownWords(written.answer ?? '');
  if (answer === '') {
    return { answer: { answer: null, quotes: [], hasFalseQuotes: false }, issues: [] };
  }
  const found = await compute('foundQuotes', written.quotes, source);
  const issues = found.flatMap((quote, index): ValidationIssue[] =>
    quote === undefined
      ? [{ path: ['quotes', index], message: 'this is not in the text of the page' }]
      : [],
  );
  const hasFalseQuotes = issues.length > 0;
  if (written.quotes.length === 0) {
    issues.push({ path: ['quotes'], message: 'an answer needs a quote; without one it is null' });
  }
  const quotes = [...new Set(found.filter((quote) => quote !== undefined))];
  return { answer: { answer, quotes, hasFalseQuotes }, issues };
}

// The prompt for a model that answers a question; deterministic for each question.

/** The requested answer. */
export interface WrittenAnswer {
  readonly answer: string | null;
  readonly quotes: readonly string[];
}

/** The schema of an answer. */
const answerSchema: AnswerSchema = {
  type: 'object',
  properties: {
    answer: { type: ['string', 'null'], maxLength: limits.longestAnswer },
    quotes: {
      type: 'array',
      items: { type: 'string', maxLength: limits.longestQuote },
      maxItems: limits.quotes,
    },
  },
  required: ['answer', 'quotes'],
  additionalProperties: false,
};

const questionRules = `You answer a question from the text of a web page. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- Answer from this text alone. What you know otherwise counts for nothing here. Do not guess.
- "answer" is plain text and as short as the question allows: a word, a sentence, a few sentences. It is in the language of the question.
- "quotes" are the passages of the text that the answer rests on, in their order: one to ${limits.quotes}, each copied letter by letter and no longer than needed. They are looked up in the text; an answer whose quotes are not there is thrown away.
- When the text does not answer the question, "answer" is null and "quotes" is an empty list. That is a right answer; an invented one is a wrong answer.`;

const taskOfStage: Readonly<Record<MapReduceStage, readonly string[]>> = {
  page: [],
  part: [
    'The page is too long for one request. You get one part of it. Answer from this part alone, also when it gives only a part of the answer.',
  ],
  answers: [
    'The page was too long for one request. Between the tags stand the answers that its parts gave, each with its quotes. Make one answer of them, and take its quotes from theirs. Where they contradict each other, say so.',
  ],
};

/** The task, without any text of a page. */
function questionSystem(question: string, stage: MapReduceStage): string {
  return [questionRules, ...taskOfStage[stage], `The question:\n${question.trim()}`].join('\n\n');
}

/** An answer about a part, as the merging request gets it. */
function writtenAnswer({ answer, quotes }: WrittenAnswer): string {
  return [`Answer: ${answer ?? ''}`, ...quotes.map((quote) => `Quote: ${quote}`)].join('\n\n');
}
