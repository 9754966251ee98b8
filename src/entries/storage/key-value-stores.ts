/** Stores over the caller's keyv or unstorage. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import {
  entrySuffix,
  packEntry,
  safeFolders,
  safePath,
  unpackEntry,
} from '../../core/storage/entry-encoding.ts';
import { quoted, storageError } from '../../core/storage/storage-failures.ts';
import type { Store } from '../../core/storage/store.ts';

/** The backend and its operations. Names are ASCII: lower-case letters, digits and `_-%~.`. */
interface KeyValueBackend {
  /** For messages: `keyv store`. */
  readonly title: string;
  /** Separates the parts of a name. */
  readonly separator: string;
  read(name: string): Promise<Uint8Array | undefined>;
  /** `ttl` is in ms; undefined for ever. */
  write(name: string, bytes: Buffer, ttl: number | undefined): Promise<void>;
  remove(name: string): Promise<void>;
  /** The entries whose names start with `start`, and maybe more. */
  all(start: string): AsyncIterable<readonly [name: string, bytes: Uint8Array]>;
}

/**
 * Makes the store. Each value is stored with its key and its expiry, so that any key has a safe
 * name and backends without expiry work too. There is no `replace`: these backends cannot compare.
 */
function wrappedStore(backend: KeyValueBackend): Store {
  const nameOf = (key: string): string => safePath(key).join(backend.separator);

  const attempt = async <T>(verb: string, key: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const action = { store: backend.title, verb, target: quoted(key) };
      throw storageError(action, error, 'Check the storage backend, then call again.');
    }
  };

  const store: Store = {
    get: (key) =>
      attempt('read', key, async () => {
        const name = nameOf(key);
        const bytes = await backend.read(name);
        const entry = bytes && unpackEntry(Buffer.from(bytes), `${name} of the ${backend.title}`);
        if (entry === undefined || entry.expiresAt > Date.now()) return entry?.value;
        return undefined;
      }),
    set: (key, value, { expiresAt = Infinity } = {}) => {
      const bytes = packEntry({ key, expiresAt }, value);
      const ttl = expiresAt - Date.now();
      if (ttl <= 0) return store.delete(key);
      return attempt('write', key, () =>
        backend.write(nameOf(key), bytes, ttl === Infinity ? undefined : Math.ceil(ttl)),
      );
    },
    delete: (key) => attempt('remove', key, () => backend.remove(nameOf(key))),
    async *list(prefix) {
      const start = safeFolders(prefix)
        .map((folder) => folder + backend.separator)
        .join('');
      const keys = await attempt('list', prefix, async () => {
        const found: string[] = [];
        for await (const [name, bytes] of backend.all(start)) {
          // Other entries there do not belong to the store.
          if (!name.endsWith(entrySuffix)) continue;
          const entry = unpackEntry(Buffer.from(bytes), `${name} of the ${backend.title}`);
          const isOurs = name === nameOf(entry.key) && entry.key.startsWith(prefix);
          if (isOurs && entry.expiresAt > Date.now()) found.push(entry.key);
        }
        return found;
      });
      yield* keys.sort();
    },
  };
  return store;
}

// A store over the caller's keyv.

/** The part of a `Keyv` that is used, version 4.5 or newer. */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  set(key: string, value: string, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Absent for adapters that cannot iterate their keys. */
  iterator?: ((argument?: undefined) => AsyncIterable<unknown>) | undefined;
  /** Must be true; version 4 lacks it, and always throws. */
  readonly throwOnErrors?: boolean | undefined;
}

/**
 * Keeps values as base64 under safe names in `keyv`, which the caller closes and, from version 5 on, has to make
 * with `throwOnErrors: true`. A list iterates its whole namespace. Without `replace`: two processes must
 * not run one job. Throws `STORAGE`, also for a list if the adapter has no iterator.
 */
export function keyvStore(keyv: KeyvLike): Store {
  if (keyv.throwOnErrors === false) {
    throw new PagewrightError(
      'BAD_REQUEST',
      'keyvStore: make the keyv with { throwOnErrors: true }. Without it a read that failed looks like a value that is not there.',
    );
  }

  return wrappedStore({
    title: 'keyv store',
    separator: '/',
    read: async (name) => {
      const value = await keyv.get(name);
      return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
    },
    write: async (name, bytes, ttl) => {
      const done = await keyv.set(name, bytes.toString('base64'), ttl);
      if (done === false) throw new Error('keyv.set gave false');
    },
    remove: async (name) => {
      await keyv.delete(name);
    },
    async *all(start) {
      if (keyv.iterator === undefined) {
        throw new PagewrightError(
          'STORAGE',
          'The keyv store cannot list its keys: the adapter of this keyv has no iterator. Use an adapter that has one (a Map, @keyv/redis, @keyv/sqlite), or another store.',
        );
      }
      for await (const entry of keyv.iterator()) {
        const [name, value] = entry as readonly [unknown, unknown];
        if (typeof name !== 'string' || typeof value !== 'string') continue;
        if (name.startsWith(start)) yield [name, Buffer.from(value, 'base64')];
      }
    },
  });
}

// A store over the caller's unstorage.

/** The part of a `Storage` of unstorage that is used, version 1.10 or newer. */
export interface UnstorageLike {
  getItemRaw(key: string): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<readonly string[]>;
  getMount(key: string): { readonly driver: object };
}

const readAtOnce = 20; // values read concurrently for a list

/**
 * Keeps values as bytes under safe names in `storage`, which the caller disposes of. A list reads
 * every value below its prefix. Atomic writes depend on the driver: a cut value is a `STORAGE`
 * error, not a wrong value. Without `replace`: two processes must not run one job. Throws
 * `STORAGE`.
 */
export function unstorageStore(storage: UnstorageLike): Store {
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    const value = await storage.getItemRaw(name);
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (value instanceof Uint8Array) return value;
    if (value === null || value === undefined) return undefined;
    throw new Error(`its driver gave ${typeof value} instead of bytes`);
  };
  /** unstorage silently skips operations that a driver does not support. */
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
