/** Endpoints that gave JSON to a page, and the URLs in it, as links of map() and crawl(). */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const json = (value: unknown): { headers: Record<string, string>; body: string } => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

let client: Client;
let site: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] } });
  site = await serve({
    '/': `<!doctype html><html lang="en"><title>Shop</title><body><h1>Shop</h1><p>Lamps for every room.</p><a href="/about">About</a><script>
      fetch('/api/items?page=1').then((r) => r.json());
      fetch('/api/private?access_token=abcdef').then((r) => r.json());
      fetch('/api/closed').then((r) => r.json());
      fetch('/api/posted', { method: 'POST' }).then((r) => r.json());
      fetch('/api/broken').then((r) => r.json());
      fetch('/page.txt');
    </script>`,
    '/robots.txt': 'User-agent: *\nDisallow: /api/closed\n',
    '/about': '<!doctype html><title>About</title><p>About us, and where to find us.</p>',
    '/api/items': json({
      items: [
        { url: '/lamps/1', image: '/lamps/1.png', about: '/about', text: 'see /lamps/9' },
        { url: 'https://elsewhere.example/x', api: '//cdn.example/x' },
      ],
      next: '/api/items?page=2',
    }),
    '/api/private': json(['/lamps/hidden']),
    '/api/closed': json(['/lamps/2']),
    '/api/posted': json(['/lamps/posted']),
    '/api/broken': { status: 500, ...json(['/lamps/broken']) },
    '/page.txt': '/lamps/text',
    '/lamps/1': '<!doctype html><title>Lamp 1</title><p>The first lamp, of brass.</p>',
    '/lamps/2': '<!doctype html><title>Lamp 2</title><p>The second lamp, of glass.</p>',
  });
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

describe('endpoints', { timeout: 90_000 }, () => {
  test('are in a map, with the URLs in their JSON', async () => {
    const { links } = await client.map(site.origin, { endpoints: true, sitemap: 'skip' });
    const found = links.map(({ url, sources, blockedByRobots }) => [
      url.replace(site.origin, ''),
      sources.join(),
      blockedByRobots === true,
    ]);
    expect(found).toEqual([
      ['/', 'start', false],
      ['/api/items', 'endpoint', false],
      ['/lamps/1', 'endpoint', false],
      ['/about', 'endpoint,link', false],
      ['/api/closed', 'endpoint', true],
      ['/lamps/2', 'endpoint', false],
    ]);
    const without = await client.map(site.origin, { sitemap: 'skip' });
    expect(without.links.map(({ url }) => url.replace(site.origin, ''))).toEqual(['/', '/about']);
  });

  test('are followed by a crawl within its rules', async () => {
    const { documents, errors } = await crawled({ endpoints: true });
    expect(documents).toEqual([
      '/',
      '/about',
      '/api/items?page=1',
      '/api/items?page=2',
      '/lamps/1',
      '/lamps/2',
    ]);
    expect(errors).toEqual([]);
    expect((await crawled({})).documents).toEqual(['/', '/about']);
  });

  test('reach the hook of links', async () => {
    const seen: string[] = [];
    const job = client.crawl(site.origin, {
      endpoints: true,
      sitemap: 'skip',
      scrapeOptions: { engine: 'browser', maxAge: 0 },
      hooks: {
        transformLink: ({ url, element }) => {
          if (element === 'json') seen.push(url.replace(site.origin, ''));
          return false;
        },
      },
    });
    await job;
    expect(seen).toContain('/lamps/1');
  });

  test('need a browser', () => {
    expect(() =>
      client.crawl(site.origin, { endpoints: true, scrapeOptions: { engine: 'http' } }),
    ).toThrow("scrapeOptions.engine: engine: 'http' opens no browser, which endpoints needs");
  });
});

async function crawled(options: { readonly endpoints?: boolean }): Promise<{
  readonly documents: string[];
  readonly errors: string[];
}> {
  const job = client.crawl(site.origin, {
    ...options,
    sitemap: 'skip',
    deduplicateContent: 'off',
    scrapeOptions: { engine: 'browser', maxAge: 0 },
  });
  const documents: string[] = [];
  for await (const { metadata } of job) documents.push(metadata.sourceURL.replace(site.origin, ''));
  const errors = job.errors();
  return { documents: documents.sort(), errors: errors.map(({ url }) => url) };
}
