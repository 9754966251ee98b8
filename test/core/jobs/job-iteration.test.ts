import { createClient, type CrawlJob } from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';

const chain = (length: number): ReturnType<typeof memoryWeb> =>
  memoryWeb((url) => {
    const n = Number(/\/(\d*)$/.exec(url)?.[1] ?? NaN);
    return Number.isNaN(n) || n >= length
      ? undefined
      : { body: pageOf(`page ${n}`, [`/${n + 1}`, `/${n + 2}`]), delay: n % 3 };
  });

/** A crawl whose first page is there and whose second one never answers. */
async function silentSite(): Promise<{ job: CrawlJob<{ markdown: string }> } & AsyncDisposable> {
  const server = await serve(
    { '/': pageOf('start', ['/silent']), '/silent': '' },
    { behaviours: { '/silent': hang() } },
  );
  const client = createClient({ network: { allow: ['127.0.0.1'] } });
  return {
    job: client.crawl(server.origin, { sitemap: 'skip' }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
    },
  };
}

describe('leaving a loop over a job', () => {
  it('ends at once while the site is silent, and cancels the job', async () => {
    await using site = await silentSite();
    const reader = site.job[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    const waiting = [reader.next(), reader.next()];
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await reader.return()).toEqual({ done: true, value: undefined });
    for (const next of waiting) expect(await next).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    await site.job.settled();
    expect(site.job.progress).toMatchObject({ status: 'cancelled', completed: 1 });
  });

  it('by break ends the job, while an error in the loop comes through', async () => {
    await using site = await silentSite();
    const failing = async (): Promise<void> => {
      for await (const _ of site.job) throw new Error('mine');
    };
    await expect(failing()).rejects.toThrow('mine');
    await site.job.settled();
    expect(site.job.progress.status).toBe('cancelled');
  });

  it('that never began does nothing', async () => {
    await using client = createClient({ engines: [chain(30)] });
    const job = client.crawl('http://site.test/', { limit: 30 });
    await job[Symbol.asyncIterator]().return();
    job[Symbol.asyncIterator]();
    await job.settled();
    expect(job.progress).toMatchObject({ status: 'completed', completed: 30 });
  });
});

describe('several loops over one job', () => {
  it('are answered in order when next() is called many times at once', async () => {
    await using client = createClient({ engines: [chain(12)] });
    const job = client.crawl('http://site.test/', { limit: 12 });
    const reader = job[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 15 }, () => reader.next()));
    const { data } = await job;
    expect(results.map(({ value }) => value?.metadata.url)).toEqual([
      ...data.map((page) => page.metadata.url),
      undefined,
      undefined,
      undefined,
    ]);
    expect(results.map(({ done = false }) => done).lastIndexOf(false)).toBe(11);
  });

  it('get what there was before the job failed', async () => {
    const abort = new AbortController();
    await using client = createClient({ engines: [chain(500)] });
    const job = client.crawl('http://site.test/', { limit: 500, signal: abort.signal });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const page of job) {
        seen.push(page.metadata.url);
        if (seen.length === 10) abort.abort();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(seen).toHaveLength(job.progress.completed);
    expect(seen.length).toBeGreaterThanOrEqual(10);
  });
});
