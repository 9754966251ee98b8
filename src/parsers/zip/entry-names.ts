/** Which entries a ZIP file has, without opening it: enough to tell what kind of file it is. */
import { inflateRawSync } from 'node:zlib';
import { findDirectory, readDirectory, type ZipEntry } from './zip-directory.ts';

/** Entries whose names are looked at. */
const mostNames = 2_000;

const localMark = 0x04034b50;

/** Bytes of an entry that are read; those that name a type are fewer. */
const mostContent = 128;

/** What an archive shows of its entries. */
export interface ZipOutline {
  /**
   * Their names in lower case: of the directory or, where the end of the file is missing, of what stands
   * before each entry.
   */
  readonly names: ReadonlySet<string>;
  /**
   * What the entry `mimetype` begins with: the type of the file. It should be the first entry, and
   * stored; there are programs that pack it, or write it later. Empty where there is none, or where it
   * unpacks to more than a type.
   */
  readonly mimetype: string;
}

/** Reads the directory, and at most a few hundred bytes of one entry. */
export function outlineOf(bytes: Buffer): ZipOutline {
  const listed = listedEntries(bytes);
  const names = new Set<string>();
  for (const name of listed.keys()) names.add(name.toLowerCase());
  const isFirst = localEntry(bytes, 0)?.name === 'mimetype';
  const place = isFirst ? 0 : listed.get('mimetype')?.offset;
  const entry = place === undefined ? undefined : localEntry(bytes, place);
  return {
    names: names.size > 0 ? names : localNames(bytes),
    mimetype: entry === undefined ? '' : contentOf(bytes, entry),
  };
}

function listedEntries(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  const directory = findDirectory(bytes);
  // Where the end is missing, that of an archive stored in this one may be found: it begins further on.
  const isOwn = directory !== undefined && (directory.prefix === 0 || !isEntry(bytes, 0));
  return isOwn ? readDirectory(bytes, directory, mostNames).entries : new Map<string, ZipEntry>();
}

/** The beginning of what is stored; of what is packed all, or nothing where that is more. */
function contentOf(bytes: Buffer, { method, start }: LocalEntry): string {
  if (method === 0) return bytes.toString('latin1', start, start + mostContent);
  if (method !== 8) return '';
  try {
    const packed = bytes.subarray(start, start + 2 * mostContent);
    const options = { maxOutputLength: mostContent, chunkSize: mostContent };
    return inflateRawSync(packed, options).toString('latin1');
  } catch {
    return '';
  }
}

function localNames(bytes: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  let entry = localEntry(bytes, 0);
  while (entry !== undefined && names.size < mostNames) {
    // An archive that names an entry twice lies, or goes on for nothing.
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
  /** The size is not said before the content. */
  readonly isOpen: boolean;
  readonly start: number;
}

function isEntry(bytes: Buffer, at: number): boolean {
  return at + 30 <= bytes.length && bytes.readUInt32LE(at) === localMark;
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

/** Where the size is not said, the next mark counts; in a file that is only stored it may be its own. */
function nextEntry(bytes: Buffer, { method, packedSize, isOpen, start }: LocalEntry): number {
  if (!isOpen || packedSize > 0) return start + packedSize;
  const next = method === 0 ? -1 : bytes.indexOf('PK\x03\x04', start, 'latin1');
  return next < 0 ? bytes.length : next;
}
