import { createClient, type CrawlOptions, type SkippedUrl, type SkipReason } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { type MemoryPage, memoryWeb, pageOf, seeded } from '../support/memory-web.ts';

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
    pages: { [at('a')]: pageOf('the same'), [at('b')]: pageOf('the same') },
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
  it('is tried for all 15', () => expect(Object.keys(cases)).toHaveLength(15));

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
    // Only a page's content is known when it is there.
    expect(web.log.includes(one.skip.url)).toBe(reason === 'DUPLICATE_CONTENT');
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
