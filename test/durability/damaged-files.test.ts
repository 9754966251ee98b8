/** Files of a job that are cut, garbled or gone: what can be fetched is, and the rest is said. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore } from 'pagewright';
import { scriptedModel } from 'pagewright/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropExpired } from '../../src/client-jobs.ts';
import { pageOf } from '../support/memory-web.ts';
import { bareDocument, chainOf, pathOf } from './chain.ts';

const chain = chainOf(24);
const options = { sitemap: 'skip', maxConcurrency: 1 } as const;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damaged-files-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function clientOf({ web } = chain()): ReturnType<typeof createClient> {
  return createClient({ cache: false, engines: [web], storage: fileStore(folder) });
}

/** The same pages, of which the last ones do not come in time. */
const slowChain = chainOf(24, (n, links) => {
  const body = pageOf(`page ${n}`, links);
  return n < 20 ? body : { body, delay: 60_000 };
});

/** A crawl that its client left after ten pages. */
async function halfDone(): Promise<string> {
  const client = clientOf(slowChain());
  const job = client.crawl('http://site.test/', options);
  let seen = 0;
  for await (const _ of job) if ((seen += 1) === 10) break;
  await client.close();
  return job.id;
}

/** The files below a folder of the job, oldest name first. */
function filesOf(...below: readonly string[]): string[] {
  const place = join(folder, ...below);
  return readdirSync(place)
    .filter((name) => name.endsWith('.entry'))
    .sort()
    .map((name) => join(place, name));
}

const cut = (file: string): void => writeFileSync(file, readFileSync(file).subarray(0, -7));
const empty = (file: string): void => writeFileSync(file, '');
const garble = (file: string): void => {
  const bytes = readFileSync(file);
  for (let at = bytes.length >> 1; at < bytes.length; at += 3) bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
  writeFileSync(file, bytes);
};
const drop = (file: string): void => rmSync(file);
/** A damage that leaves the file of the store whole. */
const harm = { cut, garble, empty };

describe('of a crawl that is half done', () => {
  it('visits that are cut, garbled or gone are fetched again, and nothing else', async () => {
    const id = await halfDone();
    const visits = filesOf('jobs', id, 'visits');
    expect(visits.length).toBeGreaterThanOrEqual(10);
    for (const [at, damage] of [cut, garble, drop, empty].entries()) damage(visits[at * 2] ?? '');
    const again = chain();
    await using client = clientOf(again);
    const { data, status, completed, warning } = await client.jobs.resume(id, { fromStart: true });
    const whole = await clientOf().crawl('http://site.test/', options);
    expect({ status, completed }).toEqual({ status: 'completed', completed: 24 });
    expect(data.map(bareDocument)).toEqual(whole.data.map(bareDocument));
    expect(again.fetched).toHaveLength(24 - visits.length + 4);
    expect(warning?.match(/is damaged/g)).toHaveLength(3);
    expect(warning).toContain('That step is repeated.');
  });

  it.each(Object.entries(harm))(
    'documents whose entry is damaged (%s) are kept again',
    async (_, damage) => {
      const id = await halfDone();
      damage(filesOf('jobs', id, 'documents')[4] ?? '');
      const again = chain();
      await using client = clientOf(again);
      const { data, warning } = await client.jobs.resume(id, { fromStart: true });
      const whole = await clientOf().crawl('http://site.test/', options);
      expect(data.map(bareDocument)).toEqual(whole.data.map(bareDocument));
      expect(again.fetched.length).toBeLessThanOrEqual(14);
      expect(warning).toMatch(/damaged.* made again/);
    },
  );

  it.each(Object.entries(harm))(
    'a lease that is damaged (%s) holds nobody up',
    async (_, damage) => {
      const id = await halfDone();
      damage(join(folder, 'jobs', id, 'lease.entry'));
      damage(join(folder, 'jobs', id, 'reader.entry'));
      await using client = clientOf();
      expect(await client.jobs.list()).toMatchObject([{ id, isRunning: false }]);
      expect(await client.jobs.resume(id)).toMatchObject({ status: 'completed', completed: 24 });
    },
  );

  it.each(Object.entries(harm))(
    'a visit that is damaged (%s) is made again in a job with a token budget',
    async (_, damage) => {
      const budget = { tokens: 1000 };
      const model = scriptedModel(() => expect.fail('the model was asked'));
      const open = ({ web } = chain()): ReturnType<typeof createClient> =>
        createClient({ cache: false, engines: [web], storage: fileStore(folder), model });
      const first = open(slowChain());
      const job = first.crawl('http://site.test/', { ...options, budget });
      let seen = 0;
      for await (const _ of job) if ((seen += 1) === 10) break;
      await first.close();
      damage(filesOf('jobs', job.id, 'visits')[3] ?? '');
      await using client = open();
      expect(await client.jobs.resume(job.id)).toMatchObject({
        status: 'completed',
        completed: 24,
      });
    },
  );

  it.each(Object.entries(harm))(
    'a wish to cancel that is damaged (%s) is one all the same',
    async (_, damage) => {
      const id = await halfDone();
      await fileStore(folder).set(`jobs/${id}/cancel`, new Uint8Array([1]));
      damage(join(folder, 'jobs', id, 'cancel.entry'));
      await using client = clientOf();
      expect(await client.jobs.resume(id)).toMatchObject({ status: 'cancelled' });
    },
  );

  it.each(Object.entries(harm))(
    'a list of retries that is damaged (%s) costs the retried pages alone',
    async (_, damage) => {
      const failing = chainOf(24, (n, links) => {
        if (n === 6) throw new Error('down');
        return pageOf(`page ${n}`, links);
      });
      const first = clientOf(failing());
      const { id } = await first.crawl('http://site.test/', options);
      expect(await first.jobs.resume(id, { retryFailed: true })).toMatchObject({ failed: 1 });
      await first.close();
      damage(join(folder, 'jobs', id, 'retries.entry'));
      await using client = clientOf();
      const whole = await client.jobs.resume(id, { retryFailed: true });
      expect(whole).toMatchObject({ status: 'completed', completed: 24, failed: 0 });
      expect(whole.data.map(pathOf)[6]).toBe('/6');
    },
  );

  it('a segment that is empty is dropped', async () => {
    const id = await halfDone();
    const store = fileStore(folder);
    await store.set(`jobs/${id}/segments/00000000`, new Uint8Array());
    const [segment = ''] = filesOf('jobs', id, 'segments');
    empty(segment);
    await using client = clientOf();
    expect(await client.jobs.resume(id)).toMatchObject({ status: 'completed', completed: 24 });
    expect(existsSync(segment)).toBe(false);
  });

  it.each(Object.entries(harm))(
    'a manifest that is damaged (%s) is told, and other jobs go on',
    async (_, damage) => {
      const id = await halfDone();
      const other = await halfDone();
      damage(join(folder, 'job-index', `${id}.entry`));
      await using client = clientOf();
      await expect(client.jobs.resume(id)).rejects.toMatchObject({
        code: 'STORAGE',
        message: expect.stringContaining(id) as string,
      });
      // Of a file without its key it is not even known that it is a manifest: the list says which file.
      const ids = await client.jobs.list().then(
        (jobs) => jobs.map((job) => job.id),
        (error: unknown) => error,
      );
      if (damage === empty) {
        const message = expect.stringMatching(new RegExp(`${id}\\.entry .*Delete it`)) as string;
        expect(ids).toMatchObject({ code: 'STORAGE', message });
      } else expect(ids).toEqual([other]);
      expect(await client.jobs.resume(other)).toMatchObject({ status: 'completed' });
      expect(await client.crawl('http://site.test/', options)).toMatchObject({ completed: 24 });
    },
  );
});

describe('of a crawl that has ended', () => {
  it('a value without its name keeps no expired job', async () => {
    const first = clientOf();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.push((await first.crawl('http://site.test/', options)).id);
    }
    await first.close();
    for (const id of ids) empty(filesOf('jobs', id, 'visits')[0] ?? '');
    await dropExpired(fileStore(folder), Date.now() + 2 * 86_400_000);
    for (const id of ids) expect(existsSync(join(folder, 'jobs', id))).toBe(false);
  });

  it.each(Object.entries({ ...harm, drop }))(
    'its end that is damaged (%s) is told',
    async (_, damage) => {
      const first = clientOf();
      const { id } = await first.crawl('http://site.test/', options);
      await first.close();
      const end = join(folder, 'jobs', id, 'end.entry');
      damage(end);
      await using client = clientOf();
      await expect(client.jobs.resume(id)).rejects.toMatchObject({
        code: 'STORAGE',
        message: expect.stringContaining(id) as string,
      });
    },
  );

  it('a document that is damaged is told when it is read, and the others are there', async () => {
    const first = clientOf();
    const { id } = await first.crawl('http://site.test/', options);
    await first.close();
    for (const visit of filesOf('jobs', id, 'visits').slice(0, 1)) garble(visit);
    await using client = clientOf();
    const job = client.jobs.resume(id);
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const page of job) seen.push(pathOf(page));
    };
    await expect(job).rejects.toMatchObject({ code: 'STORAGE' });
    await read().catch(() => undefined);
    expect(job.progress).toMatchObject({ status: 'completed', completed: 24 });
  });
});
