/** A job that is killed while another process reads it, or is resumed by two at the same moment. */
import { createClient } from 'pagewright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { serve } from '../../src/entries/testing/serve.ts';
import { listed } from './chain.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { type JobProcess, jobToItsEnd, killAll, startJob, until } from './job-process.ts';
import { usualAnd } from '../support/deep.ts';

const rounds = 2;
const made = linkedSite({ pages: 30, links: 2, seed: 5 });
let stores: ChildStores;

beforeAll(async () => {
  stores = await childStores();
});
afterAll(async () => {
  await killAll();
  await stores.close();
});

test.concurrent.each(usualAnd(1, ['files', 'SQLite', 'Redis'] as const))(
  'of two that resume a killed job on %s exactly one goes on, and a third when that one is killed',
  async (name) => {
    /** Answers that wait: of pages until the site is let go on, and of those that are to begin at once. */
    let isOpen = false;
    let pages = 0;
    let waiting: (() => void)[] = [];
    const held = async (release: (answer: () => void) => void): Promise<void> =>
      new Promise<void>(release);
    await using server = await serve(made.site, {
      behaviours: {
        '/together': async ({ response }) => {
          await held((go) => waiting.push(go));
          response.end('now');
        },
        '*': async ({ url, page, send }) => {
          if (url.startsWith('/page') && !isOpen && (pages += 1) > 8) return;
          send(await page());
        },
      },
    });
    const store = stores[name]('job');
    const crawl = `client.crawl('${server.url('/')}', { maxConcurrency: 3 })`;
    const first = startJob({ store, job: crawl });
    await until(() => pages > 9 && first.said('page').length > 3, first);
    const [id] = first.said('job');
    await first.kill();

    for (let round = 0; round < rounds; round++) {
      // Whoever goes on asks for a page, and waits for it.
      pages = 8;
      const resume = `(await fetch('${server.url('/together')}'), client.jobs.resume('${id}'))`;
      const both = [startJob({ store, job: resume }), startJob({ store, job: resume })];
      await until(() => waiting.length === 2);
      for (const go of waiting.splice(0)) go();
      const refused = (): JobProcess | undefined =>
        both.find((one) => one.said('failed').length > 0);
      await until(() => refused() !== undefined);
      const winner = both.find((one) => one !== refused());
      const failed = JSON.parse(refused()?.said('failed')[0] ?? '') as object;
      expect(failed).toMatchObject({
        code: 'STORAGE',
        message: expect.stringMatching(
          new RegExp(`${id} is run by process ${winner?.pid} on .*One process at a time`),
        ) as string,
      });
      await refused()?.ended;
      await until(() => pages > 9, winner);
      expect(winner?.said('failed')).toEqual([]);
      expect(winner?.hasEnded).toBe(false);
      await winner?.kill();
    }

    isOpen = true;
    const began = server.log.length;
    const end = await jobToItsEnd({ store, job: `client.jobs.resume('${id}')` });
    expect(end.progress).toMatchObject({ status: 'completed', completed: made.paths.length });
    expect(server.log.length - began).toBeLessThan(made.paths.length);
    const whole = await jobToItsEnd({ store: stores[name]('whole'), job: crawl });
    expect({ urls: end.urls, digest: end.digest }).toEqual({
      urls: whole.urls,
      digest: whole.digest,
    });
    waiting = [];
  },
  120_000,
);

test('a reader of a job whose process is killed is told so, writes nothing, and reads on when the job is resumed', async () => {
  let isOpen = false;
  let pages = 0;
  await using server = await serve(made.site, {
    behaviours: {
      '*': async ({ url, page, send }) => {
        if (url.startsWith('/page') && !isOpen && (pages += 1) > 8) return;
        send(await page());
      },
    },
  });
  const store = stores.files('killed');
  const runner = startJob({
    store,
    job: `client.crawl('${server.url('/')}', { maxConcurrency: 3 })`,
  });
  await until(() => runner.said('page').length > 4, runner);
  const [id = ''] = runner.said('job');
  const warnings: string[] = [];
  const logger = { warn: (_: object, text: string) => void warnings.push(text) };
  const own = { network: { allow: ['127.0.0.1'] }, logger };
  await using client = createClient({ ...own, storage: store.open() });
  const job = client.jobs.follow(id);
  const documents: unknown[] = [];
  const reading = (async () => {
    for await (const page of job) documents.push(page);
  })();
  await runner.kill();
  const contentOf = async (): Promise<unknown[]> => {
    const opened = store.open();
    const keys = await listed(opened, '');
    return Promise.all(keys.map(async (key) => [key, await opened.get(key)]));
  };
  const before = await contentOf();

  const warning = `No process runs job ${id}: client.jobs.resume(id) continues it.`;
  await expect.poll(async () => (await job.status()).warning, { timeout: 10_000 }).toBe(warning);
  expect(warnings).toEqual([warning]);
  expect((await job.status()).status).toBe('scraping');
  expect(await contentOf()).toEqual(before);

  isOpen = true;
  await using other = createClient({ ...own, storage: store.open() });
  const resumed = await other.jobs.resume(id);
  expect(resumed).toMatchObject({ status: 'completed', completed: 30, errors: [] });
  await reading;
  expect(documents).toEqual(resumed.data);
  expect(await job).toEqual(resumed);
}, 60_000);
