/** A batch that is killed while URLs are added to it, and what is added to one that is being opened. */
import { createClient, memoryStore, type Store } from 'pagewright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { serve } from '../../src/entries/testing/serve.ts';
import { documentOf } from '../../src/core/jobs/durable/stored-value.ts';
import { bareDocument, chainOf, pathOf } from './chain.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { jobToItsEnd, killAll } from './job-process.ts';
import { killAgainAndAgain } from './killed-job.ts';
import { usualAnd } from '../support/deep.ts';

const kills = 4;
const pages = 100;
const given = 25;
const made = linkedSite({ pages, links: 1, seed: 3 });
let stores: ChildStores;

beforeAll(async () => {
  stores = await childStores();
});
afterAll(async () => {
  await killAll();
  await stores.close();
});

test.concurrent.each(usualAnd(1, ['files', 'SQLite', 'Redis'] as const))(
  'a batch killed on %s has each URL that was given or added, once and in its place',
  async (name) => {
    await using server = await serve(made.site);
    const urls = Array.from({ length: given }, (_, n) => server.url(`/page-${n + 1}`));
    const batch = {
      job: `client.batchScrape(${JSON.stringify(urls)}, { maxConcurrency: 4 })`,
      // Each of the first pages brings three more.
      each: `
        const n = Number(/\\d+$/.exec(page.metadata.url)[0]);
        const added = [0, 1, 2].map((one) => ${given} + 1 + (n - 1) * 3 + one);
        if (n <= ${given}) {
          const urls = added.filter((one) => one < ${pages}).map((one) => '${server.url('/page-')}' + one);
          if (urls.length > 0) job.add(urls);
        }
      `,
    };
    const whole = await jobToItsEnd({ ...batch, store: stores[name]('whole') });
    expect(whole.urls).toEqual(Array.from({ length: pages - 1 }, (_, n) => `/page-${n + 1}`));
    server.clearLog();
    const killed = await killAgainAndAgain(
      server,
      { ...batch, store: stores[name]('killed') },
      { kills, seed: 17, pages },
    );
    const { end, read, events } = killed;
    expect(killed.kills).toBe(kills);
    expect(end.urls).toEqual(whole.urls);
    expect(end.digest).toBe(whole.digest);
    expect([...new Set(read.flat())]).toEqual(whole.urls);
    expect(new Set(events).size).toBe(events.length);
    expect(server.log.length - (pages - 1)).toBeLessThanOrEqual(kills * 4);
    const { completed, failed, pending, creditsUsed } = end.progress;
    expect({ completed, failed, pending }).toEqual({ completed: pages - 1, failed: 0, pending: 0 });
    expect(creditsUsed).toBe(whole.progress['creditsUsed']);
  },
  120_000,
);

test('the store has the URLs of a page before it has that its reader is done with the page', async () => {
  const inner = memoryStore();
  /** What a process that is killed at that moment leaves: lists of added URLs, and pages that are done with. */
  const moments: { lists: number; done: number }[] = [];
  let lists = -1;
  const storage: Store = {
    ...inner,
    set: async (key, value, options) => {
      // Slower than pages come, so that several wait to be written.
      if (/\/(?:urls|reader)/.test(key)) await new Promise((resolve) => setTimeout(resolve, 5));
      await inner.set(key, value, options);
      if (key.includes('/urls/')) lists += 1;
      if (key.endsWith('/reader')) moments.push({ lists, done: Number(documentOf(value)) });
    },
  };
  await using client = createClient({ cache: false, engines: [chainOf(90)().web], storage });
  const urls = Array.from({ length: 30 }, (_, n) => `http://site.test/${n}`);
  const job = client.batchScrape(urls, { maxConcurrency: 8 });
  let seen = 0;
  for await (const page of job) {
    if (Number(pathOf(page).slice(1)) < 30) job.add([`http://site.test/${30 + seen}`]);
    seen += 1;
  }
  expect(seen).toBe(60);
  expect(moments.length).toBeGreaterThan(5);
  for (const { lists: had, done } of moments)
    expect(had).toBeGreaterThanOrEqual(Math.min(done, 30));
});

test('what is added before a resumed batch is open comes behind what it has', async () => {
  const storage = memoryStore();
  const urls = [0, 1, 2, 3, 4, 5].map((n) => `http://site.test/${n}`);
  const first = createClient({ cache: false, engines: [chainOf(12)().web], storage });
  const left = first.batchScrape(urls, { maxConcurrency: 1 });
  left.add(['http://site.test/6']);
  let seen = 0;
  for await (const _ of left) if ((seen += 1) === 2) break;
  await first.close();
  const again = chainOf(12)();
  await using client = createClient({ cache: false, engines: [again.web], storage });
  const job = client.jobs.resume(left.id);
  if (!('add' in job)) throw new Error('It is no batch.');
  job.add(['http://site.test/7', 'http://site.test/0']);
  const { data } = await job;
  const whole = await client.batchScrape([...urls, 'http://site.test/6', 'http://site.test/7']);
  expect(data.map(bareDocument)).toEqual(whole.data.map(bareDocument));
  await client.close();
  // And so it is stored: what was added the first time is still there.
  await using last = createClient({ cache: false, engines: [again.web], storage });
  expect((await last.jobs.resume(left.id)).data.map(pathOf)).toEqual(data.map(pathOf));
});
