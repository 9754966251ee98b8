/** Bytes of a stream in the pieces that a format asks for. */

/** Reads lines' ends and lengths; holds no more than one piece and one chunk. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array, undefined>;
  #held: Buffer = Buffer.alloc(0);
  #isOver = false;

  constructor(chunks: AsyncIterable<Uint8Array, undefined>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The bytes until `mark`, which is passed over; undefined when it does not come within `limit`. */
  async until(mark: string, limit: number): Promise<Buffer | undefined> {
    let from = 0;
    for (;;) {
      const at = this.#held.indexOf(mark, from);
      if (at >= 0 && at <= limit) return this.#take(at, mark.length);
      from = Math.max(0, this.#held.length - mark.length);
      if (this.#held.length > limit + mark.length || !(await this.#more())) return undefined;
    }
  }

  /** The next bytes; fewer at the end of the stream. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.#pieces(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Passes over bytes; gives how many there were. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    for await (const part of this.#pieces(length)) skipped += part.length;
    return skipped;
  }

  /** Passes over line ends; true when something follows. */
  async toText(): Promise<boolean> {
    for (;;) {
      const at = this.#held.findIndex((byte) => byte !== 13 && byte !== 10);
      if (at >= 0) {
        this.#take(at, 0);
        return true;
      }
      this.#held = Buffer.alloc(0);
      if (!(await this.#more())) return false;
    }
  }

  async *#pieces(length: number): AsyncGenerator<Buffer, void, undefined> {
    let left = length;
    while (left > 0) {
      if (this.#held.length === 0 && !(await this.#more())) return;
      const part = this.#take(Math.min(left, this.#held.length), 0);
      left -= part.length;
      yield part;
    }
  }

  #take(length: number, passed: number): Buffer {
    const part = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length + passed);
    return part;
  }

  async #more(): Promise<boolean> {
    if (this.#isOver) return false;
    const next = await this.#chunks.next();
    if (next.done === true) {
      this.#isOver = true;
      return false;
    }
    const { value } = next;
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    return true;
  }
}
