/** The documents of one job in their order, kept as bytes in a store. */
import { PagewrightError } from '../errors.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import type { Store } from '../storage/store.ts';
import { documentBytes, documentOf, packBytes, unpackBytes } from './document-bytes.ts';

/** Milliseconds for one call of the store: one that never answers must not hold a job up for ever. */
const storeTimeout = 60_000;
/** Bytes of the last documents that are kept as they are: whoever reads along needs no unpacking. */
const recentBytes = 1_000_000;

/** Appends and reads; a document comes back as an equal value (dates, maps and bytes included). */
export class DocumentLog<T> {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #timeout: number;
  readonly #sizes: number[] = [];
  /** The last documents by their index. */
  readonly #recent = new Map<number, Uint8Array>();
  #recentSize = 0;
  #first = 0;

  /** `timeout` is for tests. */
  constructor(store: Store, jobId: string, timeout: number = storeTimeout) {
    this.#store = store;
    this.#prefix = `jobs/${jobId}/documents/`;
    this.#timeout = timeout;
  }

  get length(): number {
    return this.#sizes.length;
  }

  /** The first document that is still there. */
  get first(): number {
    return this.#first;
  }

  /** Bytes of document `index` before they were packed. */
  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  /** Rejects with `HOOK_FAILED` for what is no plain data, with `STORAGE` when the store does not take it. */
  async append(document: T, signal?: AbortSignal): Promise<void> {
    const raw = documentBytes(document);
    const index = this.#sizes.length;
    await this.#inTime('take', this.#store.set(this.#key(index), await packBytes(raw)), signal);
    this.#sizes.push(raw.length);
    this.#remember(index, raw);
  }

  async read(index: number): Promise<T> {
    const recent = this.#recent.get(index);
    if (recent !== undefined) return documentOf(recent) as T;
    const bytes = await this.#inTime('give', this.#store.get(this.#key(index)));
    if (bytes === undefined) {
      throw new PagewrightError(
        'STORAGE',
        `Document ${index} of the job is gone from the store. Run the job again.`,
      );
    }
    return documentOf(await unpackBytes(bytes)) as T;
  }

  async readAll(): Promise<T[]> {
    const documents: T[] = [];
    for (let index = this.#first; index < this.length; index += 1)
      documents.push(await this.read(index));
    return documents;
  }

  /** Forgets the documents before `end`. */
  async forget(end: number): Promise<void> {
    while (this.#first < Math.min(end, this.length)) {
      const index = this.#first;
      this.#first += 1;
      await this.#inTime('drop', this.#store.delete(this.#key(index)));
    }
  }

  async drop(): Promise<void> {
    const count = this.length;
    this.#sizes.length = 0;
    this.#recent.clear();
    // And what was being stored when the job was cancelled.
    for (let index = this.#first; index <= count; index += 1) {
      await this.#inTime('drop', this.#store.delete(this.#key(index)));
    }
  }

  #remember(index: number, raw: Uint8Array): void {
    this.#recent.set(index, raw);
    this.#recentSize += raw.length;
    for (const [oldest, { length }] of this.#recent) {
      if (this.#recentSize <= recentBytes) return;
      this.#recent.delete(oldest);
      this.#recentSize -= length;
    }
  }

  async #inTime<R>(verb: string, work: Promise<R>, signal?: AbortSignal): Promise<R> {
    using deadline = startDeadline(this.#timeout, [signal], 'The store');
    try {
      return await withSignal(work, deadline.signal);
    } catch (error) {
      if (error !== deadline.signal.reason || signal?.aborted === true) throw error;
      const message = `The store did not ${verb} a document within ${this.#timeout} ms. Check what is behind it.`;
      throw new PagewrightError('STORAGE', message, { cause: error });
    }
  }

  #key(index: number): string {
    return this.#prefix + String(index).padStart(8, '0');
  }
}
