/** Jobs that outlive their client: what resuming gives, and what it refuses. */
import { createClient, memoryStore, type Store } from 'pagewright';
import { describe, expect, it } from 'vitest';
import type { MemoryWeb } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';
import { bareDocument, chainOf, listed } from './chain.ts';

const chain = (count: number): MemoryWeb => chainOf(count)().web;
const options = { sitemap: 'skip' } as const;

/** A crawl that its client left after three. */
async function leftBehind(storage: Store, given: object = {}): Promise<string> {
  const client = createClient({ cache: false, engines: [chain(12)], storage });
  const job = client.crawl('http://site.test/', { ...options, maxConcurrency: 1, ...given });
  let seen = 0;
  for await (const _ of job) if ((seen += 1) === 3) break;
  await client.close();
  return job.id;
}

describe('a job whose client was closed', () => {
  rareTest('keeps the pages of each strategy and of removed blocks as they are', async () => {
    for (const given of [
      { strategy: { type: 'bestFirst', query: 'page 7' } },
      { strategy: 'depthFirst' },
      { removeRepeatedBlocks: true },
      { deduplicateContent: 'near' },
    ]) {
      const storage = memoryStore();
      const id = await leftBehind(storage, given);
      await using client = createClient({ cache: false, engines: [chain(12)], storage });
      const resumed = await client.jobs.resume(id);
      const plain = await client.crawl('http://site.test/', {
        ...options,
        ...given,
        maxConcurrency: 1,
      } as never);
      expect(resumed.data.map(bareDocument)).toEqual(plain.data.map(bareDocument));
    }
  });
});

describe('resume() refuses', () => {
  it('options for a job that runs in this client', async () => {
    const storage = memoryStore();
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const job = client.crawl('http://site.test/', options);
    for (const [given, names] of [
      [{ maxConcurrency: 2, hooks: {} }, ['maxConcurrency', 'hooks']],
      [{ retryFailed: true, fromStart: true }, ['retryFailed', 'fromStart']],
      [{ signal: new AbortController().signal, limit: 3 }, ['signal', 'limit']],
    ] as const) {
      const refused = (): unknown => client.jobs.resume(job.id, given);
      expect(refused).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }) as Error);
      for (const name of names)
        expect(refused).toThrow(`${name}: job ${job.id} is running in this client`);
    }
    expect(client.jobs.resume(job.id, { retryFailed: false, delay: undefined })).toBe(job);
    await job;
    expect(await client.jobs.resume(job.id, { maxConcurrency: 2 })).toMatchObject({
      completed: 12,
    });
  });

  it('options that differ, and names what has to be given again', async () => {
    const storage = memoryStore();
    const id = await leftBehind(storage, {
      excludePaths: [/secret/i, ({ pathname }: URL) => pathname === '/x'],
      scrapeOptions: { headers: { Authorization: 'Bearer hidden' } },
      hooks: { onSkipped: () => undefined },
    });
    for await (const key of storage.list('')) {
      expect(Buffer.from((await storage.get(key)) ?? []).toString('latin1')).not.toContain(
        'hidden',
      );
    }
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const refused = async (given: object): Promise<string> => {
      const error: unknown = await client.jobs.resume(id, given).then(
        () => expect.fail('it was resumed'),
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'BAD_REQUEST' });
      return (error as Error).message;
    };
    const missing = await refused({});
    for (const name of ['excludePaths', 'scrapeOptions', 'hooks'])
      expect(missing).toContain(`${name}:`);
    expect(missing).not.toContain('hidden');
    expect(await refused({ limit: 5, sitemap: 'include' })).toMatch(
      /limit: differs.*sitemap: differs/,
    );
    const given = {
      excludePaths: [/secret/i, ({ pathname }: URL) => pathname === '/x'],
      scrapeOptions: { headers: { Authorization: 'Bearer another' } },
      hooks: {},
      maxConcurrency: 4,
      delay: 0,
    };
    const others = await refused(given);
    expect(others).toMatch(/scrapeOptions: its secrets differ.*renewedCredentials: true/);
    expect(others).not.toMatch(/Bearer/);
    const renewed = { ...given, renewedCredentials: true };
    expect(await client.jobs.resume(id, renewed)).toMatchObject({
      status: 'completed',
      completed: 12,
    });
  });
});

describe('a store', () => {
  it('whose value is cut has the page fetched again, with a warning', async () => {
    const storage = memoryStore();
    const id = await leftBehind(storage);
    const [visit = ''] = await listed(storage, `jobs/${id}/visits/`);
    await storage.set(visit, ((await storage.get(visit)) ?? new Uint8Array()).slice(0, -5));
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const { completed, warning } = await client.jobs.resume(id, { fromStart: true });
    expect(completed).toBe(12);
    expect(warning).toMatch(/The visit of .* is damaged in the store/);
  });

  it('that is full fails the job with STORAGE, and the job goes on when there is room', async () => {
    const inner = memoryStore();
    let room = 20;
    const takeRoom = (key: string): void => {
      if (key.startsWith('jobs/') && (room -= 1) < 0)
        throw new Error('ENOSPC: no space left on device');
    };
    const storage: Store = {
      ...inner,
      set: async (key, value, given) => {
        takeRoom(key);
        await inner.set(key, value, given);
      },
      replace: async (key, ...given) => {
        if (!key.endsWith('/lease')) takeRoom(key);
        return (await inner.replace?.(key, ...given)) ?? false;
      },
    };
    const first = createClient({ cache: false, engines: [chain(12)], storage });
    const job = first.crawl('http://site.test/', options);
    await expect(job).rejects.toThrow('no space left');
    expect(job.progress.status).toBe('failed');
    await first.close();
    room = 1000;
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    expect(await client.jobs.resume(job.id)).toMatchObject({ status: 'completed', completed: 12 });
  });
});
