/** Pages for the tests of formats. */
import type { FormatContext } from '../../src/content/formats/format.ts';
import { parseHtml } from '../../src/content/html/parse.ts';
import type { HtmlPage, TextPage } from '../../src/core/model/page.ts';
import { defaultLimits } from '../../src/core/model/limits.ts';

/** An HTML page at http://example.test/docs/page. */
export function htmlPage(source: string, baseUrl = 'http://example.test/docs/page'): HtmlPage {
  const document = parseHtml(source, { nodes: 1_000_000, depth: 512 });
  return {
    kind: 'html',
    url: 'http://example.test/docs/page',
    baseUrl,
    statusCode: 200,
    mediaType: 'text/html',
    source,
    warnings: [],
    document,
    root: document.body,
  };
}

/** A page that is no tree. */
export function textPage(source: string, markdown: string = source): TextPage {
  return {
    kind: 'text',
    url: 'http://example.test/file',
    baseUrl: 'http://example.test/file',
    statusCode: 200,
    mediaType: 'text/plain',
    source,
    warnings: [],
    markdown,
  };
}

/** What a format is told beside the page. */
export const context: FormatContext = {
  signal: new AbortController().signal,
  limits: defaultLimits,
};
