import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { extractFromPage } from '../../../../src/content/formats/json.ts';
import type { LeafProvenance, Provenance } from '../../../../src/extract/provenance/provenance.ts';
import { provenanceOf } from '../../../../src/extract/provenance/ground-extraction.ts';
import { compileSchema, type JsonSchema } from '../../../../src/extract/schema/compile-schema.ts';
import { markdown as markdownFormat } from '../../../../src/content/formats/markdown.ts';
import { context, htmlPage } from '../../../support/page.ts';

const url = 'https://fixture.test/page';

async function prove(
  value: unknown,
  markdown: string,
  schema: JsonSchema = {},
  language?: string,
): Promise<Provenance> {
  const provenance = await provenanceOf(value, schema, { url, markdown, language }, undefined);
  for (const [path, leaf] of Object.entries(provenance)) expectOffsets(path, leaf, markdown);
  return provenance;
}

function expectOffsets(path: string, leaf: LeafProvenance, markdown: string): void {
  const { quote, start, end } = leaf;
  const cut = start === null || end === null ? null : markdown.slice(start, end);
  expect([path, cut]).toEqual([path, quote]);
  expect(quote).not.toBe('');
}

/** The leaf `value` of an object with that one leaf. */
async function one(
  value: unknown,
  markdown: string,
  schema: JsonSchema = {},
  { language, name = 'value' }: { language?: string; name?: string } = {},
): Promise<Pick<LeafProvenance, 'status' | 'quote'>> {
  const whole: JsonSchema = { type: 'object', properties: { [name]: schema } };
  const leaf = (await prove({ [name]: value }, markdown, whole, language))[name];
  if (leaf === undefined) throw new Error('the leaf has no provenance');
  return { status: leaf.status, quote: leaf.quote };
}

const supported = (quote: string): Pick<LeafProvenance, 'status' | 'quote'> => ({
  status: 'supported',
  quote,
});
const absent = { status: 'notFound', quote: null };
const open = { status: 'unverified', quote: null };

const folder = fileURLToPath(new URL('../../../../fixtures/pages/extract/', import.meta.url));

describe('the fixtures', () => {
  const read = (name: string, file: string): string =>
    readFileSync(join(folder, name, file), 'utf8');

  test.each(readdirSync(folder))(
    '%s: every leaf is supported and its offsets fit',
    async (name) => {
      const page = htmlPage(read(name, 'page.html'), `https://fixture.test/${name}`);
      const { jsonSchema } = await compileSchema(
        JSON.parse(read(name, 'schema.json')) as JsonSchema,
      );
      const extraction = await extractFromPage(page, jsonSchema);
      const markdown = await markdownFormat.run(page, undefined, context);
      const language = page.document.documentElement.getAttribute('lang') ?? undefined;
      const quoted = { url: page.url, markdown, language };
      const provenance = await provenanceOf(extraction.value, jsonSchema, quoted, extraction);
      expect(Object.keys(provenance).sort()).toEqual(Object.keys(extraction.sources).sort());
      for (const [path, leaf] of Object.entries(provenance)) {
        expectOffsets(path, leaf, markdown);
        expect(leaf).toMatchObject({ url: page.url, status: 'supported' });
        expect(leaf.source).toBe(extraction.sources[path]);
        if (leaf.source === 'selector') expect(leaf.selector).toEqual(expect.any(String));
        else expect(leaf).not.toHaveProperty('selector');
      }
    },
  );

  test.each([
    ['labels-real-estate', 11],
    ['locale-numbers-french', 8],
    ['table-with-spans', 12],
    ['people-table', 16],
    ['specification-definition-list', 13],
  ])('%s: all that people read is found without knowing its source', async (name, count) => {
    const page = htmlPage(read(name, 'page.html'), `https://fixture.test/${name}`);
    const { jsonSchema } = await compileSchema(JSON.parse(read(name, 'schema.json')) as JsonSchema);
    const { value } = await extractFromPage(page, jsonSchema);
    const markdown = await markdownFormat.run(page, undefined, context);
    const language = page.document.documentElement.getAttribute('lang') ?? undefined;
    const provenance = await prove(value, markdown, jsonSchema, language);
    const statuses = Object.values(provenance).map(({ status }) => status);
    expect(statuses).toEqual(Array<string>(count).fill('supported'));
  });
});

describe('texts', () => {
  test.each([
    ['Ada Lovelace', 'By **Ada** _Lovelace_, 1843', 'Ada** _Lovelace'],
    [
      'Ada Lovelace',
      'By [Ada](https://a.test/x_(y)) Lovelace',
      'Ada](https://a.test/x_(y)) Lovelace',
    ],
    ['ADA lovelace', 'By Ada\u00a0 Lovelace', 'Ada\u00a0 Lovelace'],
    ['it\'s "here" - now', 'So it’s “here” – now.', 'it’s “here” – now'],
    ['a*b [c] #1', 'Text a\\*b \\[c\\] #1', 'a\\*b \\[c\\] #1'],
    ['Weight 12 kg', '| Weight | 12 kg |', 'Weight | 12 kg'],
    ['Tom & Jerry <3', 'Tom &amp; Jerry \\<3', 'Tom &amp; Jerry \\<3'],
    ['\ufb01ne print', 'The fine print', 'fine print'],
    ['Cafe\u0301', 'Le Café bleu', 'Café'],
    ['渋谷区', '東京都渋谷区神南', '渋谷区'],
    ['**bold** words', 'Some __bold__ words', 'bold__ words'],
    ['Mix. Bake for an hour.', '1. Mix.\n2. Bake for an hour.', 'Mix.\n2. Bake for an hour.'],
    ['Mara Lind, Jon Okafor', 'By Mara Lind and Jon Okafor', 'Mara Lind and Jon Okafor'],
    ['x = a[1] * 2', '```js\nx = a[1] * 2\n```', 'x = a[1] * 2'],
  ])('%j is in %j', async (value, markdown, quote) => {
    expect(await one(value, markdown)).toEqual(supported(quote));
  });

  test.each([
    ['art', 'A party of five'],
    ['Cafe', 'Le Café bleu'],
    ['Ada Lovelace', 'Ada came. Later Lovelace went.'],
    ['x', '[link](https://a.test/x)'],
    ['Mara Lind, Jon Okafor', `By Mara Lind ${'and others '.repeat(50)} Jon Okafor`],
    ['red', ''],
  ])('%j is not in %j', async (value, markdown) => {
    expect(await one(value, markdown)).toEqual(absent);
  });

  test('an empty text and one of marks cannot be told', async () => {
    expect(await one('', 'text')).toEqual(open);
    expect(await one(' ** ', 'text')).toEqual(open);
  });
});

describe('numbers', () => {
  test.each([
    [1299, '1.299,00 €', 'de', '1.299,00 €'],
    [1299, 'Now $1,299.00!', 'en', '$1,299.00'],
    [649000, '649 000 €', 'fr', '649 000 €'],
    [1250000, '₹12,50,000', 'en-IN', '₹12,50,000'],
    [1299, "CHF 1'299.-", 'de-CH', "1'299"],
    [1.299, '1,299 kg', 'de', '1,299'],
    [-5, 'Change: -5 %', 'en', '-5 %'],
    [0.25, 'now 25 % off', 'en', '25 %'],
    [1200, 'about 1.2k readers', 'en', '1.2k'],
    [3e6, 'about 3 million readers', 'en', '3 million'],
    [10, '10–20 €', 'en', '10'],
    [4.5, 'Rated 4.5/5', 'en', '4.5'],
    [2026, 'am 03.05.2026', 'de', '2026'],
    [123, '١٢٣ ريال', 'ar', '١٢٣'],
    [4, '★★★★☆', 'en', '★★★★'],
    [3, 'three bedrooms', 'en', 'three'],
    [12, 'kr12', 'sv', '12'],
  ])('%d is in %j (%s)', async (value, markdown, language, quote) => {
    expect(await one(value, markdown, { type: 'number' }, { language })).toEqual(supported(quote));
  });

  test.each([
    [1299, '1.299 kg', 'en'],
    [4, 'A4 paper', 'en'],
    [4090, 'RTX-4090', 'en'],
    [10, 'at 10:30', 'en'],
    [12345, '| 12 | 345 |', 'en'],
    [130, 'Price: 129', 'en'],
    [52, '5² metres', 'en'],
  ])('%d is not in %j (%s)', async (value, markdown, language) => {
    expect(await one(value, markdown, { type: 'number' }, { language })).toEqual(absent);
  });

  test('are converted to the unit that the name asks for', async () => {
    const number = { type: 'number' };
    const units = 'Weight: 500 g. Time: 1 h 30 min. Length: 21,5 cm';
    const ask = async (value: number, name: string): Promise<string | null> =>
      (await one(value, units, number, { language: 'de', name })).quote;
    expect(await ask(0.5, 'weightKg')).toBe('500 g');
    expect(await ask(90, 'timeMinutes')).toBe('1 h 30 min');
    expect(await ask(215, 'lengthMm')).toBe('21,5 cm');
    expect(await ask(5000, 'lengthMm')).toBeNull();
  });

  test('amounts and currencies in texts are what the page writes in its own way', async () => {
    expect(await one('$1,299.00', 'nur 1.299,00 $', {}, { language: 'de' })).toEqual(
      supported('1.299,00 $'),
    );
    expect(await one('EUR', 'nur 5 €', {}, { language: 'de' })).toEqual(supported('€'));
    expect(await one('CAD', 'only $5', {}, { language: 'en-US' })).toEqual(absent);
    expect(await one('4711', 'Number 4.711', {}, { language: 'de' })).toEqual(absent);
  });
});

describe('dates', () => {
  test.each([
    ['2026-05-03', 'On 3 May 2026.', 'en', '3 May 2026'],
    ['2026-05-03', 'On **May 3rd**, 2026.', 'en', 'May 3rd**, 2026'],
    ['2026-03-03', 'Seit 3. März 2026', 'de', '3. März 2026'],
    ['2026-03-03', 'el 3 de marzo de 2026', 'es', '3 de marzo de 2026'],
    ['2026-05-03', 'le 03/05/2026', 'fr', '03/05/2026'],
    ['2026-05-03', '2026年5月3日', 'ja', '2026年5月3'],
    ['2026-05-03T08:30:00Z', '3 May 2026, 10:30 +02:00', 'en', '3 May 2026'],
    ['2026-05-03T00:00:00Z', '3 May 2026', 'en', '3 May 2026'],
  ])('%s is in %j (%s)', async (value, markdown, language, quote) => {
    expect(await one(value, markdown, {}, { language })).toEqual(supported(quote));
  });

  test('another day is not found; what says only a part, or two things, cannot be told', async () => {
    const language = 'en';
    expect(await one('2026-05-04', 'On 3 May 2026.', {}, { language })).toEqual(absent);
    expect(await one('2026-05-03T08:30:00Z', 'On 3 May 2026.', {}, { language })).toEqual({
      status: 'unverified',
      quote: '3 May 2026',
    });
    expect(await one('2026-05-03', 'On 03/05/2026.', {}, { language })).toEqual({
      status: 'unverified',
      quote: '03/05/2026',
    });
  });
});

describe('other values', () => {
  test('addresses are compared as addresses', async () => {
    const text = '[a](https://a.test/x/) and [m](mailto:Me@a.test), see https://a.test/b?c=1.';
    const uri = { type: 'string', format: 'uri' };
    expect(await one('https://A.test/x', text, uri)).toEqual(supported('https://a.test/x/'));
    expect(await one('https://a.test/b?c=1', text, uri)).toEqual(supported('https://a.test/b?c=1'));
    expect(await one('me@a.test', text)).toEqual(supported('mailto:Me@a.test'));
    expect(await one('https://a.test/y', text, uri)).toEqual(absent);
    const own = (await prove({ link: url }, text))['link'];
    expect(own).toEqual({
      url,
      status: 'supported',
      quote: null,
      start: null,
      end: null,
      source: 'url',
    });
  });

  test('yes and no stand beside their label or are words about stock', async () => {
    const boolean = { type: 'boolean' };
    const ask = (value: boolean, markdown: string, name: string): Promise<unknown> =>
      one(value, markdown, boolean, { name });
    expect(await ask(true, '- Free shipping: yes', 'freeShipping')).toEqual(
      supported('Free shipping: yes'),
    );
    expect(await ask(false, '| Waterproof | ✗ |', 'isWaterproof')).toEqual(
      supported('Waterproof | ✗'),
    );
    expect(await ask(false, 'A lamp\n\n**Sold out**', 'inStock')).toEqual(supported('Sold out'));
    expect(await ask(true, 'A lamp\n\nSold out', 'inStock')).toEqual(absent);
    expect(await ask(true, 'A lamp', 'remote')).toEqual(open);
  });

  test('a word of the schema is quoted where the page has it, and else cannot be told', async () => {
    const choice = { enum: ['InStock', 'OutOfStock'] };
    expect(await one('InStock', 'It is in stock.', choice)).toEqual(supported('in stock'));
    expect(await one('OutOfStock', 'It is in stock.', choice)).toEqual(open);
  });

  test('what the schema fixes, null and absent values have no provenance', async () => {
    const schema = { type: 'object', properties: { kind: { const: 'lamp' }, price: {} } };
    expect(await prove({ kind: 'lamp', price: null }, 'lamp', schema)).toEqual({});
    expect(await prove(undefined, 'lamp')).toEqual({});
    expect(Object.keys(await prove('lamp', 'a lamp'))).toEqual(['']);
  });

  test('keys of prototypes are keys', async () => {
    const value: unknown = JSON.parse('{"__proto__": "lamp", "constructor": {"toString": "lamp"}}');
    const provenance = await prove(value, 'a lamp');
    expect(Object.keys(provenance)).toEqual(['__proto__', 'constructor.toString']);
    expect(Object.entries(provenance).map(([, { status }]) => status)).toEqual([
      'supported',
      'supported',
    ]);
  });
});

describe('which of several', () => {
  const table = [
    'Ada is 36, and Alan 36, too.',
    '',
    '| Name | Age | Low | High |',
    '| --- | --- | --- | --- |',
    '| Ada | 36 | 3 | 3 |',
    '| Alan | 36 | 3 | 5 |',
    '| Grace | 85 | 5 | 36 |',
  ].join('\n');

  test('the leaves of a row are quoted from its line, rows in order', async () => {
    const rows = [
      { name: 'Ada', age: 36, low: 3, high: 3 },
      { name: 'Alan', age: 36, low: 3, high: 5 },
      { name: 'Grace', age: 85, low: 5, high: 36 },
    ];
    const provenance = await prove({ rows }, table);
    const lineOf = (path: string): number =>
      table.slice(0, provenance[path]?.start ?? 0).split('\n').length - 1;
    for (const [index, row] of rows.entries()) {
      for (const key of Object.keys(row)) {
        expect([key, lineOf(`rows[${index}].${key}`)]).toEqual([key, 4 + index]);
      }
    }
    expect(provenance['rows[0].high']?.start).not.toBe(provenance['rows[0].low']?.start);
  });

  test('rows that say the same are told apart by their order', async () => {
    const text = '- Tea 3 €\n- Tea 3 €\n- Tea 3 €';
    const row = { name: 'Tea', price: 3 };
    const provenance = await prove([row, row, row], text);
    const starts = [0, 1, 2].map((index) => provenance[`[${index}].price`]?.start);
    expect(starts).toEqual([6, 16, 26]);
  });

  test('else the first, or the one after the name of the property', async () => {
    const text = 'Kestrel 40, the 40 of Kestrel\n\nVolume: 40 l';
    const { name, volume } = await prove({ name: 'Kestrel', volume: 40 }, text);
    expect([name?.start, volume?.start]).toEqual([0, text.length - 4]);
  });
});
