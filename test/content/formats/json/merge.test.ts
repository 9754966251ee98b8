import { expect, test } from 'vitest';
import type { PageExtraction } from '../../../../src/content/formats/json.ts';
import type { JsonSchema } from '../../../../src/extract/schema/json-schema.ts';
import {
  mergeExtractions,
  type MergedExtraction,
} from '../../../../src/extract/merge-extractions.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const list = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object', properties } } },
});

function merge(values: readonly unknown[], schema: JsonSchema): MergedExtraction {
  const extraction = (value: unknown): PageExtraction => ({ value, notFound: [], sources: {} });
  return mergeExtractions(
    values.map((value, index) => ({ url: `u${index + 1}`, extraction: extraction(value) })),
    schema,
  );
}

const product: JsonSchema = {
  type: 'object',
  properties: { sku: text, name: text, price: number, currency: text },
};

test('pages that do not contradict each other complete each other, in their order', () => {
  const { value, sources, conflicts } = merge(
    [
      { name: null, price: 5, size: { w: 1 } },
      { name: 'A', size: { w: 1, h: 2 } },
      { name: ' a', price: 5, color: 'red' },
    ],
    { type: 'object', properties: { name: text, price: number, color: text } },
  );
  expect(value).toEqual({ name: 'A', price: 5, size: { w: 1, h: 2 }, color: 'red' });
  expect(sources).toEqual({
    name: ['u2'],
    price: ['u1', 'u3'],
    'size.w': ['u1', 'u2'],
    'size.h': ['u2'],
    color: ['u3'],
  });
  expect(conflicts).toEqual([
    {
      path: 'name',
      values: [
        { value: 'A', url: 'u2' },
        { value: ' a', url: 'u3' },
      ],
    },
  ]);
});

test('the name of one page is never put together with the price of another thing', () => {
  const { value, sources, conflicts } = merge(
    [
      { name: 'Lamp', price: null, currency: null },
      { name: 'Table', price: 20, currency: null },
      { name: null, price: 30, currency: 'EUR' },
    ],
    product,
  );
  expect(value).toEqual({ name: 'Table', price: 20, currency: null });
  expect(sources).toEqual({ name: ['u2'], price: ['u2'] });
  expect(conflicts).toEqual([
    {
      path: 'name',
      values: [
        { value: 'Table', url: 'u2' },
        { value: 'Lamp', url: 'u1' },
      ],
    },
    {
      path: 'price',
      values: [
        { value: 20, url: 'u2' },
        { value: 30, url: 'u3' },
      ],
    },
  ]);
});

test('the page that says most wins as a whole, and of two that say as much the first', () => {
  const lamp = { name: 'Lamp', price: 1 };
  const table = { name: 'Table', price: 2 };
  expect(merge([lamp, table], product).value).toEqual(lamp);
  expect(merge([table, lamp], product).value).toEqual(table);
  expect(merge([lamp, { ...table, currency: 'EUR' }], product).value).toEqual({
    ...table,
    currency: 'EUR',
  });
  expect(merge([{ price: 1 }, { price: 2, currency: 'USD' }], product).value).toEqual({
    price: 2,
    currency: 'USD',
  });
});

test('where pages contradict each other, those of the same thing complete each other all the same', () => {
  const { value } = merge(
    [
      { name: 'Table', price: 20 },
      { name: 'Lamp', price: 10 },
      { name: 'lamp ', currency: 'EUR' },
      { currency: 'USD' },
    ],
    product,
  );
  expect(value).toEqual({ name: 'Lamp', price: 10, currency: 'EUR' });
});

test('an id makes one thing of pages that contradict each other; a name does not', () => {
  const [one, other] = [{ price: 10 }, { price: 12, currency: 'EUR' }];
  expect(
    merge(
      [
        { sku: '1', ...one },
        { sku: '1', ...other },
      ],
      product,
    ).value,
  ).toEqual({
    sku: '1',
    price: 10,
    currency: 'EUR',
  });
  const named = merge(
    [
      { name: 'Lamp', ...one },
      { name: 'Lamp', ...other },
    ],
    product,
  );
  expect(named.value).toEqual({ name: 'Lamp', price: 12, currency: 'EUR' });
  expect(named.conflicts).toEqual([
    {
      path: 'price',
      values: [
        { value: 12, url: 'u2' },
        { value: 10, url: 'u1' },
      ],
    },
  ]);
});

test('a thing has the lists of its own pages; lists that belong to nothing named are of all pages', () => {
  const reviews = { type: 'array', items: { type: 'object', properties: { author: text } } };
  const schema: JsonSchema = {
    type: 'object',
    properties: { name: text, count: number, tags: { type: 'array', items: text }, reviews },
  };
  const one = { tags: ['a'], reviews: [{ author: 'Ada' }] };
  const other = { tags: ['b'], reviews: [{ author: 'Alan' }] };
  expect(
    merge(
      [
        { name: 'Lamp', ...one },
        { name: 'Table', ...other },
      ],
      schema,
    ).value,
  ).toEqual({
    name: 'Lamp',
    ...one,
  });
  expect(
    merge(
      [
        { count: 1, ...one },
        { count: 2, ...other },
      ],
      schema,
    ).value,
  ).toEqual({
    count: 1,
    tags: ['a'],
    reviews: [{ author: 'Ada' }, { author: 'Alan' }],
  });
});

test('an object in an object is taken of one page, too', () => {
  const schema: JsonSchema = { type: 'object', properties: { product } };
  const { value } = merge(
    [{ product: { name: 'Lamp', price: null } }, { product: { name: 'Table', price: 20 } }],
    schema,
  );
  expect(value).toEqual({ product: { name: 'Table', price: 20 } });
});

test('records of one name that contradict each other are not put together; the fullest is taken', () => {
  const { value, conflicts } = merge(
    [
      { items: [{ name: 'Lamp', brand: 'X' }] },
      { items: [{ name: 'Lamp', brand: 'Y', price: 3 }] },
    ],
    list({ name: text, brand: text, price: number }),
  );
  expect(value).toEqual({ items: [{ name: 'Lamp', brand: 'Y', price: 3 }] });
  expect(conflicts).toEqual([
    {
      path: 'items[0].brand',
      values: [
        { value: 'Y', url: 'u2' },
        { value: 'X', url: 'u1' },
      ],
    },
  ]);
});

test('records with other ids stay apart, though one without an id has the name of both', () => {
  const { value } = merge(
    [
      { items: [{ name: 'Pot', price: 3 }] },
      { items: [{ id: 1, name: 'Pot' }] },
      { items: [{ id: 2, name: 'Pot' }] },
    ],
    list({ id: number, name: text, price: number }),
  );
  expect(value).toEqual({
    items: [
      { id: 1, name: 'Pot', price: 3 },
      { id: 2, name: 'Pot' },
    ],
  });
});

test('records of several pages are joined by their key, in the order of their first page', () => {
  const { value, conflicts, sources } = merge(
    [
      {
        items: [
          { sku: 'A1', price: 1 },
          { sku: 'B2', price: 2 },
        ],
      },
      { items: [{ sku: 'C3' }, { sku: 'a1 ', stock: 7 }, { sku: 'B2', price: 3 }] },
    ],
    list({ name: text, sku: text, price: number, stock: number }),
  );
  expect(value).toEqual({
    items: [{ sku: 'A1', price: 1, stock: 7 }, { sku: 'B2', price: 2 }, { sku: 'C3' }],
  });
  expect(conflicts.map(({ path }) => path)).toEqual(['items[0].sku', 'items[1].price']);
  expect(sources['items[0].stock']).toEqual(['u2']);
});

test('a surer key that differs keeps records of one name apart; one that is missing does not', () => {
  const schema = list({ id: number, name: text, price: number });
  expect(
    merge([{ items: [{ id: 1, name: 'Pot' }] }, { items: [{ id: 2, name: 'Pot' }] }], schema).value,
  ).toEqual({
    items: [
      { id: 1, name: 'Pot' },
      { id: 2, name: 'Pot' },
    ],
  });
  expect(
    merge([{ items: [{ id: 1, name: 'Pot' }] }, { items: [{ name: 'Pot', price: 3 }] }], schema)
      .value,
  ).toEqual({ items: [{ id: 1, name: 'Pot', price: 3 }] });
});

test('rows of one page stay apart, even when they are alike', () => {
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    name: `Row ${index % 10}`,
    n: index,
  }));
  const { value, conflicts } = merge([{ items: rows }], list({ name: text, n: number }));
  expect(value).toEqual({ items: rows });
  expect(conflicts).toEqual([]);
});

test('records without a key are joined when they are equal', () => {
  const { value } = merge(
    [{ items: [{ x: 1 }, { x: 2 }] }, { items: [{ x: 2 }, { x: 3 }] }],
    list({ x: number }),
  );
  expect(value).toEqual({ items: [{ x: 1 }, { x: 2 }, { x: 3 }] });
});

test('the URL of an image or a word that ends like an id is no key', () => {
  const schema = list({ imageUrl: text, paid: text, valid: text, name: text });
  const { value } = merge(
    [
      { items: [{ imageUrl: '/none.png', paid: 'yes', name: 'A' }] },
      { items: [{ imageUrl: '/none.png', paid: 'yes', name: 'B' }] },
    ],
    schema,
  );
  expect((value as { items: unknown[] }).items).toHaveLength(2);
});

test('lists of plain values are united', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { tags: { type: 'array', items: text } },
  };
  const { value, sources } = merge([{ tags: ['a', 'b'] }, { tags: ['b', 'c'] }, {}], schema);
  expect(value).toEqual({ tags: ['a', 'b', 'c'] });
  expect(sources).toEqual({ 'tags[0]': ['u1'], 'tags[1]': ['u1', 'u2'], 'tags[2]': ['u2'] });
});

test('a list at the root is merged like any other', () => {
  const schema: JsonSchema = {
    type: 'array',
    items: { type: 'object', properties: { url: text } },
  };
  expect(merge([[{ url: '/a' }], [{ url: '/a' }, { url: '/b' }], undefined], schema)).toMatchObject(
    {
      value: [{ url: '/a' }, { url: '/b' }],
      sources: { '[0].url': ['u1', 'u2'], '[1].url': ['u2'] },
    },
  );
});

test('one page comes back as it is, nulls and empty lists included', () => {
  const value = { a: null, b: [], c: { d: null }, e: [{ name: null }] };
  expect(merge([value], { type: 'object' }).value).toEqual(value);
});

test('no page and nothing found give nothing', () => {
  expect(merge([], list({ a: text }))).toEqual({ value: undefined, sources: {}, conflicts: [] });
  expect(merge([{}, {}], list({ a: text })).value).toEqual({});
});

test('ten thousand records of twenty pages are merged in time', () => {
  const page = (offset: number): unknown => ({
    items: Array.from({ length: 500 }, (_, index) => ({ id: index + offset, name: 'same name' })),
  });
  const start = cpuTime();
  const { value } = merge(
    Array.from({ length: 20 }, (_, index) => page(index * 250)),
    list({ id: number, name: text }),
  );
  expect((value as { items: unknown[] }).items).toHaveLength(5250);
  expect(cpuTime() - start).toBeLessThan(3000);
});
