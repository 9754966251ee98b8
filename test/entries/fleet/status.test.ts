/** What operators see of a fleet: its workers, its queues, its metrics; and how many pages jobs send. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import {
  fleet,
  type Fleet,
  type FleetOptions,
  type FleetVisit,
  type FleetWorker,
  startWorker,
} from 'pagewright/fleet';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type FixtureServer,
  serve,
  type SiteHandlers,
} from '../../../src/entries/testing/serve.ts';
import { packageVersion } from '../../../src/core/runtime/package-version.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
let prefixes = 0;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

const network = { allow: ['127.0.0.1'] };

/** Options of a fleet that no other test has. */
function settings(
  own: Omit<Partial<FleetOptions>, 'prefix'> = {},
): FleetOptions & { readonly prefix: string } {
  return { redis: redis.url, prefix: `status-${(prefixes += 1)}:`, recovery: 1000, ...own };
}

type Settings = ReturnType<typeof settings>;

async function work(
  of: Settings,
  options: Partial<Parameters<typeof startWorker>[0]> = {},
): Promise<FleetWorker> {
  const storage = redisStore({ url: redis.url, prefix: of.prefix });
  const worker = await startWorker({ fleet: of, storage, network, cache: false, ...options });
  onTestFinished(() => worker.drain(0));
  return worker;
}

function clientOf(
  of: Settings,
  options: Parameters<typeof createClient>[0] = {},
): ReturnType<typeof createClient> {
  const storage = redisStore({ url: redis.url, prefix: of.prefix });
  const own = { storage, network, cache: false as const, fleet: fleet(of) };
  const client = createClient({ ...own, ...options });
  onTestFinished(() => client.close());
  return client;
}

function open(of: FleetOptions): Fleet {
  const all = fleet(of);
  onTestFinished(() => all[Symbol.asyncDispose]());
  return all;
}

/** Pages that answer when `release` is called, and how many wait for that, at most. */
async function heldSite(): Promise<{
  readonly server: FixtureServer;
  readonly most: () => number;
  readonly release: () => void;
}> {
  let [waiting, most] = [0, 0];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler: SiteHandlers = async ({ url }) => {
    if (url === '/robots.txt') return { status: 404, body: '' };
    most = Math.max(most, (waiting += 1));
    await released;
    waiting -= 1;
    return `<title>${url}</title><p>Words of the page ${server.url(url)}.</p>`;
  };
  const server: FixtureServer = await serve(handler);
  onTestFinished(() => server.close());
  return { server, most: () => most, release: () => release() };
}

function urlsOf(servers: readonly FixtureServer[], each: number): string[] {
  return servers.flatMap((server) =>
    Array.from({ length: each }, (_, page) => server.url(`/page-${page}`)),
  );
}

test('status() lists the workers that live, with what they have, and no others', async () => {
  const of = settings();
  const plain = await work(of, { slots: 3, browserSlots: 0 });
  const shop = await work({ ...of, place: 'eu-de', setup: 'shop' }, { slots: 5, browserSlots: 2 });
  const all = open(of);
  const { workers, classes, crawls, isPaused } = await all.status();
  const common = { host: hostname(), pid: process.pid, version: packageVersion() };
  expect(workers).toHaveLength(2);
  expect(workers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...common, id: plain.id, slots: { http: 3, browser: 0 } }),
      expect.objectContaining({ id: shop.id, place: 'eu-de', setup: 'shop', isDraining: false }),
    ]),
  );
  expect(plain.status()).toMatchObject({ busy: { http: 0, browser: 0 }, visits: 0, lost: 0 });
  expect(plain.status().rss).toBeGreaterThan(1e6);
  const version = packageVersion().replace(/\.\d+$/, '');
  const idle = { version, busy: 0, waiting: 0, oldest: 0 };
  expect(classes).toEqual(
    expect.arrayContaining([
      { ...idle, engine: 'http', place: undefined, setup: undefined, workers: 1, slots: 3 },
      { ...idle, engine: 'browser', place: undefined, setup: undefined, workers: 0, slots: 0 },
      { ...idle, engine: 'http', place: 'eu-de', setup: 'shop', workers: 1, slots: 5 },
      { ...idle, engine: 'browser', place: 'eu-de', setup: 'shop', workers: 1, slots: 2 },
    ]),
  );
  expect({ crawls, isPaused }).toEqual({ crawls: { waiting: 0, running: 0 }, isPaused: false });
  await plain.drain();
  expect((await all.status()).workers.map(({ id }) => id)).toEqual([shop.id]);
});

test('status() of a fleet whose Redis is gone rejects with STORAGE, without its password', async () => {
  const status = fleet({ redis: 'redis://user:secret@127.0.0.1:1' }).status();
  await expect(status).rejects.toMatchObject({ code: 'STORAGE' });
  await expect(status).rejects.not.toThrow(/secret/);
  expect(() => fleet({ redis: 'http://user:secret@host' })).toThrow(/^(?!.*secret)/);
});

test('pages wait while the fleet is paused, and are visited after resume()', async () => {
  const of = settings();
  const worker = await work(of);
  const all = open(of);
  await all.pause();
  const site = await heldSite();
  site.release();
  const job = clientOf(of).batchScrape(urlsOf([site.server], 3));
  const waiting = async (): Promise<number | undefined> =>
    (await all.status()).classes.find(({ engine }) => engine === 'http')?.waiting;
  await expect.poll(waiting, { timeout: 20_000 }).toBe(3);
  // A paused fleet is no missing worker.
  await expect.poll(() => job.progress.warning, { timeout: 20_000 }).toContain('is paused');
  const status = await all.status();
  expect(status).toMatchObject({ isPaused: true, workers: [{ visits: 0 }] });
  expect(status.classes[1]?.oldest).toBeGreaterThan(0);
  expect(worker.busy).toBe(0);
  await all.resume();
  expect((await job).completed).toBe(3);
  expect((await all.status()).isPaused).toBe(false);
});

test('a crawl sends a quarter more pages than its workers have slots, over several hosts', async () => {
  const of = settings();
  await work(of, { slots: 8, browserSlots: 0 });
  await work(of, { slots: 8, browserSlots: 0 });
  const sites = [await heldSite(), await heldSite(), await heldSite()];
  const urls = urlsOf(sites.map(({ server }) => server), 10); // prettier-ignore
  const job = clientOf(of).batchScrape(urls);
  const all = open(of);
  const sent = async (): Promise<number> => {
    const http = (await all.status()).classes.find(({ engine }) => engine === 'http');
    return (http?.busy ?? 0) + (http?.waiting ?? 0);
  };
  await expect.poll(sent, { timeout: 20_000 }).toBe(20);
  const held = (): number => sites.reduce((sum, { most }) => sum + most(), 0);
  await expect.poll(held, { timeout: 20_000 }).toBe(16);
  for (const { most, release } of sites) {
    expect(most()).toBeLessThanOrEqual(8);
    release();
  }
  const { data } = await job;
  expect(data.map(({ metadata }) => metadata.url)).toEqual(urls);
});

test('a crawl with 2 workers uses more than 8 slots, and keeps the maxConcurrency that it is given', async () => {
  const of = settings();
  await work(of, { slots: 16 });
  await work(of, { slots: 16 });
  const crawlHeld = async (options: { maxConcurrency?: number }): Promise<void> => {
    const sites = [await heldSite(), await heldSite(), await heldSite()];
    const links = urlsOf(sites.map(({ server }) => server), 8).map((url) => `<a href="${url}">${url}</a>`); // prettier-ignore
    const start = await serve({ '/': links.join(' ') });
    onTestFinished(() => start.close());
    const job = clientOf(of).crawl(start.url('/'), {
      allowExternalLinks: true,
      allowSubdomains: true,
      sitemap: 'skip',
      ...options,
    });
    const held = (): number => sites.reduce((sum, { most }) => sum + most(), 0);
    await expect.poll(held, { timeout: 20_000 }).toBe(options.maxConcurrency ?? 24);
    // It stays so.
    await sleep(300);
    expect(held()).toBe(options.maxConcurrency ?? 24);
    for (const { release } of sites) release();
    expect((await job).completed).toBe(25);
  };
  await crawlHeld({});
  await crawlHeld({ maxConcurrency: 5 });
});

test('two jobs of a client share the workers', async () => {
  const of = settings();
  await work(of, { slots: 32, browserSlots: 0 });
  const all = open(of);
  const first = await all.join({ id: 'one', warn: () => undefined });
  expect(first.pages).toBe(40);
  const second = await all.join({ id: 'two', warn: () => undefined });
  expect([first.pages, second.pages]).toEqual([20, 20]);
  second[Symbol.dispose]();
  expect(first.pages).toBe(40);
  first[Symbol.dispose]();
  // Without workers, or without Redis, jobs have what they have alone.
  for (const none of [settings(), { redis: 'redis://127.0.0.1:1' }]) {
    using share = await open(none).join({ id: 'three', warn: () => undefined });
    expect(share.pages).toBe(8);
  }
});

test('a job whose pages no worker takes says once which worker is missing', async () => {
  const of = settings({ place: 'eu-de', setup: 'shop' });
  await work({ ...of, place: undefined });
  const warnings: string[] = [];
  const logger = { warn: (_: unknown, message: string) => void warnings.push(message) };
  const site = await heldSite();
  site.release();
  const job = clientOf(of, { logger }).batchScrape(urlsOf([site.server], 2));
  await expect.poll(() => job.progress.warning, { timeout: 20_000 }).toBeDefined();
  const [major, minor] = packageVersion().split('.');
  expect(job.progress.warning).toBe(
    `Pages wait: no worker of class http (version ${major}.${minor}, place eu-de, set-up shop) runs. ` +
      `Start one: pagewright worker --redis <url> --prefix ${of.prefix} --place eu-de --setup shop, or startWorker().`,
  );
  await work(of);
  expect((await job).completed).toBe(2);
  expect(warnings).toEqual([job.progress.warning]);
});

test('metrics count what workers did, in the text format of Prometheus', async () => {
  const of = settings({ place: 'eu-de' });
  const worker = await work(of, { slots: 4, browserSlots: 0 });
  const server = await serve({
    '/good': '<title>Good</title><p>Words.</p>',
    '/gone': { status: 404, body: 'gone' },
  });
  onTestFinished(() => server.close());
  const job = clientOf(of).batchScrape([server.url('/good'), server.url('/gone')]);
  expect(await job).toMatchObject({ completed: 1, failed: 1 });
  await expect.poll(() => worker.busy, { timeout: 20_000 }).toBe(0);
  const own = parseMetrics(worker.metrics());
  expect(own).toMatchObject({
    'pagewright_slots{class="http"}': 4,
    'pagewright_busy{class="http"}': 0,
    'pagewright_visits_total{class="http",outcome="page"}': 2,
    'pagewright_visits_total{class="http",outcome="lost"}': 0,
    'pagewright_visit_seconds_bucket{class="http",le="+Inf"}': 2,
    'pagewright_visit_seconds_count{class="http"}': 2,
    'pagewright_lost_total{class="http"}': 0,
    'pagewright_stalled_total{class="http"}': 0,
  });
  const buckets = Object.entries(own).filter(([name]) =>
    name.startsWith('pagewright_visit_seconds_bucket{class="http"'),
  );
  expect(buckets.map(([, value]) => value)).toEqual(
    buckets.map(([, value]) => value).sort((a, b) => a - b),
  );
  expect(own['pagewright_visit_seconds_sum{class="http"}']).toBeGreaterThan(0);
  const [major, minor] = packageVersion().split('.');
  const labels = `{class="http",version="${major}.${minor}",place="eu-de"}`;
  const all = parseMetrics(await open(of).metrics());
  expect(all).toMatchObject({
    [`pagewright_fleet_workers${labels}`]: 1,
    [`pagewright_fleet_slots${labels}`]: 4,
    [`pagewright_waiting${labels}`]: 0,
    [`pagewright_oldest_seconds${labels}`]: 0,
    pagewright_fleet_paused: 0,
  });
  // Both can be served together.
  expect(Object.keys(own).filter((name) => name in all)).toEqual([]);
});

/** The samples of a text; every line has to be one, or HELP, or TYPE. */
function parseMetrics(text: string): Record<string, number> {
  expect(text.endsWith('\n')).toBe(true);
  const samples = text
    .trimEnd()
    .split('\n')
    .filter(
      (line) => !/^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:gauge|counter|histogram))$/.test(line),
    )
    .map((line) => {
      const [, name = '', value] = /^([a-z_]+(?:\{[^}]*\})?) ([\d.e+-]+)$/.exec(line) ?? [];
      expect({ line, name }).not.toEqual({ line, name: '' });
      return [name, Number(value)] as const;
    });
  expect(new Set(samples.map(([name]) => name)).size).toBe(samples.length);
  return Object.fromEntries(samples);
}

test('channels tell each visit, and those of pages that are given back', async () => {
  const of = settings();
  const heard: FleetVisit[] = [];
  const hear = (message: unknown): void => void heard.push(message as FleetVisit);
  subscribe('pagewright:fleet:visit', hear);
  onTestFinished(() => void unsubscribe('pagewright:fleet:visit', hear));
  const worker = await work(of);
  const site = await heldSite();
  const job = clientOf(of).batchScrape(urlsOf([site.server], 1));
  await expect.poll(() => worker.busy, { timeout: 20_000 }).toBe(1);
  await worker.drain(0);
  const next = await work(of);
  site.release();
  expect((await job).completed).toBe(1);
  const [url] = urlsOf([site.server], 1);
  const page = { jobId: job.id, url, engine: 'http' };
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(2);
  expect(heard).toMatchObject([
    { ...page, workerId: worker.id, outcome: 'drained' },
    { ...page, workerId: next.id, outcome: 'page' },
  ]);
  expect(heard.every(({ ms }) => ms > 0)).toBe(true);
});

test('the telemetry of BullMQ sees pages that are sent and taken', async () => {
  const spans: string[] = [];
  const span = {
    setAttribute: () => undefined,
    setAttributes: () => undefined,
    addEvent: () => undefined,
    recordException: () => undefined,
    setSpanOnContext: (context: unknown) => context,
    end: () => undefined,
  };
  const telemetry = {
    tracer: {
      startSpan: (name: string) => {
        spans.push(name);
        return span;
      },
    },
    contextManager: {
      with: (_: unknown, run: () => unknown) => run(),
      active: () => ({}),
      getMetadata: () => '{}',
      fromMetadata: () => ({}),
    },
  };
  const of = settings({
    telemetry: telemetry as unknown as NonNullable<FleetOptions['telemetry']>,
  });
  await work(of);
  const site = await heldSite();
  site.release();
  const { completed } = await clientOf(of).batchScrape(urlsOf([site.server], 1));
  expect(completed).toBe(1);
  expect(spans.some((name) => name.startsWith('addBulk'))).toBe(true);
  expect(spans.some((name) => name.startsWith('process'))).toBe(true);
  expect(() => fleet({ redis: redis.url, telemetry: {} as never })).toThrow(/tracer/);
});

test('a worker that vanished is gone from the roster, and its page is told as stalled', async () => {
  const of = settings();
  const stalled: unknown[] = [];
  const hear = (message: unknown): void => void stalled.push(message);
  subscribe('pagewright:fleet:stalled', hear);
  onTestFinished(() => void unsubscribe('pagewright:fleet:stalled', hear));
  const { killWorker, startWorkerProcess } = await import('./worker-process.ts');
  const child = await startWorkerProcess({
    fleet: { redis: redis.url, prefix: of.prefix, recovery: 1000 },
    slots: 1,
  });
  onTestFinished(() => killWorker(child));
  const all = open(of);
  const pids = async (): Promise<number[]> => (await all.status()).workers.map(({ pid }) => pid);
  expect(await pids()).toEqual([child.pid]);
  const site = await heldSite();
  const job = clientOf(of).batchScrape(urlsOf([site.server], 1));
  await expect.poll(site.most, { timeout: 20_000 }).toBe(1);
  await killWorker(child);
  const worker = await work(of);
  await expect.poll(() => stalled.length, { timeout: 20_000 }).toBe(1);
  site.release();
  expect((await job).completed).toBe(1);
  expect(stalled).toEqual([
    { workerId: worker.id, jobId: job.id, url: site.server.url('/page-0'), engine: 'http' },
  ]);
  // Its entry lives for ten seconds.
  await expect.poll(pids, { timeout: 20_000, interval: 500 }).toEqual([process.pid]);
});

test('a worker that takes crawls only has no slots, and a job beside it says which worker is missing', async () => {
  const of = settings();
  const worker = await work(of, { takes: ['crawls'] });
  expect(worker.status().slots).toEqual({ http: 0, browser: 0 });
  const site = await heldSite();
  const job = clientOf(of).batchScrape(urlsOf([site.server], 1));
  await expect
    .poll(() => job.progress.warning, { timeout: 20_000 })
    .toContain('no worker of class http');
  job.cancel();
  await job;
});

test('an extraction whose pages no worker takes says which worker is missing', async () => {
  const of = settings();
  const site = await heldSite();
  const job = clientOf(of).extract({
    urls: urlsOf([site.server], 1),
    schema: { type: 'object', properties: { title: { type: 'string' } } },
  });
  await expect
    .poll(() => job.progress.warning, { timeout: 20_000 })
    .toContain('no worker of class http');
  job.cancel();
  await expect(job).rejects.toMatchObject({ code: 'CANCELLED' });
});
