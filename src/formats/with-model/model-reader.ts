/** What a format that asks a model works with. */
import { requireModel } from '../../llm/require-model.ts';
import type { Model } from '../../llm/model.ts';
import type { ModelText } from '../../model/model-text.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import type { FinishContext } from '../format.ts';
import { attemptWarning } from '../json/with-model/attempt-warning.ts';

/** A model, and a page that it may read. */
export interface ModelReader extends Pick<FinishContext, 'signal' | 'use' | 'warn'> {
  readonly model: Model;
  readonly url: string;
  readonly text: ModelText;
}

/**
 * The model and the page's text. Tells the caller of text that speaks to models. Throws
 * `MODEL_REQUIRED` where there is no model.
 */
export function modelReader(
  format: string,
  url: string,
  context: FinishContext | undefined,
): ModelReader {
  const without = 'Without a model leave this format out.';
  const model = requireModel(context?.model, `The format ${format}`, without);
  if (context?.modelText === undefined) throw new Error('the text for the model was not read');
  const { signal, use, warn, modelText: text } = context;
  const warning = attemptWarning(text.attempts);
  if (warning !== undefined) warn(warning);
  return { model, url, text, signal, use, warn };
}

/** True for a page of which a model would read nothing. */
export function isWithoutWords({ text }: ModelReader): boolean {
  return !/[\p{L}\p{N}]/u.test(markdownWords(text.markdown));
}
