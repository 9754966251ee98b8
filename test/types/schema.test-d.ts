import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod-v3';
import type {
  InferSchema,
  JsonSchema,
  SchemaInput,
} from '../../src/extract/schema/compile-schema.ts';

/** As `scrape` and `extract` take a schema: inferred in place, without `as const`. */
function infer<const S extends SchemaInput>(schema: S): InferSchema<S> {
  return schema as InferSchema<S>;
}

export function zodSchemasGiveTheirOutput(): void {
  const four = z.object({
    name: z.string(),
    at: z.iso.date().transform((text) => new Date(text)),
    n: z.number().optional(),
  });
  expectTypeOf(infer(four)).toEqualTypeOf<{ name: string; at: Date; n?: number | undefined }>();

  const three = z3.object({ name: z3.string(), list: z3.array(z3.number()).default([]) });
  expectTypeOf(infer(three)).toEqualTypeOf<{ name: string; list: number[] }>();

  const small = mini.object({ name: mini.nullable(mini.string()) });
  expectTypeOf(infer(small)).toEqualTypeOf<{ name: string | null }>();
}

export function jsonSchemaInPlaceIsRead(): void {
  const data = infer({
    type: 'object',
    properties: {
      name: { type: 'string', 'x-selector': 'h1', minLength: 1 },
      price: { type: ['number', 'null'] },
      pages: { type: 'integer' },
      isNew: { type: 'boolean' },
      nothing: { type: 'null' },
      size: { enum: ['s', 'm', 3] },
      kind: { const: 'product' },
      tags: { type: 'array', items: { type: 'string' } },
      seller: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      amount: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      unknown: {},
    },
    required: ['name', 'price', 'size', 'tags', 'seller'],
  });
  expectTypeOf(data).toEqualTypeOf<{
    name: string;
    price: number | null;
    size: 's' | 'm' | 3;
    tags: string[];
    seller: { name: string };
    pages?: number;
    isNew?: boolean;
    nothing?: null;
    kind?: 'product';
    amount?: string | number;
    unknown?: unknown;
  }>();
}

export function jsonSchemaAsConstIsRead(): void {
  const schema = {
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'number' } },
  } as const;
  expectTypeOf(infer(schema)).toEqualTypeOf<Record<string, number>[]>();
  expectTypeOf<InferSchema<typeof schema>>().toEqualTypeOf<Record<string, number>[]>();
}

export function whatIsNotKnownIsUnknown(): void {
  const loose = { type: 'object', properties: { a: { type: 'string' } } };
  expectTypeOf(infer(loose)).toEqualTypeOf<unknown>();
  expectTypeOf<InferSchema<JsonSchema>>().toEqualTypeOf<unknown>();
  expectTypeOf<InferSchema<SchemaInput>>().toEqualTypeOf<unknown>();
}

export function whatIsNoSchemaIsRefused(): void {
  // @ts-expect-error -- a text is no schema
  infer('price');
  // @ts-expect-error -- a type is a name
  infer({ type: 5 });
}
