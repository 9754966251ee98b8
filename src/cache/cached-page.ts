/** A stored copy of what an engine brought, its bytes in a store, and the interface of the stores that keep copies. */
import { crc32 } from 'node:zlib';
import type { Captures, Snapshot } from '../model/snapshot.ts';
import type { ProxyTier } from '../proxies/proxy.ts';

/** A page before anything was made of it. */
export interface CachedPage {
  /** The URL that was asked for. */
  readonly url: string;
  /** Nothing was sent for it: no requests, no bytes. */
  readonly snapshot: Snapshot;
  /** The signal that decided for the engine. */
  readonly reason: string;
  readonly proxyUsed: ProxyTier;
  /** The body is what a browser made of the response. */
  readonly isRendered: boolean;
  /** Milliseconds since 1970 when it was asked for, or asked whether it is still right. */
  readonly askedAt: number;
  /** When the answer to that was there: its age counts from here. */
  readonly cachedAt: number;
}

/**
 * Bytes are: the magic word, the checksum of what follows it, the lengths of head and picture (uint32,
 * big-endian), then the head as JSON, the picture, and the body.
 */
const magic = Buffer.from('PWC1');

const prefixBytes = magic.length + 4 + 4 + 4;

/** What the JSON says. */
interface PackedHead extends Omit<CachedPage, 'snapshot'> {
  readonly snapshot: Omit<Snapshot, 'body' | 'captures'>;
  readonly captures?: Omit<Captures, 'screenshot'> & {
    readonly screenshot?: { readonly mediaType: 'image/png' | 'image/jpeg' | 'application/pdf' };
  };
}

/** A page as one value of a store. */
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

/** The page again; undefined when the bytes are damaged or of another version. */
export function unpackPage(value: Uint8Array): CachedPage | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.length < prefixBytes || !bytes.subarray(0, 4).equals(magic)) return undefined;
  if (bytes.readUInt32BE(4) !== crc32(bytes.subarray(8))) return undefined;
  const headEnd = prefixBytes + bytes.readUInt32BE(8);
  const bodyStart = headEnd + bytes.readUInt32BE(12);
  const { captures, ...head } = JSON.parse(
    bytes.toString('utf8', prefixBytes, headEnd),
  ) as PackedHead;
  // A Buffer's parts would be Buffers.
  const plain = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const body = plain.subarray(bodyStart);
  if (captures === undefined) return { ...head, snapshot: { ...head.snapshot, body } };
  const { screenshot, ...others } = captures;
  const picture = screenshot && { ...screenshot, bytes: plain.subarray(headEnd, bodyStart) };
  const all = { ...others, ...(picture && { screenshot: picture }) };
  return { ...head, snapshot: { ...head.snapshot, body, captures: all } };
}

// Where copies of pages are kept.

/** Copies by key. What fails rejects; whoever asks goes on without a cache. */
export interface CachedPageStore {
  get(key: string): Promise<CachedPage | undefined>;
  /** A page that is too large is not kept. */
  set(key: string, page: CachedPage): Promise<void>;
  delete(key: string): Promise<void>;
}

/** How much is kept. */
export interface CacheLimits {
  /** Bytes of all pages. */
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Bytes of one page. */
  readonly maxEntryBytes: number;
  /** Milliseconds that a page is kept at most. */
  readonly retention: number;
}
