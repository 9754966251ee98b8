/** What several visits with one profile leave behind: each change counts, the last one of an item wins. */
import type { BrowserState, OriginState } from './stored-state.ts';

/**
 * Applies what a visit changed, from `before` to `after`, to what is `stored` by now. Items are
 * cookies (by name, domain and path), entries of localStorage and whole IndexedDB databases. What
 * the visit left alone stays as other visits have stored it; what it removed is removed.
 */
export function mergeStates(
  stored: BrowserState,
  before: BrowserState,
  after: BrowserState,
): BrowserState {
  const cookies = mergeItems(stored.cookies, before.cookies, after.cookies, cookieKey);
  const origins = new Set([...stored.origins, ...after.origins].map((origin) => origin.origin));
  return {
    cookies,
    origins: [...origins].map((name) => {
      const [first, second, third] = [stored, before, after].map((state) => find(state, name));
      return mergeOrigin(first ?? none(name), second ?? none(name), third ?? none(name));
    }),
  };
}

/** The state of a browser that has been nowhere. */
export const emptyState: BrowserState = { cookies: [], origins: [] };

function mergeOrigin(stored: OriginState, before: OriginState, after: OriginState): OriginState {
  const { localStorage } = stored;
  const databases = mergeItems(
    stored.indexedDB ?? [],
    before.indexedDB ?? [],
    after.indexedDB ?? [],
    ({ name }) => name,
  );
  return {
    origin: stored.origin,
    localStorage: mergeItems(
      localStorage,
      before.localStorage,
      after.localStorage,
      ({ name }) => name,
    ),
    ...(databases.length === 0 ? {} : { indexedDB: databases }),
  };
}

function mergeItems<Item>(
  stored: readonly Item[],
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const merged = new Map(stored.map((item) => [keyOf(item), item]));
  const old = new Map(before.map((item) => [keyOf(item), JSON.stringify(item)]));
  for (const item of after) {
    const key = keyOf(item);
    if (old.get(key) !== JSON.stringify(item)) merged.set(key, item);
    old.delete(key);
  }
  // What is left was there before the visit and is gone after it.
  for (const key of old.keys()) merged.delete(key);
  return [...merged.values()];
}

function cookieKey({ name, domain, path }: BrowserState['cookies'][number]): string {
  return JSON.stringify([name, domain, path]);
}

function find(state: BrowserState, name: string): OriginState | undefined {
  return state.origins.find(({ origin }) => origin === name);
}

function none(origin: string): OriginState {
  return { origin, localStorage: [] };
}
