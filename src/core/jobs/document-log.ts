/**
 * The documents of one job, by their numbers: the last ones in memory, older ones packed in the store, or, for a job in a
 * store, in its journal, where a later process continues.
 */
import { PagewrightError } from '../runtime/errors.ts';
import type { Store } from '../storage/store.ts';
import { documentBytes, documentOf, packBytes, unpackBytes } from './durable/stored-value.ts';
import { askStore, JobStore } from './durable/job-store.ts';
import type { DocumentOfVisit, StoredDocument, StoredDocuments } from './durable/journal.ts';

const limits = {
  unstoredBytes: 64_000_000, // of the last documents of a job in memory; older ones are packed
  storedBytes: 1_000_000, // of the last documents of a job in a store, for readers that keep up
};

/** The settings of a log. */
export interface DocumentLogOptions {
  /** Milliseconds for one call of the store; for tests. */
  readonly timeout?: number;
  /** The documents of a job that outlives the process. @default they are this process's own */
  readonly durable?: StoredDocuments | undefined;
}

/** The facts of a document that is appended. */
export interface DocumentAbout extends Omit<StoredDocument, 'size'> {
  /** Set for a document that is stored with the visit of its page. */
  readonly stored?: DocumentOfVisit | undefined;
}

/** Appends and reads; a document comes back as an equal value (dates, maps and bytes included). */
export class DocumentLog<T> {
  readonly #store: Store;
  readonly #jobId: string;
  readonly #prefix: string;
  readonly #options: DocumentLogOptions;
  readonly #sizes: number[] = [];
  /** Documents before it are, or were, in the store. */
  #stored = 0;
  /** The last documents by their index. */
  readonly #recent = new Map<number, Uint8Array>();
  #recentSize = 0;
  #first = 0;
  #next: StoredDocument | undefined;

  constructor(store: Store, jobId: string, options: DocumentLogOptions = {}) {
    this.#store = store;
    this.#jobId = jobId;
    this.#prefix = `jobs/${jobId}/documents/`;
    this.#options = options;
  }

  get length(): number {
    return this.#sizes.length;
  }

  /** The first document that is still available. */
  get first(): number {
    return this.#first;
  }

  /** The next document of the job, if an earlier process stored it. */
  get next(): StoredDocument | undefined {
    return this.#next;
  }

  /** Finds the next document; `isOther` if it turned out to belong to another page. */
  async look(isOther = false): Promise<void> {
    this.#next = isOther ? undefined : await this.#options.durable?.find(this.length);
  }

  /** Adopts the next document as stored. */
  async adopt(): Promise<void> {
    const next = this.#next;
    if (next === undefined) return;
    this.#sizes.push(next.size);
    this.#stored = this.length;
    await this.look();
  }

  /** Adopts all documents of an ended job; replaces earlier ones. */
  open(sizes: readonly number[]): void {
    this.#sizes.length = 0;
    for (const size of sizes) this.#sizes.push(size);
    this.#stored = this.length;
  }

  /** Bytes of each document before packing. */
  get sizes(): readonly number[] {
    return this.#sizes;
  }

  /** Bytes of document `index` before packing. */
  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  /** Rejects with `HOOK_FAILED` for a document that is not plain data, with `STORAGE` when the store refuses it. */
  async append(
    document: T,
    signal?: AbortSignal,
    { stored, ...about }: DocumentAbout = { url: '', credits: 0 },
  ): Promise<void> {
    const { durable } = this.#options;
    const raw = stored?.bytes ?? documentBytes(document);
    const index = this.#sizes.length;
    if (durable !== undefined) {
      await this.#ask(
        'take',
        () => durable.keep(index, { ...about, size: raw.length }, stored ?? { bytes: raw }),
        signal,
      );
      this.#stored = index + 1;
    }
    this.#recent.set(index, raw);
    this.#recentSize += raw.length;
    await this.#makeRoom(signal);
    this.#sizes.push(raw.length);
  }

  /** Adopts a stored job's document that is stored with the visit of its page. */
  async appendVisit(
    url: string,
    { visit, bytes: _, ...facts }: DocumentOfVisit,
    signal?: AbortSignal,
  ): Promise<void> {
    const { durable } = this.#options;
    const index = this.#sizes.length;
    await this.#ask('take', async () => durable?.keep(index, { url, ...facts }, { visit }), signal);
    this.#stored = index + 1;
    this.#sizes.push(facts.size);
  }

  async read(index: number): Promise<T> {
    const { durable } = this.#options;
    const bytes =
      this.#recent.get(index) ??
      (await this.#ask('give', () => durable?.read(index) ?? this.#unpacked(index)));
    if (bytes === undefined) {
      throw new PagewrightError(
        'STORAGE',
        `Document ${index} of the job is missing from the store. Run the job again.`,
      );
    }
    return documentOf(bytes) as T;
  }

  /** `order` has the numbers of the documents. @default as they came */
  async readAll(order?: readonly number[]): Promise<T[]> {
    const documents: T[] = [];
    for (let at = this.#first; at < this.length; at += 1)
      documents.push(await this.read(order?.[at] ?? at));
    return documents;
  }

  /** Forgets the documents before `end`. */
  async forget(end: number): Promise<void> {
    while (this.#first < Math.min(end, this.length)) {
      const index = this.#first;
      this.#first += 1;
      this.#leaveOut(index);
      if (index < this.#stored) await this.#drop(index);
    }
  }

  async drop(): Promise<void> {
    const count = this.length;
    // Files of its pages.
    await new JobStore(this.#store, this.#jobId).deleteAll('assets/');
    this.#sizes.length = 0;
    this.#recent.clear();
    this.#recentSize = 0;
    // One more: a write may have been in flight when the job was cancelled.
    for (let index = this.#first; index <= count; index += 1) await this.#drop(index);
  }

  async #keep(index: number, raw: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    this.#stored = index + 1;
    const packed = await packBytes(raw);
    await this.#ask('take', () => this.#store.set(this.#key(index), packed), signal);
  }

  /** Stores a recent document that is still needed before evicting it. */
  async #makeRoom(signal: AbortSignal | undefined): Promise<void> {
    const { durable } = this.#options;
    const most = durable === undefined ? limits.unstoredBytes : limits.storedBytes;
    for (const [index, raw] of this.#recent) {
      if (this.#recentSize <= most) return;
      if (index >= this.#stored) await this.#keep(index, raw, signal);
      this.#leaveOut(index);
      // It was forgotten while it was being stored.
      if (index < this.#first) await this.#drop(index);
    }
  }

  #leaveOut(index: number): void {
    this.#recentSize -= this.#recent.get(index)?.length ?? 0;
    this.#recent.delete(index);
  }

  async #unpacked(index: number): Promise<Uint8Array | undefined> {
    const packed = await this.#store.get(this.#key(index));
    return packed === undefined ? undefined : unpackBytes(packed);
  }

  async #drop(index: number): Promise<void> {
    await this.#ask('drop', () => this.#store.delete(this.#key(index)));
  }

  async #ask<R>(verb: string, ask: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    const { timeout, durable } = this.#options;
    const remedy = durable === undefined ? { remedy: 'Run the job again when it does.' } : {};
    return askStore(`${verb} a document`, ask, { timeout, signal, ...remedy });
  }

  #key(index: number): string {
    return this.#prefix + String(index).padStart(8, '0');
  }
}
