/** The model of a format and the text for it, and the check that an answer has the shape of its schema. */
import { ajvValidator } from '../../../extract/schema/ajv-validator.ts';
import type { AnswerCheck, CheckedAnswer } from '../../../extract/with-model/ask-with-repair.ts';
import type { TextReader } from '../../../extract/with-model/parts-for-model.ts';
import { warnOfText } from '../../../extract/with-model/prompt.ts';
import { parseAnswer } from '../../../extract/llm/json-value.ts';
import { type AnswerSchema, requireModel } from '../../../extract/llm/model.ts';
import type { FinishContext } from '../format.ts';

/** A model, and the text of a page for it. */
export interface ModelReader extends TextReader {
  readonly compute: FinishContext['compute'];
}

/**
 * The model and the page's text. Warns of text that looks like instructions to a model. Throws
 * `MODEL_REQUIRED` without a model.
 */
export function modelReader(format: string, context: FinishContext): ModelReader {
  const without = 'Without a model leave this format out.';
  const model = requireModel(context.model, `The format ${format}`, without);
  if (context.modelText === undefined) throw new Error('the text for the model was not read');
  const text = context.modelText;
  warnOfText(text, context.warn);
  return { ...context, model, text };
}

/** True for a page without words for a model. */
export async function isWithoutWords({ text, compute }: ModelReader): Promise<boolean> {
  return !(await compute('hasWords', text.markdown));
}

// The first half of the check of an answer: it is JSON of the requested shape.

/** Makes a check of an answer from a check of the value that fits the schema. */
export type ShapeCheck<Shape> = <Answer>(
  check: (shape: Shape, isLast: boolean) => CheckedAnswer<Answer> | Promise<CheckedAnswer<Answer>>,
) => AnswerCheck<Answer>;

/** The checks of answers by one schema. */
export async function shapeCheck<Shape>(schema: AnswerSchema): Promise<ShapeCheck<Shape>> {
  const fits = await ajvValidator(schema);
  return (check) =>
    async (text, { isLast }) => {
      const read = parseAnswer(text);
      if ('problem' in read) return { issues: [{ path: [], message: read.problem }] };
      const result = await fits(read.value);
      // The schema guarantees this type.
      return 'issues' in result ? result : check(result.value as Shape, isLast);
    };
}
