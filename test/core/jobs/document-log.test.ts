import { describe, expect, it } from 'vitest';
import { DocumentLog } from '../../../src/core/jobs/document-log.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const small = { title: 'Ünïcödé 漢字', at: new Date(5), tags: new Map([['a', [1]]]) };
const large = { ...small, bytes: new Uint8Array([1, 2, 3]), text: 'reeds and weirs '.repeat(3000) };

describe('DocumentLog', () => {
  it('gives back equal values in their order, small and large ones', async () => {
    const log = new DocumentLog<object>(memoryStore(), 'j');
    await log.append(small);
    await log.append(large);
    expect(log.length).toBe(2);
    expect(await log.readAll()).toEqual([small, large]);
    for (let n = 0; n < 50; n += 1) await log.append({ ...large, n });
    expect(await log.read(1)).toEqual(large);
    expect(await log.read(2)).toEqual({ ...large, n: 0 });
    expect(await log.read(51)).toEqual({ ...large, n: 49 });
    expect(await log.read(0)).not.toBe(small);
  });

  it('packs large documents in the store, while their size stays the whole one', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j');
    await log.append(large);
    const stored = await store.get('jobs/j/documents/00000000');
    expect(stored?.length).toBeLessThan(5000);
    expect(log.size(0)).toBeGreaterThan(48_000);
  });

  it('is one document’s failure when it is no plain data', async () => {
    const log = new DocumentLog<object>(memoryStore(), 'j');
    await expect(log.append({ run: () => 1 })).rejects.toMatchObject({ code: 'HOOK_FAILED' });
    expect(log.length).toBe(0);
  });

  it.each(['set', 'get', 'delete'] as const)('does not wait for ever for %s', async (method) => {
    const store: Store = { ...memoryStore(), [method]: never };
    const log = new DocumentLog<object>(store, 'j', { timeout: 50 });
    const use = async (): Promise<void> => {
      // The last documents are not asked of the store.
      for (let n = 0; n < 25; n += 1) await log.append(large);
      await log.read(0);
      await log.drop();
    };
    await expect(use()).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining('50 ms') as string,
    });
  });

  it('stops waiting when the job is cancelled', async () => {
    const log = new DocumentLog<object>({ ...memoryStore(), set: never }, 'j');
    const abort = new AbortController();
    const append = log.append(small, abort.signal);
    abort.abort();
    await expect(append).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('stores what is to be forgotten only when it waits too long', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j', { keepsDocuments: false });
    for (let n = 0; n < 50; n += 1) {
      await log.append({ ...large, n });
      await log.forget(n);
    }
    for await (const key of store.list('')) expect.fail(`${key} was stored`);
    expect(await log.read(49)).toEqual({ ...large, n: 49 });
    for (let n = 50; n < 100; n += 1) await log.append({ ...large, n });
    expect(await log.read(49)).toEqual({ ...large, n: 49 });
    expect(await log.read(99)).toEqual({ ...large, n: 99 });
    await log.forget(100);
    for await (const key of store.list('')) expect.fail(`${key} is still there`);
  });

  it('leaves nothing behind of what is forgotten while it is being stored', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j', { keepsDocuments: false });
    for (let n = 0; n < 20; n += 1) await log.append(large);
    const appended = log.append(large);
    await log.forget(20);
    await appended;
    await log.forget(21);
    for await (const key of store.list('')) expect.fail(`${key} is still there`);
  });

  it('leaves nothing in the store when it is dropped', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j');
    for (let n = 0; n < 5; n += 1) await log.append(large);
    await log.drop();
    for await (const key of store.list('')) expect.fail(`${key} is still there`);
    expect(log.length).toBe(0);
  });
});
