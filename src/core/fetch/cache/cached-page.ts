/** A cached copy of a snapshot, its encoding as bytes, and the interface of stores for copies. */
import { crc32 } from 'node:zlib';
import type { Captures, Snapshot } from '../../model/snapshot.ts';
import type { ProxyTier } from '../../http/proxies/proxy.ts';

/** A fetched page before parsing. */
export interface CachedPage {
  /** The requested URL. */
  readonly url: string;
  /** Counts no requests and no bytes. */
  readonly snapshot: Snapshot;
  /** The signal that decided the engine. */
  readonly reason: string;
  readonly proxyUsed: ProxyTier;
  /** A browser made the body from the response. */
  readonly isRendered: boolean;
  /** Time of the request or revalidation, in milliseconds since 1970. */
  readonly askedAt: number;
  /** The time of the response: its age counts from here. */
  readonly cachedAt: number;
}

/**
 * Layout: the magic word, the checksum of the rest, the lengths of head and picture (uint32,
 * big-endian), then the head as JSON, the picture, and the body.
 */
const magic = Buffer.from('PWC1');

const prefixBytes = magic.length + 4 + 4 + 4;

/** The JSON head. */
interface PackedHead extends Omit<CachedPage, 'snapshot'> {
  readonly snapshot: Omit<Snapshot, 'body' | 'captures'>;
  readonly captures?: Omit<Captures, 'screenshot'> & {
    readonly screenshot?: { readonly mediaType: 'image/png' | 'image/jpeg' | 'application/pdf' };
  };
}

/** Encodes a page as one value of a store. */
export function packPage(page: CachedPage): Uint8Array {
  const { body, captures, ...snapshot } = page.snapshot;
  const picture = captures?.screenshot;
  const head: PackedHead = {
    ...page,
    snapshot,
    ...(captures === undefined
      ? {}
      : {
          captures: {
            branding: captures.branding,
            requests: captures.requests,
            endpoints: captures.endpoints,
            ...(picture && { screenshot: { mediaType: picture.mediaType } }),
          },
        }),
  };
  const headBytes = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(prefixBytes);
  magic.copy(prefix);
  prefix.writeUInt32BE(headBytes.length, 8);
  prefix.writeUInt32BE(picture?.bytes.length ?? 0, 12);
  const bytes = Buffer.concat([prefix, headBytes, picture?.bytes ?? new Uint8Array(0), body]);
  bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Decodes the page; undefined when the bytes are damaged or of another version. */
export function unpackPage(value: Uint8Array): CachedPage | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.length < prefixBytes || !bytes.subarray(0, 4).equals(magic)) return undefined;
  if (bytes.readUInt32BE(4) !== crc32(bytes.subarray(8))) return undefined;
  const headEnd = prefixBytes + bytes.readUInt32BE(8);
  const bodyStart = headEnd + bytes.readUInt32BE(12);
  const { captures, ...head } = JSON.parse(
    bytes.toString('utf8', prefixBytes, headEnd),
  ) as PackedHead;
  // Slices of a Buffer would be Buffers.
  const plain = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const body = plain.subarray(bodyStart);
  if (captures === undefined) return { ...head, snapshot: { ...head.snapshot, body } };
  const { screenshot, ...others } = captures;
  const picture = screenshot && { ...screenshot, bytes: plain.subarray(headEnd, bodyStart) };
  const all = { ...others, ...(picture && { screenshot: picture }) };
  return { ...head, snapshot: { ...head.snapshot, body, captures: all } };
}

// Stores copies of pages.

/** Copies by key. Failures reject; the caller goes on without a cache. */
export interface CachedPageStore {
  get(key: string): Promise<CachedPage | undefined>;
  /** A page that is too large is not stored. */
  set(key: string, page: CachedPage): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Limits of a cache. */
export interface CacheLimits {
  /** Bytes of all pages. */
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Bytes of one page. */
  readonly maxEntryBytes: number;
  /** The maximum age of a stored page, in milliseconds. */
  readonly retention: number;
}
