/** What is in a store, in a form that can be compared. */
import type { Store } from '../storage/store.ts';

/** UTF-8. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A value as a list of its bytes. */
export async function get(store: Store, key: string): Promise<number[] | undefined> {
  const value = await store.get(key);
  return value && [...value];
}

/** All keys with a prefix. */
export async function keys(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}
