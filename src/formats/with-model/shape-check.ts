/** The first half of the check of an answer: that it is JSON of the shape that was asked for. */
import { readAnswer } from '../../llm/read-answer.ts';
import type { AnswerSchema } from '../../llm/model.ts';
import { ajvValidator } from '../json/ajv-validator.ts';
import type { AnswerCheck, CheckedAnswer } from '../json/with-model/answer-check.ts';

/** Makes a check of one that gets what fits the schema. */
export type ShapeCheck<Shape> = <Answer>(
  check: (shape: Shape, isLast: boolean) => CheckedAnswer<Answer> | Promise<CheckedAnswer<Answer>>,
) => AnswerCheck<Answer>;

/** The checks of answers by one schema. */
export async function shapeCheck<Shape>(schema: AnswerSchema): Promise<ShapeCheck<Shape>> {
  const fits = await ajvValidator(schema);
  return (check) =>
    async (text, { isLast }) => {
      const read = readAnswer(text);
      if ('problem' in read) return { issues: [{ path: [], message: read.problem }] };
      const result = await fits(read.value);
      // The schema is what says that it is of this type.
      return 'issues' in result ? result : check(result.value as Shape, isLast);
    };
}
