import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openRequestQueue } from '../../../../src/core/frontier/queue/request-queue.ts';
import { memoryRequestQueue } from '../../../../src/core/storage/request-queue-storage.ts';

const requests = (
  from: number,
  to: number,
): { url: string; uniqueKey: string; userData: Record<string, unknown> }[] =>
  Array.from({ length: to - from }, (_, n) => {
    const url = `http://site.test/${from + n}`;
    return { url, uniqueKey: url, userData: { n: from + n } };
  });

describe("Crawlee's queue over our storage", () => {
  it('is first in, first out over more than one head of requests', async () => {
    const queue = await openRequestQueue('a', memoryRequestQueue());
    await queue.add(requests(0, 60));
    await queue.add(requests(60, 450));
    const order: unknown[] = [];
    for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
      order.push(next.userData.n);
      if (order.length === 100) await queue.add(requests(450, 500));
      await queue.markHandled(next);
    }
    expect(order).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });

  it('takes a key once, also after it was handled', async () => {
    const queue = await openRequestQueue('a', memoryRequestQueue());
    await queue.add(requests(0, 2));
    const first = await queue.next();
    if (first !== undefined) await queue.markHandled(first);
    await queue.add(requests(0, 3));
    const urls = [(await queue.next())?.url, (await queue.next())?.url, (await queue.next())?.url];
    expect(urls).toEqual(['http://site.test/1', 'http://site.test/2', undefined]);
  });

  it('keeps no memory beside that of the storage', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const warm = await openRequestQueue('warm', memoryRequestQueue());
    collect();
    const before = process.memoryUsage().heapUsed;
    const queues = [warm];
    for (let n = 0; n < 20; n++)
      queues.push(await openRequestQueue(String(n), memoryRequestQueue()));
    collect();
    // Crawlee's cache of seen keys has 16 MB a queue.
    expect((process.memoryUsage().heapUsed - before) / queues.length).toBeLessThan(1e6);
  });

  it('touches nothing global: no listener limit, no files, no signal handlers', async () => {
    const before = {
      max: EventEmitter.defaultMaxListeners,
      signals: process.listenerCount('SIGINT'),
    };
    const queues = await Promise.all(
      Array.from({ length: 20 }, (_, n) => openRequestQueue(String(n), memoryRequestQueue())),
    );
    for (const queue of queues) await queue.add(requests(0, 5));
    expect(EventEmitter.defaultMaxListeners).toBe(before.max);
    expect(process.listenerCount('SIGINT')).toBe(before.signals);
    expect(existsSync('storage')).toBe(false);
  });
});
