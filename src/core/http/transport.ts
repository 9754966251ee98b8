/**
 * The transport: sends one request and receives one response. HTTP client libraries differ only
 * here.
 */
import { PagewrightError } from '../runtime/errors.ts';
import type { PageRequest } from '../model/request.ts';
import { isDeadConnection } from './failure.ts';

/** One HTTP client. It asks the network policy for every socket that it opens. */
export interface Transport {
  /**
   * Sends a request and settles when the body of its response is complete, cut off or not wanted.
   * Rejects with the signal's reason at once when it aborts, leaving no socket, and with the
   * client's error when there is no response.
   */
  send(request: TransportRequest): Promise<TransportResult>;
  /** Destroys every connection; requests in flight fail. */
  close(): Promise<void>;
}

/** One request, without redirects. */
export interface TransportRequest extends Pick<
  PageRequest,
  'headers' | 'skipTlsVerification' | 'route' | 'visitor' | 'freshConnection' | 'signal'
> {
  readonly url: URL;
  readonly method: string;
  readonly body?: Uint8Array | undefined;
  /** Limit for response headers, in bytes. */
  readonly headerBytes: number;
  /** Called once with the head; if it returns nothing, the body is not read. May throw. */
  readonly onHead: (head: ResponseHead, flow: ResponseFlow) => BodyTaker | undefined;
}

/** The end of an exchange that got a response. */
export interface TransportResult {
  readonly head: ResponseHead;
  /** Why the body stopped early. */
  readonly cut: Error | undefined;
  /** Requests sent, those on dead connections included. */
  readonly requests: number;
  /** The problem of the server's certificate, if it was accepted despite it. */
  readonly certificateError: string | undefined;
  /** Bytes received, if the body was passed on decoded. */
  readonly bytes?: number;
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Receives the body of a response as it arrives, not decoded. */
export interface BodyTaker {
  /** False pauses the response until `resume` is called. */
  write(chunk: Buffer): boolean;
}

/** Controls of a transport for the receiver of the body. */
export interface ResponseFlow {
  resume(): void;
  /** Ends the exchange with this error and closes the connection. */
  fail(error: Error): void;
}

// Ends an exchange: once, and with its connection released or closed.

/** The connection of an exchange, as far as its end needs it. */
export interface EndingWire {
  /** Called when the response is complete: the connection may serve another request. */
  release(): void;
  destroy(): void;
}

/** The end of an exchange that got a response. */
export type ExchangeResult = Pick<TransportResult, 'head' | 'cut'>;

/** The possible ends of an exchange; the first one counts. */
export interface ExchangeEnding {
  readonly isOver: boolean;
  /** Settles with the end. */
  readonly result: Promise<ExchangeResult>;
  /** There is no usable response. */
  fail(error: Error): void;
  /** The body is complete, or stopped by `cut`. */
  done(head: ResponseHead, cut?: Error): void;
  /**
   * The body is not wanted: a small one has arrived already, a larger one costs more than the
   * connection.
   */
  drop(head: ResponseHead): void;
}

/** Listens to the signal until the end; ends at once if it has aborted already. */
export function exchangeEnding(wire: EndingWire, signal: AbortSignal): ExchangeEnding {
  let resolve: (result: ExchangeResult) => void;
  let reject: (error: Error) => void;
  const result = new Promise<ExchangeResult>((...settle) => ([resolve, reject] = settle));
  let isOver = false;
  const finish = (settle: () => void, isReusable = false): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', abort);
    if (isReusable) wire.release();
    else wire.destroy();
    settle();
  };
  const fail = (error: Error): void => finish(() => reject(error));
  const abort = (): void => fail(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    get isOver() {
      return isOver;
    },
    result,
    fail,
    done: (head, cut) => finish(() => resolve({ head, cut }), cut === undefined),
    drop: (head) => finish(() => resolve({ head, cut: undefined })),
  };
}

// An idle connection may be dead: its server closed it, which is noticed only at the next request.

/** Failed before any byte of a response, so that the request can be sent again. */
export class NoResponse extends Error {
  constructor(cause: unknown) {
    super('no response', { cause });
  }
}

/** How a transport sends a request over its connections. */
interface SendAttempt<Connection> {
  /** An idle connection, tried first. */
  readonly idle: Connection | undefined;
  /** Opens a connection. */
  open(): Promise<Connection>;
  /** Rejects with `NoResponse` when no byte came back. */
  send(connection: Connection): Promise<Omit<TransportResult, 'requests'>>;
  /** True for the cause of a `NoResponse` that a new connection always avoids. @default never */
  readonly needsNew?: (cause: unknown) => boolean;
}

/** Sends a request over an idle connection if there is one, and again over a new one if that was dead. */
export async function sendAgainIfDead<Connection>(
  sending: SendAttempt<Connection>,
): Promise<TransportResult> {
  const { idle, needsNew = () => false } = sending;
  for (let requests = 1; ; requests += 1) {
    const connection = (requests === 1 ? idle : undefined) ?? (await sending.open());
    try {
      return { ...(await sending.send(connection)), requests };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const { cause } = error;
      const isDead = connection === idle && isDeadConnection(cause);
      if (requests > 1 || !(needsNew(cause) || isDead)) throw cause;
    }
  }
}

// Interim responses (1xx): a few are normal, an endless series is an attack.

const maximumInterim = 20; // servers send one or two: 100, 102 while they work, 103 with hints

/** Counts the interim responses of one exchange and calls `fail` when there are too many. */
export function countInterim(url: URL, fail: (error: PagewrightError) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= maximumInterim) return;
    const message = `${url.href} was answered with more than ${maximumInterim} interim responses (1xx) and no final one. Check that this is the right server.`;
    fail(new PagewrightError('PROTOCOL_ERROR', message, { url: url.href }));
  };
}

/** The error of a request to a closed client. */
export function clientClosed({ href }: URL): PagewrightError {
  const message = `The client is closed and cannot fetch ${href}. Make a new one.`;
  return new PagewrightError('CANCELLED', message);
}

// Header lines as received.

/**
 * Names and values alternately, merged by lower-case name; HTTP/2's pseudo-headers are left out.
 */
export function gatherHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!name.startsWith(':')) (headers[name] ??= []).push(rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** For clients with their own limit. Throws the error of Node's parser. */
export function checkHeaderSize(rawHeaders: readonly string[], limit: number): void {
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (size <= limit) return;
  throw Object.assign(new Error('response headers too large'), { code: 'HPE_HEADER_OVERFLOW' });
}
