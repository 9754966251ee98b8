/** What a crawl with a model uses, and how its budget of tokens ends it: pages, prompt, later processes. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type CrawlOptions,
  fileStore,
  type Model,
} from 'pagewright';
import {
  linkedSite,
  modelTurn,
  type ScriptedModel,
  scriptedModel,
  serve,
} from 'pagewright/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, pageOf, seeded } from '../support/memory-web.ts';

const { site } = linkedSite({ pages: 60, sections: 3 });

const scrapeOptions = {
  formats: [{ type: 'json', prompt: 'The heading of the page' }],
} as const satisfies CrawlOptions['scrapeOptions'];

interface Reader extends Model {
  readonly requests: ScriptedModel['requests'];
  /** Tokens of its answers. */
  readonly spent: () => number;
}

/** Answers after a time of its own each, with 400 tokens. */
function reader(seed: number): Reader {
  const chance = seeded(seed);
  let answers = 0;
  const usage = { inputTokens: 380, outputTokens: 20 };
  const { name, requests, generate } = scriptedModel(() =>
    modelTurn({ json: { heading: 'A' }, delay: Math.floor(chance() * 25), usage }),
  );
  return {
    name,
    requests,
    spent: () => answers * 400,
    generate: async (request) => {
      const answer = await generate(request);
      answers += 1;
      return answer;
    },
  };
}

function open(options: ClientOptions): Client {
  const client = createClient({
    network: { allow: ['127.0.0.0/8'] },
    ...options,
  }) as unknown as Client;
  onTestFinished(() => client.close());
  return client;
}

async function served(): Promise<string> {
  const server = await serve(site);
  onTestFinished(() => server.close());
  return server.url('/');
}

describe('budget.tokens of a crawl whose pages a model reads', () => {
  it.each([1, 2, 3])('is kept at concurrency 8, and every page is told (%i)', async (seed) => {
    const model = reader(seed);
    const client = open({ model });
    const budget = { tokens: 8_000 };
    const job = client.crawl(await served(), { budget, maxConcurrency: 8, scrapeOptions });
    const told: string[] = [];
    job.on('skipped', ({ url }) => told.push(url));
    const result = await job;
    const { status, completed, failed, skipped, pending, discovered, usage, warning } = result;
    expect(status).toBe('completed');
    expect(model.spent()).toBeLessThanOrEqual(8_000);
    // A request with an answer of any length would fit until the last of them.
    expect(model.spent()).toBeGreaterThan(7_000);
    expect(usage.tokens).toBe(model.spent());
    expect({ failed, pending }).toEqual({ failed: 0, pending: 0 });
    expect(completed + skipped).toBe(discovered);
    // Each answer that was paid for is a document.
    expect(completed).toBe(model.requests.length);
    expect(result.data.every(({ metadata }) => metadata.modelUsage?.requests === 1)).toBe(true);
    const skips = job.skipped().filter(({ reason }) => reason === 'BUDGET');
    expect(skips.length).toBeGreaterThan(0);
    for (const { url, rule } of skips) {
      expect(rule).toBe('budget.tokens: 8000');
      expect(job.explain(url)).toMatchObject({ state: 'skipped', reason: 'BUDGET' });
    }
    expect(new Set(told)).toEqual(new Set(job.skipped().map(({ url }) => url)));
    expect(warning).toContain('its budget was used up (budget.tokens: 8000)');
  });

  it('pays for no page at all where it is smaller than one request', async () => {
    const model = reader(1);
    const client = open({ model });
    const job = client.crawl(await served(), { budget: { tokens: 20 }, scrapeOptions });
    const { status, completed, pending, usage } = await job;
    expect({ status, completed, pending }).toEqual({
      status: 'completed',
      completed: 0,
      pending: 0,
    });
    expect(usage.tokens).toBeUndefined();
    expect(model.requests).toEqual([]);
    expect(job.skipped()).toMatchObject([{ reason: 'BUDGET', rule: 'budget.tokens: 20' }]);
  });

  it('leaves a model that fails a failure of its page', async () => {
    let asked = 0;
    const model = scriptedModel(() => {
      asked += 1;
      if (asked === 2) throw new TypeError('overloaded');
      return modelTurn({ json: {}, usage: { inputTokens: 300, outputTokens: 10 } });
    });
    const client = open({ model });
    const job = client.crawl(await served(), {
      budget: { tokens: 3_000 },
      maxConcurrency: 1,
      scrapeOptions,
    });
    const { failed, pending, errors } = await job;
    expect({ failed, pending }).toEqual({ failed: 1, pending: 0 });
    expect(errors).toMatchObject([{ code: 'MODEL_FAILED' }]);
  });
});

describe('the prompt of a crawl', () => {
  const answer = modelTurn({
    json: { limit: 2 },
    usage: { inputTokens: 700, outputTokens: 30, cost: 0.5 },
  });

  it('counts in the usage of the job, and of a plan', async () => {
    const client = open({ model: scriptedModel(() => answer) });
    const url = await served();
    const { usage, completed } = await client.crawl(url, { prompt: 'two pages' });
    expect(completed).toBe(2);
    expect(usage).toMatchObject({ tokens: 730, cost: 0.5 });
    const { pages, usage: planned } = await client.plan(url, { prompt: 'two pages' });
    expect(pages).toHaveLength(2);
    expect(planned).toMatchObject({ tokens: 730, cost: 0.5 });
  });

  it('counts in the budget, so that less is left for the pages', async () => {
    const model = scriptedModel((request) => {
      if (request.prompt.includes('"all of it"')) return answer;
      return modelTurn({ json: {}, usage: { inputTokens: 500, outputTokens: 0 } });
    });
    const client = open({ model });
    const job = client.crawl(await served(), {
      prompt: 'all of it',
      limit: 50,
      budget: { tokens: 1_500 },
      scrapeOptions,
    });
    const { completed, usage } = await job;
    expect(completed).toBe(1);
    expect(usage.tokens).toBe(1_230);
  });

  it('that the budget does not pay for ends the crawl before its first page', async () => {
    const model = scriptedModel([]);
    const client = open({ model });
    const url = await served();
    const job = client.crawl(url, { prompt: 'all of it', budget: { tokens: 50 } });
    const { status, completed, pending, discovered, warning } = await job;
    expect({ status, completed, pending, discovered }).toEqual({
      status: 'completed',
      completed: 0,
      pending: 0,
      discovered: 1,
    });
    expect(job.skipped()).toMatchObject([{ url, reason: 'BUDGET', rule: 'budget.tokens: 50' }]);
    expect(warning).toContain('budget.tokens: 50');
    expect(model.requests).toEqual([]);
    const plan = await client.plan(url, { prompt: 'all of it', budget: { tokens: 50 } });
    expect(plan).toMatchObject({ pages: [], skipped: [{ reason: 'BUDGET' }] });
  });
});

describe('a crawl that goes on in a later process', () => {
  /** 30 pages that the start page links to; one of them is silent until a later process. */
  function web(silent: boolean): ReturnType<typeof memoryWeb> {
    const links = Array.from({ length: 30 }, (_, n) => `/p/${n}`);
    return memoryWeb((url) => {
      const { pathname } = new URL(url);
      if (pathname === '/') return pageOf('start', links);
      if (!links.includes(pathname)) return undefined;
      const delay = silent && pathname === '/p/1' ? 60_000 : 0;
      return { body: pageOf(`page ${pathname}`), delay };
    });
  }

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'pagewright-model-budget-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  const options = { sitemap: 'skip', maxConcurrency: 4, scrapeOptions } as const;

  /** Leaves a crawl when its model was asked so often; what it kept by then. */
  async function leave(
    place: string,
    given: CrawlOptions,
    isEnough: (model: Reader) => boolean,
  ): Promise<{ id: string; spent: number; kept: string[] }> {
    const model = reader(4);
    const client = open({ model, engines: [web(true)], storage: fileStore(place), cache: false });
    const job = client.crawl('http://site.test/', { ...options, ...given });
    const kept: string[] = [];
    job.on('page', ({ metadata }) => kept.push(metadata.url));
    void job.settled();
    while (!isEnough(model)) await new Promise((resolve) => setTimeout(resolve, 5));
    // What was answered is written.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.close();
    return { id: job.id, spent: model.spent(), kept };
  }

  /** Requests that the end of the first process cut off were sent: what they asked is counted, too. */
  function expectCounted(tokens: number | undefined, answered: number): void {
    expect(tokens).toBeGreaterThanOrEqual(answered);
    expect(tokens).toBeLessThan(answered + options.maxConcurrency * 400);
  }

  it('counts the tokens of both, answers whose page was lost included', async () => {
    const place = folder();
    const left = await leave(place, {}, ({ requests }) => requests.length >= 6);
    const model = reader(5);
    const client = open({ model, engines: [web(false)], storage: fileStore(place), cache: false });
    const { usage, completed, status } = await client.jobs.resume(left.id);
    expect({ status, completed }).toEqual({ status: 'completed', completed: 31 });
    expect(left.spent).toBeGreaterThan(0);
    expectCounted(usage.tokens, left.spent + model.spent());
    expect(model.requests.length).toBeLessThan(31);
    // A job that has ended tells the same.
    const opened = await client.jobs.resume(left.id);
    expect(opened.usage.tokens).toBe(usage.tokens);
  });

  it('has only the rest of the budget', async () => {
    const place = folder();
    const budget = { tokens: 8_000 };
    const left = await leave(place, { budget }, ({ requests }) => requests.length >= 6);
    const model = reader(5);
    const client = open({ model, engines: [web(false)], storage: fileStore(place), cache: false });
    const job = client.jobs.resume(left.id);
    const { usage, completed, skipped, pending, warning } = await job;
    expect(left.spent + model.spent()).toBeLessThanOrEqual(8_000);
    expectCounted(usage.tokens, left.spent + model.spent());
    // At most those in flight were answered for nothing.
    const answers = (left.spent + model.spent()) / 400;
    expect(completed).toBeLessThanOrEqual(answers);
    expect(completed).toBeGreaterThanOrEqual(answers - options.maxConcurrency);
    expect({ all: completed + skipped, pending }).toEqual({ all: 31, pending: 0 });
    expect(warning).toContain('budget.tokens: 8000');
  });

  it('keeps what was paid for when nothing is left of the budget, and fetches nothing more', async () => {
    const place = folder();
    const isOver = ({ requests }: Reader): boolean => requests.length >= 10;
    const left = await leave(place, { budget: { tokens: 4_000 } }, isOver);
    expect(left.spent).toBe(4_000);
    const model = reader(5);
    const later = web(false);
    const client = open({ model, engines: [later], storage: fileStore(place), cache: false });
    const job = client.jobs.resume(left.id);
    const { data, usage, skipped, pending } = await job;
    expect(usage.tokens).toBe(4_000);
    expect(model.requests).toEqual([]);
    // Not even the page that was silent.
    expect(later.log.filter((url) => url.includes('/p/'))).toEqual([]);
    expect(job.explain('http://site.test/p/1')).toMatchObject({
      state: 'skipped',
      reason: 'BUDGET',
      rule: 'budget.tokens: 4000',
    });
    expect(data).toHaveLength(10);
    expect({ skipped, pending }).toEqual({ skipped: 21, pending: 0 });
  });

  it('goes on with a larger budget where the first one refused', async () => {
    const place = folder();
    const isOver = ({ requests }: Reader): boolean => requests.length >= 10;
    const left = await leave(place, { budget: { tokens: 4_100 } }, isOver);
    const model = reader(5);
    const client = open({ model, engines: [web(false)], storage: fileStore(place), cache: false });
    const { completed, failed, usage } = await client.jobs.resume(left.id, {
      budget: { tokens: 1_000_000 },
    });
    expect({ completed, failed }).toEqual({ completed: 31, failed: 0 });
    expect(usage.tokens).toBe(left.spent + model.spent());
  });

  it('counts in a batch, too', async () => {
    const place = folder();
    const urls = Array.from({ length: 12 }, (_, n) => `http://site.test/p/${n}`);
    const given = { formats: scrapeOptions.formats, maxConcurrency: 3 };
    const model = reader(4);
    const first = open({ model, engines: [web(true)], storage: fileStore(place), cache: false });
    const job = first.batchScrape(urls, { ...given, budget: { tokens: 2_000 } });
    void job.settled();
    while (model.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await first.close();
    const later = reader(5);
    const fetched = web(false);
    const second = open({
      model: later,
      engines: [fetched],
      storage: fileStore(place),
      cache: false,
    });
    const { data, usage, skipped, pending } = await second.jobs.resume(job.id);
    expect(usage.tokens).toBe(2_000);
    expect(later.requests).toEqual([]);
    expect(fetched.log).toEqual([]);
    expect(data).toHaveLength(5);
    expect({ skipped, pending }).toEqual({ skipped: 7, pending: 0 });
  });
});

describe('while a model answers', () => {
  it('other pages of the host are fetched, however few it is sent at a time', async () => {
    let waiting = 0;
    let release: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (release = resolve));
    const model = scriptedModel(async (_, index) => {
      // The start page has to be read before there are others.
      if (index > 0) {
        if ((waiting += 1) === 4) release();
        await together;
      }
      return { heading: 'A' };
    });
    const client = open({ model });
    const { completed } = await client.crawl(await served(), {
      limit: 9,
      maxConcurrency: 4,
      maxConcurrencyPerHost: 1,
      sitemap: 'skip',
      scrapeOptions,
    });
    expect(completed).toBe(9);
  });
});
