/** Which entries a ZIP file has, without opening it: enough to tell what kind of file it is. */
import { findDirectory, readDirectory } from './zip-directory.ts';

/** Entries whose names are looked at. */
const mostNames = 2_000;

const localMark = 0x04034b50;

/**
 * The names of the entries in lower case: of the directory or, where the end of the file is missing, of
 * what stands before each entry.
 */
export function entryNames(bytes: Buffer): ReadonlySet<string> {
  const directory = findDirectory(bytes);
  // Where the end is missing, that of an archive stored in this one may be found: it begins further on.
  const isOwn = directory !== undefined && (directory.prefix === 0 || !isEntry(bytes, 0));
  const listed = isOwn ? readDirectory(bytes, directory, mostNames).entries.keys() : [];
  const names = new Set<string>();
  for (const name of listed) names.add(name.toLowerCase());
  return names.size > 0 ? names : localNames(bytes);
}

/** What stands at the beginning of an archive. */
export function firstEntry(bytes: Buffer): { name: string; content: string } | undefined {
  const entry = localEntry(bytes, 0);
  if (entry === undefined) return undefined;
  const { name, method, start } = entry;
  return { name, content: method === 0 ? bytes.toString('latin1', start, start + 100) : '' };
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
