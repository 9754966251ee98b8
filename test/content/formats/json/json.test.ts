import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod-v3';
import { ExtractError, PagewrightError } from '../../../../src/core/runtime/errors.ts';
import { json, type JsonOptions } from '../../../../src/content/formats/json.ts';
import { runFormat } from '../../../../src/content/formats/run-format.ts';
import type { Page } from '../../../../src/core/model/page.ts';
import { context, htmlPage, textPage } from '../../../support/page.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const parse = (options: Readonly<Record<string, unknown>>): JsonOptions => {
  if (json.parseOptions === undefined) throw new Error('json takes options');
  return json.parseOptions(options);
};

const run = async (page: Page, schema: unknown): Promise<unknown> =>
  runFormat(json, page, parse({ schema }), context);

const failure = async (page: Page, schema: unknown): Promise<ExtractError> => {
  const error: unknown = await run(page, schema).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExtractError);
  return error as ExtractError;
};

const lamp = `<h1>Lamp</h1><dl><dt>Price</dt><dd>£12.50</dd><dt>Stock</dt><dd>in stock</dd></dl>`;

describe('options', () => {
  test('a prompt needs a model, with and without a schema', () => {
    for (const options of [{ prompt: 'the price' }, { prompt: 'the price', schema: z.number() }]) {
      let error: unknown;
      try {
        parse(options);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(PagewrightError);
      expect(error).toMatchObject({ code: 'MODEL_REQUIRED' });
      expect((error as Error).message).toContain('Without a model, use a schema');
    }
  });

  test('no schema, a wrong schema and unknown options are refused', () => {
    expect(() => parse({})).toThrow('needs a schema');
    expect(() => parse({ schema: { type: 'float' } })).toThrow('type: expected one of');
    expect(() => parse({ schema: {}, scheme: 1 })).toThrow('unknown option "scheme"');
  });

  test('a schema that fails only later rejects the run and nothing else', async () => {
    const { schema } = parse({ schema: z3.string() });
    expect(schema).toBeInstanceOf(Promise);
    await expect(schema).resolves.toMatchObject({ jsonSchema: { type: 'string' } });
  });
});

describe('what is not found', () => {
  test('is absent or null, and listed in one warning', async () => {
    const page = htmlPage(lamp);
    const schema = z.object({
      name: z.string(),
      price: z.number(),
      inStock: z.boolean(),
      color: z.string().optional(),
      weight: z.number().nullable(),
      maker: z.object({ name: z.string() }).optional(),
    });
    expect(await run(page, schema)).toEqual({
      name: 'Lamp',
      price: 12.5,
      inStock: true,
      weight: null,
    });
    expect(page.warnings).toEqual(['json: not found: color, weight, maker.']);
  });

  test('is an error with its path when the schema requires it', async () => {
    const page = htmlPage(lamp);
    const error = await failure(
      page,
      z.object({ price: z.number(), brand: z.string(), rating: z.object({ value: z.number() }) }),
    );
    expect(error.code).toBe('EXTRACT_INVALID');
    expect(error.url).toBe(page.url);
    expect(error.issues.map(({ path }) => path)).toEqual([['brand'], ['rating', 'value']]);
    expect(error.message).toContain('brand: not found on the page; rating.value: not found');
    expect(error.message).toMatch(/selectors .* or use a model/);
  });

  test('is not made up from values that do not fit', async () => {
    const page = htmlPage(
      '<dl><dt>Rating</dt><dd>excellent</dd><dt>Email</dt><dd>ask us</dd></dl>',
    );
    const schema = {
      type: 'object',
      properties: { rating: { type: 'number' }, email: { type: 'string', format: 'email' } },
    };
    expect(await run(page, schema)).toEqual({});
  });

  test('labels that contradict each other are no answer', async () => {
    const page = htmlPage('<p>Price: $5</p><p>Price: $7</p><p>Size: M</p><p>Size: M</p>');
    const schema = {
      type: 'object',
      properties: { price: { type: 'number' }, size: { type: 'string' } },
    };
    expect(await run(page, schema)).toEqual({ size: 'M' });
  });

  test('a selector that fits nothing is not replaced by a guess', async () => {
    const schema = {
      type: 'object',
      properties: { price: { type: 'number', 'x-selector': '.price' }, name: { type: 'string' } },
    };
    expect(await run(htmlPage(lamp), schema)).toEqual({ name: 'Lamp' });
  });

  test('many missing paths are counted, not all named', async () => {
    const page = htmlPage(
      `<table><tr><th>A</th><th>B</th></tr>${'<tr><td>1</td><td></td></tr>'.repeat(100)}</table>`,
    );
    const item = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
    const schema = { type: 'object', properties: { rows: { type: 'array', items: item } } };
    expect(await run(page, schema)).toMatchObject({ rows: { length: 100 } });
    expect(page.warnings[0]).toMatch(/^json: not found: rows\[0\]\.b, .* and 80 more\.$/);
  });
});

describe('pages', () => {
  test('an empty page is an error, not data', async () => {
    const schema = z.object({ name: z.string().optional() });
    expect((await failure(htmlPage('<body><script>1</script></body>'), schema)).message).toContain(
      'is empty',
    );
    expect((await failure(textPage(''), schema)).message).toContain('is empty');
  });

  test('a page of text is read by its labels', async () => {
    const page = textPage('', '# Report\n\n- **Author:** Ann Lee\n- Date: 4 March 2026\n');
    const schema = z.object({ author: z.string(), date: z.iso.date() });
    expect(await run(page, schema)).toEqual({ author: 'Ann Lee', date: '2026-03-04' });
  });

  test('extra keys never appear', async () => {
    const page = htmlPage(`<script type="application/ld+json">
      {"@type":"Product","name":"A","brand":{"name":"B","slogan":"C"},"constructor":"D","__proto__":{"price":1}}</script>`);
    const brand = { type: 'object', properties: { name: { type: 'string' } } };
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        brand,
        price: { type: 'number' },
        toString: { type: 'string' },
      },
    };
    expect(await run(page, schema)).toEqual({ name: 'A', brand: { name: 'B' } });
  });

  test('open objects take the rows of a specification', async () => {
    const page = htmlPage(`<h2>Technical data</h2><table><tr><th>Weight</th><td>2 kg</td></tr>
      <tr><th>__proto__</th><td>x</td></tr><tr><th>Colour</th><td>red</td></tr>
      <tr><th>Width</th><td>4 cm</td></tr><tr><th>Height</th><td>5 cm</td></tr></table>`);
    const data = { Weight: '2 kg', Colour: 'red', Width: '4 cm', Height: '5 cm' };
    expect(await run(page, z.object({ specifications: z.record(z.string(), z.string()) }))).toEqual(
      { specifications: data },
    );
    const selected = {
      type: 'object',
      'x-selector': 'table',
      additionalProperties: { type: 'string' },
    };
    expect(await run(page, { type: 'object', properties: { all: selected } })).toEqual({
      all: data,
    });
  });

  test('of several products the one that the page is titled by is the subject, else none', async () => {
    const product = (name: string): string =>
      `<script type="application/ld+json">{"@type":"Product","name":"${name}","sku":"${name}"}</script>`;
    const all = product('Ant') + product('Bee') + product('Cat');
    const schema = { type: 'object', properties: { sku: { type: 'string' } } };
    expect(await run(htmlPage(`${all}<h1>Bee</h1>`), schema)).toEqual({ sku: 'Bee' });
    expect(await run(htmlPage(`${all}<h1>All animals</h1>`), schema)).toEqual({});
  });

  test('references of JSON-LD that go round in circles end', async () => {
    const page = htmlPage(`<script type="application/ld+json">{"@graph":[
      {"@id":"#a","@type":"Person","name":"A","knows":{"@id":"#b"}},
      {"@id":"#b","@type":"Person","name":"B","knows":{"@id":"#a"}}]}</script>`);
    const schema = {
      $defs: {
        person: {
          type: 'object',
          properties: { name: { type: 'string' }, knows: { $ref: '#/$defs/person' } },
        },
      },
      type: 'object',
      properties: { person: { $ref: '#/$defs/person' } },
    };
    const value = (await run(page, schema)) as { person: { knows: { knows: { name: string } } } };
    expect(value.person.knows.knows.name).toBe('A');
  });

  test('large pages take no more than their size', async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, i) => `<tr><td>Name ${i}</td><td>${i}</td></tr>`,
    ).join('');
    const lines = Array.from({ length: 20_000 }, (_, i) => `<p>Label ${i}: value ${i}</p>`).join(
      '',
    );
    const items = Array.from(
      { length: 5000 },
      (_, i) => `<div class="c"><b>n${i}</b><i>${i}</i></div>`,
    ).join('');
    const page = htmlPage(
      `<table><tr><th>Name</th><th>Count</th></tr>${rows}</table>${lines}${items}`,
    );
    const plain = { name: { type: 'string' }, count: { type: 'number' } };
    const schema = {
      type: 'object',
      properties: {
        people: { type: 'array', items: { type: 'object', properties: plain } },
        cards: {
          type: 'array',
          'x-selector': '.c',
          items: {
            type: 'object',
            properties: {
              b: { type: 'string', 'x-selector': 'b' },
              i: { type: 'number', 'x-selector': 'i' },
            },
          },
        },
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, i) => [
            `missing${i}`,
            { type: 'string', description: `The missing thing ${i}` },
          ]),
        ),
      },
    };
    const start = cpuTime();
    expect(await run(page, schema)).toMatchObject({
      people: { length: 5000 },
      cards: { length: 5000 },
    });
    expect(cpuTime() - start).toBeLessThan(8000);
  });

  test('meta tags are asked by trust, and what does not fit is passed over', async () => {
    const page = htmlPage(`<meta name="author" content="Ann Lee">
      <meta property="article:author" content="https://social.test/ann">
      <meta name="twitter:label1" content="Reading time"><meta name="twitter:data1" content="7 minutes">
      <meta property="og:image" content="/a.png"><meta name="twitter:image" content="/b.png"><p>text</p>`);
    const schema = z.object({
      author: z.string(),
      readingTime: z.number(),
      images: z.array(z.url()),
    });
    expect(await run(page, schema)).toEqual({
      author: 'Ann Lee',
      readingTime: 7,
      images: ['http://example.test/a.png'],
    });
  });

  test('a recursive schema on a page made for it ends', async () => {
    const depth = 28;
    const page = htmlPage('<div class="c"><b>x</b>'.repeat(depth) + '</div>'.repeat(depth));
    const schema = {
      $defs: {
        comment: {
          type: 'object',
          properties: {
            text: { type: 'string', 'x-selector': 'b' },
            replies: { type: 'array', 'x-selector': '.c', items: { $ref: '#/$defs/comment' } },
          },
        },
      },
      $ref: '#/$defs/comment',
    };
    const start = cpuTime();
    await run(page, schema);
    expect(cpuTime() - start).toBeLessThan(20_000);
  });
});

describe('cards with a name and a price', () => {
  const card = (name: string, price: number): string =>
    `<div class="card"><h2><a href="/${name}">${name}</a></h2><p>€ ${price}.00</p></div>`;
  const cards = `<main><h1>Lamps</h1>${card('Tern', 39)}${card('Skell', 64)}</main>`;
  const item = z.object({ name: z.string(), price: z.number() });
  const lamps = [
    { name: 'Tern', price: 39 },
    { name: 'Skell', price: 64 },
  ];

  test.each([
    ['products', z.object({ products: z.array(item) }), { products: lamps }],
    ['items', z.object({ items: z.array(item) }), { items: lamps }],
    ['the page itself', z.array(item), lamps],
  ])('are the list of %s', async (_, schema, expected) => {
    expect(await run(htmlPage(cards), schema)).toEqual(expected);
  });

  test('are no list of people', async () => {
    const schema = z.object({ people: z.array(item) });
    await expect(run(htmlPage(cards), schema)).rejects.toThrow(': not found');
  });

  test('beside the subject of a page are no list of products', async () => {
    const about = 'A lamp of brass for desks of all kinds, with a cable. '.repeat(20);
    const others = `<section><h2>You may also like</h2>${card('Tern', 39)}${card('Skell', 64)}</section>`;
    const page = `<main><h1>Desk lamp</h1><p>${about}</p><p>€ 49.00</p>${others}</main>`;
    const schema = z.object({ products: z.array(item) });
    await expect(run(htmlPage(page), schema)).rejects.toThrow(': not found');
  });
});
