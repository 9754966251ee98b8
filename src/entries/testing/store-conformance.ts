/** The conformance suite of every store, alone and beside another one on the same data. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../core/storage/store.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** Options of the suite for a store. */
export interface StoreConformanceOptions {
  /**
   * Opens the data of the last store of `makeStore` once more, as a second process would.
   * Without it the cases of two stores on the same data are left out.
   */
  readonly openAgain?: () => Store | Promise<Store>;
  /** Optional members that the store does not have: their cases only check that they are missing. */
  readonly without?: readonly OptionalMember[];
}

/** The suite. `makeStore` returns an empty store each time; it is disposed of after the case. */
export function storeConformance(
  makeStore: () => Store | Promise<Store>,
  options: StoreConformanceOptions = {},
): readonly ConformanceCase[] {
  const { openAgain, without = [] } = options;
  const suite: ConformanceCase[] = [];
  const add = (name: string, check: (store: Store) => Promise<void>): void => {
    const run = async (): Promise<void> => {
      const store = await makeStore();
      try {
        await check(store);
      } finally {
        await store.dispose?.();
      }
    };
    suite.push({ name, run });
  };
  const addWith = (name: string, check: (store: Store, other: Store) => Promise<void>): void => {
    if (openAgain === undefined) return;
    add(name, async (store) => {
      const other = await openAgain();
      try {
        await check(store, other);
      } finally {
        await other.dispose?.();
      }
    });
  };

  for (const [name, check] of Object.entries(storeCases)) add(name, check);
  for (const [name, check] of Object.entries(casesOfTwo)) addWith(name, check);
  for (const member of optionalMembers) {
    if (without.includes(member)) {
      add(`skipped, as the store has none: ${member}`, (store) => {
        assert.equal(
          store[member],
          undefined,
          `The store has ${member}: take it out of "without".`,
        );
        return Promise.resolve();
      });
      continue;
    }
    for (const [name, check] of Object.entries(optionalCases[member])) {
      add(`${member}: ${name}`, (store) => check(wholeStore(store, member)));
    }
    for (const [name, check] of Object.entries(optionalCasesOfTwo[member])) {
      addWith(`${member}: ${name}`, (store, other) =>
        check(wholeStore(store, member), wholeStore(other, member)),
      );
    }
  }
  return suite;
}

function wholeStore(store: Store, member: OptionalMember): WholeStore {
  const advice = `The store has no ${member}. Where that is meant, pass { without: ['${member}'] }.`;
  assert.equal(typeof store[member], 'function', advice);
  return store as WholeStore;
}

// Requirements for every store, alone and beside another one on the same data.

/** Keys with a special meaning to a file system, a URL or a database. */
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

/** Cases of one store. */
const storeCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'a value comes back byte for byte': async (store) => {
    const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await store.set('a/b', value);
    assert.deepEqual(await textIn(store, 'a/b'), [...value]);
  },
  'a key without a value is undefined': async (store) => {
    assert.equal(await store.get('nothing'), undefined);
    await store.set('a/b', bytesOf('1'));
    assert.equal(await store.get('a'), undefined);
    assert.equal(await store.get('a/b/c'), undefined);
  },
  'a key may be the start of another': async (store) => {
    await store.set('a', bytesOf('1'));
    await store.set('a/b', bytesOf('2'));
    await store.set('a/b/c', bytesOf('3'));
    assert.deepEqual(await keysIn(store, ''), ['a', 'a/b', 'a/b/c']);
    assert.deepEqual(await textIn(store, 'a/b'), [...bytesOf('2')]);
  },
  'a second set replaces the value and its expiry': async (store) => {
    await store.set('a', bytesOf('a long first value'), { expiresAt: Date.now() - 1 });
    await store.set('a', bytesOf('2'));
    assert.deepEqual(await textIn(store, 'a'), [...bytesOf('2')]);
  },
  'a deleted value is gone, and deleting nothing is no error': async (store) => {
    await store.set('a', bytesOf('1'));
    await store.delete('a');
    await store.delete('a');
    await store.delete('never/there');
    assert.equal(await store.get('a'), undefined);
    assert.deepEqual(await keysIn(store, ''), []);
  },
  'list gives the keys with the prefix, sorted by code unit': async (store) => {
    const added = ['b', 'a/2', 'a/10', 'a', 'ab', 'a/é', 'a/z', 'a/Z', 'a/\uffee', 'a/🦉'];
    for (const key of added) await store.set(key, bytesOf(key));
    const sorted = [...added].sort();
    assert.deepEqual(await keysIn(store, ''), sorted);
    for (const prefix of ['a', 'a/', 'a/1', 'b', 'c', 'a/10', 'a/10/']) {
      const expected = sorted.filter((key) => key.startsWith(prefix));
      assert.deepEqual(await keysIn(store, prefix), expected, `with the prefix "${prefix}"`);
    }
  },
  'values may be deleted while they are listed': async (store) => {
    for (const key of ['a/1', 'a/2', 'a/3']) await store.set(key, bytesOf(key));
    const listed: string[] = [];
    for await (const key of store.list('a/')) {
      listed.push(key);
      await store.delete(key);
    }
    assert.deepEqual(listed, ['a/1', 'a/2', 'a/3']);
    assert.deepEqual(await keysIn(store, ''), []);
  },
  'an expired value is gone from get and list': async (store) => {
    await store.set('past', bytesOf('1'), { expiresAt: Date.now() - 1 });
    const expiresAt = Date.now() + 150;
    await store.set('soon', bytesOf('1'), { expiresAt });
    await store.set('later', bytesOf('1'), { expiresAt: Date.now() + 60_000 });
    assert.equal(await store.get('past'), undefined);
    const keys = await keysIn(store, '');
    // A slow store answers later.
    if (Date.now() < expiresAt) assert.deepEqual(keys, ['later', 'soon']);
    await sleep(Math.max(0, expiresAt + 50 - Date.now()));
    assert.equal(await store.get('soon'), undefined);
    assert.deepEqual(await keysIn(store, ''), ['later']);
    await store.set('past', bytesOf('2'));
    assert.deepEqual(await textIn(store, 'past'), [...bytesOf('2')]);
  },
  'any string is a key, and no two keys are one': async (store) => {
    for (const key of oddKeys) await store.set(key, bytesOf(`value of ${key}`));
    for (const key of oddKeys) {
      assert.deepEqual(
        await textIn(store, key),
        [...bytesOf(`value of ${key}`)],
        JSON.stringify(key),
      );
    }
    assert.deepEqual(await keysIn(store, ''), [...oddKeys].sort());
    for (const key of oddKeys) await store.delete(key);
    assert.deepEqual(await keysIn(store, ''), []);
  },
  'an empty value is a value': async (store) => {
    await store.set('empty', new Uint8Array());
    assert.deepEqual(await textIn(store, 'empty'), []);
    assert.deepEqual(await keysIn(store, ''), ['empty']);
  },
  'a value of 5 MB comes back whole': async (store) => {
    const value = Buffer.alloc(5 * 1024 * 1024, 'five megabytes of this ');
    await store.set('large', value);
    assert.ok(value.equals((await store.get('large')) ?? Buffer.alloc(0)));
  },
  'values are copies, going in and coming out': async (store) => {
    for (const value of [bytesOf('fresh'), Buffer.from('fresh')]) {
      const stored = store.set('a', value);
      value.fill(0);
      await stored;
      const first = await store.get('a');
      assert.deepEqual([...(first ?? [])], [...bytesOf('fresh')]);
      first?.fill(0);
      assert.deepEqual(await textIn(store, 'a'), [...bytesOf('fresh')]);
    }
  },
  'of concurrent sets of one key one is there, whole': async (store) => {
    const values = Array.from({ length: 20 }, (_, at) => Buffer.alloc(100_000 + at, 65 + at));
    await Promise.all(values.map((value) => store.set('contested', value)));
    const found = Buffer.from((await store.get('contested')) ?? []);
    assert.ok(values.some((value) => value.equals(found)));
    assert.deepEqual(await keysIn(store, ''), ['contested']);
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
        await store.set(key, bytesOf(key));
        assert.deepEqual(await textIn(store, key), [...bytesOf(key)]);
        if (at % 3 === 0) await store.delete(key);
        if (at % 25 === 0) await keysIn(store, `at once/${at % 10}/`);
      }),
    );
    const expected = Array.from({ length: 100 }, (_, at) => `at once/${at % 10}/${at}`)
      .filter((_, at) => at % 3 !== 0)
      .sort();
    assert.deepEqual(await keysIn(store, 'at once/'), expected);
  },
  'a prefix may have 1,000 keys, and the keys around it are not among them': async (store) => {
    const many = Array.from({ length: 1000 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    const around = ['man', 'many', 'many-more', 'many.', 'many0', 'mao'];
    for (const key of around) await store.set(key, bytesOf('around'));
    for (let at = 0; at < many.length; at += 50) {
      await Promise.all(many.slice(at, at + 50).map((key) => store.set(key, bytesOf(key))));
    }
    assert.deepEqual(await keysIn(store, 'many/'), many);
    assert.deepEqual(await keysIn(store, 'many/09'), many.slice(900));
  },
};

/** Cases of two stores on the same data. */
const casesOfTwo: Readonly<Record<string, (one: Store, other: Store) => Promise<void>>> = {
  'what one store writes, another on the same place reads': async (one, other) => {
    await one.set('a/1', bytesOf('first'));
    assert.deepEqual(await textIn(other, 'a/1'), [...bytesOf('first')]);
    await other.set('a/1', bytesOf('second'));
    await other.set('a/2', bytesOf('2'), { expiresAt: Date.now() + 60_000 });
    assert.deepEqual(await textIn(one, 'a/1'), [...bytesOf('second')]);
    assert.deepEqual(await keysIn(one, 'a/'), ['a/1', 'a/2']);
    await one.delete('a/2');
    assert.deepEqual(await keysIn(other, 'a/'), ['a/1']);
  },
  'two stores on one place may write at once': async (one, other) => {
    const write = (store: Store, name: string): Promise<void[]> =>
      Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          await store.set(`${name}/${at}`, bytesOf(`${name} ${at}`));
          await store.set('both', bytesOf(name));
        }),
      );
    await Promise.all([write(one, 'one'), write(other, 'other')]);
    assert.equal((await keysIn(one, '')).length, 101);
    assert.deepEqual(await keysIn(one, ''), await keysIn(other, ''));
    assert.deepEqual(await textIn(one, 'other/49'), [...bytesOf('other 49')]);
    assert.deepEqual(await textIn(one, 'both'), await textIn(other, 'both'));
  },
};

// Requirements for the optional members of a store.

/** An optional member of a store. */
type OptionalMember = 'replace' | 'deleteAll';

/** A store with all optional members, for the cases of these members. */
type WholeStore = Store & Required<Pick<Store, OptionalMember>>;

/** The names of the optional members. */
const optionalMembers: readonly OptionalMember[] = ['replace', 'deleteAll'];

/** Cases of one store. */
const optionalCases: Readonly<
  Record<OptionalMember, Readonly<Record<string, (store: WholeStore) => Promise<void>>>>
> = {
  replace: {
    'puts a value where there is none, once': async (store) => {
      assert.equal(await store.replace('a/b', undefined, bytesOf('1')), true);
      assert.equal(await store.replace('a/b', undefined, bytesOf('2')), false);
      assert.deepEqual(await textIn(store, 'a/b'), [...bytesOf('1')]);
      assert.deepEqual(await keysIn(store, ''), ['a/b']);
    },
    'replaces what is expected, and nothing else': async (store) => {
      await store.set('a', bytesOf('1'));
      for (const wrong of ['2', '', '11', '\0']) {
        assert.equal(await store.replace('a', bytesOf(wrong), bytesOf('no')), false);
      }
      assert.equal(await store.replace('a', bytesOf('1'), bytesOf('2')), true);
      assert.deepEqual(await textIn(store, 'a'), [...bytesOf('2')]);
      assert.equal(await store.replace('none', bytesOf('1'), bytesOf('2')), false);
      assert.equal(await store.get('none'), undefined);
    },
    'tells an empty value from none': async (store) => {
      assert.equal(await store.replace('a', new Uint8Array(), bytesOf('no')), false);
      await store.set('a', new Uint8Array());
      assert.equal(await store.replace('a', undefined, bytesOf('no')), false);
      assert.equal(await store.replace('a', new Uint8Array(), bytesOf('1')), true);
    },
    'takes an expired value for none, and sets the expiry anew': async (store) => {
      const past = { expiresAt: Date.now() - 1 };
      assert.equal(await store.replace('a', undefined, bytesOf('old'), past), true);
      assert.equal(await store.replace('a', bytesOf('old'), bytesOf('no')), false);
      const expiresAt = Date.now() + 300;
      assert.equal(await store.replace('a', undefined, bytesOf('brief'), { expiresAt }), true);
      assert.equal(await store.replace('a', bytesOf('brief'), bytesOf('stays')), true);
      await sleep(350);
      assert.deepEqual(await textIn(store, 'a'), [...bytesOf('stays')]);
    },
    'compares all bytes and any key': async (store) => {
      const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      for (const key of ['\ud800', 'a\0b', '日本語/キー']) {
        assert.equal(await store.replace(key, undefined, value), true);
        assert.equal(await store.replace(key, value, bytesOf(key)), true);
        assert.deepEqual(await textIn(store, key), [...bytesOf(key)]);
      }
    },
    'of calls at once one is told true': async (store) => {
      const claims = Array.from({ length: 10 }, (_, at) => bytesOf(`claim ${at}`));
      const wins = await Promise.all(claims.map((claim) => store.replace('a', undefined, claim)));
      assert.equal(wins.filter(Boolean).length, 1);
      assert.deepEqual(await textIn(store, 'a'), [...(claims[wins.indexOf(true)] ?? [])]);
    },
  },
  deleteAll: {
    'removes what starts with the prefix, and nothing else': async (store) => {
      const rest = ['a', 'a/1', 'a/10', 'a/2/b', 'ab', 'b/1'];
      for (const key of [...rest, 'a/c/1', 'a/c/2/d', 'a/c/🦉']) await store.set(key, bytesOf(key));
      await store.deleteAll('a/c/');
      assert.deepEqual(await keysIn(store, ''), rest);
      await store.deleteAll('a/1');
      assert.deepEqual(await keysIn(store, ''), ['a', 'a/2/b', 'ab', 'b/1']);
      await store.deleteAll('none/');
      await store.deleteAll('a');
      assert.deepEqual(await keysIn(store, ''), ['b/1']);
      await store.deleteAll('');
      assert.deepEqual(await keysIn(store, ''), []);
    },
    'leaves a store that can be written to': async (store) => {
      await store.set('a/b/c', bytesOf('1'));
      await store.deleteAll('a/');
      await store.set('a/b/c', bytesOf('2'));
      assert.deepEqual(await textIn(store, 'a/b/c'), [...bytesOf('2')]);
    },
    'removes 1,000 values, those with an expiry too': async (store) => {
      const expiresAt = Date.now() + 60_000;
      for (let at = 0; at < 1000; at += 50) {
        const names = Array.from({ length: 50 }, (_, more) => `job/${at + more}`);
        await Promise.all(names.map((key) => store.set(key, bytesOf(key), { expiresAt })));
      }
      await store.deleteAll('job/');
      assert.deepEqual(await keysIn(store, ''), []);
      assert.equal(await store.get('job/500'), undefined);
    },
  },
};

/** Cases of two stores on the same data. */
const optionalCasesOfTwo: Readonly<
  Record<
    OptionalMember,
    Readonly<Record<string, (one: WholeStore, other: WholeStore) => Promise<void>>>
  >
> = {
  replace: {
    'counts right when two stores on one place count at once': async (one, other) => {
      await one.set('count', bytesOf('0'));
      const add = async (store: WholeStore): Promise<void> => {
        for (let added = 0; added < 20;) {
          const value = await store.get('count');
          const next = bytesOf(String(Number(new TextDecoder().decode(value)) + 1));
          if (await store.replace('count', value, next)) added++;
        }
      };
      await Promise.all([add(one), add(other), add(one)]);
      assert.deepEqual(await textIn(other, 'count'), [...bytesOf('60')]);
    },
  },
  deleteAll: {
    'removes what another store on the place wrote': async (one, other) => {
      await other.set('a/1', bytesOf('1'));
      await one.deleteAll('a/');
      assert.equal(await other.get('a/1'), undefined);
      assert.deepEqual(await keysIn(other, ''), []);
    },
  },
};

// The content of a store, in a form that can be compared.

/** The text as UTF-8. */
function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A value as a list of its bytes. */
async function textIn(store: Store, key: string): Promise<number[] | undefined> {
  const value = await store.get(key);
  return value && [...value];
}

/** All keys with a prefix. */
async function keysIn(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}
