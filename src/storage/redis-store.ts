/** A store in Redis: for jobs and caches that several hosts share. */
import { messageOf, PagewrightError } from '../errors.ts';
import { afterPrefix, keyFromBytes, keyToBytes } from './key-bytes.ts';
import { type RedisClient, redisConnection } from './redis-connection.ts';
import {
  forgetScript,
  removeScript,
  replaceScript,
  setScript,
  sweepScript,
} from './redis-scripts.ts';
import { safePath } from './safe-name.ts';
import { quoted, storageError } from './storage-error.ts';
import type { Store } from './store.ts';

/** Which Redis, and where in it. */
export type RedisStoreOptions = (
  | {
      /** `redis://user:password@host:6379/0`, or `rediss:` for TLS. The store makes and ends its client. */
      readonly url: string;
    }
  | {
      /** A connected client of the package `redis`, version 5 or newer. The store does not end it. */
      readonly client: RedisClient;
    }
) & {
  /** What every key in Redis starts with. @default 'pagewright:' */
  readonly prefix?: string;
};

const pageSize = 1000;

/**
 * Keeps each value in a key of its own, which expires with it, and an index of the keys in order.
 * One server, or one with replicas: no cluster. A connection that is lost is made again; a call
 * throws `STORAGE` after 10 s without an answer. Needs the package `redis`, else
 * `MISSING_DEPENDENCY`.
 */
export function redisStore(options: RedisStoreOptions): Store {
  const { prefix = 'pagewright:' } = options;
  const where = 'client' in options ? 'its client' : checkedHost(options.url);
  const connection = redisConnection(options);
  const index = `${prefix}keys`;
  const nameOf = (key: string): string => prefix + safePath(key).join('/');

  const send = async (
    verb: string,
    place: string,
    args: readonly (string | Buffer)[],
    repeatable = true,
  ): Promise<unknown> => {
    try {
      return await connection.send(args, repeatable);
    } catch (error) {
      const action = { store: 'Redis store', verb, place: `${place} at ${where}` };
      throw storageError(action, error, adviceFor(error));
    }
  };

  /** The keys from `from` on, in pages; those whose value has expired leave the index. */
  async function* pages(prefixOfKeys: string): AsyncGenerator<readonly Buffer[]> {
    const start = keyToBytes(prefixOfKeys);
    const end = Buffer.concat([Buffer.from('('), afterPrefix(start)]);
    let from = Buffer.concat([Buffer.from('['), start]);
    for (;;) {
      const range = ['ZRANGEBYLEX', index, from, end, 'LIMIT', '0', String(pageSize)];
      const page = (await send('list', `${quoted(prefixOfKeys)}…`, range)) as readonly Buffer[];
      const last = page.at(-1);
      if (last === undefined) return;
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
      // Sent once: the first may have been done, and the second would say that it was not.
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

/** The host of a URL, for messages: never its password. */
function checkedHost(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'redis:' || parsed?.protocol === 'rediss:') return parsed.host;
  throw new PagewrightError(
    'BAD_REQUEST',
    'redisStore: url has to be like redis://127.0.0.1:6379, or pass a client.',
  );
}

function copyOf(value: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(value).buffer);
}

/** Whole ms since 1970, or nothing for never; Redis takes no number that is larger. */
function expiryOf(expiresAt = Infinity): string {
  return expiresAt > Number.MAX_SAFE_INTEGER ? '' : String(Math.max(1, Math.ceil(expiresAt)));
}

function adviceFor(error: unknown): string {
  const message = messageOf(error);
  if (message.startsWith('OOM ')) {
    return 'Raise maxmemory of the server, or remove values: what was stored before is still there.';
  }
  if (/^(?:NOAUTH|WRONGPASS|NOPERM)\b/.test(message)) {
    return 'Check the user and the password in the URL, and what they may do.';
  }
  if (message.startsWith('MISCONF ')) {
    return 'The server cannot save to its disk: make room there, or look at its log.';
  }
  if (/^[A-Z]+ /.test(message)) return 'Look at the log of the server.';
  return 'Check that the server runs and can be reached, then call again.';
}
