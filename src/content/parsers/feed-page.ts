/** Makes documents from feeds: the title, then each entry with its link, author, date and content. */
import { escapeText } from '../html/serialize.ts';
import { readXml } from '../html/xml.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';
import { fileNameOf } from '../../core/url/path-kind.ts';
import { type FileContent, filePage } from './file-parser.ts';
import {
  anchor,
  fileSize,
  isoDate,
  paragraphs,
  safeFragment,
  timeElement,
} from './html-fragment.ts';
import type { ParseContext } from './parser.ts';
import {
  type Enclosure,
  type Feed,
  type FeedEntry,
  readJsonFeed,
  readXmlFeed,
} from './read-feed.ts';

/** The page of a feed; undefined for other XML and JSON. Throws `PARSE_LIMIT` for a feed that is too large. */
export async function feedPage(
  snapshot: Snapshot,
  context: ParseContext,
  source: string,
  syntax: 'xml' | 'json',
): Promise<HtmlPage | undefined> {
  const feed = syntax === 'xml' ? xmlFeed(source, context) : readJsonFeed(source);
  if (feed === undefined) return undefined;
  return filePage(snapshot, context, contentOf(feed, snapshot.url, context), source);
}

/** Feeds write namespace URLs in any case, with or without a trailing slash. */
class NamespacePrefixes extends Map<string, string> {
  override get(url: string): string | undefined {
    return super.get(url.trim().toLowerCase().replace(/\/$/, ''));
  }
}

/** Customary prefixes of namespaces, whatever prefix a feed uses. */
const prefixes: ReadonlyMap<string, string> = new NamespacePrefixes([
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  // The elements of RSS themselves have no prefix.
  ['http://purl.org/rss/1.0', ''],
  ['http://my.netscape.com/rdf/simple/0.9', ''],
  ['http://channel.netscape.com/rdf/simple/0.9', ''],
  ['http://backend.userland.com/rss', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://blogs.law.harvard.edu/tech/rss', ''],
]);

function xmlFeed(source: string, { limits }: ParseContext): Feed | undefined {
  const { nodes } = limits;
  const reading = { nodes, prefixes, isFolded: true, endsWhereDeep: true };
  const { root, warning } = readXml(source, reading);
  const feed = root === undefined ? undefined : readXmlFeed(root);
  return feed === undefined || warning === undefined ? feed : { ...feed, warning };
}

function contentOf(feed: Feed, url: string, context: ParseContext): FileContent {
  const { title, description, author, language, entries, warning } = feed;
  const base = absolute(feed.base, url) ?? url;
  const link = absolute(feed.link, base);
  const next = absolute(feed.next, base);
  const parts = [
    ...(title === undefined ? [] : [`<h1>${anchor(title, link)}</h1>`]),
    ...(description === undefined || description === title
      ? []
      : [`<p>${escapeText(description)}</p>`]),
    ...entries.map((entry) => entryHtml(entry, url, context)),
    ...(next === undefined ? [] : [`<p>${anchor('Further entries', next)}</p>`]),
  ];
  return {
    html: parts.join('\n'),
    title,
    description,
    author,
    language,
    publishedTime: isoDate(feed.published),
    modifiedTime: isoDate(feed.updated),
    warnings: warning === undefined ? [] : [warning],
  };
}

function entryHtml(entry: FeedEntry, url: string, { limits }: ParseContext): string {
  const { title, content, author, published, updated, tags, enclosures } = entry;
  const link = absolute(entry.link, absolute(entry.base, url) ?? url);
  const base = absolute(entry.contentBase, url) ?? link ?? url;
  const date = published ?? updated;
  const facts = [
    ...(author === undefined ? [] : [`By ${escapeText(author)}`]),
    ...(date === undefined ? [] : [timeElement(date)]),
    ...(tags.length === 0 ? [] : [escapeText(tags.join(', '))]),
  ];
  const body =
    content === undefined
      ? ''
      : content.kind === 'html' && /[<&]/.test(content.text)
        ? safeFragment(content.text, { limits, base, headingsFrom: 3 })
        : paragraphs(content.text);
  const heading = title ?? link?.replace(/^https?:\/\//, '') ?? date ?? 'Untitled';
  return [
    `<h2>${anchor(heading, link)}</h2>`,
    ...(facts.length === 0 ? [] : [`<p>${facts.join(' · ')}</p>`]),
    `<div>${body}</div>`,
    enclosureList(enclosures, base),
  ].join('\n');
}

function enclosureList(enclosures: readonly Enclosure[], base: string): string {
  const items = enclosures.flatMap(({ url, title, type, size }) => {
    const address = absolute(url, base);
    if (address === undefined) return [];
    const facts = [
      ...(type === undefined ? [] : [type]),
      ...(size === undefined ? [] : [fileSize(size)]),
    ];
    const words = facts.length === 0 ? '' : ` (${escapeText(facts.join(', '))})`;
    const name = title ?? (fileNameOf(address) || new URL(address).host);
    return [`<li>${anchor(name, address)}${words}</li>`];
  });
  return items.length === 0 ? '' : `<ul>${[...new Set(items)].join('')}</ul>`;
}

function absolute(href: string | undefined, base: string): string | undefined {
  return href === undefined ? undefined : resolveLink(href.trim(), base)?.href;
}
