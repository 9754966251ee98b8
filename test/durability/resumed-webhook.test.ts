/** What the receiver of a webhook is told of a job that ran in several processes. */
import { createClient, memoryStore } from 'pagewright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WebhookBody } from '../../src/model/webhook.ts';
import { type FixtureServer, serve } from '../../src/testing/serve.ts';
import { receiver, type Receiver } from '../webhooks/receiver.ts';
import { pageOf } from '../support/memory-web.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { jobToItsEnd, killAll, startJob, until } from './job-process.ts';
import { rareTest } from '../support/deep.ts';

const count = 12;
let stores: ChildStores;

beforeAll(async () => {
  stores = await childStores();
});
afterEach(killAll);
afterAll(() => stores.close());

/** A chain of pages, of which the first `open` answer. */
async function chainSite(): Promise<{ site: FixtureServer; letGo: (open: number) => void }> {
  let open = 0;
  const numberOf = (url: string): number => Number(url.slice(1) || '0');
  const site = await serve(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        n === 0 ? '/' : `/${n}`,
        pageOf(`page ${n}`, n + 1 < count ? [`/${n + 1}`] : []),
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

const typesOf = (bodies: readonly WebhookBody[]): string[] => bodies.map(({ type }) => type);
const pagesOf = (bodies: readonly WebhookBody[]): string[] =>
  bodies
    .filter(({ type }) => type === 'crawl.page')
    .map(({ data }) => {
      const [page] = data as readonly { metadata: { url: string } }[];
      return new URL(page?.metadata.url ?? '').pathname;
    });
const all = Array.from({ length: count }, (_, n) => (n === 0 ? '/' : `/${n}`));

function expectEachOnce(hook: Receiver): void {
  const bodies = hook.bodies();
  expect(new Set(bodies.map(({ webhookId }) => webhookId)).size).toBe(bodies.length);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  expect(pagesOf(bodies)).toEqual(all);
  expect(typesOf(bodies).filter((type) => type === 'crawl.started')).toHaveLength(1);
  expect(typesOf(bodies).filter((type) => type === 'crawl.completed')).toHaveLength(1);
  expect(typesOf(bodies).at(-1)).toBe('crawl.completed');
}

rareTest(
  'of a crawl that is killed twice it hears once of each page, of the start and of the end',
  async () => {
    const { site, letGo } = await chainSite();
    await using _ = site;
    await using hook = await receiver();
    const store = stores.files('hooked');
    let job = `client.crawl('${site.url('/')}', { webhook: '${hook.url}' })`;
    for (const open of [4, 9]) {
      letGo(open);
      const child = startJob({ store, job });
      await until(() => pagesOf(hook.bodies()).length === open, child);
      // The token in its URL is not stored.
      job = `client.resume('${child.said('job')[0]}', { webhook: '${hook.url}' })`;
      await child.kill();
    }
    letGo(count);
    await jobToItsEnd({ store, job });
    expectEachOnce(hook);
    expect(typesOf(hook.bodies())).toHaveLength(count + 2);
  },
  90_000,
);

test('of a crawl whose client was closed and that was resumed it hears no id twice', async () => {
  const { site, letGo } = await chainSite();
  await using _ = site;
  await using hook = await receiver();
  const storage = memoryStore();
  const open = (): ReturnType<typeof createClient> =>
    createClient({ cache: false, storage, network: { allow: ['127.0.0.1'] } });
  letGo(5);
  const first = open();
  const left = first.crawl(site.url('/'), { webhook: hook.url });
  await until(() => pagesOf(hook.bodies()).length === 5);
  await first.close();
  letGo(count);
  await using client = open();
  const job = client.resume(left.id, { webhook: hook.url });
  await job;
  await job.delivered();
  expectEachOnce(hook);
}, 60_000);
