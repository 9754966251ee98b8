/** Which of the statements in a page's markup are about the page: authors and dates. */
import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../../src/content/formats/metadata.ts';
import type { PageMetadata } from '../../../src/core/model/document.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { htmlPage } from '../../support/page.ts';

const now = Date.UTC(2026, 5, 1);

const read = (head: string, body = '<h1>The harbour at night</h1>', lang = 'en'): PageMetadata =>
  readMetadata(
    htmlPage(
      `<html lang="${lang}"><head><title>The harbour at night - The Daily Tide</title>${head}</head><body>${body}</body></html>`,
    ),
    now,
  );
const script = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const own = 'http://example.test/docs/page';
const other = 'http://example.test/docs/other';
const ann = { '@type': 'Person', name: 'Ann Lee' };
const ben = { '@type': 'Person', name: 'Ben Ray' };
const page = { '@type': 'NewsArticle', datePublished: '2021-05-06', author: ann };
const stranger = { '@type': 'NewsArticle', datePublished: '2011-01-01', author: ben };

describe('the page is', () => {
  test.each<[string, unknown]>([
    ['the article, not a review', [{ ...stranger, '@type': 'Review' }, page]],
    ['the article, not a picture', { '@graph': [{ ...stranger, '@type': 'ImageObject' }, page] }],
    ['the article, not a video', [{ ...stranger, '@type': 'VideoObject', url: own }, page]],
    ['the article, not a comment', [{ ...stranger, '@type': 'Comment' }, page]],
    ['the article, not the site', [{ ...stranger, '@type': 'WebSite' }, page]],
    ['the article, not a product', [{ ...stranger, '@type': ['Product', 'Thing'] }, page]],
    ['the one with its url', [stranger, { ...page, url: own }]],
    ['the one with its path', [stranger, { ...page, url: '/docs/page/' }]],
    ['the one with its @id', [stranger, { ...page, '@id': `${own}#article` }]],
    ['the one whose page it is', [stranger, { ...page, mainEntityOfPage: own }]],
    [
      'the one whose page is an object',
      [stranger, { ...page, mainEntityOfPage: { '@type': 'WebPage', '@id': own } }],
    ],
    [
      'the one with its title',
      [
        { ...stranger, headline: 'Another' },
        { ...page, headline: 'The harbour at night' },
      ],
    ],
    [
      'the web page, not an article elsewhere',
      [
        { ...stranger, url: other },
        { ...page, '@type': 'WebPage', url: own },
      ],
    ],
    [
      'the article before its web page',
      [
        { ...stranger, '@type': 'WebPage', url: own },
        { ...page, url: own },
      ],
    ],
    ['the main entity of the web page', { '@type': 'ItemPage', url: own, mainEntity: page }],
    [
      'the question of a page of answers',
      {
        '@type': 'QAPage',
        mainEntity: {
          ...page,
          '@type': 'Question',
          acceptedAnswer: { ...stranger, '@type': 'Answer' },
        },
      },
    ],
    ['in a list in a list', [[stranger, [{ ...page, url: own }]]]],
    ['in a graph in a graph', { '@graph': [{ '@graph': [{ ...page, '@type': 'BlogPosting' }] }] }],
    [
      'an article of several types',
      [
        { ...stranger, '@type': 'Review' },
        { ...page, '@type': ['Article', 'Review'] },
      ],
    ],
    ['a recipe', [{ ...page, '@type': 'Recipe', review: [{ ...stranger, '@type': 'Review' }] }]],
    ['a web page alone', { ...page, '@type': 'WebPage' }],
    ['an object without a type', { datePublished: '2021-05-06', author: 'Ann Lee' }],
  ])('%s', (_, value) => {
    const { author, publishedTime } = read(script(value));
    expect([author, publishedTime]).toEqual(['Ann Lee', '2021-05-06']);
  });

  test.each<[string, unknown]>([
    ['a review alone', { ...stranger, '@type': 'Review' }],
    ['an article of another page', { ...stranger, url: other, headline: 'Another' }],
    [
      'several articles in a list',
      [
        { ...stranger, headline: 'One' },
        { ...stranger, headline: 'Two' },
      ],
    ],
    ['the entries of a list', { '@type': 'ItemList', itemListElement: [stranger] }],
    ['a video', { ...stranger, '@type': 'VideoObject' }],
    ['the site', { ...stranger, '@type': 'WebSite' }],
  ])('not %s', (_, value) => {
    const { author, publishedTime } = read(script(value));
    expect([author, publishedTime]).toEqual([undefined, undefined]);
  });

  test('found by the canonical and the OpenGraph address as well', () => {
    const articles = script([stranger, { ...page, url: 'https://www.tide.test/a' }]);
    expect(read(`<link rel="canonical" href="https://tide.test/a/">${articles}`).author).toBe(
      'Ann Lee',
    );
    expect(
      read(`<meta property="og:url" content="https://tide.test/a?x=1">${articles}`).author,
    ).toBe('Ann Lee');
  });
});

describe('the author of JSON-LD', () => {
  test.each<[unknown, string | undefined]>([
    ['Ann Lee', 'Ann Lee'],
    [ann, 'Ann Lee'],
    [[ann, 'Ben Ray'], 'Ann Lee, Ben Ray'],
    [{ name: ['Ann Lee', 'Ben Ray'] }, 'Ann Lee, Ben Ray'],
    [{ givenName: 'Ann', familyName: 'Lee' }, 'Ann Lee'],
    [{ name: '', givenName: 'Ann', additionalName: 'B.', familyName: 'Lee' }, 'Ann B. Lee'],
    [{ '@id': '#ann' }, 'Ann Lee'],
    [{ '@list': [ann, ben] }, 'Ann Lee, Ben Ray'],
    [{ name: { '@value': 'Ann Lee', '@language': 'en' } }, 'Ann Lee'],
    [{ name: 'Written by Ann Lee' }, 'Ann Lee'],
    [{ name: 'Words by Ann Lee' }, 'Ann Lee'],
    ['By Ann Lee and Ben Ray', 'Ann Lee, Ben Ray'],
    ['Von Jürgen Groß', 'Jürgen Groß'],
    ['作者：李明', '李明'],
    ['山田 太郎', '山田 太郎'],
    ['홍길동 기자', '홍길동'],
    ['Ann Lee, Senior Reporter', 'Ann Lee'],
    ['Ann Lee | Staff Writer', 'Ann Lee'],
    ['Ann O&#039;Lee &amp; Ben Ray', "Ann O'Lee, Ben Ray"],
    ['<a href="/ann">Ann Lee</a>', 'Ann Lee'],
    ['ann@tide.test (Ann Lee)', 'Ann Lee'],
    ['Ann Lee (ann@tide.test)', 'Ann Lee'],
    ['Johnson and Sons', 'Johnson and Sons'],
    ['Von Miller', 'Von Miller'],
    [[{ name: 'undefined' }, ben], 'Ben Ray'],
    [{ '@type': 'Person' }, undefined],
    [{ '@id': '#nobody' }, undefined],
    [{ '@type': 'Person', url: 'https://tide.test/ann' }, undefined],
    ['https://tide.test/ann', undefined],
    ['www.tide.test', undefined],
    ['ann@tide.test', undefined],
    ['{{ author }}', undefined],
    ['{author}', undefined],
    ['%author%', undefined],
    ['${author.name}', undefined],
    ['[object Object]', undefined],
    ['null', undefined],
    ['None', undefined],
    ['Senior Reporter', undefined],
    ['N/A', undefined],
  ])('%j is %j', (author, name) => {
    const others = [
      { '@type': 'Person', '@id': '#ann', name: 'Ann Lee' },
      { '@type': 'WebSite', name: 'Tide' },
    ];
    expect(read(script([{ '@type': 'Article', author }, ...others])).author).toBe(name);
  });
});

describe('the author of metas', () => {
  const meta = (name: string, content: string): string =>
    `<meta name="${name}" content="${content}">`;
  test.each([
    [meta('byl', 'By Ann Lee and Ben Ray'), 'Ann Lee, Ben Ray'],
    [meta('og:author', 'Ann Lee'), 'Ann Lee'],
    [meta('citation_author', 'Ann Lee') + meta('citation_author', 'Ben Ray'), 'Ann Lee, Ben Ray'],
    [meta('citation_author', 'Lee, Ann') + meta('citation_author', 'Ray, Ben'), 'Ann Lee, Ben Ray'],
    [meta('DC.creator', 'Lee, Ann'), 'Ann Lee'],
    [meta('author', 'Ann Lee; Ben Ray'), 'Ann Lee, Ben Ray'],
    [meta('author', 'Ann Lee') + meta('author', 'Ann Lee'), 'Ann Lee'],
    [meta('author', 'undefined') + meta('parsely-author', 'Ann Lee'), 'Ann Lee'],
    [meta('author', 'Ann Lee March 9, 2016'), 'Ann Lee'],
    [meta('author', 'Senior Reporter'), undefined],
    [meta('author', '{{ page.author }}'), undefined],
  ])('%j is %j', (head, name) => {
    expect(read(head).author).toBe(name);
  });

  test('gives way to the byline where it is a role', () => {
    const byline =
      '<p class="byline"><span class="author-title">Senior Reporter</span> <a href="/author/ann" rel="author">Ann Lee</a></p>';
    expect(
      read(meta('author', 'Senior Reporter'), `<h1>The harbour at night</h1>${byline}`).author,
    ).toBe('Ann Lee');
  });
});

describe('microdata and RDFa', () => {
  const item = (inside: string, type = 'NewsArticle'): string =>
    `<h1>The harbour at night</h1><div itemscope itemtype="https://schema.org/${type}">${inside}</div>`;
  const date = '<meta itemprop="datePublished" content="2021-05-06">';
  test.each([
    [
      `<span itemprop="author" itemscope itemtype="https://schema.org/Person"><meta itemprop="name" content="Ann Lee"></span>${date}`,
    ],
    [
      `<div itemprop="author" itemscope><meta itemprop="givenName" content="Ann"><meta itemprop="familyName" content="Lee"></div>${date}`,
    ],
    [
      `<meta itemprop="author" content="Ann Lee"><time itemprop="datePublished" datetime="2021-05-06"></time>`,
    ],
    [
      `<div itemprop="review" itemscope itemtype="https://schema.org/Review"><meta itemprop="author" content="Ben Ray"><meta itemprop="datePublished" content="2011-01-01"></div><meta itemprop="author" content="Ann Lee">${date}`,
    ],
    [
      `<div itemprop="image" itemscope itemtype="https://schema.org/ImageObject"><meta itemprop="author" content="Ben Ray"></div><meta itemprop="author" content="By Ann Lee">${date}`,
    ],
  ])('%s', (inside) => {
    const { author, publishedTime } = read('', item(inside));
    expect([author, publishedTime]).toEqual(['Ann Lee', '2021-05-06']);
  });

  test('a review or a product on the page is not the page', () => {
    const review = `<meta itemprop="author" content="Ben Ray">${date}`;
    const { author, publishedTime } = read('', item(review, 'Review'));
    expect([author, publishedTime]).toEqual([undefined, undefined]);
  });

  test('RDFa', () => {
    const body = `<h1>The harbour at night</h1><div vocab="https://schema.org/" typeof="Article"><span property="author" typeof="Person"><meta property="name" content="Ann Lee"></span><meta property="datePublished" content="2021-05-06"></div>`;
    const { author, publishedTime } = read('', body);
    expect([author, publishedTime]).toEqual(['Ann Lee', '2021-05-06']);
  });
});

describe('a date of the markup', () => {
  const property = (name: string, content: string): string =>
    `<meta property="${name}" content="${content}">`;
  test.each([
    [
      property('article:published_time', 'undefined') + property('pubdate', '2021-05-06'),
      '2021-05-06',
    ],
    [property('article:published_time', '{{ date }}') + script({ ...page }), '2021-05-06'],
    [property('x:date article:published_time', '2021-05-06'), '2021-05-06'],
    ['<meta itemprop="datePublished" datetime="2021-05-06">', '2021-05-06'],
    [property('article:published_time', '0000-00-00 00:00:00'), undefined],
    [property('article:published_time', '-0001-11-30T00:00:00+00:00'), undefined],
    [property('article:published_time', '1970-01-01T00:00:00+00:00'), undefined],
    [script({ '@type': 'Article', datePublished: 'null' }), undefined],
    [property('article:published_time', '6 May 2021'), '6 May 2021'],
    ['<meta name="citation_publication_date" content="1897">', '1897'],
  ])('%s is %j', (head, date) => {
    expect(read(head).publishedTime).toBe(date);
  });

  test.each([
    ['<meta http-equiv="last-modified" content="2019-11-02">'],
    ['<meta http-equiv="Last-Modified" content="2019-11-02">'],
    ['<meta name="dcterms.modified" content="2019-11-02">'],
    [
      '<meta property="og:updated_time" content="null"><meta name="last-modified" content="2019-11-02">',
    ],
    [script({ '@type': 'Article', dateModified: '2019-11-02' })],
  ])('%s is that of a change', (head) => {
    const { publishedTime, modifiedTime } = read(head);
    expect([publishedTime, modifiedTime]).toEqual([undefined, '2019-11-02']);
  });
});

describe('the title', () => {
  const title = (source: string): string | undefined => readMetadata(htmlPage(source), now).title;
  test.each([
    ['<h1>Only heading</h1>', 'Only heading'],
    ['<h1></h1><h1>Second <b>heading</b></h1>', 'Second heading'],
    ['<title>undefined</title><h1>Heading</h1>', 'Heading'],
    [
      '<title>{{ title }}</title><meta property="og:title" content="Named"><h1>Heading</h1>',
      'Named',
    ],
    [`${script({ '@type': 'Article', headline: 'Headline' })}<p>a</p>`, 'Headline'],
    ['<h2>Section</h2>', undefined],
  ])('of %s is %j', (source, expected) => {
    expect(title(source)).toBe(expected);
  });
});

describe('hostile pages cost little time', () => {
  test.each([
    ['many scripts', script([stranger]).repeat(5_000)],
    ['many articles', script(Array.from({ length: 50_000 }, () => stranger))],
    [
      'many authors',
      script({ '@type': 'Article', author: Array.from({ length: 50_000 }, () => ann) }),
    ],
    ['a long author', script({ '@type': 'Article', author: 'By and , '.repeat(100_000) })],
    [
      'metas in items',
      '<div itemscope>'.repeat(400) + '<meta itemprop="author" content="a">'.repeat(20_000),
    ],
    ['a long name of metas', `<meta property="${'a '.repeat(100_000)}" content="a">`],
  ])('%s', (_, head) => {
    const hostile = htmlPage(`<title>The harbour</title>${head}`);
    const started = cpuTime();
    readMetadata(hostile, now);
    expect(cpuTime() - started).toBeLessThan(1_500);
  });
});
