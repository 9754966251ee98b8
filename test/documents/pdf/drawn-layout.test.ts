/** Layouts that a page draws with signs, shapes and gaps, and no tag tells of. */
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { onePage, type PageEntries, pdfOf, type PdfObject } from '../../support/pdf-file.ts';

/** The markdown of a page of 300 × 300 points in Helvetica. */
async function markdownOf(
  content: string,
  others: readonly PdfObject[] = [],
  entries: PageEntries = {},
): Promise<string | undefined> {
  const body = pdfOf(onePage(content, others, entries));
  const { markdown } = await client.parse(body, { url: 'https://tidewater.test/a.pdf' });
  return markdown;
}

const client = createClient();
afterAll(() => client.close());

/** Words of 10 points at a place, from the lower left corner. */
function at(x: number, y: number, text: string, font = 'F'): string {
  return `BT /${font} 10 Tf ${x} ${y} Td (${text}) Tj ET\n`;
}

const intro = at(20, 270, 'These are the rules of the harbour, in short.');
const rules = ['Ships keep to the right', 'Lamps are lit at dusk', 'No anchors are dropped'];
const listed =
  'These are the rules of the harbour, in short.\n\n- Ships keep to the right\n- Lamps are lit at dusk\n- No anchors are dropped';

/** The rules 14 points below each other, each with something before it. */
function rulesWith(before: (y: number, index: number) => string): string {
  return (
    intro +
    rules
      .map((rule, index) => before(250 - index * 14, index) + at(34, 250 - index * 14, rule))
      .join('')
  );
}

test.each([
  ['Symbol', '/Type1/BaseFont/Symbol', '\\267'],
  ['ZapfDingbats', '/Type1/BaseFont/ZapfDingbats', 'n'],
  ['Wingdings', '/TrueType/BaseFont/Wingdings', '\\374'],
])('a sign of %s is a bullet', async (_, font, sign) => {
  const content = rulesWith((y) => at(20, y, sign, 'B'));
  const others = [`<</Type/Font/Subtype${font}>>`];
  expect(await markdownOf(content, others, { fonts: '/F 5 0 R/B 6 0 R' })).toBe(listed);
});

test('a glyph of a Type3 font that has no name is a bullet', async () => {
  const font =
    '<</Type/Font/Subtype/Type3/FontBBox[0 0 600 600]/FontMatrix[0.001 0 0 0.001 0 0]/CharProcs<</a1 7 0 R>>/Encoding<</Type/Encoding/Differences[1/a1]>>/FirstChar 1/LastChar 1/Widths[600]>>';
  const glyph = '600 0 0 0 600 600 d1 100 100 400 400 re f';
  const others = [font, `<</Length ${glyph.length}>>\nstream\n${glyph}\nendstream`];
  const content = rulesWith((y) => at(20, y, '\\001', 'B'));
  expect(await markdownOf(content, others, { fonts: '/F 5 0 R/B 6 0 R' })).toBe(listed);
});

test('the o of a typewriter font is a bullet within a list, and a word elsewhere', async () => {
  const others = ['<</Type/Font/Subtype/Type1/BaseFont/Courier>>'];
  const fonts = { fonts: '/F 5 0 R/B 6 0 R' };
  const disc = '25 253.5 m 25 255.5 22 255.5 22 253.5 c 22 251.5 25 251.5 25 253.5 c f\n';
  const list =
    intro +
    disc +
    at(34, 250, 'Ships') +
    at(48, 236, 'o', 'B') +
    at(62, 236, 'Steam') +
    at(48, 222, 'o', 'B') +
    at(62, 222, 'Sail');
  expect(await markdownOf(list, others, fonts)).toMatch(/\n- Ships\n {2}- Steam\n {2}- Sail$/);
  const word =
    intro +
    at(20, 236, 'o', 'B') +
    at(34, 236, 'is a letter of its own, which stands before a long text.');
  expect(await markdownOf(word, others, fonts)).toContain('`o` is a letter');
});

test('a bullet is drawn in any color but white, by itself, and of a size', async () => {
  const square = (y: number): string => `22 ${y + 1.5} 4 4 re f\n`;
  expect(await markdownOf(rulesWith(square))).toBe(listed);
  expect(await markdownOf(`1 g ${rulesWith((y) => `1 g ${square(y)} 0 g `)}`)).not.toContain('- ');
  expect(await markdownOf(rulesWith((y) => `22 ${y + 3} 0.3 0.3 re f\n`))).not.toContain('- ');
  // The samples of a legend, and the points of a chart.
  const legend = `${intro}${square(250)}${at(34, 250, 'red')}62 251.5 4 4 re f\n${at(74, 250, 'green')}`;
  expect(await markdownOf(legend)).not.toContain('- ');
  const points = Array.from(
    { length: 9 },
    (_, index) => `${60 + index * 20} ${100 + index * 9} 4 4 re f\n`,
  );
  expect(await markdownOf(rulesWith(square) + points.join(''))).not.toContain('- ');
});

test('a picture that is not decoded is a bullet', async () => {
  const image =
    '<</Type/XObject/Subtype/Image/Width 4/Height 4/BitsPerComponent 8/ColorSpace/DeviceGray/Length 16>>\nstream\n0123456789abcdef\nendstream';
  const content = rulesWith((y) => `q 5 0 0 5 21 ${y + 1} cm /I Do Q\n`);
  expect(await markdownOf(content, [image], { resources: '/XObject<</I 6 0 R>>' })).toBe(listed);
});

test('a shape decorates a heading, and stands beside a line of a paragraph by chance', async () => {
  const square = (y: number): string => `22 ${y + 1.5} 4 4 re f\n`;
  const bold = ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>'];
  const fonts = { fonts: '/F 5 0 R/B 6 0 R' };
  const heading = `${intro}${square(250)}${at(34, 250, 'Ships and lamps', 'B')}${at(34, 236, 'Ships keep to the right of all the other ships.')}`;
  expect(await markdownOf(heading, bold, fonts)).toContain('# Ships and lamps\n');
  const lines = [
    'Ships keep to the right, and the lamps are lit',
    'at dusk by the keeper of each of the old piers',
    'who writes it down.',
  ];
  const paragraph = lines.map((line, index) => at(34, 250 - index * 12, line)).join('');
  expect(await markdownOf(paragraph + square(238))).toBe(lines.join(' '));
});

/** A table: each row has its cells at these places; the second column and on may end there. */
function rowsAt(places: readonly number[], rows: readonly string[], endsThere = false): string {
  return rows
    .flatMap((row, index) =>
      row.split('|').map((cell, column) => {
        const width = endsThere && column > 0 ? widthOf(cell) : 0;
        return cell === '' ? '' : at((places[column] ?? 0) - width, 200 - index * 13, cell);
      }),
    )
    .join('');
}

/** Points that digits, commas and minus signs of Helvetica take at 10 points. */
function widthOf(text: string): number {
  return [...text].reduce(
    (sum, sign) => sum + (/\d/.test(sign) ? 5.56 : sign === '-' ? 3.33 : 2.78),
    0,
  );
}

const numbers = ['Bergen|7|910', 'Stavanger|12|1,450', 'Oslo|3|-85', 'Hamar|21|12,300'];
const asMarkdown =
  '| Bergen | 7 | 910 |\n| --- | --- | --- |\n| Stavanger | 12 | 1,450 |\n| Oslo | 3 | -85 |\n| Hamar | 21 | 12,300 |';

test('columns that are 1.2 spaces apart at most are cells where the file writes spaces', async () => {
  // Stavanger takes 47.8 points, a space 2.8.
  const table = rowsAt(
    [20, 20 + 47.8 + 3.3 + 11.1, 20 + 47.8 + 3.3 + 11.1 + 3.3 + 30.6],
    numbers,
    true,
  );
  expect(await markdownOf(intro + table)).toContain(asMarkdown);
});

test('columns that are 1.6 spaces apart are cells where the file writes none', async () => {
  const words = ['The', 'ships', 'of', 'all', 'ports', 'are', 'in', 'this', 'list'];
  let x = 20;
  const spaced = words.map((word) => {
    const shown = at(x, 270, word);
    x +=
      [...word].reduce(
        (sum, sign) =>
          sum +
          (/[iltf]/.test(sign) ? 2.5 : /[sk]/.test(sign) ? 5 : /[Tr]/.test(sign) ? 4.6 : 5.56),
        0,
      ) + 3.2;
    return shown;
  });
  const table = rowsAt(
    [20, 20 + 47.8 + 5.2 + 11.1, 20 + 47.8 + 5.2 + 11.1 + 5.2 + 30.6],
    numbers,
    true,
  );
  expect(await markdownOf(spaced.join('') + table)).toContain(asMarkdown);
});

test('lines between cells keep those apart that are no more than a space apart', async () => {
  const table = ['Port|Ships|Tons', 'Bergen|7|910', 'Oslo|12|1,450'].map((row, index) => {
    const [port = '', ships = '', tons = ''] = row.split('|');
    const y = 200 - index * 14;
    // A single space from one cell to the next.
    return at(20, y, port) + at(index === 0 ? 81 : 106 - widthOf(ships), y, `${ships} ${tons}`);
  });
  const down = [18, 80, 107.5, 140].map((x) => `${x} 168 0.5 43 re f\n`);
  const across = [168, 182, 196, 210.5].map((y) => `18 ${y} 122 0.5 re f\n`);
  expect(await markdownOf([intro, ...table, ...down, ...across].join(''))).toContain(
    '| Port | Ships | Tons |\n| --- | --- | --- |\n| Bergen | 7 | 910 |\n| Oslo | 12 | 1,450 |',
  );
});

test('heads that stand at the other end of a wide column than its numbers are those of it', async () => {
  const heads = rowsAt([20, 120, 200], ['Port|Ships|Tons']);
  const table = rowsAt([20, 180, 270], ['|', ...numbers], true);
  expect(await markdownOf(intro + heads + table)).toContain(
    `| Port | Ships | Tons |\n| --- | --- | --- |\n${asMarkdown.replace(/\n.*---.*\n/, '\n')}`,
  );
});

test('a row of numbers below another is a row, with or without its first cell', async () => {
  const rows = ['Bergen|7|910', '|12|1,450', 'Oslo||', 'Hamar|21|12,300'];
  expect(await markdownOf(intro + rowsAt([20, 120, 200], rows, true))).toContain(
    '| Bergen | 7 | 910 |\n| --- | --- | --- |\n|  | 12 | 1,450 |\n| Oslo |  |  |\n| Hamar | 21 | 12,300 |',
  );
});

test.each([
  [
    'labels of a bibliography',
    41.7,
    ['[1]|A. Quay, Lamps', '[23]|J. Mole, Ships', '[41]|E. Pier, Tides'],
  ],
  ['numbers with a stop', 35, ['iii.|Ships keep right', 'iv.|Lamps are lit', 'vi.|No anchors']],
  [
    'words that all begin alike',
    58,
    ['Lamps|of piers are lit', 'Lamps|of ships are not', 'Lamps|of moles are old'],
  ],
  ['terms and colons', 49, ['Ship|:|large', 'Mole|:|old', 'Lamp|:|lit']],
  ['numbers in a text', 66.7, ['12, 135,|17, 190,', '104, 96,|112, 117,', '130, 131,|135, 140,']],
])('%s make no table', async (_, x, rows) => {
  expect(await markdownOf(intro + rowsAt([20, x, x + 7.5], rows))).not.toContain('---');
});
