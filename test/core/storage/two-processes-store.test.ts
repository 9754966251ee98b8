/** Two processes that write to one store at once, and one that is killed while it does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { redisStore } from '../../../src/entries/storage/redis-store.ts';
import { s3Store } from '../../../src/entries/storage/s3-store.ts';
import { fileStore } from '../../../src/core/storage/file-store.ts';
import { sqliteStore } from '../../../src/entries/storage/sqlite-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { type S3Server, startS3 } from '../../support/s3.ts';

const built = new URL('../../../build/', import.meta.url).href;
let folder: string;
let server: RedisServer;
let bucket: S3Server;
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await startRedis();
  bucket = await startS3();
});
afterAll(async () => {
  await server.stop();
  await bucket[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'two-processes-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Writes values and counts them up, and says so after each, until it is killed. */
const writer = (expression: string, name: string): string => `
  const store = ${expression};
  const text = (value) => new TextDecoder().decode(value);
  for (let at = 0; ; at++) {
    await store.set('${name}/' + at, new TextEncoder().encode('${name} ' + at + ' '.repeat(20_000)));
    for (;;) {
      const count = await store.get('count');
      const next = new TextEncoder().encode(String(Number(text(count ?? new Uint8Array())) + 1));
      if (await store.replace('count', count, next)) break;
    }
    await new Promise((resolve) => process.stdout.write(at + '\\n', resolve));
  }
`;

function start(script: string): { readonly child: ChildProcess; written(): number } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let count = 0;
  createInterface({ input: child.stdout }).on('line', () => count++);
  return { child, written: () => count };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function listed(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

const decoded = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

/** Each as the test opens it, and as the processes do. */
const stores: readonly (readonly [string, () => Store, () => string])[] = [
  [
    'fileStore',
    () => fileStore(join(folder, 'store')),
    () => called('core/storage/file-store.js', 'fileStore', join(folder, 'store')),
  ],
  [
    'sqliteStore',
    () => sqliteStore({ file: join(folder, 'store.db') }),
    () =>
      called('entries/storage/sqlite-store.js', 'sqliteStore', { file: join(folder, 'store.db') }),
  ],
  [
    'redisStore',
    () => redisStore({ url: server.url }),
    () => called('entries/storage/redis-store.js', 'redisStore', { url: server.url }),
  ],
  [
    's3Store',
    () => s3Store(bucket.access),
    () => called('entries/storage/s3-store.js', 's3Store', bucket.access),
  ],
];

const called = (file: string, name: string, argument: unknown): string =>
  `(await import('${built}${file}')).${name}(${JSON.stringify(argument)})`;

describe.each(stores)('%s', (name, open, expression) => {
  test(
    'loses nothing of two writers, of which one is killed again and again',
    { timeout: 90_000 },
    async () => {
      const lasting = start(writer(expression(), 'lasting'));
      let told = 0;
      const rounds = 4;
      for (let round = 0; round < rounds; round++) {
        const killed = start(writer(expression(), `killed-${round}`));
        const before = lasting.written();
        await until(() => killed.written() > 5 && lasting.written() > before);
        await kill(killed.child);
        told += killed.written();
        const store = open();
        for (let at = 0; at < killed.written(); at++) {
          expect(decoded(await store.get(`killed-${round}/${at}`)).trimEnd()).toBe(
            `killed-${round} ${at}`,
          );
        }
        await store.dispose?.();
      }
      const before = lasting.written();
      await until(() => lasting.written() > before + 5);
      await kill(lasting.child);
      told += lasting.written();

      const store = open();
      expect((await listed(store, 'lasting/')).length).toBeGreaterThanOrEqual(lasting.written());
      for (let at = 0; at < lasting.written(); at++) {
        expect(decoded(await store.get(`lasting/${at}`)).trimEnd()).toBe(`lasting ${at}`);
      }
      // Each may have counted once more than it was able to say.
      const count = Number(decoded(await store.get('count')));
      expect(count).toBeGreaterThanOrEqual(told);
      expect(count).toBeLessThanOrEqual(told + rounds + 1);
      await store.set('count', new Uint8Array([1]));
      await listed(store, '');
      await store.dispose?.();

      if (name === 'sqliteStore') {
        const database = new DatabaseSync(join(folder, 'store.db'));
        expect(database.prepare('PRAGMA integrity_check').all()).toEqual([
          { integrity_check: 'ok' },
        ]);
        database.close();
      }
      if (name === 'fileStore') {
        const left = await readdir(join(folder, 'store'), { recursive: true });
        expect(left.filter((file) => file.endsWith('.partial'))).toEqual([]);
      }
    },
  );
});
