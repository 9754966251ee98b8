import { expect, test } from 'vitest';
import { provenanceOf } from '../../../../src/extract/provenance/ground-extraction.ts';

const size = 1_000_000;
const rowCount = 2500;

function repeated(text: string, length = size): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** 10,000 leaves in rows. */
function rowsOf(leaf: (index: number) => unknown, name = 'a'): unknown {
  return Array.from({ length: rowCount }, (_, index) => ({
    [name]: leaf(index),
    b: leaf(index + 1),
    c: leaf(index * 7),
    d: leaf(index + 3),
  }));
}

const prose =
  'The quick brown fox costs £12.50 on 3 May 2026 in [Paris](https://example.test/a?b=1).\n';
const word = (index: number): string => `x${index}`;

test.each<[name: string, markdown: string, value: unknown]>([
  ['prose', repeated(prose), rowsOf((index) => `word ${index}`)],
  ['prose of one line', repeated(prose).replaceAll('\n', ' '), rowsOf(() => 'The quick brown fox')],
  ['one word again and again', repeated('a '), rowsOf((index) => repeated('a ', 1000 + index))],
  ['near misses', repeated(`${repeated('a ', 1000)}b `), rowsOf(() => `${repeated('a ', 1002)}b`)],
  ['one long word', repeated('a'), rowsOf((index) => repeated('a', 100 + index))],
  ['signs', repeated('日本'), rowsOf(() => `${repeated('日本', 1000)}日`)],
  ['no words', repeated('€ '), rowsOf(() => '€ €£')],
  ['numbers', repeated('1 2 3 4.5 6,7 '), rowsOf((index) => index / 10)],
  ['groups of digits', `1${repeated(' 000')}`, rowsOf((index) => index)],
  ['one long number', repeated('1.'), rowsOf((index) => index)],
  ['units', repeated('1 h 30 min '), rowsOf(() => 91, 'timeMinutes')],
  ['dates', repeated('2026-05-03 3 May 2026 '), rowsOf((index) => `2026-05-0${(index % 9) + 1}`)],
  ['moments', repeated('2026-05-03 2026 '), rowsOf((index) => `2026-05-03T10:00:0${index % 9}Z`)],
  ['links', repeated('[a](https://e.test/x) '), rowsOf((index) => `https://e.test/${index % 3}`)],
  ['addresses', repeated('http://a(b('), rowsOf(word)],
  ['yes and no', repeated('In stock: maybe\nIn stock\n'), rowsOf(() => true, 'inStock')],
  ['lists in texts', repeated('a, b. c '), rowsOf(() => `${repeated('a, b; ', 900)}c`)],
  ['pieces that are far apart', repeated('a, x b. c '), rowsOf(() => 'a, b, c, a, b')],
  ...[
    '](',
    '<a ',
    '![[^',
    '`',
    '```\n',
    '---\n',
    '-',
    ' ',
    '\n',
    '>',
    '\\',
    '&amp;',
    '&#',
    '| ',
    '~',
  ].map((syntax): [string, string, unknown] => [
    JSON.stringify(syntax),
    `${repeated(syntax)}x`,
    rowsOf((index) => `${syntax}${index}`),
  ]),
])('a megabyte of %s and ten thousand leaves', { timeout: 120_000 }, async (_, markdown, value) => {
  const page = { url: 'https://fixture.test/', markdown, language: 'en' };
  const provenance = await provenanceOf(value, {}, page, undefined);
  expect(Object.keys(provenance)).toHaveLength(rowCount * 4);
  for (const { quote, start, end } of Object.values(provenance)) {
    if (start !== null && end !== null && markdown.slice(start, end) !== quote) {
      expect.fail(`${start}–${end} is not ${JSON.stringify(quote)}`);
    }
  }
});

test('a value as large as the page, and one that is deeper than any data', async () => {
  const markdown = repeated(prose);
  const page = { url: 'https://fixture.test/', markdown, language: 'en' };
  let deep: unknown = 'fox';
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  const provenance = await provenanceOf(
    { all: markdown, deep, spaces: repeated('\n ,') },
    {},
    page,
    undefined,
  );
  expect(provenance['all']).toMatchObject({ status: 'supported', start: 0 });
  expect(Object.keys(provenance)).toEqual(['all', 'spaces']);
});

test('where the page is too long to be read to its end, what is not found cannot be told', async () => {
  const markdown = `${repeated('word ', 4_500_000)} lamp`;
  const page = { url: 'https://fixture.test/', markdown, language: 'en' };
  const provenance = await provenanceOf({ name: 'lamp', word: 'word' }, {}, page, undefined);
  expect(provenance['name']?.status).toBe('unverified');
  expect(provenance['word']?.status).toBe('supported');
});
