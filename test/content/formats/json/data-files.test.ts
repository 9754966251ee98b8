/** The json format of files that are data themselves: JSON and XML. */
import { type JsonSchema, parse } from 'pagewright';
import { describe, expect, it } from 'vitest';

const rope = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    price: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
  },
} as const;

const read = async (
  body: string,
  contentType: string,
  schema: JsonSchema,
): Promise<{ json?: unknown; warning?: string }> =>
  parse(body, {
    contentType,
    url: 'https://data.example/',
    formats: [{ type: 'json', schema }],
  });
const fromJson = async (body: unknown, schema: JsonSchema): Promise<unknown> =>
  (await read(typeof body === 'string' ? body : JSON.stringify(body), 'application/json', schema))
    .json;
const fromXml = async (body: string, schema: JsonSchema): Promise<unknown> =>
  (await read(body, 'application/xml', schema)).json;

describe('a JSON file', () => {
  const one = { name: 'Rope', price: 3.5, tags: ['a', '-'], more: { deep: [1, null] } };

  it('gives what the schema names, as it stands there', async () => {
    expect(await fromJson(one, rope)).toEqual({ name: 'Rope', price: 3.5, tags: ['a', '-'] });
  });

  it('gives all of it for a schema that asks for nothing', async () => {
    expect(await fromJson(one, {})).toEqual(one);
    expect(await fromJson('[1, "two"]', {})).toEqual([1, 'two']);
  });

  it('is read where the names are, however deep', async () => {
    const list = { meta: { name: 'no' }, data: { results: [{ Name: 'a', PRICE: '3,50' }, one] } };
    const found = [
      { name: 'a', price: 3.5 },
      { name: 'Rope', price: 3.5, tags: ['a', '-'] },
    ];
    expect(await fromJson(list, { type: 'array', items: rope })).toEqual(found);
    const wrapped = {
      type: 'object',
      properties: { results: { type: 'array', items: rope } },
    };
    expect(await fromJson(list, wrapped)).toEqual({ results: found });
    expect(await fromJson(list.data.results, wrapped)).toEqual({ results: found });
  });

  it('gives nothing that it does not say, and says so', async () => {
    const { json, warning } = await read('{"title":"Rope, 3.50"}', 'application/json', rope);
    expect(json).toEqual({});
    expect(warning).toBe('json: not found: name, price, tags.');
  });

  it('has names of prototypes as names', async () => {
    const hostile = '{"__proto__":{"name":"x"},"constructor":1,"price":2}';
    expect(await fromJson(hostile, rope)).toEqual({ price: 2 });
    const asked = { type: 'object', properties: { toString: { type: 'string' } } };
    expect(await fromJson('{"a":1}', asked)).toEqual({});
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });

  it('that is deep and wide ends, for a schema that is recursive', async () => {
    const deep = `${'{"next":'.repeat(3_000)}1${'}'.repeat(3_000)}`;
    const wide = JSON.stringify(Array.from({ length: 20_000 }, () => ({ next: { a: 1 } })));
    const schema = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(await fromJson(deep, schema)).toHaveProperty('next.next.next');
    expect(await fromJson(wide, { type: 'array', items: schema })).toHaveLength(0);
  });
});

describe('an XML file', () => {
  it('gives elements and attributes by their names, repeated ones as lists', async () => {
    const xml =
      '<c:catalog xmlns:c="urn:c"><c:book id="7"><c:name>A &amp; B</c:name><c:price cur="EUR">3.50</c:price><c:tag>x</c:tag></c:book></c:catalog>';
    const book = {
      type: 'object',
      properties: { id: { type: 'integer' }, ...rope.properties },
    };
    const books = { type: 'object', properties: { books: { type: 'array', items: book } } };
    expect(await fromXml(xml, books)).toEqual({
      books: [{ id: 7, name: 'A & B', price: 3.5, tags: ['x'] }],
    });
  });

  it('gives all of it for a schema that asks for nothing', async () => {
    expect(await fromXml('<o id="7"><a>1</a><a>2</a>text<b/><c k="v">t</c></o>', {})).toEqual({
      '@id': '7',
      a: ['1', '2'],
      '#text': 'text',
      b: '',
      c: { '@k': 'v', '#text': 't' },
    });
  });
});
