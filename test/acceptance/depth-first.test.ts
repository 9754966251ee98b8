import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type CrawlOptions, fileStore } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { type MemoryWeb, memoryWeb, pageOf, seeded } from '../support/memory-web.ts';

const links: Readonly<Record<string, readonly string[]>> = {
  '/': ['/a/', '/b/', '/c/', '/d/', '/e/', '/f/'],
  '/a/': ['/a/1', '/a/2', '/a/3'],
  '/a/1': ['/a/1/x', '/a/1/y', '/b/2'],
  '/a/1/x': ['/', '/a/1/x/deep', '/broken'],
  '/b/': ['/b/1', '/b/2', '/a/3'],
  '/b/1': ['/moved', '/f/1'],
  '/e/': ['/e/1', '/copy'],
  '/f/': ['/f/1', '/f/2'],
};

/** The whole site; with a limit, its beginning. */
const order =
  '/ /a/ /b/ /c/ /d/ /a/1 /a/2 /a/3 /b/1 /a/1/x /a/1/y /b/2 /a/1/x/deep /f/1 /e/ /f/ /listed /e/1 /copy /f/2'.split(
    ' ',
  );

function site(seed: number): MemoryWeb {
  const chance = seeded(seed);
  return memoryWeb((url) => {
    const { pathname } = new URL(url);
    const delay = Math.floor(chance() * 12);
    if (pathname === '/robots.txt') return { status: 404 };
    if (pathname === '/broken') return { status: 500, delay };
    if (pathname === '/moved') return { location: '/c/', delay };
    if (pathname === '/sitemap.xml') {
      const body = '<urlset><url><loc>http://site.test/listed</loc></url></urlset>';
      return { type: 'application/xml', body, delay };
    }
    if (pathname === '/copy') return { body: pageOf('/c/', []), delay };
    const text = `<p>${`The text of ${pathname}. `.repeat(40)}</p>`;
    return {
      body: pageOf(pathname, links[pathname] ?? []).replace('</body>', `${text}</body>`),
      delay,
    };
  });
}

const options: CrawlOptions = {
  strategy: 'depthFirst',
  scrapeOptions: { formats: [], retries: 0 },
};
const pathsOf = (data: readonly { readonly metadata: { readonly url?: string } }[]): string[] =>
  data.map(({ metadata }) => new URL(metadata.url ?? '').pathname);

describe('crawl with strategy depthFirst', () => {
  it.each([1, 3, 8, 16])('takes the same pages in the same order, %i at a time', async (some) => {
    for (const seed of [1, 2]) {
      await using client = createClient({ engines: [site(seed)], cache: false });
      const job = client.crawl('http://site.test/', { ...options, maxConcurrency: some });
      const { data, discovered, completed, failed, skipped, pending } = await job;
      expect(pathsOf(data)).toEqual(order);
      expect(job.errors()).toMatchObject([{ url: 'http://site.test/broken' }]);
      expect(discovered).toBe(completed + failed + skipped + pending);
      expect(pending).toBe(0);
    }
  });

  it.each([1, 6, 11])('keeps exactly %i pages', async (limit) => {
    await using client = createClient({ engines: [site(limit)], cache: false });
    const { data } = await client.crawl('http://site.test/', { ...options, limit });
    expect(pathsOf(data)).toEqual(order.slice(0, limit));
  });

  it('goes on in a later process in the same order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'depth-first-'));
    try {
      const first = createClient({ engines: [site(5)], cache: false, storage: fileStore(folder) });
      const job = first.crawl('http://site.test/', options);
      let pages = 0;
      for await (const _ of job) if (++pages === 7) break;
      await first.close();
      await using later = createClient({
        engines: [site(6)],
        cache: false,
        storage: fileStore(folder),
      });
      const { data } = await later.jobs.resume(job.id);
      expect(pathsOf(data as never)).toEqual(order);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
