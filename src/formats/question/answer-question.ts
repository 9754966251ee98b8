/** The answer to a question about a page, with quotes that were found on it. */
import type { ValidationIssue } from '../../errors.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import type { QuotedPage } from '../json/provenance/provenance.ts';
import { condense } from '../with-model/condense.ts';
import { isWithoutWords, type ModelReader } from '../with-model/model-reader.ts';
import { shapeCheck } from '../with-model/shape-check.ts';
import type { PageAnswer } from './page-answer.ts';
import {
  answerSchema,
  questionSystem,
  type WrittenAnswer,
  writtenAnswer,
} from './question-prompt.ts';

/** An answer whose quotes were looked up. */
interface CheckedAnswer {
  readonly answer: string | null;
  /** As they stand in the text that the model got. */
  readonly quotes: readonly string[];
  /** The model named quotes that are not in it, and did so again. */
  readonly hasFalseQuotes: boolean;
}

const notFound: PageAnswer = { answer: null, status: 'notFound', quotes: [] };

/** Asks the model. Throws as `condense` does. */
export async function answerQuestion(
  reader: ModelReader,
  question: string,
  page: QuotedPage,
): Promise<PageAnswer> {
  if (await isWithoutWords(reader)) return notFound;
  const { compute, text, warn } = reader;
  const checkOf = await shapeCheck<WrittenAnswer>(answerSchema);
  const told = await condense<CheckedAnswer>(reader, {
    schema: answerSchema,
    check: (source) =>
      checkOf(async (written, isLast) => {
        const { answer, issues } = await lookUp(written, source, compute);
        return issues.length === 0 || isLast ? { answer } : { issues };
      }),
    systemFor: (stage) => questionSystem(question, stage),
    isSilent: ({ answer, quotes }) => answer === null || quotes.length === 0,
    written: writtenAnswer,
  });
  if (told === undefined || told.answer === null) return notFound;
  const { quotes, answer, hasFalseQuotes } = told;
  const placed =
    quotes.length === 0
      ? []
      : await compute('placedQuotes', { page, modelMarkdown: text.markdown, quotes });
  if (placed.length === 0) {
    warn(
      'question: the model gave an answer without a quote that is on the page; it was left out.',
    );
    return notFound;
  }
  const unbacked = await compute('unbacked', {
    markdown: placed.map(({ quote }) => quote).join('\n'),
    language: page.language,
    said: answer,
  });
  if (unbacked.length > 0) {
    warn(`question: the quotes do not have ${unbacked.slice(0, 10).join(', ')} of the answer.`);
  }
  const isSupported = unbacked.length === 0 && !hasFalseQuotes;
  return { answer, status: isSupported ? 'supported' : 'unverified', quotes: placed };
}

/** Looks for the quotes in what the model got. */
async function lookUp(
  written: WrittenAnswer,
  source: string,
  compute: ModelReader['compute'],
): Promise<{ readonly answer: CheckedAnswer; readonly issues: readonly ValidationIssue[] }> {
  // What a page made the model write must not become a picture or a link.
  const answer = markdownWords(written.answer ?? '');
  if (answer === '') {
    return { answer: { answer: null, quotes: [], hasFalseQuotes: false }, issues: [] };
  }
  const found = await compute('foundQuotes', { markdown: source, quotes: written.quotes });
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
