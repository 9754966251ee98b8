/** The answer to a question about a page, with quotes that were found on it. */
import type { ValidationIssue } from '../../errors.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import type { QuotedPage } from '../json/provenance/provenance.ts';
import { condense } from '../with-model/condense.ts';
import { isWithoutWords, type ModelReader } from '../with-model/model-reader.ts';
import { shapeCheck } from '../with-model/shape-check.ts';
import { Source } from '../with-model/unbacked.ts';
import { QuoteFinder } from './find-quote.ts';
import type { AnswerQuote, PageAnswer } from './page-answer.ts';
import {
  answerSchema,
  questionSystem,
  type WrittenAnswer,
  writtenAnswer,
} from './question-prompt.ts';

/** An answer whose quotes were looked up. */
interface CheckedAnswer {
  readonly answer: string | null;
  readonly quotes: readonly AnswerQuote[];
  /** The model named quotes that are not on the page, and did so again. */
  readonly hasFalseQuotes: boolean;
}

const notFound: PageAnswer = { answer: null, status: 'notFound', quotes: [] };

/** Asks the model. Throws as `condense` does. */
export async function answerQuestion(
  reader: ModelReader,
  question: string,
  page: QuotedPage,
): Promise<PageAnswer> {
  if (isWithoutWords(reader)) return notFound;
  const finder = new QuoteFinder(page, reader.text.markdown);
  const check = await shapeCheck<WrittenAnswer, CheckedAnswer>(answerSchema, (written, isLast) => {
    const { answer, issues } = lookUp(written, finder);
    return issues.length === 0 || isLast ? { answer } : { issues };
  });
  const told = await condense(reader, {
    schema: answerSchema,
    check,
    systemFor: (stage) => questionSystem(question, stage),
    isSilent: ({ answer, quotes }) => answer === null || quotes.length === 0,
    written: ({ answer, quotes }) =>
      writtenAnswer({ answer, quotes: quotes.map(({ quote }) => quote) }),
  });
  if (told === undefined || told.answer === null) return notFound;
  if (told.quotes.length === 0) {
    reader.warn(
      'question: the model gave an answer without a quote that is on the page; it was left out.',
    );
    return notFound;
  }
  return answered(told, told.answer, page, reader);
}

function answered(
  { quotes, hasFalseQuotes }: CheckedAnswer,
  answer: string,
  { language }: QuotedPage,
  { warn }: ModelReader,
): PageAnswer {
  const source = new Source(quotes.map(({ quote }) => quote).join('\n'), language);
  const unbacked = source.unbacked(answer);
  if (unbacked.length > 0) {
    warn(`question: the quotes do not have ${unbacked.slice(0, 10).join(', ')} of the answer.`);
  }
  const isSupported = unbacked.length === 0 && !hasFalseQuotes;
  return { answer, status: isSupported ? 'supported' : 'unverified', quotes };
}

/** Each place once, in the order of the page. */
function lookUp(
  written: WrittenAnswer,
  finder: QuoteFinder,
): { readonly answer: CheckedAnswer; readonly issues: readonly ValidationIssue[] } {
  // What a page made the model write must not become a picture or a link.
  const answer = markdownWords(written.answer ?? '');
  if (answer === '') {
    return { answer: { answer: null, quotes: [], hasFalseQuotes: false }, issues: [] };
  }
  const quotes = new Map<string, AnswerQuote>();
  const issues: ValidationIssue[] = [];
  for (const [index, quote] of written.quotes.entries()) {
    const found = finder.find(quote);
    if (found !== undefined) quotes.set(`${found.start ?? found.quote}-${found.end}`, found);
    else issues.push({ path: ['quotes', index], message: 'this is not in the text of the page' });
  }
  const hasFalseQuotes = issues.length > 0;
  if (written.quotes.length === 0) {
    issues.push({ path: ['quotes'], message: 'an answer needs a quote; without one it is null' });
  }
  const inOrder = [...quotes.values()].sort(
    (one, other) => (one.start ?? Infinity) - (other.start ?? Infinity) || 0,
  );
  return { answer: { answer, quotes: inOrder, hasFalseQuotes }, issues };
}
