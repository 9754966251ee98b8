/**
 * `examples/firecrawl-api` behind the official SDK, unchanged: every call of version 2 that means something here, over
 * sockets, on a site of this machine. The SDK and what it needs come from the npm registry.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Client, createClient } from 'pagewright';
import type * as OwnSdk from 'pagewright/firecrawl';
import { type FixtureServer, hang, scriptedModel, serve, status } from 'pagewright/testing';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type ApiOptions, firecrawlApi } from '../../examples/firecrawl-api/handler.ts';
import { apiServer } from '../../examples/firecrawl-api/server.ts';

const [ann, ben] = ['key-of-ann-0123456789', 'key-of-ben-0123456789'];
const folder = mkdtempSync(join(tmpdir(), 'pagewright-firecrawl-api-'));
/** The class of the SDK has the shape of the one here, which `firecrawl-sdk.test.ts` compares. */
let Sdk: typeof OwnSdk.Firecrawl;
let site: FixtureServer;
let client: Client;
let server: Server;

beforeAll(async () => {
  const words = ['install', 'firecrawl@4.42.0', '--ignore-scripts', '--silent'];
  writeFileSync(join(folder, 'package.json'), '{}');
  // The SDK asks for Node 22, and runs on 20.
  await promisify(execFile)('npm', [...words, '--engine-strict=false'], { cwd: folder });
  ({ Firecrawl: Sdk } = createRequire(join(folder, 'package.json'))('firecrawl'));
  const many = Array.from({ length: 120 }, (_, at) => `<a href="/many/${at}">${at}</a>`).join(' ');
  site = await serve(
    {
      '/robots.txt': 'User-agent: *\nDisallow: /private',
      '/': `<title>Lamps</title><main><h1>Lamps</h1><p>Lamps of all kinds, for desks and walls.</p>
<a href="/desk">Desk</a> <a href="/wall">Wall</a> <a href="/broken">Broken</a> <a href="/private">Private</a></main>`,
      '/desk':
        '<title>Desk lamp</title><main><h1>Desk lamp</h1><p>A lamp for desks, 49 euros.</p></main>',
      '/wall':
        '<title>Wall lamp</title><main><h1>Wall lamp</h1><p>A lamp for walls, 59 euros.</p></main>',
      '/many/': `<main>${many}</main>`,
      ...Object.fromEntries(
        Array.from({ length: 120 }, (_, at) => [`/many/${at}`, `<main><h1>Lamp ${at}</h1></main>`]),
      ),
    },
    { behaviours: { '/hang*': hang(), '/broken': status({ code: 500 }) } },
  );
  client = createClient({
    network: { allow: ['127.0.0.1'] },
    model: scriptedModel((request) =>
      JSON.stringify(request).includes('two pages')
        ? { limit: 2 }
        : { name: 'Desk lamp', price: 49 },
    ),
    search: () => [{ url: site.url('/desk'), title: 'Desk lamp', description: 'A lamp' }],
  });
  server = await listen({ client, keys: [ann, ben], maxActive: 50 });
}, 120_000);

afterAll(async () => {
  server.close();
  await client.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(options: ApiOptions): Promise<Server> {
  const own = apiServer(firecrawlApi(options)).listen(0, '127.0.0.1');
  await once(own, 'listening');
  return own;
}

function urlOf(own: Server): string {
  return `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
}

function open(apiKey = ann): OwnSdk.Firecrawl {
  return new Sdk({ apiKey, apiUrl: urlOf(server) });
}

const summary = ({ metadata }: OwnSdk.Document) => metadata?.title;

describe('the SDK', () => {
  test('scrape', async () => {
    const schema = z.object({ name: z.string(), price: z.number() });
    const page = await open().scrape(site.url('/desk'), {
      formats: ['markdown', 'links', { type: 'json', schema, prompt: 'The lamp' }],
      onlyMainContent: true,
      timeout: 10_000,
    });
    expect(page).toMatchObject({
      markdown: '# Desk lamp\n\nA lamp for desks, 49 euros.',
      json: { name: 'Desk lamp', price: 49 },
      metadata: { title: 'Desk lamp', statusCode: 200, sourceURL: site.url('/desk') },
    });
  });

  test.each<[name: string, url: string, options: object, wanted: object]>([
    ['a private address', 'http://10.0.0.1/', {}, { status: 403, code: 'BLOCKED_ADDRESS' }],
    ['no URL', 'https://', {}, { status: 400, code: 'INVALID_URL' }],
    ['a file', 'file:///etc/hosts', {}, { status: 400, code: 'UNSUPPORTED_PROTOCOL' }],
    ['a slow page', '/hang', { timeout: 300 }, { status: 408, code: 'SCRAPE_TIMEOUT' }],
    [
      'a wrong value',
      '/',
      { formats: ['markdown'], mobile: 'yes' },
      { status: 400, code: 'BAD_REQUEST', details: [{ path: ['mobile'] }] },
    ],
    ['what is not available', '/', { redactPII: true }, { status: 400, code: 'NOT_AVAILABLE' }],
    [
      'a misspelt name',
      '/',
      { format: ['markdown'] },
      { status: 400, code: 'BAD_REQUEST', details: [{ path: ['format'] }] },
    ],
  ])('a scrape with %s is an error', async (_, url, options, wanted) => {
    const target = url.startsWith('/') ? site.url(url) : url;
    await expect(open().scrape(target, options)).rejects.toMatchObject({
      name: 'FirecrawlSdkError',
      ...wanted,
    });
  });

  test('crawl, and the errors of a crawl', async () => {
    const app = open();
    const job = await app.crawl(site.url('/'), { limit: 10, pollInterval: 1, timeout: 20 });
    expect(job).toMatchObject({ status: 'completed', next: null });
    expect(job.data.map(summary)).toEqual(['Lamps', 'Desk lamp', 'Wall lamp', undefined]);
    const { errors, robotsBlocked } = await app.getCrawlErrors(job.id);
    expect([errors, robotsBlocked]).toEqual([[], [site.url('/private')]]);
  });

  test('startCrawl, getCrawlStatus, getActiveCrawls and cancelCrawl', async () => {
    const app = open();
    const { id, url } = await app.startCrawl(site.url('/'), { limit: 10, delay: 5 });
    expect(url).toBe(`${urlOf(server)}/v2/crawl/${id}`);
    expect(await app.getCrawlStatus(id)).toMatchObject({ id, status: 'scraping' });
    const { crawls } = await app.getActiveCrawls();
    expect(crawls).toMatchObject([{ id, url: site.url('/'), options: { limit: 10 } }]);
    expect(await app.cancelCrawl(id)).toBe(true);
    expect(await app.getCrawlStatus(id)).toMatchObject({ status: 'cancelled' });
    expect((await app.getActiveCrawls()).crawls).toEqual([]);
    await expect(app.cancelCrawl(crypto.randomUUID())).rejects.toMatchObject({ status: 404 });
  });

  test('documents beyond the first hundred are at the link next', async () => {
    const app = open();
    const urls = Array.from({ length: 120 }, (_, at) => site.url(`/many/${at}`));
    const { id } = await app.startBatchScrape(urls);
    await client.jobs.get(id).delivered();
    const first = await app.getBatchScrapeStatus(id, { autoPaginate: false });
    expect([first.data.length, first.next]).toEqual([
      100,
      `${urlOf(server)}/v2/batch/scrape/${id}?skip=100&limit=100`,
    ]);
    const all = await app.getBatchScrapeStatus(id);
    expect(all.data.map(({ metadata }) => metadata?.sourceURL)).toEqual(urls);
    const part = await fetchJson(`/v2/batch/scrape/${id}?skip=110&limit=4`);
    expect(part.body).toMatchObject({ next: expect.stringContaining('?skip=114&limit=4') });
    expect((part.body as { data: OwnSdk.Document[] }).data).toHaveLength(4);
    const last = await fetchJson(`/v2/batch/scrape/${id}?skip=116&limit=4`);
    expect(last.body).not.toHaveProperty('next');
  });

  test('batchScrape and its relatives', async () => {
    const app = open();
    const done = await app.batchScrape([site.url('/desk'), site.url('/broken')], {
      options: { formats: ['markdown'] },
      pollInterval: 1,
    });
    expect(done).toMatchObject({ status: 'completed', completed: 2 });
    const idempotencyKey = 'once';
    const started = await app.startBatchScrape([site.url('/hang/1'), 'no URL'], {
      ignoreInvalidURLs: true,
      idempotencyKey,
    });
    expect(started.invalidURLs).toEqual(['no URL']);
    const again = app.startBatchScrape([site.url('/desk')], { idempotencyKey });
    await expect(again).rejects.toMatchObject({ status: 409 });
    const more = await app.startBatchScrape([site.url('/wall')], { appendToId: started.id });
    expect(more.id).toBe(started.id);
    expect(await app.getBatchScrapeStatus(started.id)).toMatchObject({ total: 2 });
    expect(await app.getBatchScrapeErrors(started.id)).toMatchObject({ errors: [] });
    expect(await app.cancelBatchScrape(started.id)).toBe(true);
    expect(await app.cancelBatchScrape(done.id)).toBe(false);
  });

  test('map, search, parse and crawlParamsPreview', async () => {
    const app = open();
    const { links } = await app.map(site.url('/'), { limit: 3, sitemap: 'skip' });
    expect(links.map(({ url }) => url)).toContain(site.url('/desk'));
    const found = await app.search('lamps', { scrapeOptions: { formats: ['markdown'] } });
    expect(found.web).toMatchObject([{ url: site.url('/desk'), markdown: /49 euros/ }]);
    const file = { data: '<h1>A file</h1><p>Of my own.</p>', filename: 'own.html' };
    expect(await app.parse(file, { formats: ['markdown'] })).toMatchObject({
      markdown: '# A file\n\nOf my own.',
    });
    expect(await app.crawlParamsPreview(site.url('/'), 'two pages')).toMatchObject({ limit: 2 });
  });

  test('extract, startExtract and getExtractStatus', async () => {
    const app = open();
    const schema = z.object({ name: z.string(), price: z.number() });
    const job = { urls: [site.url('/desk')], schema, prompt: 'The lamp' };
    const data = { name: 'Desk lamp', price: 49 };
    expect(await app.extract({ ...job, pollInterval: 1 })).toMatchObject({
      status: 'completed',
      data,
    });
    const { id = '' } = await app.startExtract({ ...job, showSources: true });
    await client.jobs.get(id).delivered();
    const sources = { name: [site.url('/desk')], price: [site.url('/desk')] };
    expect(await app.getExtractStatus(id)).toMatchObject({ data, sources });
  });

  test('watcher', async () => {
    const app = open();
    const { id } = await app.startCrawl(site.url('/'), { limit: 3 });
    const watcher = app.watcher(id, { pollInterval: 1 });
    const titles: unknown[] = [];
    watcher.on('document', (page: OwnSdk.Document) => titles.push(summary(page)));
    const done = once(watcher, 'done');
    await watcher.start();
    expect(await done).toMatchObject([{ status: 'completed', id }]);
    expect(titles).toEqual(['Lamps', 'Desk lamp', 'Wall lamp']);
  });

  test.each([
    'getConcurrency',
    'getCreditUsage',
    'getTokenUsage',
    'getQueueStatus',
    'listMonitors',
  ] as const)('%s has no meaning here', async (name) => {
    await expect(open()[name]()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});

test('the WebSocket of the watcher is closed at once, so that it asks at intervals', async () => {
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/v2/crawl/x`, ann);
  const failed = vi.fn();
  socket.addEventListener('error', failed);
  const code = await new Promise((resolve) =>
    socket.addEventListener('close', (event) => resolve(event.code)),
  );
  expect([code, failed.mock.calls.length]).toEqual([1000, 0]);
});

describe('a key', () => {
  test('sees its own jobs only', async () => {
    const [hers, his] = [open(ann), open(ben)];
    const { id } = await hers.startBatchScrape([site.url('/hang/2')]);
    onTestFinished(() => void hers.cancelCrawl(id));
    const missing = { status: 404, code: 'JOB_NOT_FOUND' };
    await expect(his.getBatchScrapeStatus(id)).rejects.toMatchObject(missing);
    await expect(his.getCrawlErrors(id)).rejects.toMatchObject(missing);
    await expect(his.cancelBatchScrape(id)).rejects.toMatchObject(missing);
    await expect(his.getExtractStatus(id)).rejects.toMatchObject(missing);
    await expect(his.startBatchScrape([site.url('/')], { appendToId: id })).rejects.toMatchObject(
      missing,
    );
    const crawl = await hers.startCrawl(site.url('/hang/3'));
    onTestFinished(() => void hers.cancelCrawl(crawl.id));
    expect((await his.getActiveCrawls()).crawls).toEqual([]);
    // A key of a batch is the caller's own, too.
    const idempotencyKey = 'the same';
    await hers.startBatchScrape([site.url('/desk')], { idempotencyKey });
    await his.startBatchScrape([site.url('/desk')], { idempotencyKey });
  });

  test.each([undefined, 'Bearer', `Bearer ${ann}x`, `Basic ${ann}`, ann])(
    'is needed: %s is 401',
    async (authorization) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const { status: code, body } = await fetchJson('/v2/crawl/active', { headers });
      expect([code, body]).toEqual([
        401,
        { success: false, code: 'UNAUTHORIZED', error: expect.stringContaining('Bearer') },
      ]);
    },
  );

  test('has a limit of calls and jobs, and no key is no API', async () => {
    const small = await listen({ client, keys: [ann], maxActive: 1 });
    onTestFinished(() => void small.close());
    const app = new Sdk({ apiKey: ann, apiUrl: urlOf(small) });
    const { id } = await app.startBatchScrape([site.url('/hang/4')]);
    const busy = { status: 429, code: 'RATE_LIMITED' };
    await expect(app.scrape(site.url('/desk'))).rejects.toMatchObject(busy);
    await app.cancelBatchScrape(id);
    await client.jobs.get(id).delivered();
    expect(await app.scrape(site.url('/desk'))).toMatchObject({ metadata: { statusCode: 200 } });
    expect(() => firecrawlApi({ client, keys: [] })).toThrow(/at least one key/);
    expect(() => firecrawlApi({ client, keys: ['short'] })).toThrow(/16 characters/);
  });
});

describe('a request', () => {
  const module = 'data:text/javascript,process.exit()';
  const url = 'http://127.0.0.1/';
  test.each<[string, unknown, number, string]>([
    ['/v2/scrape', '{', 400, 'BAD_REQUEST_INVALID_JSON'],
    ['/v2/scrape', 'null', 400, 'BAD_REQUEST'],
    ['/v2/scrape', '[]', 400, 'BAD_REQUEST'],
    ['/v2/scrape', { url: 5 }, 400, 'BAD_REQUEST'],
    // Options of pagewright that no caller from outside may have.
    ['/v2/crawl', { url, hooks: { beforeFormats: { worker: module } } }, 400, 'BAD_REQUEST'],
    ['/v2/crawl', { url, since: crypto.randomUUID() }, 400, 'BAD_REQUEST'],
    ['/v2/crawl', { url, scrapeOptions: { profile: { name: 'x' } } }, 400, 'BAD_REQUEST'],
    ['/v2/scrape', { url, profile: { name: 'x' } }, 400, 'BAD_REQUEST'],
    ['/v2/scrape', { url, limits: { bodyBytes: 1e12 } }, 400, 'BAD_REQUEST'],
    ['/v2/scrape', { url, formats: [{ name: 'x', worker: module }] }, 400, 'BAD_REQUEST'],
    ['/v2/scrape', `{"url":"${url}","__proto__":{"hooks":1}}`, 400, 'BAD_REQUEST'],
    [
      '/v2/scrape',
      JSON.stringify({ url, headers: { a: 'x'.repeat(9000) } }),
      413,
      'BODY_TOO_LARGE',
    ],
    ['/v2/team', {}, 404, 'NOT_FOUND'],
    ['/v1/scrape', { url }, 404, 'NOT_FOUND'],
    ['/constructor', {}, 404, 'NOT_FOUND'],
  ])('to %s, number %#, is an error', async (path, body, code, name) => {
    const api = firecrawlApi({ client, keys: [ann], maxBytes: 8000 });
    const response = await api(
      new Request(`https://api.test${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject({
      success: false,
      code: name,
      error: expect.any(String),
    });
  });

  test('with a body that is too long is answered, and not read to its end', async () => {
    const small = await listen({ client, keys: [ann], maxBytes: 1000 });
    onTestFinished(() => void small.close());
    const socket = connect((small.address() as AddressInfo).port, '127.0.0.1');
    const head = `POST /v2/scrape HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${ann}\r\ncontent-length: 1000000000\r\n\r\n`;
    socket.write(head + 'x'.repeat(2000));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('BODY_TOO_LARGE');
  });

  test('that fetch could not send is 400, and the server goes on', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /v2/crawl/active HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetchJson('/v2/crawl/active')).status).toBe(200);
  });

  test('with a wrong place in the documents is 400', async () => {
    const { id } = await open().startBatchScrape([site.url('/desk')]);
    for (const query of [
      'skip=x',
      'skip=-1',
      'limit=0',
      'limit=',
      'skip=0.5&limit=1.5',
      'limit=1e99',
    ]) {
      const { status: code } = await fetchJson(`/v2/batch/scrape/${id}?${query}`);
      expect(code, query).toBe(400);
    }
  });

  test('that is left ends its call', async () => {
    const leaving = new AbortController();
    site.clearLog();
    const asked = fetch(`${urlOf(server)}/v2/scrape`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann}` },
      body: JSON.stringify({ url: site.url('/hang/5'), timeout: 20_000 }),
      signal: leaving.signal,
    });
    await vi.waitFor(() => expect(site.log).toMatchObject([{ url: '/hang/5' }]));
    const sockets = site.openSockets;
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitFor(() => expect(site.openSockets).toBeLessThan(sockets));
  });

  test('of Next.js: private addresses are refused', async () => {
    vi.stubEnv('FIRECRAWL_API_KEYS', ann);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { POST } = await import('../../examples/firecrawl-api/route.ts');
    const scrape = (authorization: string): Promise<Response> =>
      POST(
        new Request('https://app.test/v2/scrape', {
          method: 'POST',
          headers: { authorization },
          body: JSON.stringify({ url: site.url('/desk') }),
        }),
      );
    expect((await scrape('')).status).toBe(401);
    expect((await scrape(`Bearer ${ann}`)).status).toBe(403);
  });
});

async function fetchJson(
  path: string,
  { headers = { authorization: `Bearer ${ann}` } }: { headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${urlOf(server)}${path}`, { headers });
  return { status: response.status, body: await response.json() };
}
