/** HTML and XHTML to a document. */
import type { DomDocument } from '../html/dom.ts';
import type { Parser } from './parser.ts';
import { readSource } from './read-source.ts';

/**
 * Reads HTML. What is beyond `limits.text`, `limits.depth` and `limits.attributes` is left out or
 * moved, with a warning; throws `PARSE_LIMIT` for documents beyond `limits.nodes`.
 */
export const htmlParser: Parser = {
  name: 'html',
  accepts: (mediaType) => mediaType === 'text/html' || mediaType === 'application/xhtml+xml',
  parse: async (snapshot, context) => {
    const { url, statusCode } = snapshot;
    const { source, warnings } = await readSource(snapshot, context, 'html');
    // The DOM is the costliest import: whoever reads JSON and text only does not pay for it.
    const { parseHtml } = await import('../html/parse.ts');
    const document = parseHtml(source, context.limits, (warning) => warnings.push(warning));
    const baseUrl = resolveBase(document, source, url);
    const root = document.body;
    return {
      kind: 'html',
      url,
      baseUrl,
      statusCode,
      mediaType: context.mediaType,
      source,
      document,
      root,
      warnings,
    };
  },
};

/** The first `<base href>` counts; one that is no http or https URL does not. */
function resolveBase(document: DomDocument, source: string, url: string): string {
  if (!/<base\b/i.test(source)) return url;
  const href = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  if (href.trim() === '' || !URL.canParse(href, url)) return url;
  const base = new URL(href, url);
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : url;
}
