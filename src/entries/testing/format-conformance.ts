/** The conformance suite of every format, on all kinds of pages. */
import assert from 'node:assert/strict';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import { runFormat } from '../../content/formats/run-format.ts';
import { parseHtml } from '../../content/html/parse.ts';
import type { Page } from '../../core/model/page.ts';
import { defaultLimits } from '../../core/model/limits.ts';
import type { ConformanceCase } from './conformance-case.ts';

/**
 * The suite. `options` is the object form without `type`, for formats that need one:
 * `formatConformance(attributes, { options: { selectors: [] } })`. A `PagewrightError` is a valid result
 * too, for example of a json format for a page without the data; any other error is not.
 */
export function formatConformance(
  format: Format,
  given: { readonly options?: Readonly<Record<string, unknown>> } = {},
): readonly ConformanceCase[] {
  const run = async (page: Page): Promise<unknown> => {
    const options = format.parseOptions?.(given.options ?? {});
    try {
      const { signal } = new AbortController();
      return await runFormat(format, page, options, { signal, limits: defaultLimits });
    } catch (error) {
      if (error instanceof PagewrightError) return { rejected: error.code };
      throw error;
    }
  };
  return Object.entries(samples).flatMap(([sample, makePage]) => [
    {
      name: `${format.name} gives plain data for ${sample}`,
      run: async () => {
        const value = await run(makePage());
        structuredClone(value);
        assertPlain(value, format.name);
      },
    },
    {
      name: `${format.name} gives the same twice for ${sample}`,
      run: async () => {
        const page = makePage();
        const first = structuredClone(await run(page));
        assert.deepStrictEqual(structuredClone(await run(page)), first);
        assert.deepStrictEqual(structuredClone(await run(makePage())), first);
      },
    },
    {
      name: `${format.name} does not change ${sample}`,
      run: async () => {
        const page = makePage();
        await run(page);
        assert.equal(contentOf(page), contentOf(makePage()));
      },
    },
  ]);
}

const article = `<!DOCTYPE html>
<html lang="en"><head><title>Tides</title><base href="/notes/">
<meta name="description" content="On tides."><meta property="og:image" content="/tide.png">
<link rel="icon" href="/icon.svg"><link rel="canonical" href="/notes/tides">
<script type="application/ld+json">{"@type":"Article","headline":"Tides"}</script></head>
<body><nav><a href="/">Home</a></nav>
<main><h1 id="top">Tides</h1><p>The <em>moon</em> pulls, <a href="sun?x=1&amp;y=2#z">the sun</a> too.</p>
<ul><li>spring<ul><li>high</li></ul></li><li>neap</li></ul>
<pre><code class="language-js">tide(1);\n  tide(2);</code></pre>
<table><caption>Heights</caption><tr><th>Port</th><th colspan="2">m</th></tr>
<tr><td>Brest</td><td>6.1</td><td>1.2</td></tr></table>
<picture><source srcset="a.webp 1x, b.webp 2x"><img src="a.png" alt="A curve"></picture>
<div itemscope itemtype="https://schema.org/Thing"><span itemprop="name">Moon</span></div>
</main><footer>© 2026</footer></body></html>`;

const oddities = `<p>no head<a href="http://[">bad</a><a href="javascript:alert(1)">script</a><a>none</a>
<a href="">empty</a><img><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img srcset=",,, 2x ,">
<table><td colspan="99999">x<table><td rowspan="0">y</table></table><base href="::"><h9>?</h9>
<script type="application/ld+json">{"broken": </script><div itemscope itemref="self" id="self">\u0000\ufffe</div>
<svg><a xlink:href="#">s</a></svg><math><mi>x</mi></math><template><p>t</p></template><b><i></b></i>`;

const samples: Readonly<Record<string, () => Page>> = {
  'an article': () => htmlPage(article),
  'an empty page': () => htmlPage(''),
  'a page without a body': () => htmlPage('<title>Only a title</title>'),
  'odd markup': () => htmlPage(oddities),
  'a page 500 levels deep': () =>
    htmlPage(`${'<div>'.repeat(500)}<p>deep</p>${'</div>'.repeat(500)}`),
  'deeply nested lists and quotes': () =>
    htmlPage(`${'<ul><li><blockquote>'.repeat(100)}deep${'</blockquote></li></ul>'.repeat(100)}`),
  'a text': () => textPage('Just\n\ttext, <b>not</b> markup.\n'),
  'an empty text': () => textPage(''),
};

function htmlPage(source: string): Page {
  const document = parseHtml(source, defaultLimits);
  const url = 'https://site.test/notes/tides';
  return {
    kind: 'html',
    url,
    baseUrl: url,
    statusCode: 200,
    mediaType: 'text/html',
    source,
    warnings: [],
    document,
    root: document.body,
  };
}

function textPage(source: string): Page {
  const url = 'https://site.test/notes.txt';
  return {
    kind: 'text',
    url,
    baseUrl: url,
    statusCode: 200,
    mediaType: 'text/plain',
    source,
    warnings: [],
    markdown: source,
  };
}

function contentOf(page: Page): string {
  return page.kind === 'html' ? page.document.documentElement.outerHTML : page.markdown;
}

/** Passes values that `structuredClone` copies unchanged: no class instances, except dates and bytes. */
function assertPlain(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  if (['string', 'number', 'boolean', 'bigint'].includes(typeof value)) return;
  assert.equal(typeof value, 'object', `${path} is a ${typeof value}`);
  if (value instanceof Date || value instanceof Uint8Array) return;
  const isPlain = [Object.prototype, Array.prototype, null].includes(
    Object.getPrototypeOf(value) as object | null,
  );
  assert.ok(isPlain, `${path} is an object of a class`);
  for (const [key, member] of Object.entries(value)) assertPlain(member, `${path}.${key}`);
}
