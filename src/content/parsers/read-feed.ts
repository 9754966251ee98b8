/** Reads feeds into one model: RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed 1.0 and 1.1. */
import { escapeAttribute, escapeText } from '../html/serialize.ts';
import { voidElements } from '../html/tags.ts';
import { parseHtml } from '../html/parse.ts';
import { trimmedXmlText, xmlChildren, type XmlElement, xmlElements } from '../html/xml.ts';
import { oneLine } from '../text/plain-text.ts';
import { isRecord, parseJson } from '../../core/runtime/json.ts';

/** A feed. Texts are plain, without markup. */
export interface Feed {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The feed's web page, as written. */
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly language: string | undefined;
  /** As written. */
  readonly published: string | undefined;
  /** As written. */
  readonly updated: string | undefined;
  /** The next page of the feed (RFC 5005), as written. */
  readonly next: string | undefined;
  /** The base of these URLs, if the feed gives one. */
  readonly base?: string | undefined;
  readonly entries: readonly FeedEntry[];
  readonly warning?: string | undefined;
}

/** An entry. */
export interface FeedEntry {
  readonly title: string | undefined;
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly updated: string | undefined;
  readonly tags: readonly string[];
  readonly content: FeedText | undefined;
  /** The base of its links, if the feed gives one. */
  readonly base?: string | undefined;
  /** The base of links in the content, if the feed gives one. */
  readonly contentBase?: string | undefined;
  readonly enclosures: readonly Enclosure[];
}

/** The content of an entry. */
interface FeedText {
  readonly kind: 'text' | 'html';
  readonly text: string;
}

/** A file attached to an entry. */
export interface Enclosure {
  readonly url: string;
  readonly title?: string | undefined;
  readonly type?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
}

// Reads RSS 0.9x, 1.0 and 2.0, and Atom.

/** Undefined if the root is not a feed's, or has none of a feed's content. */
export function readXmlFeed(root: XmlElement): Feed | undefined {
  if (root.name === 'feed') return nonEmpty(readAtom(root));
  if (root.name !== 'rss' && root.name !== 'rdf') return undefined;
  const [channel] = xmlChildren(root, 'channel');
  // At any depth: an item without an end tag contains the following ones.
  const items = [...xmlElements(root, 'item')];
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
    title: inlineText(about('title', 'dc:title', 'atom:title', 'itunes:title')),
    description: inlineText(
      about('description', 'dc:description', 'atom:subtitle', 'itunes:summary'),
    ),
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
  const author =
    creators || (atomAuthors(item) ?? get('author', 'itunes:author', 'dc:contributor'));
  const html = get('content:encoded', 'xhtml:body', 'body', 'fullitem', 'description');
  const other = get('dc:description', 'content', 'summary', 'itunes:summary', 'itunes:subtitle');
  const [content] = xmlChildren(item, 'atom:content', 'atom:summary');
  const [group = item] = xmlChildren(item, 'media:group');
  const plain = firstText(group, ['media:description']) ?? firstText(item, ['media:description']);
  return {
    title: inlineText(get('title', 'dc:title', 'atom:title', 'itunes:title', 'media:title')),
    link:
      get('link') ??
      linkOf(atomLinks(item), 'alternate') ??
      (isAddress ? trimmedXmlText(guid) : undefined) ??
      get('feedburner:origlink') ??
      item.attributes['rdf:about'],
    author: personOf(author),
    published: get(
      'pubdate',
      'dc:date',
      'atom:published',
      'published',
      'dcterms:issued',
      'dcterms:created',
    ),
    updated: get('atom:updated', 'updated', 'dcterms:modified'),
    tags: unique(
      xmlChildren(item, 'category', 'dc:subject').map((tag) => inlineText(trimmedXmlText(tag))),
    ),
    content: htmlContent(html) ?? construct(content) ?? htmlContent(other) ?? textContent(plain),
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
    author: atomAuthors(entry) ?? xmlChildren(entry, 'source').map(atomAuthors)[0],
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
  const written = isMarkup ? markupOf(element) : trimmedXmlText(element);
  const isBase64 = element.attributes['mode'] === 'base64';
  const text = isBase64 ? Buffer.from(written, 'base64').toString() : written;
  if (text.trim() === '' || (type.includes('/') && !/^text\/|\+xml$/.test(type))) return undefined;
  // Atom 0.3 gives the encoding, not the type.
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
    const { type, length, fileSize } = element.attributes;
    const written = trimmedXmlText(element);
    const url = element.attributes['url'] ?? (/^https?:\S+$/.test(written) ? written : undefined);
    const title = firstText(element, ['media:title']);
    return url ? [{ url, title, type, size: sizeOf(length ?? fileSize) }] : [];
  });
}

function sizeOf(text: string | undefined): number | undefined {
  const size = Number(text ?? NaN);
  return Number.isSafeInteger(size) && size > 0 ? size : undefined;
}

/** The first name that has a text; entries of one feed may use different elements. */
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

/** RSS specifies `mail@host (Name)`; feeds also have `Name (mail@host)` and `Name <mail@host>`. */
function personOf(text: string | undefined): string | undefined {
  const [, after, before] =
    /^[^\s()<>]+@[^\s()<>]+\s+\(([^()]+)\)$|^([^()<>]+?)\s*(?:\([^\s()]+@[^\s()]+\)|<[^\s<>]+@[^\s<>]+>)$/.exec(
      text?.trim().slice(0, 500) ?? '',
    ) ?? [];
  return (after ?? before)?.trim() ?? inlineText(text);
}

function htmlContent(text: string | undefined): FeedText | undefined {
  return text === undefined ? undefined : { kind: 'html', text };
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

// Reads JSON Feed 1.0 and 1.1.

const maxFeedLength = 20_000_000; // characters; parsing more to detect a feed would block

/** Undefined for all other JSON. */
export function readJsonFeed(source: string): Feed | undefined {
  if (source.length > maxFeedLength || !/jsonfeed\.org\\?\/version/.test(source)) {
    return undefined;
  }
  const feed = parseJson(source);
  if (
    !isRecord(feed) ||
    !/^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//.test(textMember(feed, 'version') ?? '')
  )
    return undefined;
  const entries = listOf(feed, 'items').map(readEntry);
  return {
    title: textMember(feed, 'title'),
    description: textMember(feed, 'description'),
    link: textMember(feed, 'home_page_url'),
    author: authorsOf(feed),
    language: textMember(feed, 'language'),
    published: undefined,
    updated: undefined,
    next: textMember(feed, 'next_url'),
    entries,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function readEntry(item: JsonObject): FeedEntry {
  const html = textMember(item, 'content_html');
  const plain = textMember(item, 'content_text') ?? textMember(item, 'summary');
  const id = textMember(item, 'id');
  const { tags } = item;
  return {
    title: textMember(item, 'title'),
    link:
      textMember(item, 'url') ??
      textMember(item, 'external_url') ??
      (id !== undefined && /^https?:/.test(id) ? id : undefined),
    author: authorsOf(item),
    published: textMember(item, 'date_published'),
    updated: textMember(item, 'date_modified'),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    content:
      html !== undefined
        ? { kind: 'html', text: html }
        : plain === undefined
          ? undefined
          : { kind: 'text', text: plain },
    enclosures: listOf(item, 'attachments').flatMap(readAttachment),
  };
}

function readAttachment(file: JsonObject): Enclosure[] {
  const url = textMember(file, 'url');
  const size = file['size_in_bytes'];
  if (url === undefined) return [];
  return [
    {
      url,
      title: textMember(file, 'title'),
      type: textMember(file, 'mime_type'),
      size: typeof size === 'number' && size > 0 ? Math.round(size) : undefined,
    },
  ];
}

/** Version 1.0 has one author, 1.1 a list. */
function authorsOf(parent: JsonObject): string | undefined {
  const { author: one } = parent;
  const names = [...listOf(parent, 'authors'), ...(isRecord(one) ? [one] : [])].map(
    (author) => textMember(author, 'name') ?? textMember(author, 'url'),
  );
  return [...new Set(names.filter((name) => name !== undefined))].join(', ') || undefined;
}

function listOf(parent: JsonObject, name: string): JsonObject[] {
  const list = parent[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function textMember(parent: JsonObject, name: string): string | undefined {
  const value = parent[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

// Short texts of files, with any markup removed.

const limits = { nodes: 10_000, depth: 64, attributes: 10_000 };

const maxMarkupLength = 20_000; // characters: a title or a description is a line or a paragraph

/** On one line, without tags, entities decoded; undefined if nothing is left. */
function inlineText(markup: string | undefined): string | undefined {
  if (markup === undefined) return undefined;
  const short = markup.slice(0, maxMarkupLength);
  const text = /[<&]/.test(short) ? parsedText(short) : short;
  return oneLine(text) || undefined;
}

function parsedText(markup: string): string {
  try {
    const { body } = parseHtml(markup, limits);
    for (const hidden of body.querySelectorAll('script, style, template')) hidden.remove();
    return body.textContent ?? '';
  } catch {
    return markup;
  }
}

// Elements in XML as HTML text.

/** The content of an element: the XHTML of an Atom entry, or unescaped HTML. */
function markupOf(element: XmlElement): string {
  const parts: string[] = [];
  // A stack instead of recursion; strings are written as they are.
  const waiting: (XmlElement | { readonly text: string } | { readonly end: string })[] = [];
  const add = (children: XmlElement['children']): void => {
    for (const child of children.toReversed()) {
      waiting.push(typeof child === 'string' ? { text: child } : child);
    }
  };
  add(element.children);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('text' in next) parts.push(escapeText(next.text));
    else if ('end' in next) parts.push(next.end);
    else {
      const name = next.name.replace(/^.*:/, '');
      if (name === 'item' || name === 'entry') continue;
      if (!/^[a-z][a-z0-9]*$/.test(name)) {
        add(next.children);
        continue;
      }
      const attributes = Object.entries(next.attributes)
        .filter(([key]) => /^[a-z][\w-]*$/i.test(key))
        .map(([key, value = '']) => ` ${key}="${escapeAttribute(value)}"`);
      parts.push(`<${name}${attributes.join('')}>`);
      if (voidElements.has(name)) continue;
      waiting.push({ end: `</${name}>` });
      add(next.children);
    }
  }
  return parts.join('');
}
