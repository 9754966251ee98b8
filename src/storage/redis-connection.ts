/** The way to Redis: opened when first needed, given up after a time, opened again when lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, MissingDependencyError } from '../errors.ts';

/** What is used of a client of the package `redis`, version 5 or newer. */
export interface RedisClient {
  sendCommand(
    args: readonly (string | Buffer)[],
    options?: { readonly typeMapping?: object; readonly abortSignal?: AbortSignal },
  ): Promise<unknown>;
}

/** Commands over one client. */
export interface RedisConnection {
  /** Rejects after 10 s. A `repeatable` command is sent again when the connection was lost. */
  send(args: readonly (string | Buffer)[], repeatable: boolean): Promise<unknown>;
  close(): Promise<void>;
}

/** A client that we made, and have to end. */
interface OwnClient extends RedisClient {
  readonly isOpen: boolean;
  destroy(): void;
}

const waitAtMost = 10_000;

/** Replies of bytes come as bytes: 36 is the `$` that such a reply starts with. */
const typeMapping = { 36: Buffer };

/** Sends commands with the caller's client, or with one of our own to `url`. */
export function redisConnection(
  to: { readonly url: string } | { readonly client: RedisClient },
): RedisConnection {
  let opening: Promise<OwnClient> | undefined;
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
    // It has tried for long to come back: a new one begins anew.
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
        // One of ours is opened again.
        const again = isClosed(error) ? 'url' in to : mayBeRepeated(error, repeatable);
        if (abortSignal.aborted || !again) throw error;
      }
      await sleep(50, undefined, { signal: abortSignal });
    }
  };

  return {
    async send(args, repeatable) {
      const ending = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const reason = lastError === undefined ? '' : ` (${messageOf(lastError)})`;
          reject(new Error(`no answer within ${waitAtMost / 1000} s${reason}`));
          // What still waits to be sent must not arrive after all.
          ending.abort();
        }, waitAtMost);
      });
      try {
        return await Promise.race([sendUntil(args, repeatable, ending.signal), late]);
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

async function openClient(url: string, onError: (error: unknown) => void): Promise<OwnClient> {
  const { createClient } = await import('redis').catch((error: unknown) => {
    throw new MissingDependencyError('redis', 'redisStore', error);
  });
  const client = createClient({
    url,
    socket: {
      connectTimeout: 5000,
      // Ends after 4 s, and at once when refused: a client that tries for ever keeps the process alive.
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

/** True when the command may be sent again: it was not done, or may be done twice. */
function mayBeRepeated(error: unknown, repeatable: boolean): boolean {
  return repeatable ? !isFinal(error) : isNotDone(error);
}

/** True for a reply of the server: other failures are those of the connection. */
function isFinal(error: unknown): boolean {
  return /^[A-Z]+ /.test(messageOf(error)) && !isNotDone(error);
}

/** True for a reply that nothing was done, because the server starts or hands over. */
function isNotDone(error: unknown): boolean {
  return /^(?:LOADING|MASTERDOWN|READONLY|TRYAGAIN) /.test(messageOf(error));
}

/** True when a client was never opened, or has ended: nothing was sent. */
function isClosed(error: unknown): boolean {
  return /client is closed/i.test(messageOf(error));
}
