/** A store in Redis: for jobs and caches that several hosts share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withSignal } from '../../core/runtime/deadline.ts';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { loadPackage, requirePackages } from '../../core/runtime/optional-packages.ts';
import {
  afterPrefix,
  keyFromBytes,
  keyToBytes,
  safePath,
} from '../../core/storage/entry-encoding.ts';
import { quoted, storageError } from '../../core/storage/storage-failures.ts';
import type { Store } from '../../core/storage/store.ts';

/** The Redis server, and the prefix in it. */
export type RedisStoreOptions = (
  | {
      /**
       * `redis://user:password@host:6379/0`, or `rediss:` for TLS. The store makes and closes its
       * client.
       */
      readonly url: string;
    }
  | {
      /**
       * A connected client of the package `redis`, version 5 or newer. The store does not close it.
       */
      readonly client: RedisClient;
    }
) & {
  /** The prefix of every key in Redis. @default 'pagewright:' */
  readonly prefix?: string;
};

const pageSize = 1000;

/**
 * Keeps each value in a key of its own, which expires with it, and an index of the keys in order.
 * Supports one server, also with replicas, but not a cluster. A lost connection is reopened; a call
 * throws `STORAGE` after 10 s without a reply. Throws
 * `MISSING_DEPENDENCY` without the package `redis`, 5 or newer.
 */
export function redisStore(options: RedisStoreOptions): Store {
  const { prefix = 'pagewright:' } = options;
  const where = 'client' in options ? 'its client' : checkedHost(options.url);
  if ('client' in options) refuseOtherClient(options.client);
  else requirePackages('redisStore()', 'redis');
  const connection = redisConnection(options);
  const index = `${prefix}keys`;
  const nameOf = (key: string): string => prefix + safePath(key).join('/');

  const send = async (
    verb: string,
    target: string,
    args: readonly (string | Buffer)[],
    repeatable = true,
  ): Promise<unknown> => {
    try {
      return await connection.send(args, repeatable);
    } catch (error) {
      const action = { store: 'Redis store', verb, target: `${target} at ${where}` };
      throw storageError(action, error, adviceForRedis(error));
    }
  };

  const inclusive = '['.charCodeAt(0);

  /** The keys from `from` on, in pages; keys with expired values leave the index. */
  async function* pages(prefixOfKeys: string): AsyncGenerator<readonly Buffer[]> {
    const start = keyToBytes(prefixOfKeys);
    const end = Buffer.concat([Buffer.from('('), afterPrefix(start)]);
    let from = Buffer.concat([Buffer.from('['), start]);
    for (;;) {
      const range = ['ZRANGEBYLEX', index, from, end, 'LIMIT', '0', String(pageSize)];
      const page = (await send('list', `${quoted(prefixOfKeys)}…`, range)) as readonly Buffer[];
      const last = page.at(-1);
      if (last === undefined) return;
      // The server may be something other than Redis, and continue for ever.
      if (Buffer.compare(last, from.subarray(1)) < (from[0] === inclusive ? 0 : 1)) {
        const action = { store: 'Redis store', verb: 'list', target: `${quoted(prefixOfKeys)}…` };
        const advice = 'Check what answers at its URL.';
        throw storageError(action, new Error('the keys repeat themselves'), advice);
      }
      yield page;
      if (page.length < pageSize) return;
      from = Buffer.concat([Buffer.from('('), last]);
    }
  }

  return {
    get: async (key) => {
      const value = (await send('read', quoted(key), ['GET', nameOf(key)])) as Buffer | null;
      return value === null ? undefined : new Uint8Array(value);
    },
    set: async (key, value, { expiresAt } = {}) => {
      const args = [copyOf(value), keyToBytes(key), expiryOf(expiresAt)];
      await send('write', quoted(key), ['EVAL', setScript, '2', nameOf(key), index, ...args]);
    },
    delete: async (key) => {
      const keys = ['2', nameOf(key), index];
      await send('remove', quoted(key), ['EVAL', removeScript, ...keys, keyToBytes(key)]);
    },
    async *list(prefixOfKeys) {
      for await (const page of pages(prefixOfKeys)) {
        const keys = page.map(keyFromBytes);
        const names = [index, ...keys.map(nameOf)];
        const args = ['EVAL', sweepScript, String(names.length), ...names, ...page];
        const alive = new Set(
          (await send('list', `${quoted(prefixOfKeys)}…`, args)) as readonly number[],
        );
        yield* keys.filter((_, at) => alive.has(at + 1));
      }
    },
    replace: async (key, expected, value, { expiresAt } = {}) => {
      const args = [copyOf(value), keyToBytes(key), expiryOf(expiresAt)];
      if (expected !== undefined) args.push(copyOf(expected));
      const command = ['EVAL', replaceScript, '2', nameOf(key), index, ...args];
      // Sent once: if the first was executed, a second would report that it was not.
      return (await send('replace', quoted(key), command, false)) === 1;
    },
    deleteAll: async (prefixOfKeys) => {
      for await (const page of pages(prefixOfKeys)) {
        const names = [index, ...page.map(keyFromBytes).map(nameOf)];
        const args = ['EVAL', forgetScript, String(names.length), ...names, ...page];
        await send('remove', `${quoted(prefixOfKeys)}…`, args);
      }
    },
    dispose: () => connection.close(),
  };
}

/** The host of a URL, for messages without its password. */
function checkedHost(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'redis:' || parsed?.protocol === 'rediss:') return parsed.host;
  throw new PagewrightError(
    'BAD_REQUEST',
    'redisStore: url must be like redis://127.0.0.1:6379, or pass a client.',
  );
}

function copyOf(value: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(value).buffer);
}

/** Whole ms since 1970, or empty for never; Redis accepts no larger number. */
function expiryOf(expiresAt = Infinity): string {
  return expiresAt > Number.MAX_SAFE_INTEGER ? '' : String(Math.max(1, Math.ceil(expiresAt)));
}

function adviceForRedis(error: unknown): string {
  const message = messageOf(error);
  if (message.startsWith('OOM ')) {
    return 'Raise maxmemory of the server, or remove values: what was stored before is still there.';
  }
  if (/^(?:NOAUTH|WRONGPASS|NOPERM)\b/.test(message)) {
    return 'Check the user and the password in the URL, and what they may do.';
  }
  if (message.startsWith('MISCONF ')) {
    return 'The server cannot save to its disk: free space there, or check its log.';
  }
  if (/^[A-Z]+ /.test(message)) return 'Check the log of the server.';
  return 'Check that the server runs and can be reached, then call again.';
}

// The connection to Redis: opened when first needed, given up after a time, reopened when lost.

/** The part of a client of the package `redis` that is used, version 5 or newer. */
export interface RedisClient {
  sendCommand(
    args: readonly (string | Buffer)[],
    options?: { readonly typeMapping?: object; readonly abortSignal?: AbortSignal },
  ): Promise<unknown>;
}

/** Version 4 takes the same call, and returns bytes as text. */
function refuseOtherClient(
  client: Partial<Record<'withTypeMapping', unknown>> & RedisClient,
): void {
  if (typeof client.withTypeMapping === 'function') return;
  const message =
    'redisStore: the client must be one of the package redis, version 5 or later; otherwise pass { url }.';
  throw new PagewrightError('BAD_REQUEST', message);
}

/** Commands over one client. */
export interface RedisConnection {
  /** Rejects after 10 s. A `repeatable` command is sent again if the connection was lost. */
  send(args: readonly (string | Buffer)[], repeatable: boolean): Promise<unknown>;
  close(): Promise<void>;
}

/** A client that the store made, and has to close. */
interface OpenedClient extends RedisClient {
  readonly isOpen: boolean;
  destroy(): void;
}

const mostWait = 10_000;

/** Byte replies are returned as bytes: 36 is `$`, the first byte of such a reply. */
const typeMapping = { 36: Buffer };

/** Sends commands with the caller's client, or with a new one for `url`. */
function redisConnection(
  to: { readonly url: string } | { readonly client: RedisClient },
): RedisConnection {
  let opening: Promise<OpenedClient> | undefined;
  let lastError: unknown;

  const connect = async (): Promise<RedisClient> => {
    if ('client' in to) return to.client;
    opening ??= openClient(to.url, (error) => (lastError = error));
    try {
      const client = await opening;
      if (client.isOpen) return client;
    } catch (error) {
      opening = undefined;
      throw error;
    }
    // Its reconnects have failed for long: a new client starts over.
    opening = undefined;
    return connect();
  };

  const sendUntil = async (
    args: readonly (string | Buffer)[],
    repeatable: boolean,
    abortSignal: AbortSignal,
  ): Promise<unknown> => {
    for (;;) {
      const client = await connect();
      try {
        return await client.sendCommand(args, { typeMapping, abortSignal });
      } catch (error) {
        // A client of the store is reopened.
        const again = isClosed(error) ? 'url' in to : mayBeRepeated(error, repeatable);
        if (abortSignal.aborted || !again) throw error;
      }
      await sleep(50, undefined, { signal: abortSignal });
    }
  };

  return {
    async send(args, repeatable) {
      const ending = new AbortController();
      const timer = setTimeout(() => {
        const reason = lastError === undefined ? '' : ` (${messageOf(lastError)})`;
        // Queued commands must not be sent after all.
        ending.abort(new Error(`no answer within ${mostWait / 1000} s${reason}`));
      }, mostWait);
      const { signal } = ending;
      try {
        return await withSignal(sendUntil(args, repeatable, signal), signal);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      const client = await opening?.catch(() => undefined);
      opening = undefined;
      if (client?.isOpen === true) client.destroy();
    },
  };
}

async function openClient(url: string, onError: (error: unknown) => void): Promise<OpenedClient> {
  const { createClient } = await loadPackage('redisStore()', 'redis', () => import('redis'));
  const client = createClient({
    url,
    socket: {
      connectTimeout: 5000,
      // Ends after 4 s, and at once when refused: endless retries would keep the process alive.
      reconnectStrategy: (tries, cause) =>
        tries > 10 || isFinal(cause) ? cause : Math.min(50 * 2 ** tries, 500),
    },
  });
  client.on('error', onError);
  // An idle connection does not keep the process alive; the timer of a command does.
  client.unref();
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw error;
  }
}

/** True when the command may be sent again: it was not executed, or is idempotent. */
function mayBeRepeated(error: unknown, repeatable: boolean): boolean {
  return repeatable ? !isFinal(error) : isNotDone(error);
}

/** True for a reply of the server: other failures concern the connection. */
function isFinal(error: unknown): boolean {
  return /^[A-Z]+ /.test(messageOf(error)) && !isNotDone(error);
}

/** True for a reply that the command was not executed, because the server starts or fails over. */
function isNotDone(error: unknown): boolean {
  return /^(?:LOADING|MASTERDOWN|READONLY|TRYAGAIN) /.test(messageOf(error));
}

/** True when a client was never opened, or has ended: no command was sent. */
function isClosed(error: unknown): boolean {
  return /client is closed/i.test(messageOf(error));
}

// Lua scripts of the Redis store: a value and its entry in the index change atomically.

const putLines = `
  redis.call('SET', KEYS[1], ARGV[1])
  if ARGV[3] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
  redis.call('ZADD', KEYS[2], 0, ARGV[2])`;

/** Name of the value, index; value, key, expiry. */
const setScript: string = putLines;

/** The same, with the expected value: 1 when it matched. */
const replaceScript: string = `
  if redis.call('GET', KEYS[1]) ~= (ARGV[4] or false) then return 0 end
  ${putLines}
  return 1`;

/** Name of the value, index; key. */
const removeScript = `
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`;

/**
 * Index, names of values; keys. Returns the positions of existing values; the others leave the index.
 */
const sweepScript = `
  local alive = {}
  for at, key in ipairs(ARGV) do
    if redis.call('EXISTS', KEYS[at + 1]) == 1 then table.insert(alive, at)
    else redis.call('ZREM', KEYS[1], key) end
  end
  return alive`;

/** Index, names of values; keys. */
const forgetScript = `
  for at, key in ipairs(ARGV) do
    redis.call('DEL', KEYS[at + 1])
    redis.call('ZREM', KEYS[1], key)
  end`;
