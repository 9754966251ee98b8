/** The schemas callers may give, and the one form the rest of the library works with. */
import { ValidationError } from '../../errors.ts';
import { checkJsonSchema } from './check-json-schema.ts';
import type { CompiledSchema } from './compiled-schema.ts';
import { reviveDates } from './dates-in-schema.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import type { StandardSchema } from './standard-schema.ts';
import { isZod, zodJsonSchema } from './zod-json-schema.ts';

export type { CompiledSchema } from './compiled-schema.ts';
export type { InferSchema } from './infer-schema.ts';
export type { JsonSchema } from './json-schema.ts';
export type { StandardSchema } from './standard-schema.ts';

/** A zod 3.25+ or zod 4 schema, any Standard Schema that yields JSON Schema, or JSON Schema. */
export type SchemaInput = StandardSchema | JsonSchema;

/**
 * Checks a schema and makes its JSON Schema. Schemas that need another package for that give a
 * promise. Throws or rejects with `ValidationError` (`BAD_REQUEST`) when it is no usable schema.
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
  let validator: Promise<CompiledSchema['validate']> | undefined;
  return {
    jsonSchema,
    validate: async (value) => {
      validator ??= import('./ajv-validator.ts').then((ajv) => ajv.ajvValidator(jsonSchema));
      return (await validator)(value);
    },
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
