/** What the processes of a fleet know together of their hosts, in a real Redis. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answered, newHostState, refused, started } from '../../../src/core/fetch/host-state.ts';
import {
  type FleetConnection,
  hostKey,
  openConnection,
  parseFleetOptions,
} from '../../../src/entries/fleet/redis-connections.ts';
import { RedisHosts } from '../../../src/entries/fleet/redis-hosts.ts';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve, type SiteHandlers } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
let connection: FleetConnection;
/** Each test asks a host of its own. */
let names = 0;

beforeAll(async () => {
  redis = await startRedis();
  connection = await openConnection(redis.url);
});
afterAll(async () => {
  connection.close();
  await redis.stop();
});

function process(): RedisHosts {
  const settings = parseFleetOptions({ redis: redis.url }, 'fleet');
  return new RedisHosts(settings, () => Promise.resolve(connection));
}

function newHost(): string {
  return `site-${(names += 1)}.test`;
}

const plain = { delay: 0, most: 8, perMinute: Infinity, isHop: false };

test('turns of two processes keep the delay between them', async () => {
  const host = newHost();
  const processes = [process(), process()];
  const began = performance.now();
  const turns = [];
  for (let n = 0; n < 6; n += 1) {
    turns.push(await processes[n % 2]!.take(host, { ...plain, delay: 500 }));
  }
  expect(turns.map(({ state }) => state)).toEqual(Array(6).fill('granted'));
  // Each one waits for the one before; the time of asking counts.
  const passed = performance.now() - began;
  turns.forEach(({ wait }, index) => {
    expect(wait).toBeLessThanOrEqual(500 * index);
    expect(wait).toBeGreaterThanOrEqual(500 * index - passed - 5);
  });
});

test('a start that is far away is not reserved', async () => {
  const host = newHost();
  const hosts = process();
  await hosts.take(host, { ...plain, delay: 60_000 });
  const first = await hosts.take(host, { ...plain, delay: 60_000 });
  const second = await hosts.take(host, { ...plain, delay: 60_000 });
  expect([first.state, second.state]).toEqual(['closed', 'closed']);
  expect(second.wait).toBeLessThanOrEqual(first.wait);
});

test('requests in flight of all processes count together', async () => {
  const host = newHost();
  const processes = [process(), process()];
  const limited = { ...plain, most: 2 };
  const [one, other] = [
    await processes[0]!.take(host, limited),
    await processes[1]!.take(host, limited),
  ];
  expect([one.state, other.state]).toEqual(['granted', 'granted']);
  expect((await processes[1]!.take(host, limited)).state).toBe('full');
  const hop = await processes[1]!.take(host, { ...limited, isHop: true });
  expect(hop.state).toBe('granted');
  one.end();
  one.end();
  await expect.poll(async () => (await processes[1]!.take(host, limited)).state).toBe('granted');
  expect((await processes[0]!.take(host, limited)).state).toBe('full');
});

test('Retry-After closes the host for all processes', async () => {
  const host = newHost();
  const turn = await process().take(host, plain);
  turn.end({ isGood: false, sentFor: 10, pause: 30_000 });
  await expect.poll(async () => (await process().take(host, plain)).state).toBe('closed');
  const { wait } = await process().take(host, plain);
  expect(wait).toBeGreaterThan(20_000);
  expect(wait).toBeLessThanOrEqual(30_000);
  expect((await process().take(newHost(), plain)).state).toBe('granted');
});

test('failures of an overloaded host lower the number in flight for all, and good answers raise it', async () => {
  const host = newHost();
  const hosts = process();
  const take = (): ReturnType<RedisHosts['take']> => hosts.take(host, plain);
  const turns = [];
  for (let n = 0; n < 6; n += 1) turns.push(await take());
  turns[0]!.end({ isGood: false, sentFor: 1, pause: 0 });
  for (const turn of turns) turn.end();
  const granted = async (): Promise<number> => {
    await connection.send(['PING']);
    const open = [];
    for (let n = 0; n < 8; n += 1) {
      const turn = await take();
      if (turn.state !== 'granted') break;
      open.push(turn);
    }
    for (const turn of open) turn.end();
    await connection.send(['PING']);
    return open.length;
  };
  expect(await granted()).toBe(3);
  for (let n = 0; n < 8; n += 1) {
    const open = [await take(), await take(), await take()];
    for (const turn of open) turn.end({ isGood: true, sentFor: 0, pause: 0 });
    await connection.send(['PING']);
  }
  expect(await granted()).toBeGreaterThan(3);
});

test('five failures in a row space the requests of all processes', async () => {
  const host = newHost();
  const hosts = process();
  for (let n = 0; n < 6; n += 1) {
    const turn = await hosts.take(host, plain);
    expect(turn.state).toBe('granted');
    turn.end({ isGood: false, sentFor: 0, pause: 0 });
    await connection.send(['PING']);
  }
  await process().take(host, plain);
  const { state, wait } = await process().take(host, plain);
  expect(state).toBe('granted');
  expect(wait).toBeGreaterThan(300);
});

test('within a minute no more requests start than allowed, of all processes', async () => {
  const host = newHost();
  const processes = [process(), process()];
  const take = (n: number): ReturnType<RedisHosts['take']> =>
    processes[n % 2]!.take(host, { ...plain, most: Infinity, perMinute: 6, isHop: n === 3 });
  const turns = await Promise.all(Array.from({ length: 9 }, (_, n) => take(n)));
  expect(turns.filter(({ state }) => state === 'granted')).toHaveLength(6);
  const refused = turns.filter(({ state }) => state === 'closed');
  expect(refused).toHaveLength(3);
  for (const { wait } of refused) expect(wait).toBeGreaterThan(60_000);
  // When all but the last two are older than a minute, four more may start: not at once but in their order.
  const key = `${hostKey(parseFleetOptions({ redis: redis.url }, 'fleet'), host)}:starts`;
  expect(await connection.send(['PTTL', key])).toBeGreaterThan(60_000);
  for (let n = 2; n < 6; n += 1) {
    const old = Date.now() - 60_000 + 200 * (6 - n) - 400;
    await connection.send(['LSET', key, String(n), String(old)]);
  }
  const later = [];
  for (let n = 0; n < 5; n += 1) later.push(await take(n));
  expect(later.map(({ state }) => state)).toEqual([...Array(4).fill('granted'), 'closed']);
  expect(later[0]!.wait).toBeGreaterThan(0);
  expect(later[3]!.wait).toBeGreaterThanOrEqual(later[0]!.wait);
  const starts = (await connection.send(['LRANGE', key, '0', '-1'])) as string[];
  expect(starts).toHaveLength(6);
  expect(starts).toEqual([...starts].sort().reverse());
});

test('Redis has the state of a host that a process alone would have', async () => {
  const host = newHost();
  const hosts = process();
  const state = newHostState();
  const key = hostKey(parseFleetOptions({ redis: redis.url }, 'fleet'), host);
  const stored = async (): Promise<Record<string, number>> => {
    const fields = (await connection.send(['HGETALL', key])) as string[];
    const pairs = Array.from({ length: fields.length / 2 }, (_, n) =>
      fields.slice(2 * n, 2 * n + 2),
    );
    return Object.fromEntries(pairs.map(([name = '', value]) => [name, Number(value)]));
  };
  const outcomes = [
    // Requests that were sent together fail, then others, and the limit falls to one.
    ...[0, 60_000, 60_000, 0, 0, 60_000, 0, 0, 0, 0].map((sentFor) => ({ isGood: false, sentFor })),
    // The limit rises, until there is none.
    ...Array.from({ length: 30 }, () => ({ isGood: true, sentFor: 0 })),
    { isGood: false, sentFor: 0, pause: 90_000 },
  ];
  for (const { isGood, sentFor, pause } of outcomes.map((one) => ({ pause: 0, ...one }))) {
    const inFlight = Math.min(4, state.limit);
    const turns = [];
    for (let n = 0; n < inFlight; n += 1) turns.push(await hosts.take(host, plain));
    expect(turns.map((turn) => turn.state)).toEqual(Array(inFlight).fill('granted'));
    const now = Date.now();
    started(state, now, plain);
    const request = { now, sentAt: now - sentFor, inFlight };
    if (isGood) answered(state, request);
    else refused(state, request, pause);
    turns[0]!.end({ isGood, sentFor, pause });
    for (const turn of turns) turn.end();
    await expect
      .poll(async () => {
        const { failures = 0, limit = Infinity, distance = 0, closed = 0 } = await stored();
        return { failures, limit, distance, isClosed: closed > 0 };
      })
      .toEqual({
        failures: state.failures,
        limit: state.limit,
        distance: state.distance,
        isClosed: pause > 0,
      });
    // The gaps between starts are not waited for.
    await connection.send(['HDEL', key, 'last']);
  }
  const { closed = 0, paused = 0, failedAt = 0, ...others } = await stored();
  expect([closed - failedAt, paused - failedAt]).toEqual([60_000, 90_000]);
  expect(Object.keys(state)).toEqual(expect.arrayContaining(Object.keys(others)));
});

test('a process goes on by itself while Redis does not answer', async () => {
  const settings = parseFleetOptions({ redis: redis.url }, 'fleet');
  const hosts = new RedisHosts(settings, () => Promise.reject(new Error('away')));
  expect(await hosts.take(newHost(), plain)).toMatchObject({ state: 'granted', wait: 0 });
});

const network = { allow: ['127.0.0.1'] };

test('two crawls of one host, each with workers of its own, keep its delay together', async () => {
  const pages = 12;
  const { site } = linkedSite({ pages, links: 3, seed: 5 });
  await using server = await serve({ ...site, '/robots.txt': 'User-agent: *\nCrawl-delay: 0.2' });
  const run = async (place: string): Promise<number> => {
    const way = { redis: redis.url, prefix: 'delay:', place };
    const storage = redisStore({ url: redis.url, prefix: 'delay:' });
    await using worker = await startWorker({ fleet: way, storage, network, cache: false });
    await using client = createClient({ storage, network, cache: false, fleet: fleet(way) });
    const { completed } = await client.crawl(server.url('/'), { limit: pages });
    await expect.poll(() => worker.busy).toBe(0);
    return completed;
  };
  expect(await Promise.all([run('one'), run('other')])).toEqual([pages, pages]);
  // The first requests are for robots.txt itself, which nobody has read by then.
  const asked = server.log.slice(4).map(({ time }) => time);
  const mean = (asked.at(-1)! - asked[0]!) / (asked.length - 1);
  expect(mean).toBeGreaterThan(190);
});

test('two jobs, each with workers of its own, keep the rules of a host together', async () => {
  let [inFlight, most] = [0, 0];
  const pages: SiteHandlers = async ({ url, headers }) => {
    most = Math.max(most, (inFlight += 1));
    await sleep(30);
    inFlight -= 1;
    const body = `<p>Words of the page ${url}.</p>`;
    return headers['x-api-key'] === 'k1' ? { body } : { status: 401, body };
  };
  await using server = await serve(pages);
  const hosts = {
    [new URL(server.url('/')).host]: {
      concurrency: 2,
      perMinute: 8,
      headers: { 'x-api-key': 'k1' },
    },
  };
  const run = async (place: string): Promise<number> => {
    const way = { redis: redis.url, prefix: 'rules:', place };
    const storage = redisStore({ url: redis.url, prefix: 'rules:' });
    const shared = { storage, network, hosts, cache: false } as const;
    await using client = createClient({ ...shared, fleet: fleet(way) });
    await using _ = await startWorker({ ...shared, fleet: way });
    const urls = ['/a', '/b', '/c', '/d'].map((path) => server.url(`/${place}${path}`));
    const { completed } = await client.batchScrape(urls);
    return completed;
  };
  expect(await Promise.all([run('one'), run('other')])).toEqual([4, 4]);
  expect(server.log).toHaveLength(8);
  expect(most).toBeLessThanOrEqual(2);
  const hostState = new RedisHosts(
    parseFleetOptions({ redis: redis.url, prefix: 'rules:' }, 'fleet'),
    () => Promise.resolve(connection),
  );
  const { host } = new URL(server.url('/'));
  const next = await hostState.take(host, { ...plain, perMinute: 8 });
  expect(next.state).toBe('closed');
  expect(next.wait).toBeGreaterThan(30_000);
});

test('a page whose host is closed for long leaves the slot of its worker to other pages', async () => {
  const closed: SiteHandlers = ({ url }) => {
    if (url === '/robots.txt') return { status: 404, body: '' };
    return { body: `<title>${url}</title><p>Words of the page ${url}.</p>` };
  };
  await using slow = await serve(closed);
  await using quick = await serve(closed);
  const way = { redis: redis.url, prefix: 'closed:' };
  const storage = redisStore({ url: redis.url, prefix: 'closed:' });
  await using worker = await startWorker({ fleet: way, storage, network, cache: false, slots: 1 });
  await using client = createClient({ storage, network, cache: false, fleet: fleet(way) });
  const { host } = new URL(slow.url('/'));
  const hosts = new RedisHosts(parseFleetOptions(way, 'fleet'), () => Promise.resolve(connection));
  const turn = await hosts.take(host, plain);
  turn.end({ isGood: false, sentFor: 0, pause: 7000 });
  await sleep(50);
  const job = client.batchScrape([slow.url('/late'), ...['/a', '/b', '/c'].map(quick.url)]);
  const { completed, failed } = await job;
  expect({ completed, failed }).toEqual({ completed: 4, failed: 0 });
  await expect.poll(() => worker.busy).toBe(0);
  expect([quick.log.length, slow.log.length]).toEqual([3, 1]);
  const quickAt = Math.max(...quick.log.map(({ time }) => time));
  expect(slow.log[0]!.time).toBeGreaterThan(quickAt);
});

test('a process that waits for nothing but its turn lives until Redis answers', async () => {
  await using server = await serve(linkedSite({ pages: 2, links: 1, seed: 4 }).site);
  const folder = await mkdtemp(join(tmpdir(), 'turn-'));
  const built = (name: string): string => new URL(`../../../dist/${name}`, import.meta.url).href;
  const values = { redis: redis.url, folder, page: server.url('/page-1'), start: server.url('/') };
  // The storage is in files: commands of `redisStore` would keep the process alive.
  const program = `
    import { once } from 'node:events';
    import { connect } from 'node:net';
    import { createClient, fileStore } from ${JSON.stringify(built('index.js'))};
    import { fleet } from ${JSON.stringify(built('entries/fleet/index.js'))};
    const { redis, folder, page, start } = ${JSON.stringify(values)};
    const client = createClient({
      storage: fileStore(folder),
      fleet: fleet({ redis, prefix: 'alive:' }),
      network: { allow: ['127.0.0.1'] },
      cache: false,
    });
    await client.scrape(page);
    const socket = connect(Number(new URL(redis).port), '127.0.0.1');
    socket.write('CLIENT PAUSE 1000 ALL\\r\\n');
    await once(socket, 'data');
    socket.destroy();
    await client.crawl(start, { limit: 1 });
  `;
  const child = spawn(execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const asked = expect
    .poll(() => server.log.some(({ url }) => url === '/robots.txt'), { timeout: 20_000 })
    .toBe(true);
  try {
    await Promise.race([asked, ended]);
    expect(child.exitCode).toBe(null);
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
});
