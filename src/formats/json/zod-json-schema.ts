/** zod schemas of version 3 and 4 as JSON Schema. */
import { dateObjectSchema } from './dates-in-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

/** True for schemas of any zod, zod mini included. */
export function isZod(schema: StandardSchema): boolean {
  return schema['~standard'].vendor === 'zod';
}

/** What the schema accepts before its transforms and defaults. At once where zod can say it itself. */
export function zodJsonSchema(schema: StandardSchema): JsonSchema | Promise<JsonSchema> {
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) {
    return jsonSchema.input({ target: 'draft-2020-12', libraryOptions: zod4Options });
  }
  return '_zod' in schema ? withOwnZod(schema) : fromZod3(schema);
}

/** Zod 4 before it had `~standard.jsonSchema`, and zod mini. */
async function withOwnZod(schema: object): Promise<JsonSchema> {
  const { toJSONSchema } = await import('zod');
  type Zod4Schema = Parameters<typeof toJSONSchema>[0];
  return toJSONSchema(schema as Zod4Schema, { ...zod4Options, io: 'input' });
}

async function fromZod3(schema: object): Promise<JsonSchema> {
  const { zodToJsonSchema } = await import('zod-to-json-schema');
  const converted = zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    // The only strategy that tells dates from strings: see `withDates`.
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
  // A schema in it that JSON cannot express (a function, a symbol) accepts anything instead of throwing.
  unrepresentable: 'any' as const,
  override: ({ zodSchema, jsonSchema }: Override): void => {
    if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, dateObjectSchema);
    const { meta } = zodSchema as { meta?: () => Record<string, unknown> | undefined };
    // Another copy of zod keeps its own registry: ask the schema for its selectors.
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
