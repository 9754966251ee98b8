/** The open connections of one engine: kept alive, reused, and closed when nobody needs them. */
import { TLSSocket } from 'node:tls';
import { PagewrightError } from '../../../errors.ts';
import type { Connection, ConnectionTarget, PoolEvents } from './connection.ts';
import { Http1Connection } from './http1-connection.ts';
import { openSocket, type SocketOptions, type Undici } from './open-socket.ts';

/** Keeps each connection for requests that could have opened it. */
export class ConnectionPool {
  readonly #options: SocketOptions;
  /** Loaded with the first request: it is the costliest import of a scrape. */
  #undici: Promise<Undici> | undefined;
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();
  /** Sockets that are being opened, before it is known what they will speak. */
  readonly #opening = new Set<AbortController>();
  /** Origins that want HTTP/1.1 though they speak HTTP/2. */
  readonly #http1Only = new Set<string>();
  #isClosed = false;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /** An idle connection, or a new one. */
  async take(target: ConnectionTarget, signal: AbortSignal): Promise<Connection> {
    const idle = this.#idle.get(keyOf(target));
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) {
      if (last.isOpen) return last;
    }
    return this.open(target, signal);
  }

  /**
   * A new connection. With HTTP/1.1 its socket opens with the first request; where HTTP/2 is offered
   * it opens now. Rejects with `CANCELLED` after `close`, and as sockets do.
   */
  async open(target: ConnectionTarget, signal: AbortSignal): Promise<Connection> {
    const undici = await (this.#undici ??= import('undici'));
    if (this.#isClosed) throw closed(target.url);
    const { protocol, origin } = target.url;
    const offersHttp2 =
      this.#options.tls.http2 && protocol === 'https:' && !this.#http1Only.has(origin);
    const connection = offersHttp2
      ? await this.#negotiate(undici, target, signal)
      : new Http1Connection(undici, target, this.#options, this.#events(target));
    this.#all.add(connection);
    return connection;
  }

  /** No longer offers HTTP/2 to the origin of this URL. */
  avoidHttp2({ origin }: URL): void {
    this.#http1Only.add(origin);
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
      const { Http2Connection } = await import('./http2-connection.ts');
      return new Http2Connection(socket, target, events);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#isClosed ? closed(target.url) : error;
    } finally {
      this.#opening.delete(attempt);
      signal.removeEventListener('abort', abort);
    }
  }

  #events(target: ConnectionTarget): PoolEvents {
    const key = keyOf(target);
    return {
      onRelease: (connection) => {
        const idle = this.#idle.get(key);
        if (idle === undefined) this.#idle.set(key, [connection]);
        else idle.push(connection);
      },
      onClose: (connection) => {
        this.#all.delete(connection);
        const others = this.#idle.get(key)?.filter((one) => one !== connection) ?? [];
        if (others.length > 0) this.#idle.set(key, others);
        else this.#idle.delete(key);
      },
    };
  }
}

function closed({ href }: URL): PagewrightError {
  return new PagewrightError(
    'CANCELLED',
    `The client is closed and cannot fetch ${href}. Make a new one.`,
  );
}

function keyOf({ url, verifyTls, headerBytes, route }: ConnectionTarget): string {
  return [url.origin, verifyTls, headerBytes, route?.url ?? '', route?.dns ?? ''].join(' ');
}
