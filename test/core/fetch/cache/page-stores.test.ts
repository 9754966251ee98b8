import { describe, expect, it, vi } from 'vitest';
import type { CachedPage } from '../../../../src/core/fetch/cache/cached-page.ts';
import { MemoryPageStore, SharedPageStore } from '../../../../src/core/fetch/cache/open-cache.ts';
import { memoryStore } from '../../../../src/core/storage/memory-store.ts';
import type { Store } from '../../../../src/core/storage/store.ts';

let time = 1_800_000_000_000;
const now = (): number => time;
const limits = { maxBytes: 100_000, maxEntries: 1000, maxEntryBytes: 50_000, retention: 60_000 };
const keyOf = (index: number): string => index.toString(16).padStart(64, '0');
const pageOf = (size: number): CachedPage => ({
  url: 'https://site.test/',
  snapshot: {
    url: 'https://site.test/',
    statusCode: 200,
    headers: {},
    body: new Uint8Array(size),
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  },
  reason: '',
  proxyUsed: 'basic',
  isRendered: false,
  askedAt: time,
  cachedAt: (time += 1),
});

async function keysIn(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

async function bytesIn(store: Store): Promise<number> {
  let bytes = 0;
  for (const key of await keysIn(store, 'cache/pages/'))
    bytes += (await store.get(key))?.length ?? 0;
  return bytes;
}

describe('in memory', () => {
  it('gives the page that was kept, without a copy of its body', async () => {
    const pages = new MemoryPageStore(limits, now);
    const page = pageOf(10);
    await pages.set('a', page);
    expect(await pages.get('a')).toBe(page);
    await pages.delete('a');
    expect(await pages.get('a')).toBeUndefined();
  });

  it('drops what was not used for longest', async () => {
    const pages = new MemoryPageStore({ ...limits, maxEntries: 3 }, now);
    for (const key of ['a', 'b', 'c']) await pages.set(key, pageOf(10));
    await pages.get('a');
    await pages.set('d', pageOf(10));
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => pages.get(key)));
    expect(found.map((page) => page !== undefined)).toEqual([true, false, true, true]);
  });

  it('stays below its bytes, also when pages are replaced', async () => {
    const pages = new MemoryPageStore(limits, now);
    for (let index = 0; index < 200; index += 1) await pages.set(keyOf(index % 7), pageOf(20_000));
    const found = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((index) => pages.get(keyOf(index))));
    expect(found.filter((page) => page !== undefined)).toHaveLength(4);
  });

  it('does not keep what is too large, and not the version before it', async () => {
    const pages = new MemoryPageStore(limits, now);
    await pages.set('a', pageOf(10));
    await pages.set('a', pageOf(50_001));
    expect(await pages.get('a')).toBeUndefined();
  });

  it('forgets a page after its time', async () => {
    const pages = new MemoryPageStore(limits, now);
    await pages.set('a', pageOf(10));
    time += 60_000;
    expect(await pages.get('a')).toBeUndefined();
  });
});

describe('in a store', () => {
  const store = (): Store => memoryStore(now);

  it('gives the page that was kept, to another client too', async () => {
    const shared = store();
    const page = pageOf(10);
    await new SharedPageStore(shared, limits, now).set(keyOf(1), page);
    expect(await new SharedPageStore(shared, limits, now).get(keyOf(1))).toEqual(page);
  });

  it('keeps two clients on one store near its limit, the newest pages in it', async () => {
    const shared = store();
    const clients = [
      new SharedPageStore(shared, limits, now),
      new SharedPageStore(shared, limits, now),
    ];
    for (let index = 0; index < 200; index += 1) {
      await clients[index % 2]?.set(keyOf(index), pageOf(5000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(async () => expect(await bytesIn(shared)).toBeLessThanOrEqual(130_000));
    expect(await bytesIn(shared)).toBeGreaterThan(60_000);
    expect(await clients[0]?.get(keyOf(199))).toBeDefined();
    expect(await clients[0]?.get(keyOf(0))).toBeUndefined();
    // Marks do not pile up either.
    expect((await keysIn(shared, 'cache/marks/')).length).toBeLessThan(40);
  });

  it('keeps within a number of pages', async () => {
    const shared = store();
    const pages = new SharedPageStore(shared, { ...limits, maxEntries: 10 }, now);
    for (let index = 0; index < 60; index += 1) {
      await pages.set(keyOf(index), pageOf(10));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(async () =>
      expect((await keysIn(shared, 'cache/pages/')).length).toBeLessThanOrEqual(12),
    );
  });

  it('does not lose a page that was kept again, when the mark of before goes', async () => {
    const shared = store();
    const pages = new SharedPageStore(shared, limits, now);
    for (let index = 0; index < 100; index += 1) {
      await pages.set(keyOf(1), pageOf(5000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await pages.get(keyOf(1))).toBeDefined();
  });

  it('removes pages after their time, whether or not anything reads them', async () => {
    // All that are there, expired ones too.
    const kept = new Set<string>();
    const inner = store();
    const shared: Store = {
      ...inner,
      set: (key, ...rest) => inner.set(key, ...rest).then(() => void kept.add(key)),
      delete: (key) => inner.delete(key).then(() => void kept.delete(key)),
    };
    const other = new SharedPageStore(shared, { ...limits, retention: 3_600_000 }, now);
    await other.set(keyOf(0), pageOf(5000));
    const pages = new SharedPageStore(shared, limits, now);
    for (let index = 1; index <= 10; index += 1) await pages.set(keyOf(index), pageOf(5000));
    time += 60_000;
    await new SharedPageStore(shared, limits, now).set(keyOf(11), pageOf(5000));
    await vi.waitFor(() => expect(kept.size).toBe(4));
    // That of a client that keeps its pages longer stays.
    expect(await other.get(keyOf(0))).toBeDefined();
    expect(await pages.get(keyOf(11))).toBeDefined();
  });

  it('removes marks that it cannot read', async () => {
    const shared = store();
    await shared.set('cache/marks/garbage', new Uint8Array(0));
    await new SharedPageStore(shared, limits, now).set(keyOf(1), pageOf(10));
    await vi.waitFor(async () => expect(await keysIn(shared, 'cache/marks/')).toHaveLength(1));
  });

  it('takes a damaged page for none', async () => {
    const shared = store();
    const pages = new SharedPageStore(shared, limits, now);
    await pages.set(keyOf(1), pageOf(10));
    await shared.set(`cache/pages/${keyOf(1)}`, new Uint8Array([1, 2, 3]));
    expect(await pages.get(keyOf(1))).toBeUndefined();
  });

  it('waits two seconds for a store that does not answer', async () => {
    const silent = { ...store(), get: () => new Promise<undefined>(() => undefined) };
    await expect(new SharedPageStore(silent, limits, now).get('a')).rejects.toMatchObject({
      code: 'STORAGE',
    });
  });
});
