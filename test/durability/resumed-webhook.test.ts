/** What the receiver of a webhook is told of a job that ran in several processes. */
import {
  type Client,
  createClient,
  memoryStore,
  type Store,
  type UndeliveredEvent,
} from 'pagewright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WebhookBody } from '../../src/core/model/webhook.ts';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { type FixtureServer, serve } from '../../src/entries/testing/serve.ts';
import { receiver, type Receiver } from '../core/jobs/webhooks/receiver.ts';
import { pageOf } from '../support/memory-web.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { killAll, startJob, until } from './job-process.ts';
import { killAgainAndAgain } from './killed-job.ts';
import { rareTest, usualAnd } from '../support/deep.ts';

const count = 12;
let stores: ChildStores;
/** The events of a crawl of the chain that is not interrupted. */
let whole: readonly string[];

beforeAll(async () => {
  stores = await childStores();
  const { site, letGo } = await chainSite();
  await using _ = site;
  letGo(count);
  whole = await plainEvents(site.url('/'));
});
afterEach(killAll);
afterAll(() => stores.close());

/** A chain of pages, of which the first `open` answer; each but the last one also links to a page that is not there. */
async function chainSite(): Promise<{ site: FixtureServer; letGo: (open: number) => void }> {
  let open = 0;
  const numberOf = (url: string): number => Number(url.slice(1) || '0');
  const site = await serve(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        n === 0 ? '/' : `/${n}`,
        pageOf(`page ${n}`, n + 1 < count ? [`/${n + 1}`, `/gone/${n}`] : []),
      ]),
    ),
    {
      behaviours: {
        '*': async ({ url, page, send }) => {
          if (/^\/\d*$/.test(url) && numberOf(url) >= open) return;
          send(await page());
        },
      },
    },
  );
  return { site, letGo: (pages) => (open = pages) };
}

/** A receiver that answers the first `open` events, and no other. */
async function gatedReceiver(): Promise<{ hook: Receiver; letGo: (open: number) => void }> {
  let open = 0;
  let answered = 0;
  const hook = await receiver([
    ({ response }) => {
      if (answered >= open) return;
      answered += 1;
      response.end();
    },
  ]);
  return { hook, letGo: (events) => (open = events) };
}

/** Such as `crawl.page true /3`. */
function lineOf({ type, success, data }: WebhookBody): string {
  const [page] = data as readonly { metadata: { sourceURL: string } }[];
  const path = page === undefined ? '' : new URL(page.metadata.sourceURL).pathname;
  return `${type} ${success} ${path}`;
}

/** Events by their ids, in the order in which the ids were first seen. */
function firstsOf(hook: Receiver): Map<string, string> {
  const firsts = new Map<string, string>();
  for (const body of hook.bodies()) {
    const { webhookId } = body;
    const line = lineOf(body);
    // An id is that of one event.
    expect(firsts.get(webhookId) ?? line).toBe(line);
    firsts.set(webhookId, line);
  }
  return firsts;
}

/** A client that may contact the site and the receiver. */
const clientOf = (storage: Store): Client =>
  createClient({ cache: false, storage, network: { allow: ['127.0.0.1'] } });

/** Resumes a job in this process, and waits for its last event; the events that did not arrive. */
async function resumeHere(
  storage: Store,
  id: string,
  hook: Receiver,
): Promise<readonly UndeliveredEvent[]> {
  await using client = clientOf(storage);
  const job = client.jobs.resume(id, { webhook: hook.url });
  await job.delivered();
  return job.undelivered();
}

/** The events of the same crawl, not interrupted. */
async function plainEvents(url: string): Promise<string[]> {
  await using hook = await receiver();
  await using client = clientOf(memoryStore());
  const job = client.crawl(url, { webhook: hook.url });
  await job.delivered();
  return hook.bodies().map(lineOf);
}

/** At each kill: the pages that the site has given, and the events that the receiver has answered. */
const killings = [
  [
    'twice',
    [
      [5, 4],
      [count, 13],
    ],
  ],
  [
    'three times',
    [
      [5, 4],
      [9, 9],
      [count, 13],
    ],
  ],
] as const;

test.each(usualAnd(1, killings))(
  'of a crawl that is killed %s it gets every event, at most one twice for each kill',
  async (name, moments) => {
    const { site, letGo } = await chainSite();
    await using _ = site;
    const { hook, letGo: letThrough } = await gatedReceiver();
    await using __ = hook;
    const store = stores.files(`hooked ${name}`);
    let job = `client.crawl('${site.url('/')}', { webhook: '${hook.url}' })`;
    let id = '';
    let kills = 0;
    for (const [open, events] of moments) {
      letGo(open);
      letThrough(events);
      const child = startJob({ store, job });
      // All pages are there, and one event is on its way: it was not answered.
      const isDone = (): boolean =>
        open === count
          ? child.said('end').length > 0
          : child.said('event').some((path) => path === `/${open - 1}`);
      await until(() => isDone() && hook.bodies().length === events + kills + 1, child);
      id = child.said('job')[0] ?? '';
      // The token in its URL is not stored.
      job = `client.jobs.resume('${id}', { webhook: '${hook.url}' })`;
      await child.kill();
      kills += 1;
    }
    // The job has ended; its last events have not been sent.
    letThrough(Infinity);
    await resumeHere(store.open(), id, hook);
    const firsts = [...firstsOf(hook).values()];
    expect(firsts).toEqual(whole);
    expect(firsts).toHaveLength(1 + count + (count - 1) + 1);
    expect(hook.bodies()).toHaveLength(firsts.length + kills);

    await resumeHere(store.open(), id, hook);
    expect(hook.bodies()).toHaveLength(firsts.length + kills);
  },
  60_000,
);

rareTest(
  'of a crawl of 300 pages that is killed 12 times at any moment it gets every event',
  async () => {
    const pages = 300;
    const made = linkedSite({ pages, links: 4, seed: 5, failing: 0.05 });
    await using site = await serve(made.site);
    await using hook = await receiver();
    const first = {
      store: stores.files('often'),
      job: `client.crawl('${site.url('/')}', { webhook: '${hook.url}' })`,
    };
    const resumeOptions = JSON.stringify({ webhook: hook.url });
    const { kills } = await killAgainAndAgain(site, first, {
      kills: 12,
      seed: 3,
      pages,
      resumeOptions,
    });
    const firsts = [...firstsOf(hook).values()];
    expect(firsts).toEqual(await plainEvents(site.url('/')));
    expect(hook.bodies().length).toBeLessThanOrEqual(firsts.length + kills);
  },
  300_000,
);

test('of a crawl whose client was closed it gets what waited when the crawl is resumed', async () => {
  const { site, letGo } = await chainSite();
  await using _ = site;
  const { hook, letGo: letThrough } = await gatedReceiver();
  await using __ = hook;
  const storage = memoryStore();
  letGo(6);
  letThrough(3);
  const first = clientOf(storage);
  const left = first.crawl(site.url('/'), { webhook: hook.url });
  await until(() => left.progress.completed === 6 && hook.bodies().length === 4);
  await first.close();
  expect(left.undelivered().map(({ code }) => code)).toContain('CANCELLED');
  letGo(count);
  letThrough(Infinity);
  const undelivered = await resumeHere(storage, left.id, hook);
  const events = [...firstsOf(hook).values()];
  expect(events.filter((line) => !line.startsWith('crawl.failed'))).toEqual(whole);
  expect(undelivered).toEqual([]);
}, 60_000);

test('that is named when the crawl is resumed gets what comes from then on', async () => {
  const { site, letGo } = await chainSite();
  await using _ = site;
  await using hook = await receiver();
  const storage = memoryStore();
  letGo(5);
  const first = clientOf(storage);
  const left = first.crawl(site.url('/'));
  await until(() => left.progress.completed === 5);
  await first.close();
  letGo(count);
  await resumeHere(storage, left.id, hook);
  const events = hook.bodies().map(lineOf);
  expect(events.filter((line) => line.includes('true /'))).toEqual(
    Array.from({ length: count - 5 }, (_, n) => `crawl.page true /${n + 5}`),
  );
  expect(events.at(-1)).toBe('crawl.completed true ');
  expect(events.join()).not.toContain('started');
}, 60_000);

test('of a crawl that has ended while events wait a reader sends none, and no wish to cancel it is looked for', async () => {
  const { site, letGo } = await chainSite();
  await using _ = site;
  let answer = (): void => undefined;
  const gate = new Promise<void>((resolve) => (answer = resolve));
  await using hook = await receiver([
    async ({ response }) => {
      await gate;
      response.end();
    },
  ]);
  const memory = memoryStore();
  const calls: string[] = [];
  const storage: Store = {
    ...memory,
    get: (key) => {
      calls.push(`get ${key}`);
      return memory.get(key);
    },
    set: (key, ...value) => {
      calls.push(`set ${key}`);
      return memory.set(key, ...value);
    },
    replace: async (key, ...values) => {
      calls.push(`replace ${key}`);
      return (await memory.replace?.(key, ...values)) ?? false;
    },
  };
  letGo(count);
  await using client = clientOf(storage);
  const job = client.crawl(site.url('/'), { webhook: hook.url });
  await job.settled();
  calls.length = 0;
  await using other = clientOf(memory);
  const read = other.jobs.get(job.id);
  expect(await read).toMatchObject({ status: 'completed', completed: count });
  await read.delivered();
  expect(read.undelivered()).toEqual([]);
  await until(() => calls.length >= 3);
  expect([...new Set(calls)]).toEqual([`replace jobs/${job.id}/lease`]);
  expect(hook.bodies()).toHaveLength(1);
  answer();
  await job.delivered();
  expect(hook.bodies().map(lineOf)).toEqual(whole);
}, 60_000);
