import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeConformance } from 'pagewright/testing';
import { createStorage, prefixStorage, type Storage } from 'unstorage';
import fsDriver from 'unstorage/drivers/fs-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/storage/store.ts';
import { unstorageStore } from '../../../src/entries/storage/key-value-stores.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'unstorage-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function listed(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

describe('unstorageStore conforms in memory', () => {
  let storage: Storage;
  const fresh = (): Store => unstorageStore((storage = createStorage()));
  const options = {
    without: ['replace', 'deleteAll'],
    openAgain: () => unstorageStore(storage),
  } as const;
  for (const { name, run } of storeConformance(fresh, options)) test(name, run);
});

describe('unstorageStore conforms on files, but for what its driver does not do', () => {
  const fresh = (): Store => unstorageStore(createStorage({ driver: fsDriver({ base }) }));
  const suite = storeConformance(fresh, { without: ['replace', 'deleteAll'], openAgain: fresh });
  /** It writes in place: a reader may come in between, and is told so by an error. */
  const inPlace = [
    'of concurrent sets of one key one is there, whole',
    'a reader never sees part of a value',
    "many calls at once do not get in each other's way",
    'two stores on one place may write at once',
  ];
  for (const { name, run } of suite) test.skipIf(inPlace.includes(name))(name, run);
});

test('a part of a storage is a place too, and the rest of it is left alone', async () => {
  const storage = createStorage();
  await storage.setItem('other', 'text');
  const store = unstorageStore(prefixStorage(storage, 'pages'));
  await store.set('a/b', bytes('1'));
  expect(await listed(store)).toEqual(['a/b']);
  expect(await listed(unstorageStore(storage))).toEqual([]);
  expect((await storage.getKeys()).sort()).toEqual(['other', 'pages:a:b.entry']);
});

test('a file that is cut is a STORAGE error that names it', async () => {
  const store = unstorageStore(createStorage({ driver: fsDriver({ base }) }));
  await store.set('a', bytes('a value'));
  expect(await readdir(base)).toEqual(['a.entry']);
  await truncate(join(base, 'a.entry'), 20);
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringContaining('a.entry of the unstorage store is damaged') as string,
  });
});

test('a driver that cannot write is a STORAGE error, not silence', async () => {
  const driver = { getItem: () => null, hasItem: () => false, getKeys: () => [] };
  const store = unstorageStore(createStorage({ driver }));
  for (const work of [store.set('a', bytes('1')), store.delete('a')]) {
    await expect(work).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(
        /unstorage store could not \w+ "a": its driver has no/,
      ) as string,
    });
  }
});
