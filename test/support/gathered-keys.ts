/** The keys of a store as a list. */
import type { Store } from '../../src/index.ts';

/** Sorted. */
export async function gatheredKeys(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}
