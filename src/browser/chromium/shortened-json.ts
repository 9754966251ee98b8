/** Empties the long strings of a JSON text that arrives in pieces. */

const quote = 0x22;
const backslash = 0x5c;
const u = 0x75;

/** Copies a JSON text; a string of more than `longest` bytes becomes an empty one. */
export class ShortenedJson {
  readonly #longest: number;
  #copy: Buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  /** Start of the string being copied, after its quote; -1 outside of strings. */
  #start = -1;
  /** The string is left out up to its closing quote. */
  #isSkipping = false;
  /** Expected bytes of an escape sequence; -1 before its letter. */
  #escape = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#copy.subarray(0, this.#length);
  }

  add(piece: Buffer): void {
    this.#reserve(piece.length);
    for (const byte of piece) {
      if (this.#start < 0) {
        if (byte === quote) this.#start = this.#length + 1;
      } else if (this.#escape !== 0) {
        if (this.#escape > 0) this.#escape -= 1;
        else this.#escape = byte === u ? 4 : 0;
      } else if (byte === backslash) {
        this.#escape = -1;
      } else if (byte === quote) {
        this.#start = -1;
        this.#isSkipping = false;
      }
      if (this.#isSkipping) continue;
      this.#copy[this.#length] = byte;
      this.#length += 1;
      if (this.#start < 0 || this.#length - this.#start <= this.#longest) continue;
      this.#length = this.#start;
      this.#isSkipping = true;
    }
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#copy.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    larger.set(this.bytes);
    this.#copy = larger;
  }
}
