/** Reads attributes of a product or a variant, such as colour and size, and its global trade item number. */
import { isSafeKey } from '../facts/element-text.ts';
import type { Entity } from '../facts/entities.ts';
import { entitiesIn, lineOf, nameIn } from './entity-text.ts';
import { emptyAttributes, type PageContext } from './product.ts';

/** Properties of schema.org that variants differ in. */
const named = ['color', 'size', 'material', 'pattern', 'flavor'];

/** Attributes from the named properties, then from `additionalProperty`, of which `most` are read. */
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

/** Adds an attribute that is not there yet; a name that is too long is dropped. */
export function addAttribute(
  attributes: Record<string, string>,
  name: string,
  value: string,
): void {
  if (name === '' || value === '' || name.length > 100 || !isSafeKey(name)) return;
  attributes[name] ??= value;
}

// Global trade item numbers.

/** The digits of a GTIN-8, -12, -13 or -14; undefined when the check digit is wrong, as in an invented one. */
export function gtinOf(text: string): string | undefined {
  const digits = text
    .slice(0, 50)
    .replace(/^\s*(?:gtin|ean|upc|isbn)[-\d]{0,3}:/i, '')
    .replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return undefined;
  // GS1 General Specifications, 7.9: weights of 3 and 1 from the right.
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0 ? digits : undefined;
}
