/** HTML and XHTML to a document. */
import type { DomDocument } from '../html/dom.ts';
import { decodeText } from '../text/decode.ts';
import type { Parser } from './parser.ts';

/** Reads HTML; throws `PARSE_LIMIT` for documents beyond `limits.nodes` and `limits.depth`. */
export const htmlParser: Parser = {
  name: 'html',
  accepts: (mediaType) => mediaType === 'text/html' || mediaType === 'application/xhtml+xml',
  parse: async ({ url, statusCode, body }, { mediaType, charset, limits }) => {
    const source = await decodeText(body, charset, 'html');
    // The DOM is the costliest import: whoever reads JSON and text only does not pay for it.
    const { parseHtml } = await import('../html/parse.ts');
    const document = parseHtml(source, limits);
    const baseUrl = resolveBase(document, source, url);
    const root = document.body;
    return {
      kind: 'html',
      url,
      baseUrl,
      statusCode,
      mediaType,
      source,
      document,
      root,
      warnings: [],
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
