import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseSitemap, type SitemapContent } from '../../src/frontier/sitemaps.ts';
import { cpuTime } from '../support/cpu-time.ts';

const base = 'http://example.test/sitemap.xml';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string): Promise<SitemapContent> => parseSitemap(bytes(text), base);
const urlset = (...entries: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('\n')}</urlset>`;
const locs = ({ urls }: SitemapContent): string[] => urls.map(({ url }) => url);

describe('kinds', () => {
  test('a urlset gives URLs and dates in document order', async () => {
    const content = await parse(
      urlset(
        '<url><loc> http://example.test/b </loc><lastmod>2026-01-02</lastmod></url>',
        '<url><lastmod>2026-01-02T10:00:00+01:00</lastmod><loc>http://example.test/a?x=1&amp;y=2</loc></url>',
        '<url><loc><![CDATA[http://example.test/c?x=1&y=2]]></loc><priority>0.5</priority></url>',
      ),
    );
    expect(content).toEqual({
      urls: [
        { url: 'http://example.test/b', lastmod: '2026-01-02' },
        { url: 'http://example.test/a?x=1&y=2', lastmod: '2026-01-02T10:00:00+01:00' },
        { url: 'http://example.test/c?x=1&y=2' },
      ],
      sitemaps: [],
      warnings: [],
    });
  });

  test('a sitemapindex gives its children', async () => {
    const content = await parse(
      '<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2026-01-02</lastmod></sitemap><sitemap><loc>http://example.test/b.xml.gz</loc></sitemap></sitemapindex>',
    );
    expect(content.sitemaps).toEqual([
      { url: 'http://example.test/a.xml', lastmod: '2026-01-02' },
      { url: 'http://example.test/b.xml.gz' },
    ]);
    expect(content.urls).toEqual([]);
  });

  test('namespaces tell pages from images, videos and news', async () => {
    const content = await parse(
      `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"
         xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
         xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
       <s:url>
         <image:image><image:loc>http://example.test/a.png</image:loc><image:title>An image</image:title></image:image>
         <s:loc>http://example.test/a</s:loc>
         <news:news><news:title>Tea &amp; cake</news:title></news:news>
       </s:url></s:urlset>`,
    );
    expect(content.urls).toEqual([{ url: 'http://example.test/a', title: 'Tea & cake' }]);
  });

  test('a child sitemap listed as a page is a sitemap', async () => {
    const content = await parse(
      urlset(
        '<url><loc>http://example.test/post-sitemap2.xml</loc></url>',
        '<url><loc>http://example.test/sitemap/</loc></url>',
      ),
    );
    expect(content.sitemaps).toEqual([{ url: 'http://example.test/post-sitemap2.xml' }]);
    expect(locs(content)).toEqual(['http://example.test/sitemap/']);
  });

  test('RSS gives items with their titles and dates', async () => {
    const content = await parse(
      `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
        <title>The channel</title><link>http://example.test/</link>
        <item><title><![CDATA[A <b>bold</b> title]]></title><link>http://example.test/a</link>
          <media:title>Not this</media:title>
          <pubDate>Wed, 02 Oct 2002 15:00:00 +0200</pubDate></item>
        <item><title>B</title><guid>http://example.test/b</guid></item>
        <item><title>C</title><guid isPermaLink="false">http://example.test/id-of-c</guid></item>
      </channel></rss>`,
    );
    expect(content.urls).toEqual([
      { url: 'http://example.test/a', lastmod: '2002-10-02T13:00:00.000Z', title: 'A bold title' },
      { url: 'http://example.test/b', title: 'B' },
    ]);
  });

  test('Atom gives the alternate link of each entry', async () => {
    const content = await parse(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>
        <link href="http://example.test/"/><link rel="self" href="http://example.test/feed"/>
        <entry><title type="html">One</title>
          <link rel="edit" href="http://example.test/edit/1"/><link href="/1"/>
          <published>2025-01-01T00:00:00Z</published><updated>2026-01-01T00:00:00Z</updated></entry>
        <entry><link rel="alternate" href="/2"/><source><title>Not this</title></source></entry></feed>`,
    );
    expect(content.urls).toEqual([
      { url: 'http://example.test/1', lastmod: '2026-01-01T00:00:00Z', title: 'One' },
      { url: 'http://example.test/2' },
    ]);
  });

  test('RDF gives its items', async () => {
    const content = await parse(
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel><link>http://example.test/</link></channel>
        <item><title>A</title><link>http://example.test/a</link><dc:date>2026-01-02</dc:date></item></rdf:RDF>`,
    );
    expect(content.urls).toEqual([
      { url: 'http://example.test/a', lastmod: '2026-01-02', title: 'A' },
    ]);
  });

  test('JSON Feed gives its items', async () => {
    const content = await parse(
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: [
          { url: 'http://example.test/a', title: 'A', date_published: '2026-01-02T00:00:00Z' },
          { external_url: 'http://other.test/b' },
          { id: 'no url' },
          null,
        ],
      }),
    );
    expect(content.urls).toEqual([
      { url: 'http://example.test/a', lastmod: '2026-01-02T00:00:00Z', title: 'A' },
      { url: 'http://other.test/b' },
    ]);
  });

  test('text has one URL a line', async () => {
    const content = await parse(
      '\uFEFFhttp://example.test/a\r\n\r\n# comment\r\n  https://example.test/b\n',
    );
    expect(locs(content)).toEqual(['http://example.test/a', 'https://example.test/b']);
    expect(content.warnings).toEqual([]);
  });
});

describe('encodings', () => {
  const xml = urlset('<url><loc>http://example.test/é</loc></url>');
  const expected = ['http://example.test/%C3%A9'];

  test('gzip is known by its first bytes, also when it is there twice', async () => {
    const zipped = gzipSync(xml);
    expect(locs(await parseSitemap(zipped, base))).toEqual(expected);
    expect(locs(await parseSitemap(gzipSync(zipped), base))).toEqual(expected);
  });

  test('the declared charset is used', async () => {
    const latin = Buffer.from(xml.replace('UTF-8', 'ISO-8859-1'), 'latin1');
    expect(locs(await parseSitemap(latin, base))).toEqual(expected);
  });

  test('UTF-16 is known by its byte order mark or its zero bytes', async () => {
    const text = xml.replace('UTF-8', 'UTF-16');
    expect(locs(await parseSitemap(Buffer.from(text, 'utf16le'), base))).toEqual(expected);
    expect(
      locs(await parseSitemap(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), base)),
    ).toEqual(expected);
  });

  test('a wrong or unknown charset is read as UTF-8', async () => {
    for (const label of ['UTF-16', 'klingon']) {
      expect(locs(await parse(xml.replace('UTF-8', label)))).toEqual(expected);
    }
  });
});

describe('damaged files', () => {
  test('a bare & does not spoil the entry', async () => {
    const content = await parse(
      urlset(
        '<url><loc>http://example.test/?a=1&b=2&amp;c=3</loc></url>',
        '<url><loc>http://example.test/b</loc></url>',
      ),
    );
    expect(locs(content)).toEqual(['http://example.test/?a=1&b=2&c=3', 'http://example.test/b']);
    expect(content.warnings).toHaveLength(1);
    expect(content.warnings[0]).toContain('syntax error');
  });

  test.each([
    [
      'cut off',
      '<urlset><url><loc>http://example.test/a</loc></url><url><loc>http://example.test/b</loc><lastm',
    ],
    [
      'without end tags',
      '<urlset><url><loc>http://example.test/a</loc><url><loc>http://example.test/b</loc></urlset>',
    ],
    [
      'with stray tags',
      '<urlset><url><loc>http://example.test/a</loc></p></url><url><loc>http://example.test/b<br></loc></url></urlset>',
    ],
    [
      'after a blank line',
      '\n\n<?xml version="1.0"?><urlset><url><loc>http://example.test/a</loc></url><url><loc>http://example.test/b</loc></url></urlset>',
    ],
  ])('%s: what was read is kept, with a warning', async (_, text) => {
    const content = await parse(text);
    expect(locs(content)).toEqual(['http://example.test/a', 'http://example.test/b']);
    expect(content.warnings.length).toBe(text.startsWith('\n') ? 0 : 1);
  });

  test('a cut gzip file gives what it has', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => {
      return `<url><loc>http://example.test/${Math.imul(i, 2_654_435_761)}</loc></url>`;
    });
    const zipped = gzipSync(urlset(...many));
    const content = await parseSitemap(zipped.subarray(0, zipped.length - 2_000), base);
    expect(content.urls.length).toBeGreaterThan(100);
    expect(content.warnings.join()).toContain('gzip');
  });

  test('entries that are no web URLs are left out with one warning', async () => {
    const content = await parse(
      urlset(
        ...['mailto:a@b.test', 'http://', 'javascript:alert(1)', '', 'http://example.test/a'].map(
          (loc) => `<url><loc>${loc}</loc></url>`,
        ),
      ),
    );
    expect(locs(content)).toEqual(['http://example.test/a']);
    expect(content.warnings).toHaveLength(1);
    expect(content.warnings[0]).toContain('mailto:a@b.test');
  });

  test.each([
    ['', 'empty'],
    ['<!doctype html><html><body><a href="/a">a</a></body></html>', 'web page'],
    ['<catalog><item><link>/a</link></item></catalog>', 'no sitemap'],
    ['{"items": 7}', 'no feed'],
    ['{"items": [', 'damaged'],
    ['Nothing to see here', 'no sitemap'],
    ['\u0000\u0001\u0002', 'no sitemap'],
  ])('%j is a warning', async (text, warning) => {
    const content = await parse(text);
    expect(content.urls).toEqual([]);
    expect(content.warnings.join()).toContain(warning);
  });
});

describe('hostile files', () => {
  test('entities of a document type are neither expanded nor fetched', async () => {
    const content = await parse(
      `<!DOCTYPE urlset [<!ENTITY a "http://example.test/a"><!ENTITY b "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/hostname">]>
       <urlset><url><loc>http://example.test/&b;&file;</loc></url></urlset>`,
    );
    expect(locs(content).join()).not.toContain('http://example.test/http');
    expect(content.warnings.join()).toContain('entity');
  });

  test('a gzip bomb is read up to the limit', async () => {
    const bomb = gzipSync(
      urlset('<url><loc>http://example.test/a</loc></url>', '<url> </url>\n'.repeat(5_000_000)),
    );
    const content = await parseSitemap(bomb, base);
    expect(locs(content)).toEqual(['http://example.test/a']);
    expect(content.warnings.join()).toContain('larger than');
  });

  test.each([
    ['nesting', '<urlset>'.repeat(1_000_000)],
    ['attributes', `<urlset ${Array.from({ length: 300_000 }, (_, i) => `a${i}=""`).join(' ')}>`],
    ['errors', `<urlset>${'&b=1;'.repeat(1_000_000)}</urlset>`],
    ['end tags', `<urlset>${'</b>'.repeat(1_000_000)}`],
    ['one endless value', `<urlset><url><loc>${'&amp;'.repeat(2_000_000)}`],
    [
      'angle brackets in titles',
      `<rss><item><link>/a</link><title><![CDATA[${'<a'.repeat(500_000)}]]></title></item></rss>`,
    ],
    ['sitemap names', `<urlset><url><loc>/${'sitemap'.repeat(300_000)}</loc></url></urlset>`],
  ])('%s cost little time', async (_, text) => {
    const started = cpuTime();
    await parse(text);
    expect(cpuTime() - started).toBeLessThan(3_000);
  });
});

describe('large files', () => {
  const entries = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, i) =>
        `<url><loc>https://example.test/category-${i % 100}/item-${i}.html?ref=map&amp;page=${i % 7}</loc><lastmod>2026-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>`,
    );

  test('10,000 URLs are read in well under a second', async () => {
    const file = bytes(urlset(...entries(10_000)));
    const started = cpuTime();
    const content = await parseSitemap(file, base);
    expect(cpuTime() - started).toBeLessThan(600);
    expect(content.urls).toHaveLength(10_000);
    expect(content.urls[9_999]?.url).toBe(
      'https://example.test/category-99/item-9999.html?ref=map&page=3',
    );
  });

  test('more entries than the protocol allows are a warning, and other work goes on', async () => {
    const file = bytes(urlset(...entries(60_000)));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const content = await parseSitemap(file, base);
    clearInterval(timer);
    expect(content.urls).toHaveLength(60_000);
    expect(content.warnings.join()).toContain('60000 entries');
    expect(ticks).toBeGreaterThan(5);
  });
});
