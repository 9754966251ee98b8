/** What every store has to do. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../storage/store.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** The suite. `makeStore` gives an empty store each time; it is disposed of after the case. */
export function storeConformance(
  makeStore: () => Store | Promise<Store>,
): readonly ConformanceCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const store = await makeStore();
      try {
        await check(store);
      } finally {
        await store.dispose?.();
      }
    },
  }));
}

/** Keys that would be something else to a file system, a URL or a database. */
const oddKeys = [
  '',
  '.',
  '..',
  '../escape',
  '/',
  '//',
  '/a',
  'a/',
  'a//b',
  'a/../b',
  'A',
  'a',
  'a.entry',
  'a\\b',
  'a\0b',
  'a b',
  'a%2fb',
  'con',
  'é',
  'e\u0301',
  '日本語/キー',
  '🦉',
  '\ud800',
  '?*:|"<>',
  '__proto__',
  'x'.repeat(1000),
  `${'x'.repeat(999)}y`,
];

const cases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'a value comes back byte for byte': async (store) => {
    const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await store.set('a/b', value);
    assert.deepEqual(await get(store, 'a/b'), [...value]);
  },
  'a key without a value is undefined': async (store) => {
    assert.equal(await store.get('nothing'), undefined);
    await store.set('a/b', bytes('1'));
    assert.equal(await store.get('a'), undefined);
    assert.equal(await store.get('a/b/c'), undefined);
  },
  'a key may be the start of another': async (store) => {
    await store.set('a', bytes('1'));
    await store.set('a/b', bytes('2'));
    await store.set('a/b/c', bytes('3'));
    assert.deepEqual(await keys(store, ''), ['a', 'a/b', 'a/b/c']);
    assert.deepEqual(await get(store, 'a/b'), [...bytes('2')]);
  },
  'a second set replaces the value and its expiry': async (store) => {
    await store.set('a', bytes('a long first value'), { expiresAt: Date.now() - 1 });
    await store.set('a', bytes('2'));
    assert.deepEqual(await get(store, 'a'), [...bytes('2')]);
  },
  'a deleted value is gone, and deleting nothing is no error': async (store) => {
    await store.set('a', bytes('1'));
    await store.delete('a');
    await store.delete('a');
    await store.delete('never/there');
    assert.equal(await store.get('a'), undefined);
    assert.deepEqual(await keys(store, ''), []);
  },
  'list gives the keys with the prefix, sorted by code unit': async (store) => {
    const added = ['b', 'a/2', 'a/10', 'a', 'ab', 'a/é', 'a/z', 'a/Z', 'a/\uffee', 'a/🦉'];
    for (const key of added) await store.set(key, bytes(key));
    const sorted = [...added].sort();
    assert.deepEqual(await keys(store, ''), sorted);
    for (const prefix of ['a', 'a/', 'a/1', 'b', 'c', 'a/10', 'a/10/']) {
      const expected = sorted.filter((key) => key.startsWith(prefix));
      assert.deepEqual(await keys(store, prefix), expected, `with the prefix "${prefix}"`);
    }
  },
  'values may be deleted while they are listed': async (store) => {
    for (const key of ['a/1', 'a/2', 'a/3']) await store.set(key, bytes(key));
    const listed: string[] = [];
    for await (const key of store.list('a/')) {
      listed.push(key);
      await store.delete(key);
    }
    assert.deepEqual(listed, ['a/1', 'a/2', 'a/3']);
    assert.deepEqual(await keys(store, ''), []);
  },
  'an expired value is gone from get and list': async (store) => {
    await store.set('past', bytes('1'), { expiresAt: Date.now() - 1 });
    await store.set('soon', bytes('1'), { expiresAt: Date.now() + 150 });
    await store.set('later', bytes('1'), { expiresAt: Date.now() + 60_000 });
    assert.equal(await store.get('past'), undefined);
    assert.deepEqual(await keys(store, ''), ['later', 'soon']);
    await sleep(200);
    assert.equal(await store.get('soon'), undefined);
    assert.deepEqual(await keys(store, ''), ['later']);
    await store.set('past', bytes('2'));
    assert.deepEqual(await get(store, 'past'), [...bytes('2')]);
  },
  'any string is a key, and no two keys are one': async (store) => {
    for (const key of oddKeys) await store.set(key, bytes(`value of ${key}`));
    for (const key of oddKeys) {
      assert.deepEqual(await get(store, key), [...bytes(`value of ${key}`)], JSON.stringify(key));
    }
    assert.deepEqual(await keys(store, ''), [...oddKeys].sort());
    for (const key of oddKeys) await store.delete(key);
    assert.deepEqual(await keys(store, ''), []);
  },
  'an empty value is a value': async (store) => {
    await store.set('empty', new Uint8Array());
    assert.deepEqual(await get(store, 'empty'), []);
    assert.deepEqual(await keys(store, ''), ['empty']);
  },
  'a value of 5 MB comes back whole': async (store) => {
    const value = Buffer.alloc(5 * 1024 * 1024, 'five megabytes of this ');
    await store.set('large', value);
    assert.ok(value.equals((await store.get('large')) ?? Buffer.alloc(0)));
  },
  'values are copies, going in and coming out': async (store) => {
    for (const value of [bytes('fresh'), Buffer.from('fresh')]) {
      const stored = store.set('a', value);
      value.fill(0);
      await stored;
      const first = await store.get('a');
      assert.deepEqual([...(first ?? [])], [...bytes('fresh')]);
      first?.fill(0);
      assert.deepEqual(await get(store, 'a'), [...bytes('fresh')]);
    }
  },
  'of concurrent sets of one key one is there, whole': async (store) => {
    const values = Array.from({ length: 20 }, (_, at) => Buffer.alloc(100_000 + at, 65 + at));
    await Promise.all(values.map((value) => store.set('contested', value)));
    const found = Buffer.from((await store.get('contested')) ?? []);
    assert.ok(values.some((value) => value.equals(found)));
    assert.deepEqual(await keys(store, ''), ['contested']);
  },
  'a reader never sees part of a value': async (store) => {
    const values = [Buffer.alloc(300_000, 'a'), Buffer.alloc(200_000, 'b')] as const;
    await store.set('a', values[0]);
    const write = async (): Promise<void> => {
      for (let time = 0; time < 10; time++) await store.set('a', values[time % 2 === 0 ? 1 : 0]);
    };
    const read = async (): Promise<void> => {
      for (let time = 0; time < 30; time++) {
        const found = Buffer.from((await store.get('a')) ?? []);
        assert.ok(values.some((value) => value.equals(found)));
      }
    };
    await Promise.all([write(), read()]);
  },
};

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function get(store: Store, key: string): Promise<number[] | undefined> {
  const value = await store.get(key);
  return value && [...value];
}

async function keys(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}
