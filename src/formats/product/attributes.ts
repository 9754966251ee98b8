/** Facts about a product or a variant by name: colour, size, what else the page lists. */
import type { Entity } from '../json/entities.ts';
import { isSafeKey } from '../structured-data/safe-key.ts';
import { entitiesIn, lineOf, nameIn } from './entity-text.ts';
import { emptyAttributes, type PageContext } from './product-facts.ts';

/** Properties of schema.org that variants differ in. */
const named = ['color', 'size', 'material', 'pattern', 'flavor'];

/** Of the properties with a name of their own, then of `additionalProperty`, of which `most` are read. */
export function attributesOf(
  entity: Entity,
  most: number,
  context: PageContext,
): Record<string, string> {
  const attributes = emptyAttributes();
  for (const name of named) {
    const value = nameIn(entity, name);
    if (value !== undefined) attributes[name] = value;
  }
  for (const pair of entitiesIn(entity, 'additionalproperty').slice(0, most)) {
    const { pairs } = context.known;
    const read = pairs.has(pair) ? pairs.get(pair) : readPair(pair);
    pairs.set(pair, read);
    if (read !== undefined) addAttribute(attributes, ...read);
  }
  return attributes;
}

function readPair(pair: Entity): readonly [name: string, value: string] | undefined {
  const name = lineOf(pair, 'name');
  const value = nameIn(pair, 'value');
  if (name === undefined || value === undefined) return undefined;
  const unit = lineOf(pair, 'unittext');
  return [name, unit === undefined ? value : `${value} ${unit}`];
}

/** Adds one that is not there yet; a name that is too long is no name. */
export function addAttribute(
  attributes: Record<string, string>,
  name: string,
  value: string,
): void {
  if (name === '' || value === '' || name.length > 100 || !isSafeKey(name)) return;
  attributes[name] ??= value;
}
