/** Routes of a crawl, and data of URLs, in jobs whose pages workers visit. */
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  redis = await startRedis();
  server = await serve({
    '/': '<main><h1>Lamps</h1><p>All lamps of the shop.</p><a href="/p/1">one</a> <a href="/p/2">two</a></main>',
    '/p/1': '<main><h1>One</h1><p>The first lamp.</p><a href="/p/3">three</a></main>',
    '/p/2': '<main><h1>Two</h1><p>The second lamp.</p></main>',
  });
});
afterAll(async () => {
  await server.close();
  await redis.stop();
});

test('workers read the pages of each route, with its label and the data', async () => {
  const way = { redis: redis.url, prefix: 'routes:' };
  const network = { allow: ['127.0.0.1'] };
  const labels: unknown[] = [];
  const own = { storage: redisStore({ url: redis.url, prefix: way.prefix }), network };
  await using _worker = await startWorker({
    ...own,
    fleet: way,
    cache: false,
    hooks: {
      beforeRequest: ({ url, label, data }) =>
        void labels.push([new URL(url).pathname, label, data]),
    },
  });
  await using client = createClient({ ...own, fleet: fleet(way), cache: false });
  const { data, warning, errors } = await client.crawl(
    { url: server.url('/'), data: { run: 1 } },
    {
      sitemap: 'skip',
      routes: [
        { match: '^/$', label: 'list', scrapeOptions: { formats: ['links'] } },
        { match: '^/p/', label: 'product', follow: false, scrapeOptions: { formats: ['html'] } },
      ],
    },
  );
  expect(warning).toBeUndefined();
  expect(errors).toEqual([]);
  expect(labels.sort()).toEqual([
    ['/', 'list', { run: 1 }],
    ['/p/1', 'product', { run: 1 }],
    ['/p/2', 'product', { run: 1 }],
  ]);
  expect(
    data.map(({ metadata, ...fields }) => [metadata.label, metadata.data, ...Object.keys(fields)]),
  ).toEqual([
    ['list', { run: 1 }, 'links'],
    ['product', { run: 1 }, 'html'],
    ['product', { run: 1 }, 'html'],
  ]);

  const batch = await client.batchScrape([
    { url: server.url('/p/1'), data: 1 },
    { url: server.url('/p/none'), data: 2 },
  ]);
  expect(batch.data.map(({ metadata }) => metadata.data)).toEqual([1]);
  expect(batch.errors).toMatchObject([{ data: 2, document: { metadata: { data: 2 } } }]);
  expect(labels).toContainEqual(['/p/none', undefined, 2]);

  const { warning: here } = await client.crawl(server.url('/'), {
    limit: 1,
    routes: [{ match: () => true, label: 'all' }],
  });
  expect(here).toMatch(/visited by this process.*routes\.0\.match is a function/);
});
