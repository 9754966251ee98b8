/** Pages of crawls and batches that workers visit, over a real Redis. */
import { createClient, type Document, redisStore } from 'pagewright';
import { fleet, type FleetWorker, startWorker } from 'pagewright/fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/testing/linked-site.ts';
import { serve } from '../../src/testing/serve.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';

let redis: RedisServer;
let prefixes = 0;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

const network = { allow: ['127.0.0.1'] };

/** Clients and workers that meet each other and no others. */
class TestFleet implements AsyncDisposable {
  readonly #prefix = `test-${(prefixes += 1)}:`;
  readonly #settings = { redis: redis.url, prefix: this.#prefix, recovery: 2000 };
  readonly #open: AsyncDisposable[] = [];
  readonly workers: FleetWorker[] = [];

  async work(options: Partial<Parameters<typeof startWorker>[0]> = {}): Promise<FleetWorker> {
    const storage = redisStore({ url: redis.url, prefix: this.#prefix });
    const worker = await startWorker({
      fleet: this.#settings,
      storage,
      network,
      cache: false,
      ...options,
    });
    this.workers.push(worker);
    this.#open.push(worker);
    return worker;
  }

  client(options: Parameters<typeof createClient>[0] = {}): ReturnType<typeof createClient> {
    const storage = redisStore({ url: redis.url, prefix: this.#prefix });
    const own = { storage, network, cache: false as const, fleet: fleet(this.#settings) };
    const client = createClient({ ...own, ...options });
    this.#open.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.reverse()) await one[Symbol.asyncDispose]();
  }
}

/** Documents without what differs from run to run. */
function plain(documents: readonly Document<never>[]): unknown {
  return documents.map(({ metadata, ...rest }) => {
    const { scrapeId, ...same } = metadata as unknown as Record<string, unknown>;
    expect(scrapeId).toBeTypeOf('string');
    return { ...rest, metadata: same };
  });
}

test('a crawl gives the same documents, in the same order, from workers as from its own process', async () => {
  await using server = await serve(linkedSite({ pages: 60, links: 3, seed: 7 }).site);
  const options = { limit: 50, scrapeOptions: { formats: ['markdown', 'links'] } } as const;
  const start = server.url('/');
  await using alone = createClient({ network, cache: false });
  const whole = await alone.crawl(start, { ...options, maxConcurrency: 4 });
  expect(whole.data).toHaveLength(50);
  server.clearLog();
  await using testFleet = new TestFleet();
  await testFleet.work();
  await testFleet.work();
  const job = testFleet.client().crawl(start, options);
  const { data, failed, warning } = await job;
  expect(plain(data)).toEqual(plain(whole.data));
  expect({ failed, warning }).toEqual({ failed: 0, warning: whole.warning });
  const visited = server.log.filter(({ url }) => url.startsWith('/page'));
  expect(new Set(visited.map(({ url }) => url)).size).toBe(visited.length);
});
