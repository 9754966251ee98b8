/** Jobs that outlive their client: what resuming gives, and what it refuses. */
import { createClient, memoryStore, type PlainDocument, type Store } from 'pagewright';
import { fakeClock } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { type MemoryWeb, memoryWeb, pageOf } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';

/** Pages `/0` to `/<count - 1>`, each linking to the next two; counts what is fetched. */
function chain(count: number, onFetch: (url: string) => void = () => undefined, delay = 0) {
  return memoryWeb((url) => {
    const n = Number(/\/(\d*)$/.exec(url)?.[1] || '0');
    if (!/\/\d*$/.test(url) || n >= count) return undefined;
    onFetch(url);
    const next = [n + 1, n + 2].filter((one) => one < count);
    const links = next.map((one) => `/${one}`);
    return { body: pageOf(`page ${n}`, links), delay };
  });
}

const options = { sitemap: 'skip' } as const;
const urlOf = (page: { metadata: { url: string } }): string => page.metadata.url;

/** A crawl that its client left after three. */
async function leftBehind(
  storage: Store,
  given: object = {},
  count = 12,
): Promise<{ id: string; fetched: string[] }> {
  const fetched: string[] = [];
  const client = createClient({
    cache: false,
    engines: [chain(count, (url) => fetched.push(url))],
    storage,
  });
  const job = client.crawl('http://site.test/', { ...options, maxConcurrency: 1, ...given });
  const seen: string[] = [];
  for await (const page of job) {
    seen.push(urlOf(page));
    if (seen.length === 3) break;
  }
  await client.close();
  return { id: job.id, fetched };
}

describe('a job whose client was closed', () => {
  it('goes on where it was: pages that it has are not fetched again, and a loop goes on too', async () => {
    const storage = memoryStore();
    const { id, fetched } = await leftBehind(storage);
    const again: string[] = [];
    await using client = createClient({
      cache: false,
      engines: [chain(12, (url) => again.push(url))],
      storage,
    });
    expect(await client.jobs.list()).toMatchObject([
      { id, verb: 'crawl', url: 'http://site.test/', status: 'scraping', isRunning: false },
    ]);
    const job = client.jobs.resume(id);
    const seen: string[] = [];
    for await (const page of job) seen.push(urlOf(page));
    const { data, status, completed, createdAt } = await job;
    expect({ status, completed }).toEqual({ status: 'completed', completed: 12 });
    expect(new Set(data.map(urlOf)).size).toBe(12);
    // The one that was on its way.
    expect(fetched.filter((url) => again.includes(url)).length).toBeLessThanOrEqual(1);
    expect(seen.length).toBeLessThanOrEqual(10);
    expect(data.map(urlOf).slice(-seen.length)).toEqual(seen);
    expect(Date.parse(createdAt)).toBeLessThan(Date.now());
    expect(job.explain('http://site.test/5')).toMatchObject({ state: 'completed' });
  });

  it('gives all documents to a loop that wants them from the start', async () => {
    const storage = memoryStore();
    const { id } = await leftBehind(storage);
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const seen: string[] = [];
    for await (const page of client.jobs.resume(id, { fromStart: true })) seen.push(urlOf(page));
    expect(seen).toHaveLength(12);
  });

  it('tells nobody again what was told before', async () => {
    const storage = memoryStore();
    const documents: string[] = [];
    const hooks = { onDocument: ({ url }: { url: string }) => void documents.push(url) };
    const { id } = await leftBehind(storage, { hooks });
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const job = client.jobs.resume(id, { hooks });
    const events: string[] = [];
    job.on('started', () => events.push('started'));
    job.on('page', (page) => events.push(urlOf(page)));
    const { data } = await job;
    expect(data).toHaveLength(12);
    expect(documents).toHaveLength(12);
    expect(events).toEqual(data.map(urlOf).slice(-events.length));
    expect(events.length).toBeLessThan(12);
  });

  it('keeps the status of the answer that a page failed with', async () => {
    const storage = memoryStore();
    const refusing = (): MemoryWeb =>
      memoryWeb((url) => (url.endsWith('/1') ? { status: 403 } : pageOf(url, ['/1', '/2', '/3'])));
    const failed = {
      url: 'http://site.test/1',
      code: 'HTTP_STATUS',
      statusCode: 403,
      parent: 'http://site.test/',
    };
    const first = createClient({ cache: false, engines: [refusing()], storage });
    const job = first.crawl('http://site.test/', { ...options, maxConcurrency: 1 });
    for await (const page of job) if (urlOf(page).endsWith('/2')) break;
    await first.close();
    await using client = createClient({ cache: false, engines: [refusing()], storage });
    const resumed = client.jobs.resume(job.id);
    await resumed;
    expect(resumed.errors()).toMatchObject([failed]);
    expect(resumed.explain(failed.url)).toMatchObject({ state: 'failed', ...failed });
    await using later = createClient({ cache: false, engines: [refusing()], storage });
    const ended = later.jobs.resume(job.id);
    await ended;
    expect(ended.errors()).toMatchObject([failed]);
  });

  it('opens with its results once it has ended, without a request', async () => {
    const storage = memoryStore();
    const first = createClient({ cache: false, engines: [chain(4)], storage });
    const whole = await first.crawl('http://site.test/', options);
    await first.close();
    await using client = createClient({
      cache: false,
      engines: [chain(4, (url) => expect.fail(`${url} was fetched`))],
      storage,
    });
    const job = client.jobs.resume(whole.id);
    expect(await job).toEqual(whole);
    expect(job.explain('http://site.test/3')).toMatchObject({ state: 'completed' });
    expect(await job.status({ skip: 3 })).toMatchObject({ completed: 4, data: [whole.data[3]] });
  });

  rareTest('keeps the pages of each strategy and of removed blocks as they are', async () => {
    for (const given of [
      { strategy: { type: 'bestFirst', query: 'page 7' } },
      { removeRepeatedBlocks: true },
      { deduplicateContent: 'near' },
    ]) {
      const storage = memoryStore();
      const { id } = await leftBehind(storage, given);
      await using client = createClient({ cache: false, engines: [chain(12)], storage });
      const resumed = await client.jobs.resume(id);
      const plain = await client.crawl('http://site.test/', {
        ...options,
        ...given,
        maxConcurrency: 1,
      } as never);
      const bare = ({
        metadata: { scrapeId: _, ...metadata },
        ...rest
      }: PlainDocument): object => ({ ...rest, metadata });
      expect(resumed.data.map((one) => bare(one as never))).toEqual(
        plain.data.map((one) => bare(one as never)),
      );
    }
  });
});

describe('a cancelled job', () => {
  it('opens with what it had, and is not gone on with', async () => {
    const storage = memoryStore();
    const first = createClient({ cache: false, engines: [chain(50)], storage });
    const job = first.crawl('http://site.test/', { ...options, maxConcurrency: 1 });
    for await (const _ of job) {
      job.cancel();
    }
    const had = job.progress.completed;
    await first.close();
    await using client = createClient({ cache: false, engines: [chain(50)], storage });
    const opened = await client.jobs.resume(job.id);
    expect(opened).toMatchObject({ status: 'cancelled', completed: had });
    expect(opened.data).toHaveLength(had);
  });
});

describe('resume() refuses', () => {
  it('a job that is not there, is not stored, or is past its time', async () => {
    const clock = fakeClock();
    const storage = memoryStore(() => clock.now());
    await using client = createClient({
      cache: false,
      engines: [chain(3)],
      storage,
      clock,
      jobRetention: 1000,
    });
    const gone = { code: 'JOB_NOT_FOUND' };
    await expect(client.jobs.resume('nobody')).rejects.toMatchObject(gone);
    const { id } = await client.crawl('http://site.test/', {
      ...options,
      scrapeOptions: { zeroDataRetention: true },
    });
    await expect(client.jobs.resume(id)).rejects.toMatchObject(gone);
    for await (const key of storage.list('')) expect.fail(`${key} was stored`);
    const kept = await client.crawl('http://site.test/', options);
    clock.advance(1001);
    await expect(client.jobs.resume(kept.id)).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
    expect(await client.jobs.list()).toEqual([]);
    for await (const key of storage.list('jobs/')) expect.fail(`${key} is still there`);
    await expect(client.jobs.resume(kept.id)).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
    await expect(client.jobs.resume('nobody')[Symbol.asyncIterator]().next()).rejects.toMatchObject(
      gone,
    );
  });

  it('a removed job; one that a process runs is not removed', async () => {
    const storage = memoryStore();
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const job = client.crawl('http://site.test/', options);
    let isRefused = false;
    for await (const _ of job) {
      if (isRefused) continue;
      await expect(client.jobs.remove(job.id)).rejects.toMatchObject({ code: 'STORAGE' });
      isRefused = true;
    }
    const { completed, failed } = await job;
    expect(await client.jobs.list()).toMatchObject([{ id: job.id, counts: { completed, failed } }]);
    expect(await client.jobs.remove(job.id)).toBe(true);
    expect(await client.jobs.remove(job.id)).toBe(false);
    for await (const key of storage.list('job')) expect.fail(`${key} is still there`);
    await expect(client.jobs.resume(job.id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  });

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
    const { id } = await leftBehind(storage, {
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

  rareTest('a job that another client runs, and lets one of two go on', async () => {
    const storage = memoryStore();
    const { id } = await leftBehind(storage, {}, 60);
    const one = createClient({ cache: false, engines: [chain(60, undefined, 200)], storage });
    const other = createClient({ cache: false, engines: [chain(60, undefined, 200)], storage });
    const running = one.jobs.resume(id);
    const late = other.jobs.resume(id);
    const ends = await Promise.allSettled([running, late]);
    const failed = ends.filter(({ status }) => status === 'rejected');
    expect(failed).toMatchObject([
      {
        reason: { code: 'STORAGE', message: expect.stringMatching(/by process \d+ on /) as string },
      },
    ]);
    await Promise.all([one.close(), other.close()]);
  });
});

describe('a batch', () => {
  it('goes on with its list, and with what was added to it', async () => {
    const storage = memoryStore();
    const urls = [1, 2, 3, 4, 5].map((n) => `http://site.test/${n}`);
    const first = createClient({ cache: false, engines: [chain(12)], storage });
    const job = first.batchScrape([...urls, 'no url'], { maxConcurrency: 1 });
    job.add(['http://site.test/9', 'http://site.test/3']);
    for await (const _ of job) break;
    await first.close();
    await using client = createClient({ cache: false, engines: [chain(12)], storage });
    const resumed = client.jobs.resume(job.id);
    const { data, skipped } = await resumed;
    expect(data.map(urlOf)).toEqual([...urls, 'http://site.test/9']);
    expect(skipped).toBe(1);
    expect('invalidURLs' in resumed && resumed.invalidURLs).toEqual(['no url']);
  });
});

describe('a store', () => {
  it('whose value is cut has the page fetched again, with a warning', async () => {
    const storage = memoryStore();
    const { id } = await leftBehind(storage);
    const [visit = ''] = await keys(storage, `jobs/${id}/visits/`);
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

async function keys(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}
