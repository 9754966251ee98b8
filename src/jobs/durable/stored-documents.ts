/** The documents of a job that outlives its process, in their order: most of them are stored with their pages. */
import { messageOf } from '../../errors.ts';
import type { JobStore } from './job-store.ts';
import { type Journal, visitName } from './journal.ts';
import { packValue, type StoredValue, unpackValue } from './stored-value.ts';

/** What is known of a document without reading it. */
export interface StoredDocument {
  readonly url: string;
  readonly credits: number;
  /** Bytes before they were packed. */
  readonly size: number;
}

/** A document on its way to the store. */
export interface NewDocument extends Omit<StoredDocument, 'size'> {
  readonly document: unknown;
  readonly bytes: Uint8Array;
}

interface Facts extends StoredDocument {
  /** The bytes are those of the visit of the page. */
  readonly isVisit: boolean;
}

/** What of a store is about documents; each has its number. */
export class StoredDocuments {
  readonly #store: JobStore;
  readonly #journal: Journal;
  readonly #warn: (sentence: string) => void;

  constructor(store: JobStore, journal: Journal, warn: (sentence: string) => void) {
    this.#store = store;
    this.#journal = journal;
    this.#warn = warn;
  }

  /** The bytes of a document that is stored with its page. */
  bytesOf(document: unknown): Uint8Array | undefined {
    return this.#visit(document)?.bytes;
  }

  async keep(index: number, { url, credits, document, bytes }: NewDocument): Promise<void> {
    const isVisit = this.#visit(document)?.url === url;
    const facts: Facts = { url, credits, size: bytes.length, isVisit };
    await this.#store.set(nameOf(index), await packValue(facts, isVisit ? undefined : bytes));
  }

  /** What is known of a document; undefined when it was not kept. */
  async find(index: number): Promise<StoredDocument | undefined> {
    try {
      return (await this.#read(index))?.facts;
    } catch (error) {
      this.#warn(`${messageOf(error)} It is made again.`);
      return undefined;
    }
  }

  /** The bytes of a document; rejects with `STORAGE` when they are damaged. */
  async read(index: number): Promise<Uint8Array | undefined> {
    const stored = await this.#read(index);
    if (stored?.facts.isVisit !== true) return stored?.bytes?.();
    const { url } = stored.facts;
    const visit = await this.#store.get(visitName(url));
    if (visit === undefined) return undefined;
    return (await unpackValue(visit, `The visit of ${url}`)).bytes?.();
  }

  async #read(index: number): Promise<StoredValue<Facts> | undefined> {
    const value = await this.#store.get(nameOf(index));
    return value === undefined ? undefined : unpackValue(value, `Document ${index}`);
  }

  #visit(document: unknown): ReturnType<Journal['storedWith']> {
    if (typeof document !== 'object' || document === null) return undefined;
    return this.#journal.storedWith(document);
  }
}

function nameOf(index: number): string {
  return `documents/${String(index).padStart(8, '0')}`;
}
