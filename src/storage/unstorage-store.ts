/** A store over the caller's unstorage. */
import type { Store } from './store.ts';
import { wrappedStore } from './wrapped-store.ts';

/** What is used of a `Storage` of unstorage, version 1.10 or newer. */
export interface UnstorageLike {
  getItemRaw(key: string): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<readonly string[]>;
  getMount(key: string): { readonly driver: object };
}

/** So many values are read at once for a list. */
const readAtOnce = 20;

/**
 * Keeps values as bytes under safe names in `storage`, which stays the caller's to dispose of. A
 * list reads every value below its prefix. Whether a value appears whole or not at all is up to the
 * driver: one that is cut is a `STORAGE` error, no wrong value. Without `replace`: two processes
 * must not run one job. Throws `STORAGE`.
 */
export function unstorageStore(storage: UnstorageLike): Store {
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    const value = await storage.getItemRaw(name);
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (value instanceof Uint8Array) return value;
    if (value === null || value === undefined) return undefined;
    throw new Error(`its driver gave ${typeof value} in place of bytes`);
  };
  /** unstorage passes over what a driver cannot do without a word. */
  const checkDriver = (name: string, ...methods: readonly string[]): void => {
    const { driver } = storage.getMount(name);
    if (methods.some((method) => method in driver)) return;
    throw new Error(`its driver has no ${methods.join(' or ')}`);
  };

  return wrappedStore({
    title: 'unstorage store',
    separator: ':',
    read,
    write: async (name, bytes) => {
      checkDriver(name, 'setItemRaw', 'setItem');
      await storage.setItemRaw(name, bytes);
    },
    remove: async (name) => {
      checkDriver(name, 'removeItem');
      await storage.removeItem(name);
    },
    async *all(start) {
      const names = await storage.getKeys(start);
      for (let at = 0; at < names.length; at += readAtOnce) {
        const some = names.slice(at, at + readAtOnce).filter((name) => name.endsWith('.entry'));
        const values = await Promise.all(some.map(read));
        for (const [index, value] of values.entries()) {
          const name = some[index];
          if (name !== undefined && value !== undefined) yield [name, value];
        }
      }
    },
  });
}
