/** The first half of the check of an answer: that it is JSON of the shape that was asked for. */
import { readAnswer } from '../../llm/read-answer.ts';
import type { AnswerSchema } from '../../llm/model.ts';
import { ajvValidator } from '../json/ajv-validator.ts';
import type { AnswerCheck } from '../json/with-model/answer-check.ts';

/** Checks an answer against its schema, then by `check`, which gets what fits it. */
export async function shapeCheck<Shape, Answer>(
  schema: AnswerSchema,
  check: (shape: Shape, isLast: boolean) => Awaited<ReturnType<AnswerCheck<Answer>>>,
): Promise<AnswerCheck<Answer>> {
  const fits = await ajvValidator(schema);
  return async (text, { isLast }) => {
    const read = readAnswer(text);
    if ('problem' in read) return { issues: [{ path: [], message: read.problem }] };
    const result = await fits(read.value);
    // The schema is what says that it is of this type.
    return 'issues' in result ? result : check(result.value as Shape, isLast);
  };
}
