/** Parses XML: feeds and SVG drawings to documents, all other XML to a fenced block. */
import { loadModule } from '../load-module.ts';
import { fence, readSource, textPage } from './text-page.ts';
import { isXmlType, readMarkupStart } from './media-type.ts';
import type { Parser } from './parser.ts';

/** Reads XML without expanding or fetching external references. */
export const xmlParser: Parser = {
  name: 'xml',
  accepts: isXmlType,
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'xml');
    const root = rootOf(text.source);
    const page =
      root === 'rss' || root === 'rdf' || root === 'feed'
        ? await (
            await loadModule(() => import('./feed-page.ts'))
          ).feedPage(snapshot, context, text.source, 'xml')
        : root === 'svg'
          ? await (
              await loadModule(() => import('./documents/images/svg-page.ts'))
            ).svgPage(snapshot, context, text.source)
          : undefined;
    if (page === undefined) {
      return textPage(snapshot, context, { ...text, markdown: fence(text.source, 'xml') });
    }
    page.warnings.unshift(...text.warnings);
    return page;
  },
};

/** The name of the first element, in lower case and without a prefix. */
function rootOf(source: string): string | undefined {
  const { root } = readMarkupStart(source.slice(0, 65_536).trimStart());
  return root?.slice(root.indexOf(':') + 1).toLowerCase();
}
