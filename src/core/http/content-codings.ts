/** Content codings that can be decoded (RFC 9110, 8.4.1; RFC 8878). */
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { startsLikeZstd, ZstdDecompressor } from './zstd.ts';

/** One coding. */
export interface ContentCoding {
  /**
   * True when encoded data may start like this; the head has four bytes unless the data is shorter.
   */
  matches(head: Buffer): boolean;
  /** True when other data never starts like that. */
  readonly certain: boolean;
  /** A decompressor for data that starts like this. */
  open(head: Buffer): Transform;
}

/** The coding for a name in a Content-Encoding header, in lower case. */
export function contentCoding(name: string): ContentCoding | undefined {
  return codings.get(name);
}

const gzip: ContentCoding = {
  matches: (head) => head[0] === 0x1f && (head[1] ?? 0x8b) === 0x8b,
  certain: true,
  open: () => zlib.createGunzip(),
};

const codings: ReadonlyMap<string, ContentCoding> = new Map<string, ContentCoding>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  [
    'deflate',
    {
      matches: () => true,
      certain: false,
      // The standard means the zlib format; some servers send raw deflate data, which never starts
      // like it.
      open: ([first = 0]) =>
        (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
    },
  ],
  ['br', { matches: () => true, certain: false, open: () => zlib.createBrotliDecompress() }],
  ['zstd', { matches: startsLikeZstd, certain: true, open: () => new ZstdDecompressor() }],
]);
