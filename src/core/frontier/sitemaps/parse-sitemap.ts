/** Parses one sitemap file of any kind: its bytes to text (gzip, charset) and to entries, as a stream. */
import { sitemapStart } from '../../../content/html/xml-scanner.ts';
import { normalizeUrl, resolveLink } from '../../url/normalize-url.ts';
import {
  type EntrySink,
  JsonFeedReader,
  plainText,
  type SitemapContent,
  type SitemapReader,
  TextSitemapReader,
  XmlSitemapReader,
} from './sitemap-readers.ts';
import { decodeSitemap } from './decode-sitemap.ts';

const limits = {
  longestUndecided: 8_192, // characters in which the XML may begin after other text
  bytes: 50 * 1024 * 1024, // the limit of the protocol at sitemaps.org
  usualEntries: 50_000, // the protocol's limit, often exceeded: only a warning
  entries: 1_000_000, // twenty times the limit is an attack; hardly more fit into that many bytes
};

/**
 * Reads a sitemap (urlset, sitemapindex, one URL a line) or a feed (RSS, RDF, Atom, JSON Feed),
 * gzipped or not. `url` is the base of relative URLs. Never rejects because of the content:
 * readable parts are read, the rest is a warning.
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
 * Reads like `parseSitemap`, and yields the entries after each piece of the file, so that only one piece of it is in
 * memory as text or as entries. Other work runs between two pieces. `isCut`: the file continues after the bytes.
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
  let head = '';
  const begin = (): void => {
    const text = withoutPreamble(head, collector.warn);
    reader = readerFor(text, collector.sink);
    reader.write(text);
  };
  for await (const piece of decodeSitemap(bytes, limits.bytes, events)) {
    if (reader === undefined) {
      head = (head + piece).replace(leadingMarks, '');
      if (!isDecided(head)) continue;
      begin();
    } else reader.write(piece);
    yield collector.take();
    if (reader?.isReading === false) break;
  }
  if (reader === undefined && head !== '') begin();
  for (const warning of reader?.end(isCut) ?? ['The sitemap is empty.']) collector.warn(warning);
  collector.finish();
  const isAbsent = reader?.isAbsent ?? !isCut;
  yield isAbsent ? { ...collector.take(), isAbsent } : collector.take();
}

/** White space and byte order marks, also a mark that was encoded once more. */
const leadingMarks = /^(?:\s|\u00ef\u00bb\u00bf)+/;

/** True when the kind is known by the beginning, or will not become known. */
function isDecided(head: string): boolean {
  return head.length > limits.longestUndecided || sitemapStart(head) >= 0 || isJson.test(head);
}

const isJson = /^(?:\{\s*"|\[\s*[{\]])/;

/** The text from the XML on: programs print warnings before it. */
function withoutPreamble(head: string, warn: (sentence: string) => void): string {
  const start = sitemapStart(head);
  if (start <= 0 || /^<[!?]/.test(head) || isWebPage.test(head) || isJson.test(head)) return head;
  const line = JSON.stringify(plainText(head.slice(0, Math.min(start, 200))) ?? '');
  warn(`The sitemap has text before its XML, which was left out: ${line}.`);
  return head.slice(start);
}

const isWebPage = /^<(?:!doctype\s+)?html\b/i;

/** The first characters determine the kind, whatever the content type says. */
function readerFor(head: string, sink: EntrySink): SitemapReader {
  if (isWebPage.test(head)) return new WebPageReader();
  if (head.startsWith('<')) return new XmlSitemapReader(sink);
  return isJson.test(head) ? new JsonFeedReader(sink) : new TextSitemapReader(sink);
}

/** Many servers answer with a web page for a missing file. */
class WebPageReader implements SitemapReader {
  isReading = false;
  isAbsent = true;
  write(): void {}
  end(): string[] {
    return ['The file is a web page, not a sitemap.'];
  }
}

/** Resolves entries and sorts them into the result. */
class Collector {
  #content: SitemapContent = { urls: [], sitemaps: [], warnings: [] };
  readonly #base: string;
  #entries = 0;
  #invalid = 0;
  #firstInvalid = '';

  constructor(base: string) {
    // Relative locations are invalid anyway; with a long base each would be as long.
    this.#base = base.length > 2_048 ? 'about:blank' : base;
  }

  /** The content collected since the last call. */
  take(): SitemapContent {
    const content = this.#content;
    this.#content = { urls: [], sitemaps: [], warnings: [] };
    return content;
  }

  readonly warn = (sentence: string): void => {
    this.#content.warnings.push(sentence);
  };

  readonly sink: EntrySink = (link, facts, kind) => {
    if (this.#entries >= (kind === 'url' ? limits.entries : limits.usualEntries)) return false;
    this.#entries++;
    const url = this.#resolve(link);
    if (url === undefined) return true;
    // Some generators list child sitemaps as pages.
    const isSitemap = kind === 'sitemap' || isSitemapFile(url);
    this.#content[isSitemap ? 'sitemaps' : 'urls'].push({ url, ...facts });
    return true;
  };

  finish(): void {
    if (this.#invalid > 0) {
      const first = JSON.stringify(this.#firstInvalid.slice(0, 200));
      this.warn(
        `${this.#invalid} of the sitemap's entries are not web URLs; the first is ${first}.`,
      );
    }
    if (this.#entries > limits.usualEntries) {
      this.warn(
        `The sitemap has ${this.#entries} entries; the protocol allows ${limits.usualEntries}.`,
      );
    }
  }

  #resolve(link: string): string | undefined {
    // Some generators escape twice. A URL broken by damage contains a control character.
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
