/** Somebody else writes to the Redis of a fleet, while the documents are elsewhere or out of his reach. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { brotliCompressSync, constants } from 'node:zlib';
import { createNodeRedisClient, Queue } from 'bullmq';
import { createClient } from 'pagewright';
import { fleet } from 'pagewright/fleet';
import { createClient as redisClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  crawlQueues,
  parseFleetOptions,
  visitQueue,
} from '../../../src/entries/fleet/redis-connections.ts';
import { hashOf } from '../../../src/core/jobs/durable/journal.ts';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { network, plain, slowly, TestFleet } from './test-fleet.ts';

let redis: RedisServer;
let forger: ReturnType<typeof redisClient>;

beforeAll(async () => {
  redis = await startRedis();
  forger = redisClient({ url: redis.url });
  forger.on('error', () => undefined);
  await forger.connect();
});
afterAll(async () => {
  forger.destroy();
  await redis.stop();
});

/** For a queue of the forger's. */
function connection(): ReturnType<typeof createNodeRedisClient> {
  const client = createNodeRedisClient(redisClient({ url: redis.url }));
  client.on('error', () => undefined);
  return client;
}

const pages = 12;

const limits = { limit: pages, scrapeOptions: { formats: ['markdown', 'links'] } } as const;

function site(delay = 40) {
  return serve(slowly(linkedSite({ pages, links: 3, seed: 5 }).site, delay));
}

/** What a crawl of the site gives without workers. */
async function alone(start: string): Promise<unknown> {
  await using client = createClient({ network, cache: false });
  return plain((await client.crawl(start, { ...limits, maxConcurrency: 4 })).data);
}

/** Calls `forge` again and again while the work lasts. */
async function beside<T>(forge: () => Promise<unknown>, work: PromiseLike<T>): Promise<T> {
  const ended = new AbortController();
  const forging = (async () => {
    while (!ended.signal.aborted) {
      await forge();
      await sleep(10);
    }
  })();
  try {
    return await work;
  } finally {
    ended.abort();
    await forging;
  }
}

function packed(raw: Uint8Array, form = 0): Buffer {
  return Buffer.concat([Buffer.from([form]), raw]);
}

/** A quarter of a gigabyte in a few hundred bytes. */
function bomb(): Buffer {
  const zeros = Buffer.alloc(2 ** 28);
  const raw = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return packed(raw, 1);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

const page = { requests: 1, pageRequests: 1, received: 1, isReady: true, bytes: 1 };

/** Facts of visits as a forger would like them. */
const forgedFacts: readonly Uint8Array[] = [
  bomb(),
  // No value of v8, and an array of four thousand million without elements.
  packed(Buffer.from('ff0f6f', 'hex')),
  packed(Buffer.from('ff0f61ffffffff0f', 'hex')),
  ...[
    7,
    null,
    nested(2000),
    { at: 1, page: {} },
    JSON.parse('{"at":1,"page":{"__proto__":{"links":[]}},"constructor":1}') as unknown,
    { at: 1, page: { ...page, links: ['http://127.0.0.1:9/', 'file:///'] } },
    { at: NaN, page: { ...page, requests: -1e300, received: Infinity } },
    { at: 1, error: { other: new Error('forged') } },
  ].map((facts) => packed(serialize(facts))),
];

test('results that somebody forges change nothing', async () => {
  let [sent, isEnough] = [0, true];
  const last = `/page-${pages - 1}`;
  const answers = linkedSite({ pages, links: 3, seed: 5 }).site;
  await using server = await serve({
    ...slowly(answers, 40),
    [last]: async () => {
      while (!isEnough) await sleep(20);
      return answers[last];
    },
  });
  const whole = await alone(server.url('/'));
  isEnough = false;
  await using testFleet = new TestFleet(redis);
  await testFleet.work({ slots: 1, browserSlots: 0 });
  const job = testFleet.client().crawl(server.url('/'), { ...limits, maxConcurrency: 2 });
  const stream = `${testFleet.prefix}fleet:results:${job.id}`;
  const urls = ['/', ...Array.from({ length: pages }, (_, n) => `/page-${n}`)].map((path) =>
    hashOf(server.url(path)),
  );
  const before = process.memoryUsage().rss;
  let most = before;
  const { data, failed, warning } = await beside(async () => {
    const facts = Buffer.from(forgedFacts[(sent += 1) % forgedFacts.length] ?? []);
    const signature = sent % 2 === 0 ? ['s', Buffer.alloc(32)] : [];
    for (const url of urls) {
      await forger.sendCommand(['XADD', stream, '*', 'u', url, 'f', facts, ...signature]);
      await forger.sendCommand(['XADD', stream, '*', 'u', url]);
      await forger.sendCommand(['XADD', stream, '*', 'u', url, 'e', 'forged '.repeat(1000)]);
    }
    // Each is larger than what a worker sends.
    if (sent < 4) await forger.sendCommand(['XADD', stream, '*', 'f', Buffer.alloc(3e7)]);
    most = Math.max(most, process.memoryUsage().rss);
    isEnough = sent > forgedFacts.length;
  }, job);
  expect(plain(data)).toEqual(whole);
  expect(failed).toBe(0);
  expect(warning ?? '').not.toContain('forged');
  expect(sent).toBeGreaterThan(forgedFacts.length);
  expect(most - before).toBeLessThan(4e8);
}, 60_000);

test('results of another job, and of other pages, change nothing', async () => {
  await using server = await site();
  await using other = await serve(slowly(linkedSite({ pages, links: 3, seed: 9 }).site, 40));
  const whole = await alone(server.url('/'));
  await using testFleet = new TestFleet(redis);
  await testFleet.work({ slots: 2 });
  const client = testFleet.client();
  const jobs = [client.crawl(server.url('/'), limits), client.crawl(other.url('/'), limits)];
  const streams = jobs.map(({ id }) => `${testFleet.prefix}fleet:results:${id}`);
  const [job] = jobs;
  const copied = new Set<string>();
  const hashes = Array.from({ length: pages }, (_, n) => hashOf(server.url(`/page-${n}`)));
  const { data } = await beside(
    async () => {
      for (const from of streams) {
        const bytes = forger.withTypeMapping({ [36]: Buffer });
        const entries = (await bytes.sendCommand(['XRANGE', from, '-', '+'])) as unknown as [
          Buffer,
          Buffer[],
        ][];
        for (const [id, fields] of entries) {
          if (copied.has(`${from} ${String(id)}`)) continue;
          copied.add(`${from} ${String(id)}`);
          for (const url of hashes) {
            const forged = fields.map((field, at) => (at === 1 ? url : field));
            await forger.sendCommand(['XADD', streams[0] ?? '', '*', ...forged]);
          }
        }
      }
    },
    job as NonNullable<typeof job>,
  );
  expect(plain(data)).toEqual(whole);
  expect(copied.size).toBeGreaterThan(5);
}, 30_000);

test('a page that somebody adds to the queue of a job is not visited', async () => {
  await using server = await site();
  const whole = await alone(server.url('/'));
  server.clearLog();
  await using testFleet = new TestFleet(redis);
  const warnings: string[] = [];
  const logger = { warn: (_: object, text: string) => void warnings.push(text) };
  await testFleet.work({ slots: 2, logger });
  const settings = parseFleetOptions(testFleet.settings, 'fleet');
  const queue = new Queue(visitQueue(settings, 'http'), {
    connection: connection(),
    prefix: `${testFleet.prefix}fleet`,
  });
  const job = testFleet.client().crawl(server.url('/'), limits);
  const jobId = job.id;
  const url = server.url('/forged');
  const entry = { url, depth: 0, discoveredBy: 'start', asksRobots: false };
  const task = { jobId, url, page: entry, needsBrowser: false, needsModel: false };
  const known = server.url('/page-7');
  const messages: unknown[] = [
    task,
    { ...task, signature: '' },
    { ...task, signature: 'x'.repeat(43) },
    // A page of the job, with another place in it.
    { ...task, url: known, page: { ...entry, url: known, parent: 'https://forged.test/' } },
    { ...task, jobId: '../x', signature: 'x' },
    { ...task, jobId: { toString: 1 } },
    null,
    7,
    [],
    {},
  ];
  let sent = 0;
  const { data, failed } = await beside(async () => {
    const [known] = (await queue.getJobs(['active', 'waiting'], 0, 0)) as { data: object }[];
    // A true message with something else in it.
    const copies = known
      ? [
          { ...known.data, url, page: entry },
          { ...known.data, delay: 1e9 },
        ]
      : [];
    for (const data of [...messages, ...copies]) {
      await queue.add('visit', data, { jobId: `forged-${(sent += 1)}`, attempts: 1 });
    }
  }, job);
  await queue.close();
  expect(plain(data)).toEqual(whole);
  expect(failed).toBe(0);
  expect(server.log.filter((request) => request.url === '/forged')).toEqual([]);
  expect(sent).toBeGreaterThan(20);
  expect(warnings.filter((text) => text.includes('signed'))).toHaveLength(1);
}, 30_000);

test('a crawl that was not handed over is not run, though a message says so', async () => {
  await using server = await site(0);
  await using testFleet = new TestFleet(redis);
  const owner = createClient({ storage: testFleet.storage(), network, cache: false });
  const job = owner.crawl(server.url('/'), { ...limits, delay: 1 });
  await expect.poll(() => owner.jobs.list()).toHaveLength(1);
  await owner.close();
  await job.then(undefined, () => undefined);
  server.clearLog();
  const settings = parseFleetOptions(testFleet.settings, 'fleet');
  const queue = new Queue(crawlQueues(settings).run, {
    connection: connection(),
    prefix: `${testFleet.prefix}fleet`,
  });
  await testFleet.work();
  for (const jobId of [job.id, 'x'.repeat(1e6), null, {}]) await queue.add('crawl', { jobId });
  await queue.add('crawl', null);
  await expect.poll(() => queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
  await queue.close();
  expect(server.log).toEqual([]);
}, 30_000);

test('a roster and names of queues that somebody forges do not hide the workers', async () => {
  await using testFleet = new TestFleet(redis);
  const worker = await testFleet.work({ slots: 3 });
  const key = (name: string): string => `${testFleet.prefix}fleet:${name}`;
  const own = JSON.stringify(worker.status());
  const forged: readonly unknown[] = [
    null, 7, 'x', [], {}, { slots: 7 }, { slots: { http: 1e300, browser: -1 } }, { host: 'x\u001b[2J' },
  ]; // prettier-ignore
  for (const [index, value] of forged.entries()) {
    const entry =
      typeof value === 'object' && value !== null
        ? { ...(JSON.parse(own) as object), ...value }
        : value;
    const text = index === 4 ? '{}' : index === 3 ? 'no JSON' : JSON.stringify(entry);
    await forger.set(key(`worker:forged-${index}`), text);
    await forger.sAdd(key('workers'), `forged-${index}`);
  }
  await forger.set(key('worker:forged-huge'), JSON.stringify({ id: 'x'.repeat(3e7) }));
  await forger.sAdd(key('workers'), 'forged-huge');
  const names = [
    'a:b',
    '',
    'visits',
    'crawls.v9',
    'visits.v0-1.http.place=\u001b[2J',
    'x'.repeat(1e6),
  ];
  for (const name of names) await forger.sAdd(key('queues'), name);
  await using client = createClient({
    storage: testFleet.storage(),
    fleet: fleet(testFleet.settings),
  });
  void client;
  await using all = fleet(testFleet.settings);
  const status = await all.status();
  expect(status.workers.map(({ id }) => id)).toContain(worker.id);
  expect(JSON.stringify(status)).not.toMatch(/u001b|x{1000}/);
  for (const { slots } of status.workers) {
    expect(slots.http).toBeGreaterThanOrEqual(0);
    expect(slots.http).toBeLessThanOrEqual(1000);
  }
  await all.pause();
  await all.resume();
});
