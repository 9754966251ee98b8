/** Pages go to the workers that can visit them: by browser, place and set-up. */
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, type FleetWorker, startWorker } from 'pagewright/fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

const network = { allow: ['127.0.0.1'] };

/** A page that its script fills, with a real Chromium. */
const app = `<!doctype html><title>App</title><div id="root"></div><script>
  document.getElementById('root').innerHTML = '<main><h1>Made by a script</h1><p>' + 'Words of the app. '.repeat(20) + '</p></main>';
</script>`;
const text = `<title>Text</title><main><h1>Text</h1><p>${'Words of a page. '.repeat(20)}</p></main>`;

// Two Chromiums start.
test(
  'a page that turns out to need a browser goes to a worker that has one',
  { timeout: 90_000 },
  async () => {
    await using server = await serve({ '/app': app, '/text': text, '/shot': text });
    const way = { redis: redis.url, prefix: 'classes:' };
    const storage = redisStore({ url: redis.url, prefix: 'classes:' });
    const own = { storage, network, cache: false as const };
    await using alone = createClient({ network, cache: false });
    const urls = ['/app', '/text'].map((path) => server.url(path));
    const whole = await alone.batchScrape(urls);
    await using _static = await startWorker({
      ...own,
      fleet: way,
      browserSlots: 0,
      browser: false,
    });
    await using client = createClient({ ...own, fleet: fleet(way) });
    const job = client.batchScrape(urls);
    const shot = client.batchScrape([server.url('/shot')], { formats: ['screenshot'] });
    // The worker without a browser has read what it can.
    const texts = (): number => server.log.filter(({ url }) => url === '/text').length;
    await expect.poll(texts, { timeout: 15_000 }).toBe(2);
    expect(server.log.some(({ url }) => url === '/shot')).toBe(false);
    await using _browser = await startWorker({ ...own, fleet: way, slots: 1 });
    const { data, failed } = await job;
    expect(failed).toBe(0);
    expect(data.map(({ markdown }) => markdown)).toEqual(
      whole.data.map(({ markdown }) => markdown),
    );
    expect(data.map(({ metadata }) => metadata.engine)).toEqual(['browser', 'http']);
    expect(data.map(({ metadata }) => metadata.engineReason)).toEqual(
      whole.data.map(({ metadata }) => metadata.engineReason),
    );
    const { data: pictures } = await shot;
    expect(pictures[0]?.screenshot).toBeTypeOf('string');
  },
);

test('a worker takes only the pages of its place and of its set-up', async () => {
  await using server = await serve({ '/': text });
  const visited: string[] = [];
  const storage = redisStore({ url: redis.url, prefix: 'places:' });
  const way = { redis: redis.url, prefix: 'places:' };
  const start = (name: string, more: object): Promise<FleetWorker> =>
    startWorker({
      fleet: { ...way, ...more },
      storage,
      network,
      cache: false,
      hooks: { beforeRequest: () => void visited.push(name) },
    });
  const ways = { plain: {}, east: { place: 'east' }, shop: { place: 'east', setup: 'shop' } };
  const workers = await Promise.all(Object.entries(ways).map(([name, more]) => start(name, more)));
  for (const more of [ways.shop, ways.plain, ways.east]) {
    await using client = createClient({
      storage,
      network,
      cache: false,
      fleet: fleet({ ...way, ...more }),
    });
    expect(await client.batchScrape([server.url('/')])).toMatchObject({ completed: 1 });
  }
  expect(visited).toEqual(['shop', 'plain', 'east']);
  for (const worker of workers) await worker.drain();
});

test('a place that is no word is BAD_REQUEST', () => {
  expect(() => fleet({ redis: redis.url, place: 'a:b' })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining('place') }),
  );
});
