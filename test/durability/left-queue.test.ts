/** A request queue of the caller's that outlives the process with what a killed crawl left in it. */
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StorageClient } from '@crawlee/types';
import { createClient, memoryStore } from 'pagewright';
import { fromCrawlee, memoryRequestQueue, type RequestQueueStorage } from 'pagewright/crawlee';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bareDocument, chainOf } from './chain.ts';

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

type QueueById = (id: string) => RequestQueueStorage;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'left-queue-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** One queue for each id, the same for all who ask. */
function sharedQueues(): QueueById {
  const queues = new Map<string, RequestQueueStorage>();
  return (id) => {
    const queue = queues.get(id) ?? memoryRequestQueue();
    queues.set(id, queue);
    return queue;
  };
}

/** As a process opens it: what it finds is what is on the disk. */
const onDisk = (): QueueById =>
  fromCrawlee(new MemoryStorage({ persistStorage: true, localDataDirectory: folder }));

const shared = sharedQueues();
const queues: readonly (readonly [string, () => QueueById])[] = [
  ['in memory', () => shared],
  ['of Crawlee on disk', onDisk],
];

test.each(queues)('a crawl goes on with a queue %s that has its old requests', async (_, open) => {
  const chain = chainOf(30);
  const options = { sitemap: 'skip', maxConcurrency: 2 } as const;
  const storage = memoryStore();
  const first = createClient({
    cache: false,
    engines: [chain().web],
    storage,
    requestQueue: open(),
  });
  const left = first.crawl('http://site.test/', options);
  let seen = 0;
  for await (const _page of left) if ((seen += 1) === 10) break;
  await first.close();
  // Not emptied by whoever left: it has what waits, and what was on its way.
  expect(await open()(left.id).isFinished()).toBe(false);

  const again = chain();
  await using client = createClient({
    cache: false,
    engines: [again.web],
    storage,
    requestQueue: open(),
  });
  const { data, status } = await client.jobs.resume(left.id);
  const whole = await client.crawl('http://site.test/', options);
  expect(status).toBe('completed');
  expect(data.map(bareDocument)).toEqual(whole.data.map(bareDocument));
  // The second crawl asked for all 30; before it only those that were missing were.
  expect(again.fetched.length - 30).toBeLessThanOrEqual(22);
});
