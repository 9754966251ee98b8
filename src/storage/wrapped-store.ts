/** A store over anything that keeps strings or bytes by name: what keyv and unstorage have in common. */
import { packEntry, unpackEntry } from './entry-bytes.ts';
import { entrySuffix, safeFolders, safePath } from './safe-name.ts';
import { quoted, storageError } from './storage-error.ts';
import type { Store } from './store.ts';

/** The thing, and how it is used. Names are ASCII, of lower-case letters, digits and `_-%~.`. */
export interface WrappedPlace {
  /** For messages: `keyv store`. */
  readonly title: string;
  /** What joins the parts of a name. */
  readonly separator: string;
  read(name: string): Promise<Uint8Array | undefined>;
  /** `ttl` is in ms; undefined for ever. */
  write(name: string, bytes: Buffer, ttl: number | undefined): Promise<void>;
  remove(name: string): Promise<void>;
  /** What is kept under the names that start with `start`, and maybe more. */
  all(start: string): AsyncIterable<readonly [name: string, bytes: Uint8Array]>;
}

/**
 * Makes the store. Each value is kept with its key and its expiry, so that any key has a safe name
 * and a place without expiry does too. There is no `replace`: these places compare nothing.
 */
export function wrappedStore(place: WrappedPlace): Store {
  const nameOf = (key: string): string => safePath(key).join(place.separator);

  const attempt = async <T>(verb: string, key: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const action = { store: place.title, verb, place: quoted(key) };
      throw storageError(action, error, 'Check what is behind it, then call again.');
    }
  };

  const store: Store = {
    get: (key) =>
      attempt('read', key, async () => {
        const name = nameOf(key);
        const bytes = await place.read(name);
        const entry = bytes && unpackEntry(Buffer.from(bytes), `${name} of the ${place.title}`);
        if (entry === undefined || entry.expiresAt > Date.now()) return entry?.value;
        return undefined;
      }),
    set: (key, value, { expiresAt = Infinity } = {}) => {
      const bytes = packEntry({ key, expiresAt }, value);
      const ttl = expiresAt - Date.now();
      if (ttl <= 0) return store.delete(key);
      return attempt('write', key, () =>
        place.write(nameOf(key), bytes, ttl === Infinity ? undefined : Math.ceil(ttl)),
      );
    },
    delete: (key) => attempt('remove', key, () => place.remove(nameOf(key))),
    async *list(prefix) {
      const start = safeFolders(prefix)
        .map((folder) => folder + place.separator)
        .join('');
      const keys = await attempt('list', prefix, async () => {
        const found: string[] = [];
        for await (const [name, bytes] of place.all(start)) {
          // Anything else there is not ours.
          if (!name.endsWith(entrySuffix)) continue;
          const entry = unpackEntry(Buffer.from(bytes), `${name} of the ${place.title}`);
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
