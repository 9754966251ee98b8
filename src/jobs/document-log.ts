/** The documents of one job in their order, kept as bytes in a store. */
import { PagewrightError } from '../errors.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import type { Store } from '../storage/store.ts';
import { documentBytes, documentOf, packBytes, unpackBytes } from './document-bytes.ts';

/** Milliseconds for one call of the store: one that never answers must not hold a job up for ever. */
const storeTimeout = 60_000;
/** Bytes of the last documents that are kept as they are: whoever reads along needs no unpacking. */
const recentBytes = 1_000_000;

/** What a log works by. */
export interface DocumentLogOptions {
  /** False: what is forgotten before it is no longer recent is never stored. @default true */
  readonly keepsDocuments?: boolean;
  /** Milliseconds for one call of the store; for tests. */
  readonly timeout?: number;
}

/** Appends and reads; a document comes back as an equal value (dates, maps and bytes included). */
export class DocumentLog<T> {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #timeout: number;
  readonly #keepsDocuments: boolean;
  readonly #sizes: number[] = [];
  /** Documents before it are, or were, in the store. */
  #stored = 0;
  /** The last documents by their index. */
  readonly #recent = new Map<number, Uint8Array>();
  #recentSize = 0;
  #first = 0;

  constructor(store: Store, jobId: string, options: DocumentLogOptions = {}) {
    this.#store = store;
    this.#prefix = `jobs/${jobId}/documents/`;
    this.#timeout = options.timeout ?? storeTimeout;
    this.#keepsDocuments = options.keepsDocuments ?? true;
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
    if (this.#keepsDocuments) await this.#keep(index, raw, signal);
    this.#recent.set(index, raw);
    this.#recentSize += raw.length;
    await this.#makeRoom(signal);
    this.#sizes.push(raw.length);
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
      this.#leaveOut(index);
      if (index < this.#stored) await this.#inTime('drop', this.#store.delete(this.#key(index)));
    }
  }

  async drop(): Promise<void> {
    const count = this.length;
    this.#sizes.length = 0;
    this.#recent.clear();
    this.#recentSize = 0;
    // And what was being stored when the job was cancelled.
    for (let index = this.#first; index <= count; index += 1) {
      await this.#inTime('drop', this.#store.delete(this.#key(index)));
    }
  }

  async #keep(index: number, raw: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    this.#stored = index + 1;
    await this.#inTime('take', this.#store.set(this.#key(index), await packBytes(raw)), signal);
  }

  /** A recent document that is needed further is in the store before it is left out. */
  async #makeRoom(signal: AbortSignal | undefined): Promise<void> {
    for (const [index, raw] of this.#recent) {
      if (this.#recentSize <= recentBytes) return;
      if (index >= this.#stored) await this.#keep(index, raw, signal);
      this.#leaveOut(index);
      // It was forgotten while it was being stored.
      if (index < this.#first) await this.#inTime('drop', this.#store.delete(this.#key(index)));
    }
  }

  #leaveOut(index: number): void {
    this.#recentSize -= this.#recent.get(index)?.length ?? 0;
    this.#recent.delete(index);
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
