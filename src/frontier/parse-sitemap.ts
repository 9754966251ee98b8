/** One sitemap file to its entries, whatever its kind. */
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { decodeSitemap } from './sitemap-bytes.ts';
import type {
  EntrySink,
  RawEntry,
  SitemapContent,
  SitemapReader,
  SitemapUrl,
} from './sitemap-content.ts';
import { plainText } from './plain-text.ts';
import { readDate } from './sitemap-date.ts';
import { JsonFeedReader, TextSitemapReader } from './sitemap-text.ts';
import { XmlSitemapReader } from './sitemap-xml.ts';

/**
 * Reads a sitemap (urlset, sitemapindex, one URL a line) or a feed (RSS, RDF, Atom, JSON Feed),
 * gzipped or not. `url` is what relative URLs are relative to. Never rejects because of the
 * content: what can be read is read, the rest is a warning.
 */
export async function parseSitemap(bytes: Uint8Array, url: string): Promise<SitemapContent> {
  const content: SitemapContent = { urls: [], sitemaps: [], warnings: [] };
  for await (const { urls, sitemaps, warnings } of readSitemap(bytes, url)) {
    for (const entry of urls) content.urls.push(entry);
    content.sitemaps.push(...sitemaps);
    content.warnings.push(...warnings);
  }
  return content;
}

/**
 * Reads like `parseSitemap`, and gives what it has after each piece of the file, so that no more
 * than a piece of it is in memory as text or as entries. Other work goes on between two pieces.
 * `isCut` says that the file goes on where the bytes end.
 */
export async function* readSitemap(
  bytes: Uint8Array,
  url: string,
  { isCut: isBodyCut = false }: { readonly isCut?: boolean | undefined } = {},
): AsyncGenerator<SitemapContent, void, undefined> {
  const collector = new Collector(url);
  let isCut = isBodyCut;
  if (isCut) collector.warn(`The file ended early, after ${bytes.length} bytes.`);
  const events = { warn: collector.warn, cut: () => (isCut = true) };
  let reader: SitemapReader | undefined;
  for await (const piece of decodeSitemap(bytes, byteLimit, events)) {
    const text = reader === undefined ? piece.trimStart() : piece;
    if (text === '') continue;
    reader ??= readerFor(text, collector.sink);
    reader.write(text);
    yield collector.take();
    if (!reader.isReading) break;
  }
  for (const warning of reader?.end(isCut) ?? ['The sitemap is empty.']) collector.warn(warning);
  collector.finish();
  yield collector.take();
}

/** The limit of the protocol at sitemaps.org. */
const byteLimit = 50 * 1024 * 1024;
/** Its limit of entries is often exceeded: that is a warning only. */
const usualEntries = 50_000;
/** Twenty times that is an attack; hardly more fit into that many bytes. */
const entryLimit = 1_000_000;

/** The kind shows in the first characters, whatever the content type said. */
function readerFor(head: string, sink: EntrySink): SitemapReader {
  if (/^<(?:!doctype\s+)?html\b/i.test(head)) return new WebPageReader();
  if (head.startsWith('<')) return new XmlSitemapReader(sink);
  return /^[[{]/.test(head) ? new JsonFeedReader(sink) : new TextSitemapReader(sink);
}

/** What many servers answer for a file that is not there. */
class WebPageReader implements SitemapReader {
  isReading = false;
  write(): void {}
  end(): string[] {
    return ['The file is a web page, not a sitemap.'];
  }
}

/** Resolves entries and puts them where they belong. */
class Collector {
  #content: SitemapContent = { urls: [], sitemaps: [], warnings: [] };
  readonly #base: string;
  #entries = 0;
  #invalid = 0;
  #firstInvalid = '';

  constructor(base: string) {
    // Relative locations are not allowed anyway; behind a long one each would be as long.
    this.#base = base.length > 2_048 ? 'about:blank' : base;
  }

  /** What came together since the last time. */
  take(): SitemapContent {
    const content = this.#content;
    this.#content = { urls: [], sitemaps: [], warnings: [] };
    return content;
  }

  readonly warn = (sentence: string): void => {
    this.#content.warnings.push(sentence);
  };

  readonly sink: EntrySink = (entry, kind) => {
    if (this.#entries >= (kind === 'url' ? entryLimit : usualEntries)) return false;
    this.#entries++;
    const url = this.#resolve(entry.link);
    if (url === undefined) return true;
    const lastmod = readDate(entry.date);
    const child = { url, ...(lastmod === undefined ? {} : { lastmod }) };
    // Some generators list their child sitemaps as if they were pages.
    if (kind === 'sitemap' || isSitemapFile(url)) this.#content.sitemaps.push(child);
    else this.#content.urls.push(withTexts(child, entry));
    return true;
  };

  finish(): void {
    if (this.#invalid > 0) {
      const first = JSON.stringify(this.#firstInvalid.slice(0, 200));
      this.warn(
        `${this.#invalid} of the sitemap's entries are no web URLs, the first is ${first}.`,
      );
    }
    if (this.#entries > usualEntries) {
      this.warn(`The sitemap has ${this.#entries} entries; the protocol allows ${usualEntries}.`);
    }
  }

  #resolve(link: string): string | undefined {
    // Some generators escape twice. What a damage tore apart has a control character in it.
    const url = /[\0-\x08\v\f\x0e-\x1f]/.test(link)
      ? undefined
      : resolveLink(link.replaceAll('&amp;', '&'), this.#base);
    if (url !== undefined) return normalizeUrl(url, {});
    if (this.#invalid++ === 0) this.#firstInvalid = link;
    return undefined;
  }
}

function isSitemapFile(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  const file = path.slice(path.lastIndexOf('/')).toLowerCase();
  return file.includes('sitemap') && /\.xml(?:\.gz)?$/.test(file);
}

function withTexts(entry: SitemapUrl, raw: RawEntry): SitemapUrl {
  // Feeds may have markup in texts, escaped once more.
  const title = plainText(raw.title);
  const description = plainText(raw.description)?.slice(0, descriptionLength);
  return {
    ...entry,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Some feeds have the whole text there. */
const descriptionLength = 300;
