/** Bytes of a file or stream, gzip or not, taken in pieces of known length or by line, and never more than allowed. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';

/** Reads ahead no more than what is asked for. */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #received = 0;

  constructor(source: AsyncIterable<Uint8Array>, maxBytes: number = Infinity) {
    this.#source = source[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** The next byte, which stays; undefined at the end. */
  async peek(): Promise<number | undefined> {
    while (this.#length === 0 && (await this.#more()));
    return this.#chunks[0]?.[0];
  }

  /** Takes so many bytes; fewer at the end. A copy: the bytes around them are not kept with them. */
  async take(length: number): Promise<Buffer> {
    while (this.#length < length && (await this.#more()));
    return Buffer.concat(this.#remove(length));
  }

  /** Passes over so many bytes, and holds none of them; gives how many there were. */
  async skip(length: number): Promise<number> {
    let left = length;
    do {
      for (const piece of this.#remove(left)) left -= piece.length;
    } while (left > 0 && (await this.#more()));
    return length - left;
  }

  /** Takes all up to and with `end`, a byte; what is left when it does not come, and undefined when nothing is. */
  async takeTo(end: number, maxLength: number): Promise<Buffer | undefined> {
    let searched = 0;
    for (;;) {
      let before = 0;
      for (const chunk of this.#chunks) {
        const at = before + chunk.length <= searched ? -1 : chunk.indexOf(end);
        if (at >= 0 && before + at < maxLength) return this.take(before + at + 1);
        before += chunk.length;
      }
      if (before >= maxLength) throw new DamagedFile(`has a line of more than ${maxLength} bytes`);
      searched = before;
      if (await this.#more()) continue;
      return before === 0 ? undefined : this.take(before);
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    this.#received += byteLength;
    if (this.#received > this.#maxBytes) {
      const limit = `has more than ${this.#maxBytes} bytes`;
      throw new DamagedFile(`${limit}; raise maxBytes if it is to be read`);
    }
    if (byteLength > 0) this.#chunks.push(Buffer.from(buffer, byteOffset, byteLength));
    this.#length += byteLength;
    return true;
  }

  /** Takes pieces off the front: so many bytes, or all. */
  #remove(length: number): Buffer[] {
    const pieces: Buffer[] = [];
    let left = length;
    while (left > 0) {
      const [first] = this.#chunks;
      if (first === undefined) break;
      const piece = first.subarray(0, left);
      pieces.push(piece);
      left -= piece.length;
      if (piece.length < first.length) this.#chunks[0] = first.subarray(piece.length);
      else this.#chunks.shift();
    }
    this.#length -= length - left;
    return pieces;
  }
}

// Errors in the content of a file, for the reader that knows its name.

/** It holds what cannot be; the message goes on after "it". */
export class DamagedFile extends Error {}

/** It ends in the middle of something, as one may whose writer was killed. */
export class CutFile extends DamagedFile {}

// The bytes of a file that may be gzip.

/** Unpacked when the file begins as gzip does, in any number of members. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer, undefined, undefined> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    await once(file, 'readable');
    const start = file.read() as Buffer | null;
    if (start === null) return undefined;
    file.unshift(start);
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    // What breaks off ends without an error here, so that all of it comes out: its reader tells.
    const options = { chunkSize: 1 << 18, finishFlush: constants.Z_SYNC_FLUSH };
    const bytes: AsyncIterable<Buffer> = isPacked
      ? pipeline(file, createGunzip(options), () => undefined)
      : file;
    yield* bytes;
  } finally {
    file.destroy();
  }
  return undefined;
}
