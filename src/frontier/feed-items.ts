/** The items of a feed or sitemap that a crawl came to as a page. */
import type { TextPage } from '../model/page.ts';
import { plainText } from './plain-text.ts';
import type { EntrySink, RawEntry, SitemapReader } from './sitemap-content.ts';
import { JsonFeedReader } from './sitemap-text.ts';
import { XmlSitemapReader } from './sitemap-xml.ts';

/** One item. */
export interface FeedItem {
  /** As written, relative to the feed. */
  readonly href: string;
  readonly text?: string;
}

/** Characters that are read, in pieces, and items that are taken: what is beyond is still searched for URLs. */
const textLimit = 2_000_000;
const pieceLength = 65_536;
const itemLimit = 10_000;

/** Items of RSS, RDF, Atom and JSON feeds and of sitemaps, in their order; none for anything else. */
export function feedItems({ mediaType, source }: TextPage): FeedItem[] {
  const items: FeedItem[] = [];
  const sink: EntrySink = ({ link, title }: RawEntry) => {
    const text = plainText(title);
    // Some generators escape twice.
    const href = link.replaceAll('&amp;', '&');
    return items.push(text === undefined ? { href } : { href, text }) < itemLimit;
  };
  const reader = readerFor(mediaType, source, sink);
  for (let at = 0; at < Math.min(source.length, textLimit); at += pieceLength) {
    if (reader?.isReading !== true) break;
    reader.write(source.slice(at, at + pieceLength));
  }
  reader?.end(source.length > textLimit);
  return items;
}

function readerFor(mediaType: string, source: string, sink: EntrySink): SitemapReader | undefined {
  if (mediaType.endsWith('xml')) return new XmlSitemapReader(sink);
  const isFeed = mediaType.endsWith('json') && source.slice(0, 2_000).includes('//jsonfeed.org/');
  return isFeed ? new JsonFeedReader(sink) : undefined;
}
