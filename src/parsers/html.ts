/** HTML and XHTML to a document. */
import type { DomDocument } from '../html/dom.ts';
import type { HtmlPage } from '../model/page.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { isAffordableBase } from '../url/link-base.ts';
import type { ParseContext, Parser } from './parser.ts';
import { readSource } from './read-source.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/**
 * Reads HTML. What is beyond `limits.text`, `limits.depth` and `limits.attributes` is left out or
 * moved, with a warning; throws `PARSE_LIMIT` for documents beyond `limits.nodes`.
 */
export const htmlParser: Parser = {
  name: 'html',
  accepts: (mediaType) => mediaType === 'text/html' || mediaType === 'application/xhtml+xml',
  parse: async (snapshot, context) => {
    const { source, warnings } = await readSource(snapshot, context, 'html');
    const page = await htmlPage(snapshot, context, source);
    page.warnings.unshift(...warnings);
    return page;
  },
};

/** The page of HTML that was received for a snapshot, or made of it. */
export async function htmlPage(
  { url, statusCode }: Snapshot,
  { mediaType, limits }: ParseContext,
  source: string,
): Promise<HtmlPage> {
  const warnings: string[] = [];
  // The DOM is the costliest import: whoever reads JSON and text only does not pay for it.
  const { parseHtml } = await import('../html/parse.ts');
  const document = parseHtml(source, limits, (warning) => warnings.push(warning));
  const baseUrl = resolveBase(document, source, url, (warning) => warnings.push(warning));
  const root = document.body;
  return { kind: 'html', url, baseUrl, statusCode, mediaType, source, document, root, warnings };
}

/**
 * The first `<base href>` counts; one that is no http or https URL, or too long to be put before
 * every link, does not. A page whose own URL is too long keeps its relative links as they are.
 */
function resolveBase(
  document: DomDocument,
  source: string,
  url: string,
  warn: (warning: string) => void,
): string {
  const base = baseElement(document, source, url);
  if (isAffordableBase(base, source)) return base;
  const isOwn = base === url || !isAffordableBase(url, source);
  warn(
    isOwn
      ? 'Relative links were left as they are: the URL of the page is too long to be put before each.'
      : 'The <base> of the page was ignored: it is too long to be put before each link.',
  );
  return isOwn ? 'about:blank' : url;
}

function baseElement(document: DomDocument, source: string, url: string): string {
  if (!/<base\b/i.test(source)) return url;
  const href = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  if (href.trim() === '' || !canParseUrl(href, url)) return url;
  const base = new URL(href, url);
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : url;
}
