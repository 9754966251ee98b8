/** How soon calls end at their time limit and at an abort. */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let client: Client;
let server: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
  server = await serve(
    { '/': '<p>Start <a href="/hang">here</a>.' },
    { behaviours: { '/hang': hang() } },
  );
});

afterAll(async () => {
  await client.close();
  await server.close();
});

describe('a scrape', () => {
  it('is TIMEOUT at the limit for a server that hangs', async () => {
    const before = performance.now();
    const call = client.scrape(server.url('/hang'), { timeout: 1000 });
    await expect(call).rejects.toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
      url: server.url('/hang'),
    });
    expect(performance.now() - before).toBeGreaterThan(950);
    expect(performance.now() - before).toBeLessThan(1400);
  });

  it('is CANCELLED within 100 ms of an abort and leaves no socket', async () => {
    const abort = new AbortController();
    const call = client.scrape(server.url('/hang'), { signal: abort.signal });
    call.catch(() => undefined);
    await vi.waitFor(() => expect(server.openSockets).toBe(1), 15_000);
    const before = performance.now();
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(performance.now() - before).toBeLessThan(100);
    await vi.waitFor(() => expect(server.openSockets).toBe(0), 15_000);
  });
});

describe('a crawl', () => {
  it('rejects with CANCELLED within 100 ms when its signal aborts', async () => {
    await using own = await serve(
      { '/': '<p>Start <a href="/slow">here</a>.' },
      { behaviours: { '/slow': hang() } },
    );
    const abort = new AbortController();
    const job = client.crawl(own.origin, { signal: abort.signal, sitemap: 'skip' });
    job.catch(() => undefined);
    await vi.waitFor(() => expect(own.log.map(({ url }) => url)).toContain('/slow'), 15_000);
    const before = performance.now();
    abort.abort();
    await expect(job).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(performance.now() - before).toBeLessThan(100);
  });
});

describe('a map', () => {
  it('ends at its timeout, its signal and the end of its client', async () => {
    await using own = await serve({}, { behaviours: { '/*': hang() } });
    const closing = createClient({ network: { allow: ['127.0.0.1'] } });
    const before = performance.now();
    await expect(closing.map(own.origin, { timeout: 1000 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    expect(performance.now() - before).toBeLessThan(1500);
    await expect(closing.map(own.origin, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    const running = closing.map(own.origin);
    running.catch(() => undefined);
    await closing.close();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
