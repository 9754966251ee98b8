/** Sitemaps and feeds in XML, read as a stream: urlset, sitemapindex, RSS, RDF and Atom. */
import type { EntrySink, SitemapReader } from './sitemap-content.ts';
import { xmlAttribute, XmlScanner } from './xml-scanner.ts';

/** No sitemap nests as deep. */
const depthLimit = 64;
const errorLimit = 100_000;
const valueLimit = 8_192;

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

/** Ends the scanner from within an event. */
class Stop extends Error {}

function untilStopped(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
}

/**
 * Hands every entry to its sink. A syntax error costs its own entry at most: those before and after it are
 * read. Entities of a document type are not expanded, and nothing is fetched for one.
 */
export class XmlSitemapReader implements SitemapReader {
  isReading = true;
  readonly #sink: EntrySink;
  readonly #scanner: XmlScanner;
  readonly #warnings: string[] = [];
  #errors = 0;
  #firstError = '';
  #isTooDeep = false;
  #hasRoot = false;
  #prefix = '';
  #dialect: Dialect | undefined;
  /** Names of the elements that are open. */
  readonly #open: string[] = [];
  /** The open item's values, and how many elements are open around it. */
  #item: Partial<Record<Field, string>> | undefined;
  #itemDepth = 0;
  #field: Field | undefined;

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

  /** Closes what is open, and returns the warnings. */
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
        `The XML has ${what}: ${this.#firstError}. The entries around were read.`,
      );
    }
    return this.#warnings;
  }

  #openElement(name: string, attributes: string): void {
    if (!this.#hasRoot) this.#openRoot(name);
    else if (this.#open.length === 0) this.#broken('an element behind the root element');
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
    if (this.#open.length >= depthLimit) {
      this.#isTooDeep = true;
      this.#flushCut();
      this.#open.length = 1;
    }
    this.#open.push(name);
    if (this.#item === undefined || local === item) return;
    const path = this.#open.slice(this.#itemDepth + 1).map((open) => this.#localName(open));
    const field = fields?.[path.join('/')];
    // The first of two counts.
    this.#field = field !== undefined && this.#item[field] === undefined ? field : undefined;
    if (item === 'entry' && path.join('/') === 'link') this.#readAtomLink(attributes);
    if (local === 'guid' && xmlAttribute(attributes, 'isPermaLink') === 'false') {
      this.#field = undefined;
    }
  }

  #openRoot(name: string): void {
    this.#hasRoot = true;
    this.#prefix = name.slice(0, name.indexOf(':') + 1);
    this.#dialect = dialects.get(this.#localName(name));
    if (this.#dialect === undefined) this.#stop('is no sitemap and no feed');
  }

  #readAtomLink(attributes: string): void {
    const href = xmlAttribute(attributes, 'href');
    const rel = xmlAttribute(attributes, 'rel') ?? 'alternate';
    if (this.#item !== undefined && rel === 'alternate' && href) this.#item.link ??= href;
  }

  #text(text: string): void {
    if (this.#item === undefined || this.#field === undefined) return;
    const value = this.#item[this.#field] ?? '';
    if (value.length < valueLimit) this.#item[this.#field] = value + text.slice(0, valueLimit);
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

  /** Ends an item whose own end is not there. */
  #flushCut(): void {
    // A value that is still open was cut: half a URL is another URL.
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
    const { title, description } = item;
    const entry = { link, date: item.date ?? item.otherDate, title, description };
    if (!this.#sink(entry, dialect.kind)) this.#stop('has too many entries; the rest was not read');
  }

  #localName(name: string): string {
    return this.#prefix !== '' && name.startsWith(this.#prefix)
      ? name.slice(this.#prefix.length)
      : name;
  }

  #broken(what: string): void {
    if (this.#errors === 0) this.#firstError = what;
    if (++this.#errors > errorLimit) this.#stop('has too many syntax errors');
  }

  #stop(reason: string): never {
    this.isReading = false;
    this.#warnings.push(`The XML ${reason}.`);
    throw new Stop();
  }
}
