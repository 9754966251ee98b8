/** The simple constraints of a schema: a value that breaks them is not the one that is meant. */
import { schemaPattern } from './schema-pattern.ts';
import type { JsonSchema } from './json-schema.ts';

/** True when the value is within length, size and pattern. */
export function keeps(value: unknown, schema: JsonSchema): boolean {
  if (typeof value === 'number') {
    return (
      !(value < bound(schema.minimum, -Infinity)) &&
      !(value > bound(schema.maximum, Infinity)) &&
      !(value <= bound(schema.exclusiveMinimum, -Infinity)) &&
      !(value >= bound(schema.exclusiveMaximum, Infinity))
    );
  }
  if (typeof value !== 'string') return true;
  if (value.length < bound(schema.minLength, 0)) return false;
  if (value.length > bound(schema.maxLength, Infinity)) return false;
  return typeof schema.pattern !== 'string' || matches(value, schema);
}

function bound(keyword: unknown, absent: number): number {
  return typeof keyword === 'number' ? keyword : absent;
}

function matches(value: string, schema: JsonSchema): boolean {
  let test = tests.get(schema);
  if (test === undefined) {
    test = testOf(String(schema.pattern));
    tests.set(schema, test);
  }
  return test(value);
}

/** Compiled once for each schema. */
const tests = new WeakMap<JsonSchema, (text: string) => boolean>();

function testOf(pattern: string): (text: string) => boolean {
  try {
    return schemaPattern(pattern).test;
  } catch {
    // Not a pattern of this dialect: validation decides.
    return () => true;
  }
}
