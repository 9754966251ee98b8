/** The JSON Schema that this library reads, with its own keywords for selectors; shapes, constraints and paths. */
import type { ValidationIssue } from '../../core/runtime/errors.ts';
import { boundedTest, compileLinear } from '../../core/checks/bounded-pattern.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { referencedPart } from '../../core/runtime/json-pointer.ts';

/** A JSON Schema object: draft 2020-12 or draft-07. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema | boolean>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean | readonly (JsonSchema | boolean)[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly (JsonSchema | boolean)[];
  readonly oneOf?: readonly (JsonSchema | boolean)[];
  readonly allOf?: readonly (JsonSchema | boolean)[];
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  /**
   * Where the value is: a CSS selector, an XPath after `xpath:` (`xpath://dt[.="Weight"]/../dd`), or
   * several of which the first that matches counts. On an object it narrows the scope of its properties; on an
   * array it gives one item per match. `:scope` is the element itself. A property with a selector is read
   * by nothing else.
   */
  readonly 'x-selector'?: string | readonly string[];
  /** The attribute to read instead of the text; `html` is the inner HTML. */
  readonly 'x-attribute'?: string;
  /**
   * The transforms of the selector's texts before they become the type, step by step:
   * `trim`, `lowercase`, `uppercase`, `number` and `date` as the page's language writes them, `url`
   * (made absolute), `{ regex, group? }` (RE2; the first group, or the whole match), `{ split }` for
   * lists, `{ join }` for all matches as one text. Loosely typed, as `type` is: a schema in a
   * variable of its own has no literal types.
   */
  readonly 'x-transform'?: string | object | readonly (string | object)[];
  readonly [keyword: string]: unknown;
}

/** True for schema objects; false for `true`, lists and absent ones. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of an array's items; an empty one where it is missing. */
export function itemsOf(schema: JsonSchema): JsonSchema {
  return isSchemaObject(schema.items) ? schema.items : {};
}

/** A schema with references resolved and null separated. */
export interface Shape {
  /** References resolved, `allOf` merged, the null branch removed. */
  readonly schema: JsonSchema;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'any' | 'union';
  /** The alternatives of a union. */
  readonly alternatives: readonly JsonSchema[];
  readonly nullable: boolean;
}

/** Makes the function that gives a schema's shape; `root` is the base of `$ref`. */
export function shapesOf(root: JsonSchema): (schema: JsonSchema) => Shape {
  const known = new WeakMap<JsonSchema, Shape>();
  return (schema) => {
    return getOrInsert(known, schema, () => shapeOf(schema, root));
  };
}

/** The target of a local `$ref`, or undefined. */
export function resolveReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  const part = referencedPart(root, reference);
  return isSchemaObject(part) ? part : undefined;
}

const maxSteps = 32; // references to references, unions in unions: more steps than this are a loop

function shapeOf(schema: JsonSchema, root: JsonSchema): Shape {
  let current = schema;
  let nullable = false;
  for (let step = 0; step < maxSteps; step += 1) {
    current = merged(current, root);
    const branches = branchesOf(current);
    if (branches === undefined) break;
    const rest = branches.filter((branch) => !isNull(branch));
    nullable ||= rest.length < branches.length;
    if (rest.length !== 1 || rest[0] === undefined) {
      return { schema: current, kind: 'union', alternatives: rest, nullable };
    }
    current = rest[0];
  }
  nullable ||= current.enum?.includes(null) === true;
  return { schema: current, kind: kindOf(current), alternatives: [], nullable };
}

/** Resolves `$ref` and merges `allOf`; keywords beside them win. */
function merged(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let step = 0; step < maxSteps; step += 1) {
    const { allOf, ...own } = current;
    if (current.$ref !== undefined) {
      current = followed(current, root);
    } else if (allOf !== undefined) {
      current = [...allOf, own].reduce<JsonSchema>((sum, part) => {
        if (!isSchemaObject(part)) return sum;
        const whole = followed(part, root);
        return {
          ...sum,
          ...whole,
          properties: { ...sum.properties, ...whole.properties },
          required: [...(sum.required ?? []), ...(whole.required ?? [])],
        };
      }, {});
    } else {
      return current;
    }
  }
  return {};
}

function followed(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref: reference, ...own } = schema;
  if (reference === undefined) return own;
  return { ...(resolveReference(reference, root) ?? {}), ...own };
}

/** The alternatives of `anyOf`, `oneOf` or a list of types, each with the keywords beside them. */
function branchesOf(schema: JsonSchema): JsonSchema[] | undefined {
  const { anyOf, oneOf, ...beside } = schema;
  const union = anyOf ?? oneOf;
  if (union !== undefined) {
    return union.map((branch) => (typeof branch === 'boolean' ? beside : { ...beside, ...branch }));
  }
  if (Array.isArray(schema.type)) {
    return (schema.type as readonly string[]).map((type) => ({ ...schema, type }));
  }
  return undefined;
}

function isNull(schema: JsonSchema): boolean {
  return schema.type === 'null' || schema.const === null;
}

function kindOf(schema: JsonSchema): Shape['kind'] {
  const { type } = schema;
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean')
    return type;
  if (type === 'object' || (type === undefined && schema.properties !== undefined)) return 'object';
  if (type === 'array' || (type === undefined && schema.items !== undefined)) return 'array';
  return 'any';
}

// The simple constraints of a schema: a value that violates them is the wrong one.

/** True when the value is within length, size and pattern. */
export function meetsConstraints(value: unknown, schema: JsonSchema): boolean {
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
  const test = getOrInsert(tests, schema, () => testOf(String(schema.pattern)));
  return test(value);
}

/** Pattern tests, compiled once for each schema. */
const tests = new WeakMap<JsonSchema, (text: string) => boolean>();

function testOf(pattern: string): (text: string) => boolean {
  try {
    return schemaPattern(pattern).test;
  } catch {
    // The pattern is not valid in this dialect: validation decides.
    return () => true;
  }
}

// A schema in the form for extraction, models and merging.

/** A schema that was checked. */
export interface CompiledSchema {
  /** The form of the data before the schema's own transforms, which extractors and models fill. */
  readonly jsonSchema: JsonSchema;
  /** The data with defaults and transforms applied; or all of its problems. */
  validate(value: unknown): Promise<{ value: unknown } | { issues: ValidationIssue[] }>;
}

// Paths into data as people write them.

/** `['offers', 0, 'price']` → `offers[0].price`; the root is the empty text. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

// The patterns of a schema, which may come from an untrusted source.

/** A pattern, and its source as text. */
interface SchemaPattern {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

/**
 * Compiles a pattern of JSON Schema, which reads code points; passes on errors of `RegExp`. A text that
 * cannot be decided in time does not match.
 */
export function schemaPattern(source: string): SchemaPattern {
  // Built for its error message. RE2 reads code points by itself, and does not know the flag.
  const { flags } = new RegExp(source, 'u');
  const isLinear = compileLinear(source, '') !== undefined;
  const test = boundedTest(source, isLinear ? '' : flags, false);
  return { test, toString: () => `/${source}/${flags}` };
}
