/** One value as bytes that say which key they belong to, when they expire, and if they are whole. */
import { crc32 } from 'node:zlib';
import { DamagedValueError } from './storage-error.ts';

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
const magic = Buffer.from('PWS2');
const checksumAt = magic.length + 4 + 6 + 8;
const headerBytes = checksumAt + 4;

/** Packs a value. */
export function packEntry({ key, expiresAt }: EntryHeader, value: Uint8Array): Buffer {
  const name = Buffer.from(JSON.stringify(key));
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
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
  if (bytes.length !== valueAt + bytes.readUIntBE(8, 6)) throw damaged(place);
  if (bytes.readUInt32BE(checksumAt) !== checksum(bytes)) throw damaged(place);
  return { ...header, value: new Uint8Array(bytes.subarray(valueAt)) };
}

/** Unpacks what is before the value, of bytes that may end anywhere after that. */
export function unpackHeader(bytes: Buffer, place: string): EntryHeader {
  const end = headerEnd(bytes);
  if (bytes.length < end) throw damaged(place);
  try {
    const key = JSON.parse(bytes.toString('utf8', headerBytes, end)) as unknown;
    if (typeof key === 'string') return { key, expiresAt: bytes.readDoubleBE(14) };
  } catch {
    // No JSON: damaged too.
  }
  throw damaged(place);
}

/** How many bytes come before the value; Infinity when these are none of ours. */
export function headerEnd(bytes: Buffer): number {
  const ours = bytes.length >= headerBytes && bytes.subarray(0, magic.length).equals(magic);
  return ours ? headerBytes + bytes.readUInt32BE(4) : Infinity;
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, checksumAt)));
}

function damaged(place: string): DamagedValueError {
  return new DamagedValueError(
    `${place} is damaged or was not written by this library. Delete it to lose only its value.`,
  );
}
