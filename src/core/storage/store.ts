/** The interface of a store: jobs and caches keep their bytes there. */
import { PagewrightError } from '../runtime/errors.ts';

/** Bytes by key. Keys are paths with `/`: `jobs/<id>/documents/000001`. */
export interface Store {
  /** The value, or undefined if there is none or it has expired. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores a value atomically. `expiresAt` is a time in ms since 1970. */
  set(key: string, value: Uint8Array, options?: { readonly expiresAt?: number }): Promise<void>;
  /** Removes a value; no error if there is none. */
  delete(key: string): Promise<void>;
  /** The keys that start with `prefix`, sorted by code unit, expired ones left out. */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Replaces the value only if it is still `expected` (undefined: there is none, or it has
   * expired); true if it was. Of several concurrent calls, in several processes too, at most one
   * gets true. A key replaced in this way must not be `set` at the same time.
   */
  replace?(
    key: string,
    expected: Uint8Array | undefined,
    value: Uint8Array,
    options?: { readonly expiresAt?: number },
  ): Promise<boolean>;
  /** Removes every value whose key starts with `prefix`: cheaper than one by one. */
  deleteAll?(prefix: string): Promise<void>;
  /**
   * Releases resources that the next call reopens, such as a file: `client.close()` calls it, and
   * other clients of the same store go on.
   */
  release?(): Promise<void>;
  /** Releases all resources of the store. */
  dispose?(): Promise<void>;
}

// Compares stored values, and replaces one that did not change.

/** Replaces the value if it is still `expected`; not atomic where the store has no `replace`. */
export async function replaceStored(
  store: Store,
  key: string,
  expected: Uint8Array | undefined,
  value: Uint8Array,
): Promise<boolean> {
  if (store.replace !== undefined) return store.replace(key, expected, value);
  if (!sameBytes(await store.get(key), expected)) return false;
  await store.set(key, value);
  return true;
}

const attempts = 20; // to write a value, when other processes write at the same time

/** Updates a value despite other writers. Throws `STORAGE` when they always win. */
export async function updateStored(
  store: Store,
  key: string,
  change: (stored: Uint8Array | undefined) => Uint8Array,
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const stored = await store.get(key);
    if (await replaceStored(store, key, stored, change(stored))) return;
  }
  throw new PagewrightError('STORAGE', `${key} is written by other processes all the time.`);
}

/** True when both have the same bytes, or both are missing. */
export function sameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}
