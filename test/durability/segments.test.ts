/** Segments of a job: copies of facts that save a resumed job most of its reads, and change nothing else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore, memoryStore, type Store } from 'pagewright';
import { sqliteStore } from 'pagewright/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobStore } from '../../src/core/jobs/durable/job-store.ts';
import { segmentLength, Segments } from '../../src/core/jobs/durable/segments.ts';
import { bareDocument, chainOf, listed } from './chain.ts';

const count = segmentLength + 30;
const left = segmentLength + 10;
const chain = chainOf(count, (n) => `<title>page ${n}</title><p>The text of page ${n}.`);
const urls = Array.from({ length: count }, (_, n) => `http://site.test/${n}`);

let folder: string;
let id: string;
let wanted: readonly object[];
/** A batch that its client has left. */
const whole = memoryStore();

const clientOf = (storage: Store, { web } = chain()): ReturnType<typeof createClient> =>
  createClient({ cache: false, engines: [web], storage });

async function copyTo(store: Store): Promise<Store> {
  for (const key of await listed(whole, '')) {
    await store.set(key, (await whole.get(key)) ?? new Uint8Array());
  }
  return store;
}

/** The store, and the keys that are read from it. */
function watched(inner: Store): { readonly store: Store; readonly read: string[] } {
  const read: string[] = [];
  return { store: { ...inner, get: (key) => (read.push(key), inner.get(key)) }, read };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'segments-'));
  const client = clientOf(whole);
  const job = client.batchScrape(urls);
  id = job.id;
  let seen = 0;
  for await (const _ of job) if ((seen += 1) === left) break;
  await client.close();
  await using other = clientOf(await copyTo(memoryStore()));
  for (const key of await listed(whole, `jobs/${id}/segments/`)) expect(key).toMatch(/\/0+$/);
  wanted = (await other.jobs.resume(id)).data.map(bareDocument);
  expect(wanted).toHaveLength(count);
}, 30_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const urlOf = (document: object | undefined): string =>
  (document as { metadata: { url: string } }).metadata.url;

async function resumed(storage: Store): Promise<{ data: object[]; fetched: readonly string[] }> {
  const site = chain();
  await using client = clientOf(storage, site);
  const { data, status } = await client.jobs.resume(id);
  expect(status).toBe('completed');
  return { data: data.map(bareDocument), fetched: site.fetched };
}

const stores: Readonly<Record<string, () => Store>> = {
  files: () => fileStore(join(folder, 'files')),
  SQLite: () => sqliteStore({ file: join(folder, 'store.db') }),
};

describe('a job that is resumed', () => {
  it.each(Object.entries(stores))('reads segments of a store in %s', async (_, open) => {
    const inner = await copyTo(open());
    const { store, read } = watched(inner);
    await using client = clientOf(store);
    const job = client.jobs.resume(id);
    // Awaiting the job itself would read its documents.
    await job.settled();
    const facts = read.filter((key) => key.includes('/visits/') || key.includes('/documents/'));
    expect(read).toContain(`jobs/${id}/segments/00000000`);
    expect(facts.length).toBeLessThan(segmentLength);
    expect((await job).data.map(bareDocument)).toEqual(wanted);
    await client.close();
    await inner.dispose?.();
  });

  it.each(['delete', 'set'] as const)('does without one that is damaged (%s)', async (damage) => {
    const storage = await copyTo(memoryStore());
    await storage[damage](`jobs/${id}/segments/00000000`, Buffer.from('?'));
    const { data, fetched } = await resumed(storage);
    expect(data).toEqual(wanted);
    expect(fetched.length).toBeLessThanOrEqual(count - left);
  });

  it('has no segment that tells of documents as they were before they were stored anew', async () => {
    const storage = await copyTo(memoryStore());
    await storage.set(`jobs/${id}/segments/00000000`, Buffer.from('?'));
    await storage.set(`jobs/${id}/documents/00000100`, Buffer.from('?'));
    const { data } = await resumed(storage);
    expect(data).toEqual(wanted);
    const segments = new Segments<{ url: string }>(new JobStore(storage, id), true);
    for (const index of [99, 100, 101]) {
      expect(await segments.document(index)).toMatchObject({ url: urlOf(wanted[index]) });
    }
  });
});

describe('segments', () => {
  const entry = (index: number) => ({
    facts: { index },
    visit: { url: `/${index}`, facts: { visit: index } },
  });

  it('are those of whole numbers of documents, and given up from a change on', async () => {
    const store = new JobStore(memoryStore(), 'job');
    const written = new Segments<{ index: number }>(store, false);
    for (let index = 0; index < 2.5 * segmentLength; index += 1)
      await written.add(index, entry(index));
    expect(await store.names('')).toEqual(['segments/00000000', 'segments/00000001']);

    const read = new Segments<{ index: number }>(store, true);
    expect(await read.visit('/elsewhere')).toBeUndefined();
    for (const index of [0, 1, segmentLength, 2 * segmentLength - 1]) {
      expect(await read.document(index)).toEqual({ index });
    }
    expect(await read.document(2 * segmentLength)).toBeUndefined();
    expect(await read.visit(`/${segmentLength + 1}`)).toEqual({ visit: segmentLength + 1 });
    await read.change(segmentLength + 1);
    expect(await store.names('')).toEqual(['segments/00000000']);
  });

  it('give visits in their order, each once, while single pages are in none', async () => {
    const store = new JobStore(memoryStore(), 'job');
    const written = new Segments<{ index: number }>(store, false);
    const total = 4 * segmentLength;
    for (let index = 0; index < total; index += 1) await written.add(index, entry(index));
    const read = new Segments<{ index: number }>(store, true);
    for (let index = 0; index < total; index += 1) {
      expect(await read.visit(`/${index}`)).toEqual({ visit: index });
      expect(await read.visit(`/failed-${index}`)).toBeUndefined();
    }
    expect(await read.visit('/0')).toBeUndefined();
  });
});
