/** Whether an answer can be used, and what is wrong with it. */
import type { ValidationIssue } from '../../../errors.ts';
import type { CompiledSchema } from '../compiled-schema.ts';
import { schemaOfPart } from './answer-schema.ts';
import { readAnswer } from '../../../llm/read-answer.ts';
import { tidyAnswer, type TidyAnswer } from './tidy-answer.ts';

/** An answer that fits, or everything that is wrong with one. */
export type CheckedAnswer<Answer> =
  { readonly answer: Answer } | { readonly issues: readonly ValidationIssue[] };

/** Checks answers. `isLast`: the model is not asked again. */
export type AnswerCheck<Answer> = (
  text: string,
  attempt: { readonly isLast: boolean },
) => Promise<CheckedAnswer<Answer>>;

/**
 * Makes the check for a schema. `isWhole`: the answer is all the data there will be, so that the schema
 * itself judges it as well; what the model says is not on the page (null) is no mistake of it.
 */
export async function answerCheck(
  schema: CompiledSchema,
  { isWhole }: { readonly isWhole: boolean },
): Promise<AnswerCheck<TidyAnswer>> {
  const { ajvValidator } = await import('../ajv-validator.ts');
  const fits = await ajvValidator(schemaOfPart(schema.jsonSchema));
  return async (text) => {
    const read = readAnswer(text);
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
