import { describe, expect, test } from 'vitest';
import {
  readStructuredData,
  type StructuredData,
} from '../../../src/extract/facts/structured-data.ts';
import type { Page } from '../../../src/core/model/page.ts';
import { htmlPage, textPage } from '../../support/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const readPage = async (page: Page): Promise<StructuredData> => readStructuredData(page);

const read = (source: string): Promise<StructuredData> => readPage(htmlPage(source));

const script = (json: string, type = 'application/ld+json'): string =>
  `<script type="${type}">${json}</script>`;

describe('JSON-LD', () => {
  test('all scripts become one list, with arrays and @graph flattened in order', async () => {
    const { jsonLd } = await read(
      script('{"@type":"A"}') +
        script('[{"@type":"B"},[{"@type":"C"}]]', 'Application/LD+JSON; charset=utf-8') +
        script('{"@context":"https://schema.org","@graph":[{"@type":"D"},{"@type":"E"}]}') +
        script('{"@id":"#f","@graph":{"@type":"G"}}') +
        script('{"@type":"no"}', 'application/json'),
    );
    expect(jsonLd.map((node) => node['@type'] ?? node['@id'])).toEqual([
      'A',
      'B',
      'C',
      'D',
      'E',
      '#f',
      'G',
    ]);
  });

  test('entities are left as they are written', async () => {
    expect((await read(script('{"name":"Tom &amp; Jerry"}'))).jsonLd).toEqual([
      { name: 'Tom &amp; Jerry' },
    ]);
  });

  test.each([
    ['an HTML comment around it', '<!-- {"a":1} -->'],
    ['a CDATA section around it', '//<![CDATA[\n{"a":1}\n//]]>'],
    ['a CDATA section on one line', '/*<![CDATA[*/{"a":1}/*]]>*/'],
    ['trailing commas', '{"a":1,}'],
    ['a trailing comma before a line break', '[{"a":1,\n},\n]'],
    ['a comment', '{"a":1 /* one, } */}'],
    ['a line comment', '{ // the value\n "a":1 }'],
    ['a semicolon at the end', '{"a":1};'],
    ['a byte order mark', '\uFEFF{"a":1}'],
    ['a comment before it', '<!-- a note -->\n{"a":1}'],
    ['a comment with brackets before it', '<!-- {"b":2} -->{"a":1}'],
    ['a comment in it', '{"a":1 <!-- } -->}'],
    ['single quotes', "{'a':1}"],
    ['other quotes', '{“a”:1}'],
    ['a name without quotes', '{a:1}'],
    ['entities in place of quotes', '{&quot;a&quot;:1}'],
    ['entities of entities', '{&amp;quot;a&amp;quot;:1}'],
    ['numbers of entities', '[{&#34;a&#34;:1}]'],
    ['backslashes before its quotes', '{\\"a\\":1}'],
    ['a string around it', '"{\\"a\\":1}"'],
    ['two commas', '{"a":1,,}'],
    ['a bracket too many', '{"a":1}}'],
    ['a list that is closed first', '{"a":1]}'],
    ['tags', '<p>{<br />"a":1}</p>'],
  ])('%s is repaired', async (_, json) => {
    const page = htmlPage(script(json));
    expect(await readPage(page)).toMatchObject({ jsonLd: [{ a: 1 }] });
    expect(page.warnings).toEqual([]);
  });

  test('line breaks and wrong escapes in strings are repaired, what looks like a repair in them stays', async () => {
    expect((await read(script('{"a":"one\n\ttwo","b":"it\\\'s",}'))).jsonLd).toEqual([
      { a: 'one\n\ttwo', b: "it's" },
    ]);
    expect((await read(script('{"a":"x,} // no <!-- comment -->",}'))).jsonLd).toEqual([
      { a: 'x,} // no <!-- comment -->' },
    ]);
  });

  test.each<[string, string, unknown[]]>([
    ['two objects', '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['two objects with a comma', '{"a":1},{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['two objects with semicolons', '{"a":1};{"b":2};', [{ a: 1 }, { b: 2 }]],
    ['an object and a list', '{"a":1}[{"b":2}]', [{ a: 1 }, { b: 2 }]],
    ['a missing brace', '{"a":{"b":"c"}', [{ a: { b: 'c' } }]],
    ['missing brackets', '{"a":[{"b":"c"', [{ a: [{ b: 'c' }] }]],
    ['a missing brace within', '[{"a":"b","c":{"d":"e"]', [{ a: 'b', c: { d: 'e' } }]],
    ['a missing comma', '{"a":"b"\n"c":"d"}', [{ a: 'b', c: 'd' }]],
    ['a missing comma between objects', '[{"a":1}{"b":2}]', [{ a: 1 }, { b: 2 }]],
    [
      'quotes in a text',
      '{"a":"He said "no" to it","b":"c"}',
      [{ a: 'He said "no" to it', b: 'c' }],
    ],
    ['an apostrophe', "{'a':'the boat's mast','b':'c'}", [{ a: "the boat's mast", b: 'c' }]],
    ['a double in single quotes', `{'a':'a 5" nail'}`, [{ a: 'a 5" nail' }]],
    ['what is not defined', '{"a":undefined,"b":NaN}', [{ a: null, b: null }]],
  ])('%s is repaired', async (_, json, nodes) => {
    const page = htmlPage(script(json));
    expect((await readPage(page)).jsonLd).toEqual(nodes);
    expect(page.warnings).toEqual([]);
  });

  test.each([
    '{"a":"cut in a te',
    '{"a":19.9',
    '{"a":tr',
    '{"a":',
    '{ not json',
    'var a = 1',
    '{"a" "b"}',
  ])('%s is not', async (json) => {
    const page = htmlPage(script(json));
    expect((await readPage(page)).jsonLd).toEqual([]);
    expect(page.warnings).toHaveLength(1);
  });

  test.each([
    ['quotes', '{"a":' + '" '.repeat(300_000)],
    ['spaces after quotes', `{"a":"${`"${' '.repeat(1_000)}x`.repeat(500)}`],
    ['comments that do not end', '{'.concat('<!-- '.repeat(200_000))],
    ['comments before the end', '<!-- '.repeat(200_000) + '{"a":1} -->'],
    ['brackets', '['.repeat(300_000) + '}'.repeat(300_000)],
    ['commas', '[' + ','.repeat(500_000)],
    ['words', '{' + 'a '.repeat(200_000)],
    ['tags', '{' + '<a '.repeat(200_000)],
    ['entities', '{&quot;'.repeat(100_000)],
  ])('many %s take little time', async (_, json) => {
    const page = { ...textPage(json), mediaType: 'application/ld+json' };
    const started = cpuTime();
    await readPage(page);
    expect(cpuTime() - started).toBeLessThan(1_500);
  });

  test('a script that is no JSON is skipped with a warning that names its number', async () => {
    const page = htmlPage(script('{"@type":"A"}') + script('{"@type": oops}') + script('{"b":2}'));
    const { jsonLd } = await readPage(page);
    expect(jsonLd).toEqual([{ '@type': 'A' }, { b: 2 }]);
    expect(page.warnings).toEqual([
      'structuredData: JSON-LD script 2 is not valid JSON and was skipped.',
    ]);
    await readPage(page);
    expect(page.warnings).toHaveLength(1);
  });

  test('no key of the page becomes a prototype', async () => {
    const { jsonLd } = await read(
      script('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}'),
    );
    expect(jsonLd).toEqual([{ a: {} }]);
    expect(Object.assign({}, jsonLd[0]?.['a'])).not.toHaveProperty('polluted');
  });

  test('a document that is JSON-LD itself is read', async () => {
    const page = { ...textPage('[{"@type":"A"}]'), mediaType: 'application/ld+json' };
    expect(await readPage(page)).toMatchObject({
      jsonLd: [{ '@type': 'A' }],
    });
  });
});

describe('microdata', () => {
  test('properties take their value from where HTML keeps it', async () => {
    const { microdata } = await read(`
      <div itemscope itemtype="https://schema.org/Thing" itemid="/thing">
        <meta itemprop="meta" content=" a  b "><a itemprop="a" href="x">text</a>
        <link itemprop="link" href="/y"><img itemprop="img" src="i.png" alt="">
        <object itemprop="object" data="o.svg"></object><data itemprop="data" value="7">seven</data>
        <meter itemprop="meter" value="0.5">half</meter><time itemprop="time" datetime="2026-01-02">then</time>
        <time itemprop="bare">today</time><span itemprop="content" content="machine">human</span>
        <p itemprop="text">some <b>bold</b>
           text</p><video itemprop="video" src="v.mp4"></video>
        <div itemprop="blocks"><p>one</p><p>two</p><script>no()</script></div>
      </div>`);
    expect(microdata).toEqual([
      {
        type: ['https://schema.org/Thing'],
        id: 'http://example.test/thing',
        properties: {
          meta: ['a b'],
          a: ['http://example.test/docs/x'],
          link: ['http://example.test/y'],
          img: ['http://example.test/docs/i.png'],
          object: ['http://example.test/docs/o.svg'],
          data: ['7'],
          meter: ['0.5'],
          time: ['2026-01-02'],
          bare: ['today'],
          content: ['machine'],
          text: ['some bold text'],
          video: ['http://example.test/docs/v.mp4'],
          blocks: ['one two'],
        },
      },
    ]);
  });

  test('items nest, names are tokens, and only items that are no property are on top', async () => {
    const { microdata } = await read(`
      <div itemscope><p itemprop="name title">N</p>
        <div itemprop="child" itemscope itemtype="a b"><i itemprop="name">inner</i></div>
        <div itemscope><i itemprop="name">beside</i></div></div>`);
    expect(microdata).toEqual([
      {
        type: [],
        properties: {
          name: ['N'],
          title: ['N'],
          child: [{ type: ['a', 'b'], properties: { name: ['inner'] } }],
        },
      },
      { type: [], properties: { name: ['beside'] } },
    ]);
  });

  test('itemref adds properties from elsewhere, in document order', async () => {
    const { microdata } = await read(`
      <p id="first"><b itemprop="v">1</b></p>
      <div itemscope itemref="last first missing"><i itemprop="v">2</i></div>
      <p id="last" itemprop="v">3</p>`);
    expect(microdata).toEqual([{ type: [], properties: { v: ['1', '2', '3'] } }]);
  });

  test('loops of itemref end', async () => {
    const { microdata } = await read(`
      <div itemscope itemref="a"></div>
      <div id="a" itemprop="x" itemscope itemref="b"><i itemprop="n">a</i></div>
      <div id="b" itemprop="x" itemscope itemref="a"><i itemprop="n">b</i></div>`);
    expect(JSON.stringify(microdata)).toBe(
      '[{"type":[],"properties":{"x":[{"type":[],"properties":{"n":["a"],"x":[{"type":[],"properties":{"n":["b"]}}]}}]}}]',
    );
  });

  test('property names of the page cannot reach a prototype', async () => {
    const { microdata } = await read(
      '<div itemscope><i itemprop="__proto__ constructor">x</i></div>',
    );
    expect(Object.keys(microdata[0]?.properties ?? {})).toEqual(['constructor']);
    expect({}).not.toHaveProperty('0');
  });
});

describe('RDFa', () => {
  test('vocab, typeof, property and resource make items with nested items', async () => {
    const { rdfa } = await read(`
      <div vocab="https://schema.org/" typeof="Person" resource="#me">
        <span property="name">Ada</span> <a property="url" href="/ada">page</a>
        <img property="image" src="/ada.png"> <time property="birthDate" datetime="1815-12-10">then</time>
        <span property="jobTitle" content="Analyst">job</span>
        <div property="address" typeof="PostalAddress"><b property="addressLocality">London</b></div>
      </div>`);
    expect(rdfa).toEqual([
      {
        type: ['https://schema.org/Person'],
        resource: 'http://example.test/docs/page#me',
        properties: {
          name: ['Ada'],
          url: ['http://example.test/ada'],
          image: ['http://example.test/ada.png'],
          birthDate: ['1815-12-10'],
          jobTitle: ['Analyst'],
          address: [
            {
              type: ['https://schema.org/PostalAddress'],
              properties: { addressLocality: ['London'] },
            },
          ],
        },
      },
    ]);
  });

  test('prefixes expand; the current vocabulary stays short', async () => {
    const { rdfa } = await read(`
      <div prefix="ex: http://ex.test/ns# s: https://schema.org/" vocab="https://schema.org/" typeof="s:Book ex:Tome">
        <i property="s:name">N</i><i property="ex:shelf">4</i><i property="dc:title">T</i><i property="zz:a">Z</i>
      </div>`);
    expect(rdfa).toEqual([
      {
        type: ['https://schema.org/Book', 'http://ex.test/ns#Tome'],
        properties: {
          name: ['N'],
          'http://ex.test/ns#shelf': ['4'],
          'http://purl.org/dc/terms/title': ['T'],
          'zz:a': ['Z'],
        },
      },
    ]);
  });

  test('two elements about one resource are one item, and loops are cut', async () => {
    const { rdfa } = await read(`
      <body vocab="v/"><div typeof="A" resource="#a"><i property="x">1</i>
        <div property="next" typeof="B" resource="#b"><i property="back" typeof="A" resource="#a"></i></div></div>
      <div resource="#a"><i property="x">2</i></div></body>`);
    expect(rdfa).toHaveLength(1);
    expect(rdfa[0]?.properties['x']).toEqual(['1', '2']);
    expect(() => JSON.stringify(rdfa)).not.toThrow();
  });

  test('OpenGraph tags are no items', async () => {
    expect((await read('<meta property="og:title" content="t">')).rdfa).toEqual([]);
  });
});

describe('OpenGraph and Twitter cards', () => {
  test('media are objects with the properties that follow them', async () => {
    const { openGraph } = await read(`
      <meta property="og:title" content="T"><meta property="og:image" content="/1.png">
      <meta property="og:image:secure_url" content="https://s.test/1.png">
      <meta property="og:image:width" content="600"><meta property="og:image:alt" content="one">
      <meta property="og:image" content="/2.png"><meta property="og:image:height" content="80px">
      <meta property="og:image:width" content="wide">
      <meta property="og:video:url" content="v.mp4"><meta property="og:video:type" content="video/mp4">`);
    expect(openGraph).toEqual({
      title: 'T',
      image: [
        {
          url: 'http://example.test/1.png',
          secureUrl: 'https://s.test/1.png',
          width: 600,
          alt: 'one',
        },
        { url: 'http://example.test/2.png', height: 80 },
      ],
      video: [{ url: 'http://example.test/docs/v.mp4', type: 'video/mp4' }],
    });
  });

  test('repeated properties are arrays; other vocabularies keep their names', async () => {
    const { openGraph } = await read(`
      <meta name="og:url" content="/p"><meta property="og:locale:alternate" content="de_DE">
      <meta property="og:locale:alternate" content="fr_FR"><meta property="og:locale:alternate" content="it_IT">
      <meta property="article:tag" content="a"><meta property="article:tag" content="b">
      <meta property="product:price:amount" content="12.50"><meta property="unknown:x" content="no">
      <meta property="og:__proto__" content="x"><meta property="og:description" content="">`);
    expect(Object.entries(openGraph)).toEqual([
      ['url', 'http://example.test/p'],
      ['locale:alternate', ['de_DE', 'fr_FR', 'it_IT']],
      ['article:tag', ['a', 'b']],
      ['product:price:amount', '12.50'],
    ]);
  });

  test('the first of each twitter tag wins', async () => {
    const { twitter } = await read(`
      <meta name="twitter:card" content="summary"><meta property="twitter:image" content="/t.png">
      <meta name="Twitter:Card" content="player"><meta name="twitter:label1" content="Price">`);
    expect(twitter).toEqual({
      card: 'summary',
      image: 'http://example.test/t.png',
      label1: 'Price',
    });
  });
});

describe('hostile pages', () => {
  const within = async (milliseconds: number, page: Page): Promise<void> => {
    const start = cpuTime();
    await readPage(page);
    expect(cpuTime() - start).toBeLessThan(milliseconds);
  };

  test('many items that all refer to one large part are bounded', async () => {
    const items = '<div itemscope itemref="big"></div>'.repeat(3000);
    const big = `<div id="big">${'<i itemprop="p">x</i>'.repeat(3000)}</div>`;
    const page = htmlPage(items + big);
    await within(10_000, page);
    expect(page.warnings.join()).toContain('more microdata than is read');
  });

  test('properties around properties do not multiply a long text without end', async () => {
    const open = '<span itemprop="p">'.repeat(400);
    const page = htmlPage(
      `<div itemscope>${open}${'word '.repeat(40_000)}${'</span>'.repeat(400)}</div>`,
    );
    await within(10_000, page);
    expect(page.warnings.join()).toContain('more microdata than is read');
  });

  test('JSON nested beyond reason is no JSON', async () => {
    const page = htmlPage(script('['.repeat(100_000)));
    await readPage(page);
    expect(page.warnings).toHaveLength(1);
  });

  test('a page without any of it gives empty fields, and so does what is no tree', async () => {
    const nothing = { jsonLd: [], microdata: [], rdfa: [], openGraph: {}, twitter: {} };
    expect(await read('<p>hello</p>')).toEqual(nothing);
    expect(await readPage(textPage('hello'))).toEqual(nothing);
  });
});
