/** Reads ZIP archives: entries by name, each inflated on demand, within limits. */
import { inflateRawSync } from 'node:zlib';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { unreadable } from '../unreadable.ts';
import type { UnpackingBudget } from '../../content/parsers/file-parser.ts';
import {
  findDirectory,
  readDirectory,
  type ZipEntry,
} from '../../content/parsers/zip-directory.ts';

/** Limits for reading an archive. */
export interface ZipLimits {
  /** Total bytes of all inflated entries, counted while inflating. */
  readonly totalBytes: number;
  /** The budget of the outer archive, which also counts bytes unpacked here. */
  readonly budget?: UnpackingBudget | undefined;
  /** Entries that are listed; further ones are left out. @default 20000 */
  readonly entries?: number;
}

/** An open archive. */
export interface ZipFiles {
  /**
   * Names in the order of the directory, without folders. Relative, with `/`: parts that would leave the
   * folder (`..`, a drive, a leading slash) are removed.
   */
  readonly names: readonly string[];
  /** True when the archive has more entries than were listed. */
  readonly isCut: boolean;
  has(name: string): boolean;
  /** The size in bytes by the directory, which may be wrong. */
  sizeOf(name: string): number;
  /**
   * The bytes of an entry, or undefined when there is none of this name. Throws `PARSE_LIMIT` for an entry
   * that unpacks to more than is allowed, and `UNSUPPORTED_CONTENT` for an entry that is encrypted, packed
   * by a rare method, or damaged. An entry that was too large counts as if all of the allowed bytes had been
   * unpacked. `most`: bytes of this entry. @default totalBytes
   */
  read(name: string, most?: number): Uint8Array | undefined;
}

const mostEntries = 20_000;

/**
 * Opens an archive. Reads only its directory. Throws `UNSUPPORTED_CONTENT` for a file that is not a ZIP,
 * or one that was cut off.
 */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipFiles {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const directory = findDirectory(buffer);
  if (directory === undefined) {
    throw unreadable('The ZIP file', 'its directory is missing: it is damaged or was cut off');
  }
  const { entries, isCut } = readDirectory(buffer, directory, limits.entries ?? mostEntries);
  return new OpenZip(buffer, entries, isCut, limits);
}

class OpenZip implements ZipFiles {
  readonly names: readonly string[];
  readonly isCut: boolean;
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  /** Each entry is inflated once, however often it is read. */
  readonly #inflated = new Map<string, Uint8Array>();
  readonly #budget: UnpackingBudget | undefined;
  #left: number;

  constructor(
    bytes: Buffer,
    entries: ReadonlyMap<string, ZipEntry>,
    isCut: boolean,
    limits: ZipLimits,
  ) {
    this.names = [...entries.keys()];
    this.isCut = isCut;
    this.#bytes = bytes;
    this.#entries = entries;
    this.#budget = limits.budget;
    this.#left = limits.totalBytes;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  sizeOf(name: string): number {
    return this.#entries.get(name)?.size ?? 0;
  }

  read(name: string, allowed = Infinity): Uint8Array | undefined {
    const known = this.#inflated.get(name);
    if (known !== undefined) return known;
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const most = Math.min(this.#left, this.#budget?.bytes ?? Infinity, allowed);
    const packed = this.#packed(name, entry);
    try {
      const content = unpack(name, entry, packed, most);
      this.#count(content.length);
      this.#inflated.set(name, content);
      return content;
    } catch (error) {
      if (error instanceof PagewrightError && error.code === 'PARSE_LIMIT') this.#count(most);
      throw error;
    }
  }

  #count(bytes: number): void {
    this.#left -= bytes;
    if (this.#budget !== undefined) this.#budget.bytes -= bytes;
  }

  /** Reads the local header, whose name and extra field have separate lengths. */
  #packed(name: string, { offset, packedSize }: ZipEntry): Buffer {
    const bytes = this.#bytes;
    if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== localMark) {
      throw unreadable(
        'The ZIP file',
        `its entry "${shortName(name)}" is not where the directory says`,
      );
    }
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    return bytes.subarray(start, Math.min(bytes.length, start + packedSize));
  }
}

const localMark = 0x04034b50;

function unpack(name: string, entry: ZipEntry, packed: Buffer, most: number): Uint8Array {
  if (entry.isEncrypted)
    throw unreadable('The ZIP file', `its entry "${shortName(name)}" is encrypted`);
  if (entry.method === 0) {
    if (packed.length > most) throw tooLarge(name, most);
    return packed;
  }
  if (entry.method !== 8) {
    throw unreadable(
      'The ZIP file',
      `its entry "${shortName(name)}" is packed by method ${entry.method}, not by deflate`,
    );
  }
  if (most <= 0) throw tooLarge(name, most);
  try {
    return inflateRawSync(packed, { maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(name, most);
    throw unreadable('The ZIP file', `its entry "${shortName(name)}" is damaged`, error);
  }
}

function tooLarge(name: string, most: number): PagewrightError {
  return new PagewrightError(
    'PARSE_LIMIT',
    `The ZIP file unpacks to more than is read: "${shortName(name)}" has more than the ${Math.max(0, most)} bytes that are left. Raise limits.bodyBytes to read it.`,
  );
}

function shortName(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
