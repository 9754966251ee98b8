/** RSS 0.9x, 1.0 and 2.0, and Atom, to what they say. */
import { trimmedXmlText, xmlChildren, type XmlElement } from '../../html/xml-tree.ts';
import { oneLine } from '../../text/one-line.ts';
import type { Enclosure, Feed, FeedEntry, FeedText } from './feed.ts';
import { inlineText } from '../markup/plain-text.ts';
import { markupOf } from '../markup/xml-markup.ts';

/** Undefined when the root is of no feed, or has nothing that a feed has. */
export function readXmlFeed(root: XmlElement): Feed | undefined {
  if (root.name === 'feed') return nonEmpty(readAtom(root));
  if (root.name !== 'rss' && root.name !== 'rdf') return undefined;
  const [channel] = xmlChildren(root, 'channel');
  const items = [...(channel === undefined ? [] : xmlChildren(channel, 'item'))].concat(
    xmlChildren(root, 'item'),
  );
  return channel === undefined && items.length === 0
    ? undefined
    : nonEmpty(readRss(root, channel, items));
}

function nonEmpty(feed: Feed): Feed | undefined {
  return feed.title === undefined && feed.entries.length === 0 ? undefined : feed;
}

function readRss(
  root: XmlElement,
  channel: XmlElement | undefined,
  items: readonly XmlElement[],
): Feed {
  const about = (...names: string[]): string | undefined =>
    channel === undefined ? undefined : firstText(channel, names);
  const links = channel === undefined ? [] : atomLinks(channel);
  return {
    title: inlineText(about('title')),
    description: inlineText(about('description', 'atom:subtitle', 'itunes:summary')),
    link: about('link') ?? linkOf(links, 'alternate'),
    author: personOf(about('managingeditor', 'dc:creator', 'itunes:author', 'dc:publisher')),
    language: about('language', 'dc:language') ?? root.attributes['xml:lang'],
    published: about('pubdate', 'dc:date'),
    updated: about('lastbuilddate', 'atom:updated'),
    next: linkOf(links, 'next'),
    entries: items.map(readItem),
  };
}

function readItem(item: XmlElement): FeedEntry {
  const get = (...names: string[]): string | undefined => firstText(item, names);
  const [guid] = xmlChildren(item, 'guid');
  const isAddress =
    guid?.attributes['isPermaLink'] !== 'false' && /^https?:/i.test(trimmedXmlText(guid));
  const creators = xmlChildren(item, 'dc:creator').map(trimmedXmlText).filter(Boolean).join(', ');
  const author = creators || (get('author', 'itunes:author') ?? atomAuthors(item));
  const html = get(
    'content:encoded',
    'description',
    'content',
    'itunes:summary',
    'itunes:subtitle',
  );
  const [group = item] = xmlChildren(item, 'media:group');
  const plain = firstText(group, ['media:description']) ?? firstText(item, ['media:description']);
  return {
    title: inlineText(get('title', 'itunes:title', 'media:title')),
    link:
      get('link') ??
      linkOf(atomLinks(item), 'alternate') ??
      (isAddress ? trimmedXmlText(guid) : undefined),
    author: personOf(author),
    published: get('pubdate', 'dc:date', 'atom:published', 'dcterms:created'),
    updated: get('atom:updated', 'dcterms:modified'),
    tags: unique(
      xmlChildren(item, 'category', 'dc:subject').map((tag) => inlineText(trimmedXmlText(tag))),
    ),
    content: html === undefined ? textContent(plain) : { kind: 'html', text: html },
    contentBase: item.attributes['xml:base'],
    enclosures: [...enclosuresIn(item), ...(group === item ? [] : enclosuresIn(group))],
  };
}

function readAtom(root: XmlElement): Feed {
  const links = atomLinks(root);
  const get = (...names: string[]): string | undefined => firstText(root, names);
  const base = root.attributes['xml:base'];
  return {
    title: atomText(root, 'title'),
    description: atomText(root, 'subtitle') ?? atomText(root, 'tagline'),
    link: linkOf(links, 'alternate'),
    author: atomAuthors(root),
    language: root.attributes['xml:lang'],
    published: undefined,
    updated: get('updated', 'modified'),
    next: linkOf(links, 'next'),
    base,
    entries: xmlChildren(root, 'entry').map((entry) => readAtomEntry(entry, base)),
  };
}

function readAtomEntry(entry: XmlElement, feedBase: string | undefined): FeedEntry {
  const links = atomLinks(entry);
  const get = (...names: string[]): string | undefined => firstText(entry, names);
  const [content] = xmlChildren(entry, 'content');
  const [summary] = xmlChildren(entry, 'summary');
  const [group] = xmlChildren(entry, 'media:group');
  const described = group === undefined ? undefined : firstText(group, ['media:description']);
  const base = resolved(entry.attributes['xml:base'], feedBase);
  return {
    title: atomText(entry, 'title'),
    link: linkOf(links, 'alternate') ?? content?.attributes['src'],
    author: atomAuthors(entry),
    published: get('published', 'issued', 'created'),
    updated: get('updated', 'modified'),
    tags: unique(
      xmlChildren(entry, 'category').map(({ attributes }) =>
        inlineText(attributes['label'] ?? attributes['term']),
      ),
    ),
    content: construct(content) ?? construct(summary) ?? textContent(described),
    base,
    contentBase: resolved(content?.attributes['xml:base'], base),
    enclosures: [
      ...links.filter(({ rel }) => rel === 'enclosure').map(({ rel: _, ...file }) => file),
      ...(group === undefined ? enclosuresIn(entry) : []),
    ],
  };
}

/** A text construct (RFC 4287, 3.1): text, HTML in text, or XHTML. */
function construct(element: XmlElement | undefined): FeedText | undefined {
  if (element === undefined) return undefined;
  const type = (element.attributes['type'] ?? 'text').toLowerCase();
  const isMarkup = type === 'xhtml' || type.endsWith('+xml');
  const text = isMarkup ? markupOf(element) : trimmedXmlText(element);
  if (text.trim() === '' || (type.includes('/') && !/^text\/|\+xml$/.test(type))) return undefined;
  // Atom 0.3 says how it is written, not what it is.
  const isText = type === 'text' || type === 'text/plain';
  return { kind: isText ? 'text' : 'html', text };
}

function atomText(parent: XmlElement, name: string): string | undefined {
  const text = construct(xmlChildren(parent, name)[0]);
  return text?.kind === 'text' ? oneLine(text.text) : inlineText(text?.text);
}

function atomAuthors(parent: XmlElement): string | undefined {
  const names = xmlChildren(parent, 'author', 'atom:author').map(
    (author) => firstText(author, ['name', 'atom:name']) ?? firstText(author, ['email']),
  );
  return unique(names).join(', ') || undefined;
}

interface AtomLink extends Enclosure {
  readonly rel: string;
}

function atomLinks(parent: XmlElement): AtomLink[] {
  return xmlChildren(parent, 'link', 'atom:link', 'atom10:link').flatMap(({ attributes }) => {
    const { href: url, rel = 'alternate', type, title, length } = attributes;
    return url ? [{ url, rel: rel.toLowerCase(), type, title, size: sizeOf(length) }] : [];
  });
}

function linkOf(links: readonly AtomLink[], rel: string): string | undefined {
  const found = links.filter((link) => link.rel === rel);
  return (found.find(({ type = 'text/html' }) => /html/i.test(type)) ?? found[0])?.url;
}

function enclosuresIn(parent: XmlElement): Enclosure[] {
  return xmlChildren(parent, 'enclosure', 'media:content').flatMap((element) => {
    const { url, type, length, fileSize } = element.attributes;
    const title = firstText(element, ['media:title']);
    return url ? [{ url, title, type, size: sizeOf(length ?? fileSize) }] : [];
  });
}

function sizeOf(text: string | undefined): number | undefined {
  const size = Number(text ?? NaN);
  return Number.isSafeInteger(size) && size > 0 ? size : undefined;
}

/** The first name that has a text; entries of one feed may have it in different places. */
function firstText(parent: XmlElement, names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const child of xmlChildren(parent, name)) {
      const text = child.children.some((part) => typeof part !== 'string')
        ? markupOf(child).trim()
        : trimmedXmlText(child);
      if (text !== '') return text;
    }
  }
  return undefined;
}

/** RSS has `mail@host (Name)`. */
function personOf(text: string | undefined): string | undefined {
  const name = /^[^\s()]+@[^\s()]+\s+\((.+)\)$/.exec(text ?? '')?.[1];
  return name?.trim() ?? inlineText(text);
}

function textContent(text: string | undefined): FeedText | undefined {
  return text === undefined ? undefined : { kind: 'text', text };
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as string[];
}

function resolved(url: string | undefined, base: string | undefined): string | undefined {
  if (url === undefined) return base;
  return base !== undefined && URL.canParse(url, base) ? new URL(url, base).href : url;
}
