/** A connection over HTTP/2, used by one request at a time like any other. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import http2, { type ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { browserExchange } from '../impersonation/browser-connections.ts';
import type { Connection, ConnectionTarget, PoolEvents } from './exchange.ts';
import { certificateErrorOf } from '../../open-socket.ts';
import type { ExchangeResult, TransportRequest } from '../../transport.ts';

const settings = {
  windowSize: 1024 * 1024, // bytes. HTTP/2 starts with 64 KiB, which is slow over long distances
  maxHeaderPairs: 2_000, // Node's 128 are too few for some servers; the size has its own limit
  idleTimeout: 4_000, // milliseconds, as in undici for HTTP/1.1
};

/**
 * Uses Node's own client: undici's treats a body that the server breaks off as complete, and has no
 * limit on headers.
 */
export class Http2Connection implements Connection {
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  readonly #events: PoolEvents;
  #idle: NodeJS.Timeout | undefined;

  /** Wraps a socket on which both sides have agreed on h2. */
  constructor(socket: Socket, { url, headerBytes }: ConnectionTarget, events: PoolEvents) {
    this.#socket = socket;
    this.#events = events;
    const session = http2.connect(url.origin, {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: settings.windowSize,
        maxHeaderListSize: headerBytes,
      },
      maxHeaderListPairs: settings.maxHeaderPairs,
    });
    this.#session = session;
    session.on('error', () => undefined);
    session.on('connect', () => {
      if (!session.destroyed) session.setLocalWindowSize(settings.windowSize);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => events.onClose(this));
    session.on('close', () => void this.close());
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed && !this.#socket.destroyed;
  }

  get certificateError(): string | undefined {
    return certificateErrorOf(this.#socket);
  }

  async exchange(request: TransportRequest): Promise<ExchangeResult> {
    const { host, ...headers } = request.headers;
    // Node's HTTP/2 sends line breaks in a value unchanged.
    for (const [name, value] of Object.entries(request.headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    const { url } = request;
    const fields = [
      [':method', request.method],
      [':scheme', 'https'],
      [':authority', host ?? url.host],
      [':path', url.pathname + url.search],
      ...Object.entries(headers),
    ] as const;
    clearTimeout(this.#idle);
    this.#session.ref();
    const wire = {
      version: '2',
      socket: this.#socket,
      session: this.#session,
      certificateError: undefined,
      isOpen: true,
      release: () => this.#release(),
      destroy: () => void this.close(),
      wake: () => undefined,
    } as const;
    return await browserExchange(wire, fields, request);
  }

  close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#events.onClose(this);
    this.#session.destroy();
    this.#socket.destroy();
    return Promise.resolve();
  }

  #release(): void {
    if (!this.isOpen) return void this.close();
    this.#session.unref();
    this.#idle = setTimeout(() => void this.close(), settings.idleTimeout).unref();
    this.#events.onRelease(this);
  }
}
