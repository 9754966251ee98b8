/** A store over the caller's keyv. */
import { PagewrightError } from '../errors.ts';
import type { Store } from './store.ts';
import { wrappedStore } from './wrapped-store.ts';

/** What is used of a `Keyv`, version 5 or newer. */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  set(key: string, value: string, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Absent with adapters that cannot go through their keys. */
  iterator?: ((argument?: unknown) => AsyncIterable<unknown>) | undefined;
  /** Has to be true. */
  readonly throwOnErrors: boolean;
}

/**
 * Keeps values as base64 under safe names in `keyv`, which stays the caller's to close and has to
 * be made with `throwOnErrors: true`. A list goes through all that its namespace holds. Without
 * `replace`: two processes must not run one job. Throws `STORAGE`, also for a list where the
 * adapter has no iterator.
 */
export function keyvStore(keyv: KeyvLike): Store {
  if (!keyv.throwOnErrors) {
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
