/** The interface of a store: jobs and caches keep their bytes there. */

/** Bytes by key. Keys are paths with `/`: `jobs/<id>/documents/000001`. */
export interface Store {
  /** The value, or undefined when there is none or it has expired. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores a value whole or not at all. `expiresAt` is a time in ms since 1970. */
  set(key: string, value: Uint8Array, options?: { readonly expiresAt?: number }): Promise<void>;
  /** Removes a value; no error when there is none. */
  delete(key: string): Promise<void>;
  /** The keys that start with `prefix`, sorted by code unit, expired ones left out. */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Replaces the value only if it is still `expected` (undefined: there is none, or it has
   * expired); true when it was. Of several calls at once, in several processes too, at most one
   * is told true. A key that is replaced in this way is not to be `set` at the same time.
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
   * Lets go of what the next call opens again, such as a file: `client.close()` calls it, and other clients
   * of the same store go on.
   */
  release?(): Promise<void>;
  /** Releases what the store holds open. */
  dispose?(): Promise<void>;
}

// Whether two stored values are one.

/** True when both are the same bytes, or neither is there. */
export function sameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}
