/** The content codings that can be undone (RFC 9110, 8.4.1; RFC 8878). */
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** One coding. */
export interface ContentCoding {
  /** True when encoded data may start like this. */
  matches(head: Buffer): boolean;
  /** True when other data does not start like that. */
  readonly certain: boolean;
  /** A decompressor for data that starts like this; undefined when this Node has none. */
  open(head: Buffer): Transform | undefined;
}

/** The coding of a name in a Content-Encoding header, in lower case. */
export function contentCoding(name: string): ContentCoding | undefined {
  return codings.get(name);
}

/** What to offer in Accept-Encoding. */
export const acceptEncoding: string =
  'createZstdDecompress' in zlib ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

const gzip: ContentCoding = {
  matches: (head) => head[0] === 0x1f && head[1] === 0x8b,
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
      // The standard means the zlib format; some servers send raw deflate data, which never starts so.
      open: ([first = 0]) =>
        (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
    },
  ],
  ['br', { matches: () => true, certain: false, open: () => zlib.createBrotliDecompress() }],
  [
    'zstd',
    {
      matches: (head) => head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528,
      certain: true,
      open: () => {
        // Node has it from 22.15 on; the oldest Node supported, whose types these are, does not.
        const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
        return createZstdDecompress?.();
      },
    },
  ],
]);
