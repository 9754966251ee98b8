import Keyv from 'keyv';
import { storeConformance } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { keyvStore } from '../../../src/entries/storage/key-value-stores.ts';

describe('keyvStore conforms', () => {
  let keyv: Keyv;
  const fresh = (): ReturnType<typeof keyvStore> =>
    keyvStore((keyv = new Keyv({ throwOnErrors: true })));
  const options = { without: ['replace', 'deleteAll'], openAgain: () => keyvStore(keyv) } as const;
  for (const { name, run } of storeConformance(fresh, options)) test(name, run);
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function listed(store: ReturnType<typeof keyvStore>): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list('')) keys.push(key);
  return keys;
}

/** An adapter of which everything fails, or that only cannot list. */
const adapter = (fails: boolean): object => {
  const values = new Map<string, unknown>();
  const orFail = <T>(value: T): Promise<T> =>
    fails ? Promise.reject(new Error('the disk is gone')) : Promise.resolve(value);
  return {
    get: (key: string) => orFail(values.get(key)),
    set: (key: string, value: unknown) => orFail(void values.set(key, value)),
    delete: (key: string) => orFail(values.delete(key)),
    clear: () => orFail(values.clear()),
    on: () => undefined,
  };
};

test('values of others in the same keyv are left alone', async () => {
  const keyv = new Keyv({ throwOnErrors: true });
  await keyv.set('settings', { theme: 'dark' });
  await keyv.set('name', 'someone');
  const store = keyvStore(keyv);
  await store.set('a', bytes('1'));
  expect(await listed(store)).toEqual(['a']);
  expect(await keyv.get('name')).toBe('someone');
});

test('a list of an adapter without an iterator is a STORAGE error that says what to use', async () => {
  const store = keyvStore(new Keyv({ store: adapter(false), throwOnErrors: true }));
  await store.set('a', bytes('1'));
  expect(await store.get('a')).toEqual(bytes('1'));
  await expect(listed(store)).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(/no iterator.*Use an adapter/) as string,
  });
});

test.each(['get', 'set', 'delete'] as const)('%s tells why the adapter failed', async (method) => {
  const store = keyvStore(new Keyv({ store: adapter(true), throwOnErrors: true }));
  const calls = {
    get: () => store.get('a'),
    set: () => store.set('a', bytes('1')),
    delete: () => store.delete('a'),
  };
  await expect(calls[method]()).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(/keyv store could not \w+ "a": the disk is gone/) as string,
  });
});

test('a value that was damaged is a STORAGE error', async () => {
  const keyv = new Keyv({ throwOnErrors: true });
  const store = keyvStore(keyv);
  await store.set('a', bytes('1'));
  await keyv.set('a.entry', Buffer.from('something else').toString('base64'));
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringContaining('a.entry of the keyv store is damaged') as string,
  });
});

test('a keyv that keeps failures to itself is BAD_REQUEST', () => {
  expect(() => keyvStore(new Keyv())).toThrow(
    expect.objectContaining({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('throwOnErrors: true') as string,
    }) as Error,
  );
});
