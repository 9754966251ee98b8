import { describe, expect, it } from 'vitest';
import { DocumentLog } from '../../../src/core/jobs/document-log.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const small = { title: 'Ünïcödé 漢字', at: new Date(5), tags: new Map([['a', [1]]]) };
const large = { ...small, bytes: new Uint8Array([1, 2, 3]), text: 'reeds and weirs '.repeat(3000) };
/** 16 of them fill the memory of a log. */
const huge = { text: 'reeds and weirs '.repeat(250_000) };

describe('DocumentLog', () => {
  it('gives back equal values in their order, small and large ones', async () => {
    const log = new DocumentLog<object>(memoryStore(), 'j');
    await log.append(small);
    await log.append(large);
    expect(log.length).toBe(2);
    expect(await log.readAll()).toEqual([small, large]);
    for (let n = 0; n < 30; n += 1) await log.append({ ...huge, n });
    expect(await log.read(1)).toEqual(large);
    expect(await log.read(2)).toEqual({ ...huge, n: 0 });
    expect(await log.read(31)).toEqual({ ...huge, n: 29 });
    expect(await log.read(0)).not.toBe(small);
  });

  it('packs the oldest documents in the store when there are too many, their size stays the whole one', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j');
    for (let n = 0; n < 15; n += 1) await log.append(huge);
    for await (const key of store.list('')) expect.fail(`${key} was stored`);
    await log.append(huge);
    const stored = await store.get('jobs/j/documents/00000000');
    expect(stored?.length).toBeLessThan(500_000);
    expect(log.size(0)).toBeGreaterThan(4_000_000);
    expect(await log.read(0)).toEqual(huge);
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
      for (let n = 0; n < 17; n += 1) await log.append(huge);
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
    for (let n = 0; n < 15; n += 1) await log.append(huge);
    const abort = new AbortController();
    const append = log.append(huge, abort.signal);
    abort.abort();
    await expect(append).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('stores nothing for a reader that keeps up, and nothing stays of what is forgotten', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j');
    for (let n = 0; n < 50; n += 1) {
      await log.append({ ...huge, n });
      await log.forget(n);
    }
    for await (const key of store.list('')) expect.fail(`${key} was stored`);
    expect(await log.read(49)).toEqual({ ...huge, n: 49 });
    for (let n = 50; n < 80; n += 1) await log.append({ ...huge, n });
    expect(await log.read(49)).toEqual({ ...huge, n: 49 });
    expect(await log.read(79)).toEqual({ ...huge, n: 79 });
    await log.forget(80);
    for await (const key of store.list('')) expect.fail(`${key} is still there`);
  });

  it('leaves nothing behind of what is forgotten while it is being stored', async () => {
    const store = memoryStore();
    const log = new DocumentLog<object>(store, 'j');
    for (let n = 0; n < 15; n += 1) await log.append(huge);
    const appended = log.append(huge);
    await log.forget(15);
    await appended;
    await log.forget(16);
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
