/** One question to a model, with one more try for an answer that cannot be used. */
import { ExtractError } from '../../../errors.ts';
import type { AnswerSchema, Model, ModelAnswer, ModelUsage } from '../../../llm/model.ts';
import { formatPath } from '../format-path.ts';
import type { AnswerCheck } from './answer-check.ts';
import { repairText } from './prompt.ts';

/** What is asked, and of whom; `Answer` is what the check makes of the model's text. */
export interface ModelQuestion<Answer> {
  readonly model: Model;
  /** The page's, for messages. */
  readonly url: string;
  readonly system: string;
  readonly schema: AnswerSchema | undefined;
  readonly check: AnswerCheck<Answer>;
  /** What the caller can change where no answer fits. @default of the caller's schema */
  readonly remedy?: string | undefined;
  readonly signal: AbortSignal;
  /** Told of each answer's usage. */
  readonly use: (usage: ModelUsage) => void;
}

const changeSchema =
  'Describe these properties in the schema, make them optional, or use another model.';

/** The answer, or that it ended at the limit of the model's tokens. */
export type Asked<Answer> = { readonly answer: Answer } | { readonly isCut: true };

/**
 * Asks, and asks once more when the answer does not fit. Throws `EXTRACT_INVALID` with the paths when
 * the second one does not fit either, and `MODEL_FAILED`. With `mayBeCut` an answer that is cut off is
 * told at once: half of the question has a shorter answer.
 */
export async function askWithRepair<Answer>(
  question: ModelQuestion<Answer>,
  prompt: string,
  { mayBeCut, onText }: { readonly mayBeCut: boolean; readonly onText?: (text: string) => void },
): Promise<Asked<Answer>> {
  const first = await generate(question, prompt, onText);
  const checked = await question.check(first.text, { isLast: false });
  if (first.isCut === true && mayBeCut) return { isCut: true };
  if ('answer' in checked && first.isCut !== true) return checked;
  const issues =
    'issues' in checked
      ? checked.issues
      : [{ path: [], message: 'the answer ended at the limit of tokens' }];
  const second = await generate(question, repairText(prompt, first.text, issues), undefined);
  const repaired = await question.check(second.text, { isLast: true });
  if ('answer' in repaired) return repaired;
  const told = repaired.issues
    .slice(0, 10)
    .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`));
  throw new ExtractError(
    `The model's answer about ${question.url} does not fit the schema, twice: ${told.join('; ')}. ` +
      (question.remedy ?? changeSchema),
    repaired.issues,
    { url: question.url },
  );
}

async function generate(
  { model, system, schema, signal, use }: ModelQuestion<unknown>,
  prompt: string,
  onText: ((text: string) => void) | undefined,
): Promise<ModelAnswer> {
  const answer = await model.generate({
    ...{ system, prompt, signal },
    ...(schema === undefined ? {} : { schema }),
    ...(onText === undefined ? {} : { onText }),
  });
  use(answer.usage);
  return answer;
}
