/**
 * The transport: sends one request and takes one response. HTTP client libraries differ only here.
 */
import { PagewrightError } from '../../errors.ts';
import type { ProxyRoute } from '../../model/request.ts';

/** One HTTP client. It asks the network policy for every socket that it opens. */
export interface Transport {
  /**
   * Sends a request and settles when the body of its response is complete, cut off or not wanted.
   * Rejects with the signal's reason at once when it aborts, leaving no socket, and with whatever the
   * client throws when there is no response.
   */
  send(request: TransportRequest): Promise<TransportResult>;
  /** Destroys every connection; requests in flight fail. */
  close(): Promise<void>;
}

/** One request, without redirects. */
export interface TransportRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST, of undici over HTTP/1.1 only. @default a GET */
  readonly body?: Uint8Array | undefined;
  readonly skipTlsVerification: boolean;
  /** Bytes of response headers. */
  readonly headerBytes: number;
  readonly route?: ProxyRoute | undefined;
  readonly visitor?: object | undefined;
  /** No kept-alive connection is used. @default false */
  readonly freshConnection?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called once with the head; without a taker the body is not read. May throw. */
  readonly onHead: (head: ResponseHead, flow: ResponseFlow) => BodyTaker | undefined;
}

/** How an exchange ended once there was a response. */
export interface TransportResult {
  readonly head: ResponseHead;
  /** Why the body stopped before its end. */
  readonly cut: Error | undefined;
  /** Requests sent, those on dead connections included. */
  readonly requests: number;
  /** What is wrong with the server's certificate, though it was accepted. */
  readonly certificateError: string | undefined;
  /** Bytes received, where the body that was handed over is decoded already. */
  readonly bytes?: number;
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Takes the body of a response as it arrives, not decoded. */
export interface BodyTaker {
  /** False pauses the response until `resume` is called. */
  write(chunk: Buffer): boolean;
}

/** What a transport hands over to whoever takes the body. */
export interface ResponseFlow {
  resume(): void;
  /** Ends the exchange with this error and closes the connection. */
  fail(error: Error): void;
}

// How an exchange comes to its end: once, and with its connection given back or closed.

/** The connection, as far as its exchange ends. */
export interface EndingWire {
  /** The request is answered in full: the connection may serve another one. */
  release(): void;
  destroy(): void;
}

/** How an exchange ended once there was a response. */
export type ExchangeResult = Pick<TransportResult, 'head' | 'cut'>;

/** The ends that an exchange can come to; the first one counts. */
export interface ExchangeEnding {
  readonly isOver: boolean;
  /** Settles with the end. */
  readonly result: Promise<ExchangeResult>;
  /** There is no response to use. */
  fail(error: Error): void;
  /** The body is complete, or stopped by `cut`. */
  done(head: ResponseHead, cut?: Error): void;
  /** The body is not wanted: what is small is here already, for more the connection is not worth it. */
  drop(head: ResponseHead): void;
}

/** Listens to the signal until the end; over at once when that has aborted already. */
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

// Responses before the response (1xx): a few are normal, an endless row of them is an attack.

/** Servers send one or two: 100, 102 while they work, 103 with hints. */
const maximumInterim = 20;

/** Counts the interim responses of one exchange and tells `fail` when there are too many. */
export function countInterim(url: URL, fail: (error: PagewrightError) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= maximumInterim) return;
    const message = `${url.href} was answered with more than ${maximumInterim} interim responses (1xx) and no final one. Check that this is the right server.`;
    fail(new PagewrightError('PROTOCOL_ERROR', message, { url: url.href }));
  };
}

// Header lines as they came.

/** Names and values by turns, gathered by lower-case name; HTTP/2's own fields are left out. */
export function gatherHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!name.startsWith(':')) (headers[name] ??= []).push(rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** For clients whose own limit is another one. Throws what Node's parser throws. */
export function checkHeaderSize(rawHeaders: readonly string[], limit: number): void {
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (size <= limit) return;
  throw Object.assign(new Error('response headers too large'), { code: 'HPE_HEADER_OVERFLOW' });
}
