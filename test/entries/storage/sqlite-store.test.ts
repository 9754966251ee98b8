import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as sqlite from '@photostructure/sqlite';
import { storeConformance } from 'pagewright/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteStore, type SqliteStoreOptions } from '../../../src/entries/storage/sqlite-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';

// The same SQLite as the store's: two of them in one process do not see each other's locks.
const { DatabaseSync } =
  (process.getBuiltinModule('node:sqlite') as typeof sqlite | undefined) ?? sqlite;

let folder: string;
let file: string;
const opened: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
  file = join(folder, 'made/store.db');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.dispose?.();
  await rm(folder, { recursive: true, force: true });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function openStore(options: Partial<SqliteStoreOptions> = {}): Store {
  const store = sqliteStore({ file, ...options });
  opened.push(store);
  return store;
}

async function listed(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** Opens the file as any other program would. */
async function withDatabase<T>(
  work: (database: InstanceType<typeof DatabaseSync>) => T | Promise<T>,
): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** What a STORAGE error says: the file, and these words in their order. */
async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'STORAGE' });
  const { message } = error as Error;
  expect(message).toContain(file);
  return message;
}

describe('sqliteStore conforms', () => {
  const open = (): Store => sqliteStore({ file });
  for (const { name, run } of storeConformance(open, { openAgain: open })) test(name, run);
});

test('nothing is made before the first call', async () => {
  const store = openStore();
  expect(await readdir(folder)).toEqual([]);
  await store.get('a');
  expect(await readdir(folder)).toEqual(['made']);
});

test('values outlive the store, and after dispose the one file has them all', async () => {
  const store = openStore({ fsync: true });
  await store.set('jobs/1/state', bytes('done'));
  await store.dispose?.();
  const copy = join(folder, 'copy.db');
  await copyFile(file, copy);
  expect(await openStore({ file: copy }).get('jobs/1/state')).toEqual(bytes('done'));
});

test('a store that was disposed of opens again when it is called', async () => {
  const store = openStore();
  await store.set('a', bytes('1'));
  await store.dispose?.();
  expect(await store.get('a')).toEqual(bytes('1'));
});

test.each([undefined, '', 7])('file: %s is BAD_REQUEST', (wrong) => {
  expect(() => sqliteStore({ file: wrong as string })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
  );
});

test('a list longer than a page is whole, and in its order', async () => {
  const store = openStore();
  const keys = Array.from({ length: 2500 }, (_, at) => `key/${String(at).padStart(5, '0')}`);
  for (const key of keys) await store.set(key, bytes(key));
  expect(await listed(store, 'key/')).toEqual(keys);
  expect(await listed(store)).toEqual(keys);
});

test('keys at the end of all strings have their prefixes too', async () => {
  const store = openStore();
  const keys = ['\uffff', '\uffff\uffff', '\uffff\uffff\ud800', 'a\uffff', 'b'];
  for (const key of keys) await store.set(key, bytes(key));
  expect(await listed(store, '\uffff\uffff')).toEqual(['\uffff\uffff', '\uffff\uffff\ud800']);
  expect(await listed(store, 'a\uffff')).toEqual(['a\uffff']);
  await store.deleteAll?.('\uffff');
  expect(await listed(store)).toEqual(['a\uffff', 'b']);
});

test('what has expired leaves the file within a minute of writing', async () => {
  let time = 1_000_000;
  const store = openStore({ now: () => time });
  for (let at = 0; at < 500; at++)
    await store.set(`brief/${at}`, bytes('1'), { expiresAt: time + 1 });
  await store.set('kept', bytes('1'));
  const count = (): Promise<unknown> =>
    withDatabase((database) => database.prepare('SELECT count(*) AS n FROM entries').get());
  expect(await count()).toEqual({ n: 501 });
  time += 60_000;
  // A call removes some, so that none takes long.
  for (let call = 0; call < 4; call++) await store.set('other', bytes('1'));
  expect(await count()).toEqual({ n: 2 });
  expect(await listed(store)).toEqual(['kept', 'other']);
});

test('a file that is no database is refused and left as it is', async () => {
  await mkdir(dirname(file));
  await writeFile(file, 'no database '.repeat(1000));
  expect(await failure(openStore().set('a', bytes('1')))).toMatch(
    /not an SQLite database.*other file/,
  );
  expect(await readFile(file, 'utf8')).toBe('no database '.repeat(1000));
});

test('a database of something else is refused and left as it is', async () => {
  await withDatabase((database) => {
    database.exec('CREATE TABLE entries (key TEXT)');
  });
  const before = await readFile(file);
  expect(await failure(openStore().get('a'))).toMatch(/another program.*Choose another file/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('a file of a newer version is refused and left as it is', async () => {
  await openStore().set('a', bytes('1'));
  await opened[0]?.dispose?.();
  await withDatabase((database) => {
    database.exec('PRAGMA user_version = 2');
  });
  const before = await readFile(file);
  expect(await failure(openStore().get('a'))).toMatch(/version 2.*version 1.*Use the release/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('a folder in the place of the file, and a file in that of the folder, are STORAGE errors', async () => {
  await mkdir(file, { recursive: true });
  expect(await failure(openStore().get('a'))).toMatch(/Give this user write access|Check the file/);
  await rm(file, { recursive: true });
  await writeFile(file, '');
  const below = join(file, 'below/store.db');
  expect(await failure(openStore({ file: below }).get('a'))).toMatch(/could not read "a"/);
});

test('a file that is cut says so, and what is in the rest can be read', async () => {
  const store = openStore();
  for (let at = 0; at < 200; at++)
    await store.set(`a/${String(at).padStart(3, '0')}`, Buffer.alloc(5000, at));
  await store.dispose?.();
  const cut = join(folder, 'cut-store.db');
  await copyFile(file, cut);
  await truncate(cut, Math.floor((await stat(cut)).size / 2 / 4096) * 4096);
  const reopened = openStore({ file: cut });
  const found = await Promise.allSettled(
    Array.from({ length: 200 }, (_, at) => reopened.get(`a/${String(at).padStart(3, '0')}`)),
  );
  const whole = found.flatMap((one, at) =>
    one.status === 'fulfilled' ? [[one.value, at] as const] : [],
  );
  const reasons = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons[0]).toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(
      /SQLite store could not read "a\/\d+" in .*store\.db.*damaged.*\.recover/,
    ) as string,
  });
  // No value is a wrong one.
  for (const [value, at] of whole)
    expect(Buffer.alloc(5000, at).equals(value ?? new Uint8Array())).toBe(true);
});

test('a lock that another process holds is waited for, without holding up the thread', async () => {
  const store = openStore();
  await store.set('a', bytes('1'));
  await withDatabase(async (database) => {
    database.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const counting = setInterval(() => turns++, 5);
    const writing = store.set('a', bytes('2'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    clearInterval(counting);
    expect(await store.get('a')).toEqual(bytes('1'));
    database.exec('COMMIT');
    await writing;
    expect(turns).toBeGreaterThan(5);
  });
  expect(await store.get('a')).toEqual(bytes('2'));
});

test('a lock that is never given back is a STORAGE error that says what to end', async () => {
  const store = openStore();
  await store.set('a', bytes('1'));
  await withDatabase(async (database) => {
    database.exec('BEGIN IMMEDIATE');
    expect(await failure(store.set('a', bytes('2')))).toMatch(/could not write "a".*5 s: end what/);
  });
  await store.set('a', bytes('3'));
  expect(await store.get('a')).toEqual(bytes('3'));
});
