/** Which pages of a crawl a browser is asked for does not depend on time either. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type Client,
  createClient,
  type Engine,
  memoryStore,
  type PlainDocument,
} from 'pagewright';
import { fakeClock } from 'pagewright/testing';
import { memoryWeb, pageOf } from '../support/memory-web.ts';
import { isDeep } from '../support/deep.ts';

/** A site of one host: complete pages, pages of an application, and pages that only look like it. */
const kinds = ['plain', 'false', 'plain', 'app', 'plain'] as const;
const perKind = 45;
const paths = kinds.flatMap((kind, part) =>
  Array.from({ length: perKind }, (_, page) => `/${kind}-${part}-${page}`),
);
const shell = (id: string): string =>
  `<!doctype html><html><head><title>Shop</title></head><body><div id="${id}"></div><script src="/shop.js"></script></body></html>`;

const site = (url: string, isRendered: boolean): string | undefined => {
  const { pathname } = new URL(url);
  if (pathname === '/') return pageOf('start', paths);
  if (!paths.includes(pathname)) return undefined;
  if (pathname.startsWith('/false')) return shell('root');
  return pathname.startsWith('/app') && !isRendered ? shell('app') : pageOf(pathname);
};

/** Plain HTTP and a browser that take up to so many milliseconds. */
function engines(latency: number): { all: Engine[]; rendered: string[] } {
  const late = (engine: Engine): Engine => ({
    ...engine,
    fetch: async (request) => {
      await sleep(Math.random() * latency);
      const snapshot = await engine.fetch(request);
      await sleep(Math.random() * latency);
      return { ...snapshot, engine: engine.name };
    },
  });
  const web = { ...memoryWeb((url) => site(url, false)), name: 'web' };
  const browser = memoryWeb((url) => site(url, true));
  const can = new Set(['render'] as const);
  const all = [late(web), late({ ...browser, name: 'chromium', can, cost: 100 })];
  return { all, rendered: browser.log };
}

const options = { sitemap: 'skip', deduplicateContent: 'off' } as const;

const line = ({ markdown, metadata: { url, engine, engineReason } }: PlainDocument): string =>
  JSON.stringify({ url, engine, engineReason, markdown });

async function crawled(maxConcurrency: number, latency: number): Promise<string> {
  const clock = fakeClock();
  await using client = createClient({ engines: engines(latency).all, cache: false, clock });
  const job = await client.crawl('http://site.test/', { ...options, maxConcurrency });
  return job.data.map(line).join('\n');
}

describe('crawl 3: the same twice, with a browser', () => {
  test('gives each time the same JSONL, and the same with fewer pages at a time', async () => {
    const once = await crawled(1, 0);
    const lines = once.split('\n');
    expect(lines).toHaveLength(1 + paths.length);
    expect(once).toContain('needed by the last 3 pages of this host');
    // The first two that only look like an application, and those less than 20 places behind.
    const inVain = lines.filter((one) => /test\/false/.test(one) && one.includes('chromium'));
    expect(inVain).toHaveLength(21);
    for (let run = 0; run < (isDeep('the same engines ten times') ? 10 : 3); run += 1)
      expect(await crawled(8, 6)).toBe(once);
    expect(await crawled(10, 5)).toBe(once);
  }, 120_000);

  test.each([
    ['with as many pages at a time', {}],
    // Of itself it would learn from pages 60 places before, not 20.
    ['with more pages at a time', { maxConcurrency: 30 }],
  ])(
    'and so does a crawl that was ended and goes on %s',
    async (_, given) => {
      const once = await crawled(1, 0);
      const storage = memoryStore();
      const first = createClient({ engines: engines(10).all, cache: false, storage });
      const job = first.crawl('http://site.test/', { ...options, maxConcurrency: 8 });
      const seen: string[] = [];
      for await (const { metadata } of job) {
        seen.push(metadata.url);
        if (seen.length === 120) break;
      }
      await first.close();
      expect(seen.length).toBeLessThan(paths.length);
      const { all, rendered } = engines(10);
      await using client = createClient({ engines: all, cache: false, storage });
      const { data } = await client.jobs.resume(job.id, given);
      expect(data.map(line).join('\n')).toBe(once);
      // The pages that were rendered before are not rendered again.
      expect(rendered.filter((url) => url.includes('/false'))).toEqual([]);
      expect(rendered.length).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('what pages taught of their host', () => {
  const home = 'http://site.test/';
  const urls = paths
    .filter((path) => path.startsWith('/false'))
    .map((path) => `${home}${path.slice(1)}`);
  const schema = {
    type: 'object',
    properties: { title: { type: 'string', 'x-selector': 'title' } },
  };

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['a batch', async (client) => client.batchScrape(urls, { maxConcurrency: 8 })],
    ['an extraction', async (client) => client.extract({ urls, schema })],
    [
      'a map',
      (client) =>
        client.map(home, { sitemap: 'skip', includePaths: ['/false'], maxDiscoveryDepth: 2 }),
    ],
  ])('%s knows, too', async (_, run) => {
    const { all, rendered } = engines(5);
    await using client = createClient({ engines: all, cache: false });
    await run(client);
    expect(rendered).toHaveLength(21);
  });
});
