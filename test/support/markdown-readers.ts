/** Renderers of markdown that people use, set to run what they are given: raw HTML, any scheme. */
import { HtmlRenderer, Parser } from 'commonmark';
import createMarkdownIt from 'markdown-it';
import { marked } from 'marked';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parseHtml } from '../../src/content/html/parse.ts';
import { selectAll } from '../../src/content/html/select.ts';

const commonmark = { parser: new Parser(), renderer: new HtmlRenderer() };
const markdownIt = createMarkdownIt({ html: true, linkify: true });
markdownIt.validateLink = () => true;

/** By name: markdown to HTML. */
export const markdownReaders: Readonly<Record<string, (markdown: string) => string>> = {
  commonmark: (markdown) => commonmark.renderer.render(commonmark.parser.parse(markdown)),
  marked: (markdown) => marked.parse(markdown, { async: false }),
  'markdown-it with linkify': (markdown) => markdownIt.render(markdown),
  'micromark with GFM': (markdown) =>
    micromark(markdown, {
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    }),
};

/** Elements that markdown stands for, and the few that are written as HTML in it. */
const elements = new Set(
  (
    'html head body p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del s a img table ' +
    'thead tbody tr th td hr br sub sup input section span'
  ).split(' '),
);
const attributes = new Set(
  (
    'href src alt title start align style class id type checked disabled dir ' +
    'data-footnotes data-footnote-ref data-footnote-backref aria-describedby aria-label'
  ).split(' '),
);

/** What of the HTML runs, links to code, or is an element or attribute that only a page writes. */
export function dangersIn(html: string): string[] {
  const dangers: string[] = [];
  const document = parseHtml(html, { nodes: 1e6, depth: 1e4, attributes: 1e6 });
  for (const element of selectAll('*', document)) {
    const name = element.localName;
    if (!elements.has(name)) dangers.push(`<${name}>`);
    for (const attribute of element.attributes) {
      if (!attributes.has(attribute.name)) dangers.push(`${name}[${attribute.name}]`);
      const isUrl = attribute.name === 'href' || attribute.name === 'src';
      if (isUrl && /^[\s\0-\x1f]*(?:javascript|vbscript|data|blob):/i.test(attribute.value)) {
        dangers.push(`${name}[${attribute.name}=${attribute.value.slice(0, 60)}]`);
      }
    }
  }
  return dangers;
}
