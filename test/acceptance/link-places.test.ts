import { createClient, type CrawlOptions } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { type MemoryPage, memoryWeb, pageOf } from '../support/memory-web.ts';

const target = '/found';

/** Where a page can have a link, as the start page of a site of two pages. */
const places: Readonly<Record<string, string | MemoryPage>> = {
  a: '<a href="/found">x</a>',
  'a without text, in a footer': '<footer><a href="/found"><svg></svg></a></footer>',
  'a relative to base': '<head><base href="/deep/er/"></head><a href="../../found">x</a>',
  area: '<map><area href="/found"></map>',
  'link rel=next': '<head><link rel="next" href="/found"></head>',
  'link rel=prev': '<head><link rel="prev" href="/found"></head>',
  'link rel=alternate hreflang': '<head><link rel="alternate" hreflang="fr" href="/found"></head>',
  iframe: '<iframe src="/found"></iframe>',
  'iframe srcdoc': `<iframe srcdoc="<p><a href='/found'>x</a></p>"></iframe>`,
  frame: '<html><frameset><frame src="/found"></frameset></html>',
  'meta refresh': '<head><meta http-equiv="refresh" content="9; url=/found"></head>',
  JSON: { type: 'application/json', body: '{"next":"http:\\/\\/site.test\\/found"}' },
  'plain text': { type: 'text/plain', body: 'Go on at http://site.test/found.' },
  markdown: { type: 'text/markdown', body: '# A\n\n[on](/found)\n' },
  RSS: {
    type: 'application/rss+xml',
    body: '<rss version="2.0"><channel><title>F</title><link>/</link><item><title>One</title><link>/found</link></item></channel></rss>',
  },
  Atom: {
    type: 'application/atom+xml',
    body: '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>One</title><link href="/found"/></entry></feed>',
  },
  'JSON Feed': {
    type: 'application/feed+json',
    body: '{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"/found","title":"One"}]}',
  },
  sitemap: {
    type: 'application/xml',
    body: '<urlset><url><loc>http://site.test/found</loc></url></urlset>',
  },
};

async function crawled(
  pages: Readonly<Record<string, string | MemoryPage>>,
  options: CrawlOptions = {},
): Promise<Record<string, unknown>[]> {
  const web = memoryWeb(
    Object.fromEntries(
      Object.entries(pages).map(([path, page]) => [`http://site.test${path}`, page]),
    ),
  );
  await using client = createClient({ engines: [web] });
  const job = client.crawl('http://site.test/', { scrapeOptions: { formats: [] }, ...options });
  const { data } = await job;
  return data.map(({ metadata: { url, discoveredBy, depth, parentUrl } }) => ({
    path: new URL(url).pathname,
    discoveredBy,
    depth,
    parentUrl,
  }));
}

const linked = {
  path: target,
  discoveredBy: 'link',
  depth: 1,
  parentUrl: 'http://site.test/',
};

describe('a crawl follows links from every place that has them', () => {
  it.each(Object.entries(places))('%s', async (_, start) => {
    const pages = await crawled({ '/': start, [target]: pageOf('Found') }, { sitemap: 'skip' });
    expect(pages).toEqual([expect.objectContaining({ path: '/', depth: 0 }), linked]);
  });

  it('link rel=canonical, which is the same page unless similar URLs are kept apart', async () => {
    const pages = {
      '/': '<head><link rel="canonical" href="/found"></head><p>Text</p>',
      [target]: pageOf('Found'),
    };
    const paths = async (options: CrawlOptions): Promise<unknown[]> =>
      (await crawled(pages, { sitemap: 'skip', ...options })).map(({ path }) => path);
    expect(await paths({})).toEqual(['/']);
    expect(await paths({ deduplicateSimilarURLs: false })).toEqual(['/', '/found']);
  });

  it.each([
    '<img src="/found">',
    '<head><link rel="stylesheet" href="/found"><link rel="icon" href="/found"></head>',
    '<head><link rel="alternate" type="application/rss+xml" href="/found"></head>',
    '<!-- <a href="/found">x</a> -->',
    '<p data-href="/found">/found</p>',
    '<form action="/found"></form>',
  ])('but not from %s', async (start) => {
    const pages = await crawled({ '/': start, [target]: pageOf('Found') }, { sitemap: 'skip' });
    expect(pages.map(({ path }) => path)).toEqual(['/']);
  });
});

describe('the feeds that the start page names are read like sitemaps', () => {
  const site = {
    '/': pageOf('Home', ['/linked', '/both']).replace(
      '</head>',
      '<link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="alternate" type="application/feed+json" href="/closed.json"></head>',
    ),
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed' },
    '/sitemap.xml': {
      type: 'application/xml',
      body: '<urlset><url><loc>http://site.test/mapped</loc></url></urlset>',
    },
    '/feed.xml': {
      type: 'application/rss+xml',
      body: '<rss version="2.0"><channel><item><link>/news</link></item><item><link>/both</link></item><item><link>http://elsewhere.test/</link></item></channel></rss>',
    },
    '/closed.json': {
      type: 'application/feed+json',
      body: '{"items":[{"url":"/from-closed"}]}',
    },
    ...Object.fromEntries(
      ['/mapped', '/news', '/both', '/linked', '/from-closed'].map((path) => [path, pageOf(path)]),
    ),
  };

  it('after the sitemaps and before the links', async () => {
    expect(await crawled(site)).toEqual([
      expect.objectContaining({ path: '/', discoveredBy: 'start' }),
      { path: '/mapped', discoveredBy: 'sitemap', depth: 0, parentUrl: undefined },
      { path: '/news', discoveredBy: 'feed', depth: 0, parentUrl: undefined },
      { path: '/both', discoveredBy: 'feed', depth: 0, parentUrl: undefined },
      { ...linked, path: '/linked' },
    ]);
  });

  it('only where sitemaps are read beside links', async () => {
    const paths = async (sitemap: 'skip' | 'only'): Promise<unknown[]> =>
      (await crawled(site, { sitemap })).map(({ path }) => path);
    expect(await paths('skip')).toEqual(['/', '/linked', '/both']);
    expect(await paths('only')).toEqual(['/', '/mapped']);
  });
});
