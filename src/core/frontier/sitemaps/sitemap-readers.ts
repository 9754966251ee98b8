/** Readers of sitemap and feed formats: XML (urlset, sitemapindex, RSS, RDF, Atom), text and JSON Feed. */
import { xmlAttribute, XmlScanner } from '../../../content/html/xml-scanner.ts';
import { memberOf } from '../../runtime/json.ts';
import { readPartialJson } from '../../../content/text/partial-json.ts';
import { readDate } from './sitemap-date.ts';

const limits = {
  depth: 64, // deeper than any real sitemap
  errors: 100_000,
  valueLength: 8_192,
  lineLength: 8_192, // characters; longer lines are not URLs that a server would accept
  jsonLength: 2_000_000, // characters; parsing more JSON in one go would block the event loop
  items: 5_000,
  descriptionLength: 300, // characters: some feeds put the whole text there
};

/** What sitemaps, feeds and links tell about a page. */
export interface LinkFacts {
  /**
   * The page's title or, if the page was not read, the title from a feed or a sitemap, or a link
   * text.
   */
  title?: string;
  /** The page's own, or the beginning of the summary in a feed, in one line. */
  description?: string;
  /** When the page changed, according to the sitemap: a W3C date or an ISO time. */
  lastmod?: string;
  /** When the article was published, according to a news sitemap: a W3C date or an ISO time. */
  publicationDate?: string;
}

/** The facts as written. */
export type FactTexts = Readonly<Partial<Record<keyof LinkFacts, string | undefined>>>;

/** How each of them is read; text that cannot be read is left out. `dialects` has their elements. */
const factReaders: Record<keyof LinkFacts, typeof plainText> = {
  // Feeds may have markup in texts, escaped twice.
  title: plainText,
  description: (text) => plainText(text)?.slice(0, limits.descriptionLength),
  lastmod: readDate,
  publicationDate: readDate,
};

export const factNames = Object.keys(factReaders) as readonly (keyof LinkFacts)[];

/** A page that a sitemap or feed lists. */
export interface SitemapUrl extends LinkFacts {
  /** Absolute and normalised. */
  url: string;
}

/** One parsed sitemap file. */
export interface SitemapContent {
  /** In the order of the file, with duplicates. */
  readonly urls: SitemapUrl[];
  readonly sitemaps: SitemapUrl[];
  /** Problems of a file that was read in part. */
  readonly warnings: string[];
  /** True for a file that stands for a missing one: empty, a web page, other text or JSON. */
  readonly isAbsent?: boolean;
}

/** Receives entries as they are read, their links as written; false stops the reader. */
export type EntrySink = (link: string, facts: LinkFacts, kind: 'url' | 'sitemap') => boolean;

/** Reads one kind of sitemap piece by piece, and passes its entries to a sink. */
export interface SitemapReader {
  /** False when the rest need not be read. */
  readonly isReading: boolean;
  /** After the end: true for a file that stands for a missing one. */
  readonly isAbsent: boolean;
  write(text: string): void;
  /** Ends the reading; returns warnings. `isCut`: the text ended early. */
  end(isCut: boolean): string[];
}

// Sitemaps and feeds in XML, read as a stream: urlset, sitemapindex, RSS, RDF and Atom.

type EntryField = 'link' | 'id' | 'otherDate' | keyof LinkFacts;

/**
 * The location of entries in a kind of document. Names are lower-case, without the root's prefix.
 */
interface SitemapDialect {
  readonly item: string;
  readonly kind: 'url' | 'sitemap';
  /** By the path below the item. */
  readonly fields: Readonly<Record<string, EntryField>>;
}

const feedFields: SitemapDialect['fields'] = {
  link: 'link',
  title: 'title',
  description: 'description',
  guid: 'id',
  pubdate: 'lastmod',
  'dc:date': 'lastmod',
};

const dialects: ReadonlyMap<string, SitemapDialect> = new Map<string, SitemapDialect>([
  [
    'urlset',
    {
      item: 'url',
      kind: 'url',
      fields: {
        loc: 'link',
        lastmod: 'lastmod',
        'news:news/news:title': 'title',
        'news:news/news:publication_date': 'publicationDate',
      },
    },
  ],
  [
    'sitemapindex',
    { item: 'sitemap', kind: 'sitemap', fields: { loc: 'link', lastmod: 'lastmod' } },
  ],
  ['rss', { item: 'item', kind: 'url', fields: feedFields }],
  ['rdf', { item: 'item', kind: 'url', fields: feedFields }],
  [
    'feed',
    {
      item: 'entry',
      kind: 'url',
      fields: {
        title: 'title',
        summary: 'description',
        updated: 'lastmod',
        published: 'otherDate',
      },
    },
  ],
]);

/** The declaration of the namespace of news, with its prefix. */
const newsNamespace = /\bxmlns:([\w.-]+)\s*=\s*["'][^"']*\/schemas\/sitemap-news\//g;

const noSitemap = 'The XML is neither a sitemap nor a feed.';

/** Stops the scanner from within an event. */
class StopReading extends Error {}

function untilStopped(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StopReading)) throw error;
  }
}

/**
 * Passes every entry to its sink. A syntax error costs its own entry at most: entries before and
 * after it are read. Entities of a document type are not expanded, and nothing is fetched for them.
 */
export class XmlSitemapReader implements SitemapReader {
  isReading = true;
  isAbsent = false;
  readonly #sink: EntrySink;
  readonly #scanner: XmlScanner;
  readonly #warnings: string[] = [];
  #errors = 0;
  #firstError = '';
  #isTooDeep = false;
  #hasRoot = false;
  /** By prefix of the document, the prefix in `dialects`: none for the prefix of the root. */
  readonly #prefixes = new Map<string, string>();
  #dialect: SitemapDialect | undefined;
  /** Names of the open elements. */
  readonly #open: string[] = [];
  /** The open item's values, and the number of open elements around it. */
  #item: Partial<Record<EntryField, string>> | undefined;
  #itemDepth = 0;
  #field: EntryField | undefined;

  constructor(sink: EntrySink) {
    this.#sink = sink;
    this.#scanner = new XmlScanner({
      open: (name, attributes, isEmpty) => {
        this.#openElement(name.toLowerCase(), attributes);
        if (isEmpty) this.#closeElement(name.toLowerCase());
      },
      close: (name) => this.#closeElement(name.toLowerCase()),
      text: (text) => this.#text(text),
      broken: (what, at) => this.#broken(`${what}, at character ${at}`),
    });
  }

  write(text: string): void {
    untilStopped(() => this.#scanner.write(text));
  }

  /** Closes all open elements, and returns the warnings. */
  end(isCut: boolean): string[] {
    if (this.isReading) {
      untilStopped(() => {
        this.#scanner.end();
        if (this.#open.length > 0 && !isCut)
          this.#broken('the end before that of the root element');
      });
    }
    // The file may end in the middle of an entry whose URL was complete.
    untilStopped(() => this.#flushCut());
    if (this.#dialect === undefined && this.#warnings.length === 0) this.#warnings.push(noSitemap);
    if (this.#isTooDeep) this.#warnings.push('The XML nests its elements too deep.');
    if (this.#errors > 0) {
      const what =
        this.#errors === 1 ? 'a syntax error' : `${this.#errors} syntax errors, the first one`;
      this.#warnings.push(
        `The XML has ${what}: ${this.#firstError}. The entries around it were read.`,
      );
    }
    return this.#warnings;
  }

  #openElement(name: string, attributes: string): void {
    if (!this.#hasRoot) this.#openRoot(name);
    else if (this.#open.length === 0) this.#broken('an element after the root element');
    for (const [, prefix = ''] of attributes.matchAll(newsNamespace)) {
      this.#prefixes.set(`${prefix.toLowerCase()}:`, 'news:');
    }
    const local = this.#localName(name);
    const { item, fields } = this.#dialect ?? {};
    if (local === item) {
      if (this.#item !== undefined) {
        this.#broken(`an element <${name.slice(0, 40)}> without its end`);
        this.#open.length = this.#itemDepth;
        this.#flushCut();
      }
      this.#item = {};
      this.#itemDepth = this.#open.length;
    }
    if (this.#open.length >= limits.depth) {
      this.#isTooDeep = true;
      this.#flushCut();
      this.#open.length = 1;
    }
    this.#open.push(name);
    if (this.#item === undefined || local === item) return;
    const path = this.#open.slice(this.#itemDepth + 1).map((open) => this.#localName(open));
    const field = fields?.[path.join('/')];
    // Of two values the first counts.
    this.#field = field !== undefined && this.#item[field] === undefined ? field : undefined;
    if (item === 'entry' && path.join('/') === 'link') this.#readAtomLink(attributes);
    if (local === 'guid' && xmlAttribute(attributes, 'isPermaLink') === 'false') {
      this.#field = undefined;
    }
  }

  #openRoot(name: string): void {
    this.#hasRoot = true;
    this.#prefixes.set(name.slice(0, name.indexOf(':') + 1), '');
    this.#dialect = dialects.get(this.#localName(name));
    this.isAbsent = this.#localName(name) === 'html';
    if (this.#dialect === undefined) this.#stop('is neither a sitemap nor a feed');
  }

  #readAtomLink(attributes: string): void {
    const href = xmlAttribute(attributes, 'href');
    const rel = xmlAttribute(attributes, 'rel') ?? 'alternate';
    if (this.#item !== undefined && rel === 'alternate' && href) this.#item.link ??= href;
  }

  #text(text: string): void {
    if (this.#item === undefined || this.#field === undefined) return;
    const value = this.#item[this.#field] ?? '';
    if (value.length < limits.valueLength)
      this.#item[this.#field] = value + text.slice(0, limits.valueLength);
  }

  #closeElement(name: string): void {
    const index = this.#open.lastIndexOf(name);
    if (index < 0) {
      this.#broken(`an end tag </${name.slice(0, 40)}> without its start`);
      return;
    }
    if (index < this.#open.length - 1) {
      this.#broken(`an element <${this.#open.at(-1)?.slice(0, 40) ?? ''}> without its end`);
    }
    this.#open.length = index;
    this.#field = undefined;
    if (index <= this.#itemDepth) this.#flush();
  }

  /** Ends an item whose end tag is missing. */
  #flushCut(): void {
    // An unfinished value was cut: half a URL is another URL.
    if (this.#item !== undefined && this.#field !== undefined) delete this.#item[this.#field];
    this.#flush();
  }

  #flush(): void {
    const item = this.#item;
    const dialect = this.#dialect;
    this.#item = undefined;
    this.#field = undefined;
    if (item === undefined || dialect === undefined) return;
    const link = item.link?.trim() || item.id?.trim();
    if (!link) return;
    const facts = factsOf({ ...item, lastmod: item.lastmod ?? item.otherDate });
    if (!this.#sink(link, facts, dialect.kind))
      this.#stop('has too many entries; the rest was not read');
  }

  #localName(name: string): string {
    const length = name.indexOf(':') + 1;
    const prefix = this.#prefixes.get(name.slice(0, length));
    return prefix === undefined ? name : prefix + name.slice(length);
  }

  #broken(what: string): void {
    if (this.#errors === 0) this.#firstError = what;
    if (++this.#errors > limits.errors) this.#stop('has too many syntax errors');
  }

  #stop(reason: string): never {
    this.isReading = false;
    this.#warnings.push(`The XML ${reason}.`);
    throw new StopReading();
  }
}

/** Lines that are not URLs are left out. */
export class TextSitemapReader implements SitemapReader {
  isReading = true;
  isAbsent = true;
  readonly #sink: EntrySink;
  #line = '';

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  write(text: string): void {
    // Old Mac files end lines with a carriage return alone.
    const lines = (this.#line + text).split(/[\r\n]/);
    // One character too many shows that the line is too long, however it continues.
    this.#line = lines.pop()?.slice(0, limits.lineLength + 1) ?? '';
    for (const line of lines) this.#read(line);
  }

  end(isCut: boolean): string[] {
    // Half a URL is another URL.
    if (!isCut) this.#read(this.#line);
    if (!this.isReading) return [tooMany];
    return !this.isAbsent ? [] : ['No line of the text is a URL: it is not a sitemap.'];
  }

  #read(line: string): void {
    if (!this.isReading || line.length > limits.lineLength || !/^\s*https?:\/\//i.test(line))
      return;
    this.isAbsent = false;
    this.isReading = this.#sink(line, {}, 'url');
  }
}

/** JSON Feed 1.0 and 1.1, up to 2 million characters and 5,000 items. */
export class JsonFeedReader implements SitemapReader {
  isReading = true;
  isAbsent = false;
  readonly #sink: EntrySink;
  readonly #parts: string[] = [];
  #length = 0;

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    this.isReading = this.#length <= limits.jsonLength;
  }

  end(): string[] {
    const text = this.#parts.join('');
    const warnings: string[] = [];
    let feed: unknown;
    try {
      if (this.isReading) feed = JSON.parse(text);
      else
        warnings.push(
          `The JSON is longer than ${limits.jsonLength} characters; the rest was not read.`,
        );
    } catch (error) {
      const message = (error as Error).message.slice(0, 200);
      warnings.push(`The JSON is damaged, and was read up to there: ${message}`);
    }
    feed ??= readPartialJson(text);
    const items = memberOf(feed, 'items');
    this.isAbsent = !Array.isArray(items);
    if (!Array.isArray(items)) return warnings.length > 0 ? warnings : ['The JSON is no feed.'];
    if (warnings.length > 0) items.pop();
    for (const [index, item] of items.entries()) {
      if (index === limits.items) return [...warnings, tooMany];
      const link = string(item, 'url') ?? string(item, 'external_url');
      if (link === undefined) continue;
      const lastmod = string(item, 'date_modified') ?? string(item, 'date_published');
      const [title, description] = [string(item, 'title'), string(item, 'summary')];
      const facts = factsOf({ lastmod, title, description });
      if (!this.#sink(link, facts, 'url')) return [...warnings, tooMany];
    }
    return warnings;
  }
}

const tooMany = 'The sitemap has too many entries; the rest was not read.';

function string(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function factsOf(texts: FactTexts): LinkFacts {
  const facts: LinkFacts = {};
  for (const name of factNames) {
    const value = factReaders[name](texts[name]);
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}

/** In one line, without tags; undefined if no text is left. */
export function plainText(markup: string | undefined): string | undefined {
  const text = markup
    ?.replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text;
}
