/** The record of a job that has ended is stored in parts, and its end last. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, fileStore, type Store } from 'pagewright';
import { sqliteStore } from 'pagewright/storage';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packValue } from '../../src/core/jobs/durable/stored-value.ts';
import { pageOf } from '../support/memory-web.ts';
import { listed } from './chain.ts';

/** More than are held unpacked. */
const count = 12_000;
const paths = Array.from({ length: count }, (_, at) => `/archive/of/the/year/item-${at}`);

let site: FixtureServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-end-'));
  const xml = { 'content-type': 'application/xml' };
  const html = { 'content-type': 'text/html' };
  site = await serve({
    '/': () => ({ headers: html, body: pageOf('start', paths.slice(0, 2)) }),
    ...Object.fromEntries(
      paths.slice(0, 4).map((path) => [path, () => ({ headers: html, body: pageOf(path) })]),
    ),
    '/sitemap.xml': ({ headers: { host = '' } }) => ({
      headers: xml,
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
        .map((path) => `<url><loc>http://${host}${path}</loc></url>`)
        .join('')}</urlset>`,
    }),
  });
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const clientOf = (storage: Store): Client =>
  createClient({
    cache: false,
    storage,
    network: { allow: ['127.0.0.1'] },
    logger: { warn: () => undefined },
  });
const crawl = (client: Client) => client.crawl(site.url('/'), { limit: 3 });

const stores: Readonly<Record<string, () => Store>> = {
  files: () => fileStore(join(folder, 'files')),
  SQLite: () => sqliteStore({ file: join(folder, 'store.db') }),
};

describe.each(Object.entries(stores))('in a store in %s', (_, open) => {
  it('it is read part by part, and missed when a part of it is gone or damaged', async () => {
    const storage = open();
    const first = clientOf(storage);
    const job = crawl(first);
    const whole = await job;
    await first.close();
    expect(whole.skipped).toBeGreaterThan(count - 10);
    const parts = await listed(storage, `jobs/${job.id}/ledger/`);
    expect(parts.length).toBeGreaterThan(2);

    await using client = clientOf(storage);
    const again = client.jobs.resume(job.id);
    expect(await again).toEqual(whole);
    expect(again.skippedByReason()).toEqual(job.skippedByReason());
    expect(again.skipped({ skip: 9990, limit: 20 })).toEqual(
      job.skipped({ skip: 9990, limit: 20 }),
    );
    const last = site.url(paths.at(-1) ?? '');
    expect(again.explain(last)).toMatchObject({ state: 'skipped', reason: 'LIMIT' });

    const [part = ''] = parts;
    await storage.set(part, Buffer.from('?'));
    const told = { code: 'STORAGE', message: expect.stringContaining(job.id) as string };
    await expect(clientOf(storage).jobs.resume(job.id)).rejects.toMatchObject(told);
    await storage.delete(part);
    await expect(clientOf(storage).jobs.resume(job.id)).rejects.toMatchObject(told);
    await storage.dispose?.();
  });

  it('a job that did not get to store all of it is resumed', async () => {
    const inner = open();
    const written: string[] = [];
    const storage: Store = {
      ...inner,
      set: async (key, value, options) => {
        written.push(key.replace(/^jobs\/[^/]+\//, ''));
        if (key.endsWith('/ledger/00000001')) throw new Error('ENOSPC');
        await inner.set(key, value, options);
      },
    };
    const first = clientOf(storage);
    const job = crawl(first);
    await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
    await first.close();
    expect(written).toContain('ledger/00000000');
    expect(written).not.toContain('end');
    await using client = clientOf(inner);
    const { status, completed, skipped } = await client.jobs.resume(job.id);
    expect({ status, completed }).toEqual({ status: 'completed', completed: 3 });
    expect(skipped).toBeGreaterThan(count - 10);
    await inner.dispose?.();
  });

  it('an end of another version is told', async () => {
    const storage = open();
    const first = clientOf(storage);
    const { id } = await crawl(first);
    await first.close();
    await storage.set(`jobs/${id}/end`, await packValue({ state: 'completed', sizes: [] }));
    await expect(clientOf(storage).jobs.resume(id)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/another version/) as string,
    });
    await storage.dispose?.();
  });
});
