/** Copies in a store, which other clients and processes may use at the same time. */
import { PagewrightError } from '../errors.ts';
import { withSignal } from '../network/deadline.ts';
import type { Store } from '../storage/store.ts';
import { type CachedPage, packPage, unpackPage } from './cached-page.ts';
import type { PageLimits, Pages } from './pages.ts';

/** Milliseconds that a page waits for the store, each time. */
const patience = 2000;

/**
 * Beside each page stands an empty mark whose key tells its time, its size and the page's key: all that
 * eviction needs to know comes with one list, and clients need no index that each would overwrite for
 * the others. A mark without its page, or a second one, does no harm and goes with the oldest.
 *
 * Between two lists a client writes half of what was free, or a tenth of the limit: that is how far
 * each client can be beyond it.
 */
export class StoredPages implements Pages {
  readonly #store: Store;
  readonly #limits: PageLimits;
  readonly #now: () => number;
  /** What may be written before the marks are looked at again. */
  #room = { bytes: 0, entries: 0 };
  #eviction: Promise<void> | undefined;

  constructor(store: Store, limits: PageLimits, now: () => number) {
    this.#store = store;
    this.#limits = limits;
    this.#now = now;
  }

  async get(key: string): Promise<CachedPage | undefined> {
    const value = await inTime(this.#store.get(pageKey(key)));
    const page = value && unpackPage(value);
    // Stores have a clock of their own.
    const isExpired = page !== undefined && page.cachedAt + this.#limits.retention <= this.#now();
    return isExpired ? undefined : page;
  }

  async set(key: string, page: CachedPage): Promise<void> {
    const value = packPage(page);
    if (value.length > this.#limits.maxEntryBytes) return this.delete(key);
    const expiresAt = page.cachedAt + this.#limits.retention;
    const mark = markKey({ time: page.cachedAt, bytes: value.length, key });
    // The mark first: no page is without one.
    await inTime(this.#store.set(mark, new Uint8Array(0), { expiresAt }));
    await inTime(this.#store.set(pageKey(key), value, { expiresAt }));
    this.#room.bytes -= value.length;
    this.#room.entries -= 1;
    if (this.#room.bytes >= 0 && this.#room.entries >= 0) return;
    // Nobody waits for it. When it fails, the next page that is kept tries again.
    this.#eviction ??= this.#evict()
      .catch(() => undefined)
      .finally(() => (this.#eviction = undefined));
  }

  async delete(key: string): Promise<void> {
    await inTime(this.#store.delete(pageKey(key)));
  }

  async #evict(): Promise<void> {
    const { maxBytes, maxEntries } = this.#limits;
    const marks: Mark[] = [];
    for await (const text of this.#store.list(markPrefix)) {
      const mark = readMark(text);
      if (mark === undefined) await this.#store.delete(text);
      else marks.push(mark);
    }
    const newest = new Map(marks.map((mark) => [mark.key, mark]));
    let bytes = 0;
    for (const mark of newest.values()) bytes += mark.bytes;
    let entries = newest.size;
    const isTooMuch = bytes > maxBytes || entries > maxEntries;
    // A tenth below the limits, so that this is not done for every page.
    const goal = isTooMuch ? 0.9 : 1;
    for (const mark of marks) {
      if (newest.get(mark.key) !== mark) await this.#store.delete(markKey(mark));
      else if (bytes > goal * maxBytes || entries > goal * maxEntries) {
        await this.#store.delete(pageKey(mark.key));
        await this.#store.delete(markKey(mark));
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

interface Mark {
  readonly time: number;
  readonly bytes: number;
  readonly key: string;
}

const markPrefix = 'cache/marks/';

function pageKey(key: string): string {
  return `cache/pages/${key}`;
}

/** In the order of time, as lists are sorted. */
function markKey({ time, bytes, key }: Mark): string {
  return `${markPrefix}${String(Math.trunc(time)).padStart(15, '0')}-${bytes}-${key}`;
}

function readMark(text: string): Mark | undefined {
  const [, time, bytes, key] =
    /^(\d{15})-(\d{1,15})-([0-9a-f]+)$/.exec(text.slice(markPrefix.length)) ?? [];
  return key === undefined ? undefined : { time: Number(time), bytes: Number(bytes), key };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = (): void =>
    limit.abort(new PagewrightError('STORAGE', `The store did not answer within ${patience} ms.`));
  const timer = setTimeout(late, patience);
  try {
    return await withSignal(work, limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
