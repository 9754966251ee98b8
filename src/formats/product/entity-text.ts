/** Plain values of what a page describes: texts, names, numbers and URLs of its properties. */
import { resolveLink } from '../../url/normalize-url.ts';
import { type Entity, type EntityValue, isEntity } from '../json/entities.ts';
import { plainLine } from './plain-text.ts';

/** Values of one property that are looked at. */
const maxValues = 1_000;

/** The values of a property by its folded name. */
export function valuesOf(entity: Entity, name: string): readonly EntityValue[] {
  return entity.get(name).slice(0, maxValues);
}

/** The things among them. */
export function entitiesIn(entity: Entity, name: string): Entity[] {
  return valuesOf(entity, name).filter(isEntity);
}

/** The first value that is a text or a number and not empty, as written. */
export function rawText(entity: Entity, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const value of valuesOf(entity, name)) {
      if (!isEntity(value) && typeof value !== 'boolean' && String(value).trim() !== '') {
        return String(value);
      }
    }
  }
  return undefined;
}

/** The same on one line, without markup. */
export function lineOf(entity: Entity, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = rawText(entity, name);
    const line = text === undefined ? '' : plainLine(text);
    if (line !== '') return line;
  }
  return undefined;
}

/** What a value is called: the text itself, or the name of the thing. */
function nameOfValue(value: EntityValue): string | undefined {
  if (isEntity(value)) return lineOf(value, 'name', 'value');
  const text = typeof value === 'boolean' ? '' : plainLine(String(value));
  return text === '' ? undefined : text;
}

/** The names of the first value that has one. */
export function nameIn(entity: Entity, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const value of valuesOf(entity, name)) {
      const text = nameOfValue(value);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** A term of a vocabulary: a text, or a thing that has nothing but its id. */
export function termIn(entity: Entity, name: string): string | undefined {
  for (const value of valuesOf(entity, name)) {
    const text = isEntity(value) ? rawText(value, '@id', 'name') : String(value);
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

/** The first http or https URL of the properties, absolute. */
export function urlIn(
  entity: Entity,
  baseUrl: string,
  ...names: readonly string[]
): string | undefined {
  for (const name of names) {
    for (const value of valuesOf(entity, name)) {
      const text = isEntity(value) ? rawText(value, '@id', 'url') : String(value);
      const url = text === undefined ? undefined : resolveLink(text, baseUrl);
      if (url !== undefined) return url.href;
    }
  }
  return undefined;
}
