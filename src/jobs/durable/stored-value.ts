/** A value as it lies in the store of a job: facts, and bytes that are read only when they are wanted. */
import { crc32 } from 'node:zlib';
import { PagewrightError } from '../../errors.ts';
import { documentBytes, documentOf, packBytes, unpackBytes } from '../document-bytes.ts';

/**
 * A value is: version (uint8), checksum of what follows (uint32), length of the packed facts (uint32), the
 * packed facts, the packed bytes or nothing. A cut or a changed value does not pass for a whole one.
 */
const version = 1;
const headBytes = 9;

/** What was stored. */
export interface StoredValue<Facts> {
  readonly facts: Facts;
  /** Unpacks the bytes; undefined when there are none. */
  readonly bytes: (() => Promise<Uint8Array>) | undefined;
}

/** Makes a value ready for the store; rejects with `HOOK_FAILED` for facts that are no plain data. */
export async function packValue(facts: unknown, bytes?: Uint8Array): Promise<Uint8Array> {
  const [front, back] = await Promise.all([
    packBytes(documentBytes(facts)),
    bytes === undefined ? undefined : packBytes(bytes),
  ]);
  const value = Buffer.allocUnsafe(headBytes + front.length + (back?.length ?? 0));
  value.writeUInt8(version);
  value.writeUInt32BE(front.length, 5);
  value.set(front, headBytes);
  if (back !== undefined) value.set(back, headBytes + front.length);
  value.writeUInt32BE(crc32(value.subarray(5)), 1);
  return value;
}

/** What `packValue` packed; rejects with `STORAGE` for anything else. */
export async function unpackValue<Facts>(
  value: Uint8Array,
  what: string,
): Promise<StoredValue<Facts>> {
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const isOurs = buffer.length >= headBytes && buffer[0] === version;
  if (!isOurs || crc32(buffer.subarray(5)) !== buffer.readUInt32BE(1)) {
    const message = `${what} is damaged in the store, or was stored by another version.`;
    throw new PagewrightError('STORAGE', message);
  }
  const end = headBytes + buffer.readUInt32BE(5);
  const facts = documentOf(await unpackBytes(buffer.subarray(headBytes, end))) as Facts;
  const rest = buffer.subarray(end);
  return { facts, bytes: rest.length === 0 ? undefined : () => unpackBytes(rest) };
}
