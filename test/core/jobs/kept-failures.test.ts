/** `keepFailures`: the HTML and the picture of the first pages of each kind of failure. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Client,
  type ClientOptions,
  type CrawlJob,
  type Document,
  createClient,
  fileStore,
  memoryStore,
  type PageFailure,
} from '../../../src/index.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';

const network = { allow: ['127.0.0.1'] };

function open(options: ClientOptions<readonly []> = {}): Client {
  const client = createClient({ network, cache: false, browser: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Pages that fail by their path: `/404-…`, `/500-…`, `/403-…`; others are fine, links in `/`. */
async function openSite(): Promise<FixtureServer> {
  const server = await serve(({ url }) => {
    const [, status = '200'] = /^\/(\d{3})-/.exec(url) ?? [];
    const links = ['404-a', '404-b'].map((path) => `<a href="/${path}">${path}</a>`).join('');
    const isJson = url.endsWith('.json');
    return {
      status: Number(status),
      headers: { 'content-type': isJson ? 'application/json' : 'text/html' },
      body: isJson
        ? '{}'
        : `<title>${url}</title><p>The page ${url}. ${url === '/' ? links : ''}</p>`,
    };
  });
  onTestFinished(() => server.close());
  return server;
}

const names = (failures: readonly PageFailure[]): (string | undefined)[] =>
  failures.map(({ url, kept }) => (kept ? new URL(url).pathname : undefined));

test('the first three of each kind are kept, with their HTML', async () => {
  const server = await openSite();
  const client = open();
  const paths = ['/404-a', '/404-b', '/410-c', '/404-d', '/500-a', '/ok', '/404-e.json'];
  const job = client.batchScrape(paths.map(server.url), {
    keepFailures: true,
    retries: 0,
    maxConcurrency: 1,
  });
  await job;
  const errors = job.errors();
  expect(names(errors)).toEqual(['/404-a', '/404-b', '/410-c', undefined, '/500-a', undefined]);
  const { html, screenshot } = errors[0]?.kept ?? {};
  expect(screenshot).toBe(undefined);
  const bytes = await client.readAsset(html ?? {});
  expect(Buffer.from(bytes ?? []).toString()).toContain('The page /404-a.');
});

test('a page that a hook found wrong is kept as it was received', async () => {
  const server = await openSite();
  const afterResponse = (): never => {
    throw new Error('logged out');
  };
  const client = open({ hooks: { afterResponse } });
  const urls = ['/a', '/b.json'].map(server.url);
  const job = client.batchScrape(urls, { keepFailures: true });
  await job;
  const errors = job.errors();
  expect(errors.map(({ code }) => code)).toEqual(['HOOK_FAILED', 'HOOK_FAILED']);
  expect(names(errors)).toEqual(['/a', undefined]);
  const bytes = await client.readAsset(errors[0]?.kept?.html ?? {});
  expect(Buffer.from(bytes ?? []).toString()).toContain('The page /a.');
});

test('nothing is kept by default, with redact, or with zeroDataRetention', async () => {
  const server = await openSite();
  const client = open({ storage: memoryStore() });
  for (const options of [
    {},
    { keepFailures: true, redact: ['email'] as const },
    { keepFailures: true, zeroDataRetention: true },
  ]) {
    const job = client.batchScrape([server.url('/404-a')], options);
    await job;
    expect(job.errors()).toMatchObject([{ code: 'HTTP_STATUS' }]);
    expect(job.errors()[0]).not.toHaveProperty('kept');
  }
});

test('a stored crawl has them after a restart, and they end with it', async () => {
  const server = await openSite();
  const folder = await mkdtemp(join(tmpdir(), 'kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = open({ storage: fileStore(folder) });
  const job = first.crawl(server.url('/'), { keepFailures: true });
  await job;
  const { id } = job;
  await first.close();
  const client = open({ storage: fileStore(folder) });
  const stored = client.jobs.get(id) as PromiseLike<unknown> as CrawlJob<Document>;
  await stored;
  expect(names(stored.errors())).toEqual(['/404-a', '/404-b']);
  const { html = {} } = stored.errors()[0]?.kept ?? {};
  expect(html.key).toMatch(new RegExp(`^jobs/${id}/assets/`));
  expect(await client.readAsset(html)).toBeInstanceOf(Uint8Array);
  await client.jobs.remove(id);
  expect(await client.readAsset(html)).toBe(undefined);
});

test("the client's function for assets takes them", async () => {
  const server = await openSite();
  const seen: unknown[] = [];
  const client = open({ assets: (asset) => `kept/${seen.push(asset)}.html` });
  const job = client.batchScrape([server.url('/404-a')], { keepFailures: true });
  await job;
  expect(job.errors()[0]?.kept).toEqual({ html: { path: 'kept/1.html' } });
  expect(seen).toMatchObject([{ kind: 'file', mediaType: 'text/html', url: server.url('/404-a') }]);
});

test('a page that cannot be kept fails as it would anyway', async () => {
  const server = await openSite();
  const warnings: string[] = [];
  const client = open({
    logger: { warn: (_, message) => void warnings.push(message) },
    assets: () => Promise.reject(new Error('the disk is full')),
  });
  const job = client.batchScrape([server.url('/404-a')], { keepFailures: true });
  expect((await job).failed).toBe(1);
  expect(job.errors()).toMatchObject([{ code: 'HTTP_STATUS', statusCode: 404 }]);
  expect(job.errors()[0]).not.toHaveProperty('kept');
  expect(warnings.join()).toContain('was not kept');
  expect(warnings.join()).toContain('the disk is full');
});

test('a function for assets that never answers does not hold up the job', async () => {
  const server = await openSite();
  const warnings: string[] = [];
  const client = open({
    logger: { warn: (_, message) => void warnings.push(message) },
    assets: () => new Promise(() => undefined),
  });
  const urls = [server.url('/404-a'), server.url('/200-b')];
  const job = client.batchScrape(urls, { keepFailures: true, timeout: 500 });
  expect(await job).toMatchObject({ status: 'completed', completed: 1, failed: 1 });
  expect(job.errors()).toMatchObject([{ code: 'HTTP_STATUS', statusCode: 404 }]);
  expect(warnings.join()).toContain('was not kept');
});

test('a challenge is kept, and a page that nothing came of is not', async () => {
  await using server = await serve(() => ({
    status: 403,
    headers: { 'cf-mitigated': 'challenge', 'content-type': 'text/html' },
    body: '<title>Just a moment...</title>',
  }));
  const job = open().batchScrape([server.url('/'), 'http://127.0.0.1:9/'], {
    keepFailures: true,
    retries: 0,
    proxy: 'basic',
  });
  await job;
  const found = job.errors().map(({ code, kept }) => [code, kept?.html !== undefined]);
  expect(found).toEqual([
    ['BLOCKED_BY_SITE', true],
    ['BLOCKED_ADDRESS', false],
  ]);
});
