import { createClient, type MapOptions, type MapResult } from 'pagewright';
import { latency, linkedSite, serve, type SitePage } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { type MemoryPage, memoryWeb, pageOf } from '../support/memory-web.ts';

const urlset = (urls: readonly string[]): MemoryPage => ({
  type: 'application/xml',
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
});

async function mapped(
  pages: Record<string, string | MemoryPage>,
  url: string,
  options: MapOptions = {},
): Promise<{ result: MapResult; urls: string[]; log: readonly string[] }> {
  const web = memoryWeb(pages);
  await using client = createClient({ engines: [web] });
  const result = await client.map(url, options);
  return { result, urls: result.links.map((link) => link.url), log: web.log };
}

describe('map of a site of 500 pages', () => {
  const { site, paths, graph } = linkedSite({ pages: 500, sections: 4, seed: 9 });

  it('without a sitemap is what two hops lead to, whatever the latency, with 51 requests at most', async () => {
    const seen = new Set(['/', ...(graph.get('/') ?? [])]);
    for (const path of [...seen].slice(1)) for (const link of graph.get(path) ?? []) seen.add(link);
    const texts: string[] = [];
    for (const max of [0, 15]) {
      await using server = await serve(site, { behaviours: { '*': latency({ max, seed: max }) } });
      await using client = createClient({ network: { allow: ['127.0.0.1'] } });
      const result = await client.map(server.origin, { limit: 1000 });
      expect(result.links.map(({ url }) => new URL(url).pathname)).toEqual([...seen]);
      const pages = server.log.filter(({ url }) => !/robots|sitemap/.test(url));
      expect(pages).toHaveLength(1 + (graph.get('/') ?? []).filter((path) => path !== '/').length);
      texts.push(JSON.stringify(result).replaceAll(server.origin, ''));
    }
    expect(texts[1]).toBe(texts[0]);
  });

  it('reads 50 pages at most, however deep it may go', async () => {
    await using server = await serve(site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    await client.map(server.origin, { limit: 1000, maxDiscoveryDepth: 9 });
    expect(server.log.filter(({ url }) => !/robots|sitemap/.test(url))).toHaveLength(50);
  });

  it('with a sitemap has all of it, read from the start page and the sitemaps alone', async () => {
    const whole = linkedSite({ pages: 500, sections: 4, seed: 9, sitemap: true });
    await using server = await serve(whole.site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links, warning } = await client.map(server.origin, { limit: 1000 });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual(paths);
    expect(warning).toBeUndefined();
    expect(server.log.map(({ url }) => url).sort()).toEqual([
      '/',
      '/robots.txt',
      '/sitemap.xml',
      '/sitemap_index.xml',
    ]);
    const defaults = await client.map(server.origin);
    expect(defaults.links).toEqual(
      links.slice(0, 100).map((link) => expect.objectContaining({ url: link.url })),
    );
  });
});

describe('map 5: which hosts belong to the site', () => {
  const hosts = (urls: readonly string[]): string[] => urls.map((url) => new URL(url).host);

  it.each([
    ['shop.example.co.uk', ['example.co.uk', 'a.b.example.co.uk'], ['other.co.uk', 'co.uk']],
    ['alice.github.io', ['docs.alice.github.io'], ['bob.github.io', 'github.io']],
    ['site.test', ['news.site.test'], ['notsite.test', 'site.test.evil.test', 'site-test.com']],
    ['192.0.2.7', [], ['192.0.2.70', '2.7', '1.192.0.2.7.test']],
  ])('of %s', async (host, own, foreign) => {
    const links = [...own, ...foreign].map((name) => `http://${name}/x`);
    const start = `http://${host}/`;
    const pages = { [start]: pageOf('Home', links), [`${start}sitemap.xml`]: urlset(links) };
    expect(hosts((await mapped(pages, start)).urls)).toEqual([host, ...own]);
    const alone = await mapped(pages, start, { includeSubdomains: false });
    expect(hosts(alone.urls)).toEqual([host]);
  });
});

describe('map 10: what is known of each link', () => {
  const origin = 'http://site.test';
  const site: Record<string, string | MemoryPage> = {
    [`${origin}/`]: pageOf('Home')
      .replace(
        '</ul>',
        '<a href="/read">Read more</a> <a href="/feed-item">Read more</a> <a href="/closed/x">Closed</a></ul>',
      )
      .replace(
        '</head>',
        '<meta name="description" content="The home page"><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>',
      ),
    [`${origin}/read`]:
      '<title>What it is called</title><meta name="description" content="What it is about"><p>x</p>',
    [`${origin}/robots.txt`]: { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed/' },
    [`${origin}/sitemap.xml`]: {
      type: 'application/xml',
      body: `<urlset><url><loc>${origin}/dated</loc><lastmod>2024-05-06</lastmod></url></urlset>`,
    },
    [`${origin}/feed.xml`]: {
      type: 'application/rss+xml',
      body: `<rss version="2.0"><channel><item><title>News &amp;lt;b&amp;gt;today</title><description>&lt;p&gt;Some ${'long '.repeat(200)}text</description><link>${origin}/feed-item</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate></item></channel></rss>`,
    },
  };

  it('title, description, lastmod, sources and robots.txt, the same twice', async () => {
    const { result } = await mapped(site, `${origin}/`, { maxDiscoveryDepth: 2 });
    expect(result.links).toEqual([
      { url: `${origin}/`, sources: ['start'], title: 'Home', description: 'The home page' },
      { url: `${origin}/dated`, sources: ['sitemap'], lastmod: '2024-05-06' },
      {
        url: `${origin}/feed-item`,
        sources: ['feed', 'link'],
        title: expect.stringContaining('today') as string,
        description: expect.stringMatching(/^Some long .{200,290}$/) as string,
        lastmod: expect.stringContaining('2024-05-06') as string,
      },
      {
        url: `${origin}/read`,
        sources: ['link'],
        title: 'What it is called',
        description: 'What it is about',
      },
      { url: `${origin}/closed/x`, sources: ['link'], title: 'Closed', blockedByRobots: true },
    ]);
    const again = await mapped(site, `${origin}/`, { maxDiscoveryDepth: 2 });
    expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
  });

  it('does not read feeds that robots.txt closes', async () => {
    const closed = {
      ...site,
      [`${origin}/robots.txt`]: { type: 'text/plain', body: 'User-agent: *\nDisallow: /feed' },
    };
    const { log, urls } = await mapped(closed, `${origin}/`);
    expect(log).not.toContain(`${origin}/feed.xml`);
    expect(urls).toContain(`${origin}/feed-item`);
  });
});

describe('the way to the site', () => {
  it('sends headers with pages, to the site only, and the User-Agent with everything', async () => {
    const page = (links: string): SitePage => `<p>Text</p>${links}`;
    await using other = await serve({ '/feed.xml': '<rss><channel></channel></rss>' });
    await using server = await serve({
      '/': page(
        `<link rel="alternate" type="application/rss+xml" href="${other.url('/feed.xml')}"><a href="/a">a</a>`,
      ),
      '/a': page(''),
    });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const headers = { 'User-Agent': 'Surveyor/1', Authorization: 'Bearer x', 'X-Tenant': '7' };
    await client.map(server.origin, {
      headers,
      location: { country: 'DE', languages: ['de'] },
      proxy: 'basic',
      skipTlsVerification: false,
    });
    const sent = (path: string): Readonly<Record<string, string>> | undefined =>
      server.log.find(({ url }) => url === path)?.headers;
    for (const path of ['/', '/a']) {
      expect(sent(path)).toMatchObject({
        'user-agent': 'Surveyor/1',
        authorization: 'Bearer x',
        'x-tenant': '7',
        'accept-language': expect.stringContaining('de') as string,
      });
    }
    expect(sent('/sitemap.xml')).toMatchObject({ 'user-agent': 'Surveyor/1' });
    expect(sent('/sitemap.xml')).not.toHaveProperty('authorization');
    for (const { headers } of other.log) expect(headers).not.toHaveProperty('authorization');
  });

  it('keeps to the Crawl-delay, and reads less where it leaves no time', async () => {
    const links = Array.from({ length: 9 }, (_, n) => `/p/${n}`);
    await using server = await serve({
      '/': pageOf('Home', links),
      '/robots.txt': 'User-agent: *\nCrawl-delay: 0.5',
      ...Object.fromEntries(links.map((path) => [path, pageOf(path)])),
    });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links: found, warning } = await client.map(server.origin, { timeout: 3000 });
    expect(found).toHaveLength(10);
    expect(warning).toContain('0.5 s between two pages');
    const pages = server.log.filter(({ url }) => url.startsWith('/p/'));
    expect(pages.map(({ url }) => url)).toEqual(links.slice(0, 3));
    const gaps = pages.slice(1).map(({ time }, n) => time - (pages[n]?.time ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThan(400);
  });
});
