import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, memoryStore } from 'pagewright';
import type { SearchFunction } from '../../../src/core/model/search-engine.ts';
import Firecrawl, { FirecrawlApp, JobTimeoutError, SdkError } from 'pagewright/firecrawl';
import { hang, serve } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { clientOptions, FixtureFirecrawl } from './open-app.ts';

const home = 'https://firecrawl.dev/';

/** An app over a local server of its own. */
function localApp(): Firecrawl {
  return new Firecrawl({ client: { network: { allow: ['127.0.0.1'] }, browser: false } });
}

async function rejection(call: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SdkError);
  return error as SdkError;
}

describe('the class', () => {
  test('takes a key, the options of the SDK, a client, or the options of one', async () => {
    expect(FirecrawlApp).toBe(Firecrawl);
    await using _ = new Firecrawl('fc-KEY');
    await using __ = new Firecrawl({
      apiKey: null,
      apiUrl: 'http://localhost:3002',
      maxRetries: 1,
    });
    await using app = new Firecrawl({ client: clientOptions });
    expect((await app.scrape(home)).metadata?.statusCode).toBe(200);
    expect(() => new Firecrawl({ client: { storrage: 1 } as never })).toThrow(/storrage/);
    expect(() => new Firecrawl({ key: 'x' } as never)).toThrow(/unknown option "key"/);
  });

  test('closes the client that it made, and leaves one that was passed', async () => {
    await using client = createClient(clientOptions);
    const app = new Firecrawl({ client });
    await app.close();
    expect((await app.scrape(home)).metadata?.statusCode).toBe(200);
    const own = new Firecrawl({ client: clientOptions });
    await own.close();
    expect((await rejection(own.scrape(home))).code).toBe('CANCELLED');
  });
});

describe('scrape', () => {
  test('gives the formats and metadata of a page', async () => {
    const app = new FixtureFirecrawl();
    const page = await app.scrape(home, { formats: ['markdown', 'links', { type: 'images' }] });
    expect(page.markdown).toContain('# Turn websites into data');
    expect(page.links).toContain('https://firecrawl.dev/gone.html');
    expect(page.images).toContain('https://firecrawl.dev/logo.png');
    expect(page.metadata).toMatchObject({
      sourceURL: home,
      statusCode: 200,
      articleTag: 'web, data',
    });
    expect(page).not.toHaveProperty('html');
  });

  test('types json by its zod schema, and reads it without a model too', async () => {
    await using app = new Firecrawl({ client: { ...clientOptions, model: undefined } });
    const schema = z.object({ name: z.string(), price: z.number() });
    const page = await app.scrape('https://example.com/product/123/', {
      formats: [{ type: 'json', schema }, 'product'],
      onlyMainContent: true,
    });
    const price: number | undefined = page.json?.price;
    expect(price).toBe(19.9);
    expect(page.product).toMatchObject({
      title: 'A lamp',
      brand: 'Lumen',
      variants: [
        {
          sku: 'L-1',
          price: { amount: 19.9, currency: 'EUR' },
          availability: { inStock: true, text: 'InStock' },
        },
      ],
    });
  });

  test('highlights are a text; a question needs a model', async () => {
    await using app = new Firecrawl({ client: { ...clientOptions, model: undefined } });
    const { highlights } = await app.scrape('https://firecrawl.dev/blog/first.html', {
      formats: [{ type: 'highlights', query: 'words about the firecrawl' }],
    });
    expect(highlights).toContain('the firecrawl of the web');
    const error = await rejection(
      app.scrape(home, { formats: [{ type: 'query', prompt: 'Who?' }] }),
    );
    expect(error).toMatchObject({ status: 400, code: 'MODEL_REQUIRED' });
  });

  test('a page that is gone is a document', async () => {
    const page = await new FixtureFirecrawl().scrape('https://firecrawl.dev/gone.html');
    expect(page.metadata?.statusCode).toBe(404);
  });

  test('accepts what has no effect', async () => {
    const page = await new FixtureFirecrawl().scrape(home, {
      integration: 'n8n',
      origin: 'mine',
      fastMode: true,
      autoResume: false,
      auditMetadata: { username: 'me' },
      toolDetail: 'full',
      redactPII: false,
      domainTools: false,
      proxy: 'auto',
      parsers: ['pdf', 'image', { type: 'pdf', maxPages: 3, blocks: false }],
      storeInCache: false,
    });
    expect(page.metadata?.statusCode).toBe(200);
  });

  test.each([
    ['redactPII', { redactPII: true }, /redactPII is not available here: .*hooks/],
    ['threatProtection', { threatProtection: { mode: 'normal' } }, /network: \{ deny, only \}/],
    ['useMock', { useMock: 'a' }, /fixturesEngine/],
    ['video', { formats: ['video'] }, /The format video is not available here/],
    ['menu', { formats: [{ type: 'menu' }] }, /type: 'json', schema/],
    ['blocks', { parsers: [{ type: 'pdf', blocks: true }] }, /parsers: blocks is not available/],
    [
      'directQuote',
      { formats: [{ type: 'query', prompt: 'a', mode: 'directQuote' }] },
      /highlights/,
    ],
  ])('refuses %s, which would change the result', async (_, options, message) => {
    const error = await rejection(new FixtureFirecrawl().scrape(home, options as object));
    expect(error).toMatchObject({ status: 501, code: 'NOT_AVAILABLE' });
    expect(error.message).toMatch(message);
  });

  test.each([
    ['an unknown parameter', { fomats: [] }, /unknown option "fomats".*formats/],
    ['json by name', { formats: ['json'] }, /The json format must be an object/],
    [
      'a shape',
      { formats: [{ type: 'json', schema: z.object({ a: z.string() }).shape }] },
      /\.shape/,
    ],
    ['a timeout of 0', { timeout: 0 }, /timeout/],
    ['formats that are not a list', { formats: 'markdown' }, /formats/],
    ['null in a list', { formats: [null] }, /formats/],
  ])('%s is a request that is wrong', async (_, options, message) => {
    const error = await rejection(new FixtureFirecrawl().scrape(home, options as object));
    expect(error).toMatchObject({ name: 'FirecrawlSdkError', status: 400 });
    expect(error.message).toMatch(message);
  });

  test('an empty URL, a URL that is none, and a page that hangs', async () => {
    const app = new FixtureFirecrawl();
    expect((await rejection(app.scrape('  '))).message).toBe('URL cannot be empty');
    const invalid = await rejection(app.scrape('https://'));
    expect(invalid).toMatchObject({ status: 400, code: 'INVALID_URL' });
    expect(invalid.cause).toBeInstanceOf(PagewrightError);
    await using server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
    await using local = localApp();
    const late = await rejection(local.scrape(server.url('/'), { timeout: 1000 }));
    expect(late).toMatchObject({ status: 408, code: 'SCRAPE_TIMEOUT' });
    expect(late.cause).toMatchObject({ code: 'TIMEOUT' });
  });

  test('lockdown sends no request', async () => {
    await using server = await serve({ '/': '<p>A page.</p>' });
    await using app = localApp();
    const error = await rejection(app.scrape(server.url('/'), { lockdown: true }));
    expect(error).toMatchObject({ status: 404, code: 'SCRAPE_NO_CACHED_DATA' });
    expect(server.log).toEqual([]);
  });
});

test.each([['changeTracking'], [{ type: 'changeTracking', modes: ['git-diff'] }]])(
  'with %j a page comes from the site, not from the cache',
  async (format) => {
    let text = 'The lamp is lit.';
    await using server = await serve(() => `<h1>Harbour</h1><p>${text}</p>`);
    await using app = new Firecrawl({
      client: {
        network: { allow: ['127.0.0.1'] },
        browser: false,
        storage: memoryStore(),
        cache: { store: memoryStore() },
      },
    });
    const status = async (): Promise<unknown> => {
      const options = { formats: ['markdown', format] as never, maxAge: 60_000 };
      return (await app.scrape(server.url('/'), options)).changeTracking?.['changeStatus'];
    };
    expect(await status()).toBe('new');
    text = 'The lamp is out.';
    expect(await status()).toBe('changed');
  },
);

test('parse reads a file, by its name or its type', async () => {
  const app = new FixtureFirecrawl();
  const html = '<html><body><h1>Hello parse</h1></body></html>';
  const files = [
    { data: html, filename: 'upload.html' },
    { data: new Blob([html], { type: 'text/html' }), filename: 'upload' },
    { data: Buffer.from(html), filename: 'upload.bin', contentType: 'text/html' },
    // The type of an upload whose client knows none.
    { data: new Blob([html], { type: 'text/plain; charset=utf-8' }), filename: 'upload.html' },
    { data: new Blob([html], { type: 'application/octet-stream' }), filename: 'upload.html' },
  ];
  for (const file of files) {
    const { markdown } = await app.parse(file, { formats: ['markdown'] });
    expect(markdown).toContain('# Hello parse');
  }
  const notes = new Blob(['<b>'], { type: 'text/plain' });
  expect(await app.parse({ data: notes, filename: 'notes' })).toMatchObject({ markdown: '<b>' });
  expect((await rejection(app.parse({ data: html, filename: '' }))).message).toMatch(/filename/);
  expect((await rejection(app.parse(undefined as never))).message).toMatch(/filename/);
});

test('map gives URLs with titles, more than 100 by default', async () => {
  const { links } = await new FixtureFirecrawl().map(home, { search: 'second' });
  expect(links).toEqual([
    { url: 'https://firecrawl.dev/blog/second.html', title: 'The second post' },
  ]);
  const anchors = Array.from({ length: 150 }, (_, at) => `<a href="/${at}">${at}</a>`);
  await using server = await serve({ '/': anchors.join('') });
  await using app = localApp();
  expect((await app.map(server.url('/'))).links).toHaveLength(151);
});

describe('crawl', () => {
  test('gives all documents at the end, pages with an error status too', async () => {
    const app = new FixtureFirecrawl();
    const job = await app.crawl(home, { limit: 10, scrapeOptions: { formats: ['markdown'] } });
    expect(job).toMatchObject({ status: 'completed', completed: 4, total: 4, next: null });
    expect(job.data.map(({ metadata }) => metadata?.statusCode).sort()).toEqual([
      200, 200, 200, 404,
    ]);
    expect(await app.getCrawlErrors(job.id)).toEqual({ errors: [], robotsBlocked: [] });
    expect(await app.getCrawlStatus(job.id)).toEqual(job);
    const strict = await app.crawl(home, { errorPages: 'fail', excludePaths: ['^/blog/'] });
    expect(strict.data).toHaveLength(1);
    const { errors } = await app.getCrawlErrors(strict.id);
    expect(errors).toMatchObject([{ url: 'https://firecrawl.dev/gone.html', code: 'HTTP_STATUS' }]);
  });

  test('null is left out, and prompt is read by the model', async () => {
    const app = new FixtureFirecrawl();
    const job = await app.crawl(home, {
      prompt: null,
      limit: 1,
      includePaths: null,
      webhook: null,
      delay: null,
      scrapeOptions: null,
    });
    expect(job.data).toHaveLength(1);
    const preview = await new Firecrawl({
      client: { ...clientOptions, model: () => Promise.resolve('{"limit":3}') } as never,
    }).crawlParamsPreview(home, 'the blog');
    expect(preview).toEqual({ url: home, limit: 3 });
  });

  test('pages of 100 documents, with limits', async () => {
    const anchors = Array.from({ length: 249 }, (_, at) => `<a href="/${at}">${at}</a>`).join('');
    await using server = await serve(({ url }) => (url === '/' ? anchors : `<p>Page ${url}</p>`));
    await using app = localApp();
    const { id, data } = await app.crawl(server.url('/'), { sitemap: 'skip', maxConcurrency: 20 });
    expect(data).toHaveLength(250);
    const count = async (pagination: object) =>
      (await app.getCrawlStatus(id, pagination)).data.length;
    const first = await app.getCrawlStatus(id, { autoPaginate: false });
    expect(first.data).toHaveLength(100);
    expect(first.next).toBe(`pagewright:/v2/crawl/${id}?skip=100`);
    expect(await count({})).toBe(250);
    expect(await count({ maxPages: 1 })).toBe(200);
    expect(await count({ maxResults: 120 })).toBe(120);
    expect(await count({ maxWaitTime: 0 })).toBe(100);
    expect(await count({ skip: 240 })).toBe(10);
    const second = await app.getCrawlStatus(id, { autoPaginate: false, skip: 100 });
    expect([second.data, second.next]).toEqual([
      data.slice(100, 200),
      `pagewright:/v2/crawl/${id}?skip=200`,
    ]);
  });

  test('runs in the background, is listed, and is cancelled', async () => {
    await using server = await serve(
      { '/': '<a href="/slow">Slow</a>' },
      { behaviours: { '/slow': hang() } },
    );
    await using app = localApp();
    const { id, url } = await app.startCrawl(server.url('/'), { sitemap: 'skip', limit: 7 });
    expect(url).toBe(`pagewright:/v2/crawl/${id}`);
    expect(await app.getActiveCrawls()).toMatchObject({
      success: true,
      crawls: [{ id, teamId: 'local', url: server.url('/'), options: { limit: 7 } }],
    });
    expect((await app.getCrawlStatus(id)).status).toBe('scraping');
    expect(await app.cancelCrawl(id)).toBe(true);
    expect(await app.getCrawlStatus(id)).toMatchObject({ status: 'cancelled', next: null });
    expect((await app.getActiveCrawls()).crawls).toEqual([]);
    const ended = await app.crawl(server.url('/'), { limit: 1 });
    expect(await app.cancelCrawl(ended.id)).toBe(false);
  });

  test('a wait that is over rejects, and the job goes on', async () => {
    await using server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
    await using app = localApp();
    const error = await rejection(app.crawl(server.url('/'), { timeout: 0.2, sitemap: 'skip' }));
    expect(error).toBeInstanceOf(JobTimeoutError);
    expect(error).toMatchObject({ code: 'JOB_TIMEOUT', timeoutSeconds: 0.2 });
    expect((await app.getCrawlStatus(error.jobId ?? '')).status).toBe('scraping');
    const signal = AbortSignal.timeout(100);
    expect((await app.crawl(server.url('/'), { signal })).status).toBe('cancelled');
    const before = (await app.getActiveCrawls()).crawls.length;
    expect((await rejection(app.crawl(server.url('/'), { timeout: -1 }))).status).toBe(400);
    expect((await app.getActiveCrawls()).crawls).toHaveLength(before);
  });

  test('an id that is not known, of another kind, or none', async () => {
    const app = new FixtureFirecrawl();
    const jobId = 'invalid-job-id';
    const calls = [app.getCrawlStatus(jobId), app.cancelCrawl(jobId), app.getCrawlErrors(jobId)];
    for (const call of calls) {
      expect(await rejection(call)).toMatchObject({ status: 404, code: 'JOB_NOT_FOUND', jobId });
    }
    const { id = '' } = await app.startExtract({ urls: [home], prompt: 'The title' });
    expect((await rejection(app.getCrawlStatus(id))).status).toBe(404);
    expect((await rejection(app.getCrawlStatus(''))).status).toBe(400);
  });
});

describe('a job of the storage', () => {
  const unknown = '0d9c0000-0000-4000-8000-000000000000';

  test('has its errors, and is not found without one', async () => {
    const client = { ...clientOptions, storage: memoryStore() };
    await using first = new Firecrawl({ client });
    const { id } = await first.batchScrape(['https://unreachable.example/']);
    await using second = new Firecrawl({ client });
    expect((await second.getBatchScrapeErrors(id)).errors).toHaveLength(1);
    expect(await rejection(second.getCrawlErrors(unknown))).toMatchObject({ status: 404 });
    expect(await rejection(second.cancelCrawl(unknown))).toMatchObject({ status: 404 });
  });

  // The limit of the wait is six seconds.
  test('that no process runs is cancelled without an endless wait', async () => {
    const server = await serve({}, { behaviours: { '*': hang() } });
    const client = {
      network: { allow: ['127.0.0.1'] },
      storage: memoryStore(),
      logger: { warn: () => undefined },
    };
    await using first = createClient(client);
    const job = first.crawl(server.origin);
    await expect.poll(() => server.log.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await first.close();
    await using second = new Firecrawl({ client });
    expect(await second.cancelCrawl(job.id)).toBe(true);
    await server.close();
  }, 30_000);
});

describe('batch', () => {
  const urls = [home, 'https://mendable.ai/'];

  test('takes scrape options, also beside options', async () => {
    const app = new FixtureFirecrawl();
    const job = await app.batchScrape(urls, { options: { formats: ['html'] }, pollInterval: 1 });
    expect(job.data.map(({ metadata }) => metadata?.sourceURL)).toEqual(urls);
    expect(job.data[0]).toHaveProperty('html');
    const beside = await app.batchScrape(urls, { formats: ['links'] });
    expect(beside.data[0]).toHaveProperty('links');
    const { invalidURLs } = await app.startBatchScrape([...urls, 'no url']);
    expect(invalidURLs).toEqual(['no url']);
    const error = await rejection(app.startBatchScrape(['no url'], { ignoreInvalidURLs: false }));
    expect(error.status).toBe(400);
    expect((await rejection(app.startBatchScrape([]))).message).toBe('URLs list cannot be empty');
  });

  test('URLs are added to a batch that runs', async () => {
    await using server = await serve(
      { '/b': '<p>B</p>', '/a': '' },
      { behaviours: { '/a': hang() } },
    );
    await using app = localApp();
    const { id } = await app.startBatchScrape([server.url('/a')]);
    const added = await app.startBatchScrape([server.url('/b'), 'no url'], { appendToId: id });
    expect(added).toEqual({
      id,
      url: `pagewright:/v2/batch/scrape/${id}`,
      invalidURLs: ['no url'],
    });
    await expect.poll(async () => (await app.getBatchScrapeStatus(id)).total).toBe(2);
    const withOptions = app.startBatchScrape(urls, {
      appendToId: id,
      options: { formats: ['html'] },
    });
    expect((await rejection(withOptions)).status).toBe(400);
    expect(await app.cancelBatchScrape(id)).toBe(true);
    expect((await rejection(app.startBatchScrape(urls, { appendToId: id }))).status).toBe(400);
  });

  test('an idempotency key starts one job', async () => {
    const app = new FixtureFirecrawl();
    const options = { idempotencyKey: 'a' };
    expect(
      (await rejection(app.startBatchScrape(urls, { ...options, maxConcurrency: -1 }))).status,
    ).toBe(400);
    await app.startBatchScrape(urls, options);
    expect((await rejection(app.startBatchScrape(urls, options))).status).toBe(409);
  });
});

describe('the watcher', () => {
  test('tells documents once, snapshots, and the end', async () => {
    const app = new FixtureFirecrawl();
    const { id } = await app.startCrawl(home);
    const watcher = app.watcher(id, { pollInterval: 0.1, timeout: 20 });
    const seen: unknown[] = [];
    const states: string[] = [];
    watcher.on('document', (document: { id: string; metadata: { sourceURL: string } }) => {
      expect(document.id).toBe(id);
      seen.push(document.metadata.sourceURL);
    });
    watcher.on('snapshot', ({ status }: { status: string }) => states.push(status));
    const done = new Promise((resolve) => watcher.once('done', resolve));
    await watcher.start();
    expect(new Set(seen).size).toBe(4);
    expect(seen).toHaveLength(4);
    expect(states.at(-1)).toBe('completed');
    expect(await done).toMatchObject({
      id,
      status: 'completed',
      total: 4,
      completed: 4,
      data: { length: 4 },
    });
  });

  test('ends by close(), by its time, and for a job that is not known', async () => {
    await using server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
    await using app = localApp();
    const { id } = await app.startBatchScrape([server.url('/')]);
    const closed = app.watcher(id, { kind: 'batch' });
    const closing = closed.start();
    closed.close();
    await closing;
    const patient = app.watcher(id, { kind: 'batch', pollInterval: Infinity });
    let looks = 0;
    patient.on('snapshot', () => (looks += 1));
    const waiting = patient.start();
    await sleep(100);
    patient.close();
    await waiting;
    expect(looks).toBe(1);
    const errors: unknown[] = [];
    const late = app.watcher(id, { kind: 'batch', timeout: 0.1 });
    late.on('error', (error) => errors.push(error));
    await late.start();
    const unknown = app.watcher('nothing');
    unknown.on('error', (error) => errors.push(error));
    await unknown.start();
    await app.watcher('nothing').start();
    expect(errors).toEqual([
      { status: 'failed', data: [], id, error: 'The time of the watcher is over.' },
      {
        status: 'failed',
        data: [],
        id: 'nothing',
        error: expect.stringMatching(/nothing/) as string,
      },
    ]);
    expect((await app.getBatchScrapeStatus(id)).status).toBe('scraping');
    expect(() => app.watcher(id, { kind: 'page' as never })).toThrow(/kind/);
    expect(() => app.watcher(id, { pollInterval: 0 })).toThrow(/pollInterval/);
  });
});

describe('extract', () => {
  test('gives data and sources at the end', async () => {
    const app = new FixtureFirecrawl();
    const result = await app.extract({
      urls: [home],
      prompt: 'Extract the page title',
      systemPrompt: 'Be exact.',
      schema: z.object({ title: z.string() }),
      showSources: true,
      scrapeOptions: {
        formats: ['markdown'],
        onlyMainContent: false,
        removeBase64Images: true,
        blockAds: false,
        parsers: ['pdf'],
        timeout: 5000,
      },
    });
    expect(result).toMatchObject({
      success: true,
      status: 'completed',
      data: { title: 'Turn websites into data' },
      sources: { title: [home] },
    });
  });

  test('fails as data, and refuses what it has not', async () => {
    await using app = new Firecrawl({ client: { ...clientOptions, model: undefined } });
    const schema = {
      type: 'object',
      properties: { price: { type: 'number' } },
      required: ['price'],
    };
    const failed = await app.extract({ urls: ['https://mendable.ai/'], schema });
    expect(failed).toMatchObject({ success: false, status: 'failed' });
    expect(failed.error).toMatch(/Nothing of the schema was found/);
    const urls = [home];
    expect((await rejection(app.extract({ urls, schema, enableWebSearch: true }))).status).toBe(
      501,
    );
    expect((await rejection(app.extract({ urls, schema, allowExternalLinks: true }))).status).toBe(
      501,
    );
    expect((await rejection(app.extract({ schema }))).status).toBe(400);
    const refused = app.extract({ urls, schema, scrapeOptions: { waitFor: 500 } });
    expect((await rejection(refused)).message).toContain('scrapeOptions.waitFor');
    expect((await rejection(app.extract({ urls, schema, prompt: 'a' }))).code).toBe(
      'MODEL_REQUIRED',
    );
  });

  test('a wait that is over gives the state', async () => {
    await using server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
    await using app = localApp();
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const state = await app.extract({ urls: [server.url('/')], schema, timeout: 0.2 });
    expect(state).toMatchObject({ success: true, status: 'processing' });
  });
});

describe('search', () => {
  test('gives what the engine finds, by source', async () => {
    const app = new FixtureFirecrawl();
    const { web, news, images } = await app.search('lamps', { limit: 2 });
    expect(web).toMatchObject([
      { url: 'https://firecrawl.dev/', title: 'Result 0 of lamps', position: 1 },
      { url: 'https://firecrawl.dev/blog/first.html' },
    ]);
    expect([news, images]).toEqual([undefined, undefined]);
    const all = await app.search('lamps', {
      sources: ['web', { type: 'news' }, 'images'],
      limit: 1,
    });
    expect(all).toMatchObject({ web: { length: 1 }, news: { length: 1 }, images: { length: 1 } });
  });

  test('scrapes the results; one that fails stays as it was found', async () => {
    const app = new FixtureFirecrawl();
    const found = await app.search('lamps', {
      scrapeOptions: { formats: ['markdown'] },
      location: 'Oslo',
      tbs: 'qdr:w',
    });
    expect(found.web).toMatchObject([
      { title: 'Result 0 of lamps', markdown: expect.stringContaining('# Turn') as string },
      { markdown: expect.stringContaining('# The first post') as string },
      { url: 'https://firecrawl.dev/nowhere.html', title: 'Result 2 of lamps' },
    ]);
    expect(found.web?.[2]).not.toHaveProperty('markdown');
    expect(found.warning).toMatch(
      /location was not considered.*nowhere\.html could not be scraped/,
    );
  });

  test('gives parameters to the engine of the client', async () => {
    const asked: unknown[] = [];
    const engine: SearchFunction = (query, { source, limit, since, country, includeDomains }) => {
      asked.push({ query, source, limit, since, country, includeDomains });
      return [{ url: 'https://github.com/lamps/lamp' }];
    };
    await using app = new Firecrawl({ client: { ...clientOptions, search: engine } });
    const parameters = { tbs: 'qdr:m', country: 'no', limit: 4 };
    const { web } = await app.search('lamps', { ...parameters, categories: ['github'] });
    expect(web).toMatchObject([{ url: 'https://github.com/lamps/lamp', category: 'github' }]);
    await app.search('lamps', { categories: [{ type: 'pdf' }] });
    expect(asked).toMatchObject([
      {
        query: 'lamps',
        source: 'web',
        since: 'month',
        country: 'NO',
        includeDomains: ['github.com'],
      },
      { query: 'lamps filetype:pdf', limit: 10, includeDomains: [] },
    ]);
  });

  test('finds the pages of an extraction without urls', async () => {
    const app = new FixtureFirecrawl();
    const schema = { type: 'object', properties: { title: { type: 'string' } } };
    const { data } = await app.extract({ prompt: 'lamps', schema, enableWebSearch: true });
    expect(data).toEqual({ title: 'Turn websites into data' });
  });

  const hangs: SearchFunction = () => new Promise<never>(() => undefined);
  const cases: [string, object, SearchFunction | undefined, number][] = [
    ['without an engine', {}, undefined, 400],
    ['an engine that hangs', { timeout: 50 }, hangs, 408],
    ['an engine that gives nonsense', {}, () => 'nonsense' as never, 500],
    ['both lists of domains', { includeDomains: ['a'], excludeDomains: ['b'] }, hangs, 400],
    ['github of some domains', { includeDomains: ['a'], categories: ['github'] }, hangs, 501],
    ['sources that are not there', { sources: ['alexandria'] }, hangs, 400],
    ['categories that are not there', { categories: ['developer'] }, hangs, 400],
    ['pdf among categories', { categories: ['pdf', 'github'] }, hangs, 400],
    ['a time range that is not there', { tbs: 'qdr:h' }, hangs, 400],
    ['an unknown parameter', { limti: 3 }, hangs, 400],
    ['the enterprise', { enterprise: ['zdr'] }, hangs, 501],
  ];

  test.each(cases)('%s', async (_, request, search, status) => {
    await using app = new Firecrawl({ client: { ...clientOptions, search } });
    expect(await rejection(app.search('lamps', request))).toMatchObject({ status });
  });
});

test('methods of the service alone reject, and say what there is instead', async () => {
  const app = new FixtureFirecrawl();
  const calls = [
    [app.agent({ prompt: 'a' }), /agent\(\) is not available here: .*extract\(\)/],
    [app.getCreditUsage(), /getCreditUsage\(\) .*no account/],
    [app.interact('id', { code: '' }), /actions/],
    [app.research.searchPapers('a'), /research\.searchPapers\(\)/],
    [app.scrape({ alexandria: {} }), /alexandria/],
  ] as const;
  for (const [call, message] of calls) {
    const error = await rejection(call);
    expect(error).toMatchObject({ status: 501, code: 'NOT_AVAILABLE' });
    expect(error.message).toMatch(message);
  }
  expect(() => new FixtureFirecrawl().v1).toThrow(/^v1 is not available here/);
});
