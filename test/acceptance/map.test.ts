import { gzipSync } from 'node:zlib';
import { createClient, type MapOptions, type SiteLink } from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { type MemoryPage, memoryWeb, pageOf } from '../support/memory-web.ts';

const xml = (root: 'urlset' | 'sitemapindex', ...locs: string[]): MemoryPage => ({
  type: 'application/xml',
  body: `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs
    .map((loc) =>
      root === 'urlset' ? `<url><loc>${loc}</loc></url>` : `<sitemap><loc>${loc}</loc></sitemap>`,
    )
    .join('')}</${root}>`,
});

const site = (path: string): string => `http://site.test${path}`;

const rich: Record<string, string | MemoryPage> = {
  [site('/')]: pageOf('Home', [
    '/linked',
    '/from-map',
    'mailto:a@b.c',
    'tel:+1',
    'javascript:void(0)',
    'data:text/plain,x',
    'http://[bad',
    '/logo.png',
  ]).replace(
    '</head>',
    '<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>',
  ),
  [site('/robots.txt')]: {
    type: 'text/plain',
    body: `User-agent: *\nDisallow: /secret\nSitemap: ${site('/maps/a.xml')}\n`,
  },
  [site('/maps/a.xml')]: xml(
    'sitemapindex',
    site('/maps/b.xml'),
    site('/maps/a.xml'),
    site('/maps/broken.xml'),
  ),
  [site('/maps/b.xml')]: xml('urlset', site('/from-map'), site('/secret/plan')),
  [site('/maps/broken.xml')]: { status: 500, body: 'no' },
  [site('/sitemap_index.xml')]: xml('sitemapindex', site('/maps/c.xml')),
  [site('/maps/c.xml')]: xml('urlset', site('/guessed')),
  [site('/feed.xml')]: {
    type: 'application/rss+xml',
    body: `<rss version="2.0"><channel><title>F</title><item><title>News item</title><link>${site('/news/1')}</link></item></channel></rss>`,
  },
};

const mapOf = async (
  pages: Record<string, string | MemoryPage>,
  options: MapOptions = {},
): Promise<{ urls: string[]; links: SiteLink[]; warning: string | undefined }> => {
  await using client = createClient({ engines: [memoryWeb(pages)] });
  const { links, warning } = await client.map(site('/'), options);
  return { urls: links.map(({ url }) => url.replace('http://site.test', '')), links, warning };
};

describe('map 1 and 2: every source, in three modes', () => {
  it('has the dates of news from a gzipped sitemap, and leaves out what is no date', async () => {
    const namespace = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"';
    const entry = (path: string, date: string): string =>
      `<url><loc>${site(path)}</loc><n:news><n:publication_date>${date}</n:publication_date></n:news></url>`;
    const news = `<urlset ${namespace}>${entry('/1', '2026-11-20T08:30:00Z')}${entry('/2', '20.11.2026')}</urlset>`;
    await using server = await serve({
      '/': '<p>Home</p>',
      '/sitemap.xml': { body: gzipSync(news) },
    });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links } = await client.map(server.url('/'), {
      sitemap: 'only',
      allowExternalLinks: true,
    });
    expect(links).toEqual([
      { url: site('/1'), publicationDate: '2026-11-20T08:30:00Z', sources: ['sitemap'] },
      { url: site('/2'), sources: ['sitemap'] },
    ]);
  });

  it('include: robots lines, nested and guessed sitemaps, feeds and links; loops survived', async () => {
    const { urls, links } = await mapOf(rich);
    expect(urls).toEqual(['/', '/from-map', '/secret/plan', '/guessed', '/news/1', '/linked']);
    expect(links.map(({ sources }) => sources)).toEqual([
      ['start'],
      ['sitemap', 'link'],
      ['sitemap'],
      ['sitemap'],
      ['feed'],
      ['link'],
    ]);
    expect(links[0]).toMatchObject({ title: 'Home' });
    expect(links[4]).toMatchObject({ title: 'News item' });
    expect(links[2]).toMatchObject({ blockedByRobots: true });
  });

  it('only: the sitemaps, all of them and nothing else', async () => {
    expect((await mapOf(rich, { sitemap: 'only' })).urls).toEqual([
      '/from-map',
      '/secret/plan',
      '/guessed',
    ]);
  });

  it('skip: the page and its links', async () => {
    expect((await mapOf(rich, { sitemap: 'skip', maxDiscoveryDepth: 1 })).urls).toEqual([
      '/',
      '/linked',
      '/from-map',
    ]);
  });

  it('knows gzip by its bytes, and survives 50 MB of sitemap', async () => {
    const big = `<urlset>${`<url><loc>${site('/same')}</loc>${' '.repeat(160)}</url>`.repeat(260_000)}`;
    await using server = await serve({
      '/robots.txt': (request) => ({
        body: `Sitemap: http://${request.headers.host}/packed.xml\nSitemap: http://${request.headers.host}/big.xml`,
      }),
      '/packed.xml': (request) => ({
        body: gzipSync(
          `<urlset><url><loc>http://${request.headers.host}/in-gzip</loc></url></urlset>`,
        ),
      }),
      '/big.xml': { body: big },
      '/': '<p>Home</p>',
    });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links, warning } = await client.map(server.origin);
    expect(links.map(({ url }) => url)).toContain(server.url('/in-gzip'));
    expect(warning).toContain('/big.xml');
  });

  it('walks a site without sitemaps two hops deep', async () => {
    const { urls } = await mapOf({
      [site('/')]: pageOf('Home', ['/a']),
      [site('/a')]: pageOf('A', ['/b']),
      [site('/b')]: pageOf('B', ['/c']),
    });
    expect(urls).toEqual(['/', '/a', '/b']);
  });

  it('reads the three fixture sites completely', async () => {
    for (const name of ['docs', 'shop', 'blog']) {
      await using server = await serve(`fixtures/sites/${name}`);
      await using client = createClient({ network: { allow: ['127.0.0.1'] } });
      const only = await client.map(server.origin, {
        sitemap: 'only',
        limit: 1000,
        ignoreQueryParameters: false,
      });
      const { default: facts } = (await import(`../../fixtures/sites/${name}/site.json`)) as {
        default: { facts: { sitemap: string[] } };
      };
      expect(only.links.map(({ url }) => url.replace(server.origin, '')).sort()).toEqual(
        [...facts.facts.sitemap].sort(),
      );
      expect(only.links.every(({ sources }) => sources.includes('sitemap'))).toBe(true);
    }
  });
});

describe('map 3: limit', () => {
  it.each([1, 2, 5, 100])(
    '%i gives as many, the start URL first, in the same order',
    async (limit) => {
      const all = (await mapOf(rich)).urls;
      const { urls } = await mapOf(rich, { limit });
      expect(urls).toHaveLength(Math.min(limit, all.length));
      expect(urls).toEqual(all.slice(0, limit));
    },
  );
});

describe('map 7 and 8: each place once, and only places', () => {
  it('folds slash, fragment, default port, escapes, dot segments and tracking parameters', async () => {
    const { urls } = await mapOf({
      [site('/')]: pageOf('Home', [
        '/a',
        '/a/',
        '/a#x',
        'http://site.test:80/a',
        '/%61',
        '/b/../a',
        '/a?utm_source=x',
        'HTTP://SITE.test/a',
        '/A',
      ]),
    });
    expect(urls).toEqual(['/', '/a', '/A']);
  });

  it('keeps or drops queries as told', async () => {
    const pages = { [site('/')]: pageOf('Home', ['/a?page=1', '/a?page=2']) };
    expect((await mapOf(pages)).urls).toEqual(['/', '/a']);
    expect((await mapOf(pages, { ignoreQueryParameters: false })).urls).toEqual([
      '/',
      '/a?page=1',
      '/a?page=2',
    ]);
  });

  it('takes subdomains but never look-alikes', async () => {
    const pages = {
      [site('/')]: pageOf('Home', [
        'http://news.site.test/x',
        'http://notsite.test/y',
        'http://site.test.evil.test/z',
      ]),
    };
    const external = async (options: MapOptions): Promise<string[]> =>
      (await mapOf(pages, options)).urls.filter((url) => !url.startsWith('/'));
    expect(await external({})).toEqual(['http://news.site.test/x']);
    expect(await external({ includeSubdomains: false })).toEqual([]);
    expect(await external({ allowExternalLinks: true })).toHaveLength(3);
  });
});

describe('map 9: a broken part is a warning', () => {
  it('returns the others and names what failed', async () => {
    const { urls, warning } = await mapOf(rich);
    expect(urls).toContain('/from-map');
    expect(warning).toContain(site('/maps/broken.xml'));
    expect(warning).not.toContain('sitemap.xml ');
  });

  it('keeps what a cut sitemap had', async () => {
    const { urls, warning } = await mapOf({
      [site('/')]: pageOf('Home'),
      [site('/sitemap.xml')]: {
        type: 'application/xml',
        body: `<urlset><url><loc>${site('/one')}</loc></url><url><loc>http://site.test/tw`,
      },
    });
    expect(urls).toEqual(['/', '/one']);
    expect(warning).toContain('sitemap.xml');
  });

  it('gives what it has when the time is over', async () => {
    await using server = await serve(
      {
        '/': (request) => ({ body: `<a href="http://${request.headers.host}/a">a</a>` }),
        '/a': '<p>x</p>',
      },
      { behaviours: { '/a': hang() } },
    );
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links, warning } = await client.map(server.origin, { timeout: 1000, sitemap: 'skip' });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/a']);
    expect(warning).toContain('1000 ms');
  });

  it('gives the one entry of a sitemap that does not end in time', async () => {
    const xml = { 'content-type': 'application/xml' };
    await using server = await serve(
      {
        '/sitemap.xml': {
          headers: xml,
          body: '<sitemapindex><sitemap><loc>{{origin}}/one.xml</loc></sitemap><sitemap><loc>{{origin}}/two.xml</loc></sitemap></sitemapindex>',
        },
        '/one.xml': { headers: xml, body: '<urlset><url><loc>{{origin}}/a</loc></url></urlset>' },
      },
      { behaviours: { '/two.xml': hang() } },
    );
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { links, warning } = await client.map(server.origin, { timeout: 1000, sitemap: 'only' });
    expect(links.map(({ url }) => new URL(url).pathname)).toEqual(['/a']);
    expect(warning).toContain('1000 ms');
  });

  it('does not read pages that robots.txt closes', async () => {
    const web = memoryWeb({
      [site('/')]: pageOf('Home', ['/private/a', '/open']),
      [site('/robots.txt')]: {
        type: 'text/plain',
        body: 'User-agent: pagewright\nDisallow: /private/',
      },
    });
    await using client = createClient({ engines: [web] });
    const { links } = await client.map(site('/'));
    expect(links.find(({ url }) => url.endsWith('/a'))).toMatchObject({ blockedByRobots: true });
    expect(web.log).not.toContain(site('/private/a'));
    expect(web.log).toContain(site('/open'));
  });

  it('rejects when there is nothing at all', async () => {
    await using client = createClient({ engines: [memoryWeb({ [site('/')]: { fails: true } })] });
    await expect(client.map(site('/'))).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
  });

  it('refuses wrong options before any request', async () => {
    const web = memoryWeb({});
    await using client = createClient({ engines: [web] });
    await expect(client.map(site('/'), { limt: 1 } as MapOptions)).rejects.toThrow(
      'did you mean "limit"?',
    );
    for (const wrong of [
      { search: '' },
      { search: '?!' },
      { proxy: 'fast' },
      { headers: { 'a b': '' } },
    ]) {
      await expect(client.map(site('/'), wrong as MapOptions)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(`map: ${Object.keys(wrong)[0]}`) as string,
      });
    }
    expect(web.log).toEqual([]);
  });
});
