/**
 * Reads the directory of a ZIP file, without unpacking its entries (APPNOTE 4.3.12 to 4.3.16); and what identifies its
 * kind: names, and the content of an entry `mimetype`.
 */
import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';

const marks = {
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
  entry: 0x02014b50,
  local: 0x04034b50,
};

const limits = {
  names: 2_000, // entries whose names are read
  content: 128, // bytes of an entry's content; a type name is shorter
};

/** An entry of the directory. */
export interface ZipEntry {
  /** 0 is stored, 8 is deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Compressed size in bytes. */
  readonly packedSize: number;
  /** Bytes of the content, by the directory. */
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
}

/** The location of the directory. */
export interface ZipDirectory {
  readonly offset: number;
  /** Bytes before the archive, such as a self-extracting program. */
  readonly prefix: number;
}

const unknown32 = 0xffffffff;

/** Searches the end of the file, where a comment of up to 64 KiB may follow the directory. */
export function findDirectory(bytes: Buffer): ZipDirectory | undefined {
  const lowest = Math.max(0, bytes.length - 22 - 0xffff);
  for (let at = bytes.length - 22; at >= lowest; at -= 1) {
    if (bytes.readUInt32LE(at) !== marks.end) continue;
    const large = findDirectory64(bytes, at);
    if (large !== undefined) return large;
    const size = bytes.readUInt32LE(at + 12);
    const offset = bytes.readUInt32LE(at + 16);
    const prefix = Math.max(0, at - size - offset);
    if (offset + prefix <= at) return { offset: offset + prefix, prefix };
    // Info-ZIP writes this to pipes, without the record that has the offset.
    if (offset === unknown32 && size <= at) return { offset: at - size, prefix: 0 };
  }
  return undefined;
}

function findDirectory64(bytes: Buffer, end: number): ZipDirectory | undefined {
  const locator = end - 20;
  if (locator < 0 || bytes.readUInt32LE(locator) !== marks.locator64) return undefined;
  const at = Number(bytes.readBigUInt64LE(locator + 8));
  if (at + 56 > bytes.length || bytes.readUInt32LE(at) !== marks.end64) return undefined;
  const offset = Number(bytes.readBigUInt64LE(at + 48));
  return offset <= at ? { offset, prefix: 0 } : undefined;
}

/** Entries by name; of two with one name the first counts. */
export function readDirectory(
  bytes: Buffer,
  { offset, prefix }: ZipDirectory,
  most: number,
): { readonly entries: ReadonlyMap<string, ZipEntry>; readonly isCut: boolean } {
  const entries = new Map<string, ZipEntry>();
  let seen = 0;
  for (let at = offset; at + 46 <= bytes.length && bytes.readUInt32LE(at) === marks.entry;) {
    if (seen >= most) return { entries, isCut: true };
    seen += 1;
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
    const name = harmless(decodeName(bytes.subarray(at + 46, nameEnd)));
    const entry = readEntry(bytes, at, bytes.subarray(nameEnd, extraEnd), prefix);
    if (name !== '' && !name.endsWith('/') && !entries.has(name)) entries.set(name, entry);
    at = extraEnd + bytes.readUInt16LE(at + 32);
  }
  return { entries, isCut: false };
}

function readEntry(bytes: Buffer, at: number, extra: Buffer, prefix: number): ZipEntry {
  let size = bytes.readUInt32LE(at + 24);
  let packedSize = bytes.readUInt32LE(at + 20);
  let offset = bytes.readUInt32LE(at + 42);
  // Values that do not fit are in an extra field, in this order.
  const wide = extraField(extra, 1);
  let wideAt = 0;
  const next = (): number => {
    const value = wideAt + 8 <= wide.length ? Number(wide.readBigUInt64LE(wideAt)) : unknown32;
    wideAt += 8;
    return value;
  };
  if (size === unknown32) size = next();
  if (packedSize === unknown32) packedSize = next();
  if (offset === unknown32) offset = next();
  const isEncrypted = (bytes.readUInt16LE(at + 8) & 1) === 1;
  return {
    method: bytes.readUInt16LE(at + 10),
    isEncrypted,
    packedSize,
    size,
    offset: offset + prefix,
  };
}

function extraField(extra: Buffer, id: number): Buffer {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return extra.subarray(0, 0);
}

/** Names that are not UTF-8 come from old programs, in an unknown code page. */
function decodeName(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

/** A relative name that stays inside the target folder; a folder keeps its slash. */
function harmless(name: string): string {
  const parts = name.replace(/^[a-z]:/i, '').split(/[\\/]/);
  const isFolder = parts.at(-1) === '';
  const safeParts = parts.filter((part) => part !== '' && part !== '.' && part !== '..');
  return safeParts.length === 0
    ? ''
    : safeParts.join('/').replaceAll('\0', '') + (isFolder ? '/' : '');
}

// The entries of a ZIP file by name, without opening it: enough to identify the kind of file.

/** An archive's entries at a glance. */
export interface ZipOutline {
  /**
   * Entry names in lower case: from the directory or, where the end of the file is missing, from the
   * local header before each entry.
   */
  readonly names: ReadonlySet<string>;
  /**
   * The start of the entry `mimetype`: the type of the file. It should be the first entry, and stored; some
   * programs compress it, or write it later. Empty if there is none, or if it unpacks to more than a type
   * name.
   */
  readonly mimetype: string;
}

/** Reads the directory, and at most a few hundred bytes of one entry. */
export function outlineOf(bytes: Buffer): ZipOutline {
  const listed = listedEntries(bytes);
  const names = new Set<string>();
  for (const name of listed.keys()) names.add(name.toLowerCase());
  const isFirst = localEntry(bytes, 0)?.name === 'mimetype';
  const offset = isFirst ? 0 : listed.get('mimetype')?.offset;
  const entry = offset === undefined ? undefined : localEntry(bytes, offset);
  return {
    names: names.size > 0 ? names : localNames(bytes),
    mimetype: entry === undefined ? '' : contentOf(bytes, entry),
  };
}

function listedEntries(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  const directory = findDirectory(bytes);
  // If the end is missing, the directory of a nested archive may be found: it has a prefix.
  const isOwn = directory !== undefined && (directory.prefix === 0 || !isEntry(bytes, 0));
  return isOwn
    ? readDirectory(bytes, directory, limits.names).entries
    : new Map<string, ZipEntry>();
}

/** The start of a stored entry; all of a compressed one, or nothing if it is larger. */
function contentOf(bytes: Buffer, { method, start }: LocalEntry): string {
  if (method === 0) return bytes.toString('latin1', start, start + limits.content);
  if (method !== 8) return '';
  try {
    const packed = bytes.subarray(start, start + 2 * limits.content);
    const options = { maxOutputLength: limits.content, chunkSize: limits.content };
    return inflateRawSync(packed, options).toString('latin1');
  } catch {
    return '';
  }
}

function localNames(bytes: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  let entry = localEntry(bytes, 0);
  while (entry !== undefined && names.size < limits.names) {
    // An archive that repeats an entry is faulty, or hostile.
    if (names.has(entry.name.toLowerCase())) break;
    names.add(entry.name.toLowerCase());
    entry = localEntry(bytes, nextEntry(bytes, entry));
  }
  return names;
}

interface LocalEntry {
  readonly name: string;
  readonly method: number;
  readonly packedSize: number;
  /** True when the size is not given before the content. */
  readonly isOpen: boolean;
  readonly start: number;
}

function isEntry(bytes: Buffer, at: number): boolean {
  return at + 30 <= bytes.length && bytes.readUInt32LE(at) === marks.local;
}

function localEntry(bytes: Buffer, at: number): LocalEntry | undefined {
  if (!isEntry(bytes, at)) return undefined;
  const nameEnd = at + 30 + bytes.readUInt16LE(at + 26);
  return {
    name: bytes.toString('latin1', at + 30, nameEnd),
    method: bytes.readUInt16LE(at + 8),
    packedSize: bytes.readUInt32LE(at + 18),
    isOpen: (bytes.readUInt16LE(at + 6) & 8) === 8,
    start: nameEnd + bytes.readUInt16LE(at + 28),
  };
}

/** Without a size, searches the next signature; in a stored entry it may be part of the content. */
function nextEntry(bytes: Buffer, { method, packedSize, isOpen, start }: LocalEntry): number {
  if (!isOpen || packedSize > 0) return start + packedSize;
  const next = method === 0 ? -1 : bytes.indexOf('PK\x03\x04', start, 'latin1');
  return next < 0 ? bytes.length : next;
}
