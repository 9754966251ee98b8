/** Plain values of an entity: texts without markup, names, numbers and URLs of its properties. */
import { parseHtml } from '../../content/html/parse.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';
import { textLines } from '../facts/element-text.ts';
import { type Entity, type EntityValue, isEntity } from '../facts/entities.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

const limits = {
  values: 1_000, // read of one property
  line: 500, // characters of a name, a brand, an attribute
  text: 50_000, // characters of a description
};

/** The values of a property by its folded name. */
export function valuesOf(entity: Entity, name: string): readonly EntityValue[] {
  return entity.get(name).slice(0, limits.values);
}

/** The entities among a property's values. */
export function entitiesIn(entity: Entity, name: string): Entity[] {
  return valuesOf(entity, name).filter(isEntity);
}

/** The first value that is a text or a number and not empty, as written. */
export function rawText(entity: Entity, ...names: readonly string[]): string | undefined {
  const isRaw = (value: EntityValue): value is string | number =>
    !isEntity(value) && typeof value !== 'boolean' && String(value).trim() !== '';
  const found = firstDefined(names, (name) => valuesOf(entity, name).find(isRaw));
  return found === undefined ? undefined : String(found);
}

/** The same text on one line, without markup. */
export function lineOf(entity: Entity, ...names: readonly string[]): string | undefined {
  return firstDefined(names, (name) => plainLine(rawText(entity, name) ?? '') || undefined);
}

/** The name of a value: the text itself, or the name of the entity. */
function nameOfValue(value: EntityValue): string | undefined {
  if (isEntity(value)) return lineOf(value, 'name', 'value');
  return typeof value === 'boolean' ? undefined : plainLine(String(value)) || undefined;
}

/** The name of the first value that has one. */
export function nameIn(entity: Entity, ...names: readonly string[]): string | undefined {
  return firstDefined(names, (name) => firstDefined(valuesOf(entity, name), nameOfValue));
}

/** A vocabulary term: a text, or an entity that has only an id. */
export function termIn(entity: Entity, name: string): string | undefined {
  return firstDefined(valuesOf(entity, name), (value) => {
    const text = isEntity(value) ? rawText(value, '@id', 'name') : String(value);
    return text?.trim() === '' ? undefined : text;
  });
}

/** The first http or https URL of the properties, absolute. */
export function urlIn(
  entity: Entity,
  baseUrl: string,
  ...names: readonly string[]
): string | undefined {
  const urlOf = (value: EntityValue): string | undefined => {
    const text = isEntity(value) ? rawText(value, '@id', 'url') : String(value);
    return text === undefined ? undefined : resolveLink(text, baseUrl)?.href;
  };
  return firstDefined(names, (name) => firstDefined(valuesOf(entity, name), urlOf));
}

// Texts of structured data as plain text: many contain HTML.

/** A name on one line: no tags, no entities. `` when nothing is left. */
export function plainLine(value: string): string {
  return oneLine(withoutMarkup(value.slice(0, limits.line), ' '));
}

/** A text of several lines, without markup. */
export function plainLines(value: string): string {
  return withoutMarkup(value.slice(0, limits.text), '\n').trim();
}

const markup = /<[a-z!/]|&(?:#\d|#x[\da-f]|[a-z]{2,8}\d?;)/i;

/** Removes markup at most twice: some shops escape HTML (`&lt;p&gt;`) for programs that display raw text. */
function withoutMarkup(value: string, separator: string): string {
  let text = value;
  for (let pass = 0; pass < 2 && markup.test(text); pass += 1) {
    // Text of this length cannot have more nodes.
    const { body } = parseHtml(`<body>${text}`, { nodes: 2 * limits.text, depth: 100 });
    text = textLines(body).join(separator);
  }
  return text;
}
