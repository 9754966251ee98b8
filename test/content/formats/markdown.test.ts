/** Markdown, beyond the cases in fixtures/pages/markdown, and what hostile pages must not do. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { normalize } from '../../../src/content/clean/normalize/index.ts';
import { markdown } from '../../../src/content/formats/markdown.ts';
import { toMarkdown } from '../../../src/content/markdown/to-markdown.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';
import type { Page } from '../../../src/core/model/page.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { defaults, htmlPage } from '../clean/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const folder = fileURLToPath(new URL('../../../fixtures/pages/markdown/', import.meta.url));
const cases = readdirSync(folder).sort();
const defaultBase = 'https://example.test/docs/page.html';

/** As the pipeline does it, without the steps that leave something out. */
function convert(html: string, baseUrl: string = defaultBase): string {
  const page = htmlPage(html, baseUrl);
  normalize.apply(page, defaults);
  return toMarkdown(page);
}

function read(name: string, file: string): string {
  return readFileSync(`${folder}${name}/${file}`, 'utf8');
}

function baseOf(name: string): string {
  if (!existsSync(`${folder}${name}/options.json`)) return defaultBase;
  const options: { readonly baseUrl?: string } = JSON.parse(read(name, 'options.json'));
  return options.baseUrl ?? defaultBase;
}

describe('markdown', () => {
  const base = {
    url: 'https://example.test/a',
    baseUrl: 'https://example.test/b/',
    statusCode: 200,
    mediaType: 'text/html',
    source: '',
    warnings: [],
  };
  const context = { signal: new AbortController().signal, limits: defaultLimits };

  it('converts the root of an HTML page against its base URL, and leaves the tree alone', async () => {
    const document = parseHtml('<p>out</p><main><a href="x">in</a></main>', defaultLimits);
    const root = document.querySelector('main') ?? document.body;
    const before = document.documentElement.outerHTML;
    const page: Page = { ...base, kind: 'html', document, root };
    expect(await markdown.run(page, undefined, context)).toBe('[in](https://example.test/b/x)');
    expect(document.documentElement.outerHTML).toBe(before);
  });

  it('gives the markdown that the parser made of other pages', async () => {
    const page: Page = { ...base, kind: 'text', markdown: '```json\n{}\n```' };
    expect(await markdown.run(page, undefined, context)).toBe('```json\n{}\n```');
  });

  it('gives the same bytes every time', () => {
    const html = cases.map((name) => read(name, 'page.html')).join('\n');
    const first = convert(html);
    for (let run = 0; run < 5; run++) expect(convert(html)).toBe(first);
  });

  it('never has two blank lines in a row, space at the ends, or a newline at the end', () => {
    for (const name of cases) {
      const text = convert(read(name, 'page.html'), baseOf(name));
      expect(text, name).toBe(text.trim());
      const withoutCode = text.replace(/^( *>* *)(`{3,})[^]*?^\1\2$/gm, 'code');
      expect(withoutCode, name).not.toMatch(/\n[ >]*\n[ >]*\n/);
      expect(withoutCode, name).not.toMatch(/(?:^|[^ ]) $| {3,}$/m);
    }
  });
});

/** Milliseconds of CPU that no hostile page may take. */
const patience = 3000;

const hostile: Readonly<Record<string, string>> = {
  'nested tables': '<table><tr><td>a<td>'.repeat(500) + 'end' + '</table>'.repeat(500),
  'nested tables with headers':
    '<table><tr><th>a<th>b<tr><td>c<td>'.repeat(500) + 'end' + '</table>'.repeat(500),
  '1,000 tables': '<table><tr><th>a<th>b<tr><td>c<td>end</table>'.repeat(1000),
  '5,000 list items': `<ul>${'<li>item'.repeat(5000)}<li>end</ul>`,
  '100 nested lists': `${'<ul><li>x'.repeat(100)}end${'</ul>'.repeat(100)}`,
  '500 nested quotes with 5,000 paragraphs': `${'<blockquote>'.repeat(500)}${'<p>x'.repeat(5000)}end`,
  'huge spans': `<table>${'<tr><td colspan=100000 rowspan=65534>x<td>end'.repeat(500)}</table>`,
  'a wide row over many narrow ones': `<table><tr>${'<td>x'.repeat(30_000)}${'<tr><td>end'.repeat(30_000)}</table>`,
  'marks that need repair': `<p>${'x<b>.</b>y<b>.a</b><i>b.</i>'.repeat(20_000)}end`,
  'brackets without an end': `<p>${'['.repeat(100_000)}${'](x '.repeat(50_000)}end`,
  'stars and underscores': `<p>${'*a _b '.repeat(50_000)}${'a* b_ '.repeat(50_000)}end`,
  'backticks of every length': `<p>${'` `` ``` '.repeat(30_000)}end`,
  'markup in text': `<p>${'&lt;!-- &lt;a b="'.repeat(30_000)}end`,
  'formulas without an end': `<p>${'\\( $$= '.repeat(50_000)}end`,
  'nested MathML': `<math>${'<munder><mi>x</mi>'.repeat(400)}<mi>end</mi>`,
  'links in links': `${'<a href="/x">'.repeat(500)}${'<p>x'.repeat(5000)}end`,
  'code in many lines': `<pre>${'<div>x</div>'.repeat(100_000)}end</pre>`,
  footnotes:
    Array.from({ length: 5000 }, (_, at) => `<sup><a href="#n${at}">${at}</a></sup>`).join('') +
    `<ol>${Array.from({ length: 5000 }, (_, at) => `<li id="n${at}">end</li>`).join('')}</ol>`,
  'bars of tabs in each other': `${'<div role="tablist"><a role="tab" aria-controls="p">x</a>'.repeat(400)}${'<p>y</p>'.repeat(5000)}<div id="p">end</div>`,
  '5,000 bars of tabs': `${'<div role="tablist"><button role="tab" aria-controls="p">x</button></div>'.repeat(5000)}<div id="p">end</div>`,
  'callouts in each other': `${'<div class="admonition note"><p class="admonition-title">Note</p>'.repeat(400)}${'<p>x</p>'.repeat(5000)}end`,
  'buttons in each other': `${'<div><button>'.repeat(400)}<h2>${'x '.repeat(5000)}end`,
  'code in each other': `${'<code><div>'.repeat(400)}${'x<br>'.repeat(5000)}end`,
  'empty code in each other': `${'<pre><code>'.repeat(250)}${'<img alt="x">'.repeat(5000)}end`,
  'formulas in each other': `${'<span class="katex"><span class="MathJax">'.repeat(250)}${'<b>x</b>'.repeat(5000)}end`,
  'drawings in each other': `${'<svg><foreignObject>'.repeat(200)}${'<b>x</b>'.repeat(5000)}end`,
  'drawings of many labels': `<svg>${'<g transform="translate(1 2) scale(1e9)"><foreignObject>x</foreignObject>'.repeat(20_000)}<foreignObject>end`,
  'notes in each other': `${Array.from({ length: 400 }, (_, at) => `<sup><a href="#n${at}">${at}</a></sup>`).join('')}${Array.from({ length: 400 }, (_, at) => `<ol><li id="n${at}">x`).join('')}end`,
  'tables in code tables': `${'<table class="lntable"><tr><td class="gutter">1<td class="code">'.repeat(250)}${'<p>x'.repeat(2000)}end`,
  'tags called like properties of objects':
    '<constructor>x</constructor><__proto__>end</__proto__>',
};

describe('hostile pages', () => {
  it.each(Object.entries(hostile))('%s: converted in time, with the text', (_name, html) => {
    const started = cpuTime();
    const text = convert(html);
    expect(cpuTime() - started).toBeLessThan(patience);
    expect(text).toContain('end');
  });

  it('keeps the depth of 100 nested lists', () => {
    const html = '<ul><li>x'.repeat(99) + '<ul><li>deepest';
    expect(convert(html).split('\n').at(-1)).toBe(`${'  '.repeat(99)}- deepest`);
  });
});
