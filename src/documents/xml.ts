/** Parses XML: feeds and SVG drawings to documents, all other XML to a fenced block. */
import { loadModule } from '../core/runtime/load-module.ts';
import { fence, readSource, type SourceText, textPage } from '../content/parsers/text-page.ts';
import { isXmlType, readMarkupStart } from '../content/parsers/media-type.ts';
import type { Parser } from '../content/parsers/parser.ts';

/** Reads XML without expanding or fetching external references. */
export const xmlParser: Parser = {
  name: 'xml',
  accepts: isXmlType,
  parse: async (snapshot, context) => {
    const read = await readSource(snapshot, context, 'xml');
    const text = await withoutPreamble(read);
    const root = rootOf(text.source);
    const page =
      root === 'rss' || root === 'rdf' || root === 'feed'
        ? await (
            await loadModule(() => import('../content/parsers/feed-page.ts'))
          ).feedPage(snapshot, context, text.source, 'xml')
        : root === 'svg'
          ? await (
              await loadModule(() => import('./images/svg-page.ts'))
            ).svgPage(snapshot, context, text.source)
          : undefined;
    if (page === undefined) {
      return textPage(snapshot, context, { ...text, markdown: fence(text.source, 'xml') });
    }
    page.warnings.unshift(...text.warnings);
    return page;
  },
};

/** Programs print warnings before a feed. */
async function withoutPreamble({ source, warnings, ...text }: SourceText): Promise<SourceText> {
  if (source.startsWith('<')) return { ...text, source, warnings };
  const { sitemapStart } = await loadModule(() => import('../content/html/xml-scanner.ts'));
  const start = sitemapStart(source);
  if (start <= 0 || !/\S/.test(source.slice(0, start).replaceAll('\ufeff', ''))) {
    return { ...text, source, warnings };
  }
  const warning = 'The file has text before its XML, which was left out.';
  return { ...text, source: source.slice(start), warnings: [...warnings, warning] };
}

/** The name of the first element, in lower case and without a prefix. */
function rootOf(source: string): string | undefined {
  const { root } = readMarkupStart(source.slice(0, 65_536).trimStart());
  return root?.slice(root.indexOf(':') + 1).toLowerCase();
}
