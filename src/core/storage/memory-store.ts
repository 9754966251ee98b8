/** A store in memory: the default. Its content ends with the process. */
import { sameBytes, type Store } from './store.ts';

interface StoredValue {
  readonly value: Uint8Array;
  readonly expiresAt: number;
}

/** Makes an empty store. `now` is for tests. */
export function memoryStore(now: () => number = Date.now): Store {
  const entries = new Map<string, StoredValue>();

  const live = (key: string): StoredValue | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > now()) return entry;
    entries.delete(key);
    return undefined;
  };

  const set = (key: string, value: Uint8Array, expiresAt = Infinity): void => {
    // Not `slice`: a Buffer's slice shares the caller's memory.
    entries.set(key, { value: new Uint8Array(value), expiresAt });
  };

  return {
    get: (key) => {
      const entry = live(key);
      return Promise.resolve(entry && new Uint8Array(entry.value));
    },
    set: (key, value, options = {}) => {
      set(key, value, options.expiresAt);
      return Promise.resolve();
    },
    delete: (key) => {
      entries.delete(key);
      return Promise.resolve();
    },
    async *list(prefix) {
      const keys = [...entries.keys()].filter((key) => key.startsWith(prefix)).sort();
      for (const key of keys) if (live(key) !== undefined) yield await Promise.resolve(key);
    },
    replace: (key, expected, value, options = {}) => {
      const same = sameBytes(live(key)?.value, expected);
      if (same) set(key, value, options.expiresAt);
      return Promise.resolve(same);
    },
    deleteAll: (prefix) => {
      for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
      return Promise.resolve();
    },
    dispose: () => {
      entries.clear();
      return Promise.resolve();
    },
  };
}
