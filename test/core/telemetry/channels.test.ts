/** What is published on the channels of `node:diagnostics_channel`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { createClient, PagewrightError } from 'pagewright';
import {
  type Behaviour,
  flaky,
  hang,
  redirectTo,
  scriptedModel,
  serve,
  status,
} from 'pagewright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { watch } from './watch.ts';

const options = { network: { allow: ['127.0.0.1'] }, logger: { warn: () => undefined } };

const article = '<title>A</title><main><p>Hello, all of you who read this.</p></main>';

test('a scrape is a page with its request, and a cached one has none', async () => {
  await using server = await serve({ '/': article });
  await using client = createClient(options);
  const { page, request, retry, job, started } = watch();
  const url = server.url('/');
  await client.scrape(url);
  await client.scrape(url);
  const fetched = { finalUrl: url, statusCode: 200, requests: 1, bytes: expect.any(Number) };
  expect(request).toEqual([
    { url, method: 'GET', engine: 'http', attempt: 1, jobId: undefined, ...fetched },
  ]);
  expect(request[0]?.bytes).toBeGreaterThan(0);
  const made = { creditsUsed: 1, warning: undefined, browserMs: undefined, engine: 'http' };
  expect(page).toEqual([
    { url, jobId: undefined, cacheState: 'miss', ...fetched, ...made },
    { url, jobId: undefined, cacheState: 'hit', ...fetched, ...made, requests: 0, bytes: 0 },
  ]);
  expect([retry, job]).toEqual([[], []]);
  expect(started).toEqual(['page', 'request', 'page']);
});

test('each attempt is a request, and a retry says why and when', async () => {
  await using server = await serve(
    { '/': article },
    {
      behaviours: {
        '/': flaky({ failures: 1, status: 500 }),
        '/gone': redirectTo({ location: '/none' }),
      },
    },
  );
  await using client = createClient(options);
  const { request, retry } = watch();
  await client.scrape(server.url('/'));
  expect(request.map(({ attempt, statusCode }) => [attempt, statusCode])).toEqual([
    [1, 500],
    [2, 200],
  ]);
  const url = server.url('/');
  const delayMs = expect.closeTo(150, -2);
  expect(retry).toEqual([
    { url, jobId: undefined, engine: 'http', attempt: 1, kind: 'retry', statusCode: 500, delayMs },
  ]);
  const { delayMs: waited = 0 } = retry[0] ?? {};
  expect(waited).toBeGreaterThanOrEqual(100);
  expect(waited).toBeLessThanOrEqual(200);
  await client.scrape(server.url('/gone'));
  expect(request.at(-1)).toMatchObject({
    url: server.url('/gone'),
    finalUrl: server.url('/none'),
    statusCode: 404,
    requests: 2,
  });
});

test('a failure has its error and its code', async () => {
  await using server = await serve({}, { behaviours: { '/': hang() } });
  await using client = createClient(options);
  const { page, request, retry } = watch();
  await expect(client.scrape(server.url('/'), { timeout: 1000 })).rejects.toThrow();
  await expect(client.scrape('http://127.0.0.1:2/', { retries: 0 })).rejects.toThrow();
  expect(page.map(({ errorCode }) => errorCode)).toEqual(['TIMEOUT', 'CONNECTION_REFUSED']);
  expect(request.map(({ errorCode }) => errorCode)).toEqual(['TIMEOUT', 'CONNECTION_REFUSED']);
  expect(page[1]?.error).toBeInstanceOf(PagewrightError);
  expect(retry).toEqual([]);
});

test('URLs are without passwords and signatures, and nothing has headers', async () => {
  await using server = await serve({ '/': article });
  await using client = createClient(options);
  const { page, request } = watch();
  const asked = new URL(server.url('/?q=1&X-Amz-Signature=abc&b=2'));
  asked.username = 'me';
  asked.password = 'hunter2';
  await client.scrape(asked.href, { headers: { 'x-key': 'hunter3' } });
  expect(page[0]?.url).toBe(server.url('/?q=1&X-Amz-Signature=REDACTED&b=2'));
  expect(JSON.stringify([page, request])).not.toMatch(/hunter|abc/);
});

test('a crawl is a job with its pages, and the counts at its end', async () => {
  const links = '<a href="/a">a</a> <a href="/b">b</a>';
  await using server = await serve(
    { '/': `<title>Home</title><p>Links to all.</p>${links}`, '/a': article },
    { behaviours: { '/b': status({ code: 404 }) } },
  );
  await using client = createClient(options);
  const { page, job, request, started } = watch();
  const run = client.crawl(server.url('/'), { sitemap: 'skip' });
  const { id } = run;
  const result = await run;
  expect(started[0]).toBe('job');
  expect(job).toEqual([
    {
      id,
      verb: 'crawl',
      url: server.url('/'),
      status: 'completed',
      completed: 2,
      failed: 1,
      skipped: 0,
      requests: result.usage.requests,
      bytes: result.usage.bytes,
      creditsUsed: 2,
      warning: undefined,
    },
  ]);
  const pages = page.map(({ url, statusCode, jobId }) => [url, statusCode, jobId]).sort();
  expect(pages).toEqual([
    [server.url('/'), 200, id],
    [server.url('/a'), 200, id],
    [server.url('/b'), 404, id],
  ]);
  // The robots.txt is a request, and no page.
  expect(request.map(({ url }) => url)).toContain(server.url('/robots.txt'));
});

test('a batch that is cancelled, an extraction that fails, a map, a plan and a search are jobs', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const slow: Behaviour = (exchange) => {
    asked();
    return hang()(exchange);
  };
  await using server = await serve({ '/': article }, { behaviours: { '/slow': slow } });
  await using client = createClient(options);
  const { job } = watch();
  const batch = client.batchScrape([server.url('/slow')]);
  await isAsked;
  batch.cancel();
  await batch.settled();
  await expect(
    client.extract({ urls: ['http://127.0.0.1:2/'], schema: { title: 'string' } }),
  ).rejects.toThrow();
  await client.map(server.url('/'), { sitemap: 'skip' });
  await client.plan(server.url('/'), { sitemap: 'skip' });
  await client.search('tides', { engine: () => [{ url: 'https://a.example/' }] });
  await client.search('tides', { engine: () => Promise.reject(new Error('down')) }).catch(() => 0);
  const ends = job.map(({ verb, status: state, completed, errorCode }) => [
    verb,
    state,
    completed,
    errorCode,
  ]);
  expect(ends).toEqual([
    ['batchScrape', 'cancelled', 0, undefined],
    ['extract', 'failed', 0, 'CONNECTION_REFUSED'],
    ['map', 'completed', 1, undefined],
    ['plan', 'completed', 1, undefined],
    ['search', 'completed', 1, undefined],
    ['search', 'failed', undefined, 'SEARCH_FAILED'],
  ]);
});

test('a call of the model has its tokens and its cost', async () => {
  const model = scriptedModel(['A summary.', new Error('down')], {
    name: 'gpt',
    price: { input: 1_000_000, output: 2_000_000 },
  });
  await using client = createClient({ ...options, model });
  const { model: calls } = watch();
  await client.parse(article, { formats: ['summary'] });
  await client.parse(article, { formats: ['summary'] }).catch(() => undefined);
  const [answered, failed] = calls;
  expect(answered).toMatchObject({ model: 'gpt', operation: 'generate' });
  const { inputTokens = 0, outputTokens = 0, cost } = answered ?? {};
  expect(inputTokens).toBeGreaterThan(0);
  expect(cost).toBe(inputTokens + 2 * outputTokens);
  expect(failed).toMatchObject({ model: 'gpt', errorCode: 'MODEL_FAILED' });
  expect(failed).not.toHaveProperty('inputTokens');
});

test('a subscriber that throws harms no scrape: Node reports it as an uncaught exception', async () => {
  await using server = await serve({ '/': article });
  await using client = createClient(options);
  const listener = (): void => {
    throw new Error('a subscriber');
  };
  const names = ['start', 'asyncEnd'].map((moment) => `tracing:pagewright:page:${moment}`);
  for (const name of names) subscribe(name, listener);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const uncaught: string[] = [];
  process.on('uncaughtException', (error) => uncaught.push(error.message));
  onTestFinished(() => {
    for (const name of names) unsubscribe(name, listener);
    process.removeAllListeners('uncaughtException');
    for (const other of others) process.on('uncaughtException', other);
  });
  const { markdown } = await client.scrape(server.url('/'));
  expect(markdown).toContain('Hello');
  await setImmediate();
  expect(uncaught).toEqual(['a subscriber', 'a subscriber']);
});
