/** Fills a part of a schema that has a selector. */
import type { DomElement } from '../../content/html/dom.ts';
import { itemsOf, type JsonSchema, type Shape } from '../schema/json-schema.ts';
import { isSelected, readElement, selectAll, selectorAt } from '../schema/selector-keywords.ts';
import { coerce, type CoercionTarget } from './coerce.ts';
import {
  combined,
  type FillContext,
  type FillOutcome,
  type InnerParts,
  missing,
  type SchemaPart,
  takeValue,
  targetOf,
} from './schema-part.ts';
import { elementScope, type Scope } from './scope.ts';

/** Fills the part by its selector inside the element; a list has an entry for each match. */
export function fillSelected(
  part: SchemaPart,
  shape: Shape,
  within: DomElement,
  scope: Scope,
  reading: FillContext,
  inside: InnerParts,
): FillOutcome {
  const groups = selectAll(within, shape.schema);
  const selectorOf = (index: number): string | undefined =>
    selectorAt(shape.schema, index, part.selector);
  const matching = groups.findIndex((group) => group.length > 0);
  const matches = groups[matching] ?? [];
  const matched: SchemaPart = { ...part, selector: selectorOf(matching) };
  if (shape.kind === 'array') return fillMatches(matched, shape, matches, scope, reading, inside);
  if (shape.kind === 'object') {
    const [first] = matches;
    if (first === undefined) return missing(part.path, shape);
    const inner = first === within ? scope : elementScope(first, reading.baseUrl);
    return inside.members(matched, shape, inner, reading);
  }
  for (const [index, group] of groups.entries()) {
    const value = readSelected(group, targetOf(part.name, shape, reading), reading);
    if (value !== undefined) {
      return takeValue(part.path, value, 'selector', reading, selectorOf(index));
    }
  }
  return missing(part.path, shape);
}

/** Fills one item for each match; an attribute named on the array is read from each. */
function fillMatches(
  part: SchemaPart,
  shape: Shape,
  matches: readonly DomElement[],
  scope: Scope,
  reading: FillContext,
  inside: InnerParts,
): FillOutcome {
  const own = itemsOf(shape.schema);
  const attribute = shape.schema['x-attribute'];
  const texts = transformedTexts(matches, shape.schema, reading);
  if (texts !== undefined) {
    const target = targetOf(part.name, reading.shapeOf(own), reading);
    const values = texts.map((text) => coerce(text, target)).filter((one) => one !== undefined);
    if (values.length === 0) return missing(part.path, shape);
    return combined(
      values,
      values.map((value, index) =>
        takeValue(`${part.path}[${index}]`, value, 'selector', reading, part.selector),
      ),
    );
  }
  const isPlain = !['object', 'array', 'union'].includes(reading.shapeOf(own).kind);
  const schema: JsonSchema =
    isPlain && !isSelected(own) ? { ...own, 'x-attribute': attribute ?? 'text' } : own;
  const scopes = matches.map((element) => elementScope(element, reading.baseUrl));
  const outcome = inside.items(scopes, schema, part, reading);
  if (outcome.found > 0) return outcome;
  // Inside a match an empty list is a fact; on the page the selector may be outdated.
  return scope.page === undefined && !shape.nullable
    ? { ...missing(part.path, shape), value: [] }
    : missing(part.path, shape);
}

// The texts of a selector's matches, after the schema's transforms.

/** The value of a plain property; undefined if no matched text fits. */
function readSelected(
  matches: readonly DomElement[],
  target: CoercionTarget,
  reading: FillContext,
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
function transformedTexts(
  matches: readonly DomElement[],
  schema: JsonSchema,
  reading: FillContext,
): string[] | undefined {
  const transform = reading.transformOf(schema);
  if (transform === undefined) return undefined;
  const { baseUrl, locale } = reading;
  // Transforms apply to texts: an element's visible text, or its attribute.
  const shape: Shape = { schema, kind: 'string', alternatives: [], nullable: false };
  const texts = matches.flatMap((element) => {
    const raw = readElement(element, shape, baseUrl);
    return raw === undefined ? [] : [String(raw)];
  });
  return transform(texts, { locale, baseUrl });
}
