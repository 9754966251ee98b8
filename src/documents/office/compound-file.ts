/** Reads compound files ([MS-CFB]), the container of Office 97 to 2003 documents, and their properties ([MS-OLEPS]). */
import { TextDecoder } from '../../content/text/text-decoder.ts';
import type { FileContent } from '../../content/parsers/file-parser.ts';
import { filled } from './open-package.ts';

const marks = { endOfChain: 0xfffffffe, none: 0xffffffff };

const types = { narrowText: 30, wideText: 31, time: 64 };

/** The streams of a compound file by name. Undefined when it is too damaged to read. */
export function readCompoundFile(bytes: Buffer): CompoundFile | undefined {
  if (bytes.length < 512) return undefined;
  const file = new CompoundFile(bytes);
  return file.has('Root Entry') ? file : undefined;
}

/** An open compound file. No sector chain is followed further than the file's length. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorSize: number;
  readonly #table: Buffer;
  readonly #entries = new Map<string, { start: number; size: number; isRoot: boolean }>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sectorSize = 1 << Math.min(16, Math.max(7, bytes.readUInt16LE(30)));
    this.#table = this.#readTable();
    const directory = this.#chain(bytes.readUInt32LE(48));
    for (let at = 0; at + 128 <= directory.length; at += 128) {
      const length = Math.min(64, directory.readUInt16LE(at + 64));
      const kind = directory[at + 66] ?? 0;
      if (kind === 0 || length < 2) continue;
      const name = directory.toString('utf16le', at, at + length - 2);
      const entry = {
        start: directory.readUInt32LE(at + 116),
        size: directory.readUInt32LE(at + 120),
        isRoot: kind === 5,
      };
      if (!this.#entries.has(name)) this.#entries.set(name, entry);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The bytes of a stream; undefined without one. */
  stream(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const smallest = this.#bytes.readUInt32LE(56);
    const isSmall = !entry.isRoot && entry.size < smallest;
    const whole = isSmall ? this.#smallChain(entry.start) : this.#chain(entry.start);
    return whole.subarray(0, Math.min(whole.length, entry.size));
  }

  #sector(number: number): Buffer {
    const start = (number + 1) * this.#sectorSize;
    return this.#bytes.subarray(start, start + this.#sectorSize);
  }

  /** The sector allocation table, from the locations in the header and in the sectors that they refer to. */
  #readTable(): Buffer {
    const most = Math.ceil(this.#bytes.length / this.#sectorSize);
    const numbers: number[] = [];
    for (let at = 76; at < 512; at += 4) numbers.push(this.#bytes.readUInt32LE(at));
    let next = this.#bytes.readUInt32LE(68);
    for (let step = 0; step < most && next < marks.endOfChain; step += 1) {
      const sector = this.#sector(next);
      if (sector.length < this.#sectorSize) break;
      for (let at = 0; at + 8 <= sector.length; at += 4) numbers.push(sector.readUInt32LE(at));
      next = sector.readUInt32LE(sector.length - 4);
    }
    const used = numbers.filter((number) => number < marks.endOfChain).slice(0, most);
    return Buffer.concat(used.map((number) => this.#sector(number)));
  }

  #chain(start: number): Buffer {
    return Buffer.concat(
      follow(start, this.#table, this.#bytes.length / this.#sectorSize).map((number) =>
        this.#sector(number),
      ),
    );
  }

  /** Small streams share the root's stream, in 64-byte sectors. */
  #smallChain(start: number): Buffer {
    const root = this.stream('Root Entry') ?? Buffer.alloc(0);
    const table = this.#chain(this.#bytes.readUInt32LE(60));
    const pieces = follow(start, table, root.length / 64);
    return Buffer.concat(pieces.map((number) => root.subarray(number * 64, number * 64 + 64)));
  }
}

/** The sectors of a chain, up to the number of sectors in the file. */
function follow(start: number, table: Buffer, most: number): number[] {
  const numbers: number[] = [];
  for (let next = start; next < marks.endOfChain && numbers.length <= most;) {
    numbers.push(next);
    next = next * 4 + 4 <= table.length ? table.readUInt32LE(next * 4) : marks.none;
  }
  return numbers;
}

// The properties of an old Office document ([MS-OLEPS]): title, author, times.

/** Reads the stream `\x05SummaryInformation`. Damaged properties are left out. */
export function readProperties(stream: Buffer | undefined): Omit<FileContent, 'html'> {
  const values = stream === undefined ? new Map<number, string>() : readValues(stream);
  const text = (id: number): string | undefined => filled(values.get(id) ?? '');
  return {
    title: text(2),
    author: text(4),
    description: text(6) ?? text(3),
    keywords: text(5),
    publishedTime: text(12),
    modifiedTime: text(13),
  };
}

function readValues(stream: Buffer): Map<number, string> {
  const values = new Map<number, string>();
  if (stream.length < 56) return values;
  const section = stream.readUInt32LE(44);
  if (section + 8 > stream.length) return values;
  const count = Math.min(100, stream.readUInt32LE(section + 4));
  let page = 1252;
  for (let index = 0; index < count; index += 1) {
    const at = section + 8 + index * 8;
    if (at + 8 > stream.length) break;
    const id = stream.readUInt32LE(at);
    const start = section + stream.readUInt32LE(at + 4);
    if (start + 12 > stream.length) continue;
    const kind = stream.readUInt32LE(start);
    const size = stream.readUInt32LE(start + 4);
    if (id === 1) page = stream.readUInt16LE(start + 4);
    else if (kind === types.narrowText) {
      const bytes = stream.subarray(start + 8, start + 8 + Math.min(size, 10_000));
      values.set(id, decode(bytes, page).replace(/\0[^]*$/, ''));
    } else if (kind === types.wideText) {
      const end = start + 8 + Math.min(size * 2, 20_000);
      values.set(id, stream.toString('utf16le', start + 8, end).replace(/\0[^]*$/, ''));
    } else if (kind === types.time) {
      // In units of 100 ns since 1601.
      const milliseconds = Number(stream.readBigUInt64LE(start + 4) / 10_000n) - 11_644_473_600_000;
      if (milliseconds > 0 && milliseconds < 8e15) {
        values.set(id, new Date(milliseconds).toISOString());
      }
    }
  }
  return values;
}

function decode(bytes: Buffer, page: number): string {
  if (page === 65001) return bytes.toString('utf8');
  const label = page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252';
  return new TextDecoder(label).decode(bytes);
}
