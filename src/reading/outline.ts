/** What a crawl and a map need of a page to go on: where it links to, and which page it is. */
import { createHash } from 'node:crypto';
import { canonicalUrl } from '../frontier/discover-links.ts';
import { isElement } from '../html/dom.ts';
import type { HtmlPage, Page } from '../model/page.ts';
import { looksRandom } from '../text/random-looking.ts';
import { simhash } from '../text/simhash.ts';
import { wordPairs } from '../text/word-pairs.ts';
import { wordsOf } from '../text/words.ts';
import { dateInUrl } from '../url/date-in-url.ts';
import { resolveLink } from '../url/normalize-url.ts';
import { missingPhrase } from './missing-page.ts';
import type { PageLinks } from './page-links.ts';
import { roughContent } from './rough-content.ts';

/** Lists of strings rather than of objects: 100,000 links come from a thread in 10 ms, not in 60. */
export interface Outline {
  /** Absolute and normalised, in document order, each once. */
  readonly links: readonly string[];
  /** What the reader sees of each link; `` where there is nothing to see. */
  readonly linkTexts: readonly string[];
  /** The rel attribute of each link, and what it was found in; only where a hook asks about links. */
  readonly linkRels?: readonly string[];
  readonly linkElements?: readonly string[];
  readonly refused: PageLinks['refused'];
  /** The address that the page names as its own. */
  readonly canonical: string | undefined;
  /** What the page's head calls it. */
  readonly title: string | undefined;
  /** RSS, Atom and JSON feeds that the page names in its head. */
  readonly feeds: readonly string[];
  /** The same for the same text; undefined for a page without any. */
  readonly textHash: string | undefined;
  /** Nearly the same for nearly the same text; only where it is asked for, and not of a short page. */
  readonly nearHash?: string | undefined;
  /** How a page says that there is nothing here, though it was found. */
  readonly missing: string | undefined;
  /** The same for the same content; only where the URL has a part that may be a session's. */
  readonly contentHash: string | undefined;
  /** Pairs of neighbouring words as numbers; only where the URL has a date. */
  readonly wordPairs: readonly number[] | undefined;
}

/** What is read beyond that. */
export interface OutlineWishes {
  /** Tell of each link what a hook may ask about it. */
  readonly linkDetails?: boolean | undefined;
  /** Hash the text so that pages that are nearly the same are recognised. */
  readonly nearHash?: boolean | undefined;
}

/** Reads the page before anything is cleaned away. */
export function readOutline(
  page: Page,
  { links, refused }: PageLinks,
  { linkDetails = false, nearHash = false }: OutlineWishes = {},
): Outline {
  const title = page.kind === 'html' ? titleOf(page) : undefined;
  return {
    links: links.map(({ url }) => url),
    linkTexts: links.map(({ text }) => text ?? ''),
    ...(linkDetails
      ? {
          linkRels: links.map(({ rel }) => rel ?? ''),
          linkElements: links.map(({ element }) => element ?? ''),
        }
      : {}),
    refused,
    canonical: page.kind === 'html' ? canonicalUrl(page) : undefined,
    title,
    feeds: feedUrls(page),
    textHash: hashOf(page.source),
    ...(nearHash ? { nearHash: simhash(roughContent(page)) } : {}),
    missing: missingPhrase(page, title),
    contentHash: mayHaveSession(page.url)
      ? hashOf(`${title ?? ''}\n${roughContent(page)}`)
      : undefined,
    wordPairs: dateInUrl(new URL(page.url)) === undefined ? undefined : pairsOf(roughContent(page)),
  };
}

function hashOf(text: string): string | undefined {
  return /\S/.test(text) ? createHash('sha256').update(text).digest('base64') : undefined;
}

/** Characters that are compared. */
const comparedLength = 10_000;

/** Numbers are the date. */
function pairsOf(text: string): number[] {
  const words = wordsOf(text.slice(0, comparedLength)).filter((word) => !/\d/.test(word));
  return [...new Set(wordPairs(words))];
}

function mayHaveSession(url: string): boolean {
  const { pathname, search } = new URL(url);
  return search.length > 8 || pathname.split('/').some(looksRandom);
}

function titleOf({ document }: HtmlPage): string | undefined {
  for (let node = document.head.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.localName === 'title') {
      return (node.textContent ?? '').slice(0, titleLength);
    }
  }
  return undefined;
}

const titleLength = 300;

function feedUrls(page: Page): string[] {
  if (page.kind !== 'html') return [];
  const feeds: string[] = [];
  for (let node = page.document.head.firstChild; node !== null; node = node.nextSibling) {
    if (!isElement(node) || node.localName !== 'link') continue;
    if (!/\balternate\b/i.test(node.getAttribute('rel') ?? '')) continue;
    const type = node.getAttribute('type') ?? '';
    if (!/^application\/(rss\+xml|atom\+xml|feed\+json)/i.test(type)) continue;
    const url = resolveLink(node.getAttribute('href') ?? '', page.baseUrl);
    if (url !== undefined) feeds.push(url.href);
  }
  return feeds;
}
