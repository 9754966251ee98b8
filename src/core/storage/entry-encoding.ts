/**
 * Encodes keys and values of a store for files, Redis and SQLite: bytes with a checksum, safe
 * names, sortable keys.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DamagedValueError } from './storage-failures.ts';

/** The data stored besides the value. */
export interface EntryHeader {
  readonly key: string;
  /** Milliseconds since 1970; Infinity for never. */
  readonly expiresAt: number;
}

/**
 * The magic word, the lengths of key and value (uint32, uint48), the expiry (float64) and the CRC
 * of the rest (uint32), all big-endian; then the key as JSON and the value. The lengths detect a
 * cut file, the CRC one with a hole, as after a power loss.
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

/** Unpacks a value. Throws `STORAGE`, naming its `source`, when it is damaged. */
export function unpackEntry(
  bytes: Buffer,
  source: string,
): EntryHeader & { readonly value: Uint8Array } {
  const header = unpackHeader(bytes, source);
  const valueAt = headerEnd(bytes);
  if (bytes.length !== valueAt + bytes.readUIntBE(8, 6)) throw damagedEntry(source);
  if (bytes.readUInt32BE(checksumAt) !== checksum(bytes)) throw damagedEntry(source);
  return { ...header, value: new Uint8Array(bytes.subarray(valueAt)) };
}

/** Unpacks the part before the value; the bytes may end anywhere after that. */
export function unpackHeader(bytes: Buffer, source: string): EntryHeader {
  const end = headerEnd(bytes);
  if (bytes.length < end) throw damagedEntry(source);
  try {
    const key = JSON.parse(bytes.toString('utf8', headerBytes, end)) as unknown;
    if (typeof key === 'string') return { key, expiresAt: bytes.readDoubleBE(14) };
  } catch {
    // Invalid JSON is damage too.
  }
  throw damagedEntry(source);
}

/** The number of bytes before the value; Infinity if the format is unknown. */
export function headerEnd(bytes: Buffer): number {
  const ours =
    bytes.length >= headerBytes && bytes.subarray(0, entryMagic.length).equals(entryMagic);
  return ours ? headerBytes + bytes.readUInt32BE(4) : Infinity;
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, checksumAt)));
}

function damagedEntry(source: string): DamagedValueError {
  return new DamagedValueError(
    `${source} is damaged or was not written by this library. Delete it to lose only its value.`,
  );
}

// Encodes the parts of a key as names that are valid in every file system and key-value store.

/** Names that Windows reserves for devices, with any extension. */
const deviceName = /^(?:aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * The name of a part of a key: valid in every file system, and unique even if case is ignored. A
 * part without such a name is hashed.
 */
function safeName(part: string): string {
  const escaped = part.replace(/[^a-z0-9_-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`;
  });
  if (escaped !== '' && escaped.length <= 120 && !deviceName.test(escaped)) return escaped;
  return `~${createHash('sha256').update(part, 'utf16le').digest('hex')}`;
}

/** The suffix of a value's name, so that `a` and the folder of `a/b` differ. */
export const entrySuffix = '.entry';

/** The location of a key's value: its folders and its file name. */
export function safePath(key: string): readonly string[] {
  return [...safeFolders(key), safeName(key.slice(key.lastIndexOf('/') + 1)) + entrySuffix];
}

/** The folders that contain every key that starts with `prefix`, and maybe more. */
export function safeFolders(prefix: string): readonly string[] {
  return prefix.split('/').slice(0, -1).map(safeName);
}

// Encodes keys as bytes with the same sort order: by code unit.

/**
 * UTF-16, high byte first: different strings stay different, lone surrogates too. A leading zero
 * ensures that none is empty and that every prefix has a successor.
 */
export function keyToBytes(key: string): Buffer {
  const bytes = Buffer.alloc(1 + 2 * key.length);
  bytes.write(key, 1, 'utf16le');
  bytes.subarray(1).swap16();
  return bytes;
}

/** Decodes a key; the bytes are not changed. */
export function keyFromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(1)).swap16().toString('utf16le');
}

/** The smallest bytes after all keys that start with `prefix`. */
export function afterPrefix(prefix: Uint8Array): Buffer {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  const after = Buffer.from(prefix.subarray(0, last + 1));
  after.writeUInt8(after.readUInt8(last) + 1, last);
  return after;
}
