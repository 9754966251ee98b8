/** Jobs of a shared storage that another process runs: client.jobs.get(id) reads them. */
import { createHash } from 'node:crypto';
import { type Client, createClient, memoryStore, type PlainDocument, type Store } from 'pagewright';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fakeClock } from '../../src/entries/testing/fake-clock.ts';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { type FixtureServer, serve } from '../../src/entries/testing/serve.ts';
import { chainOf, listed, pathOf } from './chain.ts';
import { usualAnd } from '../support/deep.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { killAll, startJob, until } from './job-process.ts';

const made = linkedSite({ pages: 24, links: 2, seed: 5 });
let stores: ChildStores;

beforeAll(async () => {
  stores = await childStores();
});
afterEach(killAll);
afterAll(() => stores.close());

/** The site; pages after the first eight wait until it is let go. */
async function heldSite(): Promise<{ server: FixtureServer; letGo: () => void }> {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  let pages = 0;
  const server = await serve(made.site, {
    behaviours: {
      '*': async ({ url, page, send }) => {
        if (url.startsWith('/page') && (pages += 1) > 8) await gate;
        send(await page());
      },
    },
  });
  onTestFinished(async () => {
    letGo();
    await server[Symbol.asyncDispose]();
  });
  return { server, letGo };
}

function clientOf(storage: Store): { client: Client; warnings: string[] } {
  const warnings: string[] = [];
  const client = createClient({
    storage,
    network: { allow: ['127.0.0.1'] },
    logger: { warn: (_, text) => void warnings.push(text) },
  });
  onTestFinished(async () => {
    await client.close();
    await storage.dispose?.();
  });
  return { client, warnings };
}

type FoundJob = ReturnType<Client['crawl']> & AsyncIterable<PlainDocument>;

/** What `client.jobs.get()` finds is typed as an extraction, too. */
function jobOf(client: Client, id: string | undefined): FoundJob {
  const job = client.jobs.get(id ?? '');
  if (!('explain' in job)) throw new TypeError('It is an extraction.');
  return job;
}

async function readAll(job: AsyncIterable<PlainDocument>): Promise<PlainDocument[]> {
  const pages: PlainDocument[] = [];
  for await (const page of job) pages.push(page);
  return pages;
}

/** As a child of startJob() has it. */
function digestOf(documents: readonly PlainDocument[]): string {
  const plain = documents.map(({ metadata: { scrapeId: _, ...metadata }, ...rest }) => ({
    ...rest,
    metadata,
  }));
  const text = JSON.stringify(plain).replaceAll(/127\.0\.0\.1:\d+/g, 'site');
  return createHash('sha256').update(text).digest('hex');
}

async function contentOf(store: Store): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const key of await listed(store, '')) {
    content[key] = Buffer.from((await store.get(key)) ?? []).toString('base64');
  }
  return content;
}

test.each(usualAnd(1, ['files', 'SQLite', 'Redis'] as const))(
  'a job on %s is read while another process runs it, and after its end, with the same documents',
  async (name) => {
    const { server, letGo } = await heldSite();
    const store = stores[name]('read');
    const crawl = `client.crawl('${server.url('/')}', { maxConcurrency: 3 })`;
    const runner = startJob({ store, job: crawl });
    await until(() => runner.said('page').length > 4, runner);
    const [id] = runner.said('job');
    const reader = name === 'files' && startJob({ store, job: `client.jobs.get('${id}')` });
    const { client } = clientOf(store.open());
    // Another process runs it, so that it cannot be resumed; it can still be read.
    await expect(client.jobs.resume(id ?? '')).rejects.toMatchObject({ code: 'STORAGE' });
    const job = jobOf(client, id);
    expect(jobOf(client, id)).toBe(job);
    if (reader) await until(() => reader.said('page').length >= runner.said('page').length, reader);
    // Pending pages are known from the numbers that the runner stores.
    await expect.poll(async () => (await job.status()).pending, { timeout: 10_000 }).not.toBe(0);
    const { data, next, ...status } = await job.status();
    expect(data.map(pathOf)).toEqual(runner.said('page'));
    expect(status).toMatchObject({ id, status: 'scraping', completed: data.length });
    expect(status.discovered).toBe(status.completed + status.pending);
    expect(status.warning).toBeUndefined();
    expect(next).toBe(data.length);

    letGo();
    const documents = await readAll(job);
    await runner.ended;
    if (reader) {
      await reader.ended;
      expect(reader.end).toEqual(runner.end);
      expect(reader.said('page')).toEqual(runner.said('page'));
      expect(reader.said('request')).toEqual([]);
    }
    const { data: whole, errors, ...progress } = await job;
    expect(runner.end).toEqual({ urls: runner.said('page'), digest: digestOf(whole), progress });
    expect(progress).toMatchObject({ status: 'completed', completed: 24 });
    expect(errors).toEqual([]);
    expect(documents.map(pathOf)).toEqual(runner.said('page'));
    expect(whole).toEqual(documents);
    const later = jobOf(client, id);
    expect(await readAll(later)).toEqual(documents);
    expect(await later).toEqual(await job);
    expect(later.explain(server.url('/'))).toMatchObject({ state: 'completed' });
  },
);

test('a reader of a job whose process is killed is told so, writes nothing, and reads on when the job is resumed', async () => {
  const { server, letGo } = await heldSite();
  const store = stores.files('killed');
  const crawl = `client.crawl('${server.url('/')}', { maxConcurrency: 3 })`;
  const runner = startJob({ store, job: crawl });
  await until(() => runner.said('page').length > 4, runner);
  const [id = ''] = runner.said('job');
  const { client, warnings } = clientOf(store.open());
  const job = jobOf(client, id);
  const reading = readAll(job);
  await runner.kill();
  const before = await contentOf(store.open());

  const warning = `No process runs job ${id}: client.jobs.resume(id) continues it.`;
  await expect.poll(async () => (await job.status()).warning).toBe(warning);
  expect(warnings).toEqual([warning]);
  expect((await job.status()).status).toBe('scraping');
  expect(await contentOf(store.open())).toEqual(before);

  letGo();
  const resumed = await clientOf(store.open()).client.jobs.resume(id);
  expect(resumed).toMatchObject({ status: 'completed', completed: 24, errors: [] });
  expect(await reading).toEqual(resumed.data);
  expect(await job).toEqual(resumed);
});

test('a reader that leaves its loop does not end the job; one that cancels it does', async () => {
  const { server } = await heldSite();
  const store = stores.SQLite('cancelled');
  const run = clientOf(store.open()).client.crawl(server.url('/'), { maxConcurrency: 3 });
  await until(() => run.progress.completed > 4);
  const job = jobOf(clientOf(store.open()).client, run.id);
  for await (const page of job) {
    expect(pathOf(page)).toBe('/');
    break;
  }
  expect((await job.status()).status).toBe('scraping');
  const ends: string[] = [];
  job.on('cancelled', ({ id }) => ends.push(id));

  job.cancel();
  const cancelled = await job;
  expect(cancelled).toMatchObject({ status: 'cancelled', success: false });
  expect(cancelled.data.length).toBeGreaterThan(4);
  expect(await run).toEqual(cancelled);
  expect(ends).toEqual([job.id]);
  await expect(job.drop()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('a job that no process runs is cancelled when it is resumed', async () => {
  const { server } = await heldSite();
  const store = stores.files('left');
  const runner = clientOf(store.open()).client;
  const run = runner.crawl(server.url('/'));
  await until(() => run.progress.completed > 4);
  await runner.close();
  const { id } = run;
  const reader = clientOf(store.open());
  jobOf(reader.client, id).cancel();
  // The wish is stored, though the client is closed at once.
  await reader.client.close();
  const { client } = clientOf(store.open());
  const job = await client.jobs.resume(id);
  expect(job.status).toBe('cancelled');
});

test('the end of a job is that of its readers, errors included', async () => {
  const storage = memoryStore();
  const runner = clientOf(storage).client;
  const stop = new AbortController();
  const { server } = await heldSite();
  const run = runner.crawl(server.url('/'), { signal: stop.signal });
  await run[Symbol.asyncIterator]().next();
  const job = jobOf(clientOf(storage).client, run.id);
  const reading = readAll(job);
  stop.abort();
  await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
  const error = { code: 'CANCELLED', message: `Job ${run.id} was cancelled.` };
  await expect(reading).rejects.toMatchObject(error);
  await expect(job).rejects.toMatchObject(error);
  expect(job.progress.status).toBe('cancelled');
});

test('a client that is closed ends its readers, not the job', async () => {
  const storage = memoryStore();
  const { server, letGo } = await heldSite();
  const runner = clientOf(storage).client;
  const run = runner.crawl(server.url('/'));
  await run[Symbol.asyncIterator]().next();
  const { client } = clientOf(storage);
  const job = jobOf(client, run.id);
  const reading = readAll(job);
  await expect.poll(async () => (await job.status()).completed).toBeGreaterThan(4);
  await client.close();
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(job).rejects.toMatchObject({
    message: `The client was closed while it read job ${run.id}, which continues where it runs.`,
  });
  letGo();
  expect(await run).toMatchObject({ status: 'completed', completed: 24 });
});

test('what is not in the storage is JOB_NOT_FOUND, and JOB_EXPIRED after its time', async () => {
  const clock = fakeClock();
  const storage = memoryStore(() => clock.now());
  const { client } = clientOf(storage);
  const unknown = jobOf(client, 'nonsense');
  await expect(unknown).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  await expect(unknown.status()).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  await expect(readAll(jobOf(client, 'nonsense'))).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });

  const engines = [chainOf(3)().web];
  await using runner = createClient({ storage, engines, clock, jobRetention: 60_000 });
  const { id, expiresAt } = await runner.crawl('http://site.test/');
  await using reader = createClient({ storage, clock });
  expect(await jobOf(reader, id)).toMatchObject({ status: 'completed', completed: 3, expiresAt });
  clock.advance(60_001);
  const expired = { code: 'JOB_EXPIRED' };
  await expect(jobOf(reader, id)).rejects.toMatchObject(expired);
  await expect(jobOf(reader, id).status()).rejects.toMatchObject(expired);
  // A reader drops nothing.
  expect(await listed(storage, `jobs/${id}/`)).not.toEqual([]);
});
