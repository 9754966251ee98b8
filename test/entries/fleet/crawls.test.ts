/** Crawls that are handed over to workers, over a real Redis. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Document } from 'pagewright';
import { fleet } from 'pagewright/fleet';
import { createClient as redisClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve, type FixtureServer } from '../../../src/entries/testing/serve.ts';
import { documentationSite } from '../../support/answer-sites.ts';
import { rareTest } from '../../support/deep.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { receiver } from '../../core/jobs/webhooks/receiver.ts';
import { network, plain, slowly, TestFleet } from './test-fleet.ts';
import { killWorker } from './worker-process.ts';

let redis: RedisServer;

const wait = { timeout: 30_000 };

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

test('a crawl that is handed over gives the same documents, though its client is closed', async () => {
  await using server = await serve(linkedSite({ pages: 40, links: 3, seed: 7 }).site);
  const options = { limit: 30, scrapeOptions: { formats: ['markdown', 'links'] } } as const;
  await using alone = createClient({ network, cache: false });
  const whole = await alone.crawl(server.url('/'), options);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client({ jobRetention: 60_000 });
  const id = await client.submit(server.url('/'), options);
  await client.close();
  await testFleet.work();
  await testFleet.work();
  const job = testFleet.client().jobs.follow<['markdown', 'links']>(id);
  const documents = [];
  for await (const page of job) documents.push(page);
  expect(plain(documents)).toEqual(plain(whole.data));
  const { status, failed, warning, completedAt = '', expiresAt } = await job;
  expect({ status, failed, warning }).toEqual({
    status: 'completed',
    failed: 0,
    warning: whole.warning,
  });
  expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(60_000);
}, 60_000);

test('a crawl that ends when its query is answered ends at the same page', async () => {
  const { pages } = documentationSite();
  await using server = await serve(pages);
  const options = {
    strategy: { type: 'bestFirst', query: 'default request timeout', until: 'answered' },
    scrapeOptions: { formats: [] },
  } as const;
  await using alone = createClient({ network, cache: false });
  const whole = await alone.crawl(server.url('/'), options);
  expect(whole.stop).toMatchObject({ reason: 'answered', pages: whole.completed });
  await using testFleet = new TestFleet(redis);
  await testFleet.work();
  await testFleet.work({ takes: ['visits'] });
  const client = testFleet.client();
  const { data, stop } = await client.jobs.follow(await client.submit(server.url('/'), options));
  expect(plain(data)).toEqual(plain(whole.data));
  expect(stop).toEqual(whole.stop);
}, 60_000);

test('a crawl waits for a worker, and says so', async () => {
  await using server = await serve(linkedSite({ pages: 5, links: 2, seed: 7 }).site);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client();
  const id = await client.submit(server.url('/'), { limit: 5 });
  const job = client.jobs.follow(id);
  await testFleet.work({ takes: ['visits'] });
  expect(await job.status()).toMatchObject({
    status: 'scraping',
    completed: 0,
    warning: `Job ${id} waits for a worker that takes crawls.`,
  });
  expect(await client.jobs.list()).toMatchObject([{ id, status: 'scraping', isRunning: false }]);
  await testFleet.work({ takes: ['crawls'] });
  const { data, warning } = await job;
  expect(data).toHaveLength(5);
  expect(warning).toBeUndefined();
}, 60_000);

/** A site whose pages take a while. */
async function slowSite(pages: number, delay: number): Promise<FixtureServer> {
  return serve(slowly(linkedSite({ pages, links: 3, seed: 5 }).site, delay));
}

/** The documents of a crawl that nothing disturbs. */
async function undisturbed(server: FixtureServer, limit: number): Promise<Document[]> {
  await using alone = createClient({ network, cache: false });
  const { data } = await alone.crawl(server.url('/'), { limit, maxConcurrency: 16 });
  expect(data).toHaveLength(limit);
  server.clearLog();
  return data;
}

/** Requests for pages that were asked for before. */
function refetched(server: FixtureServer): number {
  const pages = server.log.filter(({ url }) => !/robots|sitemap/.test(url)).map(({ url }) => url);
  return pages.length - new Set(pages).size;
}

interface Kills {
  readonly pages: number;
  readonly workers: number;
  readonly coordinators: number;
  readonly recovery: number;
}

/** Kills two kinds of processes in turn while a crawl with a webhook goes on. */
async function crawlWithKills({ pages, workers, coordinators, recovery }: Kills): Promise<void> {
  const slots = 8;
  await using server = await slowSite(pages, 60);
  const whole = await undisturbed(server, pages);
  await using hook = await receiver();
  await using testFleet = new TestFleet(redis, recovery);
  const visiting = [];
  for (let n = 0; n < 2; n += 1) {
    visiting.push(await testFleet.child({ takes: ['visits'], slots }));
    await testFleet.child({ takes: ['crawls'] });
  }
  const client = testFleet.client();
  const id = await client.submit(server.url('/'), {
    limit: pages,
    webhook: hook.url.split('?')[0],
  });
  const job = client.jobs.follow(id);
  const kills = workers + coordinators;
  const replaced: Promise<unknown>[] = [];
  const documents = [];
  let killed = 0;
  for await (const page of job) {
    documents.push(page);
    if (killed === kills || documents.length < ((killed + 1) * pages) / (kills + 1)) continue;
    killed += 1;
    if (killed % 2 === 0) {
      await killWorker(await testFleet.coordinator(id));
      replaced.push(testFleet.child({ takes: ['crawls'] }));
      continue;
    }
    const victim = visiting.shift();
    if (victim !== undefined) await killWorker(victim);
    const next = testFleet.child({ takes: ['visits'], slots });
    replaced.push(next.then((child) => visiting.push(child)));
  }
  await Promise.all(replaced);
  expect(plain(documents)).toEqual(plain(whole));
  const { completed, failed, pending, warning } = await job;
  expect({ completed, failed, pending, warning }).toEqual({
    completed: pages,
    failed: 0,
    pending: 0,
  });
  expect(refetched(server)).toBeLessThanOrEqual(workers * slots);
  await expect.poll(() => hook.bodies().at(-1)?.type, { timeout: 60_000 }).toBe('crawl.completed');
  const events = new Map(hook.bodies().map((body) => [body.webhookId, body]));
  expect([...events.values()].map(({ type, data }) => (data[0] ? urlOf(data[0]) : type))).toEqual([
    'crawl.started',
    ...whole.map(urlOf),
    'crawl.completed',
  ]);
  const twice = hook.bodies().length - events.size;
  expect(twice).toBeLessThanOrEqual(coordinators);
}

function urlOf(document: unknown): string {
  return (document as Document).metadata.url;
}

test('a crawl outlives the workers that visit its pages, and those that run it', async () => {
  await crawlWithKills({ pages: 100, workers: 2, coordinators: 2, recovery: 2000 });
}, 120_000);

// Twenty processes are killed and started again.
rareTest(
  'a crawl of 800 pages outlives ten workers and ten coordinators',
  () => crawlWithKills({ pages: 800, workers: 10, coordinators: 10, recovery: 3000 }),
  900_000,
);

test('workers end the visits of a crawl that a reader cancels', async () => {
  await using server = await slowSite(60, 300);
  await using testFleet = new TestFleet(redis);
  const worker = await testFleet.work({ slots: 4 });
  const client = testFleet.client();
  const job = client.jobs.follow(await client.submit(server.url('/'), { limit: 60 }));
  await expect.poll(() => worker.busy, wait).toBeGreaterThan(0);
  job.cancel();
  const { status, completed } = await job;
  expect(status).toBe('cancelled');
  expect(completed).toBeLessThan(60);
  await expect.poll(() => worker.busy + worker.running, wait).toBe(0);
}, 60_000);

test('a crawl that is cancelled while it waits is never run', async () => {
  await using server = await slowSite(5, 0);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client();
  const id = await client.submit(server.url('/'));
  const job = client.jobs.follow(id);
  job.cancel();
  await expect.poll(() => testFleet.storage().get(`jobs/${id}/cancel`), wait).toBeDefined();
  await testFleet.work();
  expect(await job).toMatchObject({ status: 'cancelled', completed: 0 });
  expect(server.log).toEqual([]);
}, 60_000);

test('a worker that is drained leaves its crawl to another one', async () => {
  const pages = 60;
  await using server = await slowSite(pages, 100);
  const whole = await undisturbed(server, pages);
  await using hook = await receiver();
  await using testFleet = new TestFleet(redis);
  await testFleet.work({ takes: ['visits'], slots: 4 });
  const first = await testFleet.work({ takes: ['crawls'] });
  const client = testFleet.client();
  const webhook = hook.url.split('?')[0];
  const job = client.jobs.follow(await client.submit(server.url('/'), { limit: pages, webhook }));
  const documents = [];
  for await (const page of job) {
    documents.push(page);
    if (documents.length !== 5) continue;
    const second = await testFleet.work({ takes: ['crawls'] });
    expect([first.running, second.running]).toEqual([1, 0]);
    await first.drain();
    expect(first.running).toBe(0);
    await expect.poll(() => second.running, wait).toBe(1);
  }
  expect(plain(documents)).toEqual(plain(whole));
  expect(refetched(server)).toBe(0);
  await expect.poll(() => hook.bodies().at(-1)?.type, wait).toBe('crawl.completed');
  expect(hook.bodies().filter(({ type }) => type === 'crawl.failed')).toEqual([]);
}, 120_000);

test('a coordinator that stands still and comes back writes and sends nothing', async () => {
  const pages = 80;
  await using server = await slowSite(pages, 100);
  const whole = await undisturbed(server, pages);
  await using hook = await receiver();
  await using testFleet = new TestFleet(redis);
  await testFleet.work({ takes: ['visits'], slots: 4 });
  await testFleet.child({ takes: ['crawls'] });
  await testFleet.child({ takes: ['crawls'] });
  const client = testFleet.client();
  const webhook = hook.url.split('?')[0];
  const id = await client.submit(server.url('/'), { limit: pages, webhook });
  const documents = [];
  for await (const page of client.jobs.follow(id)) {
    documents.push(page);
    if (documents.length !== 15) continue;
    const stopped = await testFleet.coordinator(id);
    stopped.kill('SIGSTOP');
    const coordinator = async (): Promise<unknown> => (await testFleet.coordinator(id)).pid;
    await expect.poll(coordinator, wait).not.toBe(stopped.pid);
    stopped.kill('SIGCONT');
  }
  expect(plain(documents)).toEqual(plain(whole));
  await expect.poll(() => hook.bodies().at(-1)?.type, wait).toBe('crawl.completed');
  const ids = hook.bodies().map(({ webhookId }) => webhookId);
  expect(new Set(ids).size).toBe(pages + 2);
  // The one that was on its way when the process was stopped.
  expect(ids.length).toBeLessThanOrEqual(pages + 3);
  expect(hook.bodies().filter(({ type }) => type === 'crawl.failed')).toEqual([]);
}, 120_000);

test('a crawl whose message was lost is found again', async () => {
  await using server = await slowSite(5, 0);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client();
  const id = await client.submit(server.url('/'), { limit: 5 });
  const keys = redisClient({ url: redis.url });
  await keys.connect();
  await keys.del(await keys.keys(`${testFleet.prefix}fleet:*`));
  keys.destroy();
  await testFleet.work();
  expect(await client.jobs.follow(id)).toMatchObject({ status: 'completed', completed: 5 });
}, 60_000);

test('secrets are sealed on their way', async () => {
  await using server = await slowSite(3, 0);
  await using testFleet = new TestFleet(redis);
  const secret = 'a key of this test';
  const client = testFleet.client({ secret });
  const headers = { authorization: 'Bearer t0ken' };
  const watcher = await redisClient({ url: redis.url }).connect();
  const commands: string[] = [];
  await watcher.monitor((command) => void commands.push(command));
  const id = await client.submit(server.url('/'), { limit: 3, scrapeOptions: { headers } });
  await testFleet.work({ secret });
  expect(await client.jobs.follow(id)).toMatchObject({ completed: 3, failed: 0 });
  watcher.destroy();
  expect(commands.length).toBeGreaterThan(50);
  expect(commands.filter((command) => command.includes('t0ken'))).toEqual([]);
  const pages = server.log.filter(({ url }) => !/robots|sitemap/.test(url));
  expect(pages.map((request) => request.headers['authorization'])).toEqual(
    pages.map(() => headers.authorization),
  );
}, 60_000);

test('a worker says why it cannot go on with the crawl of a process that died on another host', async () => {
  await using server = await slowSite(3, 0);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client({ secret: 'a key of this test' });
  const headers = { authorization: 'Bearer t0ken' };
  const id = await client.submit(server.url('/'), { limit: 3, scrapeOptions: { headers } });
  const lease = { holder: 'elsewhere-1-1-a', by: 'process 1 on elsewhere', beat: 1, ran: 0 };
  const storage = testFleet.storage();
  await storage.set(`jobs/${id}/lease`, Buffer.from(JSON.stringify(lease)));
  await storage.dispose?.();
  const warnings: string[] = [];
  const logger = { warn: (_: object, text: string) => void warnings.push(text) };
  await testFleet.work({ secret: 'another key of this test', logger });
  await expect.poll(() => warnings.join(), wait).toContain(`Crawl ${id} is retried: `);
}, 60_000);

test.each([
  ['scrapeOptions', { scrapeOptions: () => ({}) }],
  ['scrapeOptions', { scrapeOptions: { headers: { authorization: 'Bearer t0ken' } } }],
  ['scrapeOptions', { scrapeOptions: { zeroDataRetention: true } }],
  ['includePaths', { includePaths: [() => true] }],
  ['signal', { signal: new AbortController().signal }],
  ['hooks', { hooks: { onSkipped: () => undefined } }],
  ['webhook', { webhook: { url: 'https://hook.test/', secret: 'a secret of the webhook' } }],
  ['keepDocuments', { keepDocuments: false }],
  ['limit', { limit: -1 }],
] as const)('a crawl with %s that cannot be handed over is refused', async (name, options) => {
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client();
  await expect(client.submit('http://127.0.0.1/', options as never)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(name) as string,
  });
  expect(await client.jobs.list()).toEqual([]);
});

test('only a client with workers hands a crawl over', async () => {
  await using client = createClient({ network });
  await expect(client.submit('http://127.0.0.1/')).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('fleet') as string,
  });
  await expect(client.jobs.follow('none')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
});

// Redis, and then the store, are tried for ten seconds and more.
rareTest(
  'a crawl is not handed over where Redis or the storage is away',
  async () => {
    await using testFleet = new TestFleet(redis);
    const away = fleet({ redis: 'redis://127.0.0.1:1' });
    const client = testFleet.client({ fleet: away });
    await expect(client.submit('http://127.0.0.1/')).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining('It is not run') as string,
    });
    const set = (): Promise<never> => Promise.reject(new Error('full'));
    const full = testFleet.client({ storage: { ...testFleet.storage(), set } });
    await expect(full.submit('http://127.0.0.1/')).rejects.toMatchObject({ code: 'STORAGE' });
    expect(await testFleet.client().jobs.list()).toEqual([]);
    // What may be left of its message is dropped.
    await testFleet.work();
    const all = fleet({ redis: redis.url, prefix: testFleet.prefix });
    await expect
      .poll(async () => (await all.status()).crawls, { ...wait, timeout: 100_000 })
      .toEqual({ waiting: 0, running: 0 });
    await all[Symbol.asyncDispose]();
  },
  120_000,
);

// A minute is what the worker stands still.
rareTest(
  'what a worker stores that stood still for a minute is refused',
  async () => {
    const pages = 60;
    await using server = await slowSite(pages, 100);
    const whole = await undisturbed(server, pages);
    await using testFleet = new TestFleet(redis);
    const stopped = await testFleet.child({ takes: ['visits'], slots: 4 });
    await testFleet.work({ slots: 4 });
    const client = testFleet.client();
    const id = await client.submit(server.url('/'), { limit: pages });
    const documents = [];
    for await (const page of client.jobs.follow(id)) {
      documents.push(page);
      if (documents.length === 10) stopped.kill('SIGSTOP');
    }
    const kept = await visitsOf(testFleet, id);
    await sleep(60_000);
    stopped.kill('SIGCONT');
    await sleep(5000);
    expect(await visitsOf(testFleet, id)).toEqual(kept);
    expect(plain(documents)).toEqual(plain(whole));
  },
  240_000,
);

/** The visits of a job as they are stored. */
async function visitsOf(testFleet: TestFleet, id: string): Promise<Map<string, string>> {
  const storage = testFleet.storage();
  const visits = new Map<string, string>();
  for await (const key of storage.list(`jobs/${id}/visits/`)) {
    visits.set(key, Buffer.from((await storage.get(key)) ?? []).toString('base64'));
  }
  await storage.dispose?.();
  return visits;
}

// Redis is away for as long as the names say.
for (const [what, disturb] of [
  ['is killed and comes back with its file', (server: RedisServer) => server.restart()],
  [
    'is away for 15 seconds',
    async (server: RedisServer) => {
      await server.kill();
      await sleep(15_000);
      await server.restart();
    },
  ],
  [
    'stands still for 15 seconds',
    async (server: RedisServer) => {
      server.signal('SIGSTOP');
      await sleep(15_000);
      server.signal('SIGCONT');
    },
  ],
] as const) {
  rareTest(
    `crawls go on when Redis ${what}`,
    async () => {
      const pages = 150;
      await using server = await slowSite(pages, 100);
      const whole = await undisturbed(server, pages);
      await using own = await ownRedis();
      await using testFleet = new TestFleet(own.server);
      await testFleet.work({ slots: 4, logger: { warn: () => undefined } });
      const client = testFleet.client();
      const id = await client.submit(server.url('/'), { limit: pages });
      const here = testFleet.client().crawl(server.url('/'), { limit: pages });
      const reading = (async () => {
        const documents = [];
        for await (const page of here) {
          documents.push(page);
          if (documents.length === 20) await disturb(own.server);
        }
        return documents;
      })();
      const { data, failed } = await testFleet.client().jobs.follow(id);
      expect(plain(data)).toEqual(plain(whole));
      expect(failed).toBe(0);
      expect(plain(await reading)).toEqual(plain(whole));
      expect(here.progress).toMatchObject({ status: 'completed', failed: 0 });
    },
    240_000,
  );
}

/** One that may be killed, and keeps what it has. */
async function ownRedis(): Promise<AsyncDisposable & { readonly server: RedisServer }> {
  const server = await startRedis({ persistent: true });
  return { server, [Symbol.asyncDispose]: () => server.stop() };
}

test('a crawl that ends one worker after the other fails with its third, and names its last page', async () => {
  const { site } = linkedSite({ pages: 12, links: 3, seed: 5 });
  await using server = await serve({ ...site, '/page-7': () => new Promise(() => undefined) });
  await using testFleet = new TestFleet(redis);
  await testFleet.work({ takes: ['visits'] });
  const client = testFleet.client();
  // The page is waited for until all three workers are gone, however long that takes.
  const scrapeOptions = { timeout: 110_000 };
  const id = await client.submit(server.url('/'), { limit: 12, maxConcurrency: 1, scrapeOptions });
  const job = client.jobs.follow(id);
  for (let n = 0; n < 3; n += 1) await testFleet.child({ takes: ['crawls'] });
  for (let n = 0; n < 3; n += 1) {
    const coordinator = await testFleet.coordinator(id);
    // Until it waits for the page that never answers.
    await expect
      .poll(() => server.log.filter(({ url }) => url === '/page-7').length, wait)
      .toBeGreaterThan(0);
    await sleep(500);
    await killWorker(coordinator);
    if (n === 0) await testFleet.child({ takes: ['crawls'] });
  }
  const error = await job.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: 'WORKER_LOST' });
  expect(error?.message).toMatch(/^Each of 3 workers that ran crawl .* Its last page is http/);
  expect(error?.message).toContain(`Under way were ${server.url('/page-7')}`);
  const { data, status } = await client.jobs.follow(id).status();
  expect(status).toBe('failed');
  expect(data.length).toBeGreaterThan(0);
}, 120_000);

test('a crawl whose secrets no worker can read fails with the reason', async () => {
  await using server = await slowSite(3, 0);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client({ secret: 'a key of this test' });
  const headers = { authorization: 'Bearer t0ken' };
  const id = await client.submit(server.url('/'), { limit: 3, scrapeOptions: { headers } });
  await testFleet.work({ secret: 'another key of this test' });
  await expect(client.jobs.follow(id)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(
      /scrapeOptions\.headers\.authorization .*start the worker with the `secret` of the client/,
    ) as string,
  });
  expect(await client.jobs.follow(id).status()).toMatchObject({ status: 'failed', completed: 0 });
  expect(server.log).toEqual([]);
}, 60_000);
