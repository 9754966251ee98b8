/** An error of the store is never the outcome of a page: the job fails, and is the same once it is resumed. */
import { type Client, createClient, memoryStore, type PlainDocument, type Store } from 'pagewright';
import { scriptedModel } from 'pagewright/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryWeb } from '../support/memory-web.ts';
import { firstNames, listPage, productPage, shopAnswer } from '../support/recipe-shop.ts';

const numbers = [1, 2, 3, 4, 5];
const start = 'http://site.test/';
const pages = numbers.map((number) => `${start}lamps/${number}`);

const shop = (): ReturnType<typeof memoryWeb> =>
  memoryWeb((url) => {
    if (url === start) return listPage(numbers);
    const [, number] = /\/lamps\/(\d)$/.exec(url) ?? [];
    return number === undefined ? undefined : productPage(Number(number), firstNames);
  });

const clientOf = (storage: Store): Client =>
  createClient({
    cache: false,
    engines: [shop()],
    storage,
    model: scriptedModel((request) => shopAnswer(request)),
    logger: { warn: () => undefined },
  });

const schema = z.object({ name: z.string().nullable(), price: z.number().nullable() });
const formats = ['markdown', { type: 'json', schema, recipe: 'learn' }] as const;
const options = { maxConcurrency: 1 };

const verbs = {
  crawl: (client: Client, id?: string) => {
    const given = { ...options, scrapeOptions: { formats: [...formats] } };
    return id === undefined
      ? client.crawl(start, { sitemap: 'skip', excludePaths: ['/brands/'], ...given })
      : client.jobs.resume(id, given);
  },
  batchScrape: (client: Client, id?: string) => {
    const given = { ...options, formats: [...formats] };
    return id === undefined ? client.batchScrape(pages, given) : client.jobs.resume(id, given);
  },
};

type Call = 'get' | 'set' | 'replace';

/** The store, of which one call fails: the one with this number among those of the kind whose key fits. */
function failing(inner: Store, call: Call, key: RegExp, number: number) {
  const seen = { calls: 0 };
  const count = (made: Call, name: string): void => {
    if (made === call && key.test(name) && (seen.calls += 1) === number) {
      throw new Error('ECONNRESET');
    }
  };
  const store: Store = {
    ...inner,
    get: async (name) => (count('get', name), inner.get(name)),
    set: async (name, ...rest) => (count('set', name), inner.set(name, ...rest)),
    replace: async (name, ...rest) => {
      count('replace', name);
      return (await inner.replace?.(name, ...rest)) ?? false;
    },
  };
  return { store, hasFailed: () => seen.calls >= number };
}

const begun: readonly (readonly [Call, RegExp, number])[] = [
  ['replace', /\/visits\//, 1],
  ['replace', /\/visits\//, 4],
  ['set', /\/documents\//, 1],
  ['set', /\/documents\//, 3],
  ['set', /\/model-use$/, 1],
  ['get', /^recipes\//, 1],
];
const resumed: readonly (readonly [Call, RegExp, number])[] = [
  ['get', /\/visits\//, 1],
  ['get', /\/visits\//, 3],
  ['get', /\/documents\//, 1],
  ['get', /\/documents\//, 3],
  ['get', /\/files\//, 1],
  ['get', /\/model-use$/, 1],
  ['get', /\/reader$/, 1],
  ['get', /\/webhook-position$/, 1],
];

/** A recipe that was learnt before the failure costs no second request to the model. */
function contentOf(document: object): object {
  const { markdown, json, metadata } = document as PlainDocument;
  return { url: metadata.url, markdown, json };
}

describe.each(Object.entries(verbs))('a %s', (verb, run) => {
  let undisturbed: readonly object[] = [];
  beforeAll(async () => {
    await using client = clientOf(memoryStore());
    undisturbed = (await run(client)).data.map(contentOf);
  }, 30_000);

  /** Runs the job once more in a sound store, when a call has failed. */
  async function goOn(storage: Store, id: string): Promise<void> {
    await using client = clientOf(storage);
    const { data, errors, status } = await run(client, id);
    expect({ status, errors }).toEqual({ status: 'completed', errors: [] });
    expect(data.map(contentOf)).toEqual(undisturbed);
  }

  it.each(begun)('whose %s of %s fails at call %i', async (...failure) => {
    const inner = memoryStore();
    const { store, hasFailed } = failing(inner, ...failure);
    const first = clientOf(store);
    const job = run(first);
    await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
    expect(hasFailed()).toBe(true);
    expect(job.errors()).toEqual([]);
    await first.close();
    await goOn(inner, job.id);
  });

  it.each(resumed)('whose %s of %s fails at call %i of a resume', async (...failure) => {
    const inner = memoryStore();
    const first = clientOf(inner);
    const left = run(first);
    let seen = 0;
    for await (const _ of left) if ((seen += 1) === 3) break;
    await first.close();
    const { store, hasFailed } = failing(inner, ...failure);
    const second = clientOf(store);
    const job = run(second, left.id);
    const isAsked = verb === 'crawl' || !String(failure[1]).includes('files');
    if (isAsked) await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
    else await job;
    expect(hasFailed()).toBe(isAsked);
    expect(job.errors()).toEqual([]);
    await second.close();
    await goOn(inner, left.id);
  });
});

it('an extraction whose store fails is not one without a page', async () => {
  const { store } = failing(memoryStore(), 'get', /^recipes\//, 1);
  await using client = clientOf(store);
  const job = client.extract({ urls: pages, schema, recipe: 'learn' });
  await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
  expect(job.status().errors).toEqual([]);
});

it('a cache whose store fails costs a warning', async () => {
  const { store } = failing(memoryStore(), 'get', /^cache\//, 1);
  await using client = createClient({ engines: [shop()], storage: store });
  const { data, errors } = await client.batchScrape(pages.slice(0, 2), { maxAge: 60_000 });
  expect(errors).toEqual([]);
  expect(data).toHaveLength(2);
  expect(data[0]?.warning).toMatch(/cache could not be read/);
});
