/** How soon calls that render end at their time limit and at an abort, in a real Chromium. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let client: Client;
let site: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
  site = await serve(
    { '/page': '<!doctype html><title>Ferries</title><p>The first ferry leaves at seven.' },
    { behaviours: { '/hang': hang() } },
  );
  // The browser is started before anything is measured.
  await client.scrape(site.url('/page'), { engine: 'browser' });
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

test('a server that hangs is TIMEOUT at the limit, and the connection is closed', async () => {
  const { error, ms } = await timed(
    client.scrape(site.url('/hang'), { engine: 'browser', timeout: 1500 }),
  );
  expect(error).toMatchObject({ code: 'TIMEOUT' });
  expect(ms).toBeGreaterThan(1450);
  expect(ms).toBeLessThan(1700);
  await vi.waitFor(() => expect(site.openSockets).toBe(0), 3000);
});

test('an abort rejects within 100 ms, before and after the page came', async () => {
  for (const [path, options] of [
    ['/hang', {}],
    ['/page', { waitFor: 10_000 }],
    ['/page', { actions: [{ type: 'wait', milliseconds: 10_000 }] }],
    ['/page', { actions: [{ type: 'executeJavascript', script: 'for (;;);' }] }],
  ] as const) {
    const abort = new AbortController();
    const call = client.scrape(site.url(path), {
      engine: 'browser',
      signal: abort.signal,
      ...options,
    });
    call.catch(() => undefined);
    await sleep(700);
    abort.abort();
    const { error, ms } = await timed(call);
    expect(error).toMatchObject({ code: 'CANCELLED' });
    expect(ms, path).toBeLessThan(100);
  }
  await vi.waitFor(() => expect(site.openSockets).toBe(0), 5000);
  // The browser is as good as before.
  const { metadata } = await client.scrape(site.url('/page'), { engine: 'browser' });
  expect(metadata.statusCode).toBe(200);
});

/** How a call ended, and after how many ms. */
async function timed(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const started = performance.now();
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - started };
}
