import { createClient } from 'redis';
import { storeConformance } from 'pagewright/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { redisStore } from '../../../src/entries/storage/redis-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let server: RedisServer;
let client: ReturnType<typeof createClient>;
const opened: Store[] = [];

beforeAll(async () => {
  server = await startRedis();
  client = createClient({ url: server.url });
  await client.connect();
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});
beforeEach(() => client.flushAll());
afterEach(async () => {
  for (const store of opened.splice(0)) await store.dispose?.();
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function open(options: { readonly url?: string; readonly prefix?: string } = {}): Store {
  const store = redisStore({ url: server.url, ...options });
  opened.push(store);
  return store;
}

async function listed(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

describe('redisStore conforms with a URL', () => {
  const fresh = async (): Promise<Store> => {
    await client.flushAll();
    return redisStore({ url: server.url });
  };
  const openAgain = (): Store => redisStore({ url: server.url });
  for (const { name, run } of storeConformance(fresh, { openAgain })) test(name, run);
});

describe('redisStore conforms with a client', () => {
  const fresh = async (): Promise<Store> => {
    await client.flushAll();
    return redisStore({ client });
  };
  for (const { name, run } of storeConformance(fresh)) test(name, run);

  test('a list ends with STORAGE when the server repeats its keys', async () => {
    let pages = 0;
    const sendCommand = async (
      args: readonly (string | Buffer)[],
      options?: object,
    ): Promise<unknown> => {
      const isList = args[0] === 'ZRANGEBYLEX';
      const reply: unknown = await client.sendCommand(
        isList ? [...args.slice(0, 2), '-', '+'] : args,
        options,
      );
      if (!isList) return reply;
      pages += 1;
      const [key] = reply as Buffer[];
      return Array<Buffer | undefined>(1000).fill(key);
    };
    const repeating = Object.assign(Object.create(client) as object, {
      sendCommand,
    }) as typeof client;
    const store = redisStore({ client: repeating });
    await store.set('a', bytes('1'));
    await expect(listed(store)).rejects.toMatchObject({ code: 'STORAGE' });
    expect(pages).toBe(2);
  });

  test('and leaves it open', async () => {
    const store = redisStore({ client });
    await store.set('a', bytes('1'));
    await store.dispose?.();
    expect(await client.ping()).toBe('PONG');
  });
});

test('stores with different prefixes share nothing, and all keys have the prefix', async () => {
  const [one, other] = [open({ prefix: 'one:' }), open({ prefix: 'other:' })];
  await one.set('a/b', bytes('1'));
  await other.set('a/b', bytes('2'));
  expect(await one.get('a/b')).toEqual(bytes('1'));
  await one.deleteAll?.('');
  expect(await listed(one)).toEqual([]);
  expect(await listed(other)).toEqual(['a/b']);
  expect((await client.keys('*')).sort()).toEqual(['other:a/b.entry', 'other:keys']);
});

test('a value of which Redis let go leaves the lists and the index', async () => {
  const store = open();
  await store.set('a', bytes('1'));
  await store.set('b', bytes('1'));
  await client.del('pagewright:a.entry');
  expect(await listed(store)).toEqual(['b']);
  expect(await client.zCard('pagewright:keys')).toBe(1);
});

test('a list longer than a page is whole, and in its order', async () => {
  const store = open();
  const keys = Array.from({ length: 2500 }, (_, at) => `key/${String(at).padStart(5, '0')}`);
  await Promise.all(keys.map((key) => store.set(key, bytes(key))));
  expect(await listed(store, 'key/')).toEqual(keys);
  await store.deleteAll?.('key/');
  expect(await client.keys('*')).toEqual([]);
});

test.each(['', 'nonsense', 'http://127.0.0.1/', 'redis'])('the url "%s" is BAD_REQUEST', (url) => {
  expect(() => redisStore({ url })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
  );
});

test('a server that is not there is a STORAGE error that names the host, not the password', async () => {
  const store = open({ url: 'redis://user:secret@127.0.0.1:9' });
  const error = (await store.get('a').catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: 'STORAGE' });
  expect(error.message).toMatch(
    /Redis store could not read "a" at 127\.0\.0\.1:9.*ECONNREFUSED.*runs and can be reached/,
  );
  expect(error.message).not.toContain('secret');
}, 30_000);

test('a client that is closed is a STORAGE error at once', async () => {
  const closed = createClient({ url: server.url });
  const started = Date.now();
  await expect(redisStore({ client: closed }).get('a')).rejects.toMatchObject({ code: 'STORAGE' });
  expect(Date.now() - started).toBeLessThan(5000);
});

describe('with a server of its own', () => {
  let other: RedisServer | undefined;
  afterEach(async () => {
    await other?.stop();
  });

  test('values outlive the server, and calls go on when it is back', async () => {
    other = await startRedis({ persistent: true });
    const store = open({ url: other.url });
    await store.set('a', bytes('1'));
    await other.kill();
    const reading = store.get('a');
    const writing = store.set('b', bytes('2'));
    await other.restart();
    expect(await reading).toEqual(bytes('1'));
    await writing;
    expect(await listed(store)).toEqual(['a', 'b']);
  });

  test('a wrong password says what to check', async () => {
    other = await startRedis({ config: ['--requirepass', 'right'] });
    const store = open({ url: other.url.replace('//', '//:wrong@') });
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/Check the user and the password/) as string,
    });
    const right = open({ url: other.url.replace('//', '//:right@') });
    await right.set('a', bytes('1'));
    expect(await right.get('a')).toEqual(bytes('1'));
  }, 30_000);

  test('a full server keeps what it has, and says what to do', async () => {
    other = await startRedis({
      config: ['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction'],
    });
    const store = open({ url: other.url });
    let stored = 0;
    const fill = async (): Promise<void> => {
      for (; stored < 100; stored++) await store.set(`a/${stored}`, new Uint8Array(100_000));
    };
    await expect(fill()).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/Raise maxmemory/) as string,
    });
    expect(await listed(store, 'a/')).toHaveLength(stored);
    await store.delete('a/0');
    expect(await store.get('a/1')).toHaveLength(100_000);
  });
});
