/** Positions of readers in the store: the document in hand is given again after a kill, and none before it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, memoryStore, type Store } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../../src/core/jobs/durable/stored-value.ts';
import { chainOf, pathOf } from './chain.ts';

const chain = chainOf(14);
const start = 'http://site.test/';
const options = { sitemap: 'skip' } as const;

const clientOf = (storage: Store): ReturnType<typeof createClient> =>
  createClient({ cache: false, engines: [chain().web], storage });

const positionIn = async (storage: Store, id: string): Promise<number> => {
  const value = await storage.get(`jobs/${id}/reader`);
  return value === undefined ? 0 : Number(documentOf(value));
};

/** A store that takes its time for some keys. */
function slow(storage: Store, isSlow: (key: string) => boolean): Store {
  return {
    ...storage,
    set: async (key, value, given) => {
      if (isSlow(key)) await sleep(20);
      await storage.set(key, value, given);
    },
  };
}

describe('a loop over a job in a slow store', () => {
  it.each(['crawl', 'batch'])(
    'of a %s has stored all documents before the one in hand',
    async (verb) => {
      const inner = memoryStore();
      await using client = clientOf(slow(inner, (key) => key.endsWith('/reader')));
      const urls = Array.from({ length: 14 }, (_, n) => `${start}${n}`);
      const job = verb === 'crawl' ? client.crawl(start, options) : client.batchScrape(urls);
      const stored: number[] = [];
      for await (const _ of job) stored.push(await positionIn(inner, job.id));
      expect(stored).toEqual([...stored.keys()]);
      // Also of a job that had ended before its reader came to the end.
      expect(await positionIn(inner, job.id)).toBe(stored.length);
      await using later = clientOf(inner);
      for await (const page of later.jobs.resume(job.id)) expect.fail(pathOf(page));
    },
  );

  it('that is behind when the job ends goes on where it was', async () => {
    const storage = memoryStore();
    const first = clientOf(storage);
    const job = first.crawl(start, options);
    await job;
    let seen = 0;
    for await (const _ of job) if ((seen += 1) === 5) break;
    await first.close();
    expect(await positionIn(storage, job.id)).toBe(4);
    for (const [from, until] of [
      [4, 3],
      [6, Infinity],
    ] as const) {
      await using client = clientOf(storage);
      const paths: string[] = [];
      for await (const page of client.jobs.resume(job.id)) {
        if (paths.push(pathOf(page)) === until) break;
      }
      const expected = Array.from({ length: 14 - from }, (_, n) => `/${n + from}`);
      expect(paths).toEqual(expected.slice(0, until));
    }
  });
});

/** A store whose lease is held back from its reader. */
function heldBack(storage: Store): { store: Store; asked: Promise<void>; letGo: () => void } {
  let [ask, letGo] = [(): void => undefined, (): void => undefined];
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const get: Store['get'] = async (key) => {
    if (key.endsWith('/lease')) {
      ask();
      await held;
    }
    return storage.get(key);
  };
  return { store: { ...storage, get }, asked, letGo };
}

describe('a process that resumes a job while another one leaves it', () => {
  it('begins where the loop of the other one was, and has the URLs that were added there', async () => {
    const storage = memoryStore();
    const first = clientOf(storage);
    const urls = Array.from({ length: 8 }, (_, n) => `${start}${n}`);
    const job = first.batchScrape(urls, { maxConcurrency: 1 });
    const { store, asked, letGo } = heldBack(storage);
    await using second = clientOf(store);
    const seen: string[] = [];
    const read: string[] = [];
    let reading: Promise<void> | undefined;
    let resumed: ReturnType<typeof second.jobs.resume> | undefined;
    for await (const page of job) {
      seen.push(pathOf(page));
      if (seen.length === 1) {
        const other = (resumed = second.jobs.resume(job.id));
        reading = (async () => {
          for await (const one of other) read.push(pathOf(one));
        })();
        await asked;
        job.add([`${start}11`, `${start}12`]);
      }
      if (seen.length === 5) break;
    }
    await first.close();
    letGo();
    await reading;
    expect(seen).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(read).toEqual(['/4', '/5', '/6', '/7', '/11', '/12']);
    expect(await resumed).toMatchObject({ completed: 10 });
  });
});
