/** Extractions whose pages workers visit, and formats that ask the model of the worker. */
import { createClient, type Store } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { scriptedModel } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
let server: Awaited<ReturnType<typeof serve>>;
let prefixes = 0;

beforeAll(async () => {
  redis = await startRedis();
  server = await serve(
    Object.fromEntries(
      ['lamp', 'chair', 'table'].map((name, index) => [
        `/${name}`,
        `<title>${name}</title><main><h1>${name}</h1><p>The ${name} is sold here.</p>
        <script type="application/ld+json">{"@type":"Product","name":"${name}","offers":{"price":${index + 10},"priceCurrency":"EUR"}}</script></main>`,
      ]),
    ),
  );
});
afterAll(async () => {
  await server.close();
  await redis.stop();
});

const network = { allow: ['127.0.0.1'] };
const schema = z.object({ name: z.string(), price: z.number() });
const words = (): ReturnType<typeof scriptedModel> =>
  scriptedModel(({ prompt }) => ({ name: /lamp|chair|table/.exec(prompt)?.[0], price: 1 }), {
    price: { input: 1, output: 1 },
  });

interface Setting {
  readonly model?: ReturnType<typeof scriptedModel>;
  readonly workerModel?: ReturnType<typeof scriptedModel>;
}

async function withWorker<T>(
  { model, workerModel }: Setting,
  work: (client: ReturnType<typeof createClient>, storage: Store) => Promise<T>,
): Promise<T> {
  const prefix = `extract-${(prefixes += 1)}:`;
  const storage = redisStore({ url: redis.url, prefix });
  const way = { redis: redis.url, prefix };
  const own = { storage, network, cache: false as const };
  await using _worker = await startWorker({
    ...own,
    fleet: way,
    ...(workerModel && { model: workerModel }),
  });
  await using client = createClient({ ...own, fleet: fleet(way), ...(model && { model }) });
  return await work(client, storage);
}

test('the model of the worker is asked, and its use is counted', async () => {
  const [model, workerModel] = [words(), words()];
  const result = await withWorker({ model, workerModel }, async (client) =>
    client.extract({ urls: [server.url('/lamp'), server.url('/chair')], schema, mode: 'model' }),
  );
  expect([model.requests.length, workerModel.requests.length]).toEqual([0, 2]);
  expect(result.modelUsage).toMatchObject({ requests: 2 });
  expect(result.usage.tokens).toBe(
    (result.modelUsage?.inputTokens ?? 0) + (result.modelUsage?.outputTokens ?? 0),
  );
  expect(result.usage.tokens).toBeGreaterThan(0);
});

test('a format that asks the model is made by workers, and its use is counted', async () => {
  const [model, workerModel] = [words(), words()];
  const { data, usage, warning } = await withWorker({ model, workerModel }, async (client) =>
    client.batchScrape([server.url('/lamp'), server.url('/table')], {
      formats: [{ type: 'json', schema: z.toJSONSchema(schema), mode: 'model' }],
    }),
  );
  expect(data.map(({ json }) => (json as { name?: string }).name)).toEqual(['lamp', 'table']);
  expect([model.requests.length, workerModel.requests.length]).toEqual([0, 2]);
  expect(usage.tokens).toBeGreaterThan(0);
  expect(warning).toBeUndefined();
});

test('a budget of tokens is kept by the process of the job, which visits the pages', async () => {
  const [model, workerModel] = [words(), words()];
  const { completed, warning } = await withWorker({ model, workerModel }, async (client) =>
    client.batchScrape([server.url('/lamp')], {
      formats: [{ type: 'json', schema: z.toJSONSchema(schema), mode: 'model' }],
      budget: { tokens: 100_000 },
    }),
  );
  expect([completed, model.requests.length, workerModel.requests.length]).toEqual([1, 1, 0]);
  expect(warning).toContain('budget.tokens');
});

test('a model that only the worker has is not asked', async () => {
  const workerModel = words();
  const { data } = await withWorker({ workerModel }, async (client) =>
    client.extract({ urls: [server.url('/lamp')], schema }),
  );
  expect(data).toEqual({ name: 'lamp', price: 10 });
  expect(workerModel.requests).toHaveLength(0);
});

test('an extraction with a function is read by its own process, with a warning', async () => {
  const [model, workerModel] = [words(), words()];
  const { warning } = await withWorker({ model, workerModel }, async (client) =>
    client.extract({ urls: [server.url('/lamp')], schema, onPartial: () => undefined }),
  );
  expect(warning).toContain('onPartial');
  expect(workerModel.requests).toHaveLength(0);
});

test('a job that a worker refused goes on once the worker has what it lacks', async () => {
  const prefix = `extract-${(prefixes += 1)}:`;
  const storage = redisStore({ url: redis.url, prefix });
  const way = { redis: redis.url, prefix };
  const own = { storage, network, cache: false as const };
  await using client = createClient({ ...own, fleet: fleet(way), model: words() });
  const job = client.batchScrape([server.url('/lamp'), server.url('/table')], {
    formats: [{ type: 'json', schema: z.toJSONSchema(schema), mode: 'model' }],
  });
  {
    await using _lacking = await startWorker({ ...own, fleet: way });
    await expect(job).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining('The worker has no model') as string,
    });
  }
  await using _worker = await startWorker({ ...own, fleet: way, model: words() });
  expect(await client.jobs.resume(job.id)).toMatchObject({ completed: 2, failed: 0 });
}, 60_000);

test('pages that a search finds are visited by workers, which need no search engine', async () => {
  const extraction = await withWorker({}, (client) => {
    server.clearLog();
    const engine = (): { url: string }[] => [{ url: server.url('/chair') }];
    return client.extract({ schema, search: { query: 'chairs', engine } }).then((result) => result);
  });
  expect(extraction.data).toEqual({ name: 'chair', price: 11 });
  expect(extraction.warning).toBeUndefined();
  expect(server.log.filter(({ url }) => url === '/chair')).toHaveLength(1);
});
