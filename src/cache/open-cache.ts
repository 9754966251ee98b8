/** The cache of a client, as the caller wants it. */
import { createHash } from 'node:crypto';
import type { Store } from '../storage/store.ts';
import { MemoryPages } from './memory-pages.ts';
import { PageCache, type PageCacheSettings } from './page-cache.ts';
import { StoredPages } from './stored-pages.ts';

/** Options of `cache` of a client. */
export interface CacheOptions {
  /** Where copies are kept. @default the client's `storage`; without one, in memory */
  readonly store?: Store | undefined;
  /** Bytes of all copies; the oldest go first. @default 100000000 in a store, 64000000 in memory */
  readonly maxBytes?: number | undefined;
  /** Copies kept. @default 10000 */
  readonly maxEntries?: number | undefined;
  /** Bytes of one copy; larger pages are not kept. @default an eighth of `maxBytes` */
  readonly maxEntryBytes?: number | undefined;
  /** Milliseconds that a copy is kept. @default 604800000 (7 days) */
  readonly retention?: number | undefined;
  /**
   * A copy is used only as long as the headers of its response allow it, and `no-store` is not kept
   * (RFC 9111, as a browser's cache does it); `maxAge` can only shorten that.
   * @default false
   */
  readonly respectHeaders?: boolean | undefined;
}

const defaultRetention = 7 * 24 * 60 * 60 * 1000;

/** Makes the cache; undefined for `cache: false`. */
export function openCache(
  options: CacheOptions | false | undefined,
  client: Pick<PageCacheSettings, 'now' | 'isRendering'> & {
    readonly storage: Store | undefined;
    /** What makes the pages of this client others than those of another one on the same store. */
    readonly scope: unknown;
  },
): PageCache | undefined {
  if (options === false) return undefined;
  const { now, isRendering, storage } = client;
  const { store = storage, maxEntries = 10_000, respectHeaders = false } = options ?? {};
  const { maxBytes = store === undefined ? 64_000_000 : 100_000_000 } = options ?? {};
  const { maxEntryBytes = maxBytes / 8, retention = defaultRetention } = options ?? {};
  const limits = { maxBytes, maxEntries, maxEntryBytes, retention };
  const pages =
    store === undefined ? new MemoryPages(limits, now) : new StoredPages(store, limits, now);
  // It may hold secrets: those of a client certificate.
  const scope = createHash('sha256').update(JSON.stringify(client.scope)).digest('hex');
  return new PageCache({ pages, now, scope, isRendering, respectHeaders });
}
