import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClient,
  type CrawlOptions,
  defineFormat,
  memoryStore,
  type RequestQueueStorage,
  type Store,
} from 'pagewright';
import { drip, hang, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { endOf } from '../../../src/core/jobs/end-of-work.ts';
import { memoryRequestQueue } from '../../../src/core/storage/request-queue-storage.ts';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { receiver } from './webhooks/receiver.ts';
import { rareTest } from '../../support/deep.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const web = (): ReturnType<typeof memoryWeb> =>
  memoryWeb({ 'http://site.test/': pageOf('start', ['/a']), 'http://site.test/a': pageOf('a') });
const options: CrawlOptions = { sitemap: 'skip' };

describe('a job ends', () => {
  it('although pages hang or drip: each ends at its timeout', async () => {
    await using server = await serve(
      { '/': pageOf('start', ['/silent', '/drips', '/a']), '/silent': '', '/drips': pageOf('x'.repeat(9000)), '/a': pageOf('a') },
      { behaviours: { '/silent': hang(), '/drips': drip({ bytesPerSecond: 10 }) } },
    ); // prettier-ignore
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const job = client.crawl(server.origin, {
      ...options,
      scrapeOptions: { timeout: 1000, retries: 0 },
    });
    const result = await job;
    expect(result).toMatchObject({ status: 'completed', completed: 2, failed: 2, pending: 0 });
    expect(job.errors().map(({ code }) => code)).toEqual(['TIMEOUT', 'TIMEOUT']);
  });

  it('although formats, hooks and listeners never settle', async () => {
    const stuck = defineFormat({ name: 'stuck', needs: 'content', run: never });
    await using client = createClient({ engines: [web()] });
    const byFormat = client.crawl('http://site.test/a', {
      ...options,
      scrapeOptions: { formats: [stuck], timeout: 1000 },
    });
    byFormat.on('pageFailed', never);
    await expect(byFormat).rejects.toMatchObject({ code: 'TIMEOUT' });
    for (const name of ['beforeRequest', 'afterResponse', 'beforeFormats', 'onDocument'] as const) {
      const job = client.crawl('http://site.test/a', {
        ...options,
        hooks: { [name]: never },
        scrapeOptions: { timeout: 1000, retries: 0 },
      });
      await expect(job).rejects.toMatchObject({ code: 'TIMEOUT' });
    }
  });

  rareTest('as cancelled although the store never answers', async () => {
    const storage: Store = { ...memoryStore(), set: never };
    await using client = createClient({ engines: [web()], storage });
    const job = client.crawl('http://site.test/', options);
    const reader = job[Symbol.asyncIterator]();
    const next = reader.next();
    await sleep(300);
    job.cancel();
    await job.settled();
    expect(job.progress).toMatchObject({ status: 'cancelled', completed: 0 });
    expect((await next).done).toBe(true);
  });

  it('as cancelled although the request queue never answers, which the logger hears of', async () => {
    const warnings: string[] = [];
    const requestQueue = (): RequestQueueStorage => ({
      ...memoryRequestQueue(),
      fetchNextRequest: never,
    });
    const client = createClient({
      engines: [web()],
      requestQueue,
      logger: { warn: (_, text) => warnings.push(text) },
    });
    const job = client.crawl('http://site.test/', options);
    await sleep(300);
    await client.close();
    expect(job.progress.status).toBe('cancelled');
    expect(warnings.join()).toContain(job.id);
  });

  it.each(['cancelled', 'left'])(
    'as %s in its storage although its queue never answers',
    async (how) => {
      // The receiver is down until the job is resumed.
      let isDown = how === 'left';
      await using hook = await receiver([
        ({ response }) => void response.writeHead(isDown ? 500 : 200).end(),
      ]);
      const storage = memoryStore();
      const network = { allow: ['127.0.0.1'] };
      let isAsked = false;
      const fetchNextRequest = (): Promise<never> => ((isAsked = true), never());
      const requestQueue = (): RequestQueueStorage => ({
        ...memoryRequestQueue(),
        fetchNextRequest,
      });
      const logger = { warn: () => undefined };
      await using first = createClient({
        engines: [web()],
        storage,
        requestQueue,
        network,
        logger,
      });
      const job = first.crawl('http://site.test/', { ...options, webhook: hook.url });
      const reader = job[Symbol.asyncIterator]();
      void reader.next();
      await expect.poll(() => isAsked, { timeout: 10_000 }).toBe(true);
      if (how === 'left') void reader.return();
      else job.cancel();
      await job.settled();
      expect(job.progress.status).toBe('cancelled');
      await job.delivered();
      isDown = false;
      const heard = hook.bodies().length;
      await using second = createClient({ engines: [web()], storage, network });
      const resumed = second.jobs.resume(job.id, { webhook: hook.url });
      expect((await resumed).status).toBe(how === 'left' ? 'completed' : 'cancelled');
      await resumed.delivered();
      if (how === 'cancelled') return;
      expect(
        hook
          .bodies()
          .slice(heard)
          .map(({ type }) => type),
      ).toEqual(['crawl.started', 'crawl.page', 'crawl.page', 'crawl.completed']);
    },
  );
});

describe('endOf', () => {
  it('settles as the work does, and leaves no timer', async () => {
    const { signal } = new AbortController();
    await endOf(Promise.resolve(), signal, () => expect.fail('was given up'));
    const failing = endOf(Promise.reject(new Error('mine')), signal, () => undefined);
    await expect(failing).rejects.toThrow('mine');
    const abort = new AbortController();
    const soon = endOf(sleep(50), abort.signal, () => expect.fail('was given up'));
    abort.abort();
    await soon;
  });
});
