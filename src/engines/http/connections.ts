/** The open connections of one engine: kept alive, reused, and closed when nobody needs them. */
import type { LookupFunction, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Client, Dispatcher } from 'undici';
import { PagewrightError } from '../../errors.ts';

type Undici = typeof import('undici');

/** Which connections can serve a request: those of the same origin, opened in the same way. */
export interface ConnectionTarget {
  readonly url: URL;
  /** Refuse certificates that do not verify. */
  readonly verifyTls: boolean;
  /** Bytes of response headers. */
  readonly headerBytes: number;
}

/** One connection, used by one request at a time. */
export interface Connection {
  /** True when an earlier request was answered on it. */
  readonly wasUsed: boolean;
  /** What is wrong with the server's certificate, though it was accepted. */
  readonly certificateError: string | undefined;
  /** Bytes received so far, those of earlier responses included. */
  readonly bytesRead: number;
  /** What broke the socket, when undici takes its end for the end of the body. */
  readonly socketError: Error | undefined;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** The request is answered in full: the connection may serve another one. */
  release(): void;
  /** Closes the socket, also one that is still being opened. */
  destroy(): void;
}

/**
 * A pool of undici clients. undici's own pools cannot close a socket that is being opened when its
 * request is aborted, nor open a fresh one when a kept-alive one turns out to be dead.
 */
export class ConnectionPool {
  readonly #lookup: LookupFunction;
  /** Loaded with the first request: it is the costliest import of a scrape. */
  #undici: Promise<Undici> | undefined;
  readonly #idle = new Map<string, PooledConnection[]>();
  readonly #all = new Set<PooledConnection>();
  #isClosed = false;

  constructor(lookup: LookupFunction) {
    this.#lookup = lookup;
  }

  /** An idle connection, or a new one. */
  async take(target: ConnectionTarget): Promise<Connection> {
    const idle = this.#idle.get(keyOf(target));
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) {
      if (last.isOpen) return last;
    }
    return this.open(target);
  }

  /** A new connection; its socket opens with the first request. Rejects with `CANCELLED` after `close`. */
  async open(target: ConnectionTarget): Promise<Connection> {
    const undici = await (this.#undici ??= import('undici'));
    if (this.#isClosed) {
      throw new PagewrightError(
        'CANCELLED',
        `The client is closed and cannot fetch ${target.url.href}. Make a new one.`,
      );
    }
    const key = keyOf(target);
    const connection = new PooledConnection(undici, this.#lookup, target, {
      onRelease: () => {
        const idle = this.#idle.get(key);
        if (idle === undefined) this.#idle.set(key, [connection]);
        else idle.push(connection);
      },
      onClose: () => {
        this.#all.delete(connection);
        const others = this.#idle.get(key)?.filter((one) => one !== connection) ?? [];
        if (others.length > 0) this.#idle.set(key, others);
        else this.#idle.delete(key);
      },
    });
    this.#all.add(connection);
    return connection;
  }

  /** Destroys every connection; requests in flight fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }
}

interface PoolEvents {
  onRelease(): void;
  onClose(): void;
}

class PooledConnection implements Connection {
  readonly #client: Client;
  readonly #events: PoolEvents;
  /** Destroys the socket in any state. */
  readonly #abort = new AbortController();
  #socket: Socket | undefined;
  #isBusy = false;
  wasUsed = false;
  socketError: Error | undefined;

  constructor(
    undici: Undici,
    lookup: LookupFunction,
    { url, verifyTls, headerBytes }: ConnectionTarget,
    events: PoolEvents,
  ) {
    this.#events = events;
    const options = {
      lookup,
      signal: this.#abort.signal,
      rejectUnauthorized: verifyTls,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout,
      timeout: connectTimeout,
      maxCachedSessions: 0,
    };
    const connect = undici.buildConnector(options);
    this.#client = new undici.Client(url.origin, {
      maxHeaderSize: headerBytes,
      keepAliveMaxTimeout,
      connect: (target, callback) => {
        connect(target, (...result) => {
          if (result[0] === null) this.#adopt(result[1]);
          callback(...result);
        });
      },
    });
    // A busy client opens a new socket by itself when it finds the old one closed before sending.
    this.#client.on('disconnect', () => {
      if (!this.#isBusy) events.onClose();
    });
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  get certificateError(): string | undefined {
    const socket = this.#socket;
    if (!(socket instanceof TLSSocket) || socket.authorized) return undefined;
    // Its type says Error; it is the code of what OpenSSL found.
    return String(socket.authorizationError);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#isBusy = true;
    this.#client.dispatch(options, handler);
  }

  release(): void {
    this.#isBusy = false;
    this.wasUsed = true;
    this.#events.onRelease();
  }

  destroy(): void {
    void this.close();
  }

  async close(): Promise<void> {
    this.#events.onClose();
    const closed = this.#client.destroy();
    this.#abort.abort();
    await closed;
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.socketError = undefined;
    socket.on('error', (error) => {
      this.socketError = error;
    });
  }
}

/** Milliseconds for DNS, TCP and TLS together; the request's own signal may end it sooner. */
const connectTimeout = 30_000;

/** Milliseconds that an idle connection is kept at most, whatever its server offers. */
const keepAliveMaxTimeout = 15_000;

/** Milliseconds before the next address of a host is tried; Node's 250 are too few for slow lines. */
const autoSelectFamilyAttemptTimeout = 1_000;

function keyOf({ url, verifyTls, headerBytes }: ConnectionTarget): string {
  return `${url.origin} ${verifyTls} ${headerBytes}`;
}
