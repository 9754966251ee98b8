/** The kind of a page, from its HTML and its URL. */
import { type HeadWords, headWords } from './measure.ts';
import { type DomDocument, isElement } from '../../html/dom.ts';
import { urlOf } from '../../../core/url/normalize-url.ts';

/** Facts that hold for every paragraph of the page. */
export interface PageFacts {
  readonly url: string;
  /** Words of the `<title>`, in lower case. */
  readonly titleWords: ReadonlySet<string>;
  readonly headWords: HeadWords;
  /** Named by schema.org types or `og:type`. */
  readonly isArticle: boolean;
  readonly isProduct: boolean;
  readonly isDiscussion: boolean;
  readonly isList: boolean;
  /** For articles: it is also a list of questions. */
  readonly hasQuestions: boolean;
  /** Prices and ratings in its structured data. */
  readonly stated: ReadonlySet<number>;
  /** Segments of the URL's path. */
  readonly pathDepth: number;
  readonly lastPartLength: number;
  readonly lastPartHyphens: number;
  /** The path has words typical of blogs, documentation and catalogues. */
  readonly pathSuggestsArticle: boolean;
  readonly pathSuggestsDocumentation: boolean;
  readonly pathSuggestsList: boolean;
}

/** Reads the facts from the head, the source and the URL. */
export function readPageFacts(document: DomDocument, source: string, url: string): PageFacts {
  const { title, type, description } = readHead(document);
  const path = pathOf(url);
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  const isArticle = type.includes('article') || names(source, ['Article"', 'Posting"']);
  return {
    url,
    titleWords: new Set(
      title
        .slice(0, 1000)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
    headWords: headWords(title.slice(0, 1000), description.slice(0, 2000)),
    isArticle,
    isProduct: type.includes('product') || names(source, ['"Product"', '"ProductGroup"']),
    isDiscussion: isForum(url) || names(source, ['DiscussionForumPosting', 'QAPage']),
    isList: names(source, ['"ItemList"', '"CollectionPage"']),
    hasQuestions: isArticle && names(source, ['"FAQPage"']),
    stated: readStated(source),
    pathDepth: parts.length,
    lastPartLength: Math.min(60, last.length),
    lastPartHyphens: last.slice(0, 200).match(/[-_]/g)?.length ?? 0,
    pathSuggestsArticle: /blog|news|article|story|post|\b(?:19|20)\d\d\b/i.test(path),
    pathSuggestsDocumentation: /\bdocs?\b|documentation|guide|reference|manual|\bapi\b|wiki/i.test(
      path,
    ),
    pathSuggestsList: /categor|collection|\btags?\b|archive|search|browse|list/i.test(path),
  };
}

function readHead(document: DomDocument): { title: string; type: string; description: string } {
  let title = '';
  let type = '';
  let description = '';
  for (let node = document.head.firstChild; node !== null; node = node.nextSibling) {
    if (!isElement(node)) continue;
    if (node.localName === 'title' && title === '') title = node.textContent ?? '';
    else if (node.getAttribute('property') === 'og:type')
      type ||= node.getAttribute('content') ?? '';
    else if (
      node.getAttribute('name') === 'description' ||
      node.getAttribute('property') === 'og:description'
    )
      description ||= node.getAttribute('content') ?? '';
  }
  return { title, type, description };
}

/** A plain text search in the source: it is several times as fast as parsing structured data. */
function names(source: string, types: readonly string[]): boolean {
  // Quotes are frequent and would stop a search each time: the text after the quote is rare.
  return types.some(
    (type) => source.includes(type.startsWith('"') ? type.slice(1) : type) && source.includes(type),
  );
}

/** The numbers of JSON-LD and microdata that are prices or ratings. */
function readStated(source: string): Set<number> {
  const stated = new Set<number>();
  const add = (text: string): void => {
    const amount = amountOf(text);
    if (amount > 0 && stated.size < mostStated) stated.add(amount);
  };
  for (const { index } of source.includes('itemprop=') ? source.matchAll(statedProperty) : []) {
    const before = source.slice(Math.max(0, index - longestTag), index).replace(/^.*</s, '');
    const [after = '', text = ''] = source.slice(index, index + longestTag).split(/[<>]/);
    add(/content=["']?([\d.,]+)/i.exec(`${before} ${after}`)?.[1] ?? text);
  }
  for (let at = source.indexOf(jsonLd); at >= 0;) {
    const end = source.indexOf('</script', at);
    if (end < 0) break;
    for (const [, number = ''] of source.slice(at, end).matchAll(statedInJson)) add(number);
    at = source.indexOf(jsonLd, end);
  }
  return stated;
}

const jsonLd = 'application/ld+json';
const statedInJson = /"(?:price|lowPrice|ratingValue)"\s*:\s*"?(\d{1,9}(?:[.,]\d{1,9}){0,3})/g;
const statedProperty = /itemprop=["']?(?:price|lowPrice|ratingValue)["'\s>]/g;

const longestTag = 200; // characters around an attribute
const mostStated = 100; // a page with more lists the prices of a whole catalogue

/** The number of "1,299.00", "1.299,00" and "1 299". */
export function amountOf(text: string): number {
  return Number(
    text
      .replace(/[^\d.,]/g, '')
      .replace(/[.,](?=\d{3}(?:\D|$))/g, '')
      .replace(',', '.'),
  );
}

/** Addresses of forum software and communities, not of articles about them. */
function isForum(url: string): boolean {
  return forumHost.test(url) || forumPath.test(pathOf(url));
}

const forumHost =
  /^https?:\/\/(?:[^/]*forum|(?:community|communities|discuss|discourse|answers|boards?)\.)/i;

/** Topics have a number: `/topics/physics` is a list of articles. */
const forumPath =
  /\/(?:forums?|threads?|viewtopic|showthread|viewthread|discussions?|boards?)(?=[/.]|$)|\/topics?\/\d|\/t\/[^/]+\/\d+/i;

/** Only the path: the host name does not describe the page. */
function pathOf(url: string): string {
  return urlOf(url)?.pathname.slice(0, 1000) ?? '/';
}
