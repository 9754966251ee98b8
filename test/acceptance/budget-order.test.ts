import { createClient, type CrawlOptions } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf } from '../support/memory-web.ts';

const options: CrawlOptions = { sitemap: 'skip', scrapeOptions: { retries: 0 } };

/** 40 pages; the links of the first ones lead to all others. */
function site(): ReturnType<typeof memoryWeb> {
  return memoryWeb((url) => {
    const n = Number(/\/p\/(\d*)$/.exec(url)?.[1] ?? NaN);
    if (Number.isNaN(n) || n >= 40) return undefined;
    const links = [2 * n + 1, 2 * n + 2].filter((m) => m < 40).map((m) => `/p/${m}`);
    return { body: pageOf(`page ${n} ${`word${n} `.repeat(50)}`, links), delay: Math.random() * 8 };
  });
}

describe('a budget and documents that wait for what repeats on their site', () => {
  it('goes on when hooks leave pages out that the credits were kept for', async () => {
    await using client = createClient({ engines: [site()] });
    const job = client.crawl('http://site.test/p/0', {
      ...options,
      crawlEntireDomain: true,
      removeRepeatedBlocks: true,
      budget: { credits: 10 },
      hooks: {
        onDocument: ({ url, skip }) => {
          if (/[37]$/.test(url)) skip('odd');
        },
      },
    });
    const { completed, pending } = await job;
    expect({ completed, pending }).toEqual({ completed: 10, pending: 0 });
    expect(job.skipped().filter(({ reason }) => reason === 'BUDGET').length).toBeGreaterThan(0);
  });

  it.each([{ bytes: 5000 }, { seconds: 0.6 }])(
    'keeps what came before %o was over',
    async (budget) => {
      const slow = memoryWeb((url) => {
        const n = Number(/\/p\/(\d*)$/.exec(url)?.[1] ?? NaN);
        if (Number.isNaN(n)) return undefined;
        const body = pageOf(`page ${n} ${`word${n} `.repeat(50)}`, [`/p/${n + 1}`]);
        return { body, delay: n < 5 ? 0 : 100 };
      });
      await using client = createClient({ engines: [slow] });
      const job = client.crawl('http://site.test/p/0', {
        ...options,
        crawlEntireDomain: true,
        removeRepeatedBlocks: true,
        budget,
      });
      const { completed, pending, status } = await job;
      expect({ pending, status }).toEqual({ pending: 0, status: 'completed' });
      expect(completed).toBeGreaterThanOrEqual(3);
      expect(completed).toBeLessThan(32);
    },
  );
});

describe('pages that need not have been fetched', () => {
  it('use no bytes of the budget, and have one reason at any speed', async () => {
    const web = (): ReturnType<typeof memoryWeb> =>
      memoryWeb((url) => {
        const { pathname } = new URL(url);
        const text = `${pathname} ${`word${pathname.length} `.repeat(30)}`;
        if (pathname === '/')
          return pageOf(text, ['/moved', '/target', '/out', '/gone', '/a', '/b', '/c']);
        if (pathname === '/moved') return { location: '/target', delay: 40 };
        if (pathname === '/out') return { location: '/gone', delay: 40 };
        // Asked for by itself it would lead away from the site.
        if (pathname === '/gone') return { body: pageOf(text), delay: 5 };
        return { body: pageOf(text), delay: Math.random() * 5 };
      });
    const run = async (maxConcurrency: number): Promise<unknown> => {
      await using client = createClient({ engines: [web()] });
      const budget = { bytes: 4000 };
      const job = client.crawl('http://site.test/', { ...options, maxConcurrency, budget });
      const { data, pending } = await job;
      const skipped = job.skipped().map(({ url, reason, rule }) => `${url} ${reason} ${rule}`);
      return { pages: data.map(({ metadata }) => metadata.sourceURL), skipped, pending };
    };
    const slow = await run(1);
    expect(slow).toMatchObject({
      pages: [
        'http://site.test/',
        'http://site.test/moved',
        'http://site.test/out',
        'http://site.test/a',
        'http://site.test/b',
      ],
    });
    expect(await run(8)).toEqual(slow);
  });
});

describe('a long list', () => {
  it('is a batch, however many URLs it has', async () => {
    await using client = createClient({ engines: [memoryWeb({})] });
    const urls = Array.from({ length: 150_000 }, (_, n) => `http://site.test/${n}`);
    const job = client.batchScrape(urls);
    job.cancel();
    await job.settled();
    expect(job.progress.status).toBe('cancelled');
  });
});

describe('keepDocuments: false', () => {
  it('gives no documents to those who await the job, even while a loop is behind', async () => {
    await using client = createClient({ engines: [site()] });
    const job = client.crawl('http://site.test/p/', { ...options, keepDocuments: false });
    const reader = job[Symbol.asyncIterator]();
    await reader.next();
    expect((await job).data).toEqual([]);
    await reader.return();
  });

  it('takes nothing from a plan', async () => {
    await using client = createClient({ engines: [site()] });
    const { pages } = await client.plan('http://site.test/p/0', {
      ...options,
      crawlEntireDomain: true,
      keepDocuments: false,
      limit: 5,
    });
    expect(pages.length).toBe(5);
  });
});
