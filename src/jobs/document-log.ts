/** The documents of one job in their order, kept as bytes in a store. */
import { deserialize, serialize } from 'node:v8';
import { PagewrightError } from '../errors.ts';
import type { Store } from '../storage/store.ts';

/** Appends and reads; a document comes back as an equal value (dates, maps and bytes included). */
export class DocumentLog<T> {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #sizes: number[] = [];

  constructor(store: Store, jobId: string) {
    this.#store = store;
    this.#prefix = `jobs/${jobId}/documents/`;
  }

  get length(): number {
    return this.#sizes.length;
  }

  /** Bytes of the stored form of document `index`. */
  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  async append(document: T): Promise<void> {
    const bytes = encode(document);
    await this.#store.set(this.#key(this.#sizes.length), bytes);
    this.#sizes.push(bytes.length);
  }

  async read(index: number): Promise<T> {
    const bytes = await this.#store.get(this.#key(index));
    if (bytes === undefined) {
      throw new PagewrightError(
        'STORAGE',
        `Document ${index} of the job is gone from the store. Run the job again.`,
      );
    }
    return deserialize(bytes) as T;
  }

  async readAll(): Promise<T[]> {
    const documents: T[] = [];
    for (let index = 0; index < this.length; index += 1) documents.push(await this.read(index));
    return documents;
  }

  async drop(): Promise<void> {
    for (let index = 0; index < this.length; index += 1) await this.#store.delete(this.#key(index));
    this.#sizes.length = 0;
  }

  #key(index: number): string {
    return this.#prefix + String(index).padStart(8, '0');
  }
}

function encode(document: unknown): Uint8Array {
  try {
    return serialize(document);
  } catch (error) {
    throw new PagewrightError(
      'HOOK_FAILED',
      `A document cannot be stored: ${(error as Error).message} A format of your own must give plain data.`,
      { cause: error },
    );
  }
}
