/** What every store has to do, alone and beside another on the same place. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../storage/store.ts';
import { bytes, get, keys } from './store-content.ts';

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

/** What one store does. */
export const cases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
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
  "many calls at once do not get in each other's way": async (store) => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const key = `at once/${at % 10}/${at}`;
        await store.set(key, bytes(key));
        assert.deepEqual(await get(store, key), [...bytes(key)]);
        if (at % 3 === 0) await store.delete(key);
        if (at % 25 === 0) await keys(store, `at once/${at % 10}/`);
      }),
    );
    const expected = Array.from({ length: 100 }, (_, at) => `at once/${at % 10}/${at}`)
      .filter((_, at) => at % 3 !== 0)
      .sort();
    assert.deepEqual(await keys(store, 'at once/'), expected);
  },
  'a prefix may have 1,000 keys, and the keys around it are not among them': async (store) => {
    const many = Array.from({ length: 1000 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    const around = ['man', 'many', 'many-more', 'many.', 'many0', 'mao'];
    for (const key of around) await store.set(key, bytes('around'));
    for (let at = 0; at < many.length; at += 50) {
      await Promise.all(many.slice(at, at + 50).map((key) => store.set(key, bytes(key))));
    }
    assert.deepEqual(await keys(store, 'many/'), many);
    assert.deepEqual(await keys(store, 'many/09'), many.slice(900));
  },
};

/** What two stores on one place do. */
export const casesOfTwo: Readonly<Record<string, (one: Store, other: Store) => Promise<void>>> = {
  'what one store writes, another on the same place reads': async (one, other) => {
    await one.set('a/1', bytes('first'));
    assert.deepEqual(await get(other, 'a/1'), [...bytes('first')]);
    await other.set('a/1', bytes('second'));
    await other.set('a/2', bytes('2'), { expiresAt: Date.now() + 60_000 });
    assert.deepEqual(await get(one, 'a/1'), [...bytes('second')]);
    assert.deepEqual(await keys(one, 'a/'), ['a/1', 'a/2']);
    await one.delete('a/2');
    assert.deepEqual(await keys(other, 'a/'), ['a/1']);
  },
  'two stores on one place may write at once': async (one, other) => {
    const write = (store: Store, name: string): Promise<void[]> =>
      Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          await store.set(`${name}/${at}`, bytes(`${name} ${at}`));
          await store.set('both', bytes(name));
        }),
      );
    await Promise.all([write(one, 'one'), write(other, 'other')]);
    assert.equal((await keys(one, '')).length, 101);
    assert.deepEqual(await keys(one, ''), await keys(other, ''));
    assert.deepEqual(await get(one, 'other/49'), [...bytes('other 49')]);
    assert.deepEqual(await get(one, 'both'), await get(other, 'both'));
  },
};
