/** Jobs that forget their documents once they were read: memory does not grow with the crawl. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createClient, memoryStore } from '../../src/index.ts';
import { linkedSite, serve } from '../../src/entries/testing/index.ts';

const loopback = { network: { allow: ['127.0.0.1'] } };
const { site } = linkedSite({ pages: 60, seed: 9 });

describe('keepDocuments: false', () => {
  it('gives every document to a loop, and forgets each when it was read', async () => {
    await using server = await serve(site);
    const storage = memoryStore();
    await using client = createClient({ ...loopback, storage });
    const job = client.crawl(server.url('/'), { keepDocuments: false });
    const seen: string[] = [];
    let most = 0;
    for await (const { metadata } of job) {
      seen.push(metadata.url);
      most = Math.max(most, await count(storage));
    }
    const kept = await client.crawl(server.url('/'));
    expect(seen).toEqual(kept.data.map(({ metadata }) => metadata.url));
    // Sixteen wait for the reader, and one is being stored.
    expect(most).toBeLessThanOrEqual(17);
    expect(await job).toMatchObject({ status: 'completed', completed: 60, data: [] });
    expect(await job.status()).toMatchObject({ completed: 60, data: [] });
  });

  it('waits for a reader, and for none when the numbers are awaited', async () => {
    await using server = await serve(site);
    const storage = memoryStore();
    await using client = createClient({ ...loopback, storage });
    const job = client.crawl(server.url('/'), { keepDocuments: false });
    const events: string[] = [];
    job.on('page', ({ metadata }) => events.push(metadata.url));
    while (job.progress.completed < 16) await sleep(10);
    await sleep(300);
    expect(job.progress.status).toBe('scraping');
    // Pages that were under way are kept too.
    expect(job.progress.completed).toBeLessThan(60);
    expect(await job).toMatchObject({ completed: 60, data: [] });
    expect(events).toHaveLength(60);
    expect(await count(storage)).toBe(0);
  });
});

async function count(storage: ReturnType<typeof memoryStore>): Promise<number> {
  let keys = 0;
  for await (const _ of storage.list('jobs/')) keys += 1;
  return keys;
}
