/** The event `progress` of all jobs, and their `catch` and `finally`. */
import { createClient, type CrawlJob, type ExtractJob, memoryStore } from 'pagewright';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { unhandledRejections } from '../../support/unhandled-rejections.ts';

const start = 'http://site.test/';
const urls = Array.from({ length: 40 }, (_, index) => `${start}${index}`);
const failing = `${start}7`;

const clientOf = (storage = memoryStore()): ReturnType<typeof createClient> => {
  const web = memoryWeb((url) => {
    if (url === failing) return { status: 500, body: 'down' };
    const links = url === start ? urls : [];
    return url.startsWith(start) ? pageOf(url, links) : undefined;
  });
  const client = createClient({ engines: [web], storage, browser: false });
  onTestFinished(() => client.close());
  return client;
};

interface Heard {
  readonly name: string;
  readonly payload: object;
}

function listen(job: CrawlJob<object>): Heard[] {
  const heard: Heard[] = [];
  for (const name of [
    'started',
    'page',
    'pageFailed',
    'progress',
    'cancelled',
    'completed',
    'failed',
  ] as const) {
    job.on(name, (payload: object) => heard.push({ name, payload }));
  }
  return heard;
}

const names = (heard: readonly Heard[]): string[] => heard.map(({ name }) => name);
const progressOf = (heard: readonly Heard[]): object[] =>
  heard.filter(({ name }) => name === 'progress').map(({ payload }) => payload);

const options = { sitemap: 'skip', scrapeOptions: { retries: 0 } } as const;

describe('progress', () => {
  test('is told after a page, seldom, and with the final numbers right before the end', async () => {
    const job = clientOf().crawl(start, options);
    const heard = listen(job);
    await job;
    const order = names(heard);
    expect(order[0]).toBe('started');
    expect(order.slice(1, 3)).toEqual(['page', 'progress']);
    expect(order.slice(-2)).toEqual(['progress', 'completed']);
    const told = progressOf(heard);
    expect(told[0]).toMatchObject({ id: job.id, status: 'scraping', completed: 1, done: 1 });
    expect(told.at(-1)).toEqual({ ...job.progress, done: 41 });
    expect(told.at(-1)).toMatchObject({ total: 41, completed: 40, failed: 1, status: 'completed' });
    // 41 pages in memory take far less than 41 times 100 ms.
    expect(told.length).toBeLessThan(20);
    const done = (told as { done: number }[]).map((numbers) => numbers.done);
    expect(done).toEqual([...done].sort((one, other) => one - other));
  });

  test('has a total within the limit, here and in other processes', async () => {
    const storage = memoryStore();
    const client = clientOf(storage);
    const job = client.crawl(start, { ...options, limit: 10, maxConcurrency: 1 });
    const heard = listen(job);
    const totals: number[] = [];
    for await (const _ of job) {
      totals.push(job.progress.total, (await job.status()).total);
      if (totals.length === 8)
        totals.push((await clientOf(storage).jobs.follow(job.id).status()).total);
    }
    const told = progressOf(heard) as { total: number; failed: number; done: number }[];
    const most = job.progress.failed + 10;
    for (const total of [...totals, ...told.map((one) => one.total)]) {
      expect(total).toBeLessThanOrEqual(most);
    }
    for (const one of told) expect(one.done).toBeLessThanOrEqual(one.total);
    expect(job.progress).toMatchObject({ total: most, completed: 10, skipped: 30 });
    const cancelled = client.crawl(start, { ...options, limit: 10, maxConcurrency: 1 });
    cancelled.on('page', () => {
      if (cancelled.progress.completed > 2) cancelled.cancel();
    });
    const { pending, total, completed } = await cancelled;
    expect({ isMore: pending > 10, total }).toEqual({ isMore: true, total: 10 });
    const again = await clientOf(storage).jobs.resume(cancelled.id);
    expect(again).toMatchObject({ total: 10, completed, pending });
  });

  test('of a batch, and of one that goes on', async () => {
    const storage = memoryStore();
    const client = clientOf(storage);
    const job = client.batchScrape([...urls, 'no url at all:'], { retries: 0 });
    const heard = listen(job);
    await job;
    expect(progressOf(heard).at(-1)).toMatchObject({ done: 40, total: 40, failed: 1 });
    const left = client.batchScrape(urls, { retries: 0, maxConcurrency: 1 });
    left.on('page', () => client.close());
    await left.catch(() => undefined);
    expect(left.progress.pending).toBeGreaterThan(0);
    const resumed = clientOf(storage).jobs.resume(left.id);
    const again = listen(resumed);
    await resumed;
    expect(names(again).slice(-2)).toEqual(['progress', 'completed']);
    expect(progressOf(again).at(-1)).toEqual({ ...resumed.progress, done: 40 });
  });

  test('ends with a job that is cancelled or fails', async () => {
    const client = clientOf();
    const cancelled = client.crawl(start, options);
    const heard = listen(cancelled);
    cancelled.on('page', () => cancelled.cancel());
    await cancelled;
    expect(names(heard).slice(-2)).toEqual(['progress', 'cancelled']);
    expect(progressOf(heard).at(-1)).toMatchObject({ status: 'cancelled' });
    const failed = client.crawl(failing, options);
    const heardOfFailed = listen(failed);
    await failed.catch(() => undefined);
    expect(names(heardOfFailed).slice(-2)).toEqual(['progress', 'failed']);
  });

  test('of an extraction counts its pages', async () => {
    const job = clientOf().extract({
      urls: urls.slice(0, 10),
      schema: { type: 'object', properties: { name: { type: 'string', 'x-selector': 'p' } } },
      scrapeOptions: { retries: 0 },
    });
    const heard: Heard[] = [];
    for (const name of ['started', 'progress', 'completed'] as const) {
      job.on(name, (payload: object) => heard.push({ name, payload }));
    }
    await job;
    expect(names(heard)[0]).toBe('started');
    expect(names(heard).slice(-2)).toEqual(['progress', 'completed']);
    expect(progressOf(heard)[0]).toMatchObject({ total: 10, done: 0, pending: 10 });
    expect(progressOf(heard).at(-1)).toMatchObject({
      id: job.id,
      status: 'completed',
      discovered: 10,
      total: 10,
      done: 10,
      completed: 9,
      failed: 1,
      pending: 0,
    });
  });

  test('is told no more once the listener is removed', async () => {
    const job = clientOf().crawl(start, options);
    let heard = 0;
    const remove = job.on('progress', () => (heard += 1));
    remove();
    await job;
    expect(heard).toBe(0);
  });
});

describe('a job is a promise', () => {
  const jobs: readonly (readonly [
    string,
    (url: string) => CrawlJob<object> | ExtractJob<unknown>,
  ])[] = [
    ['a crawl', (url) => clientOf().crawl(url, options)],
    [
      'an extraction',
      (url) => clientOf().extract({ urls: [url], schema: {}, scrapeOptions: { retries: 0 } }),
    ],
  ];

  test.each(jobs)('%s that fails', async (_, open) => {
    const unhandled = unhandledRejections(onTestFinished);
    const calls: string[] = [];
    const job: Promise<unknown> = open(failing);
    const code = await job
      .finally(() => void calls.push('finally'))
      .catch((error: { readonly code?: string }) => error.code);
    expect(code).toBe('HTTP_STATUS');
    expect(await job.catch(() => 'caught')).toBe('caught');
    expect(calls).toEqual(['finally']);
    expect(await unhandled()).toEqual([]);
  });

  test('a crawl that ends well gives its result through both', async () => {
    const job = clientOf().crawl(`${start}1`, options);
    let calls = 0;
    const result = await job.catch(() => undefined).finally(() => (calls += 1));
    expect(result?.data).toHaveLength(1);
    expect((await job.finally()).status).toBe('completed');
    expect(calls).toBe(1);
    expect(Object.prototype.toString.call(job)).toBe('[object Job]');
  });
});
