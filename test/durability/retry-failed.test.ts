/** Jobs whose failed pages are retried: in their place, within the limits, and nothing twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type CrawlOptions, fileStore, memoryStore, type Store } from 'pagewright';
import { afterAll, describe, expect, it } from 'vitest';
import { type MemoryWeb, memoryWeb, pageOf } from '../support/memory-web.ts';
import { pathOf } from './chain.ts';

const start = 'http://site.test/';
const folder = mkdtempSync(join(tmpdir(), 'retry-failed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A tree: `/` has three children, each of them two, and each of these one. */
const site: Readonly<Record<string, readonly string[]>> = {
  '/': ['/a', '/b', '/c'],
  '/a': ['/a1', '/a2', '/outside?x=1'],
  '/b': ['/b1', '/b2'],
  '/c': ['/c1', '/c2'],
  '/b1': ['/b1x'],
  '/c1': ['/c1x'],
};
const inner = ['/a1', '/a2', '/b2', '/c2', '/b1x', '/c1x'];

/** The site while some of its pages fail. */
function webOf(failing: readonly string[], how: 'answer' | 'reset' = 'answer'): MemoryWeb {
  return memoryWeb((url) => {
    const { pathname } = new URL(url);
    if (failing.includes(pathname)) return how === 'answer' ? { status: 503 } : { fails: true };
    const links = site[pathname];
    if (links === undefined && !inner.includes(pathname)) return undefined;
    return pageOf(`page ${pathname}`, [...(links ?? [])]);
  });
}

const options: CrawlOptions = {
  sitemap: 'skip',
  excludePaths: ['^/outside'],
  scrapeOptions: { retries: 0 },
};

const clientOf = (storage: Store, web: MemoryWeb, given: object = {}) =>
  createClient({ cache: false, engines: [web], storage, ...given });

const pathsOf = (log: readonly string[]): string[] => log.map((url) => new URL(url).pathname);

const closes = ({ discovered, completed, failed, skipped, pending }: Record<string, unknown>) =>
  discovered === Number(completed) + Number(failed) + Number(skipped) + Number(pending);

async function pathsRead(job: AsyncIterable<{ metadata: { url: string } }>): Promise<string[]> {
  const paths: string[] = [];
  for await (const page of job) paths.push(pathOf(page));
  return paths;
}

describe('a crawl', () => {
  it('that was interrupted goes on first, and a page that fails again has failed again', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/a', '/b'], 'reset'));
    const job = first.crawl(start, { ...options, maxConcurrency: 1 });
    for await (const page of job) if (pathOf(page) === '/c') break;
    await first.close();
    const web = webOf(['/b']);
    await using client = clientOf(storage, web);
    const retried = client.jobs.resume(job.id, { retryFailed: true });
    const result = await retried;
    expect(result.data.map(pathOf)).toEqual(['/', '/a', '/c', '/a1', '/a2', '/c1', '/c2', '/c1x']);
    expect(result).toMatchObject({ completed: 8, failed: 1, pending: 0 });
    expect(closes({ ...result })).toBe(true);
    expect(retried.errors()).toMatchObject([{ url: `${start}b`, statusCode: 503 }]);
    expect(pathsOf(web.log).filter((path) => path === '/b')).toHaveLength(1);
    // And once more, when it has ended.
    const again = clientOf(storage, webOf([]));
    const whole = await again.jobs.resume(job.id, { retryFailed: true });
    expect(whole).toMatchObject({ completed: 12, failed: 0 });
    expect(whole.data.map(pathOf).slice(0, 4)).toEqual(['/', '/a', '/b', '/c']);
    await again.close();
  });

  it('that is left while it retries goes on with that', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/a', '/b', '/c']));
    const job = first.crawl(start, { ...options, maxConcurrency: 1 });
    expect(await job).toMatchObject({ completed: 1, failed: 3 });
    await first.close();
    const second = clientOf(storage, webOf(['/c']), {});
    const seen: string[] = [];
    for await (const page of second.jobs.resume(job.id, { retryFailed: true, maxConcurrency: 1 })) {
      if (seen.push(pathOf(page)) === 3) break;
    }
    await second.close();
    expect(seen).toEqual(['/a', '/b', '/a1']);
    const web = webOf([]);
    await using third = clientOf(storage, web);
    // The one in hand is given again.
    const rest = third.jobs.resume(job.id, { maxConcurrency: 1 });
    expect(await pathsRead(rest)).toEqual(['/a1', '/a2', '/b1', '/b2', '/b1x']);
    expect(pathsOf(web.log)).not.toContain('/c');
    const { data, failed } = await rest;
    expect(failed).toBe(1);
    expect(data.map(pathOf)).toEqual(['/', '/a', '/b', '/a1', '/a2', '/b1', '/b2', '/b1x']);
    const last = clientOf(storage, webOf([]));
    expect(await pathsRead(last.jobs.resume(job.id, { retryFailed: true }))).toEqual([
      '/c',
      '/c1',
      '/c2',
      '/c1x',
    ]);
    await last.close();
  });

  it('keeps its limit, and the documents that it has', async () => {
    for (const [limit, completed] of [
      [6, 6],
      [8, 8],
      [9, 9],
    ] as const) {
      const storage = memoryStore();
      const first = clientOf(storage, webOf(['/b', '/c1']));
      const before = await first.crawl(start, { ...options, limit });
      await first.close();
      await using client = clientOf(storage, webOf([]));
      const result = await client.jobs.resume(before.id, { retryFailed: true });
      expect(result.completed).toBe(completed);
      expect(result.data).toHaveLength(completed);
      expect(closes({ ...result })).toBe(true);
      expect(result.total).toBeLessThanOrEqual(limit + result.failed);
      const paths = result.data.map(pathOf);
      expect(paths).toEqual(expect.arrayContaining(before.data.map(pathOf)));
      if (limit > 6) continue;
      expect(result.failed).toBe(2);
      expect(result.warning).toContain('2 of 2 failed pages were not retried (limit: 6)');
    }
  });

  it('counts its budget on', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/b', '/c1']));
    const before = await first.crawl(start, { ...options, budget: { requests: 10 } });
    expect(before).toMatchObject({ completed: 6, failed: 2, skipped: 1 });
    await first.close();
    // Eight requests were made: two are left.
    const web = webOf([]);
    await using client = clientOf(storage, web);
    const result = await client.jobs.resume(before.id, { retryFailed: true });
    expect(web.log).toHaveLength(2);
    expect(result).toMatchObject({ completed: 8, failed: 0 });
    expect(result.usage.requests).toBe(10);
    expect(closes({ ...result })).toBe(true);
    const further = await client.jobs.resume(before.id, {
      retryFailed: true,
      budget: { requests: 20 },
    });
    // No page has failed: the job is opened as it is.
    expect(further.completed).toBe(8);
  });

  it('whose start page failed runs once that is there', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/']));
    const job = first.crawl(start, options);
    await expect(job).rejects.toMatchObject({ code: 'HTTP_STATUS' });
    await expect(first.jobs.resume(job.id, { retryFailed: true })).rejects.toMatchObject({
      code: 'HTTP_STATUS',
    });
    await first.close();
    await using client = clientOf(storage, webOf([]));
    const result = await client.jobs.resume(job.id, { retryFailed: true });
    expect(result).toMatchObject({ completed: 12, failed: 0, status: 'completed' });
    expect(pathOf(result.data[0] ?? expect.fail('no document'))).toBe('/');
  });

  it('asks its hooks again about the pages that failed by them', async () => {
    const storage = memoryStore();
    let isBroken = true;
    const asked: string[] = [];
    const hooks = {
      onDocument: ({ url }: { url: string }): void => {
        asked.push(new URL(url).pathname);
        if (isBroken && url.endsWith('/b')) throw new Error('mine');
      },
    };
    const first = clientOf(storage, webOf([]));
    const job = first.crawl(start, { ...options, hooks });
    expect(await job).toMatchObject({ completed: 11, failed: 1 });
    await first.close();
    isBroken = false;
    asked.length = 0;
    await using client = clientOf(storage, webOf([]));
    const result = await client.jobs.resume(job.id, { retryFailed: true, hooks });
    expect(result).toMatchObject({ completed: 12, failed: 0 });
    expect(result.data.map(pathOf).slice(0, 4)).toEqual(['/', '/a', '/b', '/c']);
    expect(asked).toEqual(['/b']);
  });

  it('is one that a recrawl begins with', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/b', '/c1']));
    const { id } = await first.crawl(start, options);
    expect(await first.jobs.resume(id, { retryFailed: true })).toMatchObject({ failed: 2 });
    await first.close();
    await using client = clientOf(storage, webOf([]));
    await client.jobs.resume(id, { retryFailed: true });
    const { changes, completed } = await client.crawl(start, { ...options, since: id });
    expect({ completed, same: changes?.same.length }).toEqual({ completed: 12, same: 12 });
    expect(changes).toMatchObject({ new: [], changed: [], removed: [] });
  });

  it('is read by other processes while it retries', async () => {
    const storage = memoryStore();
    const first = clientOf(storage, webOf(['/b', '/c1']));
    const { id } = await first.crawl(start, options);
    await first.close();
    await using client = clientOf(storage, webOf([]));
    await using reader = clientOf(storage, webOf([]));
    const retried = client.jobs.resume(id, { retryFailed: true });
    await retried.status();
    const followed = reader.jobs.follow(id);
    const read = await pathsRead(followed);
    expect(new Set(read).size).toBe(12);
    expect((await followed).data).toEqual((await retried).data);
  });

  it('that was cancelled is refused; one without failures is opened', async () => {
    const storage = memoryStore();
    await using client = clientOf(storage, webOf(['/b']));
    const job = client.crawl(start, options);
    job.on('pageFailed', () => job.cancel());
    await job;
    const refusal = {
      code: 'BAD_REQUEST',
      message: expect.stringContaining('retryFailed') as string,
    };
    await expect(client.jobs.resume(job.id, { retryFailed: true })).rejects.toMatchObject(refusal);
    await using other = clientOf(storage, webOf([]));
    const whole = await other.crawl(start, options);
    expect(await other.jobs.resume(whole.id, { retryFailed: true })).toEqual(whole);
    expect(() => other.jobs.resume(whole.id, { retryFailed: 'yes' } as never)).toThrow(
      'retryFailed',
    );
  });
});

describe('a batch', () => {
  it('that was interrupted does so at its end, and is left and resumed meanwhile', async () => {
    const storage = fileStore(join(folder, 'batch'));
    const urls = ['/a', '/b', '/c', '/a1', '/c1'].map((path) => new URL(path, start).href);
    const first = clientOf(storage, webOf(['/a', '/c']));
    const job = first.batchScrape(urls, { retries: 0, maxConcurrency: 1 });
    for await (const _ of job) break;
    await first.close();
    const second = clientOf(storage, webOf([]));
    const seen: string[] = [];
    for await (const page of second.jobs.resume(job.id, { retryFailed: true })) {
      if (seen.push(pathOf(page)) === 4) break;
    }
    await second.close();
    expect(seen).toEqual(['/b', '/a1', '/c1', '/a']);
    await using third = clientOf(storage, webOf([]));
    const rest = third.jobs.resume(job.id);
    expect(await pathsRead(rest)).toEqual(['/a', '/c']);
    expect((await rest).data.map(pathOf)).toEqual(['/a', '/b', '/c', '/a1', '/c1']);
  });
});
