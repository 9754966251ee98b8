/** Parses one sitemap file of any kind: its bytes to text (gzip, charset) and to entries, as a stream. */
import { setImmediate } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import {
  type EntrySink,
  JsonFeedReader,
  plainText,
  type RawEntry,
  readDate,
  type SitemapContent,
  type SitemapReader,
  type SitemapUrl,
  TextSitemapReader,
  XmlSitemapReader,
} from './sitemap-readers.ts';

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

// The bytes of a sitemap to text, piece by piece: gzip by its magic bytes, then the charset.

/** What decoding tells beside the text. */
interface DecodingEvents {
  warn(sentence: string): void;
  /** The text ends before its end, for the reason that a warning tells. */
  cut(): void;
}

/**
 * Decodes up to `limit` bytes; what is beyond it, or damaged, is left out with a warning. Other work
 * of the process goes on between two pieces, and no more than one is held at a time.
 */
async function* decodeSitemap(
  bytes: Uint8Array,
  limit: number,
  { warn, cut }: DecodingEvents,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  let room = limit;
  // Of two layers both may fail, in either order: that is one thing to tell.
  let isDamaged = false;
  const tellDamage = (): void => {
    if (!isDamaged) warn('The gzip data is damaged; what could be unpacked was read.');
    isDamaged = true;
    cut();
  };
  let hasStrayBytes = false;
  // Twice: a .gz file that the server compressed again for the transfer.
  for await (const piece of unzip(bytes, limit, tellDamage, 2)) {
    decoder ??= new TextDecoder(charsetOf(piece));
    const text = decoder.decode(piece.subarray(0, room), { stream: true });
    if (!hasStrayBytes && text.includes('\ufffd')) {
      hasStrayBytes = true;
      warn(`The sitemap has bytes that are not ${decoder.encoding}.`);
    }
    yield text;
    room -= piece.length;
    if (room < 0) {
      warn(`The sitemap is larger than ${limit} bytes; the rest was not read.`);
      cut();
      break;
    }
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

type BytePieces = AsyncGenerator<Uint8Array, void, undefined>;

/** Reading as many bytes of a sitemap takes a few milliseconds. */
const pieceLength = 64 * 1024;

async function* slicesOf(bytes: Uint8Array): BytePieces {
  for (let start = 0; start < bytes.length; start += pieceLength) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + pieceLength);
  }
}

async function* unzip(
  bytes: Uint8Array,
  limit: number,
  tellDamage: () => void,
  layers: number,
): BytePieces {
  if (layers === 0 || bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    yield* slicesOf(bytes);
    return;
  }
  const inner: Uint8Array[] = [];
  let length = 0;
  for await (const piece of inflate(bytes, tellDamage)) {
    const isGzip = inner.length > 0 || (length === 0 && piece[0] === 0x1f && piece[1] === 0x8b);
    length += piece.length;
    if (isGzip) inner.push(piece);
    else yield piece;
    if (isGzip && length > limit) break;
  }
  if (inner.length > 0) yield* unzip(Buffer.concat(inner), limit, tellDamage, layers - 1);
}

/** Members behind a damaged one that are looked for. */
const mostMembers = 20;

/** Bytes that may be unpacked beyond the end of a member that is cut, before they make no sense. */
const overrun = 1024;

/** No URL goes over it, nor does a line. */
const gap = Buffer.from('\0\n');

/** Unpacks what can be unpacked: up to a damage, and from the next member of the file on. */
async function* inflate(bytes: Uint8Array, tellDamage: () => void): BytePieces {
  let start = 0;
  for (let members = 0; members < mostMembers; members += 1) {
    const end = yield* inflateMembers(bytes.subarray(start));
    if (end === undefined) return;
    tellDamage();
    start = nextMember(bytes, start + Math.max(1, end - overrun));
    if (start < 0) return;
    yield gap;
  }
}

/** Where a header of gzip stands (RFC 1952, 2.3), its flags and its system being known ones; -1 without one. */
function nextMember(bytes: Uint8Array, from: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = Buffer.from([0x1f, 0x8b, 0x08]);
  for (let at = buffer.indexOf(magic, from); at >= 0; at = buffer.indexOf(magic, at + 1)) {
    const [flags = 255, , , , , extra = 255, system = 254] = buffer.subarray(at + 3, at + 10);
    const isExtraKnown = extra === 0 || extra === 2 || extra === 4;
    if (flags < 32 && isExtraKnown && (system < 14 || system === 255)) return at;
  }
  return -1;
}

/** Bytes that are unpacked at once. */
const stepLength = 1024;

/** Unpacks from a member on; returns how many bytes it could read where they are damaged. */
async function* inflateMembers(
  bytes: Uint8Array,
): AsyncGenerator<Uint8Array, number | undefined, undefined> {
  let given = 0;
  using inflation = new Inflation();
  for (let at = 0; at < bytes.length; at += stepLength) {
    const isGood = await inflation.push(bytes.subarray(at, at + stepLength));
    const piece = inflation.take();
    given += piece.length;
    if (piece.length > 0) yield piece;
    if (isGood) continue;
    // What the step brought before the damage is lost with it: byte by byte it is not.
    using again = new Inflation();
    await again.push(bytes.subarray(0, at));
    while (at < bytes.length && (await again.push(bytes.subarray(at, at + 1)))) at += 1;
    const rest = again.take().subarray(given);
    if (rest.length > 0) yield rest;
    return at;
  }
  return (await inflation.end()) ? undefined : bytes.length;
}

/** One run of zlib. */
class Inflation implements Disposable {
  readonly #gunzip = createGunzip({ chunkSize: pieceLength });
  #output: Buffer[] = [];
  #hasFailed = false;
  /** Also before all was written: what follows the last member is not looked at. */
  #isOver = false;
  #settle: () => void = () => undefined;

  constructor() {
    this.#gunzip.on('data', (piece: Buffer) => this.#output.push(piece));
    this.#gunzip.on('end', () => this.#finish());
    this.#gunzip.on('error', () => {
      this.#hasFailed = true;
      this.#finish();
    });
  }

  /** False when the bytes make no sense, or those before. */
  async push(bytes: Uint8Array): Promise<boolean> {
    return this.#run((done) => this.#gunzip.write(bytes, done));
  }

  /** False when there should be more. */
  async end(): Promise<boolean> {
    return this.#run(() => this.#gunzip.end());
  }

  /** What came out since the last time. */
  take(): Buffer {
    const output = this.#output;
    this.#output = [];
    return Buffer.concat(output);
  }

  [Symbol.dispose](): void {
    this.#gunzip.destroy();
  }

  async #run(work: (done: () => void) => void): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      if (this.#isOver) resolve();
      else work(() => resolve());
    });
    // What came out is handed over in the next turn.
    await setImmediate();
    return !this.#hasFailed;
  }

  #finish(): void {
    this.#isOver = true;
    this.#settle();
  }
}

/** Byte order mark, else zero bytes of UTF-16, else the XML declaration, else UTF-8. */
function charsetOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? 'utf-8';
  // The declaration was readable byte by byte, so it is not UTF-16, whatever it says.
  if (/^utf-?16/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return 'utf-8';
  }
}
