/** Sitemaps and feeds in XML, read as a stream: urlset, sitemapindex, RSS, RDF and Atom. */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { EntrySink, SitemapReader } from './sitemap-content.ts';

/** No sitemap nests as deep; the parser's memory grows with every open element. */
const depthLimit = 64;
const attributeLimit = 256;
const errorLimit = 100_000;
const valueLimit = 8_192;
/** Characters of one text, comment, CDATA section or document type: the parser holds them until it ends. */
const runLimit = 2_000_000;

type Field = 'link' | 'date' | 'otherDate' | 'title' | 'description' | 'id';

/** Where a kind of document has its entries. Names are lower-case, without the root's prefix. */
interface Dialect {
  readonly item: string;
  readonly kind: 'url' | 'sitemap';
  /** By the path below the item. */
  readonly fields: Readonly<Record<string, Field>>;
}

const feedFields: Dialect['fields'] = {
  link: 'link',
  title: 'title',
  description: 'description',
  guid: 'id',
  pubdate: 'date',
  'dc:date': 'date',
};

const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  [
    'urlset',
    {
      item: 'url',
      kind: 'url',
      fields: { loc: 'link', lastmod: 'date', 'news:news/news:title': 'title' },
    },
  ],
  ['sitemapindex', { item: 'sitemap', kind: 'sitemap', fields: { loc: 'link', lastmod: 'date' } }],
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
        updated: 'date',
        published: 'otherDate',
      },
    },
  ],
]);

const noSitemap = 'The XML is no sitemap and no feed.';

/** Ends the parser from within a callback. */
class Stop extends Error {}

function untilStopped(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
}

/**
 * Hands every entry to its sink. A syntax error does not end the reading: the most common one is a
 * bare `&` in a URL. Entities of a document type are not expanded, and nothing is fetched for one.
 */
export class XmlSitemapReader implements SitemapReader {
  isReading = true;
  readonly #sink: EntrySink;
  readonly #parser = new SaxesParser();
  readonly #warnings: string[] = [];
  #errors = 0;
  #firstError = '';
  #depth = 0;
  #attributes = 0;
  /** Characters since the parser last had something to tell. */
  #run = 0;
  #hasRoot = false;
  #prefix = '';
  #dialect: Dialect | undefined;
  /** The open item's values, and the names of the elements open within it. */
  #item: Partial<Record<Field, string>> | undefined;
  #itemDepth = 0;
  #path: string[] = [];
  #field: Field | undefined;

  constructor(sink: EntrySink) {
    this.#sink = sink;
    const progress = (): void => void (this.#run = 0);
    this.#parser.on('comment', progress);
    this.#parser.on('processinginstruction', progress);
    this.#parser.on('opentagstart', () => (this.#attributes = 0));
    this.#parser.on('attribute', () => {
      progress();
      if (++this.#attributes > attributeLimit)
        this.#stop('has an element with too many attributes');
    });
    this.#parser.on('opentag', (tag) => this.#open(tag));
    this.#parser.on('text', (text) => this.#text(text));
    this.#parser.on('cdata', (text) => this.#text(text));
    this.#parser.on('closetag', () => this.#close());
    this.#parser.on('error', (error) => {
      if (this.#errors === 0) this.#firstError = error.message.slice(0, 200);
      if (++this.#errors > errorLimit) this.#stop('has too many syntax errors');
    });
  }

  write(slice: string): void {
    untilStopped(() => {
      this.#run += slice.length;
      if (this.#run > runLimit) this.#stop('has a part that does not end');
      this.#parser.write(slice);
    });
  }

  /** Closes what is open, and returns the warnings. */
  end(): string[] {
    // A value that is still open was cut: half a URL is another URL.
    if (this.#item !== undefined && this.#field !== undefined) delete this.#item[this.#field];
    this.#field = undefined;
    if (this.isReading) untilStopped(() => this.#parser.close());
    // The file may end in the middle of an entry whose URL was complete.
    untilStopped(() => this.#flush());
    if (this.#dialect === undefined && this.#warnings.length === 0) this.#warnings.push(noSitemap);
    if (this.#errors > 0) {
      const count =
        this.#errors === 1 ? 'a syntax error' : `${this.#errors} syntax errors, the first`;
      this.#warnings.push(`The XML has ${count} at ${this.#firstError}`);
    }
    return this.#warnings;
  }

  #open(tag: SaxesTagPlain): void {
    this.#run = 0;
    if (++this.#depth > depthLimit) this.#stop('nests its elements too deep');
    // A stray end tag makes the parser close all that is open: the root is the first element only.
    if (!this.#hasRoot) {
      this.#openRoot(tag.name);
      return;
    }
    const dialect = this.#dialect;
    if (dialect === undefined) return;
    const name = this.#localName(tag.name);
    if (name === dialect.item) {
      // An item inside an item: the end tag of the first is missing.
      this.#flush();
      this.#item = {};
      this.#itemDepth = this.#depth;
      this.#path = [];
      return;
    }
    if (this.#item === undefined) return;
    this.#path.push(name);
    const field = dialect.fields[this.#path.join('/')];
    // The first of two counts.
    this.#field = field !== undefined && this.#item[field] === undefined ? field : undefined;
    if (dialect.item === 'entry') this.#readAtomLink(name, tag.attributes);
    if (name === 'guid' && tag.attributes['isPermaLink'] === 'false') this.#field = undefined;
  }

  #openRoot(tagName: string): void {
    this.#hasRoot = true;
    const colon = tagName.indexOf(':');
    this.#prefix = tagName.slice(0, colon + 1).toLowerCase();
    this.#dialect = dialects.get(this.#localName(tagName));
    if (this.#dialect === undefined) this.#stop('is no sitemap and no feed');
  }

  #readAtomLink(name: string, attributes: Readonly<Record<string, string>>): void {
    const { href, rel = 'alternate' } = attributes;
    if (name !== 'link' || this.#path.length > 1 || rel !== 'alternate' || !href) return;
    if (this.#item !== undefined) this.#item.link ??= href;
  }

  #text(text: string): void {
    this.#run = 0;
    if (this.#item === undefined || this.#field === undefined) return;
    const value = this.#item[this.#field] ?? '';
    if (value.length < valueLimit) this.#item[this.#field] = value + text.slice(0, valueLimit);
  }

  #close(): void {
    this.#run = 0;
    if (this.#item !== undefined) {
      if (this.#depth === this.#itemDepth) this.#flush();
      else {
        this.#path.pop();
        this.#field = undefined;
      }
    }
    this.#depth--;
  }

  #flush(): void {
    const item = this.#item;
    const dialect = this.#dialect;
    this.#item = undefined;
    this.#field = undefined;
    if (item === undefined || dialect === undefined) return;
    const link = item.link?.trim() || item.id?.trim();
    if (!link) return;
    const { title, description } = item;
    const entry = { link, date: item.date ?? item.otherDate, title, description };
    if (!this.#sink(entry, dialect.kind)) this.#stop('has too many entries; the rest was not read');
  }

  #localName(tagName: string): string {
    const name = tagName.toLowerCase();
    return this.#prefix !== '' && name.startsWith(this.#prefix)
      ? name.slice(this.#prefix.length)
      : name;
  }

  #stop(reason: string): never {
    this.isReading = false;
    this.#warnings.push(`The XML ${reason}.`);
    throw new Stop();
  }
}
