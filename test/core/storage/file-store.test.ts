import { spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { storeConformance } from 'pagewright/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../src/core/storage/file-store.ts';
import { isProcessGone, processMark } from '../../../src/core/storage/process-mark.ts';
import type { Store } from '../../../src/core/storage/store.ts';

const built = new URL('../../../build/core/storage/', import.meta.url).href;
let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'file-store-'));
  directory = join(parent, 'store');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function listed(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function onlyFile(): Promise<string> {
  const [file = '', ...others] = await filesIn(directory);
  expect(others).toEqual([]);
  return file;
}

describe('fileStore conforms', () => {
  const open = (): Store => fileStore(directory);
  for (const { name, run } of storeConformance(open, { openAgain: open })) test(name, run);
});

test('nothing is made before something is stored', async () => {
  const store = fileStore(directory);
  expect(await store.get('a')).toBeUndefined();
  expect(await listed(store)).toEqual([]);
  await store.delete('a');
  expect(await readdir(parent)).toEqual([]);
});

test('values outlive the store', async () => {
  await fileStore(directory).set('jobs/1/state', bytes('done'));
  const store = fileStore(directory);
  expect(await store.get('jobs/1/state')).toEqual(bytes('done'));
  expect(await listed(store, 'jobs/1/')).toEqual(['jobs/1/state']);
});

test.each([
  '..',
  '../..',
  '../../evil',
  '/etc/evil',
  '..\\evil',
  '.',
  '',
  '%2e%2e/x',
  'a/../../../x',
])('the key "%s" stays in the directory', async (key) => {
  await fileStore(directory).set(key, bytes('x'));
  expect(await readdir(parent)).toEqual(['store']);
  expect(await filesIn(directory)).toHaveLength(1);
});

test('file names are legal everywhere and differ in more than upper and lower case', async () => {
  const store = fileStore(directory);
  const keys = ['A', 'a', 'con', 'CON', 'a:b', 'a?', 'x'.repeat(300), 'ÄÖ', 'name.', 'name '];
  for (const key of keys) await store.set(key, bytes(key));
  const names = (await filesIn(directory)).map((file) => basename(file).toLowerCase());
  expect(new Set(names).size).toBe(keys.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_%~-]{1,130}\.entry$/);
  expect(names).not.toContain('con.entry');
});

test('a key that looks like the file name of another is another', async () => {
  const store = fileStore(directory);
  const long = 'y'.repeat(500);
  await store.set(long, bytes('long'));
  const name = basename(await onlyFile(), '.entry');
  for (const key of [name, `${name}.entry`, name.toUpperCase()]) {
    expect(await store.get(key)).toBeUndefined();
    await store.set(key, bytes('other'));
  }
  expect(await store.get(long)).toEqual(bytes('long'));
});

test('parallel writes of many keys and of one leave no partial file', async () => {
  const store = fileStore(directory);
  const keys = Array.from({ length: 100 }, (_, at) => `folder/${at % 10}/key`);
  await Promise.all(keys.map((key, at) => store.set(key, Buffer.alloc(50_000, at))));
  expect(await listed(store)).toEqual([...new Set(keys)].sort());
  expect(await filesIn(directory)).toHaveLength(10);
  for (const key of new Set(keys)) {
    const value = (await store.get(key)) ?? new Uint8Array();
    expect(value).toHaveLength(50_000);
    expect(value.every((byte) => byte === value[0])).toBe(true);
  }
});

test('the rest of a write that was killed is no value', async () => {
  const store = fileStore(directory);
  await store.set('a', bytes('1'));
  const file = await onlyFile();
  await writeFile(`${file}.00000000.partial`, (await readFile(file)).subarray(0, 10));
  expect(await listed(store)).toEqual(['a']);
});

test.each([0, 3, 10, 25, -1])(
  'a file cut to %i bytes is a STORAGE error naming it',
  async (length) => {
    const store = fileStore(directory);
    await store.set('some/key', bytes('a value'));
    const file = await onlyFile();
    const { length: whole } = await readFile(file);
    await truncate(file, length < 0 ? whole + length : length);
    const error = { code: 'STORAGE', message: expect.stringContaining(file) as string };
    await expect(store.get('some/key')).rejects.toMatchObject(error);
    await store.set('some/key', bytes('mended'));
    expect(await store.get('some/key')).toEqual(bytes('mended'));
  },
);

test('a file of something else is a STORAGE error naming it, in lists too', async () => {
  const store = fileStore(directory);
  await store.set('a', bytes('1'));
  const file = await onlyFile();
  await writeFile(file, 'x'.repeat(2000));
  const error = { code: 'STORAGE', message: expect.stringContaining(file) as string };
  await expect(store.get('a')).rejects.toMatchObject(error);
  await expect(listed(store)).rejects.toMatchObject(error);
});

test('a value that is cut does not hide the other keys', async () => {
  const store = fileStore(directory);
  await store.set('a', bytes('a value'));
  await truncate(await onlyFile(), (await readFile(await onlyFile())).length - 1);
  await store.set('b', bytes('1'));
  expect(await listed(store)).toEqual(['a', 'b']);
});

test('an expired value leaves the disk, whether it is read or listed', async () => {
  let time = 1000;
  const store = fileStore(directory, { now: () => time });
  await store.set('read', bytes('1'), { expiresAt: 2000 });
  await store.set('listed', bytes('1'), { expiresAt: 2000 });
  await store.set('kept', bytes('1'), { expiresAt: 2001 });
  time = 2000;
  expect(await store.get('read')).toBeUndefined();
  expect(await filesIn(directory)).toHaveLength(2);
  expect(await listed(store)).toEqual(['kept']);
  expect(await filesIn(directory)).toHaveLength(1);
});

test('a value written while its expired forerunner is read is kept', async () => {
  const store = fileStore(directory);
  for (let round = 0; round < 50; round++) {
    await store.set('a', bytes('old'), { expiresAt: Date.now() - 1 });
    await Promise.all([
      store.get('a'),
      store.set('a', bytes('new')),
      store.get('a'),
      listed(store),
    ]);
    expect(await store.get('a')).toEqual(bytes('new'));
  }
});

test('a list reads the folder of its prefix only', async () => {
  const store = fileStore(directory);
  await store.set('damaged', bytes('1'));
  await writeFile(await onlyFile(), 'x'.repeat(2000));
  await store.set('jobs/1/a', bytes('1'));
  await store.set('jobs/10/a', bytes('1'));
  expect(await listed(store, 'jobs/1')).toEqual(['jobs/1/a', 'jobs/10/a']);
  expect(await listed(store, 'jobs/1/')).toEqual(['jobs/1/a']);
});

test('a directory that cannot be written to is a STORAGE error naming the file', async () => {
  // A file in the directory's place: permissions would not stop a test that runs as root.
  await writeFile(directory, 'in the way');
  const store = fileStore(directory);
  const error = { code: 'STORAGE', message: expect.stringContaining(directory) as string };
  await expect(store.set('a/b', bytes('1'))).rejects.toMatchObject(error);
  await expect(store.get('a/b')).rejects.toMatchObject(error);
  await expect(store.delete('a/b')).rejects.toMatchObject(error);
  await expect(listed(store)).rejects.toMatchObject(error);
});

test('a file with a hole, as a loss of power leaves it, is a STORAGE error naming it', async () => {
  const store = fileStore(directory);
  await store.set('a', Buffer.alloc(10_000, 'x'));
  const file = await onlyFile();
  const content = await readFile(file);
  await writeFile(file, content.fill(0, 5000, 6000));
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringContaining(file) as string,
  });
});

test('with fsync a value is stored the same', async () => {
  const store = fileStore(directory, { fsync: true });
  await store.set('a/b', bytes('1'));
  expect(await fileStore(directory).get('a/b')).toEqual(bytes('1'));
});

describe('what a process leaves when it is killed', () => {
  /** A mark as that process would have made it. */
  const markOf = (pid: number): string => {
    const [host = '', , start = '', random = ''] = processMark().split('-');
    return [host, pid, start, random].join('-');
  };
  const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

  test('a partial file goes with the next list, that of a live process stays', async () => {
    const store = fileStore(directory);
    await store.set('a', bytes('1'));
    const file = await onlyFile();
    const alive = `${file}.${processMark()}.partial`;
    await writeFile(alive, 'cut');
    await writeFile(`${file}.${markOf(deadPid())}.partial`, 'cut');
    expect(await listed(store)).toEqual(['a']);
    expect((await filesIn(directory)).sort()).toEqual([file, alive].sort());
  });

  test('a lock is taken over at once, by one', async () => {
    const store = fileStore(directory) as Store & Required<Pick<Store, 'replace'>>;
    await store.set('a', bytes('0'));
    await writeFile(`${await onlyFile()}.lock`, markOf(deadPid()));
    const started = Date.now();
    const told = await Promise.all(
      ['1', '2', '3', '4', '5'].map((next) => store.replace('a', bytes('0'), bytes(next))),
    );
    expect(told.filter(Boolean)).toHaveLength(1);
    expect(Date.now() - started).toBeLessThan(8000);
    expect(await filesIn(directory)).toHaveLength(1);
  });

  test('a process number that was given to another process is no life', async () => {
    const [host, , , random] = processMark().split('-');
    expect(isProcessGone(processMark())).toBe(false);
    expect(isProcessGone(`${host}-${process.pid}-1-${random}`)).toBe(process.platform === 'linux');
    expect(isProcessGone(`otherhost-${deadPid()}-1-${random}`)).toBe(false);
    expect(isProcessGone('nonsense')).toBe(false);
  });

  test('a lock of an unknown maker, or an empty one, is waited for, but not for ever', async () => {
    const store = fileStore(directory);
    await store.set('a', bytes('0'));
    const lock = `${await onlyFile()}.lock`;
    await writeFile(lock, '');
    const replacing = store.replace?.('a', bytes('0'), bytes('1'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await store.get('a')).toEqual(bytes('0'));
    await utimes(lock, new Date(), new Date(Date.now() - 11_000));
    expect(await replacing).toBe(true);
  });
});

test.skipIf(process.platform === 'win32')(
  'the lock of another process stays where no file can be opened',
  async () => {
    const store = fileStore(directory);
    await store.set('a', bytes('0'));
    const lock = `${await onlyFile()}.lock`;
    await writeFile(lock, processMark());
    const script = `
      const { openSync } = await import('node:fs');
      const { fileStore } = await import('${built}file-store.js');
      const store = fileStore(${JSON.stringify(directory)});
      try { for (;;) openSync('/dev/null'); } catch {}
      const error = await store.replace('a', undefined, new Uint8Array()).catch((thrown) => thrown);
      console.log(error.message);
    `;
    const limited = `ulimit -n 100; exec "$0" --input-type=module -e "$1"`;
    const { stdout } = spawnSync('bash', ['-c', limited, process.execPath, script]);
    expect(stdout.toString()).toContain('Too many files are open');
    expect(await filesIn(directory)).toContain(lock);
  },
);

test('deleteAll leaves the files of others, and takes damaged ones of ours', async () => {
  const store = fileStore(directory);
  await store.set('jobs/1/a', bytes('1'));
  await writeFile(await onlyFile(), 'damaged');
  await mkdir(join(directory, 'jobs/mine'), { recursive: true });
  await writeFile(join(directory, 'jobs/mine/notes.txt'), 'keep');
  await store.deleteAll?.('');
  expect(await filesIn(directory)).toEqual([join(directory, 'jobs/mine/notes.txt')]);
  expect(await readdir(join(directory, 'jobs'))).toEqual(['mine']);
});

test('values can be set while all others are removed', async () => {
  const store = fileStore(directory);
  for (let round = 0; round < 30; round++) {
    await Promise.all([store.set('a/b/c', bytes('1')), store.deleteAll?.('a/')]);
  }
  await store.set('a/b/c', bytes('2'));
  expect(await listed(store)).toEqual(['a/b/c']);
});
