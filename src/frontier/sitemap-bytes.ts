/** The bytes of a sitemap to text, piece by piece: gzip by its magic bytes, then the charset. */
import { Readable, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

/**
 * Decodes up to `limit` bytes; what is beyond it, or damaged, is left out with a warning. Other work
 * of the process goes on between two pieces, and no more than one is held at a time.
 */
export async function* decodeSitemap(
  bytes: Uint8Array,
  limit: number,
  warn: (sentence: string) => void,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  let room = limit;
  // Of two layers both may fail, in either order: that is one thing to tell.
  let isDamaged = false;
  const tellDamage = (): void => {
    if (!isDamaged) warn('The gzip data is damaged; read up to there.');
    isDamaged = true;
  };
  // Twice: a .gz file that the server compressed again for the transfer.
  for await (const piece of unzip(slicesOf(bytes), tellDamage, 2)) {
    decoder ??= new TextDecoder(charsetOf(piece));
    yield decoder.decode(piece.subarray(0, room), { stream: true });
    room -= piece.length;
    if (room < 0) {
      warn(`The sitemap is larger than ${limit} bytes; the rest was not read.`);
      break;
    }
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/** Reading as many bytes of a sitemap takes a few milliseconds. */
const pieceLength = 64 * 1024;

async function* slicesOf(bytes: Uint8Array): Pieces {
  for (let start = 0; start < bytes.length; start += pieceLength) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + pieceLength);
  }
}

async function* unzip(pieces: Pieces, tellDamage: () => void, layers: number): Pieces {
  const { value: first } = await pieces.next();
  const all = first === undefined ? pieces : startingWith(first, pieces);
  const isGzip = first?.[0] === 0x1f && first[1] === 0x8b;
  yield* isGzip && layers > 0 ? unzip(inflate(all, tellDamage), tellDamage, layers - 1) : all;
}

async function* startingWith(first: Uint8Array, rest: Pieces): Pieces {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* inflate(pieces: Pieces, tellDamage: () => void): Pieces {
  const gunzip = createGunzip({ chunkSize: pieceLength });
  // Whatever fails ends the loop below; leaving the loop ends the inflation.
  pipeline(Readable.from(pieces), gunzip, () => undefined);
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch {
    tellDamage();
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
