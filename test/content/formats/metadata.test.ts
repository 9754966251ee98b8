import { describe, expect, test } from 'vitest';
import { fetchMetadataNames, readMetadata } from '../../../src/content/formats/metadata.ts';
import type { PageMetadata } from '../../../src/core/model/document.ts';
import { htmlPage, textPage } from '../../support/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const read = (head: string, body = ''): PageMetadata =>
  readMetadata(htmlPage(`<html><head>${head}</head><body>${body}</body></html>`));
const meta = (name: string, content: string): string =>
  `<meta name="${name}" content="${content}">`;
const property = (name: string, content: string): string =>
  `<meta property="${name}" content="${content}">`;

test('a whole head is read', () => {
  const metadata = readMetadata(
    htmlPage(`<html lang="en-GB"><head>
      <title> A
        title </title><title>Another</title>
      ${meta('Description', 'One')}${meta('description', 'Two')}${meta('keywords', 'a, b')}
      ${meta('robots', 'noindex')}${meta('author', 'Ann')}
      <link rel="shortcut icon" href="/favicon.ico"><link rel="canonical" href="/canonical">
      ${property('og:title', 'OG title')}${property('og:image', '/og.png')}
      ${property('og:image', 'http://cdn.test/two.png')}${property('og:url', 'http://example.test/og')}
      ${property('og:locale', 'en_GB')}${property('og:locale:alternate', 'de_DE')}
      ${property('og:site_name', 'Site')}
      ${property('article:published_time', '2026-01-02')}${property('article:tag', 'x')}${property('article:tag', 'y')}
      ${property('article:section', 'News')}
      ${meta('DC.Title', 'DC title')}${meta('dcterms:created', '2025')}
      ${meta('twitter:card', 'summary')}
      <meta charset="utf-8"><meta http-equiv="X-UA-Compatible" content="IE=edge">
    </head><body></body></html>`),
  );
  expect(metadata).toEqual({
    title: 'A title',
    description: 'One, Two',
    language: 'en-GB',
    keywords: 'a, b',
    robots: 'noindex',
    favicon: 'http://example.test/favicon.ico',
    canonical: 'http://example.test/canonical',
    author: 'Ann',
    publishedTime: '2026-01-02',
    ogTitle: 'OG title',
    ogUrl: 'http://example.test/og',
    ogImage: 'http://example.test/og.png',
    ogLocale: 'en_GB',
    ogLocaleAlternate: ['de_DE'],
    ogSiteName: 'Site',
    articleTag: 'x, y',
    articleSection: 'News',
    dcTitle: 'DC title',
    dcTermsCreated: '2025',
    Description: 'One',
    'og:title': 'OG title',
    'og:image': '/og.png, http://cdn.test/two.png',
    'og:url': 'http://example.test/og',
    'og:locale': 'en_GB',
    'og:locale:alternate': 'de_DE',
    'og:site_name': 'Site',
    'article:published_time': '2026-01-02',
    'article:tag': 'x, y',
    'article:section': 'News',
    'DC.Title': 'DC title',
    'dcterms:created': '2025',
    'twitter:card': 'summary',
  });
});

describe('title', () => {
  test.each([
    ['<title></title><title>Second</title>', 'Second'],
    [`<title> </title>${property('og:title', 'OG')}`, 'OG'],
    [meta('twitter:title', 'Twitter'), 'Twitter'],
    [`<title>Real</title>${meta('title', 'Meta')}${property('og:title', 'OG')}`, 'Real'],
    [meta('title', 'Meta'), 'Meta'],
  ])('of %j is %j', (head, title) => {
    expect(read(head).title).toBe(title);
  });

  test('is not that of a drawing', () => {
    expect(read('', '<svg><title>Drawing</title></svg>').title).toBeUndefined();
    expect(read('', '<p>a</p><title>Late</title>').title).toBe('Late');
  });
});

test('the language comes from html, http-equiv or a meta', () => {
  const equiv = '<meta http-equiv="Content-Language" content="fr">';
  expect(readMetadata(htmlPage(`<html lang="de"><head>${equiv}</head></html>`)).language).toBe(
    'de',
  );
  expect(read(equiv).language).toBe('fr');
  expect(read(meta('language', 'it')).language).toBe('it');
  expect(read('').language).toBeUndefined();
});

test('an icon is absolute and never a data URL', () => {
  expect(
    read('<link rel="apple-touch-icon" href="t.png"><link rel="ICON" href="i.png">').favicon,
  ).toBe('http://example.test/docs/i.png');
  expect(read('<link rel="apple-touch-icon" href="t.png">').favicon).toBe(
    'http://example.test/docs/t.png',
  );
  expect(read('<link rel="icon" href="data:image/png;base64,AA">').favicon).toBeUndefined();
});

test('metas of the body count, also by itemprop', () => {
  const metadata = read('', '<div><meta itemprop="datePublished" content="2026-01-02"></div>');
  expect(metadata.publishedTime).toBe('2026-01-02');
  expect(metadata['datePublished']).toBe('2026-01-02');
});

test('dates and author fall back on JSON-LD', () => {
  const script = (value: unknown): string =>
    `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;
  expect(
    read(
      script('{ not json') +
        script({
          '@graph': [
            { '@type': 'WebSite', name: 'Site' },
            {
              '@type': 'Article',
              author: [{ name: 'Ann' }, 'Ben'],
              datePublished: '2026-01-02',
              dateModified: '2026-01-03',
            },
          ],
        }),
    ),
  ).toEqual({ author: 'Ann, Ben', publishedTime: '2026-01-02', modifiedTime: '2026-01-03' });
  expect(read(script([null, 7, 'x', { author: {}, datePublished: 7 }]))).toEqual({});
  expect(
    read(property('article:modified_time', '2025') + script({ dateModified: '2026' })).modifiedTime,
  ).toBe('2025');
});

test('an author is a name, not an address', () => {
  expect(read(property('article:author', 'https://social.test/ann')).author).toBeUndefined();
  expect(read(property('article:author', 'Ann')).author).toBe('Ann');
});

test('a meta with two names counts for both', () => {
  const metadata = read('<meta name="twitter:title" property="og:title" content="T">');
  expect(metadata).toEqual({ title: 'T', ogTitle: 'T', 'twitter:title': 'T', 'og:title': 'T' });
});

test('empty metas are there by name, and are nothing else', () => {
  expect(read(meta('description', '') + meta('empty', ''))).toEqual({ empty: '' });
});

describe('hostile pages', () => {
  test('a page cannot set the facts of the fetch', () => {
    const head = [...fetchMetadataNames].map((name) => meta(name, 'spoofed')).join('');
    expect(read(head)).toEqual({});
    expect(fetchMetadataNames).toContain('statusCode');
    expect(fetchMetadataNames).toContain('creditsUsed');
  });

  test('a meta named like a field does not become the field', () => {
    expect(read(meta('ogTitle', 'spoofed') + meta('favicon', 'spoofed'))).toEqual({});
  });

  test('names that every object has are left out', () => {
    const metadata = read(
      ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((n) => meta(n, 'x')).join(''),
    );
    expect(Object.keys(metadata)).toEqual([]);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  test('100,000 metas cost little time', () => {
    const page = htmlPage(meta('a', 'b').repeat(50_000) + '<title>t</title>'.repeat(50_000));
    const started = cpuTime();
    readMetadata(page);
    expect(cpuTime() - started).toBeLessThan(2_000);
  });
});

test('text says nothing about itself', () => {
  expect(readMetadata(textPage('<title>t</title>'))).toEqual({});
});
