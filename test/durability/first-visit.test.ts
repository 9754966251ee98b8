/** The first stored visit of a page counts: a second process, a retry or a zombie does not overwrite it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, memoryStore, type PlainDocument, type Store } from 'pagewright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobStore } from '../../src/core/jobs/durable/job-store.ts';
import { Journal } from '../../src/core/jobs/durable/journal.ts';
import type { VisitFacts } from '../../src/core/jobs/durable/stored-page.ts';
import { documentBytes, packValue, unpackValue } from '../../src/core/jobs/durable/stored-value.ts';
import type { PageUsage } from '../../src/core/jobs/page-visit.ts';
import { fileStore } from '../../src/core/storage/file-store.ts';
import { redisStore } from '../../src/entries/storage/redis-store.ts';
import { s3Store } from '../../src/entries/storage/s3-store.ts';
import { sqliteStore } from '../../src/entries/storage/sqlite-store.ts';
import { pageOf } from '../support/memory-web.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { bareDocument, chainOf, listed } from './chain.ts';

let folder: string;
let redis: RedisServer;
let s3: S3Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'first-visit-'));
  redis = await startRedis();
  s3 = await startS3();
});
afterAll(async () => {
  await redis.stop();
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const stores: Readonly<Record<string, () => Store>> = {
  memory: () => memoryStore(),
  files: () => fileStore(join(folder, 'files')),
  SQLite: () => sqliteStore({ file: join(folder, 'store.db') }),
  Redis: () => redisStore({ url: redis.url }),
  S3: () => s3Store(s3.access),
};
const url = 'http://site.test/';
const text = (words: string): Uint8Array => Buffer.from(words);
const fail = (error: unknown): void => {
  throw error;
};
const journalOf = (store: Store, isResumed = false): Journal =>
  new Journal(new JobStore(store, 'job'), { isResumed, warn: () => undefined, fail });

describe.each(Object.entries(stores))('in a store in %s', (_, open) => {
  it('of two processes that store a visit at once, one is told what the other has stored', async () => {
    const store = open();
    const names = ['one', 'other'];
    const kept = await Promise.all(
      names.map((by) => journalOf(store).keepVisit(url, { by }, text(by))),
    );
    const [winner = ''] = names.filter((_, at) => kept[at] === true);
    const told = kept.find((one) => typeof one === 'object');
    expect(told).toMatchObject({ facts: { by: winner } });
    const stored = await journalOf(store, true).visit<{ by: string }>(url);
    expect(stored?.facts).toEqual({ by: winner });
    expect(Buffer.from((await stored?.bytes?.()) ?? []).toString()).toBe(winner);
    await store.dispose?.();
  });

  it('a visit that is damaged is replaced', async () => {
    const store = open();
    const journal = journalOf(store);
    await journal.keepVisit(`${url}damaged`, { at: 1 });
    for (const key of await listed(store, 'jobs/job/visits/')) await store.set(key, text('?'));
    expect(await journal.keepVisit(`${url}damaged`, { at: 2 })).toBe(true);
    expect(await journalOf(store, true).visit(`${url}damaged`)).toMatchObject({ facts: { at: 2 } });
    await store.dispose?.();
  });
});

it('a store whose answer is lost has taken the visit', async () => {
  const inner = memoryStore();
  const lossy: Store = {
    ...inner,
    replace: async (...given) => {
      await inner.replace?.(...given);
      throw new Error('ECONNRESET');
    },
  };
  expect(await journalOf(lossy).keepVisit(url, { at: 1 })).toBe(true);
  expect(await journalOf(lossy).keepVisit(url, { at: 2 })).toMatchObject({ facts: { at: 1 } });
});

it('a store without replace takes the later visit', async () => {
  const { replace: _, ...plain } = memoryStore();
  expect(await journalOf(plain).keepVisit(url, { at: 1 })).toBe(true);
  expect(await journalOf(plain).keepVisit(url, { at: 2 })).toBe(true);
  expect(await journalOf(plain, true).visit(url)).toMatchObject({ facts: { at: 2 } });
});

/** A store in which another process visits each page of a job right before this one stores its visit. */
function contested(change: (value: Uint8Array) => Promise<Uint8Array>): Store {
  const inner = memoryStore();
  return {
    ...inner,
    replace: async (key, expected, value) => {
      if (key.includes('/visits/')) await inner.set(key, await change(value));
      return (await inner.replace?.(key, expected, value)) ?? false;
    },
  };
}

type StoredFacts = VisitFacts<PageUsage>;

const verbs = {
  crawl: (client: ReturnType<typeof createClient>, given: object) =>
    client.crawl(url, { sitemap: 'skip', ignoreRobotsTxt: true, ...given }),
  batchScrape: (client: ReturnType<typeof createClient>) =>
    client.batchScrape([0, 1, 2, 3, 4, 5].map((n) => `${url}${n || ''}`)),
};

describe.each(Object.entries(verbs))('a %s that another process visits the pages of', (_, run) => {
  it.each([{}, { removeRepeatedBlocks: true }])(
    'has the documents and the use of the visits that are stored (%j)',
    async (given) => {
      const storage = contested(async (value) => {
        const { facts, bytes } = await unpackValue<StoredFacts>(value, 'A visit');
        const { page } = facts;
        const raw = (await bytes?.()) ?? new Uint8Array();
        const other = Buffer.from(
          Buffer.from(raw).toString('latin1').replaceAll('page', 'PAGE'),
          'latin1',
        );
        return packValue({ ...facts, page: page && { ...page, received: 1000 } }, other);
      });
      await using client = createClient({ cache: false, engines: [chainOf(6)().web], storage });
      const job = run(client, given);
      const { data, usage, completed } = await job;
      expect({ completed, bytes: usage.bytes }).toEqual({ completed: 6, bytes: 6000 });
      for (const { markdown } of data) expect(markdown).toContain('PAGE');
      await using later = createClient({ cache: false, engines: [chainOf(6)().web], storage });
      expect((await later.jobs.resume(job.id)).data.map(bareDocument)).toEqual(
        data.map(bareDocument),
      );
    },
  );

  it('keeps a page that the other could read and this one could not', async () => {
    const whole = createClient({ cache: false, engines: [chainOf(6)().web] });
    const { data: wanted } = await run(whole, {});
    await whole.close();
    const document = wanted.find(({ metadata }) => metadata.url.endsWith('/3')) as PlainDocument;
    const storage = contested(async (value) => {
      const { facts, bytes } = await unpackValue<StoredFacts>(value, 'A visit');
      if (facts.error === undefined) return value;
      const page = { requests: 1, pageRequests: 1, received: 1000, links: [`${url}4`, `${url}5`] };
      const found = { finalUrl: `${url}3`, isReady: true, bytes: 1000, refused: [], feeds: [] };
      expect(bytes).toBeUndefined();
      return packValue({ at: facts.at, page: { ...page, ...found } }, documentBytes(document));
    });
    const broken = chainOf(6, (n, links) => {
      if (n === 3) throw new Error('It cannot be read here.');
      return pageOf(`page ${n}`, links);
    })();
    await using client = createClient({ cache: false, engines: [broken.web], storage });
    const { data, errors } = await run(client, {});
    expect(errors).toEqual([]);
    expect(data.map(bareDocument)).toEqual(wanted.map(bareDocument));
  });
});
