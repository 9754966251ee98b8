import fc from 'fast-check';
import { createClient, type MapOptions, type MapResult } from 'pagewright';
import { fixturesEngine, latency, linkedSite, serve, type SitePage } from 'pagewright/testing';
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

  it('with a sitemap has all of it in its order, and reads the pages that it reads without one', async () => {
    const whole = linkedSite({ pages: 500, sections: 4, seed: 9, sitemap: true });
    await using server = await serve(whole.site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links, warning } = await client.map(server.origin, { limit: 1000 });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual(paths);
    expect(warning).toBeUndefined();
    const read = (): string[] =>
      server.log.map(({ url }) => url).filter((url) => !/robots|sitemap/.test(url));
    const withSitemap = read();
    await client.map(server.origin, { limit: 1000, sitemap: 'skip' });
    expect(read().slice(withSitemap.length)).toEqual(withSitemap);
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

describe('include gives what only and skip give, and more', () => {
  const hosts = ['site.test', 'news.site.test', 'other.test'];
  const words = ['tide', 'lamp', 'bread'];
  const place = fc
    .tuple(
      fc.constantFrom(0, 0, 0, 0, 1, 2),
      fc.integer({ min: 0, max: 25 }),
      fc.constantFrom('', '', '', '/', '?q=1'),
    )
    .map(([host, page, end]) => {
      const section = ['docs', 'blog', 'private'][page % 3] ?? '';
      return `http://${hosts[host] ?? ''}/${section}/${page}${end}`;
    });
  const link = fc.record({ to: place, text: fc.constantFrom(...words, 'more', '') });
  const page = fc.record({
    links: fc.array(link, { maxLength: 6 }),
    title: fc.constantFrom(...words, 'Page'),
  });
  const site = fc.record({
    home: page,
    pages: fc.array(page, { minLength: 26, maxLength: 26 }),
    listed: fc.array(place, { maxLength: 15 }),
    titled: fc.array(fc.record({ to: place, text: fc.constantFrom(...words) }), { maxLength: 5 }),
    robots: fc.constantFrom(
      '',
      'User-agent: *\nDisallow: /private/',
      'User-agent: *\nDisallow: /docs/1',
    ),
    movesTo: fc.constantFrom(
      undefined,
      undefined,
      'http://www.site.test/',
      'http://news.site.test/',
    ),
  });
  const options = fc.record(
    {
      search: fc.constantFrom(...words),
      includePaths: fc.constantFrom(['^/docs/'], ['/[0-9]$']),
      excludePaths: fc.constantFrom(['^/blog/'], ['1']),
      includeSubdomains: fc.boolean(),
      ignoreQueryParameters: fc.boolean(),
      maxDiscoveryDepth: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: [] },
  );
  type Site = typeof site extends fc.Arbitrary<infer Value> ? Value : never;

  function webOf({ home, pages, listed, titled, robots, movesTo }: Site) {
    const html = ({ links, title }: Site['home']): string =>
      `<title>${title}</title><main>${links.map(({ to, text }) => `<a href="${to}">${text}</a>`).join(' ')}</main>`;
    const items = titled.map(
      ({ to, text }) => `<item><title>${text}</title><link>${to}</link></item>`,
    );
    return memoryWeb((url) => {
      const { pathname, host } = new URL(url);
      if (pathname === '/robots.txt') {
        const sitemaps = `Sitemap: http://site.test/sitemap.xml\nSitemap: http://site.test/items.xml\n`;
        return { type: 'text/plain', body: sitemaps + robots };
      }
      if (url === 'http://site.test/sitemap.xml') return urlset(listed);
      if (url === 'http://site.test/items.xml') {
        return { type: 'application/xml', body: `<rss><channel>${items.join('')}</channel></rss>` };
      }
      if (pathname === '/') {
        return movesTo !== undefined && host === 'site.test' ? { location: movesTo } : html(home);
      }
      const found = pages[Number(/\/(\d+)\/?$/.exec(pathname)?.[1] ?? NaN)];
      return found === undefined ? undefined : html(found);
    });
  }
  /** Pages that differ in a final slash or `www.` are one. */
  const pagesOf = (links: MapResult['links']): string[] =>
    links.map(({ url }) => url.replace('//www.', '//').replace(/\/(?=$|\?)/, ''));

  it('on any site, with any options; a smaller limit gives the first of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        site,
        options,
        fc.integer({ min: 1, max: 12 }),
        async (given, asked, few) => {
          const map = async (more: MapOptions): Promise<string[]> => {
            await using client = createClient({ engines: [webOf(given)], cache: false });
            return pagesOf(
              (await client.map('http://site.test/', { limit: 1_000, ...asked, ...more })).links,
            );
          };
          const all = await map({});
          for (const sitemap of ['only', 'skip'] as const) {
            const missing = (await map({ sitemap })).filter((url) => !all.includes(url));
            expect(missing).toEqual([]);
          }
          expect(new Set(all).size).toBe(all.length);
          if (asked.search === undefined)
            expect(await map({ limit: few })).toEqual(all.slice(0, few));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['docs', 'blog', 'shop', 'journal', 'lists'])('on the fixture site %s', async (name) => {
    const origin = `https://${name}.test`;
    const engine = fixturesEngine({ [origin]: `fixtures/sites/${name}` });
    await using client = createClient({ engines: [engine] });
    const map = async (more: MapOptions): Promise<string[]> =>
      pagesOf((await client.map(origin, { limit: 10_000, ...more })).links);
    for (const asked of [
      {},
      { search: 'guide' },
      { maxDiscoveryDepth: 4 },
      { excludePaths: ['a'] },
    ]) {
      const all = new Set(await map(asked));
      for (const sitemap of ['only', 'skip'] as const) {
        expect((await map({ ...asked, sitemap })).filter((url) => !all.has(url))).toEqual([]);
      }
    }
  });
});

describe('a start page that answers 4xx or 5xx', () => {
  it('is told, and gives its links all the same', async () => {
    const pages = {
      'http://site.test/lost': { status: 404, body: pageOf('Lost', ['/found']) },
      'http://site.test/found': pageOf('Found'),
    };
    const { result, urls } = await mapped(pages, 'http://site.test/lost');
    expect(urls).toEqual(['http://site.test/lost', 'http://site.test/found']);
    expect(result.warning).toBe(
      'http://site.test/lost answered 404 Not Found. Its links were read anyway.',
    );
  });
});
