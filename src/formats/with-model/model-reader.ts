/** What a format that asks a model works with. */
import { requireModel } from '../../llm/require-model.ts';
import type { Model } from '../../llm/model.ts';
import type { ModelText } from '../../model/model-text.ts';
import type { FinishContext } from '../format.ts';
import { warnOfText } from '../json/with-model/attempt-warning.ts';

/** A model, and a page that it may read. */
export interface ModelReader extends Pick<FinishContext, 'signal' | 'use' | 'warn' | 'compute'> {
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
  const { signal, use, warn, compute, modelText: text } = context;
  warnOfText(text, warn);
  return { model, url, text, signal, use, warn, compute };
}

/** True for a page of which a model would read nothing. */
export async function isWithoutWords({ text, compute }: ModelReader): Promise<boolean> {
  return !(await compute('hasWords', { markdown: text.markdown }));
}
