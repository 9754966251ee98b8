/** Jobs whose client is closed before they have ended: what is there does not pass for all of it. */
import { createClient, memoryStore } from 'pagewright';
import { expect, it, onTestFinished } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';

const start = 'http://site.test/';
const paths = Array.from({ length: 12 }, (_, index) => `/${index}`);
const crawl = { sitemap: 'skip', maxConcurrency: 1 } as const;

const clientOf = (storage?: ReturnType<typeof memoryStore>): ReturnType<typeof createClient> => {
  const web = memoryWeb((url) => pageOf(url, url === start ? paths : []));
  const client = createClient({ engines: [web], browser: false, ...(storage && { storage }) });
  onTestFinished(() => client.close());
  return client;
};

async function collect(pages: AsyncIterable<unknown>): Promise<{ seen: number; error: unknown }> {
  let seen = 0;
  try {
    for await (const _ of pages) seen += 1;
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

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
