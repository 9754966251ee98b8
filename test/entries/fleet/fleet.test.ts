/** Pages of crawls and batches that workers visit, over a real Redis. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, memoryStore, PagewrightError, type Store } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { createClient as redisClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve, type SiteHandlers } from '../../../src/entries/testing/serve.ts';
import { rareTest } from '../../support/deep.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { smallPng } from '../../support/small-png.ts';
import { network, plain, slowly, TestFleet } from './test-fleet.ts';
import { killWorker } from './worker-process.ts';

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

// Three processes start.
test(
  'pages of workers that are killed are visited by others: none is lost, none is twice',
  { timeout: 90_000 },
  async () => {
    const pages = 50;
    const { site } = linkedSite({ pages, links: 3, seed: 5 });
    await using server = await serve(slowly(site, 50));
    await using alone = createClient({ network, cache: false });
    const whole = await alone.crawl(server.url('/'), { limit: pages });
    server.clearLog();
    await using testFleet = new TestFleet(redis);
    const [first] = [await testFleet.child(), await testFleet.child()];
    const job = testFleet.client().crawl(server.url('/'), { limit: pages });
    const documents = [];
    for await (const page of job) {
      documents.push(page);
      if (documents.length === 15) {
        await killWorker(first);
        await testFleet.child();
      }
    }
    expect(plain(documents)).toEqual(plain(whole.data));
    expect(job.progress).toMatchObject({ completed: pages, failed: 0, pending: 0 });
    const visited = server.log.filter(({ url }) => url !== '/robots.txt' && url !== '/sitemap.xml');
    // The pages that the killed worker had.
    expect(visited.length - pages).toBeLessThanOrEqual(8);
  },
);

test('a worker keeps the failures of its pages for the client', async () => {
  await using server = await serve(() => ({
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<p>There is no such page.</p>',
  }));
  await using testFleet = new TestFleet(redis);
  await testFleet.work();
  const client = testFleet.client();
  const job = client.batchScrape(['/a', '/b', '/c', '/d', '/e'].map(server.url), {
    keepFailures: true,
  });
  await job;
  const kept = job.errors().flatMap((failure) => failure.kept?.html ?? []);
  expect(kept).toHaveLength(3);
  const html = await client.readAsset(kept[0] ?? {});
  expect(Buffer.from(html ?? []).toString()).toContain('no such page');
});

// Three deaths of a worker, each noticed a second later.
rareTest('a page that ends each of its workers fails alone', async () => {
  const { site } = linkedSite({ pages: 20, links: 2, seed: 9 });
  await using server = await serve(site);
  await using testFleet = new TestFleet(redis);
  const poison = "if (url.endsWith('/page-7')) process.kill(process.pid, 'SIGKILL');";
  let deaths = 0;
  const keepOne = async (): Promise<void> => {
    for (;;) {
      const worker = await testFleet.child({ beforeRequest: poison });
      const death = once(worker, 'exit').then(() => 'death');
      if ((await Promise.race([death, over])) !== 'death') return;
      deaths += 1;
    }
  };
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const keeping = keepOne();
  const { data, errors } = await testFleet.client().crawl(server.url('/'), { limit: 20 });
  end();
  await keeping;
  expect(errors).toMatchObject([{ url: server.url('/page-7'), code: 'WORKER_LOST' }]);
  expect(data).toHaveLength(19);
  expect(deaths).toBe(3);
});

test('workers end the visits of a job that is cancelled', async () => {
  const handler: SiteHandlers = async ({ url }) => {
    if (url !== '/robots.txt') await sleep(5000);
    return 'late';
  };
  await using server = await serve(handler);
  await using testFleet = new TestFleet(redis);
  const worker = await testFleet.work();
  const urls = Array.from({ length: 40 }, (_, n) => server.url(`/page-${n}`));
  const job = testFleet.client().batchScrape(urls);
  await expect.poll(() => worker.busy, { timeout: 15_000 }).toBeGreaterThan(0);
  job.cancel();
  expect(await job).toMatchObject({ status: 'cancelled', completed: 0, failed: 0 });
  await expect.poll(() => worker.busy, { timeout: 15_000 }).toBe(0);
  const asked = server.log.length;
  await sleep(300);
  expect(server.log).toHaveLength(asked);
});

test('a fleet is closed with the last of the clients that extend each other', async () => {
  await using server = await serve(linkedSite({ pages: 3, links: 1, seed: 1 }).site);
  await using testFleet = new TestFleet(redis);
  await testFleet.work();
  const workers = fleet(testFleet.settings);
  const close = workers[Symbol.asyncDispose].bind(workers);
  let closed = 0;
  const counted = async (): Promise<void> => {
    closed += 1;
    await close();
  };
  Object.assign(workers, { [Symbol.asyncDispose]: counted });
  const first = testFleet.client({ fleet: workers });
  const second = first.extend({ defaults: { batchScrape: { maxConcurrency: 2 } } });
  await first.close();
  await first.close();
  expect(await second.batchScrape([server.url('/')])).toMatchObject({ completed: 1 });
  expect(closed).toBe(0);
  await second.close();
  expect(closed).toBe(1);
});

// The worker tries for ten seconds.
rareTest('a worker that has another storage fails the job, not its pages', async () => {
  await using server = await serve(linkedSite({ pages: 3, links: 1, seed: 1 }).site);
  await using testFleet = new TestFleet(redis);
  const storage = redisStore({ url: redis.url, prefix: `${testFleet.prefix}other:` });
  await testFleet.work({ storage });
  const job = testFleet.client().crawl(server.url('/'));
  await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
  expect(job.errors()).toEqual([]);
});

test('a worker that is drained gives its pages back', async () => {
  let answered = 0;
  const handler: SiteHandlers = async ({ url }) => {
    if (url === '/robots.txt') return { status: 404, body: '' };
    await sleep(answered++ < 4 ? 5000 : 10);
    return `<title>${url}</title><p>Words of the page ${url}.</p>`;
  };
  await using server = await serve(handler);
  await using testFleet = new TestFleet(redis);
  const worker = await testFleet.work({ slots: 4 });
  const urls = Array.from({ length: 6 }, (_, n) => server.url(`/page-${n}`));
  const job = testFleet.client().batchScrape(urls);
  await expect.poll(() => worker.busy, { timeout: 15_000 }).toBe(4);
  await worker.drain(100);
  await testFleet.work();
  const { data, failed } = await job;
  expect(data.map(({ metadata }) => metadata.url)).toEqual(urls);
  expect(failed).toBe(0);
});

test('pages are visited here, with a warning, where workers lack something', async () => {
  await using server = await serve(linkedSite({ pages: 3, links: 1, seed: 1 }).site);
  await using testFleet = new TestFleet(redis);
  const client = testFleet.client();
  // There is no worker: the crawl would wait for ever.
  const { data, warning } = await client.crawl(server.url('/'), {
    limit: 3,
    scrapeOptions: () => ({ formats: ['markdown'] }),
  });
  expect(data).toHaveLength(3);
  expect(warning).toContain('visited by this process, not by workers');
  expect(warning).toContain('scrapeOptions');
});

test.each([
  ['no URL', () => fleet({ redis: 'localhost' }), /redis:\/\/127/],
  ['an unknown option', () => fleet({ redis: 'redis://127.0.0.1', slots: 3 } as never), /slots/],
  [
    'a client without a storage',
    () => createClient({ fleet: fleet({ redis: 'redis://127.0.0.1' }) }),
    /replace\(\)/,
  ],
])('%s is BAD_REQUEST', (_, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  expect(make).toThrow(message);
});

test.each([
  ['nothing', undefined, 'fleet: expected object'],
  ['no storage', { fleet: { redis: 'redis://127.0.0.1' } }, 'replace()'],
  [
    'a misspelt option',
    { fleet: { redis: 'redis://127.0.0.1' }, storage: memoryStore(), slot: 3 },
    'startWorker: unknown option',
  ],
])('a worker that is given %s rejects with BAD_REQUEST', async (_, options, message) => {
  await expect(startWorker(options as never)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(message) as string,
  });
});

test('a worker is drained in bounded time where Redis is gone, and warns once', async () => {
  const gone = await startRedis();
  const warnings: string[] = [];
  const worker = await startWorker({
    fleet: { redis: gone.url },
    storage: redisStore({ url: gone.url }),
    logger: { warn: (_, message) => void warnings.push(message) },
  });
  await gone.stop();
  await expect.poll(() => warnings.length, { timeout: 15_000 }).toBe(1);
  await worker.drain(100);
  expect(warnings).toEqual([expect.stringContaining('continues when Redis is back')]);
});

test('a worker without Redis rejects, and says where it looked', async () => {
  const started = startWorker({
    fleet: { redis: 'redis://127.0.0.1:1' },
    storage: redisStore({ url: redis.url }),
  });
  await expect(started).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringContaining('127.0.0.1:1') as string,
  });
});

test('workers download the files of pages into the storage, and robots.txt closes some', async () => {
  const text = 'A lamp gives light where there was none before. '.repeat(12);
  const html = `<main><h1>Lamps</h1><p>${text}</p><img src="/a.png"><img src="/closed/b.png"><p>${text}</p></main>`;
  const png = { body: smallPng(5, 5) };
  await using server = await serve({
    '/robots.txt': 'User-agent: *\nDisallow: /closed/',
    '/': html,
    '/a.png': png,
    '/closed/b.png': png,
  });
  await using testFleet = new TestFleet(redis);
  await testFleet.work();
  const client = testFleet.client();
  const job = client.crawl(server.url('/'), { scrapeOptions: { assets: { images: true } } });
  const { data, warning } = await job;
  const [open = {}, closed] = data[0]?.assets ?? [];
  expect(open).toMatchObject({ key: expect.stringContaining(`jobs/${job.id}/assets/`), width: 5 });
  expect(closed?.error?.code).toBe('ROBOTS');
  expect(await client.readAsset(open)).toEqual(new Uint8Array(png.body));
  expect(warning ?? '').not.toContain('visited by this process');
});

test.each([
  ['is visited again', 1],
  // More often than a page may take workers along.
  ['and with which a worker was lost has only that one counted', 5],
])(
  'a page whose file the storage of a worker did not take %s',
  async (_, refusals) => {
    const text = 'A lamp gives light where there was none before. '.repeat(12);
    const html = `<main><h1>Lamps</h1><p>${text}</p><img src="/a.png"><p>${text}</p></main>`;
    await using server = await serve({ '/': html, '/a.png': { body: smallPng(5, 5) } });
    await using testFleet = new TestFleet(redis);
    const inner = testFleet.storage();
    let asked = 0;
    const set: Store['set'] = async (key, ...rest) => {
      if (!key.includes('/assets/') || (asked += 1) > refusals) return inner.set(key, ...rest);
      if (refusals > 1 && asked === 1) await tellOfLostWorker(testFleet.prefix);
      throw new PagewrightError('STORAGE', 'The disk is full.');
    };
    await testFleet.work({ storage: { ...inner, set } });
    const urls = [server.url('/')];
    const { data, errors } = await testFleet
      .client()
      .batchScrape(urls, { assets: { images: true } });
    expect(errors).toEqual([]);
    expect(data[0]?.assets).toMatchObject([{ width: 5 }]);
    expect(asked).toBe(refusals + 1);
  },
  30_000,
);

/** Has BullMQ know that a worker was lost with each of the pages. */
async function tellOfLostWorker(prefix: string): Promise<void> {
  const keys = await redisClient({ url: redis.url }).connect();
  for (const key of await keys.keys(`${prefix}*`)) {
    const isPage = (await keys.type(key)) === 'hash' && (await keys.hGet(key, 'name')) === 'visit';
    if (isPage) await keys.hSet(key, 'stc', 1);
  }
  keys.destroy();
}
