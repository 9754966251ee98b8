/** Tables whose lines are only between their rows, fonts that only their widths tell, chapters, dashes. */
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { onePage, pdfOf } from '../../support/pdf-file.ts';

const client = createClient();
afterAll(() => client.close());

async function markdownOf(content: string, font = '/BaseFont/Helvetica'): Promise<string> {
  const others = [
    `<</Type/Font/Subtype/Type1${font}/Encoding/WinAnsiEncoding>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>',
  ];
  const body = pdfOf(onePage(content, others, { fonts: '/F 5 0 R/X 6 0 R/B 7 0 R' }));
  const { markdown } = await client.parse(body, { url: 'https://harbour.test/a.pdf' });
  return markdown;
}

function at(x: number, y: number, text: string, font = 'F', size = 10): string {
  const plain = text.replace(/[()\\]/g, '\\$&');
  return `BT /${font} ${size} Tf ${x} ${y} Td (${plain}) Tj ET\n`;
}

test('a table without lines above and below has its first and last row', async () => {
  const rows = [
    ['Port', 'Lamps of its piers'],
    ['Bergen', 'twelve, two of them red'],
    ['Narvik', 'four, which are white'],
  ];
  const text = rows
    .map(([a = '', b = ''], n) => at(25, 250 - n * 20, a) + at(125, 250 - n * 20, b))
    .join('');
  const lines = [245, 225].map((y) => `20 ${y - 1} m 270 ${y - 1} l S\n`).join('');
  const markdown = await markdownOf(`${text}${lines}120 264 m 120 204 l S`);
  expect(markdown.replace(/ +/g, ' ')).toBe(
    '| Port | Lamps of its piers |\n| --- | --- |\n| Bergen | twelve, two of them red |\n| Narvik | four, which are white |',
  );
});

test('letters of equal width are code, whatever the font is called', async () => {
  const font = `/BaseFont/t1xtt/FirstChar 32/LastChar 126/Widths[${'525 '.repeat(95)}]/FontDescriptor<</Type/FontDescriptor/FontName/t1xtt/Flags 4>>`;
  const prose = at(20, 270, 'The keeper of the pier wrote these lines for the lamps of it.');
  const code = ['def light(lamp):', '    return lamp.oil > 0'].map((one, n) =>
    at(20 + /^ */.exec(one)![0].length * 5.25, 245 - n * 12, one.trim(), 'X'),
  );
  expect(await markdownOf(prose + code.join(''), font)).toContain(
    '```\ndef light(lamp):\n    return lamp.oil > 0\n```',
  );
});

test('a chapter is its number and its title', async () => {
  const text = [200, 188, 176].map((y) =>
    at(20, y, 'The lamp of the pier is lit by the keeper at dusk.'),
  );
  const head = at(20, 260, 'Chapter 2', 'B', 16) + at(20, 235, 'Of the lamps', 'B', 20);
  expect(await markdownOf(head + text.join(''))).toContain('# Chapter 2 Of the lamps\n');
});

test('a dash is a bullet', async () => {
  const items = ['ships keep to the right', 'lamps are lit at dusk', 'no anchors are dropped'];
  const list = items.map((one, n) => at(20, 240 - n * 14, `\u0097 ${one}`)).join('');
  const content = at(20, 270, 'These are the rules of the harbour.').replace('/F', '/X');
  expect(await markdownOf(content + list.replaceAll('/F', '/X'))).toContain(
    '- ships keep to the right\n- lamps are lit at dusk\n- no anchors are dropped',
  );
});

test('terms beside their definitions are paragraphs, values beside names are a table', async () => {
  const rows = (texts: readonly (readonly [string, string])[]): string =>
    texts.map(([a, b], n) => at(20, 250 - n * 14, a, 'B') + at(110, 250 - n * 14, b)).join('');
  const terms = rows([
    ['pier', 'A wall that reaches into the sea.'],
    ['lamp', 'A light that tells ships of it.'],
    ['keeper', 'The person who lights the lamp.'],
    ['oil', 'What the lamp burns at night.'],
  ]);
  const markdown = await markdownOf(terms);
  expect(markdown).toMatch(
    /^\*\*pier\*\* A wall that reaches into the sea\.\n\n\*\*lamp\*\* A light/,
  );
  const values = rows([
    ['Port', 'Lamps'],
    ['Bergen', 'twelve, two of them red'],
    ['Narvik', 'four, which are white'],
    ['Oslo', 'none since last winter'],
  ]);
  expect(await markdownOf(values)).toContain('| **Bergen** | twelve, two of them red |');
});

/** Rows 14 points below each other, their cells at these places. */
function cellsAt(places: readonly number[], rows: readonly (readonly string[])[]): string {
  return rows
    .flatMap((row, n) =>
      row.map((cell, column) => {
        const isBold = cell.startsWith('**');
        const text = cell.replace('**', '');
        return text === '' ? '' : at(places[column] ?? 0, 250 - n * 14, text, isBold ? 'B' : 'F');
      }),
    )
    .join('');
}

/** Lines above and below the head, and below the last row. */
function rulesOf(rows: number): string {
  return [262, 246, 250 - rows * 14 + 8].map((y) => `20 ${y} m 270 ${y} l S\n`).join('');
}

test('a row without its first cell is a row of its own where its cells are not the rest of those above', async () => {
  const rows = [
    ['Port', 'Lamp of the harbour', 'Height'],
    ['Bergen', 'red', 'high'],
    ['', 'green', 'low'],
    ['Narvik', 'white and yellow as', 'low'],
    ['', 'the piers are', ''],
  ];
  const markdown = await markdownOf(cellsAt([25, 100, 220], rows) + rulesOf(rows.length));
  expect(markdown.replace(/ +/g, ' ')).toContain(
    '| Bergen | red | high |\n| | green | low |\n| Narvik | white and yellow as the piers are | low |',
  );
});

test('bold terms beside text, and names with their kind, are no table', async () => {
  const terms = [
    ['**lamps', 'Lists the lamps of all piers'],
    ['**oil', 'Shows the oil that is left'],
    ['**wick', 'Trims the wick of a lamp'],
  ];
  expect(await markdownOf(cellsAt([25, 100], terms))).toContain(
    '**oil** Shows the oil that is left\n\n**wick** Trims',
  );
  const names = [
    ['light lamp', '[Function]'],
    ['dim lamp', '[Function]'],
    ['lamps of all piers', '[Variable]'],
  ];
  expect(await markdownOf(cellsAt([25, 200], names))).not.toContain('|');
  const table = [['**Port', '**Lamps of it'], ...terms];
  expect(await markdownOf(cellsAt([25, 100], table))).toContain('| Port');
});
