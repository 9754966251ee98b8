/** Lines that repeat from page to page, and content that only looks like them. */
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { pdfOf, streamOf } from '../../support/pdf-file.ts';

const client = createClient();
afterAll(() => client.close());

/** Text in Helvetica; `bold` and `size` where it differs. */
interface Shown {
  readonly x?: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
}

/** A file of pages of 400 × 600 points, as markdown, and the number of lines left out. */
async function read(
  pages: readonly (readonly Shown[] | string)[],
): Promise<{ markdown: string; tables: readonly unknown[]; removed: number | undefined }> {
  const kids = pages.map((_, at) => `${5 + at * 2} 0 R`);
  const body = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${kids.join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap((page, at) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 600]/Contents ${6 + at * 2} 0 R/Resources<</Font<</F 3 0 R/B 4 0 R>>>>>>`,
      streamOf(typeof page === 'string' ? page : page.map(drawn).join('\n')),
    ]),
  ]);
  const url = 'https://harbour.test/a.pdf';
  const { markdown, tables, metadata } = await client.parse(body, {
    url,
    formats: ['markdown', 'tables'],
  });
  return { markdown, tables, removed: metadata.repeatedLines };
}

function drawn({ x = 50, y, text, size = 10, bold = false }: Shown): string {
  const plain = text.replace(/[()\\]/g, '\\$&');
  return `BT /${bold ? 'B' : 'F'} ${size} Tf ${x} ${y} Td (${plain}) Tj ET`;
}

/** Lines 14 points below each other. */
function lines(texts: readonly string[], from = 560): Shown[] {
  return texts.map((text, at) => ({ y: from - at * 14, text }));
}

const words =
  'anchor barrel candle dolphin ember fender gale hawser island jetty keel lantern'.split(' ');

/** A page of prose, different on each. */
function prose(page: number, from = 520): Shown[] {
  return lines(
    Array.from({ length: 30 }, (_, at) => {
      const one = words[(at + page) % words.length] ?? '';
      const other = words[(at * 5 + page * 7) % words.length] ?? '';
      return `The ${one} of the old quay lies beside the ${other}, as the keeper wrote that`;
    }),
    from,
  );
}

describe('content stays', () => {
  test.each<[kind: string, pages: (readonly Shown[])[], all: readonly string[]]>([
    [
      'numbers of receipts, which count like pages',
      [301, 302, 303].map((n) => lines([`Receipt ${n}`, 'Lamp oil', `Total ${n * 3}.20 EUR`])),
      ['Receipt 301', 'Receipt 302', 'Receipt 303', '903.20', '909.20'],
    ],
    [
      'titles of invoices above a gap',
      [41, 42].map((n) => [{ y: 570, text: `Invoice ${n}` }, ...prose(n)]),
      ['Invoice 41', 'Invoice 42'],
    ],
    [
      'the same answer of two questions',
      ['tide', 'wind'].map((n) =>
        lines([`What is the ${n}?`, 'a wave', 'a wall', 'none of these']),
      ),
      ['tide', 'wind'],
    ],
    ['pages that are a number', [1, 2].map((n) => lines([`Page ${n}`])), ['Page 1', 'Page 2']],
    [
      'rows of a list that goes on over pages',
      [0, 1, 2, 3].map((n) =>
        lines(
          Array.from({ length: 37 }, (_, at) => `Berth ${n * 37 + at + 1} of the harbour`),
          570,
        ),
      ),
      ['Berth 1 of', 'Berth 37 of', 'Berth 38 of', 'Berth 74 of', 'Berth 75 of', 'Berth 148 of'],
    ],
    [
      'rows of a log with equal lines',
      [0, 1, 2].map(() =>
        lines(
          Array.from({ length: 37 }, () => 'lamp lit'),
          570,
        ),
      ),
      [],
    ],
  ])('%s', async (_, pages, all) => {
    const { markdown, removed } = await read(pages);
    for (const one of all) expect(markdown).toContain(one);
    expect(removed).toBeUndefined();
  });
});

describe('headers and footers go', () => {
  const pages = [1, 2, 3, 4];
  test.each<[kind: string, pages: (readonly Shown[])[], gone: readonly string[], once: string]>([
    [
      'a title and a page number',
      pages.map((n) => [
        { y: 570, text: 'The Harbour Book' },
        { x: 330, y: 570, text: String(n) },
        ...prose(n),
      ]),
      ['Book 2', 'Book 3'],
      'The Harbour Book',
    ],
    [
      'numbers that begin after a preface',
      pages.map((n) => [...prose(n), { x: 195, y: 40, text: `- ${n + 6} -` }]),
      ['- 8 -', '- 9 -'],
      '',
    ],
    [
      'pages of a total',
      pages.map((n) => [...prose(n), { x: 180, y: 40, text: `Seite ${n} von 4` }]),
      ['Seite'],
      '',
    ],
    [
      'roman numbers',
      ['i', 'ii', 'iii', 'iv'].map((n, at) => [...prose(at), { x: 195, y: 40, text: n }]),
      ['iii'],
      '',
    ],
    [
      'titles of sections, which stand in the text',
      pages.map((n) => [
        { y: 570, text: `${n}.2 Of the ${words[n] ?? ''} light` },
        { x: 330, y: 570, text: String(n + 30) },
        { y: 530, text: `${n}.2 Of the ${words[n] ?? ''} light`, size: 14, bold: true },
        ...prose(n, 500),
      ]),
      ['31', '34'],
      '1.2 Of the barrel light',
    ],
  ])('%s', async (_, file, gone, once) => {
    const { markdown, removed } = await read(file);
    for (const one of gone) expect(markdown).not.toContain(one);
    if (once !== '') expect(markdown.split(once)).toHaveLength(2);
    expect(removed).toBeGreaterThanOrEqual(3);
  });
});

test('a table over pages is one, its repeated head is in it once', async () => {
  const row = (y: number, name: string, count: string): string =>
    `${drawn({ x: 55, y, text: name })} ${drawn({ x: 205, y, text: count })} 50 ${y - 5} 150 14 re S 200 ${y - 5} 150 14 re S`;
  const page = (n: number): string =>
    [
      row(570, 'Name', 'Quantity'),
      ...Array.from({ length: 36 }, (_, at) =>
        row(556 - at * 14, `Lamp ${n * 36 + at}`, String(at)),
      ),
    ].join('\n');
  const { markdown, tables } = await read([page(0), page(1), page(2)]);
  expect(tables).toMatchObject([{ headers: ['Name', 'Quantity'] }]);
  expect(markdown.split('Quantity')).toHaveLength(2);
  for (const lamp of [0, 35, 36, 71, 72, 107]) expect(markdown).toContain(`| Lamp ${lamp} |`);
});

test('a header goes on pages far from the title that it repeats, too', async () => {
  const { markdown, removed } = await read(
    Array.from({ length: 15 }, (_, at) =>
      at < 5
        ? prose(at)
        : at === 5
          ? [{ y: 560, text: 'Chapter 1. Of the lamps', size: 20, bold: true }, ...prose(at, 510)]
          : [{ x: 180, y: 575, text: 'Of the lamps' }, ...prose(at)],
    ),
  );
  expect(markdown.match(/Of the lamps/g)).toHaveLength(1);
  expect(removed).toBe(9);
});
