/** Charts are tables of their values; those without values are named in a warning. */
import { expect, test } from 'vitest';
import { parse } from 'pagewright';
import { archive, docxOf, relationsOf, workbookOf } from '../../support/office-file.ts';

const main = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const chartSpace = 'http://schemas.openxmlformats.org/drawingml/2006/chart';
const drawing = `<a:graphic xmlns:a="${main}"><a:graphicData><c:chart xmlns:c="${chartSpace}" r:id="c1"/></a:graphicData></a:graphic>`;

const cache = (kind: string, values: readonly string[]): string =>
  `<c:${kind}>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:${kind}>`;

/** A chart of series, each a name and its values. */
function chart(
  labels: readonly string[],
  series: Readonly<Record<string, readonly string[]>>,
  [x, y] = ['cat', 'val'],
): string {
  const all = Object.entries(series).map(
    ([name, values]) =>
      `<c:ser><c:tx><c:strRef>${cache('strCache', [name])}</c:strRef></c:tx><c:${x}><c:strRef>${cache('strCache', labels)}</c:strRef></c:${x}><c:${y}><c:numRef>${cache('numCache', values)}</c:numRef></c:${y}></c:ser>`,
  );
  const title = `<c:title><c:tx><c:rich><a:p xmlns:a="${main}"><a:r><a:t>Oil of </a:t></a:r><a:r><a:t>lamps</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
  return `<c:chartSpace xmlns:c="${chartSpace}"><c:chart>${title}<c:plotArea><c:barChart>${all.join('')}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
}

function docx(part: string): Uint8Array {
  return docxOf(
    `<w:p><w:r><w:t>Before.</w:t></w:r><w:r><w:drawing>${drawing}</w:drawing></w:r></w:p><w:p><w:r><w:t>After.</w:t></w:r></w:p>`,
    {
      'word/_rels/document.xml.rels': relationsOf({ c1: ['chart', 'charts/chart1.xml'] }),
      'word/charts/chart1.xml': part,
    },
  );
}

const url = 'https://files.test/a.docx';

test.each([
  [
    'two series',
    chart(['2024', '2025'], { North: ['12', '15'], South: ['7', '9'] }),
    '|  | North | South |\n| --- | --- | --- |\n| 2024 | 12 | 7 |\n| 2025 | 15 | 9 |',
  ],
  [
    'points',
    chart(['1.5', '2.5'], { North: ['12', '15'] }, ['xVal', 'yVal']),
    '|  | North |\n| --- | --- |\n| 1.5 | 12 |\n| 2.5 | 15 |',
  ],
  [
    'a missing value',
    chart(['a', 'b'], { North: ['12'], South: ['7', '9'] }),
    '|  | North | South |\n| --- | --- | --- |\n| a | 12 | 7 |\n| b |  | 9 |',
  ],
])('a chart of a document: %s', async (_, part, table) => {
  const { markdown, warning } = await parse(docx(part), { url });
  expect(markdown.replace(/ +/g, ' ')).toBe(
    `Before.\n\n**Oil of lamps**\n\n${table.replace(/ +/g, ' ')}\n\nAfter.`,
  );
  expect(warning).toBeUndefined();
});

test('a chart without values is named', async () => {
  const { markdown, warning } = await parse(docx(chart([], {})), { url });
  expect(markdown).toBe('Before.\n\nAfter.');
  expect(warning).toBe('Charts without stored values were left out: 1.');
});

test('a chart of a slide', async () => {
  const p = 'http://schemas.openxmlformats.org/presentationml/2006/main';
  const r = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const file = archive({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationsOf({ main: ['officeDocument', 'ppt/presentation.xml'] }),
    'ppt/presentation.xml': `<p:presentation xmlns:p="${p}" xmlns:r="${r}"><p:sldIdLst><p:sldId id="1" r:id="s1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationsOf({ s1: ['slide', 'slides/slide1.xml'] }),
    'ppt/slides/slide1.xml': `<p:sld xmlns:p="${p}" xmlns:r="${r}"><p:cSld><p:spTree><p:graphicFrame>${drawing}</p:graphicFrame></p:spTree></p:cSld></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationsOf({ c1: ['chart', '../charts/chart1.xml'] }),
    'ppt/charts/chart1.xml': chart(['2024'], { North: ['12'] }),
  });
  const { markdown } = await parse(file, { url: 'https://files.test/a.pptx' });
  expect(markdown).toMatch(/\*\*Oil of lamps\*\*\n\n\|\s+\| North \|\n.*\n\| 2024 \| 12 \|/);
});

test('a chart of a workbook is named: its values are in the sheet', async () => {
  const file = workbookOf('<row r="1"><c r="A1"><v>12</v></c></row>', {
    'xl/charts/chart1.xml': chart(['2024'], { North: ['12'] }),
  });
  const { warning } = await parse(file, { url: 'https://files.test/a.xlsx' });
  expect(warning).toContain('Charts were left out: 1.');
});

test('a chart of an OpenDocument text', async () => {
  const names = ['office', 'table', 'text', 'chart']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ');
  const root = `<office:document-content ${names} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body>`;
  const row = (...cells: readonly string[]): string =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;
  const file = archive({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `${root}<office:text><text:p>Before.</text:p><text:p><draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame></text:p></office:text></office:body></office:document-content>`,
    'Object 1/content.xml': `${root}<office:chart><chart:chart><chart:title><text:p>Oil of lamps</text:p></chart:title><table:table><table:table-header-rows>${row('', 'North')}</table:table-header-rows><table:table-rows>${row('2024', '12')}</table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>`,
  });
  const { markdown } = await parse(file, { url: 'https://files.test/a.odt' });
  expect(markdown).toMatch(/^Before\.\n\nOil of lamps\n\n\|\s+\| North \|\n.*\n\| 2024 \| 12 \|$/);
});
