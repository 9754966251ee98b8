/** Fills a part of a schema that has a selector. */
import type { DomElement } from '../../html/dom.ts';
import { coerce } from './coerce.ts';
import { itemsOf, type JsonSchema, type Shape } from './json-schema.ts';
import { combined, missing, type Outcome } from './outcome.ts';
import { type InnerParts, type Part, take } from './part.ts';
import { type Reading, targetOf } from './reading.ts';
import { elementScope, type Scope } from './scope.ts';
import { readSelected, transformedTexts } from './selected-texts.ts';
import { isSelected, selectAll, selectorAt } from './selectors.ts';

/** The part by its selector, inside of the element; a list has an entry for each match. */
export function fillSelected(
  part: Part,
  shape: Shape,
  within: DomElement,
  scope: Scope,
  reading: Reading,
  inside: InnerParts,
): Outcome {
  const groups = selectAll(within, shape.schema);
  const selectorOf = (index: number): string | undefined =>
    selectorAt(shape.schema, index, part.selector);
  const matching = groups.findIndex((group) => group.length > 0);
  const matches = groups[matching] ?? [];
  const matched: Part = { ...part, selector: selectorOf(matching) };
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
      return take(part.path, value, 'selector', reading, selectorOf(index));
    }
  }
  return missing(part.path, shape);
}

/** One item for each match; an attribute named on the array is read from each. */
function fillMatches(
  part: Part,
  shape: Shape,
  matches: readonly DomElement[],
  scope: Scope,
  reading: Reading,
  inside: InnerParts,
): Outcome {
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
        take(`${part.path}[${index}]`, value, 'selector', reading, part.selector),
      ),
    );
  }
  const isPlain = !['object', 'array', 'union'].includes(reading.shapeOf(own).kind);
  const schema: JsonSchema =
    isPlain && !isSelected(own) ? { ...own, 'x-attribute': attribute ?? 'text' } : own;
  const scopes = matches.map((element) => elementScope(element, reading.baseUrl));
  const outcome = inside.items(scopes, schema, part, reading);
  if (outcome.found > 0) return outcome;
  // Inside a match an empty list is a fact; of the page it may be a selector that fits no more.
  return scope.page === undefined && !shape.nullable
    ? { ...missing(part.path, shape), value: [] }
    : missing(part.path, shape);
}
