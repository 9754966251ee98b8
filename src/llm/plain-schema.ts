/** A JSON Schema as a provider without limits gets it: all of it, but for keywords of our own. */
import { modelFailed } from './model-failure.ts';
import { isRecord, own } from './json-value.ts';
import type { AnswerSchema } from './model.ts';
import { resolveReference } from './schema-references.ts';

/** Parts of a schema, and how deep they nest, at most. */
const mostParts = 20_000;
const mostDeep = 200;

/** Keywords whose value has schemas by name: names are not keywords. */
const named = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Keywords whose value is a value of the answer, not a schema. */
const literal = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

/**
 * Without `x-*` and `$schema`. With `wrapper` the root becomes the one property of that name of an
 * object, and references follow it there.
 */
export function plainSchema(schema: AnswerSchema, wrapper?: string): AnswerSchema {
  const copy = new Copy(wrapper === undefined ? '' : `/properties/${wrapper}`);
  const inside = copy.schema(schema, 0) as AnswerSchema;
  if (wrapper === undefined) return inside;
  return {
    type: 'object',
    properties: { [wrapper]: inside },
    required: [wrapper],
    additionalProperties: false,
  };
}

/** True when answers of the root are objects, which every provider can give. */
export function hasObjectRoot(schema: AnswerSchema): boolean {
  let root: unknown = schema;
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = own(root, '$ref');
    if (typeof reference !== 'string') break;
    root = resolveReference(schema, reference);
  }
  const type = own(root, 'type');
  return type === 'object' || (type === undefined && isRecord(own(root, 'properties')));
}

class Copy {
  /** Where the root went. */
  readonly #base: string;
  #parts = 0;

  constructor(base: string) {
    this.#base = base;
  }

  schema(part: unknown, depth: number): unknown {
    if (typeof part !== 'object' || part === null) return part;
    this.#parts += 1;
    if (this.#parts > mostParts || depth > mostDeep) {
      throw modelFailed(
        `The schema has more than ${mostParts} parts or is deeper than ${mostDeep}: no model takes it. Ask for less at a time.`,
      );
    }
    if (Array.isArray(part)) return part.map((one) => this.schema(one, depth + 1));
    const entries = Object.entries(part)
      .filter(([key]) => !/^x-/i.test(key) && key !== '$schema')
      .map(([key, value]): [string, unknown] => [key, this.#keyword(key, value, depth)]);
    return Object.fromEntries(entries);
  }

  #keyword(key: string, value: unknown, depth: number): unknown {
    if (literal.has(key)) return value;
    if (key === '$ref') {
      const isLocal = typeof value === 'string' && value.startsWith('#');
      return isLocal ? `#${this.#base}${value.slice(1)}` : value;
    }
    if (!named.has(key) || !isRecord(value)) return this.schema(value, depth + 1);
    const schemas = Object.entries(value).map(([name, one]): [string, unknown] => [
      name,
      this.schema(one, depth + 1),
    ]);
    return Object.fromEntries(schemas);
  }
}
