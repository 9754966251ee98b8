/** The files of a job in a store that fails for a moment. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { AssetFiles } from '../../src/storage/asset-files.ts';
import { fakeClock } from '../../src/testing/index.ts';

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
