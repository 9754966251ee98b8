import { readFileSync } from 'node:fs';
import { type Client, createClient, ExtractError, ValidationError } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod-v3';
import { memoryWeb } from '../support/memory-web.ts';

interface ProductFacts {
  readonly path: string;
  readonly name: string;
  readonly sku: string;
  readonly brand: string;
  readonly price: number;
  readonly currency: string;
  readonly source: 'json-ld' | 'microdata' | 'rdfa' | 'opengraph';
}

const { facts } = JSON.parse(
  readFileSync(new URL('../../fixtures/sites/shop/site.json', import.meta.url), 'utf8'),
) as {
  facts: { products: ProductFacts[]; priceMismatch: { path: string }[]; invalidJsonLd?: unknown };
};

let client: Client;
let shop: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] } });
  shop = await serve('fixtures/sites/shop');
});

afterAll(async () => {
  await client.close();
  await shop.close();
});

const tent = (): string =>
  shop.url(facts.products.find(({ source }) => source === 'json-ld')?.path ?? '');

describe('extract 1: one result for every kind of schema', () => {
  const jsonSchema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      price: { type: 'number' },
      currency: { type: 'string' },
      sku: { type: 'string' },
    },
    required: ['name', 'price'],
    additionalProperties: false,
  } as const;
  const four = z.object({
    name: z.string(),
    price: z.number(),
    currency: z.string().optional(),
    sku: z.string().optional(),
  });
  const three = z3.object({
    name: z3.string(),
    price: z3.number(),
    currency: z3.string().optional(),
    sku: z3.string().optional(),
  });

  it('is the same for zod 3, zod 4 and JSON Schema, typed without a cast', async () => {
    const urls = [tent()];
    const byFour = await client.extract({ urls, schema: four });
    const byThree = await client.extract({ urls, schema: three });
    const byJson = await client.extract({ urls, schema: jsonSchema });
    expectTypeOf(byFour.data.price).toEqualTypeOf<number>();
    expectTypeOf(byThree.data.sku).toEqualTypeOf<string | undefined>();
    expectTypeOf(byJson.data.name).toEqualTypeOf<string>();
    const product = facts.products.find(({ source }) => source === 'json-ld');
    expect(byFour.data).toEqual({
      name: product?.name,
      price: product?.price,
      currency: product?.currency,
      sku: product?.sku,
    });
    expect(byThree.data).toEqual(byFour.data);
    expect(byJson.data).toEqual(byFour.data);
    expect(byFour).toMatchObject({ success: true, status: 'completed', errors: [], conflicts: [] });
  });

  it('is the same as the json format of scrape', async () => {
    const page = await client.scrape(tent(), { formats: [{ type: 'json', schema: four }] });
    expectTypeOf(page.json.price).toEqualTypeOf<number>();
    expect(page.json).toEqual((await client.extract({ urls: [tent()], schema: four })).data);
  });
});

describe('extract 2: gold data without a model, whatever the markup', () => {
  const schema = z.object({
    name: z.string(),
    price: z.number(),
    currency: z.string(),
  });
  const mismatched = new Set(
    facts.priceMismatch.map((one) => (typeof one === 'string' ? one : one.path)),
  );

  it.each(
    facts.products
      .filter(({ path }) => !mismatched.has(path))
      .map((product) => [product.path, product] as const),
  )('%s', async (path, product) => {
    const { data } = await client.extract({ urls: [shop.url(path)], schema });
    expect(data).toEqual({ name: product.name, price: product.price, currency: product.currency });
  });

  it('reads what selectors say, nested and in lists', async () => {
    const web = memoryWeb({
      'http://site.test/': `<ul class="people"><li><b>Ada</b> <span class="n">36</span></li><li><b>Alan</b> <span class="n">41</span></li></ul><a id="next" href="/2">next</a>`,
    });
    await using local = createClient({ engines: [web] });
    const { data } = await local.extract({
      urls: ['http://site.test/'],
      schema: {
        type: 'object',
        properties: {
          people: {
            type: 'array',
            'x-selector': '.people li',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string', 'x-selector': 'b' },
                age: { type: 'integer', 'x-selector': '.n' },
              },
            },
          },
          next: { type: 'string', format: 'uri', 'x-selector': '#next', 'x-attribute': 'href' },
        },
      } as const,
    });
    expect(data).toEqual({
      people: [
        { name: 'Ada', age: 36 },
        { name: 'Alan', age: 41 },
      ],
      next: 'http://site.test/2',
    });
  });
});

describe('extract 6 and 7: absent stays absent, failures are told', () => {
  it('leaves out what is not there and lists it', async () => {
    const schema = z.object({ name: z.string(), warrantyYearsInSpace: z.number().optional() });
    const result = await client.extract({ urls: [tent()], schema });
    expect(result.data).not.toHaveProperty('warrantyYearsInSpace');
    expect(result.notFound).toEqual(['warrantyYearsInSpace']);
  });

  it('is an error with the paths when a required value is missing, or everything', async () => {
    await using server = await serve({
      '/': '<p>Nothing of interest.</p>',
      '/half': '<h1>x</h1><dl><dt>Colour</dt><dd>red</dd></dl>',
    });
    const schema = z.object({ colour: z.string(), weight: z.number() });
    await expect(client.extract({ urls: [server.url('/')], schema })).rejects.toThrow(ExtractError);
    await expect(client.extract({ urls: [server.url('/half')], schema })).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      issues: [{ path: ['weight'] }],
    });
  });

  it('gives the data of the other pages with the errors of those that failed', async () => {
    const schema = z.object({ name: z.string() });
    const result = await client.extract({
      urls: [tent(), shop.url('/products/nothing-here.html')],
      schema,
    });
    expect(result.data.name).not.toBe('');
    expect(result.errors).toMatchObject([{ url: shop.url('/products/nothing-here.html') }]);
  });

  it('lists what pages disagree about, with both sources', async () => {
    const page = (price: number): string =>
      `<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":${price}}}</script>`;
    await using server = await serve({ '/a': page(10), '/b': page(12) });
    const { data, conflicts } = await client.extract({
      urls: [server.url('/a'), server.url('/b')],
      schema: z.object({ name: z.string(), price: z.number() }),
    });
    expect(data.price).toBe(10);
    expect(conflicts).toEqual([
      {
        path: 'price',
        values: [
          { value: 10, url: server.url('/a') },
          { value: 12, url: server.url('/b') },
        ],
      },
    ]);
  });

  it('takes the pages below a URL that ends in /*', async () => {
    const { data } = await client.extract({
      urls: [shop.url('/products/*')],
      schema: z.object({
        products: z.array(z.object({ name: z.string(), sku: z.string().optional() })),
      }),
      limit: 100,
    });
    expect(data.products.length).toBeGreaterThanOrEqual(20);
  });
});

describe('extract refuses at once', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, 'urls'],
    [{ urls: [], schema: z.object({}) }, 'urls'],
    [{ urls: ['http://site.test'], schema: 'x' }, 'schema'],
    [{ urls: ['http://site.test'], shcema: {} }, 'did you mean "schema"?'],
    [
      { urls: ['http://site.test'], schema: {}, scrapeOptions: { formats: ['html'] } },
      'scrapeOptions.formats',
    ],
  ])('%o', (options, message) => {
    expect(() => client.extract(options as never)).toThrow(ValidationError);
    expect(() => client.extract(options as never)).toThrow(message);
  });

  it('a prompt, which needs a model', () => {
    const options = { urls: ['http://site.test'], schema: z.object({}), prompt: 'the price' };
    expect(() => client.extract(options)).toThrow(
      expect.objectContaining({ code: 'MODEL_REQUIRED' }) as Error,
    );
  });

  it('stops when cancelled', async () => {
    const job = client.extract({ urls: [tent()], schema: z.object({ name: z.string() }) });
    job.cancel();
    await expect(job).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(job.status().status).toBe('cancelled');
  });
});

describe('extract 5: where each value comes from', () => {
  const lamp = (price: number): string =>
    `<html lang="en"><main><h1>Oak lamp</h1><p>A lamp of solid oak, made by hand, for desks and shelves.</p><table><tr><th>Price</th><td>${price} €</td></tr><tr><th>Height</th><td>40 cm</td></tr></table></main></html>`;
  const shelf = `<html lang="en"><main><h1>Shelf</h1><p>Of pine. It carries up to eighty books of any size.</p><table><tr><th>Name</th><th>Price</th></tr><tr><td>Small shelf</td><td>90 €</td></tr><tr><td>Large shelf</td><td>120 €</td></tr></table></main></html>`;

  it('gives URL, quote and offsets that check for each leaf of several pages', async () => {
    await using server = await serve({ '/lamp': lamp(12), '/shelf': shelf });
    const urls = [server.url('/lamp'), server.url('/shelf')];
    const result = await client.extract({
      urls,
      schema: z.object({
        height: z.string().optional(),
        products: z.array(z.object({ name: z.string(), price: z.number() })).optional(),
      }),
      provenance: true,
    });
    expectTypeOf(result.provenance['height']?.quote).toEqualTypeOf<string | null | undefined>();
    const { data, provenance, sources } = result;
    expect(data.products).toEqual([
      { name: 'Small shelf', price: 90 },
      { name: 'Large shelf', price: 120 },
    ]);
    expect(Object.keys(provenance).sort()).toEqual(Object.keys(sources).sort());
    for (const [path, leaf] of Object.entries(provenance)) {
      expect([path, leaf.status, leaf.source]).toEqual([path, 'supported', 'table']);
      expect(sources[path]).toContain(leaf.url);
      const { markdown } = await client.scrape(leaf.url, { formats: ['markdown'] });
      expect(markdown.slice(leaf.start ?? 0, leaf.end ?? 0)).toBe(leaf.quote);
    }
    expect(provenance['products[1].price']).toMatchObject({ url: urls[1], quote: '120 €' });
  });

  it('has no such field when it was not asked for', async () => {
    await using server = await serve({ '/lamp': lamp(12) });
    const result = await client.extract({
      urls: [server.url('/lamp')],
      schema: z.object({ price: z.number() }),
      unverified: 'refuse',
    });
    expectTypeOf(result).not.toHaveProperty('provenance');
    expect(result).not.toHaveProperty('provenance');
    expect(result.data).toEqual({ price: 12 });
  });

  it('refuses other choices by their name', () => {
    const options = { urls: ['http://site.test'], schema: {}, unverified: 'drop' };
    expect(() => client.extract(options as never)).toThrow('unverified');
  });
});
