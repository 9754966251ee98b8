/** Discovers the links of a page, or the items of a feed, as received, before cleaning. */
import {
  type DomElement,
  type DomNode,
  attributeOf,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../../content/html/dom.ts';
import { parseHtml } from '../../content/html/parse.ts';
import type { PageLink } from '../model/hooks.ts';
import type { HtmlPage, Page, TextPage } from '../model/page.ts';
import { linksLeftOut } from '../model/limits.ts';
import { linksInText } from '../../content/text/markdown-inline.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { canParseUrl, normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { PlainLinks } from '../url/links.ts';
import {
  type EntrySink,
  JsonFeedReader,
  type SitemapReader,
  XmlSitemapReader,
} from './sitemaps/sitemap-readers.ts';
import { firstDefined } from '../runtime/first-defined.ts';

const bounds = {
  inlineFrames: 20,
  textLength: 200, // characters
  linkNodes: 500, // nodes of a link that are read for its text
  itemLength: 2_000_000, // characters of an item that are read, in pieces
  pieceLength: 65_536,
  items: 10_000, // the rest is still searched for URLs
};

/** Options of link discovery. */
export interface DiscoverOptions {
  /** The most links taken, the first ones of the page. */
  readonly limit: number;
  /** Called for links that cannot be followed: another protocol, or not a URL. */
  readonly onRefused?: (href: string, reason: 'PROTOCOL' | 'BAD_URL') => void;
}

/**
 * Links in document order, absolute and normalised, each URL once, at its first mention; texts have at most
 * 200 characters in one line. Links of the page to itself are
 * left out, and links beyond `limit`, with a warning of the page.
 */
export function discoverLinks(page: Page, options: DiscoverOptions): PageLink[] {
  const links = new Map<string, PageLink>();
  const self = canParseUrl(page.url) ? normalizeUrl(new URL(page.url), {}) : '';
  const mentions =
    page.kind === 'html' ? htmlMentions(page.document.documentElement) : textMentions(page);
  const plain = new PlainLinks(page.baseUrl);
  for (const mention of mentions) {
    const { href } = mention;
    const url = plain.resolve(href) ?? normalized(href, page.baseUrl);
    if (url === undefined) {
      if (href.trim() !== '') options.onRefused?.(href, refusal(href));
      continue;
    }
    if (url === self || links.has(url)) continue;
    if (links.size >= options.limit) {
      const warning = linksLeftOut(options.limit);
      if (!page.warnings.includes(warning)) page.warnings.push(warning);
      break;
    }
    const { element, rel } = mention;
    const text = typeof mention.text === 'function' ? mention.text() : mention.text;
    links.set(url, { url, element, ...(text ? { text } : {}), ...(rel ? { rel } : {}) });
  }
  return [...links.values()];
}

function normalized(href: string, base: string): string | undefined {
  const resolved = resolveLink(href, base);
  return resolved === undefined ? undefined : normalizeUrl(resolved, {});
}

/** The canonical URL that the page names, absolute and normalised. */
export function canonicalUrl(page: HtmlPage): string | undefined {
  return firstDefined(elementsOf(page.document.head), (element) =>
    element.localName === 'link' && relOf(element).split(' ').includes('canonical')
      ? normalized(attributeOf(element, 'href'), page.baseUrl)
      : undefined,
  );
}

interface LinkMention extends Pick<PageLink, 'element' | 'rel'> {
  readonly href: string;
  /** A function is called only if the link is new. */
  readonly text?: string | (() => string);
}

function htmlMentions(root: DomElement): LinkMention[] {
  const mentions: LinkMention[] = [];
  let inlineFrames = 0;
  for (let node: DomNode | null = root; node !== null; node = nextNode(node, root)) {
    if (!isElement(node)) continue;
    const element = node;
    switch (element.localName) {
      case 'a':
      case 'area':
        addLink(mentions, element, element.localName);
        break;
      case 'link':
        if (isPageLink(element)) {
          addMention(mentions, element, 'link', attributeOf(element, 'title'));
        }
        break;
      case 'frame':
      case 'iframe':
        addMention(mentions, element, element.localName, attributeOf(element, 'title'));
        if (element.hasAttribute('srcdoc') && ++inlineFrames <= bounds.inlineFrames) {
          addInlineFrame(mentions, element);
        }
        break;
      case 'meta': {
        const href = refreshTarget(element);
        if (href !== undefined) mentions.push({ element: 'meta', href });
      }
    }
  }
  return mentions;
}

function addLink(mentions: LinkMention[], element: DomElement, name: 'a' | 'area'): void {
  addMention(mentions, element, name, () => linkText(element));
}

function addMention(
  mentions: LinkMention[],
  element: DomElement,
  name: LinkMention['element'],
  text: LinkMention['text'] & {},
): void {
  const isFrame = name === 'frame' || name === 'iframe';
  const href = element.getAttribute(isFrame ? 'src' : 'href');
  if (href !== null) mentions.push({ element: name, href, rel: relOf(element), text });
}

/** True for next/prev pages, other languages and the canonical URL; not styles, icons or feeds. */
function isPageLink(element: DomElement): boolean {
  const relations = relOf(element).split(' ');
  return (
    relations.some((relation) => ['next', 'prev', 'previous', 'canonical'].includes(relation)) ||
    (relations.includes('alternate') && element.hasAttribute('hreflang'))
  );
}

/** The document inside `srcdoc`, one level deep: a frame in that frame is not opened. */
function addInlineFrame(mentions: LinkMention[], frame: DomElement): void {
  try {
    const { body } = parseHtml(attributeOf(frame, 'srcdoc'), inlineLimits);
    for (const element of elementsOf(body)) {
      if (element.localName !== 'a') continue;
      addLink(mentions, element, 'a');
    }
  } catch {
    // The frame is too large or too deep to be parsed: the page around it is still read.
  }
}

const inlineLimits = { nodes: 10_000, depth: 128 };

/** `5; url=/next` → `/next`. */
function refreshTarget(meta: DomElement): string | undefined {
  if (attributeOf(meta, 'http-equiv').trim().toLowerCase() !== 'refresh') return undefined;
  const content = attributeOf(meta, 'content');
  const target = /^[\s\d.]*[;,\s](.*)$/s.exec(content.slice(0, 4_096))?.[1]?.trim() ?? '';
  const address = target.replace(/^url\s*=\s*/i, '');
  return address.replace(/^(["'])(.*?)\1.*$/s, '$2') || undefined;
}

function* textMentions(page: TextPage): Generator<LinkMention, void, undefined> {
  for (const { href, text } of feedItems(page)) {
    yield { element: 'text', href, ...(text === undefined ? {} : { text: shortLine(text) }) };
  }
  const isMarkdown = /^text\/(?:plain|.*markdown)$/.test(page.mediaType) || page.source === '';
  // A file without text of its own (PDF, office) has its parser's markdown.
  let text = page.source || page.markdown;
  if (page.mediaType.endsWith('json')) text = text.replaceAll('\\/', '/').replace(/\\u0026/gi, '&');
  if (page.mediaType.endsWith('xml')) {
    // Namespaces are names, not URLs.
    text = text.replace(/\s(?:xmlns(?::[\w.-]+)?|xsi:\w+)\s*=\s*["'][^"'<>]*["']/g, ' ');
    text = text.replaceAll('&amp;', '&');
  }
  for (const { href, text: words } of linksInText(text, { markdown: isMarkdown })) {
    yield { element: 'text', href, ...(words === undefined ? {} : { text: shortLine(words) }) };
  }
}

function relOf(element: DomElement): string {
  const rel = element.getAttribute('rel');
  return rel === null ? '' : shortLine(rel).toLowerCase();
}

/** Text and image descriptions inside the link; else its text for screen readers. */
function linkText(link: DomElement): string {
  let text = '';
  let nodes = 0;
  for (let node: DomNode | null = link; node !== null; node = nextNode(node, link)) {
    if (isText(node)) text += node.data.slice(0, bounds.textLength * 2);
    else if (isElement(node) && node.localName === 'img') text += ` ${attributeOf(node, 'alt')} `;
    if (++nodes > bounds.linkNodes || text.length > bounds.textLength * 2) break;
  }
  const names = ['aria-label', 'title', 'alt'];
  return (
    shortLine(text) || shortLine(names.map((name) => attributeOf(link, name)).find(Boolean) ?? '')
  );
}

function shortLine(text: string): string {
  return oneLine(text).slice(0, bounds.textLength);
}

function refusal(href: string): 'PROTOCOL' | 'BAD_URL' {
  return /^\s*(?!https?:)[a-z][a-z0-9+.-]*:/i.test(href) ? 'PROTOCOL' : 'BAD_URL';
}

// The items of a feed or sitemap that a crawl fetched as a page.

/** One item. */
export interface FeedItem {
  /** As written, relative to the feed. */
  readonly href: string;
  readonly text?: string;
}

/** Items of RSS, RDF, Atom and JSON feeds and of sitemaps, in their order; none for anything else. */
export function feedItems({ mediaType, source }: TextPage): FeedItem[] {
  const items: FeedItem[] = [];
  const sink: EntrySink = (link, { title: text }) => {
    // Some generators escape twice.
    const href = link.replaceAll('&amp;', '&');
    return items.push(text === undefined ? { href } : { href, text }) < bounds.items;
  };
  const reader = readerFor(mediaType, source, sink);
  for (let at = 0; at < Math.min(source.length, bounds.itemLength); at += bounds.pieceLength) {
    if (reader?.isReading !== true) break;
    reader.write(source.slice(at, at + bounds.pieceLength));
  }
  reader?.end(source.length > bounds.itemLength);
  return items;
}

function readerFor(mediaType: string, source: string, sink: EntrySink): SitemapReader | undefined {
  if (mediaType.endsWith('xml')) return new XmlSitemapReader(sink);
  const isFeed = mediaType.endsWith('json') && source.slice(0, 2_000).includes('//jsonfeed.org/');
  return isFeed ? new JsonFeedReader(sink) : undefined;
}
