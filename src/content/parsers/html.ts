/** Parses HTML and XHTML to a document. */
import {
  type DomDocument,
  type DomElement,
  elementsOf,
  isElement,
  nodesBelow,
} from '../html/dom.ts';
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import type { HtmlPage, UnseenNodes } from '../../core/model/page.ts';
import type { Snapshot, UnseenElements } from '../../core/model/snapshot.ts';
import { isAffordableBase } from '../../core/url/links.ts';
import { decodeHiddenAddresses } from './hidden-addresses.ts';
import type { ParseContext, Parser } from './parser.ts';
import { readSource } from './text-page.ts';
import { urlOf } from '../../core/url/normalize-url.ts';

/**
 * Reads HTML. Content beyond `limits.text`, `limits.depth` and `limits.attributes` is left out or
 * moved, with a warning; throws `PARSE_LIMIT` for documents beyond `limits.nodes`.
 */
export const htmlParser: Parser = {
  name: 'html',
  accepts: (mediaType) => mediaType === 'text/html' || mediaType === 'application/xhtml+xml',
  parse: async (snapshot, context) => {
    const { source, warnings, encoding } = await readSource(snapshot, context, 'html');
    const page = await htmlPage(snapshot, context, source);
    if (!encoding.startsWith('utf-')) await encodeQueries(page.document, encoding);
    page.warnings.unshift(...warnings);
    return page;
  },
};

/** Encodes the queries of the page's links, so that later code need not know the encoding. */
async function encodeQueries(document: DomDocument, encoding: string): Promise<void> {
  const { withEncodedQuery } = await loadModule(() => import('../text/encode-query.ts'));
  for (const element of elementsOf(document.documentElement)) {
    for (const name of ['href', 'src', 'action', 'formaction']) {
      const url = element.getAttribute(name);
      const encoded = url === null ? url : withEncodedQuery(url, encoding);
      if (encoded !== null && encoded !== url) element.setAttribute(name, encoded);
    }
  }
}

/** The DOM is the costliest import: it is loaded with the first HTML page. */
const htmlModule = new Lazy(() => loadModule(() => import('../html/parse.ts')));

/** The page of HTML that was received or made for a snapshot. */
export async function htmlPage(
  { url, statusCode, unseen: marks }: Snapshot,
  { mediaType, limits }: ParseContext,
  source: string,
): Promise<HtmlPage> {
  const warnings: string[] = [];
  const { parseHtml } = await htmlModule.get();
  const document = parseHtml(source, limits, (warning) => warnings.push(warning));
  const baseUrl = resolveBase(document, source, url, (warning) => warnings.push(warning));
  const root = document.body;
  const unseen = marks === undefined ? undefined : markedElements(document, marks);
  // Elements were counted before, as received.
  decodeHiddenAddresses(document, source);
  return {
    kind: 'html',
    url,
    baseUrl,
    statusCode,
    mediaType,
    source,
    document,
    root,
    warnings,
    ...(unseen === undefined ? {} : { unseen }),
  };
}

/** The elements marked in the browser; undefined if the parsed document differs from the browser's. */
function markedElements(
  document: DomDocument,
  { elements, hidden, faded, illegible }: UnseenElements,
): UnseenNodes | undefined {
  const html = document.documentElement;
  const all = [html];
  // With scripts enabled, a browser has no elements inside these.
  const isOver = ({ localName }: DomElement): boolean => /^(?:template|noscript)$/.test(localName);
  for (const node of nodesBelow(html, isOver)) if (isElement(node)) all.push(node);
  let isSame = all.length === elements;
  const named = (marks: readonly string[]): ReadonlySet<DomElement> =>
    new Set(
      marks.flatMap((mark) => {
        const [index, name] = mark.split(' ', 2);
        const element = all[Number(index)];
        isSame &&= element?.localName.toLowerCase() === name?.toLowerCase();
        return element ?? [];
      }),
    );
  const found = { hidden: named(hidden), faded: named(faded), illegible: named(illegible) };
  return isSame ? found : undefined;
}

/**
 * The first `<base href>` counts, unless it is not an http(s) URL, or too long as a prefix of every link. A
 * page whose own URL is too long keeps relative links.
 */
function resolveBase(
  document: DomDocument,
  source: string,
  url: string,
  warn: (warning: string) => void,
): string {
  const base = baseElement(document, url);
  if (isAffordableBase(base, source)) return base;
  const isOwn = base === url || !isAffordableBase(url, source);
  warn(
    isOwn
      ? 'Relative links were left as they are: the URL of the page is too long to be put before each.'
      : 'The <base> of the page was ignored: it is too long to be put before each link.',
  );
  return isOwn ? 'about:blank' : url;
}

function baseElement(document: DomDocument, url: string): string {
  if (document.localNames?.has('base') === false) return url;
  const href = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = href.trim() === '' ? undefined : urlOf(href, url);
  return base?.protocol === 'http:' || base?.protocol === 'https:' ? base.href : url;
}
