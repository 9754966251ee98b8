/** What a store has to do with the members that it may leave out, where it has them. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../storage/store.ts';
import { bytes, get, keys } from './store-content.ts';

/** A member that a store may leave out. */
export type OptionalMember = 'replace' | 'deleteAll';

/** A store with all that is optional, for the cases that are about it. */
export type WholeStore = Store & Required<Pick<Store, OptionalMember>>;

/** Their names. */
export const optionalMembers: readonly OptionalMember[] = ['replace', 'deleteAll'];

/** What one store does. */
export const optionalCases: Readonly<
  Record<OptionalMember, Readonly<Record<string, (store: WholeStore) => Promise<void>>>>
> = {
  replace: {
    'puts a value where there is none, once': async (store) => {
      assert.equal(await store.replace('a/b', undefined, bytes('1')), true);
      assert.equal(await store.replace('a/b', undefined, bytes('2')), false);
      assert.deepEqual(await get(store, 'a/b'), [...bytes('1')]);
      assert.deepEqual(await keys(store, ''), ['a/b']);
    },
    'replaces what is expected, and nothing else': async (store) => {
      await store.set('a', bytes('1'));
      for (const wrong of ['2', '', '11', '\0']) {
        assert.equal(await store.replace('a', bytes(wrong), bytes('no')), false);
      }
      assert.equal(await store.replace('a', bytes('1'), bytes('2')), true);
      assert.deepEqual(await get(store, 'a'), [...bytes('2')]);
      assert.equal(await store.replace('none', bytes('1'), bytes('2')), false);
      assert.equal(await store.get('none'), undefined);
    },
    'tells an empty value from none': async (store) => {
      assert.equal(await store.replace('a', new Uint8Array(), bytes('no')), false);
      await store.set('a', new Uint8Array());
      assert.equal(await store.replace('a', undefined, bytes('no')), false);
      assert.equal(await store.replace('a', new Uint8Array(), bytes('1')), true);
    },
    'takes an expired value for none, and sets the expiry anew': async (store) => {
      const past = { expiresAt: Date.now() - 1 };
      assert.equal(await store.replace('a', undefined, bytes('old'), past), true);
      assert.equal(await store.replace('a', bytes('old'), bytes('no')), false);
      const expiresAt = Date.now() + 300;
      assert.equal(await store.replace('a', undefined, bytes('brief'), { expiresAt }), true);
      assert.equal(await store.replace('a', bytes('brief'), bytes('stays')), true);
      await sleep(350);
      assert.deepEqual(await get(store, 'a'), [...bytes('stays')]);
    },
    'compares all bytes and any key': async (store) => {
      const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      for (const key of ['\ud800', 'a\0b', '日本語/キー']) {
        assert.equal(await store.replace(key, undefined, value), true);
        assert.equal(await store.replace(key, value, bytes(key)), true);
        assert.deepEqual(await get(store, key), [...bytes(key)]);
      }
    },
    'of calls at once one is told true': async (store) => {
      const claims = Array.from({ length: 10 }, (_, at) => bytes(`claim ${at}`));
      const told = await Promise.all(claims.map((claim) => store.replace('a', undefined, claim)));
      assert.equal(told.filter(Boolean).length, 1);
      assert.deepEqual(await get(store, 'a'), [...(claims[told.indexOf(true)] ?? [])]);
    },
  },
  deleteAll: {
    'removes what starts with the prefix, and nothing else': async (store) => {
      const kept = ['a', 'a/1', 'a/10', 'a/2/b', 'ab', 'b/1'];
      for (const key of [...kept, 'a/c/1', 'a/c/2/d', 'a/c/🦉']) await store.set(key, bytes(key));
      await store.deleteAll('a/c/');
      assert.deepEqual(await keys(store, ''), kept);
      await store.deleteAll('a/1');
      assert.deepEqual(await keys(store, ''), ['a', 'a/2/b', 'ab', 'b/1']);
      await store.deleteAll('none/');
      await store.deleteAll('a');
      assert.deepEqual(await keys(store, ''), ['b/1']);
      await store.deleteAll('');
      assert.deepEqual(await keys(store, ''), []);
    },
    'leaves a store that can be written to': async (store) => {
      await store.set('a/b/c', bytes('1'));
      await store.deleteAll('a/');
      await store.set('a/b/c', bytes('2'));
      assert.deepEqual(await get(store, 'a/b/c'), [...bytes('2')]);
    },
    'removes 1,000 values, those with an expiry too': async (store) => {
      const expiresAt = Date.now() + 60_000;
      for (let at = 0; at < 1000; at += 50) {
        const names = Array.from({ length: 50 }, (_, more) => `job/${at + more}`);
        await Promise.all(names.map((key) => store.set(key, bytes(key), { expiresAt })));
      }
      await store.deleteAll('job/');
      assert.deepEqual(await keys(store, ''), []);
      assert.equal(await store.get('job/500'), undefined);
    },
  },
};

/** What two stores on one place do. */
export const optionalCasesOfTwo: Readonly<
  Record<
    OptionalMember,
    Readonly<Record<string, (one: WholeStore, other: WholeStore) => Promise<void>>>
  >
> = {
  replace: {
    'counts right when two stores on one place count at once': async (one, other) => {
      await one.set('count', bytes('0'));
      const add = async (store: WholeStore): Promise<void> => {
        for (let added = 0; added < 20;) {
          const value = await store.get('count');
          const next = bytes(String(Number(new TextDecoder().decode(value)) + 1));
          if (await store.replace('count', value, next)) added++;
        }
      };
      await Promise.all([add(one), add(other), add(one)]);
      assert.deepEqual(await get(other, 'count'), [...bytes('60')]);
    },
  },
  deleteAll: {
    'removes what another store on the place wrote': async (one, other) => {
      await other.set('a/1', bytes('1'));
      await one.deleteAll('a/');
      assert.equal(await other.get('a/1'), undefined);
      assert.deepEqual(await keys(other, ''), []);
    },
  },
};
