/** client.index(): the pages of a job as a search engine, kept in its storage. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore, memoryStore, type SearchIndex } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { failure } from '../../support/failure.ts';
import { memoryWeb } from '../../support/memory-web.ts';

const docs = fixturesEngine({
  'https://tidewater.test': new URL('../../../fixtures/sites/docs/', import.meta.url),
});

describe('an index of a crawl', () => {
  const client = createClient({ engines: [docs] });
  let index: SearchIndex;

  beforeAll(async () => {
    const job = client.crawl('https://tidewater.test/docs/', {
      limit: 100,
      scrapeOptions: { formats: ['markdown', { type: 'chunks', maxTokens: 128 }] },
    });
    await job;
    index = await client.index(job.id);
  }, 60_000);

  afterAll(() => client.close());

  test('has all pages', () => {
    expect(index.pages).toBe(49);
    expect(index.passages).toBeGreaterThan(index.pages);
  });

  /** A page that answers the query is among the first so many. */
  test.each([
    ['install', '/docs/getting-started/install.html', 1],
    ['restore a backup', '/docs/operations/backup.html', 1],
    ['upgrade the cluster', '/docs/operations/upgrade.html', 3],
    ['python client', '/docs/clients/python.html', 1],
    ['TypeScript', '/docs/clients/typescript.html', 1],
    ['rust', '/docs/clients/rust.html', 1],
    ['mqtt', '/docs/guides/mqtt.html', 1],
    ['clock drift', '/docs/guides/clock-drift.html', 1],
    ['migrate from version 2', '/docs/guides/migrate-from-v2/', 1],
    ['alert rules', '/docs/guides/alerting/', 1],
    ['how long is data kept retention', '/docs/guides/retention.html', 5],
    ['rollups', '/docs/guides/rollups.html', 1],
    ['schema design', '/docs/guides/schema-design.html', 1],
    ['compression', '/docs/concepts/compression/', 1],
    ['replication factor', '/docs/concepts/replication.html', 3],
    ['storage engine', '/docs/concepts/storage-engine.html', 1],
    ['error codes of the HTTP API', '/docs/reference/http-api/errors.html', 3],
    ['authentication token', '/docs/reference/http-api/authentication.html', 1],
    ['join two series', '/docs/reference/tql/join.html', 1],
    ['window functions', '/docs/reference/tql/window.html', 3],
    ['interpolaton', '/docs/concepts/interpolation.html', 1],
    ['monitor', '/docs/operations/monitoring.html', 1],
  ])('%s: %s', async (query, path, rank) => {
    const urls = (await index.search(query)).map(({ url }) => new URL(url).pathname);
    expect(urls.slice(0, rank)).toContain(path);
  });

  test('a hit has the passage with its words, its heading and a link to it', async () => {
    const [hit] = await index.search('restore a backup', { limit: 1 });
    expect(hit).toMatchObject({ title: expect.stringMatching(/back/i) as string });
    expect(hit?.description).toMatch(/restor/i);
    expect(hit?.description.length).toBeLessThanOrEqual(600);
    expect(hit?.description).not.toMatch(/[#*`|]|\]\(/);
    expect(hit?.heading).not.toBe('');
    expect(hit?.anchor).toMatch(/^https:\/\/tidewater\.test\/docs\/.*#./);
    expect(hit?.score).toBeGreaterThan(0);
  });

  test('each page once, or all its passages; the best first', async () => {
    const best = await index.search('replication', { limit: 20 });
    expect(new Set(best.map(({ url }) => url)).size).toBe(best.length);
    const all = await index.search('replication', { limit: 20, passages: 'all' });
    expect(new Set(all.map(({ url }) => url)).size).toBeLessThan(all.length);
    expect(all.map(({ score }) => score)).toEqual(
      all.map(({ score }) => score).sort((a, b) => b - a),
    );
  });

  test('is a search engine', async () => {
    const found = await client.search('restore a backup', {
      engine: index,
      limit: 2,
      language: 'en',
      scrape: true,
      excludeDomains: ['other.test'],
    });
    expect(found.engine).toBe('index');
    expect(found.warning).toBe('The search engine index ignores language for web.');
    expect(found.web).toHaveLength(2);
    expect(found.web[0]?.url).toBe('https://tidewater.test/docs/operations/backup.html');
    expect(found.web[0]?.document?.markdown).toContain('# ');
    const error = await failure(client.search('a', { engine: index, sources: ['news'] }));
    expect(error.code).toBe('BAD_REQUEST');
  });

  test.each([
    ['?!', {}, 'the query has no words'],
    ['a', { limit: 0 }, 'limit'],
    ['a', { passages: 'none' as 'all' }, 'passages'],
  ])('a search for %j with %j is refused', async (query, options, words) => {
    const error = await failure(index.search(query, options));
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(words) as string,
    });
  });
});

describe('other scripts', () => {
  const texts: readonly (readonly [path: string, title: string, text: string])[] = [
    ['/ja', '夜行列車', '海岸まで夜行列車の窓から月を見る旅です。'],
    ['/zh', '旧地图', '这本书讲述旧地图里的城市和潮汐的故事。'],
    ['/ru', 'Ночной поезд', 'Ночной поезд едет на север вдоль старых берегов.'],
    ['/ar', 'خبز الشعير', 'كيف نخبز خبز الشعير في الفرن القديم.'],
    ['/th', 'รถไฟ', 'รถไฟกลางคืนไปทะเลออกทุกวันจากสถานีใหญ่'],
    ['/ko', '호밀빵', '아침마다 호밀빵을 굽는 작은 가게 이야기입니다.'],
    ['/de', 'Straßenkarten', 'Früher zeichnete man Straßenkarten von Hand.'],
  ];

  test('are found by their words', async () => {
    const client = createClient({
      engines: [
        memoryWeb(
          Object.fromEntries(
            texts.map(([path, title, text]) => [
              `https://almanac.test${path}`,
              `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`,
            ]),
          ),
        ),
      ],
    });
    onTestFinished(() => client.close());
    const job = client.batchScrape(texts.map(([path]) => `https://almanac.test${path}`));
    await job;
    const index = await client.index(job.id);
    const first = async (query: string): Promise<string | undefined> => {
      const [hit] = await index.search(query);
      return hit && new URL(hit.url).pathname;
    };
    const found = ['夜行列車', '月', '潮汐', 'поезда', 'الشعير', 'ทะเล', '호밀빵', 'strassenkarte'];
    expect(await Promise.all(found.map(first))).toEqual([
      '/ja',
      '/ja',
      '/zh',
      '/ru',
      '/ar',
      '/th',
      '/ko',
      '/de',
    ]);
  });
});

describe('jobs of a storage', () => {
  test('the index is kept with the job, and dropped with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-index-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = fileStore(folder);
    const first = createClient({ engines: [docs], storage: store });
    const job = first.crawl('https://tidewater.test/docs/clients/', { limit: 5 });
    await job;
    const built = await first.index(job.id);
    await first.close();

    const key = `jobs/${job.id}/search-index`;
    const kept = await store.get(key);
    expect(kept?.length).toBeGreaterThan(100);
    const second = createClient({ engines: [], browser: false, storage: store });
    onTestFinished(() => second.close());
    // Without the documents it can only be the stored one.
    for await (const name of store.list(`jobs/${job.id}/visits`)) await store.delete(name);
    const opened = await second.index(job.id);
    expect([opened.pages, opened.passages]).toEqual([built.pages, built.passages]);
    expect(await opened.search('python')).toEqual(await built.search('python'));

    await store.set(key, new Uint8Array([1, 2, 3]));
    await expect(second.index(job.id)).rejects.toThrow();
    await store.set(key, kept ?? new Uint8Array());

    expect(await second.jobs.remove(job.id)).toBe(true);
    expect(await store.get(key)).toBeUndefined();
    expect(await failure(second.index(job.id))).toMatchObject({ code: 'JOB_NOT_FOUND' });
  });

  test('a damaged index is made anew', async () => {
    const storage = memoryStore();
    const client = createClient({ engines: [docs], storage });
    onTestFinished(() => client.close());
    const job = client.crawl('https://tidewater.test/docs/clients/', { limit: 3 });
    await job;
    await storage.set(`jobs/${job.id}/search-index`, new Uint8Array([1, 2, 3]));
    expect((await client.index(job.id)).pages).toBe(3);
  });

  test('nothing is stored of a job whose data is not kept', async () => {
    const storage = memoryStore();
    const client = createClient({ engines: [docs], storage });
    onTestFinished(() => client.close());
    const job = client.batchScrape(['https://tidewater.test/docs/'], { zeroDataRetention: true });
    await job;
    expect((await client.index(job.id)).pages).toBe(1);
    const keys: string[] = [];
    for await (const key of storage.list('')) keys.push(key);
    expect(keys.filter((key) => key.startsWith('jobs/'))).toEqual([]);
  });

  test('documents without markdown, extractions and unknown jobs are refused', async () => {
    const client = createClient({ engines: [docs] });
    onTestFinished(() => client.close());
    const job = client.batchScrape(['https://tidewater.test/docs/'], { formats: ['links'] });
    await job;
    const noMarkdown = await failure(client.index(job.id));
    expect(noMarkdown).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining("formats: ['markdown']") as string,
    });
    const extraction = client.extract({
      urls: ['https://tidewater.test/docs/'],
      schema: { type: 'object', properties: { title: { type: 'string' } } },
    });
    await extraction.then(undefined, () => undefined);
    expect((await failure(client.index(extraction.id))).code).toBe('BAD_REQUEST');
    expect((await failure(client.index('none'))).code).toBe('JOB_NOT_FOUND');
    expect((await failure(client.index(''))).code).toBe('BAD_REQUEST');
  });

  test('a running job gives the pages that it has, and a signal ends the work', async () => {
    const client = createClient({ engines: [docs] });
    onTestFinished(() => client.close());
    const job = client.crawl('https://tidewater.test/docs/', { limit: 50 });
    for await (const _ of job) {
      const { pages } = await client.index(job.id);
      expect(pages).toBeGreaterThan(0);
      break;
    }
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(client.index(job.id, { signal: gone })).rejects.toMatchObject({
      code: 'CANCELLED',
      cause: gone.reason as unknown,
    });
  });
});
