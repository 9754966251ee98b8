/** Gives values of selectors precedence over a model's values. */
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import { isSchemaObject, type JsonSchema } from '../schema/json-schema.ts';
import { memberOf } from '../../core/runtime/json.ts';

/** True when a schema contains a selector. */
export function hasSelectors(schema: JsonSchema): boolean {
  let left = 10_000;
  const look = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null || --left < 0) return false;
    if (isSchemaObject(value) && ('x-selector' in value || 'x-attribute' in value)) return true;
    return Object.values(value).some(look);
  };
  return look(schema);
}

/** True when selectors gave all values: no question is left for a model. */
export function isAllSelected({ notFound, sources }: PageExtraction): boolean {
  const found = Object.values(sources);
  return notFound.length === 0 && found.length > 0 && found.every((by) => by === 'selector');
}

/**
 * The model's data with the selectors' leaves outside lists: rows have no name by which they could be
 * matched. A list whose values all come from selectors replaces the model's list.
 */
export function withSelected(asked: PageExtraction, selected: PageExtraction): PageExtraction {
  const places = new Map<string, boolean>();
  for (const [path, by] of Object.entries(selected.sources)) {
    const place = outsideOfLists(path);
    places.set(place, (places.get(place) ?? true) && by === 'selector');
  }
  for (const path of selected.notFound) places.set(outsideOfLists(path), false);
  let { value } = asked;
  const given = new Set<string>();
  for (const [place, isSelected] of places) {
    if (!isSelected || place === '') continue;
    const keys = place.split('.');
    const leaf = at(selected.value, keys);
    if (leaf === undefined) continue;
    value = withValue(value, keys, leaf);
    given.add(place);
  }
  const sources = Object.entries(selected.sources).filter(([path]) =>
    given.has(outsideOfLists(path)),
  );
  return {
    value,
    notFound: asked.notFound.filter((path) => !given.has(outsideOfLists(path))),
    sources: Object.fromEntries(sources),
  };
}

/** `offers[0].price` → `offers` */
function outsideOfLists(path: string): string {
  const bracket = path.indexOf('[');
  return bracket < 0 ? path : path.slice(0, bracket);
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(memberOf, value);
}

function withValue(value: unknown, keys: readonly string[], leaf: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return leaf;
  const members = new Map(Object.entries(isSchemaObject(value) ? value : {}));
  members.set(key, withValue(members.get(key), rest, leaf));
  return Object.fromEntries(members);
}
