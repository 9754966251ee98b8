/** The options of a client that the contract names: each is taken, and used. */
import {
  type Client,
  type ClientOptions,
  createClient,
  defineAction,
  defineFormat,
  fileStore,
  memoryStore,
  type Parser,
  type RequestQueueStorage,
} from 'pagewright';
import { scriptedModel, serve } from 'pagewright/testing';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryRequestQueue } from '../../src/core/storage/request-queue-storage.ts';
import { memoryWeb, pageOf } from '../support/memory-web.ts';

const url = 'http://site.test/';

function clientOf(options: object): Client {
  const client = createClient({
    engines: [memoryWeb({ [url]: pageOf('start') })],
    browser: false,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

test('storage, requestQueue', async () => {
  const storage = memoryStore();
  const queues: string[] = [];
  const requestQueue = (jobId: string): RequestQueueStorage => {
    queues.push(jobId);
    return memoryRequestQueue();
  };
  const job = clientOf({ storage, requestQueue }).crawl(url, { sitemap: 'skip' });
  await job;
  expect(queues).toEqual([job.id]);
  const [stored] = await clientOf({ storage }).jobs.list();
  expect(stored).toMatchObject({ id: job.id });
});

test('cache', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cache = { store: fileStore(folder) };
  await clientOf({ cache }).scrape(url);
  expect(readdirSync(folder)).not.toEqual([]);
  const { metadata } = await clientOf({ cache }).scrape(url);
  expect(metadata.cacheState).toBe('hit');
});

test('network, userAgent, limits, proxy', async () => {
  await using server = await serve({ '/': '<p>Here</p>' });
  const plain: ClientOptions = { engines: [], network: { allow: ['127.0.0.1'] } };
  await expect(clientOf({ engines: [] }).scrape(server.origin)).rejects.toMatchObject({
    code: 'BLOCKED_ADDRESS',
  });
  const tiers: string[] = [];
  const proxy = { pick: ({ tier }: { tier: string }) => void tiers.push(tier) };
  await clientOf({ ...plain, userAgent: 'Lamp/1.0', proxy }).scrape(server.origin);
  expect(server.log[0]?.headers['user-agent']).toBe('Lamp/1.0');
  expect(tiers).toEqual(['basic']);
  const small = clientOf({ ...plain, limits: { bodyBytes: 2 } });
  await expect(small.scrape(server.origin)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
});

test('model, formats, parsers, hooks', async () => {
  const model = scriptedModel(() => ({ summary: 'The page is the start.' }));
  const shout = defineFormat({ name: 'shout', needs: 'content', run: () => 'HO' });
  const seen: string[] = [];
  const parser: Parser = {
    name: 'none',
    accepts: (mediaType) => {
      seen.push(mediaType);
      return false;
    },
    parse: () => Promise.reject(new Error('It accepts nothing.')),
  };
  const hooks = { onDocument: ({ url: at }: { url: string }) => void seen.push(at) };
  const client = clientOf({ model, formats: [shout], parsers: [parser], hooks });
  const options: object = { formats: ['shout', 'summary'] };
  const document: object = await client.scrape(url, options);
  expect(document).toMatchObject({ shout: 'HO', summary: expect.stringContaining('start') });
  expect(model.requests).not.toEqual([]);
  expect(seen).toEqual(['text/html', url]);
});

test('browser, actions', async () => {
  const nod = defineAction({ type: 'nod', run: () => 1 });
  const actions: object[] = [{ type: 'nod' }];
  const options: object = { actions };
  // Known, but there is no browser to do it in.
  await expect(clientOf({ actions: [nod] }).scrape(url, options)).rejects.toMatchObject({
    code: 'BROWSER_UNAVAILABLE',
  });
  await expect(clientOf({}).scrape(url, options)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('logger', async () => {
  const warnings: string[] = [];
  const client = clientOf({ logger: { warn: (_: unknown, text: string) => warnings.push(text) } });
  const job = client.crawl(url, { sitemap: 'skip' });
  job.on('page', () => {
    throw new Error('The listener fell over.');
  });
  await job;
  await expect.poll(() => warnings.join()).toContain('The listener fell over.');
});

test('two clients share nothing of it', async () => {
  const [one, other] = [clientOf({}), clientOf({})];
  await one.scrape(url);
  expect((await other.scrape(url)).metadata.cacheState).toBe('miss');
  expect((await one.scrape(url)).metadata.cacheState).toBe('hit');
});

describe('the options of a call', () => {
  test('are those at the time of the call, nested ones too', async () => {
    await using server = await serve({ '/': pageOf('start', ['/a', '/b']) });
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const headers = { 'x-token': 'first' };
    const excludePaths = ['/a'];
    const site = new URL(server.url('/'));
    const mapped = client.map(site, { headers, excludePaths, sitemap: 'skip' });
    site.pathname = '/elsewhere';
    headers['x-token'] = 'second';
    excludePaths.push('/b');
    const { links } = await mapped;
    expect(links.map((link) => link.url)).toContain(server.url('/b'));
    const [start] = server.log.filter((request) => request.url === '/');
    expect(start?.headers['x-token']).toBe('first');
  });

  test('are inherited members too; an object that is no options is refused', async () => {
    await using client = createClient({
      engines: [memoryWeb({ 'http://site.test/': pageOf('start', ['/a', '/b']) })],
    });
    const { data } = await client.crawl('http://site.test/', Object.create({ limit: 1 }) as object);
    expect(data).toHaveLength(1);
    const signal = AbortSignal.timeout(5000) as object;
    await expect(client.scrape('http://site.test/', signal)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await expect(client.map('http://site.test/', signal)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});
