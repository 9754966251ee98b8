/** The tables format: spans, headers, nesting, and what is no data. */
import { describe, expect, it } from 'vitest';
import { normalize } from '../../../src/content/clean/normalize/index.ts';
import { type Table, tables } from '../../../src/content/formats/tables.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';
import type { HtmlPage, Page } from '../../../src/core/model/page.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { defaults } from '../clean/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const context = { signal: new AbortController().signal, limits: defaultLimits };
const base = {
  url: 'https://example.test/',
  baseUrl: 'https://example.test/',
  statusCode: 200,
  mediaType: 'text/html',
  source: '',
  warnings: [],
};

async function read(html: string): Promise<Table[]> {
  const document = parseHtml(html, defaultLimits);
  const page: HtmlPage = { ...base, kind: 'html', document, root: document.body };
  normalize.apply(page, defaults);
  return tables.run(page, undefined, context);
}

describe('tables', () => {
  it('gives caption, headers, rows and the headings above', async () => {
    const html = `<h1>Ports <a href="#p">#</a></h1><h2>Old</h2><h2>New</h2><table>
      <caption>Ports in <i>2024</i></caption>
      <thead><tr><th>Name</th><th>Depth<br>in m</th></tr></thead>
      <tbody><tr><td>Kiel</td><td> 11 </td></tr><tr><td><img src="f.png" alt="Husum"></td></tr></tbody></table>`;
    expect(await read(html)).toEqual([
      {
        caption: 'Ports in 2024',
        headers: ['Name', 'Depth in m'],
        rows: [
          ['Kiel', '11'],
          ['Husum', ''],
        ],
        headingPath: ['Ports', 'New'],
      },
    ]);
  });

  it('takes the caption of the figure around it, and headings by role', async () => {
    const rows = '<tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr>';
    const html = `<div role="heading" aria-level="1">Ports</div><div role="heading">Depths</div>
      <figure><div><table>${rows}</table></div><figcaption>In <b>metres</b></figcaption></figure>
      <figure><figcaption>In feet</figcaption><table>${rows}</table></figure>
      <figure><figcaption>Not this</figcaption><table><caption>Own</caption>${rows}</table></figure>
      <div role="heading" aria-level="9">Low</div><table>${rows}</table>`;
    expect((await read(html)).map(({ caption, headingPath }) => [caption, headingPath])).toEqual([
      ['In metres', ['Ports', 'Depths']],
      ['In feet', ['Ports', 'Depths']],
      ['Own', ['Ports', 'Depths']],
      [undefined, ['Ports', 'Depths', 'Low']],
    ]);
  });

  it('repeats the value of a span in every slot, and joins header rows', async () => {
    const html = `<table><tr><th rowspan="2">Name</th><th colspan="2">2024</th></tr>
      <tr><th>Q1</th><th>Q2</th></tr>
      <tr><td rowspan="2">Ann</td><td>1</td><td>2</td></tr><tr><td colspan="2">none</td></tr></table>`;
    expect(await read(html)).toEqual([
      {
        headers: ['Name', '2024 Q1', '2024 Q2'],
        rows: [
          ['Ann', '1', '2'],
          ['Ann', 'none', 'none'],
        ],
        headingPath: [],
      },
    ]);
  });

  it('has no headers where the table has none', async () => {
    const html = '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>';
    const [table] = await read(html);
    expect(table?.headers).toEqual([]);
    expect(table?.rows).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('keeps the headers of rows in the rows', async () => {
    const html =
      '<table><tr><th>Height</th><td>3 m</td></tr><tr><th>Width</th><td>2 m</td></tr></table>';
    const [table] = await read(html);
    expect(table).toMatchObject({
      headers: [],
      rows: [
        ['Height', '3 m'],
        ['Width', '2 m'],
      ],
    });
  });

  it('makes tables in cells entries of their own', async () => {
    const html = `<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>out
      <table><tr><th>C</th><th>D</th></tr><tr><td>2</td><td>3</td></tr></table></td></tr></table>`;
    const found = await read(html);
    expect(found.map((table) => [table.headers, table.rows])).toEqual([
      [['A', 'B'], [['1', 'out']]],
      [['C', 'D'], [['2', '3']]],
    ]);
  });

  it('leaves out layout tables and numbered code, but not what is in them', async () => {
    const html = `<table role="presentation"><tr><td>Menu</td><td><h2>Title</h2>
      <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table>
      <table><tr><td>Left</td><td>Right</td></tr></table>
      <table class="highlight"><tr><td class="linenos"><pre>1</pre></td><td class="code"><pre>x</pre></td></tr></table>
      <table><tr><th></th><th></th></tr><tr><td></td><td> </td></tr></table>`;
    expect(await read(html)).toEqual([
      { headers: ['A', 'B'], rows: [['1', '2']], headingPath: ['Title'] },
    ]);
  });

  it('gives nothing for a page that is not HTML', async () => {
    const page: Page = { ...base, kind: 'text', markdown: '| a |\n| --- |\n| b |' };
    expect(await tables.run(page, undefined, context)).toEqual([]);
  });

  it('bounds tables with huge spans', async () => {
    const row = '<tr><td colspan="100000" rowspan="65534">x</td><td>y</td></tr>';
    const started = cpuTime();
    const [table] = await read(`<table><tr><th>A</th><th>B</th></tr>${row.repeat(500)}</table>`);
    expect(cpuTime() - started).toBeLessThan(3000);
    expect(table?.rows).toHaveLength(500);
    expect(table?.rows.flat().length).toBeLessThan(1_000_001);
  });
});
