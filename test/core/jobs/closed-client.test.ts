/** Jobs whose client is closed before they have ended: what is there does not pass for all of it. */
import { createClient, memoryStore } from 'pagewright';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { unhandledRejections } from '../../support/unhandled-rejections.ts';

const start = 'http://site.test/';
const paths = Array.from({ length: 12 }, (_, index) => `/${index}`);
const crawl = { sitemap: 'skip', maxConcurrency: 1 } as const;

const clientOf = (storage?: ReturnType<typeof memoryStore>): ReturnType<typeof createClient> => {
  const web = memoryWeb((url) => pageOf(url, url === start ? paths : []));
  const client = createClient({ engines: [web], browser: false, ...(storage && { storage }) });
  onTestFinished(() => client.close());
  return client;
};

const closed = (advice: RegExp): object => ({
  code: 'CANCELLED',
  message: expect.stringMatching(advice) as string,
});

async function collect(pages: AsyncIterable<unknown>): Promise<{ seen: number; error: unknown }> {
  let seen = 0;
  try {
    for await (const _ of pages) seen += 1;
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

describe.each([
  ['without a storage', undefined, /The client was closed before job \S+ had ended\.$/],
  ['of a storage', memoryStore, /had ended\. client\.jobs\.resume\(\) .* continues it\.$/],
] as const)('close() during a job %s', (_, store, advice) => {
  it('rejects its loops and whoever awaits it', async () => {
    const unhandled = unhandledRejections(onTestFinished);
    const client = clientOf(store?.());
    const urls = paths.map((path) => new URL(path, start).href);
    const jobs = [client.crawl(start, crawl), client.batchScrape(urls, { maxConcurrency: 1 })];
    for (const job of jobs) job.on('page', () => void client.close());
    const loops = jobs.map((job) => collect(job));
    for (const [index, job] of jobs.entries()) {
      const { error } = (await loops[index]) ?? {};
      expect(error).toMatchObject(closed(advice));
      await expect(job).rejects.toBe(error);
      // A loop that begins later gets the same documents, and the error.
      expect(await collect(job)).toEqual({ seen: job.progress.completed, error });
      expect(job.progress).toMatchObject({ status: 'cancelled', success: false });
      const { data } = await job.status();
      expect(data).toHaveLength(job.progress.completed);
    }
    expect(await unhandled()).toEqual([]);
  });
});

it('close() rejects an extraction, and a job that it only reads', async () => {
  const storage = memoryStore();
  const client = clientOf(storage);
  const reading = clientOf(storage);
  const extraction = client.extract({ urls: [start], schema: {} });
  const job = client.crawl(start, { ...crawl, delay: 1 });
  await job.status();
  const followed = reading.jobs.follow(job.id);
  const loop = collect(followed);
  await followed.status();
  await reading.close();
  expect((await loop).error).toMatchObject(closed(/closed while it read job/));
  await expect(followed).rejects.toMatchObject({ code: 'CANCELLED' });
  await client.close();
  await expect(extraction).rejects.toMatchObject({ code: 'CANCELLED' });
});

it('close() rejects a job of the storage that was about to be resumed', async () => {
  const storage = memoryStore();
  const first = clientOf(storage);
  const job = first.crawl(start, crawl);
  job.on('page', () => first.close());
  await expect(job).rejects.toMatchObject({ code: 'CANCELLED' });
  const second = clientOf(storage);
  const resumed = second.jobs.resume(job.id);
  const loop = collect(resumed);
  await second.close();
  expect((await loop).error).toMatchObject({ code: 'CANCELLED' });
  await expect(resumed).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await clientOf(storage).jobs.resume(job.id)).toMatchObject({
    completed: paths.length + 1,
  });
});

it('cancel() keeps its documents, and close() after it or after the end changes nothing', async () => {
  const client = clientOf();
  const cancelled = client.crawl(start, crawl);
  cancelled.on('page', () => {
    cancelled.cancel();
    void client.close();
  });
  expect((await collect(cancelled)).error).toBeUndefined();
  expect(await cancelled).toMatchObject({ status: 'cancelled' });
  const other = clientOf();
  const whole = other.crawl(start, crawl);
  await whole;
  await other.close();
  expect(await collect(whole)).toEqual({ seen: paths.length + 1, error: undefined });
});
