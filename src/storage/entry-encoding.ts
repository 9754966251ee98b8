/** Keys and values of a store in the forms that files, Redis and SQLite keep: bytes with a checksum, safe names, sortable keys. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DamagedValueError } from './storage-failures.ts';

/** What is kept beside the value. */
export interface EntryHeader {
  readonly key: string;
  /** Milliseconds since 1970; Infinity for never. */
  readonly expiresAt: number;
}

/**
 * The magic word, the lengths of key and value (uint32, uint48), the expiry (float64) and the CRC
 * of all else (uint32), all big-endian; then the key as JSON and the value. The lengths tell a cut
 * file, the CRC one with a hole, as a loss of power leaves it.
 */
const entryMagic = Buffer.from('PWS2');

const checksumAt = entryMagic.length + 4 + 6 + 8;

const headerBytes = checksumAt + 4;

/** Packs a value. */
export function packEntry({ key, expiresAt }: EntryHeader, value: Uint8Array): Buffer {
  const name = Buffer.from(JSON.stringify(key));
  const header = Buffer.alloc(headerBytes);
  entryMagic.copy(header);
  header.writeUInt32BE(name.length, 4);
  header.writeUIntBE(value.length, 8, 6);
  header.writeDoubleBE(expiresAt, 14);
  const bytes = Buffer.concat([header, name, value]);
  bytes.writeUInt32BE(checksum(bytes), checksumAt);
  return bytes;
}

/** Unpacks a value. Throws `STORAGE`, naming the `place` it was read from, when it is damaged. */
export function unpackEntry(
  bytes: Buffer,
  place: string,
): EntryHeader & { readonly value: Uint8Array } {
  const header = unpackHeader(bytes, place);
  const valueAt = headerEnd(bytes);
  if (bytes.length !== valueAt + bytes.readUIntBE(8, 6)) throw damagedEntry(place);
  if (bytes.readUInt32BE(checksumAt) !== checksum(bytes)) throw damagedEntry(place);
  return { ...header, value: new Uint8Array(bytes.subarray(valueAt)) };
}

/** Unpacks what is before the value, of bytes that may end anywhere after that. */
export function unpackHeader(bytes: Buffer, place: string): EntryHeader {
  const end = headerEnd(bytes);
  if (bytes.length < end) throw damagedEntry(place);
  try {
    const key = JSON.parse(bytes.toString('utf8', headerBytes, end)) as unknown;
    if (typeof key === 'string') return { key, expiresAt: bytes.readDoubleBE(14) };
  } catch {
    // No JSON: damaged too.
  }
  throw damagedEntry(place);
}

/** How many bytes come before the value; Infinity when these are none of ours. */
export function headerEnd(bytes: Buffer): number {
  const ours =
    bytes.length >= headerBytes && bytes.subarray(0, entryMagic.length).equals(entryMagic);
  return ours ? headerBytes + bytes.readUInt32BE(4) : Infinity;
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, checksumAt)));
}

function damagedEntry(place: string): DamagedValueError {
  return new DamagedValueError(
    `${place} is damaged or was not written by this library. Delete it to lose only its value.`,
  );
}

// Names for the parts of a key that every file system and key-value store takes as they are.

/** Names that Windows keeps for devices, whatever follows the first dot. */
const deviceName = /^(?:aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * The name of a part of a key: legal in every file system, and different from every other part's
 * where upper and lower case are one. What has no such name goes by its hash.
 */
function safeName(part: string): string {
  const escaped = part.replace(/[^a-z0-9_-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`;
  });
  if (escaped !== '' && escaped.length <= 120 && !deviceName.test(escaped)) return escaped;
  return `~${createHash('sha256').update(part, 'utf16le').digest('hex')}`;
}

/** What the name of a value ends in, so that `a` and the folder of `a/b` are two. */
export const entrySuffix = '.entry';

/** Where a key's value is: its folders and the name in the last one. */
export function safePath(key: string): readonly string[] {
  return [...safeFolders(key), safeName(key.slice(key.lastIndexOf('/') + 1)) + entrySuffix];
}

/** The folders that hold every key that starts with `prefix`, and maybe more. */
export function safeFolders(prefix: string): readonly string[] {
  return prefix.split('/').slice(0, -1).map(safeName);
}

// Keys as bytes that sort as the keys do: by code unit.

/**
 * UTF-16, the high byte first: no two strings are one, lone surrogates too. A zero goes before, so
 * that none is empty and something comes after every prefix.
 */
export function keyToBytes(key: string): Buffer {
  const bytes = Buffer.alloc(1 + 2 * key.length);
  bytes.write(key, 1, 'utf16le');
  bytes.subarray(1).swap16();
  return bytes;
}

/** The key of these bytes, which stay as they are. */
export function keyFromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(1)).swap16().toString('utf16le');
}

/** The first bytes after all that start with `prefix`, which is a key's. */
export function afterPrefix(prefix: Uint8Array): Buffer {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  const after = Buffer.from(prefix.subarray(0, last + 1));
  after.writeUInt8(after.readUInt8(last) + 1, last);
  return after;
}
