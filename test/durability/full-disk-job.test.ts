/** A crawl whose disk is full: it fails with what to do, and goes on when that was done. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageOf } from '../support/memory-web.ts';
import { databaseAt, filesIn } from './child-stores.ts';
import { bareDocument, chainOf, listed, pathOf } from './chain.ts';

const count = 45;
/** Pages that do not get smaller when they are packed: 20 KB each in the store. */
const heavy = chainOf(count, (n, links) => {
  const words = Array.from({ length: 600 }, (_, at) =>
    createHash('sha256').update(`${n} ${at}`).digest('hex'),
  );
  return pageOf(`page ${n}`, links).replace('</main>', `<p>${words.join(' ')}</p></main>`);
});
const options = { sitemap: 'skip', maxConcurrency: 3 } as const;

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'full-disk-job-'));
});
afterEach(async () => {
  spawnSync('umount', ['-l', place]);
  await rm(place, { recursive: true, force: true });
});

/** Mounting takes root. */
const canMount = ((): boolean => {
  const probe = mkdtempSync(join(tmpdir(), 'full-disk-job-probe-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe]).status === 0;
  if (mounted) spawnSync('umount', [probe]);
  spawnSync('rmdir', [probe]);
  return mounted;
})();

const stores = { fileStore: filesIn, sqliteStore: databaseAt };

test.skipIf(!canMount).each(Object.entries(stores))(
  'a crawl on %s goes on when there is room again (needs root, to mount a small disk)',
  async (_, storeIn) => {
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', place]);
    await writeFile(join(place, 'ballast'), Buffer.alloc(7_500_000));
    await mkdir(join(place, 'jobs'));
    const { open } = storeIn(join(place, 'jobs/store'));
    const read: string[] = [];

    const storage = open();
    const first = createClient({ cache: false, engines: [heavy().web], storage });
    const job = first.crawl('http://site.test/', options);
    const error: unknown = await (async () => {
      for await (const page of job) read.push(pathOf(page));
    })().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/could not write .*Free space on the disk/) as string,
    });
    expect(job.progress).toMatchObject({ status: 'failed', success: false });
    const had = job.progress.completed;
    expect(had).toBeGreaterThan(5);
    expect(had).toBeLessThan(count);
    // What it has can be read, from the job and from the store.
    expect((await job.status()).data.map(pathOf)).toEqual(read);
    await first.close();
    await storage.dispose?.();
    const still = open();
    const visits = await listed(still, `jobs/${job.id}/visits/`);
    expect(visits.length).toBeGreaterThanOrEqual(had);
    for (const key of visits) expect((await still.get(key))?.length).toBeGreaterThan(10_000);

    // Nothing is lost of a disk that stays full either.
    const { web: none } = heavy();
    const second = createClient({ cache: false, engines: [none], storage: still });
    await expect(second.jobs.resume(job.id)).rejects.toMatchObject({ code: 'STORAGE' });
    await second.close();

    await rm(join(place, 'ballast'));
    const { web, fetched } = heavy();
    await using third = createClient({ cache: false, engines: [web], storage: still });
    const resumed = third.jobs.resume(job.id);
    for await (const page of resumed) read.push(pathOf(page));
    const { data, status, warning } = await resumed;
    const whole = await third.crawl('http://site.test/', options);
    expect({ status, warning }).toEqual({ status: 'completed', warning: undefined });
    expect(data.map(bareDocument)).toEqual(whole.data.map(bareDocument));
    expect([...new Set(read)]).toEqual(whole.data.map(pathOf));
    expect(fetched.slice(0, count - visits.length)).not.toContain(data.map(pathOf)[0]);
    await still.dispose?.();
  },
);
