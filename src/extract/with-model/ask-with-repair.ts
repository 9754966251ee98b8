/** Asks a model one question, checks the answer, and asks once more when the answer cannot be used. */
import { ExtractError, type ValidationIssue } from '../../core/runtime/errors.ts';
import type { AnswerSchema, ModelAnswer } from '../llm/model.ts';
import { parseAnswer } from '../llm/json-value.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import { type CompiledSchema, formatPath } from '../schema/json-schema.ts';
import { schemaOfPart, tidyAnswer, type TidyAnswer } from './answer-schema.ts';
import type { TextReader } from './parts-for-model.ts';
import { repairText } from './prompt.ts';
import { compact } from '../../core/runtime/compact.ts';

/** A question to a model; `Answer` is the check's result for the model's text. */
export interface ModelQuestion<Answer> extends Pick<
  TextReader,
  'model' | 'url' | 'signal' | 'use'
> {
  readonly system: string;
  readonly schema: AnswerSchema | undefined;
  readonly check: AnswerCheck<Answer>;
  /** What the caller can change where no answer fits. @default of the caller's schema */
  readonly remedy?: string | undefined;
}

const changeSchema =
  'Describe these properties in the schema, make them optional, or use another model.';

/** The answer, or a mark that it ended at the model's token limit. */
export type RepairedAnswer<Answer> = { readonly answer: Answer } | { readonly isCut: true };

/**
 * Asks, and asks once more when the answer does not fit. Throws `EXTRACT_INVALID` with the paths when
 * the second answer does not fit either, and `MODEL_FAILED`. With `mayBeCut` a cut-off answer is returned
 * at once: half of the question has a shorter answer.
 */
export async function askWithRepair<Answer>(
  question: ModelQuestion<Answer>,
  prompt: string,
  { mayBeCut, onText }: { readonly mayBeCut: boolean; readonly onText?: (text: string) => void },
): Promise<RepairedAnswer<Answer>> {
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
  const answer = await model.generate(compact({ system, prompt, signal, schema, onText }));
  use(answer.usage);
  return answer;
}

// The check of an answer, with its issues.

/** An answer that fits, or all issues of one that does not. */
export type CheckedAnswer<Answer> =
  { readonly answer: Answer } | { readonly issues: readonly ValidationIssue[] };

/** Checks answers. `isLast`: the model is not asked again. */
export type AnswerCheck<Answer> = (
  text: string,
  attempt: { readonly isLast: boolean },
) => Promise<CheckedAnswer<Answer>>;

/**
 * Makes the check for a schema. `isWhole`: the answer is all of the data, so that the schema's own
 * validation applies as well; a null for a value that is not on the page is not the model's mistake.
 */
export async function answerCheck(
  schema: CompiledSchema,
  { isWhole }: { readonly isWhole: boolean },
): Promise<AnswerCheck<TidyAnswer>> {
  const { ajvValidator } = await loadModule(() => import('../schema/ajv-validator.ts'));
  const fits = await ajvValidator(schemaOfPart(schema.jsonSchema));
  return async (text) => {
    const read = parseAnswer(text);
    if ('problem' in read) return { issues: [{ path: [], message: read.problem }] };
    const { value } = read;
    const shape = await fits(value);
    if ('issues' in shape) return { issues: shape.issues };
    const answer = tidyAnswer(value, schema.jsonSchema);
    if (!isWhole) return { answer };
    const whole = await schema.validate(answer.value);
    if ('value' in whole) return { answer };
    const mistakes = whole.issues.filter(({ path }) => !saysNothing(value, path));
    return mistakes.length === 0 ? { answer } : { issues: mistakes };
  };
}

/** True when the answer has null at the path or above it. */
function saysNothing(value: unknown, path: readonly (string | number)[]): boolean {
  let current = value;
  for (const key of path) {
    if (current === null) return true;
    if (typeof current !== 'object' || !Object.hasOwn(current, key)) return false;
    current = (current as Readonly<Record<string | number, unknown>>)[key];
  }
  return current === null;
}
