/** Copies in memory: the objects themselves. Those that were not used for longest go first. */
import type { CachedPage } from './cached-page.ts';
import type { PageLimits, Pages } from './pages.ts';

/** What an entry takes beside its bodies: headers, strings and objects, roughly. */
const overhead = 2000;

interface Entry {
  readonly page: CachedPage;
  readonly bytes: number;
}

/** Keeps within its limits at any time. */
export class MemoryPages implements Pages {
  readonly #limits: PageLimits;
  readonly #now: () => number;
  /** The one used last stands last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: PageLimits, now: () => number) {
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
    const bytes = body.length + (captures?.screenshot?.bytes.length ?? 0) + overhead;
    this.#remove(key);
    if (bytes > maxEntryBytes + overhead || bytes > maxBytes) return Promise.resolve();
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

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
