/** Learned recipes end to end: one call for a template, one more when its names change. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, fileStore, type RecipeReport } from 'pagewright';
import { type FixtureServer, type ScriptedModel, scriptedModel, serve } from 'pagewright/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  firstNames,
  goldOf,
  listPage,
  type Names,
  newNames,
  productPage,
  shopAnswer,
} from '../support/recipe-shop.ts';

const schema = z.object({
  name: z.string(),
  price: z.number(),
  brand: z.string(),
  sku: z.string(),
  discount: z.number().nullable(),
});

const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
const gold = numbers.map((number) => {
  const { url: _, ...rest } = goldOf(number);
  return rest;
});

const open: FixtureServer[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((site) => site.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** The names are looked up at each request: a site that changes. */
async function shop(style: { names: Names }, more = ''): Promise<FixtureServer> {
  const site = await serve({
    '/': listPage(numbers),
    ...Object.fromEntries(
      numbers.map((number) => [
        `/lamps/${number}`,
        () => ({
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: productPage(number, style.names, more),
        }),
      ]),
    ),
  });
  open.push(site);
  return site;
}

function shopModel(): ScriptedModel {
  return scriptedModel((request) => shopAnswer(request));
}

function clientWith(model: ScriptedModel, options: object = {}): Client {
  return createClient({ model, network: { allow: ['127.0.0.1'] }, ...options });
}

/** Every page has all of it, or nothing. */
const lenient = z.object({
  name: z.string().nullable(),
  price: z.number().nullable(),
  brand: z.string().nullable(),
  sku: z.string().nullable(),
  discount: z.number().nullable(),
});

const format = { type: 'json', schema, recipe: 'learn' } as const;

async function scrapeAll(
  client: Client,
  site: FixtureServer,
): Promise<{ rows: unknown[]; reports: RecipeReport[] }> {
  const job = client.batchScrape(
    numbers.map((number) => site.url(`/lamps/${number}`)),
    { formats: [format], maxConcurrency: 16, maxAge: 0 },
  );
  const { data } = await job;
  expect(job.errors()).toEqual([]);
  return {
    rows: data.map(({ json }) => json),
    reports: data.flatMap(({ jsonRecipe }) => jsonRecipe ?? []),
  };
}

describe('learned recipes', { timeout: 120_000 }, () => {
  it('read 100 pages of one template for at most two calls, all leaves equal to gold', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    const site = await shop({ names: firstNames });
    const { rows, reports } = await scrapeAll(client, site);
    expect(rows).toEqual(gold);
    expect(model.requests.length).toBeLessThanOrEqual(2);
    expect(reports).toHaveLength(100);
    expect(reports.filter(({ outcome }) => outcome === 'learned')).toHaveLength(1);
  });

  it('do so in a crawl, with the page that lists them, which is of another template', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    const site = await shop({ names: firstNames });
    const job = client.crawl(site.url('/'), {
      maxConcurrency: 12,
      excludePaths: ['/brands/'],
      limit: 200,
      scrapeOptions: { formats: [{ ...format, schema: lenient }] },
    });
    const { data } = await job;
    expect(job.errors()).toEqual([]);
    const rows = new Map(data.map(({ json, metadata }) => [metadata.sourceURL, json]));
    expect(numbers.map((number) => rows.get(site.url(`/lamps/${number}`)))).toEqual(gold);
    expect(rows.get(site.url('/'))).toEqual({
      name: null,
      price: null,
      brand: null,
      sku: null,
      discount: null,
    });
    // Two for the template, and one for the list, which has nothing of it.
    expect(model.requests.length).toBeLessThanOrEqual(3);
    const list = data.find(({ metadata }) => metadata.sourceURL === site.url('/'));
    expect(list?.jsonRecipe).toMatchObject({ outcome: 'notLearned', calls: 1 });
  });

  it('are healed by one call after all classes were renamed', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    const style = { names: firstNames };
    const site = await shop(style);
    await scrapeAll(client, site);
    const before = model.requests.length;
    style.names = newNames;
    const urls = numbers
      .filter((number) => number % 3 === 0)
      .map((number) => site.url(`/lamps/${number}`));
    const { data } = await client.batchScrape(urls, {
      formats: [format],
      maxConcurrency: 16,
      maxAge: 0,
    });
    expect(data.map(({ json }) => json)).toEqual(gold.filter((_, index) => (index + 1) % 3 === 0));
    expect(model.requests.length - before).toBe(1);
    const [healed, ...others] = data.flatMap(({ jsonRecipe, warning }) =>
      jsonRecipe?.outcome === 'applied' ? [] : [{ ...jsonRecipe, warning }],
    );
    expect(others).toEqual([]);
    expect(healed).toMatchObject({
      outcome: 'healed',
      calls: 1,
      changes: expect.arrayContaining([
        { path: 'price', before: ['span.price-now'], after: ['span.pdp__amount'] },
      ]) as unknown,
    });
    expect(healed?.warning).toContain('price: span.price-now → span.pdp__amount');
  });

  it('are healed by one call after one class was renamed, of a value that may be missing', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    const style: { names: Names } = { names: firstNames };
    const site = await shop(style);
    await scrapeAll(client, site);
    const before = model.requests.length;
    style.names = { ...firstNames, old: 'strike' };
    const { rows, reports } = await scrapeAll(client, site);
    expect(rows).toEqual(gold);
    expect(model.requests.length - before).toBe(1);
    expect(reports.filter(({ outcome }) => outcome !== 'applied')).toMatchObject([
      { outcome: 'healed', changes: [{ path: 'discount', after: ['s.strike', 's.price-was'] }] },
    ]);
  });

  it('are not tried on an empty page, which fails', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    await using site = await serve({ '/': '<title>Lamps</title><div id="root"></div>' });
    const schema = z.object({ name: z.string() });
    const extraction = client.extract({ urls: [site.url('/')], schema, recipe: 'learn' });
    await expect(extraction).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      message: `${site.url('/')} is empty: there is nothing to extract.`,
    });
    expect(model.requests).toEqual([]);
  });

  it('work in extract() over many pages, and are told in its result', async () => {
    const model = shopModel();
    await using client = clientWith(model);
    const site = await shop({ names: firstNames });
    const urls = numbers.slice(0, 30).map((number) => site.url(`/lamps/${number}`));
    const { data, recipes, errors, creditsUsed } = await client.extract({
      urls,
      schema: z.object({ name: z.string(), price: z.number(), sku: z.string() }),
      recipe: 'learn',
      maxConcurrency: 16,
    });
    expect(errors).toEqual([]);
    expect(model.requests).toHaveLength(1);
    // Of the 30 pages one asked the model.
    expect(creditsUsed).toBe(30 + 4);
    expect(data.name).toBe(goldOf(1).name);
    expect(recipes?.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array.from({ length: 29 }, () => 'applied'),
      'learned',
    ]);
    expect(recipes?.map(({ url }) => url)).toEqual(urls);
  });

  it('outlast the client in its storage, where a client without a model uses them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pagewright-recipes-'));
    folders.push(folder);
    const site = await shop({ names: firstNames });
    const scrapeOne = (client: Client, number: number, recipe: 'learn' | 'use') =>
      client.scrape(site.url(`/lamps/${number}`), { formats: [{ type: 'json', schema, recipe }] });
    const model = shopModel();
    {
      await using client = clientWith(model, { storage: fileStore(folder) });
      expect((await scrapeOne(client, 3, 'learn')).json).toEqual(gold[2]);
    }
    {
      await using client = clientWith(model, { storage: fileStore(folder) });
      expect((await scrapeOne(client, 6, 'learn')).json).toEqual(gold[5]);
    }
    expect(model.requests).toHaveLength(1);
    await using plain = createClient({
      network: { allow: ['127.0.0.1'] },
      storage: fileStore(folder),
    });
    const { json, jsonRecipe } = await scrapeOne(plain, 9, 'use');
    expect(json).toEqual(gold[8]);
    expect(jsonRecipe).toMatchObject({ outcome: 'applied', calls: 0 });
    const [recipe] = await plain.recipes.list(site.url('/'));
    expect(await plain.recipes.list('https://other.test/')).toEqual([]);
    expect(await plain.recipes.remove(recipe?.id ?? '')).toBe(true);
    expect(await plain.recipes.remove(recipe?.id ?? '')).toBe(false);
    await expect(scrapeOne(plain, 9, 'use')).rejects.toMatchObject({ code: 'EXTRACT_INVALID' });
  });

  it('are plain JSON, which a client without a model and storage takes', async () => {
    const site = await shop({ names: firstNames });
    const url = site.url('/lamps/3');
    await using teacher = clientWith(shopModel());
    await teacher.scrape(url, { formats: [format] });
    const exported = JSON.stringify(await teacher.recipes.list());
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const recipe = JSON.parse(exported) as Awaited<ReturnType<Client['recipes']['list']>>;
    const { json } = await client.scrape(site.url('/lamps/12'), {
      formats: [{ type: 'json', schema, recipe }],
    });
    expect(json).toEqual(gold[11]);
    // Its schema is one of our selector schemas, and works by itself.
    const [first] = recipe;
    const bare = await client.scrape(site.url('/lamps/12'), {
      formats: [{ type: 'json', schema: first?.schema ?? {} }],
    });
    expect(bare.json).toEqual(gold[11]);
  });
});
