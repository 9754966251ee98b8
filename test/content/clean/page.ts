/** What the cleaning tests share: a page from text, and readable forms of a result. */
import { cleanPage } from '../../../src/content/clean/index.ts';
import { toMarkdown } from '../../../src/content/markdown/to-markdown.ts';
import { type DomElement, type DomNode, isElement, isText } from '../../../src/content/html/dom.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';
import type { HtmlPage } from '../../../src/core/model/page.ts';
import type { CleanOptions } from '../../../src/core/model/request.ts';

/** The options of a scrape without options. */
export const defaults: CleanOptions = {
  onlyMainContent: true,
  includeTags: [],
  excludeTags: [],
  removeBase64Images: true,
  blockAds: true,
};

export function htmlPage(
  source: string,
  url = 'https://site.test/',
  baseUrl: string = url,
): HtmlPage {
  const document = parseHtml(source, { nodes: 1_000_000, depth: 512 });
  return {
    kind: 'html',
    url,
    baseUrl,
    statusCode: 200,
    mediaType: 'text/html',
    source,
    warnings: [],
    document,
    root: document.body,
  };
}

/** The markdown of a page, cleaned by the options. */
export function markdownOf(html: string, options: Partial<CleanOptions> = {}): string {
  const page = htmlPage(html);
  cleanPage(page, { ...defaults, ...options });
  return toMarkdown(page);
}

/** Markup without the white space between tags. */
export function foldMarkup(markup: string): string {
  return markup
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:p|div|ul|ol|li|section|main|article|figure|body)\b[^>]*>) ?/g, '$1')
    .trim();
}

/** The text of a tree, one line for each block. */
export function blockLines(root: DomElement): string[] {
  const lines: string[] = [];
  let line = '';
  const flush = (): void => {
    const text = line.replace(/\s+/g, ' ').trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  const visit = (node: DomNode): void => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (isText(child)) line += child.data;
      else if (isElement(child)) {
        const inline = /^(?:a|b|code|em|i|span|strong|sup)$/.test(child.localName);
        if (!inline) flush();
        visit(child);
        if (!inline) flush();
      }
    }
  };
  visit(root);
  flush();
  return lines;
}
