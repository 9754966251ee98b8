/** One sitemap file to its entries, whatever its kind. */
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { decodeSitemap } from './sitemap-bytes.ts';
import type { EntrySink, RawEntry, SitemapContent, SitemapUrl } from './sitemap-content.ts';
import { readJsonFeed, readTextSitemap } from './sitemap-text.ts';
import { readXmlSitemap } from './sitemap-xml.ts';

/**
 * Reads a sitemap (urlset, sitemapindex, one URL a line) or a feed (RSS, RDF, Atom, JSON Feed),
 * gzipped or not. `url` is what relative URLs are relative to. Never rejects because of the
 * content: what can be read is read, the rest is a warning.
 */
export async function parseSitemap(bytes: Uint8Array, url: string): Promise<SitemapContent> {
  const content: SitemapContent = { urls: [], sitemaps: [], warnings: [] };
  const text = (await decodeSitemap(bytes, byteLimit, content.warnings)).trimStart();
  const collector = new Collector(content, url);
  const { sink } = collector;
  if (text === '') content.warnings.push('The sitemap is empty.');
  else if (/^<(?:!doctype\s+)?html\b/i.test(text)) {
    content.warnings.push('The file is a web page, not a sitemap.');
  } else if (text.startsWith('<')) content.warnings.push(...(await readXmlSitemap(text, sink)));
  else if (/^[[{]/.test(text)) content.warnings.push(...readJsonFeed(text, sink));
  else content.warnings.push(...readTextSitemap(text, sink));
  collector.finish();
  return content;
}

/** The limit of the protocol at sitemaps.org. */
const byteLimit = 50 * 1024 * 1024;
/** Its limit of entries is often exceeded: that is a warning only. */
const usualEntries = 50_000;
/** Ten times that is 100 MB of memory, and an attack. */
const entryLimit = 500_000;

/** Resolves entries and puts them where they belong. */
class Collector {
  readonly #content: SitemapContent;
  readonly #base: string;
  #entries = 0;
  #invalid = 0;
  #firstInvalid = '';

  constructor(content: SitemapContent, base: string) {
    this.#content = content;
    this.#base = base;
  }

  readonly sink: EntrySink = (entry, kind) => {
    if (this.#entries === (kind === 'url' ? entryLimit : usualEntries)) return false;
    this.#entries++;
    const url = this.#resolve(entry.link);
    if (url === undefined) return true;
    const lastmod = readDate(entry.date);
    const child = { url, ...(lastmod === undefined ? {} : { lastmod }) };
    // Some generators list their child sitemaps as if they were pages.
    if (kind === 'sitemap' || isSitemapFile(url)) this.#content.sitemaps.push(child);
    else this.#content.urls.push(withTitle(child, entry));
    return true;
  };

  finish(): void {
    const { warnings } = this.#content;
    if (this.#invalid > 0) {
      const first = JSON.stringify(this.#firstInvalid.slice(0, 200));
      warnings.push(
        `${this.#invalid} of the sitemap's entries are no web URLs, the first is ${first}.`,
      );
    }
    if (this.#entries > usualEntries) {
      warnings.push(
        `The sitemap has ${this.#entries} entries; the protocol allows ${usualEntries}.`,
      );
    }
  }

  #resolve(link: string): string | undefined {
    // After a bare & the XML parser leaves the next &amp; as it is.
    const url = resolveLink(link.replaceAll('&amp;', '&'), this.#base);
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

function withTitle(entry: SitemapUrl, { title }: RawEntry): SitemapUrl {
  // Feeds may have markup in titles, escaped once more.
  const text = title
    ?.replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text ? { ...entry, title: text } : entry;
}

/** W3C dates stay as they are, the dates of RSS become ISO; what is no date is left out. */
function readDate(date: string | undefined): string | undefined {
  const text = date?.trim() ?? '';
  if (text === '' || text.length > 64) return undefined;
  if (/^\d{4}(?:-\d\d(?:-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/i.test(text)) return text;
  // Date.parse reads a year out of almost anything.
  const time = /^(?:[a-z]{3,9},? )?\d{1,2} [a-z]{3,9} \d{2,4}\b/i.test(text)
    ? Date.parse(text)
    : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
