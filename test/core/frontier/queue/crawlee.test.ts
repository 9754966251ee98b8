import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StorageClient, UpdateRequestSchema } from '@crawlee/types';
import { Configuration, RequestQueue, RequestQueueV1 } from '@crawlee/core';
import { createClient } from 'pagewright';
import {
  type CrawleeStorageBackend,
  fromCrawlee,
  memoryRequestQueue,
  type RequestQueueStorage,
  toCrawlee,
} from 'pagewright/crawlee';
import { linkedSite, requestQueueConformance } from 'pagewright/testing';
import { describe, expect, it, test } from 'vitest';
import { memoryWeb } from '../../../support/memory-web.ts';
import { rareTest } from '../../../support/deep.ts';

interface MemoryStorageModule {
  readonly MemoryStorage: new (options: {
    readonly persistStorage?: boolean;
    readonly localDataDirectory?: string;
  }) => StorageClient;
}

// It comes with Crawlee's core, which alone is a dependency.
const { MemoryStorage } = createRequire(createRequire(import.meta.url).resolve('@crawlee/core'))(
  '@crawlee/memory-storage',
) as MemoryStorageModule;

const memory = (): StorageClient => new MemoryStorage({ persistStorage: false });
const request = (
  n: number,
): { url: string; uniqueKey: string; userData: { n: number }; retryCount: number } => ({
  url: `http://site.test/${n}`,
  uniqueKey: `/${n}`,
  userData: { n },
  retryCount: 0,
});

describe('a request queue kept by a storage client of Crawlee', () => {
  let made = 0;
  for (const { name, run } of requestQueueConformance(() =>
    fromCrawlee(memory())(`queue-${made++}`),
  ))
    test(name, run);

  it('is found again with what was not handled, by another process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-crawlee-'));
    const open = (): ReturnType<ReturnType<typeof fromCrawlee>> =>
      fromCrawlee(new MemoryStorage({ persistStorage: true, localDataDirectory: folder }))('crawl');
    const before = open();
    await before.addBatchOfRequests(Array.from({ length: 250 }, (_, n) => request(n)));
    for (let n = 0; n < 40; n++) {
      const next = await before.fetchNextRequest();
      if (n < 30) await before.markRequestAsHandled(next?.uniqueKey ?? '');
    }
    expect(readdirSync(folder)).toEqual(['request_queues']);
    const after = open();
    const left: unknown[] = [];
    for (
      let next = await after.fetchNextRequest();
      next !== undefined;
      next = await after.fetchNextRequest()
    ) {
      left.push(next.userData['n']);
      await after.markRequestAsHandled(next.uniqueKey);
    }
    expect(left.sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 220 }, (_, n) => n + 30),
    );
    expect(await after.isFinished()).toBe(true);
    expect(await after.addBatchOfRequests([request(7)])).toEqual([
      { uniqueKey: '/7', wasAlreadyPresent: true, wasAlreadyHandled: true },
    ]);
  });

  it('says which request was not taken', async () => {
    const client = memory();
    const broken: StorageClient = {
      ...client,
      requestQueues: () => client.requestQueues(),
      requestQueue: (id) => ({
        ...client.requestQueue(id),
        batchAddRequests: (requests) =>
          Promise.resolve({
            processedRequests: [],
            unprocessedRequests: requests.map(({ url, uniqueKey }) => ({ url, uniqueKey })),
          }),
      }),
    };
    await expect(
      fromCrawlee(broken)('crawl').addBatchOfRequests([request(1)]),
    ).rejects.toMatchObject({
      code: 'STORAGE',
      url: 'http://site.test/1',
    });
  });

  rareTest('gives a crawl the same pages in the same order as the default queue', async () => {
    const { site } = linkedSite({ pages: 300, links: 5, seed: 'crawlee' });
    const crawl = async (requestQueue?: ReturnType<typeof fromCrawlee>): Promise<string[]> => {
      const web = memoryWeb((url) => {
        const page = site[new URL(url).pathname];
        return typeof page === 'string' ? page : undefined;
      });
      await using client = createClient({
        engines: [web],
        ...(requestQueue ? { requestQueue } : {}),
      });
      const { data } = await client.crawl('http://site.test/', {
        limit: 250,
        scrapeOptions: { formats: [] },
      });
      return data.map((page) => page.metadata.url);
    };
    const expected = await crawl();
    expect(expected).toHaveLength(250);
    expect(await crawl(fromCrawlee(memory()))).toEqual(expected);
  });
});

describe('a storage backend with the interface of Crawlee 4', () => {
  /** Datasets and key-value stores of a program; it has private fields, as Crawlee's classes do. */
  class OtherStorage implements CrawleeStorageBackend {
    readonly #name = 'others';
    readonly createRequestQueueBackend: CrawleeStorageBackend['createRequestQueueBackend'] = () =>
      Promise.reject(new Error('it has no request queues'));
    nameOfOthers(): string {
      return this.#name;
    }
    storageExists(): Promise<boolean> {
      return Promise.resolve(true);
    }
  }
  const backend = (): OtherStorage =>
    toCrawlee(() => memoryRequestQueue(), { others: new OtherStorage() });
  let made = 0;
  for (const { name, run } of requestQueueConformance(() =>
    fromCrawlee(backend())(`queue-${made++}`),
  ))
    test(name, run);

  it('finds what another process left, and hands nothing out twice', async () => {
    const queues = new Map<string, RequestQueueStorage>();
    const open = (name: string): RequestQueueStorage => {
      const queue = queues.get(name) ?? memoryRequestQueue();
      queues.set(name, queue);
      return queue;
    };
    const others = new OtherStorage();
    const before = fromCrawlee(toCrawlee(open, { others }))('crawl');
    await before.addBatchOfRequests(Array.from({ length: 250 }, (_, n) => request(n)));
    for (let n = 0; n < 30; n++) {
      await before.markRequestAsHandled((await before.fetchNextRequest())?.uniqueKey ?? '');
    }
    const after = fromCrawlee(toCrawlee(open, { others }))('crawl');
    const left: unknown[] = [];
    for (;;) {
      const next = await after.fetchNextRequest();
      if (next === undefined) break;
      left.push(next.userData['n']);
      expect(await after.isFinished()).toBe(false);
      await after.markRequestAsHandled(next.uniqueKey);
    }
    expect(left).toEqual(Array.from({ length: 220 }, (_, n) => n + 30));
    expect(await after.isFinished()).toBe(true);
    expect(await after.addBatchOfRequests([request(7)])).toEqual([
      { uniqueKey: '/7', wasAlreadyPresent: true, wasAlreadyHandled: true },
    ]);
  });

  it('keeps requests that are added as handled', async () => {
    const queue = await backend().createRequestQueueBackend({ alias: 'copied' });
    const handledAt = new Date().toISOString();
    await queue.addBatchOfRequests([
      { url: 'http://site.test/1', uniqueKey: '1', handledAt },
      { url: 'http://site.test/2', uniqueKey: '2' },
    ]);
    expect((await queue.fetchNextRequest())?.uniqueKey).toBe('2');
    expect(await queue.fetchNextRequest()).toBeUndefined();
    expect(await queue.getMetadata()).toMatchObject({ handledRequestCount: 1 });
  });

  it('keeps what Crawlee 4 puts into a request, also what only its toJSON shows', async () => {
    const queue = await backend().createRequestQueueBackend({ alias: 'jobs' });
    const fields = {
      url: 'http://site.test/form',
      uniqueKey: 'form',
      method: 'POST' as const,
      payload: 'a=1',
      headers: { accept: 'text/html' },
      userData: { n: 1 },
    };
    const withDepth = { ...fields.userData, __crawlee: { crawlDepth: 2 } };
    const added = { ...fields, toJSON: () => ({ ...fields, userData: withDepth }) };
    expect(await queue.addBatchOfRequests([added])).toEqual({
      processedRequests: [
        {
          uniqueKey: 'form',
          requestId: 'form',
          wasAlreadyPresent: false,
          wasAlreadyHandled: false,
        },
      ],
      unprocessedRequests: [],
    });
    const taken = async (): Promise<UpdateRequestSchema> => {
      const next = await queue.fetchNextRequest();
      if (next === undefined || next === null) throw new Error('no request is pending');
      return next;
    };
    const next = await taken();
    expect(next).toMatchObject({ ...fields, userData: withDepth });
    expect([await queue.isEmpty(), await queue.isFinished()]).toEqual([true, false]);
    expect(await queue.reclaimRequest({ ...next, retryCount: 1 })).toMatchObject({
      wasAlreadyHandled: false,
    });
    const again = await taken();
    expect(again).toMatchObject({ retryCount: 1, method: 'POST' });
    expect(await queue.markRequestAsHandled(again)).toMatchObject({ requestId: 'form' });
    expect(await queue.markRequestAsHandled(again)).toBeUndefined();
    expect(await queue.reclaimRequest(again)).toBeUndefined();
    expect(await queue.isFinished()).toBe(true);
    expect(await queue.getMetadata()).toMatchObject({
      totalRequestCount: 1,
      handledRequestCount: 1,
      pendingRequestCount: 0,
    });
    await queue.purge();
    expect(await queue.getMetadata()).toMatchObject({ totalRequestCount: 0 });
  });

  it('leaves all else to the other backend', async () => {
    const [one, two] = [backend(), backend()];
    expect(one.nameOfOthers()).toBe('others');
    await one.createRequestQueueBackend();
    expect(await one.storageExists()).toBe(true);
    const typed: CrawleeStorageBackend = one;
    expect(await typed.storageExists?.('default', 'RequestQueue')).toBe(true);
    expect(await typed.storageExists?.('other', 'RequestQueue')).toBe(false);
    const key = typed.getStorageBackendCacheKey?.();
    expect(key).not.toBe((two as CrawleeStorageBackend).getStorageBackendCacheKey?.());
  });
});

describe('our request queue, used by Crawlee', () => {
  const configuration = (): Configuration =>
    new Configuration({
      persistStorage: false,
      purgeOnStart: false,
      storageClient: toCrawlee(() => memoryRequestQueue(), { others: memory() }),
    });

  it.each([
    ['RequestQueue', RequestQueue],
    ['RequestQueueV1', RequestQueueV1],
  ])('serves %s from the first request to the last', async (_, Queue) => {
    const config = configuration();
    const queue = await Queue.open('jobs', { config });
    await queue.addRequests(
      Array.from({ length: 300 }, (_, n) => ({ url: `http://site.test/${n}`, userData: { n } })),
    );
    await queue.addRequest({
      url: 'http://site.test/form',
      uniqueKey: 'form',
      method: 'POST',
      payload: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const order: unknown[] = [];
    let reclaimed = false;
    while (!(await queue.isFinished())) {
      const next = await queue.fetchNextRequest();
      if (next === null) {
        // The first class keeps what is given back for three seconds.
        await sleep(50);
        continue;
      }
      if (next.userData['n'] === 5 && !reclaimed) {
        reclaimed = true;
        next.retryCount += 1;
        next.pushErrorMessage(new Error('once more'));
        await queue.reclaimRequest(next);
        continue;
      }
      order.push(
        next.userData['n'] ?? { method: next.method, payload: next.payload, headers: next.headers },
      );
      if (next.userData['n'] === 5) {
        expect([next.retryCount, next.errorMessages.length]).toEqual([1, 1]);
      }
      await queue.markRequestHandled(next);
    }
    const numbers = Array.from({ length: 300 }, (_, n) => n).filter((n) => n !== 5);
    const form = {
      method: 'POST',
      payload: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect(order).toEqual([...numbers, form, 5]);
    expect(await queue.isFinished()).toBe(true);
    expect(await queue.getInfo()).toMatchObject({
      totalRequestCount: 301,
      handledRequestCount: 301,
      pendingRequestCount: 0,
    });
    await queue.drop();
    const again = await Queue.open('jobs', { config });
    expect(await again.isEmpty()).toBe(true);
  });

  it('takes a request at the front before all others', async () => {
    const queue = await RequestQueue.open('jobs', { config: configuration() });
    await queue.addRequests([{ url: 'http://site.test/1' }, { url: 'http://site.test/2' }]);
    await queue.addRequest({ url: 'http://site.test/0' }, { forefront: true });
    const urls: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) urls.push((await queue.fetchNextRequest())?.url);
    expect(urls).toEqual(['http://site.test/0', 'http://site.test/1', 'http://site.test/2']);
    expect(await queue.isFinished()).toBe(false);
  });

  it('leaves datasets and key-value stores to another storage client, or says that it has none', async () => {
    expect(() => toCrawlee(() => memoryRequestQueue()).datasets()).toThrow(/others/);
    const client = toCrawlee(() => memoryRequestQueue(), { others: memory() });
    const { id } = await client.datasets().getOrCreate('rows');
    await client.dataset(id).pushItems([{ a: 1 }]);
    expect((await client.dataset(id).listItems()).items).toEqual([{ a: 1 }]);
    await client.requestQueues().getOrCreate('jobs');
    expect((await client.requestQueues().list()).items.map(({ name }) => name)).toEqual(['jobs']);
  });
});

test.each([[undefined], [{}], ['memory']])('fromCrawlee(%j) is refused at once', (storage) => {
  expect(() => fromCrawlee(storage as never)).toThrow(
    /^fromCrawlee\(\): expected a storage client of Crawlee 3/,
  );
  expect(() => createClient({ requestQueue: memory() as never })).toThrow(/fromCrawlee/);
});
