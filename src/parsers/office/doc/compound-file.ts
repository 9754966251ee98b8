/** Compound files ([MS-CFB]): the container of old office documents. */

const endOfChain = 0xfffffffe;
const none = 0xffffffff;

/** The streams of a compound file by name. Undefined when it is damaged beyond reading. */
export function readCompoundFile(bytes: Buffer): CompoundFile | undefined {
  if (bytes.length < 512) return undefined;
  const file = new CompoundFile(bytes);
  return file.has('Root Entry') ? file : undefined;
}

interface Entry {
  readonly start: number;
  readonly size: number;
  readonly isRoot: boolean;
}

/** An open compound file. No chain of sectors is followed longer than the file is. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorSize: number;
  readonly #table: Buffer;
  readonly #entries = new Map<string, Entry>();

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

  /** The bytes of a stream; undefined when there is none. */
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

  /** The table of which sector follows which, from the places in the header and those it leads to. */
  #readTable(): Buffer {
    const most = Math.ceil(this.#bytes.length / this.#sectorSize);
    const numbers: number[] = [];
    for (let at = 76; at < 512; at += 4) numbers.push(this.#bytes.readUInt32LE(at));
    let next = this.#bytes.readUInt32LE(68);
    for (let step = 0; step < most && next < endOfChain; step += 1) {
      const sector = this.#sector(next);
      if (sector.length < this.#sectorSize) break;
      for (let at = 0; at + 8 <= sector.length; at += 4) numbers.push(sector.readUInt32LE(at));
      next = sector.readUInt32LE(sector.length - 4);
    }
    const used = numbers.filter((number) => number < endOfChain).slice(0, most);
    return Buffer.concat(used.map((number) => this.#sector(number)));
  }

  #chain(start: number): Buffer {
    return Buffer.concat(
      follow(start, this.#table, this.#bytes.length / this.#sectorSize).map((number) =>
        this.#sector(number),
      ),
    );
  }

  /** Small streams share the stream of the root, in pieces of 64 bytes. */
  #smallChain(start: number): Buffer {
    const root = this.stream('Root Entry') ?? Buffer.alloc(0);
    const table = this.#chain(this.#bytes.readUInt32LE(60));
    const pieces = follow(start, table, root.length / 64);
    return Buffer.concat(pieces.map((number) => root.subarray(number * 64, number * 64 + 64)));
  }
}

/** The sectors of a chain, at most as many as there are. */
function follow(start: number, table: Buffer, most: number): number[] {
  const numbers: number[] = [];
  for (let next = start; next < endOfChain && numbers.length <= most;) {
    numbers.push(next);
    next = next * 4 + 4 <= table.length ? table.readUInt32LE(next * 4) : none;
  }
  return numbers;
}
