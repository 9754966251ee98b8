/** Opens the files of a ZIP, TAR or gzip archive, one by one, within one byte budget. */
import { gunzipSync } from 'node:zlib';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { UnpackingBudget } from '../../content/parsers/file-parser.ts';
import { unreadable } from '../unreadable.ts';
import { readZip } from './read-zip.ts';

const limits = {
  headers: 20_000, // of a tar file, including those of folders and long names
  nameBytes: 65_536, // of a long name or a pax header
};

/** A file in an archive. */
export interface ArchivedFile {
  /** Its path in the archive. */
  readonly name: string;
  /** Reads the bytes; throws the same errors as reading an archive. */
  read(): Uint8Array;
}

/** An open archive. */
export interface OpenArchive {
  readonly files: readonly ArchivedFile[];
  /** True when not all of its files are listed. */
  readonly isCut: boolean;
}

/**
 * Opens an archive; `name` is the name of its own file. Throws `PARSE_LIMIT` when it unpacks to more bytes
 * than are left, `UNSUPPORTED_CONTENT` when it is damaged.
 */
export function openArchive(
  mediaType: string,
  bytes: Uint8Array,
  name: string,
  budget: UnpackingBudget,
): OpenArchive {
  if (mediaType === 'application/zip') return openZip(bytes, budget);
  if (mediaType === 'application/x-tar') return openTar(bytes);
  const content = gunzip(bytes, budget);
  if (isTar(content)) return openTar(content);
  const inner = name.replace(/\.gz(?:ip)?$/i, '') || 'content';
  return { files: [{ name: inner, read: () => content }], isCut: false };
}

function openZip(bytes: Uint8Array, budget: UnpackingBudget): OpenArchive {
  const zip = readZip(bytes, { totalBytes: budget.bytes, budget });
  const read = (name: string): Uint8Array => zip.read(name) ?? new Uint8Array();
  const files = zip.names.map((name) => ({ name, read: () => read(name) }));
  return { files, isCut: zip.isCut };
}

function openTar(bytes: Uint8Array): OpenArchive {
  const { files, isCut } = readTar(bytes);
  if (files.length === 0 && isCut)
    throw unreadable('The archive', 'its first header is damaged or was cut off');
  const read = (content: Uint8Array | undefined): Uint8Array => {
    if (content === undefined) throw unreadable('The archive', 'it is a sparse file');
    return content;
  };
  return { files: files.map(({ name, content }) => ({ name, read: () => read(content) })), isCut };
}

function gunzip(bytes: Uint8Array, budget: UnpackingBudget): Uint8Array {
  try {
    const content = gunzipSync(bytes, { maxOutputLength: Math.max(1, budget.bytes) });
    budget.bytes -= content.length;
    return content;
  } catch (error) {
    if (!(error instanceof RangeError))
      throw unreadable('The archive', 'its gzip data is damaged', error);
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The archive unpacks to more than the ${budget.bytes} bytes that are left. Raise limits.bodyBytes to read it.`,
    );
  }
}

// TAR files (POSIX ustar and pax, GNU long names): regular files by name, as views of the bytes.

/** A file in an archive. */
interface TarFile {
  /** Relative, with `/`; parts that would leave the folder are removed. */
  readonly name: string;
  /** Undefined for a sparse file, of which the archive has only the parts that are not zero. */
  readonly content: Uint8Array | undefined;
}

/** The files found in an archive. */
interface TarFiles {
  readonly files: readonly TarFile[];
  /** True when the archive ends within a file, or continues after the listed files. */
  readonly isCut: boolean;
}

const tarBlock = 512;

/** True when the first block is a header: its checksum is right. Old archives have no signature. */
function isTar(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  return view.length >= tarBlock && isHeader(view, 0);
}

/** Copies nothing: all sizes are within the bytes of the archive. */
function readTar(bytes: Uint8Array): TarFiles {
  const view = viewOf(bytes);
  const files: TarFile[] = [];
  let longName: string | undefined;
  let isSparse = false;
  let at = 0;
  for (let headers = 0; at + tarBlock <= view.length; headers++) {
    // The archive ends with two empty blocks, or with a block that is not a header.
    if (view[at] === 0 || !isHeader(view, at)) return { files, isCut: view[at] !== 0 };
    if (headers >= limits.headers) return { files, isCut: true };
    const size = sizeAt(view, at + 124);
    const kind = String.fromCharCode(view[at + 156] ?? 0);
    const start = kind === 'S' ? afterSparseMap(view, at) : at + tarBlock;
    if (size === undefined || start + size > view.length) return { files, isCut: true };
    const content = view.subarray(start, start + size);
    if (kind === 'L') longName = textIn(content.subarray(0, limits.nameBytes));
    else if (kind === 'x') {
      const pax = readPax(content.subarray(0, limits.nameBytes));
      longName = pax.get('GNU.sparse.name') ?? pax.get('path') ?? longName;
      isSparse = [...pax.keys()].some((key) => key.startsWith('GNU.sparse.'));
    } else if (!isOfNext(kind)) {
      const name = harmless(longName ?? nameAt(view, at));
      isSparse ||= kind === 'S';
      if (isFile(kind) && name !== '')
        files.push({ name, content: isSparse ? undefined : content });
      longName = undefined;
      isSparse = false;
    }
    at = start + Math.ceil(size / tarBlock) * tarBlock;
  }
  return { files, isCut: at > view.length };
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Checks the sum of all bytes of a header, with its own field read as spaces. */
function isHeader(view: Buffer, at: number): boolean {
  const declared = parseInt(textIn(view.subarray(at + 148, at + 156)).trim(), 8);
  let sum = 8 * 0x20;
  for (let index = 0; index < tarBlock; index++) {
    if (index < 148 || index >= 156) sum += view[at + index] ?? 0;
  }
  return sum === declared;
}

/** Octal digits, or binary if the first bit is set; undefined for any other form. */
function sizeAt(view: Buffer, at: number): number | undefined {
  if (((view[at] ?? 0) & 0x80) !== 0) {
    // No file is as large as 48 bits allow.
    const high = view.subarray(at + 1, at + 6).some((byte) => byte !== 0);
    return high || view[at] !== 0x80 ? undefined : view.readUIntBE(at + 6, 6);
  }
  const digits = textIn(view.subarray(at, at + 12)).trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : undefined;
}

function nameAt(view: Buffer, at: number): string {
  const name = textIn(view.subarray(at, at + 100));
  const isUstar = view.toString('latin1', at + 257, at + 263) === 'ustar\0';
  const prefix = isUstar ? textIn(view.subarray(at + 345, at + 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** True for regular files in their three spellings, and sparse files of GNU before pax. */
function isFile(kind: string): boolean {
  return kind === '0' || kind === '\0' || kind === '7' || kind === 'S';
}

/** True for entries that describe the next file, or all files: a long link, a global pax header. */
function isOfNext(kind: string): boolean {
  return kind === 'K' || kind === 'g';
}

/** The start of a sparse file's content: a map with many parts continues in further blocks. */
function afterSparseMap(view: Buffer, at: number): number {
  let next = at + tarBlock;
  for (let isLonger = view[at + 482] === 1; isLonger && next + tarBlock <= view.length;) {
    isLonger = view[next + 504] === 1;
    next += tarBlock;
  }
  return next;
}

/** Records such as `27 path=some/long/name
`, each with its own length. */
function readPax(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const [, digits = '', key = ''] =
      /^(\d{1,6}) ([^=\n]{1,200})=/.exec(content.toString('utf8', at, at + 210)) ?? [];
    const length = Number(digits);
    const start = at + digits.length + 1 + Buffer.byteLength(key) + 1;
    if (key === '' || at + length <= start) break;
    records.set(key, content.toString('utf8', start, at + length - 1));
    at += length;
  }
  return records;
}

function textIn(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function harmless(name: string): string {
  return name
    .replace(/^[a-z]:/i, '')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
}
