/** What the matches of a selector say, after the schema's transforms. */
import type { DomElement } from '../../html/dom.ts';
import { coerce, type Target } from './coerce.ts';
import type { JsonSchema, Shape } from './json-schema.ts';
import type { Reading } from './reading.ts';
import { readElement } from './selectors.ts';

/** The value of a plain property; undefined when no text of the matches fits. */
export function readSelected(
  matches: readonly DomElement[],
  target: Target,
  reading: Reading,
): unknown {
  const { shape } = target;
  const texts = transformedTexts(matches, shape.schema, reading);
  if (texts !== undefined) {
    const [first] = texts;
    return first === undefined ? undefined : coerce(first, target);
  }
  const [first] = matches;
  const raw = first === undefined ? undefined : readElement(first, shape, reading.baseUrl);
  const isMarkup = shape.schema['x-attribute'] === 'html';
  return raw === undefined || isMarkup ? raw : coerce(raw, target);
}

/** The texts of all matches after the transforms; undefined where the schema has none. */
export function transformedTexts(
  matches: readonly DomElement[],
  schema: JsonSchema,
  reading: Reading,
): string[] | undefined {
  const transform = reading.transformOf(schema);
  if (transform === undefined) return undefined;
  const { baseUrl, locale } = reading;
  // The steps are for texts: what an element says to a reader, or its attribute.
  const shape: Shape = { schema, kind: 'string', alternatives: [], nullable: false };
  const texts = matches.flatMap((element) => {
    const raw = readElement(element, shape, baseUrl);
    return raw === undefined ? [] : [String(raw)];
  });
  return transform(texts, { locale, baseUrl });
}
