/**
 * Bytes of a stream, or of a file that may be packed with gzip: taken in pieces of known length or by line, up to a limit.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';

/** Reads ahead no further than requested. */
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

  /** The next byte, without taking it; undefined at the end. */
  async peek(): Promise<number | undefined> {
    while (this.#length === 0 && (await this.#more()));
    return this.#chunks[0]?.[0];
  }

  /** Takes `length` bytes; fewer at the end. A copy: it does not retain the surrounding bytes in memory. */
  async take(length: number): Promise<Buffer> {
    while (this.#length < length && (await this.#more()));
    return Buffer.concat(this.#remove(length));
  }

  /** Skips `length` bytes without holding them; returns the number of skipped bytes. */
  async skip(length: number): Promise<number> {
    let left = length;
    do {
      for (const piece of this.#remove(left)) left -= piece.length;
    } while (left > 0 && (await this.#more()));
    return length - left;
  }

  /** Takes all bytes up to and including `end`; the rest if there is none, and undefined at the end. */
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

  /** Removes `length` bytes from the front, or all. */
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

// Errors in the content of a file, for the caller that knows its name.

/** The file has invalid content; the message continues after "it". */
export class DamagedFile extends Error {}

/** The file ends in the middle of a record, for example because its writer was killed. */
export class CutFile extends DamagedFile {}

// The bytes of a file that may be gzip.

/** Decompresses a file that begins with gzip's magic number, in any number of members. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer, undefined, undefined> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    await once(file, 'readable');
    const start = file.read() as Buffer | null;
    if (start === null) return undefined;
    file.unshift(start);
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    // A truncated file ends without an error here, so that all its data comes out: the caller reports it.
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
