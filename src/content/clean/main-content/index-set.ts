/** A set of block indexes: a byte per block, several times as fast as a `Set`. */
export class IndexSet {
  readonly #bytes: Uint8Array;

  /** Indexes are below `size`. */
  constructor(size: number, indexes: readonly number[] = []) {
    this.#bytes = new Uint8Array(size);
    for (const index of indexes) this.add(index);
  }

  has(index: number): boolean {
    return this.#bytes[index] === 1;
  }

  add(index: number): void {
    this.#bytes[index] = 1;
  }

  delete(index: number): void {
    this.#bytes[index] = 0;
  }

  /** Adds the indexes from `from` up to, but not including, `to`. */
  addRange(from: number, to: number): void {
    this.#bytes.fill(1, from, to);
  }

  deleteRange(from: number, to: number): void {
    this.#bytes.fill(0, from, to);
  }
}
