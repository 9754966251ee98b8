/** The outline of a page for a crawl or a map: its links, its identity and whether it is a soft 404. */
import { hash } from 'node:crypto';
import { canonicalUrl, discoverLinks } from '../frontier/discover-links.ts';
import { isElement } from '../../content/html/dom.ts';
import type { PageLink } from '../model/hooks.ts';
import type { HtmlPage, Page } from '../model/page.ts';
import { linksLeftOut } from '../model/limits.ts';
import { notFoundPhrase } from '../../content/text/not-found-phrase.ts';
import { looksRandom } from '../runtime/identifiers.ts';
import { findEvidence, type QueryEvidence } from '../../content/text/query-evidence.ts';
import { simhash, wordPairs } from '../../content/text/simhash.ts';
import { wordsOf } from '../../content/text/words.ts';
import { dateInUrl } from '../url/readable-url.ts';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { sourceWithoutVisitMarks } from '../url/visit-marks.ts';
import { contentBlocks, firstOf, roughContent } from './content-text.ts';

const bounds = {
  comparedLength: 10_000, // characters
  titleLength: 300, // characters
  refusedLength: 2000, // characters of a refused link that are reported
  errorPageWords: 120, // apart from links
};

/** Lists of strings instead of objects: a worker sends 100,000 links in 10 ms, not in 60. */
export interface PageOutline {
  /** Absolute and normalised links, in document order, each once. */
  readonly links: readonly string[];
  /** The visible text of each link; `` if there is none. */
  readonly linkTexts: readonly string[];
  /** The rel attribute of each link, and its element; only for hooks on links. */
  readonly linkRels?: readonly string[];
  readonly linkElements?: readonly string[];
  readonly refused: FoundLinks['refused'];
  /** The canonical URL that the page declares. */
  readonly canonical: string | undefined;
  /** The title in the page's head. */
  readonly title: string | undefined;
  /** RSS, Atom and JSON feeds that the page names in its head. */
  readonly feeds: readonly string[];
  /** A hash of the text, without its per-visit parts; undefined for a page without text. */
  readonly textHash: string | undefined;
  /** A similarity hash of the text; only on request, and not for a short page. */
  readonly nearHash?: string | undefined;
  /** The phrase for "not found" on a page with a success status. */
  readonly missing: string | undefined;
  /** A hash of the content; only if the URL has a part that may name a session. */
  readonly contentHash: string | undefined;
  /** Pairs of neighbouring words as numbers; only if the URL has a date. */
  readonly wordPairs: readonly number[] | undefined;
  /** Passages about a query; only on request. */
  readonly evidence?: QueryEvidence | undefined;
}

/** Optional parts of the outline. */
export interface OutlineOptions {
  /** Adds the details of each link that a hook may read. */
  readonly linkDetails?: boolean | undefined;
  /** Adds a hash of the text that detects near-duplicates. */
  readonly nearHash?: boolean | undefined;
  /** Adds the passages about this query. */
  readonly evidenceFor?: string | undefined;
}

/** Reads the page before cleaning. */
export function readOutline(
  page: Page,
  { links, refused }: FoundLinks,
  { linkDetails = false, nearHash = false, evidenceFor }: OutlineOptions = {},
): PageOutline {
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
    textHash: hashOf(sourceWithoutVisitMarks(page.source)),
    ...(nearHash ? { nearHash: simhash(roughContent(page)) } : {}),
    missing: soft404Phrase(page, title),
    contentHash: mayHaveSession(page.url)
      ? hashOf(`${title ?? ''}\n${roughContent(page)}`)
      : undefined,
    wordPairs:
      dateInUrl(new URL(page.url)) === undefined ? undefined : wordPairsOf(roughContent(page)),
    ...(evidenceFor === undefined
      ? {}
      : { evidence: findEvidence(evidenceFor, title, contentBlocks(page)) }),
  };
}

function hashOf(text: string): string | undefined {
  return /\S/.test(text) ? hash('sha256', text, 'base64') : undefined;
}

/** Leaves out numbers, which may be the date. */
function wordPairsOf(text: string): number[] {
  const words = wordsOf(text.slice(0, bounds.comparedLength)).filter((word) => !/\d/.test(word));
  return [...new Set(wordPairs(words))];
}

function mayHaveSession(url: string): boolean {
  const { pathname, search } = new URL(url);
  return search.length > 8 || pathname.split('/').some(looksRandom);
}

function titleOf({ document }: HtmlPage): string | undefined {
  for (let node = document.head.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.localName === 'title') {
      return (node.textContent ?? '').slice(0, bounds.titleLength);
    }
  }
  return undefined;
}

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

// The links of a page: as found, or as set by a hook.

/** Links to follow, and links that cannot be followed. */
export interface FoundLinks {
  /** Absolute and normalised links, in their order, each once. */
  readonly links: readonly PageLink[];
  /** Links that do not lead to pages: mail addresses, malformed URLs. */
  readonly refused: readonly { readonly href: string; readonly reason: 'PROTOCOL' | 'BAD_URL' }[];
}

/** At most `limit` links, in document order. */
export function findLinks(page: Page, limit: number): FoundLinks {
  const refused: FoundLinks['refused'][number][] = [];
  const links = discoverLinks(page, {
    limit,
    onRefused: (href, reason) => {
      if (refused.length < limit)
        refused.push({ href: href.slice(0, bounds.refusedLength), reason });
    },
  });
  return { links, refused };
}

/** The links from a hook, which may be relative, instead of the links found. */
export function resolveHookLinks(
  page: Page,
  limit: number,
  given: readonly PageLink[],
  found: FoundLinks | undefined,
): FoundLinks {
  const links = new Map<string, PageLink>();
  const refused = [...(found?.refused ?? [])];
  for (const link of given) {
    const resolved = resolveLink(link.url, page.baseUrl);
    if (resolved === undefined) {
      const href = link.url.slice(0, bounds.refusedLength);
      if (refused.length < limit) refused.push({ href, reason: 'BAD_URL' });
      continue;
    }
    const url = normalizeUrl(resolved, {});
    if (links.has(url)) continue;
    if (links.size >= limit) {
      page.warnings.push(linksLeftOut(limit));
      break;
    }
    links.set(url, { ...link, url });
  }
  return { links: [...links.values()], refused };
}

// Soft 404s: "not found" pages with a success status.

/** The phrase in the title or the first heading of a soft 404; undefined for other pages. */
function soft404Phrase(page: Page, title: string | undefined): string | undefined {
  if (page.kind !== 'html' || page.statusCode < 200 || page.statusCode >= 300) return undefined;
  const phrase = notFoundPhrase(title ?? '') ?? notFoundPhrase(firstHeading(page));
  if (phrase === undefined) return undefined;
  const words = roughContent(page).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return words > bounds.errorPageWords ? undefined : phrase;
}

function firstHeading({ root }: Extract<Page, { kind: 'html' }>): string {
  return firstOf(root, ({ localName }) => localName === 'h1')?.textContent?.trim() ?? '';
}
