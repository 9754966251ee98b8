/** undici as the transport: the fastest client, on kept-alive connections in its own pool. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Client, Dispatcher } from 'undici';
import { addIdle, removeIdle } from '../../../runtime/file-descriptors.ts';
import { Lazy, loadModule } from '../../../runtime/load-module.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import {
  certificateErrorOf,
  openSocket,
  type SocketOptions,
  type Undici,
} from '../../open-socket.ts';
import { readTlsConfig, type TlsConfig } from '../../tls-config.ts';
import {
  clientClosed,
  type ExchangeResult,
  sendAgainIfDead,
  type Transport,
  type TransportRequest,
} from '../../transport.ts';
import {
  type Connection,
  type ConnectionTarget,
  exchange,
  type PoolEvents,
  type ExchangeWire,
} from './exchange.ts';
import { getOrInsert } from '../../../runtime/get-or-insert.ts';

/**
 * A transport over HTTP/1.1, and HTTP/2 if enabled, with kept-alive connections. Throws
 * `ValidationError` for invalid certificates and keys.
 */
export function undiciTransport(policy: NetworkPolicy, tls?: TlsConfig): Transport {
  const pool = new ConnectionPool({ lookup: policy.lookup, tls: readTlsConfig(tls) });
  return {
    async send(request) {
      const { url, headerBytes, skipTlsVerification, route, signal, freshConnection } = request;
      const target = { url, skipTlsVerification, headerBytes, route };
      return await sendAgainIfDead({
        idle: freshConnection === true ? undefined : pool.take(target),
        open: () => pool.open(target, signal),
        send: async (connection) => ({
          ...(await connection.exchange(request)),
          certificateError: connection.certificateError,
        }),
        needsNew: (cause) => wantsHttp1(cause) && pool.avoidHttp2(url),
      });
    },
    close: () => pool.close(),
  };
}

/** True when the server offers HTTP/2, but not for this page (RFC 9113, 7). */
function wantsHttp1(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NGHTTP2_HTTP_1_1_REQUIRED');
}

// The open connections of one engine: kept alive, reused, and closed when idle.

/** Pools each connection for requests that could have opened it. */
class ConnectionPool {
  readonly #options: SocketOptions;
  /** Loaded with the first request: it is the most expensive import of a scrape. */
  readonly #undici = new Lazy<Undici>(() => loadModule(() => import('undici')));
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();
  /** Sockets that are being opened, before their protocol is known. */
  readonly #opening = new Set<AbortController>();
  /** Origins that need HTTP/1.1 although they support HTTP/2. */
  readonly #http1Only = new Set<string>();
  #isClosed = false;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /** An idle connection. */
  take(target: ConnectionTarget): Connection | undefined {
    const idle = this.#idle.get(keyOf(target));
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) {
      removeIdle(last);
      if (last.isOpen) return last;
    }
    return undefined;
  }

  /**
   * A new connection. With HTTP/1.1 its socket opens with the first request; if HTTP/2 is offered
   * it opens now. Rejects with `CANCELLED` after `close`, and with socket errors.
   */
  async open(target: ConnectionTarget, signal: AbortSignal): Promise<Connection> {
    const undici = await this.#undici.get();
    if (this.#isClosed) throw clientClosed(target.url);
    const { protocol, origin } = target.url;
    const offersHttp2 =
      this.#options.tls.http2 && protocol === 'https:' && !this.#http1Only.has(origin);
    const connection = offersHttp2
      ? await this.#negotiate(undici, target, signal)
      : new Http1Connection(undici, target, this.#options, this.#events(target));
    this.#all.add(connection);
    return connection;
  }

  /** Stops offering HTTP/2 to the origin of this URL. */
  avoidHttp2({ origin }: URL): true {
    this.#http1Only.add(origin);
    return true;
  }

  /** Destroys every connection; requests in flight fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const attempt of this.#opening) attempt.abort();
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }

  /** Opens a socket and lets the server choose between HTTP/2 and HTTP/1.1. */
  async #negotiate(
    undici: Undici,
    target: ConnectionTarget,
    signal: AbortSignal,
  ): Promise<Connection> {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#opening.add(attempt);
    try {
      const options = { signal: attempt.signal, allowH2: true };
      const socket = await openSocket(undici, target, this.#options, options);
      const events = this.#events(target);
      if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== 'h2') {
        return new Http1Connection(undici, target, this.#options, events, socket);
      }
      const { Http2Connection } = await loadModule(() => import('./http2-connection.ts'));
      return new Http2Connection(socket, target, events);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#isClosed ? clientClosed(target.url) : error;
    } finally {
      this.#opening.delete(attempt);
      signal.removeEventListener('abort', abort);
    }
  }

  #events(target: ConnectionTarget): PoolEvents {
    const key = keyOf(target);
    return {
      onRelease: (connection) => {
        getOrInsert(this.#idle, key, () => []).push(connection);
        addIdle(connection, () => void connection.close());
      },
      onClose: (connection) => {
        removeIdle(connection);
        this.#all.delete(connection);
        const others = this.#idle.get(key)?.filter((one) => one !== connection) ?? [];
        if (others.length > 0) this.#idle.set(key, others);
        else this.#idle.delete(key);
      },
    };
  }
}

function keyOf({ url, skipTlsVerification, headerBytes, route }: ConnectionTarget): string {
  return [url.origin, skipTlsVerification, headerBytes, route?.url, route?.dns].join(' ');
}

// A connection over HTTP/1.1: an undici client with one socket.

/**
 * undici's own pools cannot close a socket that is being opened when its request is aborted, nor
 * open a fresh one when a kept-alive one turns out to be dead.
 */
class Http1Connection implements Connection, ExchangeWire {
  readonly #client: Client;
  readonly #events: PoolEvents;
  /** Destroys the socket in any state. */
  readonly #abort = new AbortController();
  /** An open socket that waits for the first request. */
  #open: Socket | undefined;
  #socket: Socket | undefined;
  #isBusy = false;
  socketError: Error | undefined;

  /** The socket opens with the first request, unless an open one is passed. */
  constructor(
    undici: Undici,
    target: ConnectionTarget,
    options: SocketOptions,
    events: PoolEvents,
    open?: Socket,
  ) {
    this.#events = events;
    this.#open = open;
    const { signal } = this.#abort;
    this.#client = new undici.Client(target.url.origin, {
      maxHeaderSize: target.headerBytes,
      keepAliveMaxTimeout,
      connect: (_, callback) => {
        const open = this.#open;
        this.#open = undefined;
        const opening =
          open === undefined
            ? openSocket(undici, target, options, { signal, allowH2: false })
            : Promise.resolve(open);
        opening.then(
          (socket) => {
            this.#adopt(socket);
            callback(null, socket);
          },
          (error: unknown) => callback(error as Error, null),
        );
      },
    });
    // A busy client opens a new socket by itself when it finds the old one closed before sending.
    this.#client.on('disconnect', () => {
      if (!this.#isBusy) events.onClose(this);
    });
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  get certificateError(): string | undefined {
    return certificateErrorOf(this.#socket);
  }

  exchange(request: TransportRequest): Promise<ExchangeResult> {
    return exchange(this, request);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#isBusy = true;
    this.#client.dispatch(options, handler);
  }

  release(): void {
    this.#isBusy = false;
    this.#events.onRelease(this);
  }

  destroy(): void {
    void this.close();
  }

  async close(): Promise<void> {
    this.#events.onClose(this);
    const closed = this.#client.destroy();
    this.#abort.abort();
    this.#open?.destroy();
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

const keepAliveMaxTimeout = 15_000; // milliseconds, whatever the server offers
