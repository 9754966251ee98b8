/** A job that is killed while it retries its failed pages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { serve } from '../../src/entries/testing/serve.ts';
import { usualAnd } from '../support/deep.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { jobToItsEnd, killAll, startJob, until } from './job-process.ts';

const made = linkedSite({ pages: 30, links: 3, seed: 8 });
const failing = new Set(made.paths.filter((_, index) => index % 4 === 2));
let stores: ChildStores;

beforeAll(async () => {
  stores = await childStores();
});
afterAll(async () => {
  await killAll();
  await stores.close();
});

test.each(usualAnd(1, ['SQLite', 'files', 'Redis'] as const))(
  'on %s goes on with that: no document twice but the one in hand, and all in their order',
  async (name) => {
    let isDown = true;
    await using server = await serve(made.site, {
      behaviours: {
        '*': async ({ url, page, send, response }) => {
          if (isDown && failing.has(url)) response.writeHead(503).end();
          else send(await page());
        },
      },
    });
    const store = stores[name]('retry');
    const crawl = `client.crawl('${server.url('/')}', { maxConcurrency: 2, sitemap: 'skip', scrapeOptions: { retries: 0 } })`;
    const first = startJob({ store, job: crawl });
    await first.ended;
    const [id] = first.said('job');
    const before = first.said('page');
    expect(Number(first.end.progress['failed'])).toBeGreaterThan(2);
    isDown = false;
    const killed = startJob({ store, job: `client.jobs.resume('${id}', { retryFailed: true })` });
    await until(() => killed.said('page').length > 2, killed);
    await killed.kill();
    const last = startJob({ store, job: `client.jobs.resume('${id}')` });
    await last.ended;
    const whole = await jobToItsEnd({ store: stores[name]('whole'), job: crawl });
    expect([...last.end.urls].sort()).toEqual([...whole.urls].sort());
    expect(last.end.progress).toMatchObject({ status: 'completed', failed: 0, pending: 0 });
    const [got, rest] = [killed.said('page'), last.said('page')];
    expect(got.filter((path) => before.includes(path))).toEqual([]);
    const twice = got.filter((path) => rest.includes(path));
    expect(twice.length).toBeLessThanOrEqual(1);
    expect(new Set([...before, ...got, ...rest]).size).toBe(whole.urls.length);
    expect(last.end.urls.filter((path) => before.includes(path))).toEqual(before);
    // One that failed comes where it failed, and not at the end.
    expect(last.end.urls.slice(0, before.length).some((path) => failing.has(path))).toBe(true);
  },
  120_000,
);
