/** One value of the file store in its file: written whole, read with its key and its expiry. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PagewrightError } from '../errors.ts';

/** What a file says beside the value. */
export interface EntryHeader {
  readonly key: string;
  /** Milliseconds since 1970; Infinity for never. */
  readonly expiresAt: number;
}

/**
 * A file is: the magic word, then the lengths of key and value (uint32, uint48) and the expiry
 * (float64), all big-endian, then the key as JSON and the value. The lengths tell a truncated file.
 */
const magic = Buffer.from('PWS1');
const headerBytes = magic.length + 4 + 6 + 8;

/** The bytes of a file. */
export function packEntry({ key, expiresAt }: EntryHeader, value: Uint8Array): Uint8Array {
  const name = Buffer.from(JSON.stringify(key));
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32BE(name.length, 4);
  header.writeUIntBE(value.length, 8, 6);
  header.writeDoubleBE(expiresAt, 14);
  return Buffer.concat([header, name, value]);
}

/** Writes a file whole or not at all, with the folders it needs. */
export async function writeEntry(file: string, bytes: Uint8Array): Promise<void> {
  const partial = partialName(file);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(partial, bytes);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Reads a file; undefined when there is none. Throws `STORAGE` when it is damaged. */
export async function readEntry(
  file: string,
): Promise<(EntryHeader & { readonly value: Uint8Array }) | undefined> {
  const bytes = await unlessMissing(readFile(file));
  if (bytes === undefined) return undefined;
  const { header, valueStart, valueEnd } = unpack(bytes, file);
  if (bytes.length !== valueEnd) throw damaged(file);
  return { ...header, value: new Uint8Array(bytes.subarray(valueStart)) };
}

/** Reads as much of a file as tells its key: values may be large, and a list needs none. */
export async function readEntryHeader(file: string): Promise<EntryHeader | undefined> {
  const handle = await unlessMissing(open(file));
  if (handle === undefined) return undefined;
  try {
    const start = Buffer.alloc(1024);
    const { bytesRead } = await handle.read(start, 0, start.length, 0);
    const keyEnd = headerBytes + start.readUInt32BE(4);
    const bytes = keyEnd > start.length ? await handle.readFile() : start.subarray(0, bytesRead);
    return unpack(bytes, file).header;
  } finally {
    await handle.close();
  }
}

/** Removes an expired file; what has been written in its place since it was read is put back. */
export async function removeExpiredEntry(file: string, now: number): Promise<void> {
  const aside = partialName(file);
  try {
    await rename(file, aside);
    const header = await readEntryHeader(aside);
    if (header !== undefined && header.expiresAt > now) await link(aside, file);
  } catch (error) {
    // Another reader removed it first, or a still newer value is there.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Settles as `work` does, and with undefined when the file or folder does not exist. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function partialName(file: string): string {
  return `${file}.${randomUUID()}.partial`;
}

function unpack(
  bytes: Buffer,
  file: string,
): { readonly header: EntryHeader; readonly valueStart: number; readonly valueEnd: number } {
  const known = bytes.length >= headerBytes && bytes.subarray(0, magic.length).equals(magic);
  const valueStart = known ? headerBytes + bytes.readUInt32BE(4) : Infinity;
  if (bytes.length < valueStart) throw damaged(file);
  const key = JSON.parse(bytes.toString('utf8', headerBytes, valueStart)) as string;
  return {
    header: { key, expiresAt: bytes.readDoubleBE(14) },
    valueStart,
    valueEnd: valueStart + bytes.readUIntBE(8, 6),
  };
}

function damaged(file: string): PagewrightError {
  return new PagewrightError(
    'STORAGE',
    `${file} is damaged or was not written by this library. Delete the file to lose only its value.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
