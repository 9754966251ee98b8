/** From an answer to a strict schema back to one that fits the caller's: nulls that stand for absence go. */
import { isRecord, own } from './json-value.ts';
import { resolveReference } from './schema-references.ts';
import type { StrictSchema } from './strict-schema.ts';

/** Deeper answers stay as they are. */
const mostDeep = 200;

/** The same value without the nulls of properties that the caller's schema does not require. */
export function restoreAnswer(value: unknown, { schema, optional }: StrictSchema): unknown {
  if (optional.size === 0) return value;
  const restore = (part: unknown, given: readonly unknown[], depth: number): unknown => {
    if (typeof part !== 'object' || part === null || depth > mostDeep) return part;
    const candidates = given.flatMap((one) => alternatives(one, schema));
    if (Array.isArray(part)) {
      const items = candidates.map((one) => own(one, 'items')).filter(isRecord);
      return part.map((one) => restore(one, items, depth + 1));
    }
    const objects = candidates.filter((one) => fits(part, one));
    const entries = Object.entries(part).flatMap(([key, inside]): [string, unknown][] => {
      const isAbsent = inside === null && objects.some((one) => optional.get(one)?.has(key));
      if (isAbsent) return [];
      const schemas = objects.map((one) => own(own(one, 'properties'), key)).filter(isRecord);
      return [[key, restore(inside, schemas, depth + 1)]];
    });
    // `__proto__` stays an ordinary key.
    return Object.fromEntries(entries);
  };
  return restore(value, [schema], 0);
}

/** What a part of the schema allows, references and unions undone. */
function alternatives(part: unknown, root: unknown, depth = 0): object[] {
  if (!isRecord(part) || depth > 20) return [];
  if (typeof part['$ref'] === 'string') {
    return alternatives(resolveReference(root, part['$ref']), root, depth + 1);
  }
  const { anyOf } = part;
  return Array.isArray(anyOf) ? anyOf.flatMap((one) => alternatives(one, root, depth + 1)) : [part];
}

/** True for the schema of an object that has these keys, and the same words where it names them. */
function fits(value: object, schema: object): boolean {
  const properties = own(schema, 'properties');
  if (!isRecord(properties)) return false;
  return Object.entries(value).every(([key, inside]) => {
    const values = own(own(properties, key), 'enum');
    return Object.hasOwn(properties, key) && (!Array.isArray(values) || values.includes(inside));
  });
}
