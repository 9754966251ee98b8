/** Checks the schemas that callers may pass and compiles them to one form for the rest of the library. */
import { ValidationError, type ValidationIssue } from '../../core/runtime/errors.ts';
import { xpathError } from '../../content/html/xpath.ts';
import { selectorError } from '../../content/html/selector.ts';
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import {
  type CompiledSchema,
  isSchemaObject,
  type JsonSchema,
  resolveReference,
  shapesOf,
} from './json-schema.ts';
import { transformProblem, xpathOf } from './selector-keywords.ts';
import type { StandardSchema } from './standard-schema.ts';

export type { CompiledSchema } from './json-schema.ts';

export type { InferSchema } from './standard-schema.ts';

export type { JsonSchema } from './json-schema.ts';

export type { StandardSchema } from './standard-schema.ts';

/** A zod 3.25+ or zod 4 schema, any Standard Schema that yields JSON Schema, or JSON Schema. */
export type SchemaInput = StandardSchema | JsonSchema;

/**
 * Checks a schema and makes its JSON Schema. Schemas that need another package for that give a
 * promise. Throws or rejects with `ValidationError` (`BAD_REQUEST`) when the schema is not usable.
 */
export function compileSchema(schema: SchemaInput): CompiledSchema | Promise<CompiledSchema> {
  if (isStandard(schema)) {
    const jsonSchema = standardJsonSchema(schema);
    return jsonSchema instanceof Promise
      ? jsonSchema.then((ready) => compileStandard(schema, ready))
      : compileStandard(schema, jsonSchema);
  }
  if (!isSchemaObject(schema)) {
    throw refusal(`expected a zod schema, a Standard Schema or JSON Schema, got ${kind(schema)}`);
  }
  const [field] = Object.entries(schema).find(([, value]) => isStandard(value)) ?? [];
  if (field !== undefined) {
    throw refusal(`"${field}" is a schema inside a plain object; wrap the object: z.object({ … })`);
  }
  checkJsonSchema(schema);
  return compilePlain(schema);
}

function isStandard(schema: unknown): schema is StandardSchema {
  // ArkType's schemas are functions.
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard.validate === 'function';
}

function standardJsonSchema(schema: StandardSchema): JsonSchema | Promise<JsonSchema> {
  const { vendor, jsonSchema } = schema['~standard'];
  try {
    if (isZod(schema)) {
      const converted = zodJsonSchema(schema);
      return converted instanceof Promise ? converted.catch(refuseConversion) : converted;
    }
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    return refuseConversion(error);
  }
  throw refusal(
    `this ${vendor} schema gives no JSON Schema; convert it and pass the JSON Schema, or use zod`,
  );
}

function refuseConversion(error: unknown): never {
  throw refusal(`the schema cannot be written as JSON Schema: ${(error as Error).message}`);
}

function compileStandard(schema: StandardSchema, jsonSchema: JsonSchema): CompiledSchema {
  checkJsonSchema(jsonSchema);
  return {
    jsonSchema,
    validate: async (value) => {
      const result = await schema['~standard'].validate(reviveDates(value, jsonSchema));
      if (result.issues === undefined) return { value: result.value };
      const issues = result.issues.map(({ message, path = [] }) => ({
        path: path.map((part) => plainKey(typeof part === 'object' ? part.key : part)),
        message,
      }));
      return { issues };
    },
  };
}

function compilePlain(jsonSchema: JsonSchema): CompiledSchema {
  const validator = new Lazy(async () => {
    const { ajvValidator } = await loadModule(() => import('./ajv-validator.ts'));
    return ajvValidator(jsonSchema);
  });
  return {
    jsonSchema,
    validate: async (value) => (await validator.get())(value),
  };
}

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key);
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

function refusal(message: string): ValidationError {
  return new ValidationError('schema', [{ path: ['schema'], message }]);
}

// Checks a JSON Schema as far as possible without compiling it.

type Path = readonly (string | number)[];

/** Throws `ValidationError` with all problems: types, selectors, references. */
export function checkJsonSchema(schema: JsonSchema): void {
  const issues: ValidationIssue[] = [];
  const seen = new Set<unknown>();
  const pending: { value: unknown; path: Path }[] = [{ value: schema, path: ['schema'] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'boolean' || seen.has(value)) continue;
    if (!isSchemaObject(value)) {
      issues.push(issue(path, `expected a schema object, got ${JSON.stringify(value)}`));
      continue;
    }
    seen.add(value);
    issues.push(...keywordIssues(value, path, schema));
    for (const selector of selectorsOf(value)) {
      const problem = selectorProblem(selector);
      if (problem !== undefined) issues.push(issue([...path, 'x-selector'], problem));
    }
    const transform = transformProblem(value);
    if (transform !== undefined) issues.push(issue([...path, 'x-transform'], transform));
    pending.push(...subschemas(value, path).reverse());
  }
  if (issues.length > 0) throw new ValidationError('schema', issues);
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** References must be local: nothing is fetched for a schema. */
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

function keywordIssues(schema: JsonSchema, path: Path, root: JsonSchema): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const expect = (keyword: string, isRight: boolean, expected: string): void => {
    if (!isRight) issues.push(issue([...path, keyword], `expected ${expected}`));
  };
  const { type, required, $ref: reference } = schema as Record<string, unknown>;
  for (const name of type === undefined ? [] : [type].flat()) {
    const isKnown = typeof name === 'string' && typeNames.has(name);
    expect('type', isKnown, `one of ${[...typeNames].join(', ')}, got ${JSON.stringify(name)}`);
  }
  if (required !== undefined) {
    const isList = Array.isArray(required) && required.every((key) => typeof key === 'string');
    expect('required', isList, "an array of property names, on the object's schema");
  }
  if (schema.enum !== undefined) {
    expect('enum', Array.isArray(schema.enum) && schema.enum.length > 0, 'a list of values');
  }
  if (typeof reference === 'string' && reference.startsWith('#')) {
    const isFound = resolveReference(reference, root) !== undefined;
    const expected = 'a path inside the schema such as #/$defs/name, not an anchor';
    expect('$ref', isFound, `${expected}; there is no ${reference}`);
  }
  for (const keyword of references) {
    const given = (schema as Record<string, unknown>)[keyword];
    const isInside = given === undefined || (typeof given === 'string' && given.startsWith('#'));
    expect(keyword, isInside, 'a reference inside the schema, which begins with #');
  }
  expect('$async', schema['$async'] === undefined, 'a schema that is checked at once');
  const attribute = schema['x-attribute'];
  expect('x-attribute', attribute === undefined || typeof attribute === 'string', 'a name');
  return issues;
}

function selectorsOf(schema: JsonSchema): unknown[] {
  const selector = schema['x-selector'];
  return selector === undefined ? [] : [selector].flat();
}

function selectorProblem(selector: unknown): string | undefined {
  if (typeof selector !== 'string')
    return 'expected a CSS selector, or an array of them; an XPath begins with "xpath:"';
  const xpath = xpathOf(selector);
  if (xpath !== undefined) {
    const problem = xpathError(xpath);
    return problem && `${JSON.stringify(xpath)} is not an XPath that is known here: ${problem}`;
  }
  const problem = selectorError(selector);
  return problem && `${JSON.stringify(selector)} is not a CSS selector: ${problem}`;
}

/** Keywords of the drafts whose members are schemas. */
const schemasByName = [
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
] as const;

/** Keywords whose value is a schema, or a list of them. */
const schemaKeywords = [
  'anyOf',
  'oneOf',
  'allOf',
  'items',
  'additionalProperties',
  'prefixItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];

function subschemas(schema: JsonSchema, path: Path): { value: unknown; path: Path }[] {
  const found: { value: unknown; path: Path }[] = [];
  for (const keyword of schemasByName) {
    const members = schema[keyword];
    if (members === undefined) continue;
    if (!isSchemaObject(members)) {
      found.push({ value: members, path: [...path, keyword] });
      continue;
    }
    for (const [key, value] of Object.entries(members)) {
      found.push({ value, path: [...path, keyword, key] });
    }
  }
  for (const keyword of schemaKeywords) {
    const members = schema[keyword];
    if (members === undefined) continue;
    const list = Array.isArray(members) ? (members as unknown[]) : undefined;
    if (list === undefined) found.push({ value: members, path: [...path, keyword] });
    else list.forEach((value, index) => found.push({ value, path: [...path, keyword, index] }));
  }
  return found;
}

function issue(path: Path, message: string): ValidationIssue {
  return { path, message: `${path.slice(1).join('.') || 'the schema'}: ${message}` };
}

// zod schemas of version 3 and 4 as JSON Schema.

/** True for schemas of any zod, zod mini included. */
function isZod(schema: StandardSchema): boolean {
  return schema['~standard'].vendor === 'zod';
}

/** The schema's input, before transforms and defaults. Synchronous where zod itself can convert it. */
function zodJsonSchema(schema: StandardSchema): JsonSchema | Promise<JsonSchema> {
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) {
    return jsonSchema.input({ target: 'draft-2020-12', libraryOptions: zod4Options });
  }
  return '_zod' in schema ? withOwnZod(schema) : fromZod3(schema);
}

/** For zod 4 before it had `~standard.jsonSchema`, and zod mini. */
async function withOwnZod(schema: object): Promise<JsonSchema> {
  const { toJSONSchema } = await loadModule(() => import('zod'));
  type Zod4Schema = Parameters<typeof toJSONSchema>[0];
  return toJSONSchema(schema as Zod4Schema, { ...zod4Options, io: 'input' });
}

async function fromZod3(schema: object): Promise<JsonSchema> {
  const { zodToJsonSchema } = await loadModule(() => import('zod-to-json-schema'));
  const converted = zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    // The only strategy that distinguishes dates from strings: see `withDates`.
    dateStrategy: 'integer',
    $refStrategy: 'root',
  });
  return withDates(converted) as JsonSchema;
}

interface Override {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly jsonSchema: Record<string, unknown>;
}

const zod4Options = {
  // A part that JSON cannot express (a function, a symbol) accepts anything instead of throwing.
  unrepresentable: 'any' as const,
  override: ({ zodSchema, jsonSchema }: Override): void => {
    if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, dateObjectSchema);
    const { meta } = zodSchema as { meta?: () => Record<string, unknown> | undefined };
    // Another copy of zod keeps its own registry: the schema itself gives its selectors.
    for (const [key, value] of Object.entries(meta?.call(zodSchema) ?? {})) {
      if (key.startsWith('x-')) jsonSchema[key] ??= value;
    }
  },
};

function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Record<string, unknown>;
  if (schema.type === 'integer' && schema.format === 'unix-time') {
    const { description } = schema;
    return { ...dateObjectSchema, ...(description === undefined ? {} : { description }) };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withDates(part)]));
}

// Schemas that expect `Date` objects: JSON has none, so dates are strings until validation.

/** Marks a schema whose validator expects a `Date`; its JSON form is a `date-time` string. */
const dateObjectKeyword = 'x-date-object';

/** The JSON Schema of a `Date`. */
const dateObjectSchema: JsonSchema = {
  type: 'string',
  format: 'date-time',
  [dateObjectKeyword]: true,
};

/** A copy in which the strings of marked schemas are `Date` objects. */
function reviveDates(value: unknown, root: JsonSchema): unknown {
  const shapeOf = shapesOf(root);
  const revive = (current: unknown, schema: unknown): unknown => {
    if (!isSchemaObject(schema)) return current;
    const { schema: resolved } = shapeOf(schema);
    if (typeof current === 'string') {
      return resolved[dateObjectKeyword] === true ? new Date(current) : current;
    }
    if (Array.isArray(current)) return current.map((item) => revive(item, resolved.items));
    if (typeof current !== 'object' || current === null) return current;
    return Object.fromEntries(
      Object.entries(current).map(([key, member]) => [
        key,
        revive(member, resolved.properties?.[key]),
      ]),
    );
  };
  return revive(value, root);
}
