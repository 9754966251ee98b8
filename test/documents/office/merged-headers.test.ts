/** Cells of a header that are merged with rows below it: no row moves to the left. */
import { expect, test } from 'vitest';
import { HtmlBudget } from '../../../src/documents/office/html-writer.ts';
import { type TableCell, writeTable } from '../../../src/documents/office/table-writer.ts';
import { parse } from 'pagewright';

/** Cells by their text; `2x3 Text` covers two columns and three rows. */
function cells(row: readonly string[]): TableCell[] {
  return row.map((text) => {
    const [, columns = '1', rows = '1', html = text] = /^(\d)x(\d) (.*)$/.exec(text) ?? [];
    return { html, columns: Number(columns), rows: Number(rows) };
  });
}

test.each<[what: string, rows: string[][], marked: number, headers: string[], values: string[][]]>([
  [
    'one column',
    [
      ['1x2 Port', '2x1 Ships'],
      ['2024', '2025'],
      ['Bergen', '4', '6'],
    ],
    1,
    ['Port', 'Ships 2024', 'Ships 2025'],
    [['Bergen', '4', '6']],
  ],
  [
    'the last column',
    [
      ['2x1 Ships', '1x2 Port'],
      ['2024', '2025'],
      ['4', '6', 'Bergen'],
    ],
    1,
    ['Ships 2024', 'Ships 2025', 'Port'],
    [['4', '6', 'Bergen']],
  ],
  [
    'three rows',
    [['1x3 Port', '2x1 Ships'], ['2x1 sail'], ['2024', '2025'], ['Bergen', '4', '6']],
    1,
    ['Port', 'Ships sail 2024', 'Ships sail 2025'],
    [['Bergen', '4', '6']],
  ],
  [
    'two marked rows',
    [['Port', 'Ships'], ['1x2 name', 'sail'], ['steam'], ['Bergen', '4']],
    2,
    ['Port name', 'Ships sail steam'],
    [['Bergen', '4']],
  ],
  [
    'a label beside all rows',
    [['1x4 North', 'Port'], ['Bergen'], ['Tromsø'], ['Bodø']],
    1,
    ['North', 'Port'],
    [
      ['North', 'Bergen'],
      ['North', 'Tromsø'],
      ['North', 'Bodø'],
    ],
  ],
  [
    'nothing merged',
    [
      ['Port', 'Ships'],
      ['Bergen', '4'],
    ],
    1,
    ['Port', 'Ships'],
    [['Bergen', '4']],
  ],
  [
    'cells merged below the header',
    [['Port', 'Ships'], ['1x2 Bergen', '4'], ['6']],
    1,
    ['Port', 'Ships'],
    [
      ['Bergen', '4'],
      ['Bergen', '6'],
    ],
  ],
])('%s', async (_, rows, marked, headers, values) => {
  const html = writeTable(rows.map(cells), marked, new HtmlBudget(10_000));
  const { tables } = await parse(`<main>${html}</main>`, {
    url: 'https://files.test/',
    contentType: 'text/html',
    formats: ['tables'],
  });
  expect(tables).toMatchObject([{ headers, rows: values }]);
});
