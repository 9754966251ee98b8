/** Large and hostile sitemaps: a piece at a time, and other work goes on. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readSitemap } from '../../../../src/core/frontier/sitemaps/parse-sitemap.ts';

const base = 'http://example.test/sitemap.xml';
const megabytes = 1024 * 1024;

interface Reading {
  readonly urls: number;
  readonly sitemaps: number;
  readonly warnings: string;
  /** The most entries that were there at once. */
  readonly largest: number;
  /** How often other work had its turn. */
  readonly turns: number;
}

async function read(bytes: Uint8Array): Promise<Reading> {
  let [urls, sitemaps, largest, turns] = [0, 0, 0, 0];
  const warnings: string[] = [];
  const timer = setInterval(() => (turns += 1), 0);
  for await (const part of readSitemap(bytes, base)) {
    urls += part.urls.length;
    sitemaps += part.sitemaps.length;
    largest = Math.max(largest, part.urls.length + part.sitemaps.length);
    warnings.push(...part.warnings);
  }
  clearInterval(timer);
  return { urls, sitemaps, warnings: warnings.join(' '), largest, turns };
}

/** `unit` again and again up to a size. */
const filled = (size: number, head: string, unit: string, tail = ''): Buffer =>
  Buffer.from(head + unit.repeat(Math.floor(size / unit.length)) + tail);

const entry =
  '<url><loc>https://example.test/category/item.html?ref=map&amp;page=1</loc><lastmod>2026-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>';

describe('large files', () => {
  test('20 MB are read in pieces of some hundred entries, with turns for others', async () => {
    const reading = await read(filled(20 * megabytes, '<urlset>', entry, '</urlset>'));
    expect(reading.urls).toBe(Math.floor((20 * megabytes) / entry.length));
    expect(reading.largest).toBeLessThan(1_000);
    expect(reading.turns).toBeGreaterThan(100);
  }, 60_000);

  test('an entry, a character and an escape may lie on the border of two pieces', async () => {
    for (let shift = 0; shift < 12; shift++) {
      const head = `<urlset>${' '.repeat(64 * 1024 - 40 - shift)}`;
      const text = `${head}<url><loc>http://example.test/日本?a=1&amp;b=2</loc></url></urlset>`;
      for (const bytes of [Buffer.from(text), Buffer.from(`\uFEFF${text}`, 'utf16le')]) {
        const parts = [];
        for await (const { urls } of readSitemap(bytes, base)) parts.push(...urls);
        expect(parts).toEqual([{ url: 'http://example.test/%E6%97%A5%E6%9C%AC?a=1&b=2' }]);
      }
    }
  });

  test('lines of text may lie on the border of two pieces', async () => {
    const reading = await read(filled(3 * megabytes, '', 'http://example.test/a/page\r\n'));
    expect(reading.urls).toBe(Math.floor((3 * megabytes) / 28));
  });

  test('whoever stops early stops the reading, also of gzip', async () => {
    const bytes = gzipSync(gzipSync(filled(20 * megabytes, '<urlset>', entry)));
    let pieces = 0;
    for await (const { urls } of readSitemap(bytes, base)) {
      if (urls.length > 0 && ++pieces === 2) break;
    }
    expect(pieces).toBe(2);
  });

  test('100,000 child sitemaps: 50,000 and a warning', async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `<sitemap><loc>/s${i}</loc></sitemap>`);
    const reading = await read(Buffer.from(`<sitemapindex>${text.join('')}</sitemapindex>`));
    expect(reading.sitemaps).toBe(50_000);
    expect(reading.warnings).toContain('too many');
  });
});

describe('hostile files', () => {
  test.each([
    ['a gzip bomb', gzipSync(Buffer.alloc(200 * megabytes, ' ')), /larger than/],
    ['a gzip bomb in gzip', gzipSync(gzipSync(Buffer.alloc(200 * megabytes, ' '))), /larger than/],
    [
      'gzip that is damaged',
      Buffer.concat([gzipSync(entry).subarray(0, 30), Buffer.alloc(99)]),
      /damaged/,
    ],
    ['gzip of nothing', gzipSync(''), /empty/],
    ['the first bytes of gzip', Buffer.from([0x1f, 0x8b]), /damaged|empty/],
    [
      'a CDATA section without end',
      filled(20 * megabytes, '<urlset><url><loc><![CDATA[', ']] >a'),
      /does not end/,
    ],
    ['a comment without end', filled(20 * megabytes, '<urlset><!--', 'abc '), /does not end/],
    ['a value without end', filled(20 * megabytes, '<urlset><url x="', 'abc '), /does not end/],
    ['a name without end', filled(20 * megabytes, '<', 'abc'), /does not end/],
    [
      'a document type without end',
      filled(20 * megabytes, '<!DOCTYPE urlset [', '<!ENTITY a "b">'),
      /does not end/,
    ],
    ['errors', filled(5 * megabytes, '<urlset>', '&b=1;'), /too many syntax errors/],
    ['a line without end', filled(20 * megabytes, 'http://example.test/', 'abc'), /not a sitemap/],
    ['JSON of 20 MB', filled(20 * megabytes, '{"items":[', '{"url":"/a"},', '{}]}'), /longer than/],
    ['JSON of many items', filled(megabytes, '{"items":[', '{"url":"/a"},', '{}]}'), /too many/],
    ['zeros', Buffer.alloc(20 * megabytes), /not a sitemap/],
  ])(
    '%s is a warning',
    async (_, bytes, warning) => {
      const reading = await read(bytes);
      expect(reading.warnings).toMatch(warning);
      expect(reading.urls).toBeLessThanOrEqual(5_000);
    },
    30_000,
  );

  test('an entity of a file or of a server is neither read nor fetched', async () => {
    const text = `<!DOCTYPE urlset SYSTEM "http://127.0.0.1:1/urlset.dtd" [
      <!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY % remote SYSTEM "http://127.0.0.1:1/x"> %remote;]>
      <urlset><url><loc>http://example.test/&file;</loc></url></urlset>`;
    const urls: string[] = [];
    for await (const part of readSitemap(Buffer.from(text), base)) {
      urls.push(...part.urls.map(({ url }) => url));
    }
    expect(urls).toEqual(['http://example.test/&file;']);
  });

  test('bytes that are no UTF-8 spoil their own entry alone', async () => {
    const text = '<urlset><url><loc>/a\xFF</loc></url><url><loc>/b</loc></url></urlset>';
    const urls: string[] = [];
    for await (const part of readSitemap(Buffer.from(text, 'latin1'), base)) {
      urls.push(...part.urls.map(({ url }) => url));
    }
    expect(urls).toEqual(['http://example.test/a%EF%BF%BD', 'http://example.test/b']);
  });
});
