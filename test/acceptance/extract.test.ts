import { readFileSync } from 'node:fs';
import { type Client, createClient, ExtractError, ValidationError } from 'pagewright';
import { fakeClock, type FixtureServer, serve } from 'pagewright/testing';
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

  it.each([404, 410, 500, 503])(
    'takes nothing from a page that answers %i, whatever is on it',
    async (status) => {
      const body = '<script type="application/ld+json">{"@type":"Product","name":"Gone"}</script>';
      await using server = await serve({ '/': { status, body } });
      const job = client.extract({
        urls: [server.url('/')],
        schema: z.object({ name: z.string() }),
        scrapeOptions: { retries: 0, proxy: 'basic' },
      });
      await expect(job).rejects.toMatchObject({
        code: 'HTTP_STATUS',
        statusCode: status,
        url: server.url('/'),
      });
    },
  );

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

describe('extract 7: pages of different things', () => {
  const product = (facts: object): string =>
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', ...facts })}</script>`;
  const schema = z.object({
    name: z.string(),
    price: z.number(),
    brand: z.string().optional(),
    sku: z.string().optional(),
  });

  it('are never put together; the page that says most wins, and the others are told', async () => {
    await using server = await serve({
      '/lamp': product({ name: 'Lamp', offers: { price: 10 } }),
      '/table': product({ name: 'Table', offers: { price: 20 }, brand: 'Oakwood' }),
      '/chair': product({ name: 'Chair', sku: 'C1', brand: 'Oakwood' }),
    });
    const urls = ['/lamp', '/table', '/chair'].map((path) => server.url(path));
    const [lamp = '', table = '', chair = ''] = urls;
    for (const maxConcurrency of [1, 3]) {
      const result = await client.extract({ urls, schema, maxConcurrency });
      expect(result.data).toEqual({ name: 'Table', price: 20, brand: 'Oakwood' });
      expect(result.sources).toEqual({ name: [table], price: [table], brand: [table] });
      expect(result.pages.map(({ isUsed }) => isUsed)).toEqual([false, true, false]);
      expect(result.conflicts).toEqual([
        {
          path: 'name',
          values: [
            { value: 'Table', url: table },
            { value: 'Lamp', url: lamp },
            { value: 'Chair', url: chair },
          ],
        },
        {
          path: 'price',
          values: [
            { value: 20, url: table },
            { value: 10, url: lamp },
          ],
        },
      ]);
      // The chair has no price, so that it does not fit.
      expectTypeOf(result.candidates?.[0]?.data).toEqualTypeOf<
        z.infer<typeof schema> | undefined
      >();
      expect(result.candidates).toEqual([
        { data: result.data, urls: [table] },
        { data: { name: 'Lamp', price: 10 }, urls: [lamp] },
      ]);
      expect(result.warning).toContain(`the data is of ${table}`);
    }
  });

  it('are taken as those that fit the schema, though one that does not says more', async () => {
    await using server = await serve({
      '/chair': product({ name: 'Chair', sku: 'C1', brand: 'Oakwood' }),
      '/lamp': product({ name: 'Lamp', offers: { price: 10 } }),
    });
    const urls = [server.url('/chair'), server.url('/lamp')];
    const { data, candidates } = await client.extract({ urls, schema });
    expect(data).toEqual({ name: 'Lamp', price: 10 });
    expect(candidates).toEqual([{ data, urls: [urls[1]] }]);
  });

  it('are one thing where nothing contradicts, and then there are no candidates', async () => {
    await using server = await serve({
      '/a': product({ name: 'Lamp' }),
      '/b': product({ name: 'Lamp', offers: { price: 10 } }),
    });
    const result = await client.extract({ urls: [server.url('/a'), server.url('/b')], schema });
    expect(result.data).toEqual({ name: 'Lamp', price: 10 });
    expect(result).not.toHaveProperty('candidates');
    expect(result.warning).toBeUndefined();
    expect(result.pages.map(({ isUsed }) => isUsed)).toEqual([true, true]);
  });

  it('give an error where none of them fits', async () => {
    await using server = await serve({
      '/a': product({ name: 'Lamp' }),
      '/b': product({ name: 'Table', brand: 'Oakwood' }),
    });
    const urls = [server.url('/a'), server.url('/b')];
    await expect(client.extract({ urls, schema })).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      issues: [{ path: ['price'] }],
    });
  });
});

describe('extract says how old its pages are', () => {
  it('a stored copy says from when it is', async () => {
    const clock = fakeClock();
    const page = '<script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script>';
    await using local = createClient({
      clock,
      engines: [memoryWeb({ 'http://shop.test/lamp': page, 'http://shop.test/other': page })],
    });
    const options = { schema: z.object({ name: z.string() }) };
    const before = new Date(clock.now()).toISOString();
    const [lamp, other] = ['http://shop.test/lamp', 'http://shop.test/other'];
    const first = await local.extract({ ...options, urls: [lamp] });
    expect(first.pages).toMatchObject([{ url: lamp, cacheState: 'miss', isUsed: true }]);
    clock.advance(3_600_000);
    const job = local.extract({ ...options, urls: [lamp, other] });
    const { pages } = await job;
    expect(pages).toMatchObject([
      { url: lamp, cacheState: 'hit', cachedAt: before },
      { url: other, cacheState: 'miss' },
    ]);
    expect(job.status().pages).toEqual(pages);
  });

  it('says nothing of a copy where there is no cache', async () => {
    await using local = createClient({
      cache: false,
      engines: [memoryWeb({ 'http://shop.test/': '<h1>Lamp</h1>' })],
    });
    const schema = { properties: { name: { type: 'string', 'x-selector': 'h1' } } } as const;
    const { pages } = await local.extract({ urls: ['http://shop.test/'], schema });
    expect(pages).toEqual([{ url: 'http://shop.test/', isUsed: true }]);
  });
});

describe('an extraction of a client', () => {
  const schema = {
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' }, 'x-selector': 'h1' } },
    required: ['names'],
  } as const;

  it('is found by its id beside crawls, with its data so far while it runs, and after', async () => {
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (release = resolve));
    await using server = await serve(
      { '/a': '<h1>A</h1>', '/b': '<h1>B</h1>', '/gone': { status: 404, body: '' } },
      {
        behaviours: {
          '/b': async ({ response }) => {
            await isHeld;
            response.setHeader('content-type', 'text/html').end('<h1>B</h1>');
          },
        },
      },
    );
    const clock = fakeClock();
    await using local = createClient({
      clock,
      jobRetention: 60_000,
      network: { allow: ['127.0.0.1'] },
    });
    const [a = '', gone = '', b = ''] = ['/a', '/gone', '/b'].map((path) => server.url(path));
    const job = local.extract({ urls: [a, 'nonsense://', gone, b], schema });
    expect(local.jobs.get(job.id)).toBe(job);
    expect(await local.jobs.list()).toMatchObject([
      { id: job.id, verb: 'extract', status: 'processing', isRunning: true },
    ]);
    expect(job.status()).toMatchObject({
      status: 'processing',
      success: true,
      pages: [],
      errors: [],
      creditsUsed: 0,
    });
    expect(job.status()).not.toHaveProperty('data');

    await expect.poll(() => job.status().errors.length).toBe(1);
    expect(job.status()).toMatchObject({
      status: 'processing',
      data: { names: ['A'] },
      pages: [{ url: a, isUsed: true }],
      errors: [{ url: gone, code: 'HTTP_STATUS', statusCode: 404 }],
      creditsUsed: 1,
    });
    expect(job.progress).not.toHaveProperty('data');
    expect(Date.parse(job.status().expiresAt)).toBe(clock.now() + 60_000);
    release();
    const { data, invalidURLs } = await job;
    expect(data).toEqual({ names: ['A', 'B'] });
    expect([invalidURLs, job.invalidURLs]).toEqual([['nonsense://'], ['nonsense://']]);
    const found = local.jobs.get(job.id);
    expect(found).toBe(job);
    const { completedAt = '', expiresAt, ...status } = job.status();
    expect(status).toMatchObject({ status: 'completed', data, creditsUsed: 2 });
    expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(60_000);
    expect(() => local.jobs.resume(job.id)).toThrow(/is not resumed/);

    clock.advance(61_000);
    const isExpired = expect.objectContaining({ code: 'JOB_EXPIRED' }) as Error;
    expect(() => job.status()).toThrow(isExpired);
    await expect(job).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
    expect(await local.jobs.list()).toEqual([]);
    expect(() => local.jobs.get(job.id)).toThrow(isExpired);
  });
});

describe('ignoreInvalidURLs', () => {
  const schema = z.object({ name: z.string() });

  it('leaves out entries that are not URLs, and lists them', async () => {
    const result = await client.extract({ urls: ['http://', tent(), 'ftp://site.test/'], schema });
    expect(result.invalidURLs).toEqual(['http://', 'ftp://site.test/']);
    expect(result.errors).toEqual([]);
    expect(result.data.name).not.toBe('');
    expect((await client.extract({ urls: [tent()], schema })).invalidURLs).toEqual([]);
  });

  it.each([
    [['http://', 'http://site.test/', 'ftp://site.test/'], false, [0, 2]],
    [['http://', 'ftp://site.test/'], true, [0, 1]],
    [['http://', 'ftp://site.test/'], undefined, [0, 1]],
  ])('refuses %j with %s at once, and names each', (urls, ignoreInvalidURLs, wrong) => {
    const extract = (): unknown => client.extract({ urls, schema, ignoreInvalidURLs });
    const issues = wrong.map((index) => expect.objectContaining({ path: ['urls', index] }));
    expect(extract).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', issues }) as ValidationError,
    );
  });
});

describe('extract refuses at once', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, 'schema'],
    [{ schema: z.object({}) }, 'urls'],
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
