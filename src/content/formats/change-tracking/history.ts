/** The history of one page in the client's storage: a list of versions, and the contents of each. */
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import { replaceStored, type Store } from '../../../core/storage/store.ts';
import { parseJsonBytes } from '../../../core/runtime/json.ts';
import { sha256Of } from '../../../core/runtime/identifiers.ts';

/** The facts of a version that are known without reading it. Times are in ms since 1970. */
export interface HistoryEntry {
  /** Names the stored value that holds the version. */
  readonly id: string;
  /** The times when the version was found first and last. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The status that the first scrape of this version reported. */
  readonly status: 'new' | 'same' | 'changed' | 'removed';
  /** True when the page did not exist. */
  readonly isGone: boolean;
  /** Hash of the markdown, white space folded; hashes of values and picture, where there are any. */
  readonly textHash: string;
  readonly valuesHash?: string | undefined;
  /** Hash of the model's question for the values. */
  readonly questionHash?: string | undefined;
  readonly pictureHash?: string | undefined;
  /** The job that wrote this entry last, and `lastAt` before that. */
  readonly job?: string | undefined;
  readonly lastAtBefore?: number | undefined;
}

/** The content of a version. */
export interface PageVersionContent {
  /** The compared markdown: without the parts that `ignore` names, and without session ids and the like in URLs. */
  readonly markdown: string;
  readonly values?: unknown;
}

/** The list of versions, and the bytes it was read from. */
export interface StoredEntries {
  readonly entries: readonly HistoryEntry[];
  readonly bytes: Uint8Array | undefined;
  /** True when the stored list was damaged, and counts as empty. */
  readonly isDamaged: boolean;
}

/** The range of a JavaScript `Date`. */
const time = z.number().min(-8.64e15).max(8.64e15);

const hash = z.string().max(64);

const listSchema = z.object({
  format: z.number(),
  entries: z
    .array(
      z.object({
        id: z.string().regex(/^[0-9a-f-]{36}$/),
        firstAt: time,
        lastAt: time,
        status: z.enum(['new', 'same', 'changed', 'removed']),
        isGone: z.boolean(),
        textHash: hash,
        valuesHash: hash.optional(),
        questionHash: hash.optional(),
        pictureHash: hash.optional(),
        job: z.string().optional(),
        lastAtBefore: time.optional(),
      }),
    )
    .max(10_000),
});

const contentSchema = z.object({ markdown: z.string(), values: z.unknown().optional() });

const format = 1;
const mostBytes = 256 * 1024 * 1024; // of a decompressed version: a store may hold anything

const pack = promisify<Uint8Array, Buffer>(gzip);

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

/** The history of a URL, tag and identity. Errors of the store are rethrown. */
export class PageHistory {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, url: string, tag: string, identity?: string) {
    this.#store = store;
    const whose = identity === undefined ? '' : `-${identity}`;
    this.#prefix = `changes/${digest(url)}/${digest(tag)}${whose}`;
  }

  /** Throws `STORAGE` when a later version of this library wrote the history. */
  async read(): Promise<StoredEntries> {
    const bytes = await this.#store.get(`${this.#prefix}/history`);
    if (bytes === undefined) return { entries: [], bytes, isDamaged: false };
    const { success, data } = listSchema.safeParse(parseJsonBytes(bytes));
    if (!success) return { entries: [], bytes, isDamaged: true };
    if (data.format === format) return { entries: data.entries, bytes, isDamaged: false };
    throw new PagewrightError(
      'STORAGE',
      `The history ${this.#prefix} has format ${data.format}, this version of pagewright reads ${format}. Update pagewright, or use another tag.`,
    );
  }

  /** Replaces the list that was read; false when another scrape did so meanwhile. */
  async write(before: StoredEntries, entries: readonly HistoryEntry[]): Promise<boolean> {
    const key = `${this.#prefix}/history`;
    const bytes = new TextEncoder().encode(JSON.stringify({ format, entries }));
    return replaceStored(this.#store, key, before.bytes, bytes);
  }

  /** Stores a version under an id of its own, which no list has yet. */
  async add(content: PageVersionContent, picture: Uint8Array | undefined): Promise<string> {
    const id = randomUUID();
    const text = new TextEncoder().encode(JSON.stringify(content));
    await this.#store.set(this.#versionKey(id), await pack(text));
    if (picture !== undefined) await this.#store.set(this.#pictureKey(id), picture);
    return id;
  }

  /** Undefined when the content is gone or damaged. */
  async content(id: string): Promise<PageVersionContent | undefined> {
    try {
      const bytes = await this.#store.get(this.#versionKey(id));
      if (bytes === undefined) return undefined;
      const text = await unpack(bytes, { maxOutputLength: mostBytes });
      return contentSchema.parse(parseJsonBytes(text));
    } catch {
      return undefined;
    }
  }

  picture(id: string): Promise<Uint8Array | undefined> {
    return this.#store.get(this.#pictureKey(id));
  }

  async remove(id: string): Promise<void> {
    await this.#store.delete(this.#versionKey(id));
    await this.#store.delete(this.#pictureKey(id));
  }

  #versionKey(id: string): string {
    return `${this.#prefix}/versions/${id}`;
  }

  #pictureKey(id: string): string {
    return `${this.#prefix}/pictures/${id}`;
  }
}

/** The entries as they were before this job scraped the page. */
export function beforeJob(
  entries: readonly HistoryEntry[],
  jobId: string | undefined,
): readonly HistoryEntry[] {
  const last = entries.at(-1);
  if (last === undefined || jobId === undefined || last.job !== jobId) return entries;
  const rest = entries.slice(0, -1);
  const { lastAtBefore, job: _, ...version } = last;
  return lastAtBefore === undefined ? rest : [...rest, { ...version, lastAt: lastAtBefore }];
}

/** The identity of a history: the caller's name for the viewer, or the identity of the request. */
export function historyIdentity(
  name: string | undefined,
  identity: string | undefined,
): string | undefined {
  return name === undefined ? identity : `named-${digest(name)}`;
}

/** A short hash, for keys and comparisons. */
export function digest(value: string | Uint8Array): string {
  return sha256Of(value).slice(0, 32);
}
