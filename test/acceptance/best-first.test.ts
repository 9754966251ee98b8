import { createClient, type CrawlOptions } from 'pagewright';
import { serve, type SitePage } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf, seeded } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';

const strategy = { type: 'bestFirst', query: 'harbour pilots' } as const;

/**
 * 500 pages in twelve sections of which none says what it has. Twenty are about harbour pilots: two
 * are on the fourth section's list, each of the others is linked from one of them.
 */
function harbourSite(): Record<string, SitePage> {
  const chance = seeded(3);
  const some = (paths: readonly string[], count: number): string[] =>
    Array.from({ length: count }, () => paths[Math.floor(chance() * paths.length)] ?? '/');
  const sections = Array.from({ length: 12 }, (_, n) => `/section-${n + 1}/`);
  const relevant = Array.from({ length: 20 }, (_, n) => `/a/${n + 100}`);
  const others = Array.from({ length: 467 }, (_, n) => `/b/${n + 100}`);
  const site: Record<string, SitePage> = {};
  const put = (path: string, title: string, links: readonly string[]): void => {
    const list = links.map((link) => {
      const place = relevant.indexOf(link);
      // Some links tell by their text, some by their URL.
      if (place < 0) return `<a href="${link}">More</a>`;
      return place % 2 === 0
        ? `<a href="${link}">The pilot of the harbour</a>`
        : `<a href="${link}/harbour-pilots">More</a>`;
    });
    const key = relevant.indexOf(path) % 2 === 1 ? `${path}/harbour-pilots` : path;
    site[key] = `<title>${title}</title><h1>${title}</h1><p>Text of ${path}</p>${list.join(' ')}`;
  };
  put('/', 'Home', sections);
  for (const [n, section] of sections.entries()) {
    const list = others.slice(n * 38, n * 38 + 38);
    put(section, `Section ${n + 1}`, n === 3 ? [...list, ...relevant.slice(0, 2)] : list);
  }
  for (const [n, path] of relevant.entries()) {
    const next = n < 2 ? relevant.slice(2 + n * 9, 11 + n * 9) : [];
    put(path, `Pilots ${n}`, [...some(others, 6), ...next]);
  }
  for (const [n, path] of others.entries()) put(path, `Other ${n}`, some(others, 5));
  put(others[466] ?? '', 'The last', []);
  return site;
}

const titles = (data: readonly { readonly metadata: { readonly title?: string } }[]): string[] =>
  data.map(({ metadata }) => metadata.title ?? '');
const relevantOf = (data: Parameters<typeof titles>[0]): number =>
  titles(data).filter((title) => title.startsWith('Pilots')).length;

describe('crawl with strategy bestFirst', () => {
  it('finds the pages about its query where breadth first does not', async () => {
    const site = harbourSite();
    expect(Object.keys(site)).toHaveLength(500);
    await using server = await serve(site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const options: CrawlOptions = { limit: 40, scrapeOptions: { formats: [] } };
    const best = await client.crawl(server.origin, { ...options, strategy });
    const breadth = await client.crawl(server.origin, { ...options, strategy: 'breadthFirst' });
    expect(best.data).toHaveLength(40);
    expect(relevantOf(best.data)).toBeGreaterThanOrEqual(18);
    expect(relevantOf(breadth.data)).toBeLessThanOrEqual(2);
    expect(best.data.every(({ metadata }) => typeof metadata.score === 'number')).toBe(true);
    const withScore = best.data.filter(({ metadata }) => (metadata.score ?? 0) > 0);
    expect(relevantOf(withScore)).toBe(relevantOf(best.data));
    expect(breadth.data[5]?.metadata).not.toHaveProperty('score');
  });

  rareTest(
    'gives the same documents in the same order, whatever the latency and the concurrency',
    async () => {
      const site = harbourSite();
      const lists: string[] = [];
      let failing = 0;
      for (let run = 0; run < 10; run++) {
        const chance = seeded(run + 50);
        const web = memoryWeb((url) => {
          const page = site[new URL(url).pathname];
          if (page === undefined) return undefined;
          // The same pages fail each time.
          const fails = /[37]5$/.test(url);
          if (fails) failing += 1;
          return { body: page as string, delay: Math.floor(chance() * 12), fails };
        });
        await using client = createClient({ engines: [web] });
        const job = client.crawl('http://site.test/', {
          limit: 80,
          strategy,
          maxConcurrency: [1, 8, 16][run % 3],
          scrapeOptions: { formats: ['markdown'], retries: 0 },
        });
        const { data, discovered, completed, failed, skipped, pending } = await job;
        expect(discovered).toBe(completed + failed + skipped + pending);
        expect(pending).toBe(0);
        lists.push(
          JSON.stringify(
            data.map(({ markdown, metadata }) => ({ ...metadata, scrapeId: '', markdown })),
          ),
        );
      }
      expect(failing).toBeGreaterThan(0);
      expect(new Set(lists).size).toBe(1);
    },
  );

  it('takes all pages in the end, each once, with redirects, copies and a sitemap', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `/p/${n}`);
    const lists: string[][] = [];
    for (const maxConcurrency of [1, 8, 16]) {
      const chance = seeded(maxConcurrency);
      const web = memoryWeb((url) => {
        const delay = Math.floor(chance() * 8);
        const { pathname } = new URL(url);
        if (pathname === '/robots.txt') return { status: 404 };
        if (pathname === '/sitemap.xml') {
          const locs = names
            .slice(30)
            .map((path) => `<url><loc>http://site.test${path}</loc></url>`);
          return { type: 'application/xml', body: `<urlset>${locs.join('')}</urlset>`, delay };
        }
        const n = Number(/^\/p\/(\d+)$/.exec(pathname)?.[1] ?? (pathname === '/' ? 0 : NaN));
        if (Number.isNaN(n)) return undefined;
        if (n % 10 === 9) return { location: `/p/${n - 1}`, delay };
        const topic = n % 3 === 0 ? 'harbour' : 'meadow';
        const body = pageOf(`${topic} ${n}`, [`/p/${(n * 7) % 60}`, `/p/${(n + 1) % 60}`]);
        return { body: n % 10 === 4 ? pageOf('The same', []) : body, delay };
      });
      await using client = createClient({ engines: [web] });
      const job = client.crawl('http://site.test/', {
        strategy: { type: 'bestFirst', query: 'harbour' },
        maxConcurrency,
        scrapeOptions: { formats: [] },
      });
      const { data, status, pending } = await job;
      expect({ status, pending }).toEqual({ status: 'completed', pending: 0 });
      lists.push([
        ...data.map(({ metadata }) => metadata.sourceURL),
        ...job
          .skipped()
          .map(({ url, reason, rule }) => `${url} ${reason} ${rule}`)
          .sort(),
      ]);
    }
    expect(lists[0]?.filter((line) => line.includes('DUPLICATE_URL'))).not.toHaveLength(0);
    expect(lists[1]).toEqual(lists[0]);
    expect(lists[2]).toEqual(lists[0]);
    expect(new Set(lists[0]).size).toBe(lists[0]?.length);
  });

  it('chooses among all of a sitemap, by its URLs', async () => {
    const locs = Array.from(
      { length: 1200 },
      (_, n) => `http://site.test/${n === 1150 ? 'harbour-pilots' : `page-${n}`}`,
    );
    const web = memoryWeb((url) => {
      if (url.endsWith('/robots.txt')) return { status: 404 };
      if (url.endsWith('/sitemap.xml')) {
        const entries = locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('');
        return { type: 'application/xml', body: `<urlset>${entries}</urlset>` };
      }
      return pageOf(url);
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', {
      strategy,
      limit: 3,
      scrapeOptions: { formats: [] },
    });
    const { data, skipped, pending } = await job;
    expect(data.map(({ metadata }) => metadata.sourceURL)).toEqual([
      'http://site.test/',
      'http://site.test/harbour-pilots',
      'http://site.test/page-0',
    ]);
    expect({ skipped, pending }).toEqual({ skipped: 1198, pending: 0 });
    expect(job.explain('http://site.test/page-1199')).toMatchObject({
      state: 'skipped',
      reason: 'LIMIT',
    });
  });

  it('understands queries in any script', async () => {
    const web = memoryWeb({
      'http://site.test/':
        '<a href="/1">Расписание</a><a href="/2">Новости</a><a href="/3">Ночные поезда</a>',
      'http://site.test/1': pageOf('1'),
      'http://site.test/2': pageOf('2'),
      'http://site.test/3': pageOf('3'),
    });
    await using client = createClient({ engines: [web] });
    const { data } = await client.crawl('http://site.test/', {
      strategy: { type: 'bestFirst', query: 'ночной поезд' },
      limit: 2,
      scrapeOptions: { formats: [] },
    });
    expect(data.map(({ metadata }) => metadata.sourceURL)).toEqual([
      'http://site.test/',
      'http://site.test/3',
    ]);
  });

  it('ends when it is cancelled', async () => {
    const web = memoryWeb((url) =>
      /robots|sitemap/.test(url)
        ? { status: 404 }
        : {
            body: pageOf(
              url,
              Array.from({ length: 9 }, (_, n) => `${new URL(url).pathname}${n}/`),
            ),
            delay: 3,
          },
    );
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', { strategy, scrapeOptions: { formats: [] } });
    setTimeout(() => void job.cancel(), 150);
    expect((await job).status).toBe('cancelled');
  });

  it.each([
    'bestFirst',
    { type: 'bestFirst' },
    { type: 'bestFirst', query: '' },
    { type: 'bestFirst', query: '?' },
    { type: 'breadth', query: 'a' },
    { type: 'bestFirst', query: 'a', depth: 1 },
  ])('refuses %o at once', async (wrong) => {
    await using client = createClient({ engines: [memoryWeb({})] });
    const options = { strategy: wrong } as unknown as CrawlOptions;
    expect(() => client.crawl('http://site.test/', options)).toThrow(
      /strategy: expected 'breadthFirst' or 'depthFirst' or \{ type: 'bestFirst', query: 'words' \}, got /,
    );
  });
});
