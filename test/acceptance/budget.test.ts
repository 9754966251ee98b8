import { createClient, type CrawlOptions, type CrawlResult, ValidationError } from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { memoryWeb, pageOf, seeded } from '../support/memory-web.ts';

const counts = (result: CrawlResult<unknown>): number =>
  result.completed + result.failed + result.skipped + result.pending;

/** 60 pages of different sizes that answer after different times, some of them never well. */
function site(share = 0.8): ReturnType<typeof memoryWeb> {
  const chance = seeded(5);
  const lots = Array.from({ length: 60 }, () => chance());
  const text = (n: number): string => 'word '.repeat(20 + Math.floor((lots[n] ?? 0) * 400));
  return memoryWeb((url) => {
    const n = Number(/\/p\/(\d*)$/.exec(url)?.[1] ?? NaN);
    if (Number.isNaN(n) || n >= 60) return undefined;
    const links = [2 * n + 1, 2 * n + 2, n + 1].filter((m) => m < 60).map((m) => `/p/${m}`);
    return {
      body: pageOf(`page ${n} ${text(n)}`, links),
      delay: Math.floor(Math.random() * 10),
      fails: n > 0 && (lots[n] ?? 0) > share,
    };
  });
}

const options: CrawlOptions = { sitemap: 'skip', scrapeOptions: { retries: 0 } };

beforeAll(async () => {
  // What is loaded at the first crawl would take of its seconds.
  await using client = createClient({
    engines: [memoryWeb({ 'http://site.test/': pageOf('it') })],
  });
  await client.crawl('http://site.test/');
});

describe('budget.seconds', () => {
  it('ends a crawl whose start page never answers, and one whose robots.txt never does', async () => {
    for (const path of ['/', '/robots.txt']) {
      await using server = await serve(
        { '/': pageOf('start'), '/robots.txt': '' },
        { behaviours: { [path]: hang() } },
      );
      await using client = createClient({ network: { allow: ['127.0.0.1'] } });
      const job = client.crawl(server.origin, { budget: { seconds: 1 } });
      const result = await job;
      expect(result).toMatchObject({ status: 'completed', completed: 0, pending: 0, failed: 0 });
      expect(job.skipped()).toMatchObject([{ reason: 'BUDGET' }]);
      expect(result.warning).toContain('budget.seconds: 1');
    }
  });

  it('ends a crawl whose reader takes nothing any more', async () => {
    await using client = createClient({ engines: [site()] });
    const job = client.crawl('http://site.test/p/', { ...options, budget: { seconds: 1 } });
    const reader = job[Symbol.asyncIterator]();
    await reader.next();
    await job.settled();
    expect(job.progress).toMatchObject({ status: 'completed', pending: 0 });
    expect(job.progress.completed).toBeLessThan(40);
    expect(job.skipped().some(({ reason }) => reason === 'BUDGET')).toBe(true);
  });
});

describe('budgets that are counted in the order of the pages', () => {
  const run = async (
    budget: CrawlOptions['budget'],
    maxConcurrency: number,
    web = site(),
  ): Promise<{
    urls: string[];
    skipped: string[];
    result: CrawlResult<unknown>;
    asked: number;
  }> => {
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/p/', { ...options, budget, maxConcurrency });
    const result = await job;
    expect(counts(result)).toBe(result.discovered);
    expect(result.pending).toBe(0);
    return {
      urls: result.data.map(({ metadata }) => metadata.url),
      skipped: job.skipped().map(({ url, reason, rule }) => `${url} ${reason} ${rule}`),
      result,
      asked: web.log.length,
    };
  };

  it.each([{ credits: 7 }, { bytes: 20_000 }, { requests: 25 }])(
    '%o keeps the same pages at any speed',
    async (budget) => {
      const runs = [];
      for (const concurrency of [1, 4, 16, 16]) runs.push(await run(budget, concurrency));
      const [first] = runs;
      expect(first?.urls.length).toBeGreaterThan(3);
      expect(first?.urls.length).toBeLessThan(30);
      for (const { urls, skipped } of runs) {
        expect(urls).toEqual(first?.urls);
        expect(skipped).toEqual(first?.skipped);
      }
      const [[name, value]] = Object.entries(budget) as [[string, number]];
      expect(first?.result.warning).toContain(`budget.${name}: ${value}`);
      expect(first?.skipped.some((line) => line.endsWith(`BUDGET budget.${name}: ${value}`))).toBe(
        true,
      );
    },
  );

  it('keeps exactly as many credits, and asks for no page that could not be kept', async () => {
    const { result, asked, urls } = await run({ credits: 7 }, 16);
    expect(result.creditsUsed).toBe(7);
    // And robots.txt.
    expect(asked).toBe(urls.length + result.failed + 1);
  });

  it('keeps no page that would exceed the credits', async () => {
    await using client = createClient({ engines: [site()], costs: { page: 3 } });
    const { creditsUsed, data } = await client.crawl('http://site.test/p/', {
      ...options,
      budget: { credits: 10 },
    });
    expect({ creditsUsed, pages: data.length }).toEqual({ creditsUsed: 9, pages: 3 });
  });

  it('stops asking soon after the bytes are used up', async () => {
    const { result, asked } = await run({ bytes: 20_000 }, 4);
    expect(result.data.length).toBeGreaterThan(0);
    expect(asked).toBeLessThan(50);
    expect(result.usage.bytes).toBeGreaterThan(0);
  });

  it('says nothing when the budget was enough, to the credit', async () => {
    const all = await run({}, 8, site(1));
    for (const budget of [{ credits: all.result.completed }, { tokens: 1 }, { seconds: 60 }]) {
      const { urls, result } = await run(budget, 8, site(1));
      expect(urls).toEqual(all.urls);
      expect(result.warning).toBeUndefined();
    }
  });

  it('finds out whether the sitemap had more', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('start'),
      'http://site.test/a': pageOf('a'),
      'http://site.test/sitemap.xml': {
        type: 'application/xml',
        body: '<urlset><url><loc>http://site.test/a</loc></url></urlset>',
      },
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', { budget: { credits: 1 } });
    expect((await job).warning).toContain('budget.credits: 1');
    expect(job.explain('http://site.test/a')).toMatchObject({ reason: 'BUDGET' });
  });
});

describe('a wrong budget', () => {
  it.each([{ seconds: 0 }, { bytes: 1.5 }, { credits: -1 }, { pages: 3 }, 'all'])(
    'is BAD_REQUEST: %o',
    async (budget) => {
      await using client = createClient({ engines: [memoryWeb({})] });
      const wrong = { budget } as unknown as CrawlOptions;
      expect(() => client.crawl('http://site.test/', wrong)).toThrow(ValidationError);
      expect(() => client.crawl('http://site.test/', wrong)).toThrow(/budget/);
    },
  );
});
