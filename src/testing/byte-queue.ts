/** Bytes of a stream, taken in pieces of known length or by line, and never more than allowed. */
import { DamagedRecording } from './damaged-recording.ts';

/** Reads ahead no more than what is asked for. */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #received = 0;

  constructor(source: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** The next bytes, which stay; fewer at the end. */
  async peek(length: number): Promise<Buffer> {
    await this.#fill(length);
    return this.#joined().subarray(0, length);
  }

  /** Takes so many bytes; fewer at the end. */
  async take(length: number): Promise<Buffer> {
    await this.#fill(length);
    const all = this.#joined();
    const taken = all.subarray(0, length);
    this.#keep(all.subarray(length));
    return taken;
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
      if (before >= maxLength) {
        throw new DamagedRecording(`has a line of more than ${maxLength} bytes`);
      }
      searched = before;
      if (await this.#more()) continue;
      return before === 0 ? undefined : this.take(before);
    }
  }

  async #fill(length: number): Promise<void> {
    while (this.#length < length && (await this.#more()));
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    this.#received += byteLength;
    if (this.#received > this.#maxBytes) {
      const limit = `has more than ${this.#maxBytes} bytes`;
      throw new DamagedRecording(`${limit}; raise maxBytes if it is to be read`);
    }
    this.#chunks.push(Buffer.from(buffer, byteOffset, byteLength));
    this.#length += byteLength;
    return true;
  }

  #joined(): Buffer {
    const [only = Buffer.alloc(0)] = this.#chunks;
    if (this.#chunks.length <= 1) return only;
    const all = Buffer.concat(this.#chunks);
    this.#keep(all);
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks.splice(0, Infinity, ...(rest.length === 0 ? [] : [rest]));
    this.#length = rest.length;
  }
}
