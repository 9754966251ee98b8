/** Decodes the bytes of a sitemap to text, piece by piece: gzip by its magic bytes, then the charset. */
import { setImmediate } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

const limits = {
  declaration: 8_192, // bytes at the start in which the encoding is declared
  pieceLength: 64 * 1024, // bytes of a sitemap, parsed in a few milliseconds
  members: 20, // searched behind a damaged one
  overrun: 1024, // bytes unpacked beyond the end of a cut member, before they are garbage
  stepLength: 1024, // bytes unpacked at once
};

/** Events of decoding besides the text. */
interface DecodingEvents {
  warn(sentence: string): void;
  /** The text is incomplete, for the reason in a warning. */
  cut(): void;
}

/**
 * Decodes up to `limit` bytes; data beyond it, or damaged, is left out with a warning. Other work
 * runs between two pieces, and only one is held at a time.
 */
export async function* decodeSitemap(
  bytes: Uint8Array,
  limit: number,
  { warn, cut }: DecodingEvents,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  let room = limit;
  // Both layers may fail, in either order: that is one warning.
  let isDamaged = false;
  const onDamage = (): void => {
    if (!isDamaged) warn('The gzip data is damaged; what could be unpacked was read.');
    isDamaged = true;
    cut();
  };
  let hasStrayBytes = false;
  // Twice: a .gz file that the server compressed again for the transfer.
  for await (const piece of unzip(bytes, limit, onDamage, 2)) {
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

async function* slicesOf(bytes: Uint8Array): BytePieces {
  for (let start = 0; start < bytes.length; start += limits.pieceLength) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + limits.pieceLength);
  }
}

async function* unzip(
  bytes: Uint8Array,
  limit: number,
  onDamage: () => void,
  layers: number,
): BytePieces {
  if (layers === 0 || bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    yield* slicesOf(bytes);
    return;
  }
  const inner: Uint8Array[] = [];
  let length = 0;
  for await (const piece of inflate(bytes, onDamage)) {
    const isGzip = inner.length > 0 || (length === 0 && piece[0] === 0x1f && piece[1] === 0x8b);
    length += piece.length;
    if (isGzip) inner.push(piece);
    else yield piece;
    if (isGzip && length > limit) break;
  }
  if (inner.length > 0) yield* unzip(Buffer.concat(inner), limit, onDamage, layers - 1);
}

/** Separates members: no URL and no line spans it. */
const gap = Buffer.from('\0\n');

/** Unpacks all readable data: up to the damage, and from the next member of the file on. */
async function* inflate(bytes: Uint8Array, onDamage: () => void): BytePieces {
  let start = 0;
  for (let members = 0; members < limits.members; members += 1) {
    const end = yield* inflateMembers(bytes.subarray(start));
    if (end === undefined) return;
    onDamage();
    start = nextMember(bytes, start + Math.max(1, end - limits.overrun));
    if (start < 0) return;
    yield gap;
  }
}

/** The next gzip header (RFC 1952, 2.3) with known flags and system; -1 without one. */
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

/** Unpacks from a member on; returns how many bytes it could read if they are damaged. */
async function* inflateMembers(
  bytes: Uint8Array,
): AsyncGenerator<Uint8Array, number | undefined, undefined> {
  let given = 0;
  using inflation = new Inflation();
  for (let at = 0; at < bytes.length; at += limits.stepLength) {
    const isGood = await inflation.push(bytes.subarray(at, at + limits.stepLength));
    const piece = inflation.take();
    given += piece.length;
    if (piece.length > 0) yield piece;
    if (isGood) continue;
    // The output of the step before the damage is lost with it: byte by byte it is not.
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
  readonly #gunzip = createGunzip({ chunkSize: limits.pieceLength });
  #output: Buffer[] = [];
  #hasFailed = false;
  /** Also set before all is written: data after the last member is ignored. */
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

  /** False when these bytes, or earlier ones, are invalid. */
  async push(bytes: Uint8Array): Promise<boolean> {
    return this.#run((done) => this.#gunzip.write(bytes, done));
  }

  /** False when data is missing. */
  async end(): Promise<boolean> {
    return this.#run(() => this.#gunzip.end());
  }

  /** The output since the last call. */
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
    // The output is delivered in the next turn.
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
  const head = Buffer.from(bytes.subarray(0, limits.declaration)).toString('latin1');
  const declared = /<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? 'utf-8';
  // The declaration was readable byte by byte, so it is not UTF-16, whatever it declares.
  if (/^utf-?16/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return 'utf-8';
  }
}
