/** Which of several texts fit what is wanted. */
import { coerce, type Target } from './coerce.ts';
import { type EntityValue } from './entities.ts';
import { plainForms } from './entity-value.ts';
import { fold } from './names.ts';
import type { PairValue } from './pair.ts';
import { contentOf } from './selectors.ts';
import { canonical } from './synonyms.ts';

/** The values that fit, each once, in order. */
export function fitting(texts: Iterable<string | number | boolean>, target: Target): unknown[] {
  const fit = new Set<unknown>();
  for (const text of texts) {
    const value = coerce(text, target);
    if (value !== undefined) fit.add(value);
  }
  return [...fit];
}

/** The first plain form of a value that fits: a brand's name, an amount's number. */
export function fittingForm(value: EntityValue, target: Target): unknown {
  for (const form of plainForms(value, target.shape)) {
    const fit = coerce(form, target);
    if (fit !== undefined) return fit;
  }
  return undefined;
}

/** What stands beside a label; of a property that is named as a URL, the link in it. */
export function textBeside(value: PairValue, target: Target): string {
  if (value.element === undefined) return value.text;
  const { shape, name, baseUrl } = target;
  const isLink = shape.schema.format === undefined && canonical(fold(name)) === 'url';
  const wanted = isLink ? { ...shape, schema: { ...shape.schema, format: 'uri' } } : shape;
  return contentOf(value.element, wanted, baseUrl);
}
