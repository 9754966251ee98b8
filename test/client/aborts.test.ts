/** What a call rejects with when its signal aborts. */
import { createClient, memoryStore } from 'pagewright';
import { type FixtureServer, hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';

let server: FixtureServer;
beforeAll(async () => {
  server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
});
afterAll(() => server.close());
const client = createClient({
  network: { allow: ['127.0.0.1'] },
  storage: memoryStore(),
  model: () => new Promise(() => undefined),
});
afterAll(() => client.close());
const never = (): Promise<never> => new Promise(() => undefined);
const html = '<p>x';

const calls: Readonly<Record<string, (signal: AbortSignal) => PromiseLike<unknown>>> = {
  scrape: (signal) => client.scrape(server.origin, { signal }),
  'scrape of given HTML': (signal) => client.scrape({ html }, { formats: ['summary'], signal }),
  parse: (signal) => client.parse(html, { contentType: 'text/html', formats: ['summary'], signal }),
  crawl: (signal) => client.crawl(server.origin, { signal }),
  'crawl, read in a loop': (signal) => drain(client.crawl(server.origin, { signal })),
  plan: (signal) => client.plan(server.origin, { signal }),
  previewCrawl: (signal) => client.previewCrawl(server.origin, 'the docs', { signal }),
  batchScrape: (signal) => client.batchScrape([server.origin], { signal }),
  map: (signal) => client.map(server.origin, { signal }),
  search: (signal) => client.search('tides', { engine: never, signal }),
  extract: (signal) => client.extract({ urls: [server.origin], prompt: 'the name', signal }),
  'a check of a monitor': (signal) =>
    client.monitor({ targets: [server.origin], every: '1h' }).check({ signal }),
};

describe.each(Object.entries(calls))('%s', (_, call) => {
  it('rejects with CANCELLED, and has the reason of the signal as its cause', async () => {
    const reason = { why: 'no longer needed' };
    const abort = new AbortController();
    const failed = failure(call(abort.signal));
    setTimeout(() => abort.abort(reason), 20);
    const { code, cause, stack } = await failed;
    expect([code, cause]).toEqual(['CANCELLED', reason]);
    expect(stack).toContain('aborts.test');
  });

  it('also when the signal has aborted before', async () => {
    const reason = new Error('too late');
    const { code, cause } = await failure(call(AbortSignal.abort(reason)));
    expect([code, cause]).toEqual(['CANCELLED', reason]);
  });

  it('rejects with TIMEOUT for a signal of AbortSignal.timeout()', async () => {
    const error = await failure(call(AbortSignal.timeout(5)));
    expect(error).toMatchObject({ code: 'TIMEOUT', cause: { name: 'TimeoutError' } });
    expect(error.message).toMatch(/was stopped by the timeout of its signal\.$/);
  });
});

it('map() rejects with the TIMEOUT of a signal although it has found URLs', async () => {
  await using site = await serve(
    { '/': '<a href="/a">', '/robots.txt': '', '/sitemap.xml': 'x' },
    { behaviours: { '/sitemap.xml': hang() } },
  );
  const error = await failure(client.map(site.origin, { signal: AbortSignal.timeout(300) }));
  expect(error.code).toBe('TIMEOUT');
});

async function drain(job: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of job) void _;
}
