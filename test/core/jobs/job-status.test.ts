import { createClient, type CrawlJob } from 'pagewright';
import { fakeClock } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb } from '../../support/memory-web.ts';

/** Each page has a megabyte of text that cannot be folded. */
const heavy = (count: number): ReturnType<typeof memoryWeb> =>
  memoryWeb((url) => {
    const n = Number(/\/(\d*)$/.exec(url)?.[1] ?? NaN);
    if (Number.isNaN(n) || n >= count) return undefined;
    return {
      type: 'text/plain',
      body: `page ${n} ${n + 1 < count ? `http://site.test/${n + 1}` : ''} ${'x'.repeat(1_000_000)}`,
    };
  });

describe('status()', () => {
  it('gives pages of at most 10 MB that join to all documents, with no next at the end', async () => {
    await using client = createClient({ engines: [heavy(25)] });
    const job: CrawlJob<{ rawHtml: string }> = client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: { formats: ['rawHtml'] },
    });
    await job.settled();
    expect(job.progress.completed).toBe(25);
    const pages: string[][] = [];
    let skip: number | undefined = 0;
    while (skip !== undefined) {
      const { data, next, status }: Awaited<ReturnType<typeof job.status>> = await job.status({
        skip,
      });
      expect(status).toBe('completed');
      expect(data.length).toBeGreaterThan(0);
      expect(JSON.stringify(data).length).toBeLessThanOrEqual(10_000_000);
      pages.push(data.map(({ rawHtml }) => rawHtml.slice(0, 8)));
      if (next !== undefined) expect(next).toBe(skip + data.length);
      skip = next;
    }
    expect(pages.length).toBe(3);
    expect(pages.flat()).toEqual((await job).data.map(({ rawHtml }) => rawHtml.slice(0, 8)));
    expect(await job.status({ skip: 25 })).toMatchObject({ data: [] });
    expect((await job.status({ skip: 25 })).next).toBeUndefined();
    expect((await job.status({ skip: 999 })).data).toEqual([]);
  });

  it('has a next while the job runs, so that a poller has every document once when next is absent', async () => {
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (release = resolve));
    const web = memoryWeb((url) =>
      /\/\d?$/.test(url) ? { type: 'text/plain', body: `${url} http://site.test/1` } : undefined,
    );
    await using client = createClient({
      engines: [web],
      hooks: { onDocument: ({ url }) => (url.endsWith('/1') ? isHeld : undefined) },
    });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    await expect.poll(() => job.progress.completed).toBe(1);
    const first = await job.status();
    expect(first).toMatchObject({ status: 'scraping', next: 1, data: [{}] });
    expect(await job.status({ skip: 1 })).toMatchObject({ next: 1, data: [] });
    release();
    await job.settled();
    const last = await job.status({ skip: 1 });
    expect(last).toMatchObject({ status: 'completed', data: [{}] });
    expect(last).not.toHaveProperty('next');
  });

  it('gives a document above 10 MB all the same, alone', async () => {
    const web = memoryWeb((url) =>
      url.endsWith('/') || url.endsWith('/b')
        ? { type: 'text/plain', body: `http://site.test/b ${url} ${'y'.repeat(11_000_000)}` }
        : undefined,
    );
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: { formats: ['rawHtml'] },
    });
    await job.settled();
    expect(await job.status()).toMatchObject({ next: 1, completed: 2 });
    const last = await job.status({ skip: 1 });
    expect(last.data).toHaveLength(1);
    expect(last.next).toBeUndefined();
  });

  it.each([-1, 1.5, NaN])('refuses skip: %d', async (skip) => {
    await using client = createClient({ engines: [heavy(1)] });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    await expect(job.status({ skip })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await job;
  });
});

describe('jobRetention', () => {
  it('says when the results of a job are dropped, and expiresAt tells', async () => {
    const clock = fakeClock();
    await using client = createClient({ engines: [heavy(1)], clock, jobRetention: 60_000 });
    const job = client.crawl('http://site.test/', { sitemap: 'skip' });
    const batch = client.batchScrape(['http://site.test/']);
    // While they run, as if they ended now.
    const expected = new Date(clock.now() + 60_000).toISOString();
    expect(job.progress).toMatchObject({ status: 'scraping', expiresAt: expected });
    expect(await batch.status()).toMatchObject({ expiresAt: expected });
    const { completedAt = '', expiresAt } = await job;
    await batch;
    expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(60_000);
    clock.advance(59_000);
    expect((await client.jobs.list()).map(({ id }) => id)).toEqual([job.id, batch.id]);
    clock.advance(2_000);
    expect(await client.jobs.list()).toEqual([]);
    expect(() => client.jobs.get(batch.id)).toThrow(
      expect.objectContaining({ code: 'JOB_EXPIRED' }) as Error,
    );
    const reader = job[Symbol.asyncIterator]();
    await expect(reader.next()).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
  });

  it.each([0, 999, 1.5, '1 hour'])('refuses %o', (jobRetention) => {
    expect(() => createClient({ jobRetention } as never)).toThrow(/jobRetention/);
  });
});
