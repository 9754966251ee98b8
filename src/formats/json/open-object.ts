/** Objects whose keys the schema leaves open: the labels of the page become keys. */
import { coerce } from './coerce.ts';
import { isEntity } from './entities.ts';
import { plainForms } from './entity-value.ts';
import { isSchemaObject, type Shape } from './json-schema.ts';
import { isGroupName } from './object-scopes.ts';
import { combined, type ExtractionSource, foundAt, missing, type Outcome } from './outcome.ts';
import { type Reading, targetOf } from './reading.ts';
import type { Scope } from './scope.ts';
import { contentOf } from './selectors.ts';

/**
 * For `additionalProperties` without properties (`z.record`): schema.org's additionalProperty, or the
 * rows of two-column tables, or definition lists. Undefined for other objects.
 */
export function openMembers(
  part: { readonly name: string; readonly path: string },
  shape: Shape,
  scope: Scope,
  reading: Reading,
): Outcome | undefined {
  const { properties, additionalProperties } = shape.schema;
  if (properties !== undefined || !isSchemaObject(additionalProperties)) return undefined;
  // Of a whole page only what is named as a group of facts takes all of them.
  if (scope.page !== undefined && !isGroupName(part.name)) return missing(part.path, shape);
  const value = reading.shapeOf(additionalProperties);
  for (const [source, entries] of candidates(value, scope, reading)) {
    const members = new Map<string, unknown>();
    for (const [key, text] of entries) {
      const member = key === '__proto__' ? undefined : coerce(text, targetOf(key, value, reading));
      if (member !== undefined && !members.has(key)) members.set(key, member);
    }
    if (members.size < (scope.page === undefined ? 1 : fewest(source))) continue;
    return combined(
      Object.fromEntries(members),
      [...members].map(([key, member]) => foundAt(`${part.path}.${key}`, member, source)),
    );
  }
  return missing(part.path, shape);
}

/** Two or three rows of a page may be anything: opening hours, shipping. */
function fewest(source: ExtractionSource): number {
  return source === 'table' || source === 'definition-list' ? 4 : 1;
}

type Entry = readonly [key: string, text: string | number | boolean];

function* candidates(
  value: Shape,
  scope: Scope,
  reading: Reading,
): Generator<readonly [ExtractionSource, readonly Entry[]]> {
  for (const subject of scope.subjects()) {
    const pairs = subject.get('additionalproperty').filter(isEntity);
    yield [
      subject.source,
      pairs.flatMap((pair): Entry[] => {
        const [name] = pair.get('name');
        const [text] = plainForms(pair, value);
        return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
      }),
    ];
  }
  const { pairs } = scope.content();
  const sources =
    scope.page === undefined
      ? (['table', 'definition-list', 'label'] as const)
      : (['table', 'definition-list'] as const);
  for (const source of sources) {
    const own = pairs.filter((pair) => pair.source === source && !pair.isList && !pair.isText);
    yield [
      source,
      own.flatMap(({ label, values: [first] }): Entry[] => {
        if (first === undefined) return [];
        const text =
          first.element === undefined
            ? first.text
            : contentOf(first.element, value, reading.baseUrl);
        return [[label, text]];
      }),
    ];
  }
}
