/** The files of a job in a store that fails for a moment. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/index.ts';
import { AssetFiles } from '../../../src/core/storage/asset-files.ts';
import { fakeClock } from '../../../src/entries/testing/index.ts';

test('a file that could not be stored is neither counted nor taken for one that is there', async () => {
  const store = memoryStore();
  let fails = true;
  const failing = {
    ...store,
    get: store.get.bind(store),
    delete: store.delete.bind(store),
    list: store.list.bind(store),
    set: async (...given: Parameters<typeof store.set>) => {
      if (fails) throw new Error('away');
      await store.set(...given);
    },
  };
  const files = new AssetFiles(failing, fakeClock(), 1000);
  const bytes = Buffer.from('four');
  await expect(files.set('job', bytes, 4)).rejects.toThrow('away');
  fails = false;
  const key = await files.set('job', bytes, 4);
  expect(await files.get(key)).toEqual(new Uint8Array(bytes));
});

test('a file that another client has stored anew stays, and one that has ended is dropped', async () => {
  const clock = fakeClock();
  const store = memoryStore(() => clock.now());
  const [one, other] = [new AssetFiles(store, clock, 1000), new AssetFiles(store, clock, 1000)];
  const logo = await one.set(undefined, Buffer.from('logo'), 9);
  const photo = await one.set(undefined, Buffer.from('photo'), 9);
  clock.advance(900);
  await other.set(undefined, Buffer.from('logo'), 9);
  clock.advance(200);
  await one.set(undefined, Buffer.from('other'), 9);
  expect(await other.get(logo)).toEqual(new Uint8Array(Buffer.from('logo')));
  expect(await other.get(photo)).toBeUndefined();
});
