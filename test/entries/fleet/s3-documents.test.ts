/** A fleet whose messages are in Redis and whose documents are in a bucket. */
import { createClient } from 'pagewright';
import { s3Store } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { createClient as connectRedis } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { startS3 } from '../../support/s3.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

test('a crawl with documents in a bucket leaves none of them in Redis', async () => {
  const pages = 20;
  await using site = await serve(linkedSite({ pages, links: 3, seed: 8 }).site);
  await using bucket = await startS3();
  const storage = s3Store(bucket.access);
  const options = { network: { allow: ['127.0.0.1'] }, cache: false } as const;
  await using alone = createClient(options);
  const whole = await alone.crawl(site.url('/'), { limit: pages });
  const settings = { redis: server.url };
  await using _worker = await startWorker({ ...options, fleet: settings, storage });
  await using client = createClient({ ...options, fleet: fleet(settings), storage });
  const redis = await connectRedis({ url: server.url }).connect();
  const names = new Set<string>();
  const job = client.crawl(site.url('/'), { limit: pages });
  for await (const _ of job) for (const name of await redis.keys('*')) names.add(name);
  redis.destroy();
  const { data, failed } = await job;
  expect(failed).toBe(0);
  expect(data.map(({ markdown }) => markdown)).toEqual(whole.data.map(({ markdown }) => markdown));
  expect(names.size).toBeGreaterThan(0);
  // The queue, and the results, which name pages only.
  for (const name of names) expect(name).toMatch(/^pagewright:fleet:/);
  const stored = [...bucket.objects.keys()].filter((name) => name.includes('/documents/'));
  expect(stored).toHaveLength(pages);
});
