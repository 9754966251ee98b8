/** Crawls that take the pages first whose links mean what is looked for, in other words. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type CrawlOptions,
  fileStore,
  type Model,
} from 'pagewright';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, type MemoryWeb, seeded } from '../support/memory-web.ts';

/** Words of one line mean the same. */
const meanings = [
  ['train', 'trains', 'railway', 'locomotive', 'express', 'sleeper', 'carriage'],
  ['night', 'nocturnal', 'sleeper'],
  ['recipe', 'cooking', 'soup', 'bread'],
  ['garden', 'roses', 'lawn', 'hedge'],
];

/** How often each meaning is there, and, in a few places, words that have none. */
function vectorOf(text: string): number[] {
  const vector = new Array<number>(meanings.length + 8).fill(0);
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  for (const word of words) {
    let isKnown = false;
    for (const [place, alike] of meanings.entries()) {
      if (!alike.includes(word)) continue;
      isKnown = true;
      vector[place] = (vector[place] ?? 0) + 3;
    }
    const place = meanings.length + ([...word].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 8);
    if (!isKnown) vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

interface Embedder extends Model {
  /** Texts of each request. */
  readonly batches: string[][];
}

/** Takes a token for each text; `fails` from that request on. */
function embedder(fails = Infinity, chance?: () => number): Embedder {
  const batches: string[][] = [];
  return {
    name: 'bag of words',
    batches,
    generate: () => Promise.reject(new Error('It only embeds.')),
    embed: async (texts, signal) => {
      batches.push([...texts]);
      if (chance !== undefined) await sleep(chance() * 20, undefined, { signal });
      if (batches.length >= fails) throw new Error('no vectors today');
      const usage = { inputTokens: texts.length, outputTokens: 0 };
      return { vectors: texts.map(vectorOf), usage };
    },
  };
}

const titles = [
  'Nocturnal railway carriage',
  'Soup of the day',
  'Sleeper locomotive',
  'Bread for beginners',
  'Hedge and lawn',
  'Nocturnal express',
  'Roses in winter',
  'Cooking for two',
];

/** 120 pages, each linking to three others; the words of the query are nowhere. */
function web(chance: () => number = () => 0): MemoryWeb {
  const titleOf = (n: number): string => `${titles[(n * 5) % titles.length] ?? ''} ${n}`;
  return memoryWeb((url) => {
    const n = Number(/\/a\/(\d+)$/.exec(url)?.[1] ?? (url === 'http://site.test/' ? 0 : NaN));
    if (Number.isNaN(n) || n >= 120) return undefined;
    const links = [3 * n + 1, 3 * n + 2, 3 * n + 3].filter((m) => m < 120);
    const list = links.map((m) => `<li><a href="/a/${m}">${titleOf(m)}</a></li>`).join('');
    return {
      body: `<title>${titleOf(n)}</title><main><h1>${titleOf(n)}</h1><p>What is said here is said on page ${n} alone.</p><ul>${list}</ul></main>`,
      delay: Math.floor(chance() * 12),
    };
  });
}

function open(options: ClientOptions): Client {
  const client = createClient({ engines: [web()], cache: false, ...options }) as unknown as Client;
  onTestFinished(() => client.close());
  return client;
}

const strategy = { type: 'bestFirst', query: 'night trains', by: 'embedding' } as const;
const options = {
  strategy,
  sitemap: 'skip',
  limit: 30,
  scrapeOptions: { formats: [] },
} as const satisfies CrawlOptions;

const urlsOf = (data: readonly { metadata: { sourceURL: string } }[]): string[] =>
  data.map(({ metadata }) => metadata.sourceURL);

const isAbout = (title = ''): boolean => /railway|locomotive|express/i.test(title);

describe('bestFirst by embedding', () => {
  it('finds first what other words say, which words do not find', async () => {
    const model = embedder();
    const client = open({ model });
    const byMeaning = await client.crawl('http://site.test/', options);
    const byWords = await client.crawl('http://site.test/', {
      ...options,
      strategy: { ...strategy, by: 'words' },
    });
    const count = ({ data }: { data: readonly { metadata: { title?: string } }[] }): number =>
      data.filter(({ metadata }) => isAbout(metadata.title)).length;
    expect(byMeaning.warning).toBeUndefined();
    expect(count(byMeaning)).toBeGreaterThan(count(byWords) + 8);
    const [, second] = byMeaning.data;
    expect(second?.metadata.title).toMatch(/Nocturnal|Sleeper/);
    expect(second?.metadata.score).toBeGreaterThan(0.5);
    // No word of the query is anywhere.
    expect(byWords.data.every(({ metadata }) => metadata.score === 0)).toBe(true);
  });

  it('asks about each text once, many at a time, and counts what that takes', async () => {
    const model = embedder();
    const client = open({ model });
    const { usage, status } = await client.crawl('http://site.test/', { ...options, limit: 200 });
    const texts = model.batches.flat();
    expect(status).toBe('completed');
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts[0]).toBe('night trains');
    expect(usage.tokens).toBe(texts.length);
    expect(model.batches.length).toBeLessThan(texts.length / 2);
    expect(Math.max(...model.batches.map((batch) => batch.length))).toBeLessThanOrEqual(100);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(200);
  });

  it('takes the same pages in the same order at any speed', async () => {
    const orders: string[][] = [];
    for (const [seed, maxConcurrency] of [1, 2, 8, 16].entries()) {
      const chance = seeded(seed);
      const client = open({ engines: [web(chance)], model: embedder(Infinity, chance) });
      const { data } = await client.crawl('http://site.test/', { ...options, maxConcurrency });
      orders.push(data.map(({ metadata }) => `${metadata.sourceURL} ${metadata.score}`));
    }
    for (const order of orders) expect(order).toEqual(orders[0]);
  });

  it('goes on in a later process in the same order, without asking again', async () => {
    const whole = await open({ model: embedder() }).crawl('http://site.test/', options);
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-embedding-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const before = embedder();
    const first = open({ model: before, storage: fileStore(folder) });
    const job = first.crawl('http://site.test/', { ...options, maxConcurrency: 2 });
    let seen = 0;
    for await (const _ of job) if ((seen += 1) === 12) break;
    await first.close();
    const after = embedder();
    const later = open({ model: after, storage: fileStore(folder) });
    const { data, usage } = await later.jobs.resume(job.id);
    expect(urlsOf(data)).toEqual(urlsOf(whole.data));
    const asked = [...before.batches.flat(), ...after.batches.flat()];
    expect(before.batches.length).toBeGreaterThan(3);
    expect(after.batches.flat()).not.toContain('night trains');
    // What was under way when the first one ended may be asked for again.
    const twice = asked.length - new Set(asked).size;
    expect(twice).toBeLessThanOrEqual(before.batches.at(-1)?.length ?? 0);
    expect(usage.tokens).toBeLessThanOrEqual(asked.length);
    expect(usage.tokens).toBeGreaterThanOrEqual(asked.length - twice);
  });

  it('goes by words, with a warning, without a model that has embeddings', async () => {
    const generate: Model['generate'] = () => Promise.reject(new Error('not asked'));
    const byWords = { ...options, strategy: { ...strategy, by: 'words' as const } };
    const plain = await open({}).crawl('http://site.test/', byWords);
    for (const model of [undefined, { name: 'no vectors', generate }]) {
      const client = open(model === undefined ? {} : { model });
      const { data, warning, status } = await client.crawl('http://site.test/', options);
      expect(status).toBe('completed');
      expect(warning).toMatch(/taken by words.*needs a model with embeddings/);
      expect(urlsOf(data)).toEqual(urlsOf(plain.data));
    }
  });

  it.each([1, 2, 6])('goes by words from where the model fails, request %i', async (fails) => {
    const model = embedder(fails);
    const client = open({ model });
    const job = client.crawl('http://site.test/', { ...options, limit: 200 });
    const { data, warning, status, pending } = await job;
    expect({ status, pending }).toEqual({ status: 'completed', pending: 0 });
    expect(warning).toMatch(/words decide the order: .*no vectors today/);
    expect(new Set(urlsOf(data)).size).toBe(120);
    // Nobody is asked again.
    expect(model.batches).toHaveLength(fails);
  });

  it('ends with the budget when embeddings use it up', async () => {
    const model = embedder();
    const client = open({ model });
    const job = client.crawl('http://site.test/', { ...options, budget: { tokens: 60 } });
    const { status, completed, pending, usage, discovered, skipped, warning } = await job;
    expect({ status, pending }).toEqual({ status: 'completed', pending: 0 });
    expect(completed).toBeGreaterThan(0);
    expect(completed + skipped).toBe(discovered);
    expect(usage.tokens).toBeLessThanOrEqual(60);
    expect(warning).toContain('budget.tokens: 60');
    expect(job.skipped().every(({ reason }) => reason === 'BUDGET')).toBe(true);
  });

  it('asks nothing more once another part of the budget has ended the crawl', async () => {
    const model = embedder();
    const client = open({ model });
    const options5 = { ...options, maxConcurrency: 1, budget: { credits: 5 } };
    const { completed, pending } = await client.crawl('http://site.test/', options5);
    expect({ completed, pending }).toEqual({ completed: 5, pending: 0 });
    const texts = new Set(model.batches.flat());
    // The start page, its links, and those of the pages taken before the last one.
    expect([...texts].filter((text) => /: a \d+$/.test(text)).length).toBeLessThanOrEqual(12);
  });

  it('is told by plan(), with what it takes', async () => {
    const client = open({ model: embedder() });
    const { pages, usage } = await client.plan('http://site.test/', options);
    const { data } = await client.crawl('http://site.test/', options);
    expect(pages.map(({ url }) => url)).toEqual(urlsOf(data));
    expect(usage.tokens).toBeGreaterThan(30);
  });

  it.each([{ ...strategy, by: 'meaning' }, { ...strategy, by: null }, { by: 'embedding' }])(
    'refuses %o at once',
    (wrong) => {
      const client = open({ model: embedder() });
      const given = { strategy: wrong } as unknown as CrawlOptions;
      expect(() => client.crawl('http://site.test/', given)).toThrow(
        /strategy: expected .* it may have by: 'words' or 'embedding'/,
      );
    },
  );
});
