/** The JSON of a page's scripts and attributes as plain records, whatever is in it. */
import { parseLenientJson } from '../structured-data/lenient-json.ts';

/** An object of the page's JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Characters of a script; a thousand variants take half of it. */
const maxLength = 2_000_000;

/** The value, or undefined when it is no JSON or too long. */
export function readShopJson(text: string): unknown {
  return text.length > maxLength ? undefined : parseLenientJson(text);
}

/** True for objects that are no arrays. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as a list of objects. */
export function recordsIn(record: JsonRecord, name: string): JsonRecord[] {
  const value = member(record, name);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The member that the object itself has. */
export function member(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The first member that is a text or a number and not empty. */
export function textIn(record: JsonRecord, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = member(record, name);
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
