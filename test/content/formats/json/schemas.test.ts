import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod-v3';
import { z as z34 } from 'zod-v3/v4';
import { ValidationError } from '../../../../src/core/runtime/errors.ts';
import { json } from '../../../../src/content/formats/json.ts';
import { runFormat } from '../../../../src/content/formats/run-format.ts';
import {
  compileSchema,
  type JsonSchema,
  type SchemaInput,
} from '../../../../src/extract/schema/compile-schema.ts';
import type { HtmlPage } from '../../../../src/core/model/page.ts';
import { context, htmlPage } from '../../../support/page.ts';

const fixture = (name: string): HtmlPage =>
  htmlPage(
    readFileSync(
      fileURLToPath(
        new URL(`../../../../fixtures/pages/extract/${name}/page.html`, import.meta.url),
      ),
      'utf8',
    ),
    'https://fixture.test/',
  );

async function extract(page: HtmlPage, schema: SchemaInput): Promise<unknown> {
  return runFormat(json, page, { schema: await compileSchema(schema) }, context);
}

async function refusal(schema: unknown): Promise<ValidationError> {
  const error: unknown = await Promise.resolve()
    .then(() => compileSchema(schema as SchemaInput))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ValidationError);
  return error as ValidationError;
}

const jsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    price: { type: 'number' },
    inStock: { type: 'boolean' },
    reviewCount: { type: 'integer' },
    condition: { enum: ['NewCondition', 'UsedCondition'] },
    images: { type: 'array', items: { type: 'string', format: 'uri' } },
    color: { type: 'string' },
    shape: { type: ['string', 'null'] },
    rating: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
    shop: { type: 'string', default: 'Northfell' },
  },
  required: ['name', 'price', 'inStock', 'reviewCount', 'condition', 'images', 'shape', 'rating'],
} as const satisfies JsonSchema;

const expected = {
  name: 'Trail Stove 2',
  price: 49.95,
  inStock: true,
  reviewCount: 212,
  condition: 'NewCondition',
  images: [
    'https://northfell.test/img/stove-front.jpg',
    'https://northfell.test/img/stove-side.jpg',
  ],
  shape: null,
  rating: { value: 4.6 },
  shop: 'Northfell',
};

const schemas: Readonly<Record<string, SchemaInput>> = {
  'JSON Schema': jsonSchema,
  'JSON Schema draft-07': { ...jsonSchema, $schema: 'http://json-schema.org/draft-07/schema#' },
  'zod 4': z.object({
    name: z.string(),
    price: z.number(),
    inStock: z.boolean(),
    reviewCount: z.int(),
    condition: z.enum(['NewCondition', 'UsedCondition']),
    images: z.array(z.url()),
    color: z.string().optional(),
    shape: z.string().nullable(),
    rating: z.object({ value: z.number() }),
    shop: z.string().default('Northfell'),
  }),
  'zod 3': z3.object({
    name: z3.string(),
    price: z3.number(),
    inStock: z3.boolean(),
    reviewCount: z3.number().int(),
    condition: z3.enum(['NewCondition', 'UsedCondition']),
    images: z3.array(z3.string().url()),
    color: z3.string().optional(),
    shape: z3.string().nullable(),
    rating: z3.object({ value: z3.number() }),
    shop: z3.string().default('Northfell'),
  }),
  'zod 4 of the package of zod 3': z34.object({
    name: z34.string(),
    price: z34.number(),
    inStock: z34.boolean(),
    reviewCount: z34.int(),
    condition: z34.enum(['NewCondition', 'UsedCondition']),
    images: z34.array(z34.url()),
    color: z34.string().optional(),
    shape: z34.string().nullable(),
    rating: z34.object({ value: z34.number() }),
    shop: z34.string().default('Northfell'),
  }),
  'zod mini': mini.object({
    name: mini.string(),
    price: mini.number(),
    inStock: mini.boolean(),
    reviewCount: mini.int(),
    condition: mini.enum(['NewCondition', 'UsedCondition']),
    images: mini.array(mini.url()),
    color: mini.optional(mini.string()),
    shape: mini.nullable(mini.string()),
    rating: mini.object({ value: mini.number() }),
    shop: mini._default(mini.string(), 'Northfell'),
  }),
};

describe('every kind of schema', () => {
  test.each(Object.entries(schemas))('%s gives the same data', async (_, schema) => {
    expect(await extract(fixture('product-json-ld'), schema)).toEqual(expected);
  });

  test('selectors come from the metadata of zod 4, whichever copy it is', async () => {
    const page = htmlPage('<h1>No</h1><p class="t">Yes</p><a href="/x">link</a>');
    const make = (zod: typeof z34): SchemaInput =>
      zod.object({
        title: zod.string().meta({ 'x-selector': '.t' }).optional(),
        link: zod.url().describe('a link').meta({ 'x-selector': 'a', 'x-attribute': 'href' }),
      });
    const data = { title: 'Yes', link: 'http://example.test/x' };
    expect(await extract(page, make(z34))).toEqual(data);
    expect(await extract(page, make(z as unknown as typeof z34))).toEqual(data);
  });

  test('transforms, defaults and Date objects of zod apply to what was found', async () => {
    const page = fixture('news-article');
    const date = new Date('2026-05-04T04:30:00Z');
    expect(
      await extract(
        page,
        z.object({
          headline: z.string().transform((text) => text.length),
          publishedAt: z.date(),
          date: z.coerce.date().optional(),
          kind: z.literal('news'),
        }),
      ),
    ).toEqual({ headline: 38, publishedAt: date, date, kind: 'news' });
    expect(
      await extract(
        page,
        z3.object({
          publishedAt: z3.date(),
          all: z3.array(z3.object({ modified: z3.date() })).optional(),
        }),
      ),
    ).toEqual({ publishedAt: date });
  });

  test('references, recursion, unions and allOf are followed', async () => {
    const schema = {
      $defs: {
        price: { type: 'number' },
        person: {
          type: 'object',
          properties: { name: { type: 'string' }, boss: { $ref: '#/$defs/person' } },
          required: ['name'],
        },
      },
      type: 'object',
      allOf: [{ properties: { price: { $ref: '#/$defs/price' } }, required: ['price'] }],
      properties: {
        brand: { anyOf: [{ $ref: '#/$defs/person' }, { type: 'null' }] },
        rating: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        sku: { type: ['number', 'string'] },
      },
    } as const;
    expect(await extract(fixture('product-json-ld'), schema)).toEqual({
      price: 49.95,
      brand: { name: 'Northfell' },
      rating: 4.6,
      sku: 'NF-STV-002',
    });
  });

  test('another Standard Schema is used through its own JSON Schema', async () => {
    const schema: SchemaInput = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) => ({ value: { ...(value as object), checked: true } }),
        jsonSchema: { input: () => ({ type: 'object', properties: { name: { type: 'string' } } }) },
      },
    };
    expect(await extract(fixture('product-json-ld'), schema)).toEqual({
      name: 'Trail Stove 2',
      checked: true,
    });
  });
});

describe('what is no schema', () => {
  test.each([
    ['a string', 'price', /expected a zod schema, a Standard Schema or JSON Schema, got string/],
    ['null', null, /got null/],
    ['a list', [], /got an array/],
    ['a shape', { name: z.string() }, /"name" is a schema inside a plain object; wrap the object/],
    ['an unknown type', { type: 'float' }, /type: expected one of string.*got "float"/],
    [
      'a wrong type deep inside',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'strin' } } } },
      /properties\.a\.items\.type: expected one of/,
    ],
    [
      'required on a property',
      { type: 'object', properties: { a: { type: 'string', required: true } } },
      /properties\.a\.required: expected an array of property names/,
    ],
    [
      'properties that are no schemas',
      { properties: { a: 'string' } },
      /properties\.a: expected a schema/,
    ],
    ['an empty enum', { enum: [] }, /enum: expected a list/],
    [
      'a reference to an anchor',
      { $defs: { a: { $anchor: 'a', type: 'string' } }, $ref: '#a' },
      /a path inside the schema such as #\/\$defs\/name, not an anchor; there is no #a/,
    ],
    ['a reference to nothing', { $ref: '#/$defs/a' }, /there is no #\/\$defs\/a/],
    [
      'a selector that is none',
      { type: 'string', 'x-selector': 'p[' },
      /"p\[" is not a CSS selector/,
    ],
    [
      'a pseudo-class that is none',
      { 'x-selector': ['a', 'p:no-such'] },
      /"p:no-such" is not a CSS/,
    ],
    ['a selector that is no text', { 'x-selector': 5 }, /expected a CSS selector, or an array/],
    ['an attribute that is no name', { 'x-attribute': 5 }, /x-attribute: expected a name/],
    [
      'a zod schema with a wrong selector',
      z.string().meta({ 'x-selector': '..' }),
      /not a CSS selector/,
    ],
  ])('%s is refused at once', async (_, schema, message) => {
    const error = await refusal(schema);
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toMatch(message);
  });

  test('a Standard Schema without JSON Schema is refused by its name', async () => {
    const schema = { '~standard': { version: 1, vendor: 'tiny', validate: () => ({ value: 1 }) } };
    expect((await refusal(schema)).message).toContain('this tiny schema gives no JSON Schema');
  });

  test('everything that is wrong is listed', async () => {
    const { issues } = await refusal({ properties: { a: { type: 'x' }, b: { type: 'y' } } });
    expect(issues.map(({ path }) => path.join('.'))).toEqual([
      'schema.properties.a.type',
      'schema.properties.b.type',
    ]);
  });

  test('what only compiling shows is refused when data is checked', async () => {
    const schema = await compileSchema({ type: 'number', minimum: 'low' });
    await expect(schema.validate(1)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

test('issues have paths, in zod and in JSON Schema alike', async () => {
  const wrong = { items: [{ price: 'x' }], 'a/b': 1 };
  for (const schema of [
    {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { price: { type: 'number' } } },
        },
        'a/b': { type: 'string' },
        c: {},
      },
      required: ['c'],
    },
    z.object({ items: z.array(z.object({ price: z.number() })), 'a/b': z.string(), c: z.number() }),
  ] as SchemaInput[]) {
    const result = await (await compileSchema(schema)).validate(wrong);
    const paths = 'issues' in result ? result.issues.map(({ path }) => path) : [];
    expect(new Set(paths)).toEqual(new Set([['items', 0, 'price'], ['a/b'], ['c']]));
  }
});

test('validation leaves the value as it was', async () => {
  const schema = await compileSchema({
    type: 'object',
    properties: { a: { type: 'number', default: 1 } },
  });
  const value = {};
  expect(await schema.validate(value)).toEqual({ value: { a: 1 } });
  expect(value).toEqual({});
});
