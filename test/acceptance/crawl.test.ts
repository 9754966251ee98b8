import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  type CrawlOptions,
  defineFormat,
  memoryStore,
  PagewrightError,
  type Store,
  ValidationError,
} from 'pagewright';
import { type Behaviour, serve, status } from 'pagewright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveTls } from '../core/http/http-lab.ts';
import { type MemoryPage, memoryWeb, pageOf, seeded } from '../support/memory-web.ts';
import { isDeep, usualAnd } from '../support/deep.ts';

const paths = (urls: readonly string[]): string[] =>
  urls.map((url) => new URL(url).pathname).sort();

/**
 * 500 pages on four hosts. Every page links to a few others of all hosts, so that what is taken
 * is decided by the rules alone.
 */
function fourHosts(): { pages: Record<string, string>; all: string[] } {
  const places = [
    ...Array.from({ length: 200 }, (_, n) => `http://site.test/blogs/post-${n}`),
    ...Array.from({ length: 100 }, (_, n) => `http://site.test/other-parent/blog-${n}`),
    ...Array.from({ length: 60 }, (_, n) => `http://site.test/shop/item-${n}`),
    ...Array.from({ length: 80 }, (_, n) => `http://news.site.test/item-${n}`),
    ...Array.from({ length: 58 }, (_, n) => `http://elsewhere.test/page-${n}`),
  ];
  const all = ['http://site.test/blogs/', 'http://site.test/', ...places];
  const chance = seeded(7);
  const pages: Record<string, string> = {};
  all.forEach((url, index) => {
    const tree = all.slice(index * 5 + 1, index * 5 + 6);
    // The start page reaches every region, so that no region hangs on another one.
    const regions = index === 0 ? all.filter((_, n) => n % 3 === 0) : [];
    const random = Array.from({ length: 6 }, () => all[Math.floor(chance() * all.length)] ?? url);
    pages[url] = pageOf(url, [...tree, ...regions, ...random]);
  });
  return { pages, all };
}

/** What the rules say should be taken, found by following the links of taken pages. */
function expected(pages: Record<string, string>, options: CrawlOptions): string[] {
  const depth = new Map([['http://site.test/blogs/', 0]]);
  const taken: string[] = [];
  for (const [url, hops] of depth) {
    taken.push(url);
    if (new URL(url).host === 'elsewhere.test') continue;
    for (const [, href = ''] of (pages[url] ?? '').matchAll(/href="([^"]*)"/g)) {
      const { host, pathname } = new URL(href);
      const territory =
        host === 'site.test'
          ? options.crawlEntireDomain === true || pathname.startsWith('/blogs/')
          : host === 'news.site.test'
            ? options.allowSubdomains === true
            : options.allowExternalLinks === true;
      const deep = hops + 1 > (options.maxDiscoveryDepth ?? Infinity);
      const excluded = options.excludePaths !== undefined && /7/.test(pathname);
      if (territory && !deep && !excluded && !depth.has(href)) depth.set(href, hops + 1);
    }
  }
  return taken.sort();
}

describe('crawl 1: the exact set, for every combination of scope options', () => {
  const { pages, all } = fourHosts();
  const combinations: CrawlOptions[] = [];
  // First the three that say where, each with a depth and a pattern.
  for (const maxDiscoveryDepth of [2, undefined, 0, 1])
    for (const excludePaths of [['7'], undefined])
      for (const crawlEntireDomain of [false, true])
        for (const allowSubdomains of [false, true])
          for (const allowExternalLinks of [false, true])
            combinations.push({
              crawlEntireDomain,
              allowSubdomains,
              allowExternalLinks,
              maxDiscoveryDepth,
              excludePaths,
            });

  it('is a site of 500 pages', () => expect(all).toHaveLength(500));

  it.each(usualAnd(8, combinations))('%o', async (options) => {
    const web = memoryWeb(pages);
    await using client = createClient({ engines: [web] });
    const result = await client.crawl('http://site.test/blogs/', {
      ...options,
      scrapeOptions: { formats: [] },
    });
    expect(result.status).toBe('completed');
    expect(result.data.map((page) => page.metadata.url).sort()).toEqual(expected(pages, options));
    expect(web.log.filter((url) => !/robots|sitemap/.test(url)).sort()).toEqual(
      expected(pages, options),
    );
  });

  it('does not fetch /other-parent/blog-1 from /blogs/', async () => {
    const web = memoryWeb(pages);
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/blogs/', { scrapeOptions: { formats: [] } });
    await job;
    expect(web.log).not.toContain('http://site.test/other-parent/blog-1');
    const reached = job
      .skipped()
      .find(({ url }) => url.startsWith('http://site.test/other-parent/'));
    expect(reached).toMatchObject({ reason: 'SCOPE', parent: expect.stringContaining('/blogs/') });
  });
});

describe('crawl 2: the exact limit, with 30 % failing and 20 % excluded pages', () => {
  const chance = seeded(11);
  const fate = Array.from({ length: 400 }, () => chance());
  const links = (n: number): string[] =>
    [2 * n + 1, 2 * n + 2, 3 * n + 1, 3 * n + 2, 5 * n + 3, n + 1]
      .filter((m) => m < 400)
      .map((m) => `/p/${m}${(fate[m] ?? 0) < 0.2 ? '-excluded' : ''}`);
  const web = (): ReturnType<typeof memoryWeb> =>
    memoryWeb((url) => {
      const n = Number(/\/p\/(\d+)/.exec(url)?.[1] ?? (url === 'http://site.test/p/' ? 0 : NaN));
      if (Number.isNaN(n)) return undefined;
      const lot = fate[n] ?? 0;
      return {
        body: pageOf(`page ${n}`, links(n)),
        delay: Math.floor(lot * 8),
        fails: n !== 0 && lot > 0.7,
      };
    });

  for (const limit of [1, 7, 50])
    for (const maxConcurrency of [1, 4, 16])
      it(`keeps exactly ${limit} at concurrency ${maxConcurrency} and fetches none after`, async () => {
        const engine = web();
        await using client = createClient({ engines: [engine] });
        const job = client.crawl('http://site.test/p/', {
          limit,
          maxConcurrency,
          excludePaths: ['-excluded$'],
          sitemap: 'skip',
          scrapeOptions: { formats: ['markdown'], retries: 0 },
        });
        const result = await job;
        expect(result.data).toHaveLength(limit);
        expect(result.completed).toBe(limit);
        const requests = engine.log.filter((url) => !url.endsWith('robots.txt'));
        expect(requests).toHaveLength(limit + result.failed);
        expect(requests.some((url) => url.endsWith('-excluded'))).toBe(false);
        expect(result.discovered).toBe(
          result.completed + result.failed + result.skipped + result.pending,
        );
        expect(result.pending).toBe(0);
        expect(job.errors().every(({ code }) => code === 'CONNECTION_RESET')).toBe(true);
      });

  it('keeps the same pages in the same order at any concurrency', async () => {
    const runs: string[][] = [];
    for (const maxConcurrency of [1, 4, 16]) {
      await using client = createClient({ engines: [web()] });
      const { data } = await client.crawl('http://site.test/p/', {
        limit: 50,
        maxConcurrency,
        scrapeOptions: { formats: ['markdown'], retries: 0 },
      });
      runs.push(data.map((page) => page.markdown));
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });
});

describe('crawl 8: many crawls at once', () => {
  const count = isDeep('50 crawls of 50 hosts') ? 50 : 6;
  it(`gives for ${count} crawls of ${count} hosts what as many serial ones give`, async () => {
    const engine = memoryWeb((url) => {
      const { hostname, pathname } = new URL(url);
      const n = pathname === '/' ? 0 : Number(/^\/(\d+)$/.exec(pathname)?.[1] ?? NaN);
      if (Number.isNaN(n) || n > 11) return undefined;
      return {
        body: pageOf(`${hostname} ${n}`, [`/${n * 2 + 1}`, `/${n * 2 + 2}`]),
        delay: (n * 7) % 5,
      };
    });
    await using client = createClient({ engines: [engine] });
    const hosts = Array.from({ length: count }, (_, n) => `http://host-${n}.test/`);
    const run = async (url: string): Promise<string> => {
      const { data } = await client.crawl(url, { scrapeOptions: { formats: ['markdown'] } });
      return data.map((page) => page.markdown).join('\n---\n');
    };
    const together = await Promise.all(hosts.map(run));
    const serial: string[] = [];
    for (const host of hosts) serial.push(await run(host));
    expect(together).toEqual(serial);
    expect(together[0]).toContain('host-0.test 11');
  }, 120_000);

  it('writes no file in the working directory and lets the process end by itself', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'pagewright-cwd-'));
    const script = `
      import { createClient } from '${new URL('../../dist/index.js', import.meta.url).href}';
      import { serve } from '${new URL('../../dist/entries/testing/index.js', import.meta.url).href}';
      import { EventEmitter } from 'node:events';
      const server = await serve({ '/': '<main><p>Home of it all.</p><a href="/a">a</a></main>', '/a': '<main><p>Second page.</p></main>' });
      const client = createClient({ network: { allow: ['127.0.0.1'] } });
      const { data } = await client.crawl(server.origin);
      await client.scrape(server.origin);
      await client.close();
      await server.close();
      const closed = Date.now();
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
      process.on('exit', () => console.log(JSON.stringify({ pages: data.length, lag: Date.now() - closed, signals, listeners: EventEmitter.defaultMaxListeners })));
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
      timeout: 30_000,
    });
    const report = JSON.parse(output) as {
      pages: number;
      lag: number;
      signals: number[];
      listeners: number;
    };
    expect(report).toMatchObject({ pages: 2, signals: [0, 0, 0], listeners: 10 });
    // What holds a process up does so for seconds, on a busy machine as on an idle one.
    expect(report.lag).toBeLessThan(2500);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('the job', () => {
  const chain = (length: number): ReturnType<typeof memoryWeb> =>
    memoryWeb((url) => {
      const n = Number(/\/(\d*)$/.exec(url)?.[1] ?? NaN);
      return Number.isNaN(n) || n >= length
        ? undefined
        : { body: pageOf(`page ${n}`, [`/${n + 1}`, `/${n + 2}`]), delay: 1 };
    });

  it('gives the first page before the last request starts', async () => {
    const engine = chain(60);
    await using client = createClient({ engines: [engine] });
    let atFirst = 0;
    for await (const _ of client.crawl('http://site.test/', { limit: 60, maxConcurrency: 2 })) {
      atFirst ||= engine.log.length;
    }
    expect(atFirst).toBeLessThan(20);
    expect(engine.log.length).toBeGreaterThanOrEqual(60);
  });

  it('waits for a slow consumer', async () => {
    const engine = chain(400);
    await using client = createClient({ engines: [engine] });
    const job = client.crawl('http://site.test/', { limit: 400, maxConcurrency: 4 });
    const pages = job[Symbol.asyncIterator]();
    await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(job.progress.completed).toBeLessThan(40);
    await pages.return();
  });

  it('tells of pages, skips and failures as events, and survives a listener that throws', async () => {
    const warnings: string[] = [];
    const engine = memoryWeb({
      'http://site.test/': pageOf('start', [
        '/a',
        '/broken',
        'http://other.test/',
        '/logo.png',
        'mailto:x@y.z',
      ]),
      'http://site.test/a': pageOf('a'),
      'http://site.test/broken': { fails: true },
    });
    await using client = createClient({
      engines: [engine],
      logger: { warn: (_, text) => warnings.push(text) },
    });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    const events: string[] = [];
    job.on('started', () => events.push('started'));
    job.on('page', (page) => events.push(`page ${page.metadata.url}`));
    job.on('page', () => {
      throw new Error('listener');
    });
    job.on('pageFailed', ({ url }) => events.push(`failed ${url}`));
    job.on('skipped', ({ url, reason }) => events.push(`${reason} ${url}`));
    job.on('completed', () => events.push('completed'));
    await job;
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([
      'started',
      'PROTOCOL mailto:x@y.z',
      'page http://site.test/',
      'EXTERNAL http://other.test/',
      'FILE_TYPE http://site.test/logo.png',
      'page http://site.test/a',
      'failed http://site.test/broken',
      'completed',
    ]);
    expect(warnings).toHaveLength(2);
    expect(job.explain('http://other.test/')).toMatchObject({
      state: 'skipped',
      reason: 'EXTERNAL',
      rule: 'allowExternalLinks: false',
      parent: 'http://site.test/',
    });
    expect(job.explain('http://site.test/broken')).toMatchObject({
      state: 'failed',
      code: 'CONNECTION_RESET',
    });
    expect(job.explain('http://never.test/')).toBeUndefined();
  });
});

describe('crawl takes pages as they are', () => {
  it('folds duplicates: slash, www, tracking parameters, fragment, redirect, canonical, same body', async () => {
    const same = `<main><p>${'The very same words on two addresses. '.repeat(20)}</p></main>`;
    const engine = memoryWeb({
      'http://site.test/': pageOf('start', [
        '/a',
        '/a/',
        'http://www.site.test/a',
        '/a?utm_source=mail',
        '/a#part',
        '/moved',
        '/print',
        '/twin-1',
        '/twin-2',
      ]),
      'http://site.test/a': pageOf('a'),
      'http://site.test/moved': { location: '/a' },
      'http://site.test/print': pageOf('a for the printer').replace(
        '<head>',
        '<head><link rel="canonical" href="/a">',
      ),
      'http://site.test/twin-1': same,
      'http://site.test/twin-2': same,
    });
    await using client = createClient({ engines: [engine] });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    const { data } = await job;
    expect(data.map((page) => page.metadata.url)).toEqual([
      'http://site.test/',
      'http://site.test/a',
      'http://site.test/twin-1',
    ]);
    expect(job.skipped().map(({ url, reason, rule }) => [url, reason, rule])).toEqual([
      ['http://site.test/a/', 'DUPLICATE_URL', 'http://site.test/a'],
      ['http://www.site.test/a', 'DUPLICATE_URL', 'http://site.test/a'],
      ['http://site.test/a?utm_source=mail', 'DUPLICATE_URL', 'http://site.test/a'],
      ['http://site.test/moved', 'DUPLICATE_URL', 'http://site.test/a'],
      ['http://site.test/print', 'DUPLICATE_URL', 'http://site.test/a'],
      ['http://site.test/twin-2', 'DUPLICATE_CONTENT', 'http://site.test/twin-1'],
    ]);
  });

  it('obeys robots.txt unless told otherwise, and says what it left out', async () => {
    const pages = {
      'http://site.test/': pageOf('start', ['/open', '/closed/page']),
      'http://site.test/open': pageOf('open'),
      'http://site.test/closed/page': pageOf('closed'),
      'http://site.test/robots.txt': {
        type: 'text/plain',
        body: 'User-agent: *\nDisallow: /closed/\n',
      },
    };
    await using client = createClient({ engines: [memoryWeb(pages)] });
    const polite = client.crawl('http://site.test/');
    const result = await polite;
    expect(paths(result.data.map((page) => page.metadata.url))).toEqual(['/', '/open']);
    expect(polite.explain('http://site.test/closed/page')).toMatchObject({
      reason: 'ROBOTS',
      rule: 'Disallow: /closed/',
    });
    expect(result.warning).toContain('robots.txt');
    const { data } = await client.crawl('http://site.test/', { ignoreRobotsTxt: true });
    expect(data).toHaveLength(3);
  });

  it('reads sitemaps before links, or instead of them', async () => {
    const urlset = (...urls: string[]): string =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
    const pages = {
      'http://site.test/': pageOf('start', ['/linked']),
      'http://site.test/linked': pageOf('linked'),
      'http://site.test/orphan': pageOf('orphan', ['/deep']),
      'http://site.test/deep': pageOf('deep'),
      'http://site.test/sitemap.xml': {
        type: 'application/xml',
        body: urlset('http://site.test/orphan'),
      },
    };
    const order = async (sitemap: 'include' | 'skip' | 'only'): Promise<string[]> => {
      await using client = createClient({ engines: [memoryWeb(pages)] });
      const { data } = await client.crawl('http://site.test/', { sitemap });
      return data.map(
        (page) =>
          `${new URL(page.metadata.url).pathname} ${page.metadata.depth} ${page.metadata.discoveredBy}`,
      );
    };
    expect(await order('include')).toEqual([
      '/ 0 start',
      '/orphan 0 sitemap',
      '/linked 1 link',
      '/deep 1 link',
    ]);
    expect(await order('skip')).toEqual(['/ 0 start', '/linked 1 link']);
    expect(await order('only')).toEqual(['/ 0 start', '/orphan 0 sitemap']);
  });

  it('takes the links of a start page whose own document is filtered out', async () => {
    const engine = memoryWeb({
      'http://site.test/': pageOf('start', ['/keep/1', '/drop/1']),
      'http://site.test/keep/1': pageOf('keep'),
    });
    await using client = createClient({ engines: [engine] });
    const job = client.crawl('http://site.test/', { includePaths: ['^/keep/'], sitemap: 'skip' });
    expect((await job).data.map((page) => page.metadata.url)).toEqual(['http://site.test/keep/1']);
    expect(job.explain('http://site.test/')).toMatchObject({ reason: 'INCLUDE' });
    expect(job.explain('http://site.test/drop/1')).toMatchObject({ reason: 'INCLUDE' });
  });
});

it('a pattern that is a regular expression and looks like a glob is a warning', async () => {
  const engine = memoryWeb({
    'http://site.test/': pageOf('start', ['/a']),
    'http://site.test/a': pageOf('A'),
  });
  await using client = createClient({ engines: [engine] });
  const options = { includePaths: ['/docs/*', '^/'], sitemap: 'skip' } as const;
  const warning =
    'includePaths: "/docs/*" is read as a regular expression, where * repeats the character before it. If you meant a glob, write "^/docs/[^/]*$".';
  expect((await client.crawl('http://site.test/', options)).warning).toBe(warning);
  expect((await client.plan('http://site.test/', options)).warning).toBe(warning);
  expect((await client.map('http://site.test/', options)).warning).toBe(warning);
});

describe('crawl refuses wrong options at once', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ limt: 5 }, 'did you mean "limit"?'],
    [{ limit: 0 }, 'limit'],
    [{ includePaths: ['('] }, 'includePaths[0]'],
    [
      { includePaths: ['^/a', '/blog/**'] },
      'includePaths[1]: "/blog/**" is a glob; patterns are regular expressions: write "^/blog/"',
    ],
    [{ excludePaths: ['*.html'] }, 'excludePaths[0]: "*.html" is a glob'],
    [{ excludePaths: ['^/(a+)+(?=x)$'] }, 'catastrophic'],
    [{ scrapeOptions: { formats: ['markdwon'] } }, 'did you mean "markdown"?'],
    [{ delay: 61 }, 'delay'],
  ])('%o', async (options, message) => {
    const engine = memoryWeb({});
    const client = createClient({ engines: [engine] });
    onTestFinished(() => client.close());
    expect(() => client.crawl('http://site.test/', options as CrawlOptions)).toThrow(
      ValidationError,
    );
    expect(() => client.crawl('http://site.test/', options as CrawlOptions)).toThrow(message);
    expect(engine.log).toEqual([]);
    await Promise.resolve();
  });

  it('matches what would backtrack without end in linear time', async () => {
    const engine = memoryWeb({
      'http://site.test/': pageOf('start', [`/blog/${'a'.repeat(60)}!`]),
    });
    await using client = createClient({ engines: [engine] });
    const before = performance.now();
    await client.crawl('http://site.test/', { includePaths: ['^/blog/(a+)+$'], sitemap: 'skip' });
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe('crawl is the same at any speed', () => {
  const run = async (
    pages: Record<string, string | MemoryPage>,
    maxConcurrency = 8,
  ): Promise<string[]> => {
    await using client = createClient({ engines: [memoryWeb(pages)] });
    const { data } = await client.crawl('http://site.test/', { maxConcurrency });
    return data.map((page) => new URL(page.metadata.sourceURL).pathname);
  };

  it.each([0, 60])('whichever of two URLs of one page answers first (%i ms)', async (delay) => {
    const pages = {
      'http://site.test/': pageOf('start', ['/a', '/b', '/z']),
      'http://site.test/a': { location: '/z', delay },
      'http://site.test/b': { body: pageOf('b'), delay: 30 },
      'http://site.test/z': pageOf('z'),
    };
    for (const concurrency of [1, 2, 8]) {
      expect(await run(pages, concurrency)).toEqual(['/', '/a', '/b']);
    }
  });

  it('loses no document when the owner of its URL fails', async () => {
    let asked = 0;
    const web = memoryWeb((url) => {
      if (url === 'http://site.test/') return pageOf('start', ['/b', '/a']);
      if (url === 'http://site.test/a') return { location: '/b' };
      if (url === 'http://site.test/b')
        return (asked += 1) === 1 ? { fails: true, delay: 40 } : pageOf('b');
      return undefined;
    });
    await using client = createClient({ engines: [web] });
    const { data, failed } = await client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: { retries: 0 },
    });
    expect(data.map((page) => page.metadata.sourceURL)).toEqual([
      'http://site.test/',
      'http://site.test/a',
    ]);
    expect(failed).toBe(1);
  });

  it('takes the sitemap of the place where the start page redirects to', async () => {
    const pages = {
      'http://site.test/': { location: '/v3/' },
      'http://site.test/v3/': pageOf('v3', ['/v3/linked']),
      'http://site.test/v3/linked': pageOf('linked'),
      'http://site.test/v3/listed': pageOf('listed'),
      'http://site.test/sitemap.xml': {
        type: 'application/xml',
        body: '<urlset><url><loc>http://site.test/v3/listed</loc></url></urlset>',
      },
    };
    for (const concurrency of [1, 8]) {
      expect(await run(pages, concurrency)).toEqual(['/', '/v3/listed', '/v3/linked']);
    }
  });

  it('leaves out pages that redirect to where the crawl may not go, by the rule that says so', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('start', ['/out', '/private', '/draft', '/moved']),
      'http://site.test/robots.txt': { body: 'User-agent: *\nDisallow: /no', type: 'text/plain' },
      'http://site.test/out': { location: 'http://other.test/x' },
      'http://other.test/x': pageOf('x'),
      'http://site.test/private': { location: '/no/1' },
      'http://site.test/no/1': pageOf('no'),
      'http://site.test/draft': { location: '/drafts/1' },
      'http://site.test/drafts/1': pageOf('draft'),
      'http://site.test/moved': { location: '/here' },
      'http://site.test/here': pageOf('here'),
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', { sitemap: 'skip', excludePaths: ['^/drafts/'] });
    const { data } = await job;
    expect(paths(data.map((page) => page.metadata.url))).toEqual(['/', '/here']);
    expect(Object.fromEntries(job.skipped().map(({ url, reason }) => [url, reason]))).toEqual({
      'http://site.test/out': 'EXTERNAL',
      'http://site.test/private': 'ROBOTS',
      'http://site.test/draft': 'EXCLUDE',
    });
  });

  it('does not follow the links of pages that redirect to other sites', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('start', ['/out']),
      'http://site.test/out': { location: 'http://other.test/x' },
      'http://other.test/x': pageOf('x', ['/y']),
      'http://other.test/y': pageOf('y'),
    });
    await using client = createClient({ engines: [web] });
    const { data } = await client.crawl('http://site.test/', {
      allowExternalLinks: true,
      sitemap: 'skip',
    });
    expect(data.map((page) => page.metadata.url)).toEqual([
      'http://site.test/',
      'http://other.test/x',
    ]);
  });
});

describe('what goes wrong in a crawl', () => {
  it('is a page failure when a format throws or gives what cannot be stored', async () => {
    const broken = defineFormat({
      name: 'broken',
      needs: 'content',
      run: ({ url }) => {
        if (url.endsWith('/a')) throw new TypeError('no such thing');
        return url.endsWith('/b') ? () => 1 : 1;
      },
    });
    const web = memoryWeb({
      'http://site.test/': pageOf('start', ['/a', '/b', '/c']),
      'http://site.test/a': pageOf('a'),
      'http://site.test/b': pageOf('b'),
      'http://site.test/c': pageOf('c'),
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: { formats: [broken] },
    });
    const { data } = await job;
    expect(data).toHaveLength(2);
    expect(job.errors()).toMatchObject([
      { url: 'http://site.test/a', code: 'HOOK_FAILED', error: expect.stringContaining('broken') },
      { url: 'http://site.test/b', code: 'HOOK_FAILED' },
    ]);
  });

  it('ends the job at once when the store cannot write', async () => {
    const store = memoryStore();
    let writes = 0;
    const full: Store = {
      ...store,
      set: (...given) =>
        (writes += 1) > 1
          ? Promise.reject(new PagewrightError('STORAGE', 'full'))
          : store.set(...given),
    };
    const web = memoryWeb({
      'http://site.test/': pageOf('start', ['/a', '/slow']),
      'http://site.test/a': pageOf('a'),
      'http://site.test/slow': { body: pageOf('slow'), delay: 5000 },
    });
    await using client = createClient({ engines: [web], storage: full });
    const before = performance.now();
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
    expect(performance.now() - before).toBeLessThan(2000);
    expect(job.progress.status).toBe('failed');
  });

  it('keeps what a closed client had, and leaves the caller’s store alone', async () => {
    const store = memoryStore();
    const web = memoryWeb({ 'http://site.test/': pageOf('start') });
    const client = createClient({ engines: [web], storage: store });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    await job;
    await client.close();
    expect((await job).data).toHaveLength(1);
    await using other = createClient({ engines: [web], storage: store });
    expect((await other.crawl('http://site.test/', { sitemap: 'skip' })).data).toHaveLength(1);
  });
});

describe('crawl reads the fixture sites completely', () => {
  it.each([
    ['docs', '/docs/', 'docsPages'],
    ['shop', '/', 'pages'],
    ['blog', '/', 'pages'],
  ])('%s from %s', async (name, path, list) => {
    await using server = await serve(`fixtures/sites/${name}`);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const job = client.crawl(server.url(path), { scrapeOptions: { formats: [] } });
    const { data, errors } = await job;
    const { default: site } = (await import(`../../fixtures/sites/${name}/site.json`)) as {
      default: {
        facts: Record<string, string[]> & { brokenLinks?: (string | { to: string })[] };
      };
    };
    const disallowed = new Set(site.facts.disallowed);
    for (const page of site.facts[list] ?? []) {
      const outcome = job.explain(server.url(page));
      const reason = outcome?.state === 'skipped' ? outcome.reason : outcome?.state;
      if (disallowed.has(page)) expect([page, reason]).toEqual([page, 'ROBOTS']);
      else expect(['completed', 'DUPLICATE_URL', 'DUPLICATE_CONTENT']).toContain(reason);
    }
    const failed = errors.map((failure) => [failure.code, failure.url]).sort();
    const broken = (site.facts.brokenLinks ?? [])
      .map((link) => (typeof link === 'string' ? link : link.to))
      .filter((page) => page.startsWith(path) && !disallowed.has(page));
    expect(failed).toEqual(broken.map((page) => ['HTTP_STATUS', server.url(page)]).sort());
    const urls = data.map((page) => page.metadata.url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(urls.every((url) => url.startsWith(server.url(path)))).toBe(true);
  });
});

describe('crawl 6: a host that asks for a pause', () => {
  it('is asked again when Retry-After is over, and no other host waits', async () => {
    let refused = false;
    const pause: Behaviour = async (exchange) => {
      if (refused) return exchange.send(await exchange.page());
      refused = true;
      await status({ code: 429, retryAfter: 2 })(exchange);
    };
    const pages = {
      '/': pageOf('start', ['/a', '/b', '/c', '/d']),
      ...Object.fromEntries(['/a', '/b', '/c', '/d'].map((path) => [path, pageOf(path)])),
    };
    await using busy = await serve(pages, { behaviours: { '/b': pause } });
    await using calm = await serve(pages);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const options = {
      sitemap: 'skip',
      ignoreRobotsTxt: true,
      maxConcurrency: 1,
      scrapeOptions: { proxy: 'basic' },
    } as const;
    const [slow, fast] = [
      client.crawl(busy.url('/'), options),
      client.crawl(calm.url('/'), options),
    ];
    expect((await fast).completed).toBe(5);
    expect(slow.progress.completed).toBeLessThan(5);
    const { data } = await slow;
    expect(data.map(({ metadata }) => metadata.statusCode)).toEqual([200, 200, 200, 200, 200]);
    const asked = busy.log.map(({ time }) => time);
    const at = busy.log.findIndex(({ url }) => url === '/b');
    expect(busy.log[at + 1]?.url).toBe('/b');
    expect((asked[at + 1] ?? 0) - (asked[at] ?? 0)).toBeGreaterThanOrEqual(2000);
  });
});

describe('what the requests of one job have in common', () => {
  const pages = {
    '/': pageOf('start', ['/a', '/b', '/c']),
    ...Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, pageOf(path)])),
  };

  it('is one visitor, in stealth and for proxies, its robots.txt included', async () => {
    await using server = await serve(pages);
    const visitors = new Set<unknown>();
    await using client = createClient({
      network: { allow: ['127.0.0.1'] },
      proxy: { pick: ({ visitor }) => void visitors.add(visitor) },
    });
    const scrapeOptions = { proxy: 'stealth' } as const;
    expect((await client.crawl(server.url('/'), { scrapeOptions })).completed).toBe(4);
    expect(new Set(server.log.map(({ headers }) => headers['user-agent'])).size).toBe(1);
    expect(visitors.size).toBe(1);
  });

  it('is the delay, which retries keep too', async () => {
    let failures = 0;
    const flaky: Behaviour = async (exchange) => {
      if ((failures += 1) > 2) return exchange.send(await exchange.page());
      await status({ code: 500 })(exchange);
    };
    await using server = await serve(pages, { behaviours: { '/a': flaky } });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const options = { delay: 0.4, ignoreRobotsTxt: true, sitemap: 'skip' } as const;
    expect((await client.crawl(server.url('/'), options)).completed).toBe(4);
    const times = server.log.map(({ time }) => time);
    expect(times).toHaveLength(6);
    for (const [index, time] of times.slice(1).entries()) {
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(370);
    }
  });

  it('is the check of certificates, for robots.txt as for pages', async () => {
    const secure = await serveTls((_, response) => response.end('<p>Text</p>'));
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const scrapeOptions = { skipTlsVerification: false, retries: 0 };
    const job = client.crawl(secure.origin, { scrapeOptions });
    await expect(job).rejects.toMatchObject({ code: 'TLS' });
    expect(secure.log).toEqual([]);
  });

  it('is the patience with a host that is busy at first', async () => {
    let refusals = 4;
    const busy: Behaviour = async (exchange) => {
      if ((refusals -= 1) < 0) return exchange.send(await exchange.page());
      await status({ code: 503 })(exchange);
    };
    await using server = await serve(pages, { behaviours: { '*': busy } });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const options = { ignoreRobotsTxt: true, sitemap: 'skip' } as const;
    // Its start page was asked for three times.
    await expect(client.crawl(server.url('/'), options)).rejects.toMatchObject({ statusCode: 503 });
    const { completed, failed } = await client.crawl(server.url('/'), options);
    expect({ completed, failed }).toEqual({ completed: 4, failed: 0 });
  });
});
