/** The question format: an answer from the page, by the client's model. */
import { requireModel } from '../../../extract/llm/model.ts';
import { loadModule } from '../../../core/runtime/load-module.ts';
import { type FinishContext, type OptionContext, readsNothing, type Format } from '../format.ts';
import { refuseUnknown, textOption } from '../../../core/checks/option-errors.ts';
import type { PageAnswer } from './find-quotes.ts';

/** Options of the question format. */
export interface QuestionOptions {
  /** The question in any language, 1 to 10000 characters; it is sent with each part of a page. */
  readonly question: string;
}

/**
 * An answer from the text of the page, with quotes that are on it: an answer without a quote is not
 * given. When the page does not answer, the value is `{ answer: null, status: 'notFound', quotes: [] }`;
 * the same for a page without text, for which no model is called. A long page is read in parts.
 *
 * Throws `MODEL_REQUIRED` without a model, `MODEL_FAILED`, `EXTRACT_INVALID` when a model's answer
 * cannot be used after a second try, `PARSE_LIMIT`. Text that looks like instructions to a model is
 * listed in `warning`.
 *
 * @example
 * const { question } = await client.scrape(url, {
 *   formats: [{ type: 'question', question: 'How long does delivery take?' }],
 * });
 * question.answer; // 'Two days.'
 */
export const question: Format<'question', PageAnswer, QuestionOptions, null, undefined> = {
  ...readsNothing,
  name: 'question',
  parseOptions: parseQuestionOptions,
  uses: () => ({ markdown: true, model: true }),
  finish,
};

function parseQuestionOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: true },
): QuestionOptions {
  const { question: asked, ...unknown } = options;
  refuseUnknown(unknown, ['question']);
  const parsed = { question: textOption('question', asked) };
  if (!hasModel) requireModel(undefined, 'The format question', 'Without a model use highlights.');
  return parsed;
}

async function finish(
  _: null,
  { question: asked }: QuestionOptions,
  context: FinishContext,
): Promise<PageAnswer> {
  const { modelReader } = await loadModule(() => import('../with-model/model-reader.ts'));
  const reader = modelReader('question', context);
  const { answerQuestion } = await loadModule(() => import('./answer-question.ts'));
  const page = { url: context.url, markdown: context.markdown ?? '', language: context.language };
  return answerQuestion(reader, asked, page);
}
