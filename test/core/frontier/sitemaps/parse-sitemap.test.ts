import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readSitemap } from '../../../../src/core/frontier/sitemaps/parse-sitemap.ts';
import {
  parseSitemap,
  type SitemapContent,
} from '../../../../src/core/frontier/sitemaps/sitemaps.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { rareTest } from '../../../support/deep.ts';

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

  test.each([
    ['a line of the program', 'Notice: Undefined index: x in x.php on line 3\n'],
    ['a warning in HTML', '<br />\n<b>Warning</b>:  x in <b>/a.php</b> on line <b>3</b><br />\n'],
    ['a dated log line', '[28-Nov-2026 10:00:00 UTC] PHP Deprecated: x\n'],
    ['a log line in braces', '{debug: on}\n'],
    ['many lines', 'Notice: x in y.php on line 3\n'.repeat(400)],
  ])('%s before the XML is left out, with a warning', async (_, text) => {
    for (const file of [
      urlset('<url><loc>/a</loc></url>'),
      '<s:urlset xmlns:s="x"><s:url><s:loc>/a</s:loc></s:url></s:urlset>',
      '<rss><channel><item><link>/a</link></item></channel></rss>',
    ]) {
      const content = await parse(text + file);
      expect(locs(content)).toEqual(['http://example.test/a']);
      expect(content.warnings).toEqual([
        expect.stringMatching(/^The sitemap has text before its XML, which was left out: "/),
      ]);
      const zipped = await parseSitemap(gzipSync(bytes(text + file)), base);
      expect(zipped).toEqual(content);
    }
  });

  test.each([
    ['blank lines', '\n \r\n\t'],
    ['a byte order mark twice', '\ufeff\ufeff'],
    ['a byte order mark that was encoded twice', '\ufeff\u00ef\u00bb\u00bf\n'],
  ])('%s before the XML', async (_, text) => {
    const content = await parse(text + urlset('<url><loc>/a</loc></url>'));
    expect(content.warnings).toEqual([]);
    expect(locs(content)).toEqual(['http://example.test/a']);
  });

  test('the charset is declared behind other text, too', async () => {
    const file = `Notice: x\n<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>/\xe9</loc></url></urlset>`;
    const { urls } = await parseSitemap(Buffer.from(file, 'latin1'), base);
    expect(urls).toEqual([{ url: 'http://example.test/%C3%A9' }]);
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

  test.each(['news', 'n', 'Google-News'])('dates of news with the prefix %s', async (n) => {
    const dates = {
      a: ' 2026-11-20T08:30:00+01:00\n',
      b: '2026-11-20',
      c: 'yesterday',
      d: '2026-02-30',
      e: '',
      f: '2026-11-21T08:30Z',
    };
    const entries = Object.entries(dates).map(
      ([name, date]) =>
        `<url><loc>/${name}</loc><lastmod>2026-11-22</lastmod><${n}:news>
         <${n}:publication><${n}:name>Times</${n}:name></${n}:publication>
         <${n}:publication_date>${date}</${n}:publication_date><${n}:title>${name}</${n}:title></${n}:news></url>`,
    );
    const namespace = `xmlns:${n}="http://www.google.com/schemas/sitemap-news/0.9"`;
    for (const [open, close] of [
      [`<urlset ${namespace}>`, '</urlset>'],
      [
        `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" ${namespace}>`,
        '</s:urlset>',
      ],
    ] as const) {
      const text = open + entries.join('') + close;
      const own = open.startsWith('<s:')
        ? text.replace(/(<\/?)(url|loc|lastmod)>/g, '$1s:$2>')
        : text;
      const content = await parse(own);
      expect(content.warnings).toEqual([]);
      expect(content.urls.map(({ publicationDate }) => publicationDate)).toEqual([
        '2026-11-20T08:30:00+01:00',
        '2026-11-20',
        undefined,
        undefined,
        undefined,
        '2026-11-21T08:30Z',
      ]);
      expect(content.urls[0]).toMatchObject({ title: 'a', lastmod: '2026-11-22' });
      expect(content.urls[2]).not.toHaveProperty('publicationDate');
      expect(await parseSitemap(gzipSync(bytes(own)), base)).toEqual(content);
    }
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

  const [first, last] = ['http://example.test/first', 'http://example.test/last'];
  /** A whole entry, something that is broken, and 300 whole entries, of which the last one counts. */
  const around = (broken: string): string =>
    urlset(
      `<url><loc>${first}</loc></url>`,
      broken,
      ...Array.from({ length: 300 }, () => `<url><loc>${last}</loc><priority>0.5</priority></url>`),
    );

  test.each([
    ['a bare & without any entity after it', '<url><loc>http://example.test/?a=1&b=2</loc></url>'],
    ['an entity that is not declared', '<url><loc>http://example.test/&foo;&#xZZ;&#0;</loc></url>'],
    ['a NUL', '<url><loc>http://example.test/a\0b</loc>\0</url>'],
    ['NULs in a tag', '<url><l\0oc>http://example.test/x</l\0oc></url>'],
    ['a stray <', '<url><loc>http://example.test/x < y</loc></url>'],
    ['an unclosed loc', '<url><loc>http://example.test/x</url>'],
    ['an unclosed url', '<url><loc>http://example.test/x</loc>'],
    ['an unclosed loc and url', '<url><loc>http://example.test/half'],
    ['100 unclosed elements', '<url><x>'.repeat(100)],
    ['100 nested elements', '<x>'.repeat(100)],
    ['a start tag without its end', '<url'],
    ['an end tag without its end', '<url><loc>http://example.test/x</lo'],
    ['a quotation mark without its end', '<url lang="en><loc>http://example.test/x</loc></url>'],
    ['a comment without its end', '<!-- <url><loc>http://example.test/x</loc></url>'],
    ['a comment in a comment', '<!-- <!-- -->'],
    ['a CDATA section without its end', '<url><loc><![CDATA[http://example.test/x</loc></url>'],
    [
      'a CDATA section that another one ends',
      `<url><loc><![CDATA[http://example.test/x</loc></url><url><loc><![CDATA[${last}]]></loc></url>`,
    ],
    ['a processing instruction without its end', '<?php echo 1;'],
    ['a declaration', '<!ENTITY x "y">'],
    ['a declaration without its end', '<!'],
    ['a document type without its end', '<!DOCTYPE urlset ['],
    ['end tags without a start', '</url></loc></x>'],
    ['the end of the file in its middle', '</urlset>'],
    ['another file', '</urlset><?xml version="1.0"?><urlset>'],
  ])('%s costs its own entry at most, with a warning', async (_, broken) => {
    for (const text of [around(broken), around(broken.replaceAll('>', '>\n'))]) {
      const content = await parse(text);
      const found = locs(content);
      expect(found[0]).toBe(first);
      expect(found.slice(-299)).toEqual(Array.from({ length: 299 }, () => last));
      expect(found).not.toContain('http://example.test/half');
      expect(found.length).toBeLessThanOrEqual(303);
      expect(content.warnings.length).toBeGreaterThan(0);
    }
  });

  test('bytes that are not UTF-8 spoil no other entry, with a warning', async () => {
    const file = Buffer.from(around('<url><loc>/\xff\xfe\xe9</loc></url>'), 'latin1');
    const content = await parseSitemap(file, base);
    expect(locs(content)).toHaveLength(302);
    expect(content.warnings).toEqual(['The sitemap has bytes that are not utf-8.']);
  });

  test('a file whose end did not come gives what came, and no half of a URL', async () => {
    const lines = Buffer.from(`${first}\nhttp://example.test/ha`);
    const parts = [];
    for await (const part of readSitemap(lines, base, { isCut: true })) parts.push(part);
    expect(parts.flatMap((part) => locs(part))).toEqual([first]);
    expect(parts.flatMap(({ warnings }) => warnings).join()).toContain('ended early');
  });

  test('a feed in JSON that breaks off gives the items before', async () => {
    const items = [first, last, 'http://example.test/cut'].map((url) => ({ url, title: 'A "b"' }));
    const text = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items });
    const content = await parse(text.slice(0, -22));
    expect(locs(content)).toEqual([first, last]);
    expect(content.warnings.join()).toContain('damaged');
  });

  describe('gzip', () => {
    const many = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, index) => {
        return `<url><loc>http://example.test/${from + index}-${Math.imul(index, 2_654_435_761)}</loc></url>\n`;
      }).join('');
    const numbers = (content: SitemapContent): number[] =>
      locs(content).map((url) => Number(/\/(\d+)-/.exec(url)?.[1]));
    const upTo = (from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, index) => from + index);

    test.each([100, 5_000])('of %i entries with a wrong checksum gives them all', async (count) => {
      const zipped = gzipSync(urlset(many(0, count)));
      zipped.writeUInt32LE(7, zipped.length - 8);
      for (const bytes of [zipped, gzipSync(zipped)]) {
        const content = await parseSitemap(bytes, base);
        expect(numbers(content)).toEqual(upTo(0, count));
        expect(content.warnings.join()).toContain('gzip data is damaged');
      }
    });

    test('that is damaged in its middle gives all before', async () => {
      const text = urlset(many(0, 3_000));
      const zipped = gzipSync(text);
      const middle = Math.floor(zipped.length / 2);
      zipped.fill(0xff, middle);
      const content = await parseSitemap(zipped, base);
      // What the first half unpacks to, with room for what the data stands for in between.
      const half = gunzipSync(gzipSync(text).subarray(0, middle), {
        finishFlush: constants.Z_SYNC_FLUSH,
      });
      const before = half.toString().split('</url>').length - 1;
      expect(before).toBeGreaterThan(1_000);
      expect(numbers(content).slice(0, before)).toEqual(upTo(0, before));
    });

    const members = [
      gzipSync(`<urlset>${many(0, 1_000)}`),
      gzipSync(many(1_000, 2_000)),
      gzipSync(many(2_000, 3_000)),
    ];
    const [one, two, three] = members.map((member) => Buffer.from(member));

    test('of members is read with all of them', async () => {
      const content = await parseSitemap(Buffer.concat(members), base);
      expect(numbers(content)).toEqual(upTo(0, 3_000));
    });

    test('with a wrong checksum in the middle gives all members', async () => {
      two?.writeUInt32LE(7, two.length - 8);
      const content = await parseSitemap(
        Buffer.concat([one ?? [], two ?? [], three ?? []].map(Buffer.from)),
        base,
      );
      expect([...new Set(numbers(content))]).toEqual(upTo(0, 3_000));
    });

    test('with a member that is cut gives what stands before and after', async () => {
      const cut = members[1]?.subarray(0, 3_000) ?? Buffer.alloc(0);
      const file = Buffer.concat([members[0] ?? cut, cut, members[2] ?? cut]);
      const found = numbers(await parseSitemap(file, base));
      expect(found.slice(0, 1_100)).toEqual(upTo(0, 1_100));
      expect(found.slice(-990)).toEqual(upTo(2_010, 3_000));
    });
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
    ['<catalog><item><link>/a</link></item></catalog>', 'neither a sitemap'],
    ['{"items": 7}', 'no feed'],
    ['{"items": [', 'damaged'],
    ['Nothing to see here', 'not a sitemap'],
    ['\u0000\u0001\u0002', 'not a sitemap'],
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

  rareTest('a gzip bomb is read up to the limit', async () => {
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
