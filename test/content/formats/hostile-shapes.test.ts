/** Pages made to cost time, memory or stack: each ends as values of bounded size, or as a typed error. */
import { describe, expect, it } from 'vitest';
import { cleanPage } from '../../../src/content/clean/index.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import {
  attributes,
  chunks,
  html,
  images,
  json,
  links,
  markdown,
  structuredData,
  summary,
  tables,
} from '../../../src/content/formats/registry.ts';
import { readMetadata } from '../../../src/content/formats/metadata.ts';
import { runFormat } from '../../../src/content/formats/run-format.ts';
import type { StructuredData } from '../../../src/extract/facts/structured-data.ts';
import type { HtmlPage } from '../../../src/core/model/page.ts';
import { defaults } from '../clean/page.ts';
import { context, htmlPage } from '../../support/page.ts';
import { isDeep } from '../../support/deep.ts';

const prose = '<p>A paragraph of real prose that is long enough to be counted as a sentence.</p>';
const repeat = (unit: string, bytes = 100_000): string =>
  unit.repeat(Math.ceil(bytes / unit.length));
const numbered = (unit: (index: number) => string, count: number): string =>
  Array.from({ length: count }, (_, index) => unit(index)).join('');
const script = (source: string): string =>
  `<script type="application/ld+json">${source}</script>${prose}`;

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    price: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    offers: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    author: {
      type: 'object',
      properties: { name: { type: 'string' }, address: { type: 'string' } },
    },
  },
};

/** All formats of the page, whole and as main content. What they throw is one of ours. */
async function readAll(source: string): Promise<{ size: number; pages: HtmlPage[] }> {
  const jsonOptions = json.parseOptions?.({ schema }) as never;
  const selectors = { selectors: [{ selector: 'a[href], div > span', attribute: 'href' }] };
  let size = 0;
  const pages: HtmlPage[] = [];
  for (const onlyMainContent of [true, false]) {
    const page = htmlPage(source);
    pages.push(page);
    const run = async (work: () => unknown): Promise<void> => {
      try {
        size += JSON.stringify((await work()) ?? null).length;
      } catch (error) {
        if (!(error instanceof PagewrightError)) throw error;
      }
    };
    await run(() => readMetadata(page));
    await run(() => structuredData.run(page, undefined, context));
    await run(() => runFormat(json, page, jsonOptions, context));
    cleanPage(page, { ...defaults, onlyMainContent });
    for (const format of [markdown, html, links, images, tables, chunks, summary]) {
      await run(() =>
        runFormat<unknown, unknown, unknown, unknown>(format, page, undefined, context),
      );
    }
    await run(() => attributes.run(page, selectors, context));
  }
  return { size, pages };
}

/** Long ones whose bound another shape meets too. */
const rare = [
  'tables in tables',
  'nested quotes',
  'nested definition lists',
  'nested formatting in paragraphs',
  'a row of 10,000 cells that span',
  '10,000 header rows below 10,000 columns',
  '100,000 sources',
  'code in 100 levels of quotes',
  'a long heading above many tables',
  'text in 100 levels of lists',
  'nested headings',
];
const withoutRare = (
  shapes: readonly (readonly [string, string])[],
): (readonly [string, string])[] => shapes.filter(([name]) => !rare.includes(name) || isDeep(name));

describe('every format reads', () => {
  it.each(
    withoutRare([
      ['1,000 nested tables', '<table><tr><td>'.repeat(1000) + prose],
      ['tables in tables', '<table><tr></tr>'.repeat(400) + repeat('<tr><td>a<td>b</tr>')],
      ['nested lists', repeat('<ul><li>x')],
      ['nested quotes', repeat('<blockquote>x')],
      ['nested definition lists', repeat('<dl><dt>a<dd>b')],
      ['nested formatting', repeat('<b>x<i>y<s>z')],
      ['nested formatting in paragraphs', repeat(`<p>${'<b>x<i>y<s>'.repeat(100)}</p>`)],
      ['nested links around blocks', repeat('<a href=/a><div>x<object>')],
      ['nested code', repeat('<code>a<b>')],
      ['nested preformatted text', repeat('<pre>a<span>')],
      ['nested highlighters', repeat('<div class=syntaxhighlighter>')],
      ['nested line numbers', repeat('<pre><span class=gutter>1')],
      ['nested formulas', `<math>${repeat('<mrow><msup><mi>x</mi>')}`],
      ['nested rendered formulas', repeat('<span class=katex>x')],
      ['nested headings', repeat('<div role=heading>x')],
      ['nested shadow roots', repeat('<div><template shadowrootmode=open><p><slot></slot>')],
      ['nested hidden elements', prose + repeat('<span aria-hidden=true>')],
      ['nested noscripts', repeat('<noscript>') + prose],
      ['nested microdata', repeat('<div itemscope itemprop=a>')],
      [
        'properties in properties',
        `<div itemscope>${repeat(`${'<p><i itemprop=a>'.repeat(200)}x</p>`)}`,
      ],
      ['nested RDFa', repeat('<div typeof=Product property=a>x')],
      [
        'a row of 10,000 cells that span',
        `<table><tr>${'<td colspan=1000 rowspan=65534>a'.repeat(10_000)}`,
      ],
      ['rows of cells that span', `<table>${'<tr><td rowspan=65534>a<td>b'.repeat(5_000)}`],
      [
        '10,000 header rows below 10,000 columns',
        `<table><tr>${'<th>a'.repeat(10_000)}${'<tr><th>b'.repeat(10_000)}<tr><td>x`,
      ],
      ['30,000 links', numbered((n) => `<a href="/${n}">x</a>`, 30_000)],
      ['50,000 attributes', `<p ${numbered((n) => `a${n}=1 `, 50_000)}>${prose}`],
      ['100,000 classes', `<p class="${numbered((n) => `c${n} `, 100_000)}">${prose}`],
      ['a picture of sources and images', `<picture>${repeat('<source><img>')}</picture>`],
      ['100,000 sources', `<picture>${'<source srcset=a.png>'.repeat(100_000)}<img>`],
      ['a srcset of 100,000', `<img srcset="${numbered((n) => `/${n}.png ${n}w, `, 100_000)}">`],
      [
        'footnotes that show nothing',
        numbered((n) => `<sup><a href="#f${n}">*</a></sup>`, 5000) +
          numbered((n) => `<p id="f${n}">x`, 5000),
      ],
      ['headings with the same id', repeat('<h2 id=a>x</h2><p>y</p>')],
      ['a data URL of 1 MB', `<img src="data:image/png;base64,${'a'.repeat(1_000_000)}">${prose}`],
      ['a line of 1 MB', `<p>${'x'.repeat(1_000_000)}`],
      ['1 MB of white space', `<p>a${' '.repeat(1_000_000)}b<pre>c${'\n'.repeat(1_000_000)}d`],
      ['stars', `<p>${repeat('*a*b')}`],
      ['brackets', `<p>${repeat('[')}${repeat('](')}`],
      ['openings of formulas', `<p>${repeat('\\(')}${repeat('$$a')}`],
      ['less-than signs', `<p>${repeat('&lt;a b ')}`],
      ['backslashes before emphasis', `<p>${repeat('\\\\<b>.</b>')}`],
      [
        'a prefix list without a colon',
        `<div prefix="${repeat('a')}" typeof="${numbered((n) => `t${n} `, 50_000)}">x</div>`,
      ],
      [
        'prefixes on every element',
        `<div prefix="${numbered((n) => `p${n}: http://x/ `, 5000)}">${repeat('<p prefix="a: http://b">x</p>', 50_000)}`,
      ],
      [
        'broken JSON-LD scripts',
        repeat('<script type="application/ld+json">{"a":</script>') + prose,
      ],
      [
        'a cell that begins like a number',
        `<table><tr><td>a<td>b<tr><td>c<td>1${' .'.repeat(500_000)}abcd<tr><td>d<td>3</table>`,
      ],
      ['labels', repeat('<p>Name: value</p>')],
      ['terms before their definitions', `<dl>${repeat('<dt>Price')}${repeat('<dd>1')}`],
    ]),
  )('%s', async (_, source) => {
    const { size, pages } = await readAll(source);
    expect(size).toBeGreaterThan(0);
    for (const { warnings } of pages) expect(warnings.join(' ').length).toBeLessThan(10_000);
  });
});

describe('the result is not much larger than the page', () => {
  const text = 'x'.repeat(20_000);
  it.each(
    withoutRare([
      ['text in 100 levels of lists', '<ul><li>'.repeat(100) + '<p>x'.repeat(30_000)],
      [
        'code in 100 levels of quotes',
        `${'<blockquote>'.repeat(100)}<pre>${'a\n'.repeat(200_000)}`,
      ],
      [
        'a long cell that spans all rows',
        `<table><tr><th>a<th>b<tr><td rowspan=65534>${text}<td>1${'<tr><td>c'.repeat(20_000)}`,
      ],
      [
        'a long heading above many tables',
        `<h1>${text}</h1>${'<table><tr><th>a<th>b<tr><td>1<td>2</table>'.repeat(5_000)}`,
      ],
      [
        'items under several names in each other',
        `<div itemscope>${'<div itemscope itemprop="a b c">'.repeat(90)}x`,
      ],
      [
        'resources under several names in each other',
        `<div typeof=a>${'<div typeof=a property="a b c">'.repeat(90)}x`,
      ],
      [
        'a property of 10,000 names',
        `<div itemscope><p itemprop="${numbered((n) => `p${n} `, 10_000)}">${text}</div>`,
      ],
      [
        'an RDFa property of 10,000 names',
        `<div typeof=a><p property="${numbered((n) => `p${n} `, 10_000)}">${text}</div>`,
      ],
      [
        'a meta tag of 10,000 names',
        `<meta property="${numbered((n) => `og:p${n} `, 10_000)}" content="${text}">${prose}`,
      ],
    ]),
  )('%s', async (_, source) => {
    const { size } = await readAll(source);
    expect(size).toBeLessThan(100_000_000);
  });
});

describe('JSON-LD', () => {
  const read = (source: string): { value: Promise<StructuredData>; page: HtmlPage } => {
    const page = htmlPage(script(source));
    return { value: Promise.resolve(structuredData.run(page, undefined, context)), page };
  };

  it('up to 100 levels is read, one more is left out with a warning', async () => {
    const nested = (levels: number): string =>
      `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    const fits = read(nested(100));
    expect((await fits.value).jsonLd).toHaveLength(1);
    expect(fits.page.warnings).toEqual([]);
    const deep = read(nested(101));
    expect((await deep.value).jsonLd).toEqual([]);
    expect(deep.page.warnings).toEqual([expect.stringMatching(/deeper than 100 levels/)]);
  });

  it.each([
    ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['that never ends', '{"a":'.repeat(100_000)],
  ])('%s is a warning', async (_, source) => {
    const { value, page } = read(source);
    expect((await value).jsonLd).toEqual([]);
    expect(page.warnings).toHaveLength(1);
  });

  it('cannot reach the prototype of anything', async () => {
    const { value } = read(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":"a"}',
    );
    expect((await value).jsonLd).toEqual([
      { constructor: { prototype: { polluted: 1 } }, name: 'a' },
    ]);
    await readAll(script('[{"@type":"Product","__proto__":{"polluted":1},"name":"a"}]'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    [
      'values that are themselves',
      `[{"@type":"Product","name":"a","price":{"@id":"#x","value":{"@id":"#x"}},
        "author":{"@id":"#y","address":{"@id":"#y"}}}]`,
    ],
    [
      'offers of offers of offers',
      `[{"@type":"Product","name":"a","offers":[${'{"@id":"#o"},'.repeat(2000)}{}]},
        {"@id":"#o","priceSpecification":[${'{"@id":"#o"},'.repeat(2000)}{}]}]`,
    ],
    [
      'a list of itself',
      `[{"@type":"ItemList","@id":"#l","itemListElement":[${'{"@id":"#l"},'.repeat(1000)}{}]}]`,
    ],
  ])('%s end', async (_, source) => {
    expect((await readAll(script(source))).size).toBeGreaterThan(0);
  });
});
