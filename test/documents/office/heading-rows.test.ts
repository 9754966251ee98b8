/** Rows of a table in the style "Table Heading" are its head, where the file does not say what is. */
import { describe, expect, test } from 'vitest';
import { archive, docxOf, paragraph, readFile } from '../../support/office-file.ts';

/** Rows of cells: `H` is in the style of headings, `O` in one that is based on it, `t` in none. */
type Rows = readonly string[];

function docx(rows: Rows, marked: number): Uint8Array {
  const styles: Readonly<Record<string, string>> = { H: 'TableHeading', O: 'Own', t: 'Text' };
  const cell = (kind: string): string =>
    `<w:tc>${paragraph(kind, `<w:pStyle w:val="${styles[kind] ?? ''}"/>`)}</w:tc>`;
  const table = rows.map((row, at) => {
    const format = at < marked ? '<w:trPr><w:tblHeader/></w:trPr>' : '';
    return `<w:tr>${format}${[...row].map(cell).join('')}</w:tr>`;
  });
  const style = (id: string, name: string, base: string): string =>
    `<w:style w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="${base}"/></w:style>`;
  const all = style('TableHeading', 'Table Heading', 'Text') + style('Own', 'Own', 'TableHeading');
  return docxOf(`<w:tbl>${table.join('')}</w:tbl>`, {
    'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${all}</w:styles>`,
  });
}

function odt(rows: Rows, marked: number): Uint8Array {
  const styles: Readonly<Record<string, string>> = { H: 'Table_20_Heading', O: 'P1', t: 'Text' };
  const cell = (kind: string): string =>
    `<table:table-cell><text:p text:style-name="${styles[kind] ?? ''}">${kind}</text:p></table:table-cell>`;
  const table = rows.map(
    (row) => `<table:table-row>${[...row].map(cell).join('')}</table:table-row>`,
  );
  const head = table.slice(0, marked).join('');
  const names = ['office', 'table', 'text', 'style'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return archive({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content ${names.join(' ')}><office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Table_20_Heading"/></office:automatic-styles><office:body><office:text><table:table>${head === '' ? '' : `<table:table-header-rows>${head}</table:table-header-rows>`}${table.slice(marked).join('')}</table:table></office:text></office:body></office:document-content>`,
  });
}

describe.each([
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', docx],
  ['application/vnd.oasis.opendocument.text', odt],
])('%s', (type, make) => {
  test.each<[what: string, rows: Rows, marked: number, head: number]>([
    ['those that lead are the head', ['HHH', 'HOH', 'Htt', 'HHH'], 0, 2],
    ['what the file says counts first', ['ttt', 'HHH', 'ttt'], 1, 1],
    ['one cell in another style makes it a row of values', ['HHt', 'ttt'], 0, 0],
    ['where all are, none is', ['HHH', 'HHH'], 0, 0],
  ])('%s', async (_, rows, marked, head) => {
    const { root } = await readFile(make(rows, marked), type);
    const read = [...root.querySelectorAll('tr')].map((row) =>
      [...row.children].map((cell) => (cell.localName === 'th' ? 'th' : 'td')).join(' '),
    );
    expect(read).toEqual(rows.map((_row, at) => (at < head ? 'th th th' : 'td td td')));
  });
});
