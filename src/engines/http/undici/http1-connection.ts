/** A connection over HTTP/1.1: an undici client with one socket. */
import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import type { Connection, ConnectionTarget, PoolEvents } from './connection.ts';
import { exchange, type ExchangeResult, type Wire } from './exchange.ts';
import { certificateErrorOf, openSocket, type SocketOptions, type Undici } from './open-socket.ts';
import type { TransportRequest } from '../transport.ts';

/**
 * undici's own pools cannot close a socket that is being opened when its request is aborted, nor
 * open a fresh one when a kept-alive one turns out to be dead.
 */
export class Http1Connection implements Connection, Wire {
  readonly #client: Client;
  readonly #events: PoolEvents;
  /** Destroys the socket in any state. */
  readonly #abort = new AbortController();
  /** Waits for the first request. */
  #open: Socket | undefined;
  #socket: Socket | undefined;
  #isBusy = false;
  wasUsed = false;
  socketError: Error | undefined;

  /** Its socket opens with the first request, unless there is an open one already. */
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
    const connect = async (): Promise<Socket> => {
      const socket =
        this.#open ?? (await openSocket(undici, target, options, { signal, allowH2: false }));
      this.#open = undefined;
      this.#adopt(socket);
      return socket;
    };
    this.#client = new undici.Client(target.url.origin, {
      maxHeaderSize: target.headerBytes,
      keepAliveMaxTimeout,
      connect: (_, callback) => {
        connect().then(
          (socket) => callback(null, socket),
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

  ask(request: TransportRequest): Promise<ExchangeResult> {
    return exchange(this, request);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#isBusy = true;
    this.#client.dispatch(options, handler);
  }

  release(): void {
    this.#isBusy = false;
    this.wasUsed = true;
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

/** Milliseconds that an idle connection is kept at most, whatever its server offers. */
const keepAliveMaxTimeout = 15_000;
