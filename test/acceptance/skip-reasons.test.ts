import {
  createClient,
  type CrawlOptions,
  type JobProgress,
  memoryStore,
  type SkippedUrl,
} from 'pagewright';
import type { SkipReason } from '../../src/core/model/job.ts';
import { describe, expect, it } from 'vitest';
import {
  type MemoryPage,
  type MemoryWeb,
  memoryWeb,
  pageOf,
  seeded,
} from '../support/memory-web.ts';

const robots: MemoryPage = { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' };
const months = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
  return pageOf(`Events of ${month}`, [`/events/${next}`]);
};

/** What is linked from the start page, the options, and the one skip that has to be told. */
interface Case {
  readonly links: readonly string[];
  readonly options?: CrawlOptions;
  readonly skip: Omit<SkippedUrl, 'reason'>;
  readonly pages?: Readonly<Record<string, string | MemoryPage>>;
}

const start = 'http://site.test/docs/';
const at = (path: string): string => new URL(path, start).href;

const cases: Readonly<Record<SkipReason, Case>> = {
  DEPTH: {
    links: ['a'],
    options: { maxDiscoveryDepth: 1 },
    pages: { [at('a')]: pageOf('a', ['b']) },
    skip: { url: at('b'), rule: 'maxDiscoveryDepth: 1', parent: at('a') },
  },
  LIMIT: {
    links: ['a', 'b'],
    options: { limit: 2 },
    pages: { [at('a')]: pageOf('a') },
    skip: { url: at('b'), rule: 'limit: 2', parent: start },
  },
  BUDGET: {
    links: ['a', 'b'],
    options: { budget: { credits: 2 }, maxConcurrency: 1 },
    pages: { [at('a')]: pageOf('a'), [at('b')]: pageOf('b') },
    skip: { url: at('b'), rule: 'budget.credits: 2', parent: start },
  },
  ANSWERED: {
    links: ['a', 'b', ...Array.from({ length: 4 }, (_, n) => `x${n}`), 'last'],
    options: { strategy: { type: 'bestFirst', query: 'kelp soup recipe', until: 'answered' } },
    pages: {
      [at('a')]: '<h1>Soup</h1><p>This recipe of kelp soup is from the isle of Unst.</p>',
      [at('b')]:
        '<h1>Soup</h1><p>Another recipe, for soup with kelp and barley, is on the next page.</p>',
      ...Object.fromEntries(Array.from({ length: 4 }, (_, n) => [at(`x${n}`), pageOf(`x${n}`)])),
    },
    skip: {
      url: at('last'),
      rule: "until: 'answered' (by words, after 7 pages)",
      parent: start,
    },
  },
  INCLUDE: {
    links: ['keep-1', 'a'],
    options: { includePaths: ['/keep-', /docs\/$/] },
    pages: { [at('keep-1')]: pageOf('keep') },
    skip: { url: at('a'), rule: String.raw`/keep-, /docs\/$/`, parent: start },
  },
  EXCLUDE: {
    links: ['a'],
    options: { excludePaths: ['/b$', /\/a$/] },
    skip: { url: at('a'), rule: String.raw`/\/a$/`, parent: start },
  },
  SCOPE: {
    links: ['/blog/a'],
    skip: { url: at('/blog/a'), rule: 'crawlEntireDomain: false', parent: start },
  },
  SUBDOMAIN: {
    links: ['http://news.site.test/docs/a'],
    skip: { url: 'http://news.site.test/docs/a', rule: 'allowSubdomains: false', parent: start },
  },
  EXTERNAL: {
    links: ['http://elsewhere.test/a'],
    skip: { url: 'http://elsewhere.test/a', rule: 'allowExternalLinks: false', parent: start },
  },
  ROBOTS: {
    links: ['/private/a'],
    options: { crawlEntireDomain: true },
    skip: { url: at('/private/a'), rule: 'Disallow: /private/', parent: start },
  },
  FILE_TYPE: {
    links: ['logo.PNG'],
    skip: { url: at('logo.PNG'), rule: '.PNG', parent: start },
  },
  PROTOCOL: {
    links: ['mailto:someone@site.test'],
    skip: { url: 'mailto:someone@site.test', rule: 'PROTOCOL', parent: start },
  },
  BAD_URL: {
    links: ['http://'],
    skip: { url: 'http://', rule: 'BAD_URL', parent: start },
  },
  DUPLICATE_URL: {
    links: ['a', 'a/'],
    pages: { [at('a')]: pageOf('a') },
    skip: { url: at('a/'), rule: at('a'), parent: start },
  },
  DUPLICATE_CONTENT: {
    links: ['a', 'b'],
    pages: { [at('a')]: pageOf('the same '.repeat(40)), [at('b')]: pageOf('the same '.repeat(40)) },
    skip: { url: at('b'), rule: at('a'), parent: start },
  },
  TRAP: {
    links: ['/events/2024-01'],
    options: { crawlEntireDomain: true, limit: 50 },
    skip: {
      url: at('/events/2024-06'),
      rule: 'calendar: /events/{date}',
      parent: at('/events/2024-05'),
    },
  },
};

function webOf({ links, pages = {} }: Case): ReturnType<typeof memoryWeb> {
  return memoryWeb((url) => {
    const [, month] = /\/events\/(\d+-\d+)$/.exec(url) ?? [];
    if (month !== undefined) return months(month);
    if (url === at('/robots.txt')) return robots;
    return url === start ? pageOf('start', links) : pages[url];
  });
}

describe('each reason why a URL is not scraped, with the rule that decided and the parent', () => {
  it('is tried for all 16', () => expect(Object.keys(cases)).toHaveLength(16));

  it.each(Object.entries(cases))('%s', async (reason, one) => {
    const web = webOf(one);
    await using client = createClient({ engines: [web] });
    const job = client.crawl(start, { sitemap: 'skip', ...one.options });
    const told: SkippedUrl[] = [];
    job.on('skipped', (skip) => told.push(skip));
    const result = await job;
    const expected = { ...one.skip, reason };
    expect(job.skipped()).toEqual([expected]);
    expect(told).toEqual([expected]);
    expect(job.explain(one.skip.url)).toEqual({ state: 'skipped', ...expected });
    expect(result).toMatchObject({ status: 'completed', skipped: 1, pending: 0, failed: 0 });
    expect(result.discovered).toBe(result.completed + 1);
    // Only a page's content is known when it is there, and so are pages in flight at the end.
    expect(web.log.includes(one.skip.url)).toBe(['DUPLICATE_CONTENT', 'ANSWERED'].includes(reason));
  });
});

describe('crawl 4: the accounts of 500 pages', () => {
  const chance = seeded(4);
  const fates = Array.from({ length: 500 }, () => chance());
  const pathOf = (n: number): string => {
    const fate = fates[n] ?? 0;
    const folder = fate < 0.1 ? '/private' : fate < 0.2 ? '/drop' : '';
    return `${folder}/page-${n}${fate > 0.9 && fate < 0.93 ? '.zip' : ''}`;
  };
  const linksOf = (n: number): string[] => [
    ...[2 * n + 1, 2 * n + 2, (n * 7) % 500, (n * 13) % 500].filter((m) => m < 500).map(pathOf),
    ...(n % 20 === 0
      ? ['mailto:a@b.test', `http://other.test/${n}`, 'http://', `/page-${n}/?utm_source=x`]
      : []),
    ...(n === 0 ? Array.from({ length: 10 }, (_, m) => `/page-3?sid=a8f39b2c77d${m}`) : []),
  ];
  const web = (): ReturnType<typeof memoryWeb> =>
    memoryWeb((url) => {
      const { pathname, host } = new URL(url);
      const [, month] = /\/events\/(\d+-\d+)$/.exec(pathname) ?? [];
      if (month !== undefined) return { body: months(month) };
      if (pathname === '/robots.txt') return robots;
      const n = pathname === '/' ? 0 : Number(/page-(\d+)\/?$/.exec(pathname)?.[1] ?? NaN);
      if (host !== 'site.test' || Number.isNaN(n)) return undefined;
      const fate = fates[n] ?? 0;
      const text = fate > 0.3 && fate < 0.33 ? 'the same' : `page ${n}`;
      return {
        body: pageOf(text, text === 'the same' ? [] : linksOf(n)),
        delay: Math.floor(fate * 4),
        fails: n > 0 && fate > 0.95,
      };
    });

  it('close at every event, and agree with explain() for every URL', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      excludePaths: ['^/drop/'],
      maxDiscoveryDepth: 5,
      limit: 90,
      scrapeOptions: { formats: [], retries: 0 },
    });
    const events = { page: 0, skipped: 0, pageFailed: 0 };
    const unclosed: unknown[] = [];
    const check = (): void => {
      const { discovered, completed, failed, skipped, pending } = job.progress;
      // Skips are told in a row when a page is settled: until then they are booked and not told.
      const isTold =
        events.page === completed && events.pageFailed === failed && events.skipped <= skipped;
      const isClosed = discovered === completed + failed + skipped + pending && pending >= 0;
      if (!isTold || !isClosed) unclosed.push({ ...job.progress, events: { ...events } });
    };
    for (const name of ['page', 'skipped', 'pageFailed'] as const) {
      job.on(name, () => {
        events[name] += 1;
        check();
      });
    }
    const { data, errors, ...result } = await job;
    expect(unclosed).toEqual([]);
    expect(result).toMatchObject({ completed: 90, pending: 0 });
    expect(events).toEqual({ page: 90, skipped: result.skipped, pageFailed: result.failed });
    const told = new Set<string>();
    for (const page of data) {
      const url = page.metadata.sourceURL;
      told.add(url);
      expect(job.explain(url)).toMatchObject({ state: 'completed', url });
    }
    for (const failure of errors) {
      told.add(failure.url);
      expect(job.explain(failure.url)).toMatchObject({ state: 'failed', ...failure });
    }
    for (const skip of job.skipped()) {
      expect(told.has(skip.url)).toBe(false);
      told.add(skip.url);
      expect(job.explain(skip.url)).toEqual({ state: 'skipped', ...skip });
      expect(skip.rule).not.toBe('');
      expect(skip.parent).toBeDefined();
    }
    expect(told.size).toBe(result.discovered);
    const reasons = new Set(job.skipped().map(({ reason }) => reason));
    for (const reason of [
      'DEPTH',
      'LIMIT',
      'EXCLUDE',
      'EXTERNAL',
      'ROBOTS',
      'FILE_TYPE',
      'PROTOCOL',
      'BAD_URL',
      'DUPLICATE_URL',
      'DUPLICATE_CONTENT',
      'TRAP',
    ])
      expect(reasons).toContain(reason);
    expect(job.explain('http://site.test/never-linked')).toBeUndefined();
  });
});

describe('a sitemap that lists more than the limit', () => {
  const origin = 'http://site.test';
  const listed = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `${origin}/p${from + index}`);
  const xml = (urls: readonly string[], item = 'url', root = 'urlset') => ({
    type: 'application/xml',
    body: `<${root}>${urls.map((url) => `<${item}><loc>${url}</loc></${item}>`).join('')}</${root}>`,
  });
  /** A site of pages that link to one page each, with the sitemaps given. */
  function site(files: Readonly<Record<string, ReturnType<typeof xml>>>): MemoryWeb {
    return memoryWeb((url) => {
      if (files[url] !== undefined) return files[url];
      return /robots|sitemap/.test(url) ? undefined : pageOf(`page ${url}`, ['/linked']);
    });
  }
  const isClosed = ({ progress }: { readonly progress: JobProgress }): boolean => {
    const { discovered, completed, failed, skipped, pending } = progress;
    return discovered === completed + failed + skipped + pending;
  };

  it.each([1, 5, 700])('accounts for each of its 12,000 URLs with a limit of %i', async (limit) => {
    const web = site({ [`${origin}/sitemap.xml`]: xml(listed(0, 12_000)) });
    await using client = createClient({ engines: [web] });
    const options = { limit, excludePaths: ['^/p\\d*7$'], scrapeOptions: { formats: [] } };
    const job = client.crawl(`${origin}/`, options);
    const moments: boolean[] = [];
    job.on('skipped', () => void moments.push(isClosed(job)));
    const result = await job;
    expect(moments.length).toBeGreaterThan(10_000);
    expect(moments).not.toContain(false);
    expect(result).toMatchObject({ status: 'completed', completed: limit, pending: 0 });
    // The start page, and the page that is linked, are not in the sitemap.
    expect(result.discovered).toBe(12_002);
    expect(job.explain(`${origin}/p11999`)).toEqual({
      state: 'skipped',
      url: `${origin}/p11999`,
      reason: 'LIMIT',
      rule: `limit: ${limit}`,
    });
    expect(job.explain(`${origin}/p11997`)).toMatchObject({ reason: 'EXCLUDE', rule: '^/p\\d*7$' });
    expect(job.skippedByReason()).toMatchObject({ EXCLUDE: 1_200 });
    expect(job.skipped()).toHaveLength(result.skipped);
    expect(job.skipped({ skip: result.skipped - 2 })).toHaveLength(2);
    expect(job.skipped({ skip: 10_900, limit: 3 })).toEqual(job.skipped().slice(10_900, 10_903));
    expect(() => job.skipped({ limit: -1 })).toThrow(/limit: expected a whole number/);

    const plan = await client.plan(`${origin}/`, options);
    expect(plan.explain(`${origin}/p11999`)).toMatchObject({ reason: 'LIMIT' });
    expect(plan.skippedByReason).toEqual(job.skippedByReason());
  });

  it('reads up to 20 further sitemaps for that, and names those that it leaves', async () => {
    const children = Array.from({ length: 40 }, (_, index) => `${origin}/sitemap-${index}.xml`);
    const files = Object.fromEntries(
      children.map((url, index) => [url, xml(listed(index * 300, index * 300 + 300))]),
    );
    const web = site({
      [`${origin}/sitemap.xml`]: xml(children, 'sitemap', 'sitemapindex'),
      ...files,
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl(`${origin}/`, { limit: 5, scrapeOptions: { formats: [] } });
    const { warning } = await job;
    expect(isClosed(job)).toBe(true);
    const fetched = web.log.filter((url) => /sitemap-\d/.test(url)).length;
    expect(fetched).toBeGreaterThanOrEqual(20);
    expect(fetched).toBeLessThan(30);
    expect(job.explain(`${origin}/p${fetched * 300 - 1}`)).toMatchObject({ reason: 'LIMIT' });
    expect(job.explain(`${origin}/p11999`)).toBeUndefined();
    expect(warning).toContain(`${children[fetched]}: Not read, and perhaps others: no more pages`);
    const again = client.crawl(`${origin}/`, { limit: 5, scrapeOptions: { formats: [] } });
    expect((await again).discovered).toBe(job.progress.discovered);
  });

  it('fetches none for that where the site asks for time', async () => {
    const children = Array.from({ length: 9 }, (_, index) => `${origin}/sitemap-${index}.xml`);
    const web = site({
      [`${origin}/sitemap.xml`]: xml(children, 'sitemap', 'sitemapindex'),
      ...Object.fromEntries(
        children.map((url, index) => [url, xml(listed(index * 300, index * 300 + 300))]),
      ),
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl(`${origin}/`, {
      limit: 3,
      delay: 0.01,
      scrapeOptions: { formats: [] },
    });
    const { warning } = await job;
    // Those that were fetched ahead of the pages.
    expect(web.log.filter((url) => /sitemap-\d/.test(url)).length).toBeLessThan(6);
    expect(job.explain(`${origin}/p1199`)).toMatchObject({ reason: 'LIMIT' });
    expect(warning).toContain('no more pages were needed');
  });

  it('is accounted for in a store, too, and after the crawl was resumed', async () => {
    const storage = memoryStore();
    const web = site({ [`${origin}/sitemap.xml`]: xml(listed(0, 15_000)) });
    const given = { limit: 8, maxConcurrency: 1, scrapeOptions: { formats: [] } } as const;
    const first = createClient({ engines: [web], storage });
    const left = first.crawl(`${origin}/`, given);
    let seen = 0;
    for await (const _ of left) if (++seen === 3) break;
    await first.close();
    const second = createClient({ engines: [web], storage });
    const resumed = second.jobs.resume(left.id);
    expect(await resumed).toMatchObject({ completed: 8, discovered: 15_002 });
    const reasons = resumed.skippedByReason();
    expect(reasons).toEqual({ LIMIT: 14_994 });
    await second.close();

    await using third = createClient({ engines: [], storage });
    const stored = third.jobs.resume(left.id);
    await stored;
    expect(isClosed(stored)).toBe(true);
    expect(stored.skippedByReason()).toEqual(reasons);
    expect(stored.explain(`${origin}/p14999`)).toMatchObject({ reason: 'LIMIT' });
    expect(stored.skipped({ skip: 12_000, limit: 5 })).toEqual(
      resumed.skipped({ skip: 12_000, limit: 5 }),
    );
  });
});
