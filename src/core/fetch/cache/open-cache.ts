/** Opens the cache of a client: copies in memory, or in a store that other clients and processes share. */
import { PagewrightError } from '../../runtime/errors.ts';
import { withSignal } from '../../runtime/deadline.ts';
import type { Store } from '../../storage/store.ts';
import {
  type CachedPage,
  type CachedPageStore,
  type CacheLimits,
  packPage,
  unpackPage,
} from './cached-page.ts';
import { PageCache, type PageCacheSettings } from './page-cache.ts';
import { type Duration, milliseconds } from '../../checks/duration.ts';
import { sha256Of } from '../../runtime/identifiers.ts';

const bounds = {
  defaultRetention: 7 * 24 * 60 * 60 * 1000, // milliseconds
  overhead: 2000, // approximate bytes of an entry besides its bodies: headers, strings and objects
  patience: 2000, // milliseconds that a page waits for each call of the store
};

/** The option `cache` of a client. */
export interface CacheOptions {
  /** Stores the copies. @default the client's `storage`; without one, in memory */
  readonly store?: Store | undefined;
  /**
   * The most bytes of all copies; the oldest are evicted first. @default 100000000 in a store,
   * 64000000 in memory
   */
  readonly maxBytes?: number | undefined;
  /** The most copies. @default 10000 */
  readonly maxEntries?: number | undefined;
  /** The most bytes of one copy; larger pages are not stored. @default an eighth of `maxBytes` */
  readonly maxEntryBytes?: number | undefined;
  /** Milliseconds that a copy is kept. @default 604800000 (7 days) */
  readonly retention?: Duration | undefined;
  /**
   * Use a copy only as long as the headers of its response allow it (RFC 9111, like a browser's
   * cache); `maxAge` can only shorten that.
   * @default false
   */
  readonly respectHeaders?: boolean | undefined;
}

/** Makes the cache. */
export function openPageCache(
  options: CacheOptions | undefined = {},
  client: Pick<PageCacheSettings, 'now' | 'isRendering'> & {
    readonly storage: Store | undefined;
    /** Separates the pages of two clients on one store. */
    readonly scope: unknown;
  },
): PageCache {
  const { now, isRendering, storage } = client;
  const { store = storage, maxEntries = 10_000, respectHeaders = false } = options;
  const { maxBytes = store === undefined ? 64_000_000 : 100_000_000 } = options;
  const { maxEntryBytes = maxBytes / 8, retention = bounds.defaultRetention } = options;
  const limits = { maxBytes, maxEntries, maxEntryBytes, retention: milliseconds(retention) };
  const pages =
    store === undefined
      ? new MemoryPageStore(limits, now)
      : new SharedPageStore(store, limits, now);
  // May hold secrets: those of a client certificate.
  const scope = sha256Of(JSON.stringify(client.scope));
  return new PageCache({ pages, now, scope, isRendering, respectHeaders });
}

// Copies in memory: the objects themselves, with least-recently-used eviction.

interface MemoryEntry {
  readonly page: CachedPage;
  readonly bytes: number;
}

/** Always stays within its limits. */
export class MemoryPageStore implements CachedPageStore {
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  /** In order of use, the most recent last. */
  readonly #entries = new Map<string, MemoryEntry>();
  #bytes = 0;

  constructor(limits: CacheLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get(key: string): Promise<CachedPage | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return Promise.resolve(undefined);
    this.#remove(key);
    if (entry.page.cachedAt + this.#limits.retention <= this.#now()) {
      return Promise.resolve(undefined);
    }
    this.#add(key, entry);
    return Promise.resolve(entry.page);
  }

  set(key: string, page: CachedPage): Promise<void> {
    const { maxBytes, maxEntries, maxEntryBytes } = this.#limits;
    const { body, captures } = page.snapshot;
    const { requests = [], endpoints = [], screenshot } = captures ?? {};
    const listed = requests.length + endpoints.length;
    const text = listed === 0 ? 0 : JSON.stringify([requests, endpoints]).length;
    const bytes = body.length + (screenshot?.bytes.length ?? 0) + text + bounds.overhead;
    this.#remove(key);
    if (bytes > maxEntryBytes + bounds.overhead || bytes > maxBytes) return Promise.resolve();
    this.#add(key, { page, bytes });
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= maxBytes && this.#entries.size <= maxEntries) break;
      this.#remove(oldest);
    }
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#remove(key);
    return Promise.resolve();
  }

  #add(key: string, entry: MemoryEntry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

// Copies in a store, which other clients and processes may use at the same time.

/**
 * Each page has an empty mark whose key contains its time, its size, its expiry and the page's key:
 * one list gives all that eviction needs, and clients share no index that they could overwrite for
 * each other. A mark without a page, or a second one, is harmless and is removed with the oldest.
 * Marks do not expire, so that eviction finds expired pages by them.
 *
 * Between two lists a client writes half of the free space, or a tenth of the limit: each client
 * can exceed the limit by that much.
 */
export class SharedPageStore implements CachedPageStore {
  readonly #store: Store;
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  /** Space that may be filled before the marks are listed again. */
  #room = { bytes: 0, entries: 0 };
  #eviction: Promise<void> | undefined;

  constructor(store: Store, limits: CacheLimits, now: () => number) {
    this.#store = store;
    this.#limits = limits;
    this.#now = now;
  }

  async get(key: string): Promise<CachedPage | undefined> {
    const value = await withinPatience(this.#store.get(pageKey(key)));
    const page = value && unpackPage(value);
    // Stores have their own clocks.
    const isExpired = page !== undefined && page.cachedAt + this.#limits.retention <= this.#now();
    return isExpired ? undefined : page;
  }

  async set(key: string, page: CachedPage): Promise<void> {
    const value = packPage(page);
    if (value.length > this.#limits.maxEntryBytes) return this.delete(key);
    const expiresAt = Math.trunc(page.cachedAt + this.#limits.retention);
    const mark = markKey({ time: page.cachedAt, bytes: value.length, expiresAt, key });
    // The mark is written first: every page has one.
    await withinPatience(this.#store.set(mark, new Uint8Array(0)));
    await withinPatience(this.#store.set(pageKey(key), value, { expiresAt }));
    this.#room.bytes -= value.length;
    this.#room.entries -= 1;
    if (this.#room.bytes >= 0 && this.#room.entries >= 0) return;
    // Not awaited. If it fails, the next stored page tries again.
    this.#eviction ??= this.#evict()
      .catch(() => undefined)
      .finally(() => (this.#eviction = undefined));
  }

  async delete(key: string): Promise<void> {
    await withinPatience(this.#store.delete(pageKey(key)));
  }

  async #evict(): Promise<void> {
    const { maxBytes, maxEntries } = this.#limits;
    const marks: EvictionMark[] = [];
    for await (const text of this.#store.list(markPrefix)) {
      const mark = readMark(text);
      if (mark === undefined) await this.#store.delete(text);
      else marks.push(mark);
    }
    const newest = new Map(marks.map((mark) => [mark.key, mark]));
    const now = this.#now();
    const live = [...newest.values()].filter((mark) => mark.expiresAt > now);
    let bytes = 0;
    for (const mark of live) bytes += mark.bytes;
    let entries = live.length;
    const isTooMuch = bytes > maxBytes || entries > maxEntries;
    // A tenth below the limits, so that not every page triggers it.
    const goal = isTooMuch ? 0.9 : 1;
    for (const mark of marks) {
      if (newest.get(mark.key) !== mark) await this.#store.delete(markKey(mark));
      else if (mark.expiresAt <= now || bytes > goal * maxBytes || entries > goal * maxEntries) {
        await this.#store.delete(pageKey(mark.key));
        await this.#store.delete(markKey(mark));
        if (mark.expiresAt <= now) continue;
        bytes -= mark.bytes;
        entries -= 1;
      }
    }
    this.#room = {
      bytes: Math.max(maxBytes / 10, (maxBytes - bytes) / 2),
      entries: Math.max(maxEntries / 10, (maxEntries - entries) / 2),
    };
  }
}

interface EvictionMark {
  readonly time: number;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly key: string;
}

const markPrefix = 'cache/marks/';

function pageKey(key: string): string {
  return `cache/pages/${key}`;
}

/** Sorted by time, like lists. */
function markKey({ time, bytes, expiresAt, key }: EvictionMark): string {
  return `${markPrefix}${String(Math.trunc(time)).padStart(15, '0')}-${bytes}-${expiresAt}-${key}`;
}

function readMark(text: string): EvictionMark | undefined {
  const [, time, bytes, expiresAt, key] =
    /^(\d{15})-(\d{1,15})-(\d{1,17})-([0-9a-f]+)$/.exec(text.slice(markPrefix.length)) ?? [];
  if (key === undefined) return undefined;
  return { time: Number(time), bytes: Number(bytes), expiresAt: Number(expiresAt), key };
}

async function withinPatience<T>(work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = (): void =>
    limit.abort(
      new PagewrightError('STORAGE', `The store did not answer within ${bounds.patience} ms.`),
    );
  const timer = setTimeout(late, bounds.patience);
  try {
    return await withSignal(work, limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
