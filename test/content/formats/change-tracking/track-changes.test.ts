/** One scrape and its history: jobs that are resumed, several at once, what a store cannot do. */
import { computeHere } from '../../../../src/content/formats/computations.ts';
import { expect, describe, test } from 'vitest';
import { readHistory } from '../../../../src/content/formats/change-tracking/read-history.ts';
import { trackChanges } from '../../../../src/content/formats/change-tracking/track-changes.ts';
import {
  parseTrackingOptions,
  type TrackedPage,
} from '../../../../src/content/formats/change-tracking/tracking-options.ts';
import { memoryStore } from '../../../../src/core/storage/memory-store.ts';
import type { Store } from '../../../../src/core/storage/store.ts';

const url = 'https://tidewater.test/lamp';
const settings = parseTrackingOptions({ modes: ['git-diff'] });

let now = Date.UTC(2026, 0, 1);
const minute = 60_000;

async function track(store: Store, markdown: string, more: Partial<TrackedPage> = {}) {
  now += minute;
  const page: TrackedPage = {
    url,
    markdown,
    statusCode: 200,
    isBlocked: false,
    isCached: false,
    isCut: false,
    saysMissing: false,
    isHidden: false,
    extraction: undefined,
    picture: undefined,
    jobId: undefined,
    identity: undefined,
    askModel: undefined,
    zeroDataRetention: false,
    compute: computeHere,
    now,
    ...more,
  };
  return trackChanges(store, page, settings);
}

describe('trackChanges', () => {
  test('a job that scrapes a page again compares it with what it was before the job', async () => {
    const store = memoryStore();
    await track(store, 'one', { jobId: 'a' });
    const before = new Date(now).toISOString();
    const first = await track(store, 'two', { jobId: 'b' });
    const again = await track(store, 'two', { jobId: 'b' });
    expect(first.value).toMatchObject({ changeStatus: 'changed', previousScrapeAt: before });
    expect(again).toEqual(first);
    // The page may have changed meanwhile; what the dead run saw never came out.
    expect((await track(store, 'one', { jobId: 'b' })).value).toMatchObject({
      changeStatus: 'same',
      previousScrapeAt: before,
    });
    expect((await track(store, 'one', { jobId: 'b' })).value?.previousScrapeAt).toBe(before);
    expect(await readHistory(store, url)).toHaveLength(1);
    expect((await track(store, 'two', { jobId: 'c' })).value?.changeStatus).toBe('changed');
  });

  test('a page that nothing leads to is hidden', async () => {
    const { value } = await track(memoryStore(), 'one', { isHidden: true });
    expect(value?.visibility).toBe('hidden');
  });

  test('a page that refuses us says nothing about itself', async () => {
    const store = memoryStore();
    const { value, warnings } = await track(store, 'Are you human?', { isBlocked: true });
    expect(value).toBeUndefined();
    expect(warnings.join()).toMatch(/refused to show the page/);
    expect(await readHistory(store, url)).toEqual([]);
  });

  test('of ten at once each is compared with the one before, and none is lost', async () => {
    const store = memoryStore();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => track(store, `version ${n}`)),
    );
    const told = all.map(({ value }) => value?.changeStatus).sort();
    expect(told).toEqual([...Array.from({ length: 9 }, () => 'changed'), 'new']);
    const versions = await readHistory(store, url);
    const texts = await Promise.all(versions.map(async ({ read }) => (await read()).markdown));
    expect(texts.sort()).toEqual(Array.from({ length: 10 }, (_, n) => `version ${n}`));
    // The diffs tell one story: each leads from one version to the next.
    const origins = all.map(({ value }) => value?.diff?.text.match(/^-(.*\d)$/m)?.[1]).sort();
    expect(new Set(origins).size).toBe(10);
  });

  test('a store without replace does, for one scrape after the other', async () => {
    const { replace: _, deleteAll: __, ...store } = memoryStore();
    expect((await track(store, 'one')).value?.changeStatus).toBe('new');
    expect((await track(store, 'two')).value?.changeStatus).toBe('changed');
    expect((await track(store, ' two ')).value?.changeStatus).toBe('same');
  });

  test('a store that is never the same again is a warning', async () => {
    const store: Store = { ...memoryStore(), replace: () => Promise.resolve(false) };
    const { value, warnings } = await track(store, 'one');
    expect(value).toBeUndefined();
    expect(warnings.join()).toMatch(/kept writing the history/);
    expect(await keys(store)).toEqual([]);
  });

  test('whatever a store throws is a warning', async () => {
    const thrown = {
      toString: () => {
        throw new Error('no');
      },
    };
    const store: Store = {
      ...memoryStore(),
      get: async () => {
        throw thrown;
      },
    };
    expect((await track(store, 'one')).warnings.join()).toMatch(/comparing failed/);
  });

  test(
    'a page of 5 MB is compared in time, and others go on meanwhile',
    { timeout: 60_000 },
    async () => {
      const store = memoryStore();
      const text = (changed: number): string =>
        Array.from({ length: 100_000 }, (_, n) =>
          n === changed ? 'changed' : `Line ${n} of a page that is long, as pages go.`,
        ).join('\n');
      await track(store, text(10));
      let longest = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 1);
      const { value, warnings } = await track(store, text(90_000));
      clearInterval(timer);
      expect(warnings).toEqual([]);
      expect(value?.diff?.json.files[0]?.chunks).toHaveLength(2);
      expect(longest).toBeLessThan(2_000);
    },
  );
});

describe('readHistory', () => {
  test('gives the versions, the oldest first, with their texts', async () => {
    const store = memoryStore();
    await track(store, 'one');
    const first = new Date(now).toISOString();
    await track(store, 'one');
    const last = new Date(now).toISOString();
    await track(store, 'two');
    const versions = await readHistory(store, url);
    expect(versions).toMatchObject([
      { scrapedAt: first, lastScrapedAt: last, changeStatus: 'new' },
      { changeStatus: 'changed' },
    ]);
    expect(await versions[0]?.read()).toEqual({ markdown: 'one' });
    expect(await readHistory(store, url, 'other')).toEqual([]);
  });

  test('rejects with STORAGE for what is damaged or gone', async () => {
    const store = memoryStore();
    await track(store, 'one');
    const [version] = await readHistory(store, url);
    for (const key of await keys(store)) await store.set(key, new Uint8Array([123]));
    await expect(version?.read()).rejects.toMatchObject({ code: 'STORAGE', url });
    await expect(readHistory(store, url)).rejects.toMatchObject({ code: 'STORAGE', url });
  });
});

async function keys(store: Store): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list('changes/')) found.push(key);
  return found;
}
