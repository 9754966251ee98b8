/** What a crawl and a map need of a page to go on: where it links to, and which page it is. */
import { createHash } from 'node:crypto';
import { canonicalUrl, discoverLinks } from '../frontier/discover-links.ts';
import { isElement } from '../html/dom.ts';
import type { Page } from '../model/page.ts';
import { resolveLink } from '../url/normalize-url.ts';

/** Lists of strings rather than of objects: 100,000 links come from a thread in 10 ms, not in 60. */
export interface Outline {
  /** Absolute and normalised, in document order, each once. */
  readonly links: readonly string[];
  /** What the reader sees of each link; `` where there is nothing to see. */
  readonly linkTexts: readonly string[];
  /** Links that are no pages: mail addresses, malformed URLs. */
  readonly refused: readonly { readonly href: string; readonly reason: 'PROTOCOL' | 'BAD_URL' }[];
  /** The address that the page names as its own. */
  readonly canonical: string | undefined;
  /** RSS, Atom and JSON feeds that the page names in its head. */
  readonly feeds: readonly string[];
  /** The same for the same text; undefined for a page without any. */
  readonly textHash: string | undefined;
}

/** Characters of a refused link that are told. */
const refusedLength = 2000;

/** Reads the page before anything is cleaned away; takes `limit` links at most. */
export function readOutline(page: Page, limit: number): Outline {
  const refused: Outline['refused'][number][] = [];
  const links = discoverLinks(page, {
    limit,
    onRefused: (href, reason) => {
      if (refused.length < limit) refused.push({ href: href.slice(0, refusedLength), reason });
    },
  });
  return {
    links: links.map(({ url }) => url),
    linkTexts: links.map(({ text }) => text ?? ''),
    refused,
    canonical: page.kind === 'html' ? canonicalUrl(page) : undefined,
    feeds: feedUrls(page),
    textHash: /\S/.test(page.source)
      ? createHash('sha256').update(page.source).digest('base64')
      : undefined,
  };
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
