/** Where copies of pages are kept. */
import type { CachedPage } from './cached-page.ts';

/** Copies by key. What fails rejects; whoever asks goes on without a cache. */
export interface Pages {
  get(key: string): Promise<CachedPage | undefined>;
  /** A page that is too large is not kept. */
  set(key: string, page: CachedPage): Promise<void>;
  delete(key: string): Promise<void>;
}

/** How much is kept. */
export interface PageLimits {
  /** Bytes of all pages. */
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Bytes of one page. */
  readonly maxEntryBytes: number;
  /** Milliseconds that a page is kept at most. */
  readonly retention: number;
}
