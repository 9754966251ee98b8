/**
 * One connection to a server over any version of HTTP, and the exchange of one request over undici.
 */
import type { Dispatcher } from 'undici';
import {
  type BodyTaker,
  countInterim,
  type EndingWire,
  exchangeEnding,
  type ExchangeResult,
  NoResponse,
  type ResponseHead,
  type TransportRequest,
} from '../../transport.ts';

/** The connection of an undici client, as far as an exchange needs it. */
export interface ExchangeWire extends EndingWire {
  /** Bytes received so far, including earlier responses. */
  readonly bytesRead: number;
  /** The error of the socket, for when undici mistakes its end for the body's end. */
  readonly socketError: Error | undefined;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

/**
 * Sends a request and settles when the response is complete, cut off or not wanted. Rejects
 * with the signal's reason at once when it aborts, and with `NoResponse` when no byte arrived.
 */
export function exchange(
  connection: ExchangeWire,
  request: TransportRequest,
): Promise<ExchangeResult> {
  const { url, method, headers, body, signal, onHead } = request;
  let head: ResponseHead | undefined;
  let taker: BodyTaker | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  const bytesBefore = connection.bytesRead;
  const ending = exchangeEnding(connection, signal);
  const { result, fail, done, drop } = ending;
  const interim = countInterim(url, fail);
  if (ending.isOver) return result;
  connection.dispatch(
    {
      path: url.pathname + url.search,
      method,
      headers: { ...headers },
      body: body ?? null,
    },
    {
      onRequestStart: (started) => {
        controller = started;
      },
      onResponseStart: (_, statusCode, responseHeaders) => {
        if (ending.isOver) return;
        if (statusCode < 200) return interim();
        const answered = { statusCode, headers: responseHeaders };
        head = answered;
        try {
          taker = onHead(answered, { resume: () => controller?.resume(), fail });
        } catch (error) {
          return fail(error as Error);
        }
        if (taker === undefined) setImmediate(drop, answered);
      },
      onResponseData: (_, chunk) => {
        if (!ending.isOver && taker?.write(chunk) === false) controller?.pause();
      },
      onResponseEnd: () => {
        if (head !== undefined) done(head, connection.socketError);
      },
      onResponseError: (_, error) => {
        if (head !== undefined) done(head, error);
        else fail(connection.bytesRead > bytesBefore ? error : new NoResponse(error));
      },
    },
  );
  return result;
}

// One connection to a server, for any version of HTTP.

/** The key of reusable connections: the same origin, opened in the same way. */
export type ConnectionTarget = Pick<
  TransportRequest,
  'url' | 'skipTlsVerification' | 'headerBytes' | 'route'
>;

/** One connection, used by one request at a time. */
export interface Connection {
  /** False if it broke while idle. */
  readonly isOpen: boolean;
  /** The problem of the server's certificate, if it was accepted despite it. */
  readonly certificateError: string | undefined;
  /**
   * Sends a request and settles when the body of its response is complete, cut off or not wanted. Rejects with the
   * signal's reason at once when it aborts, and with `NoResponse` when no byte arrived.
   */
  exchange(request: TransportRequest): Promise<ExchangeResult>;
  /** Closes the socket, even while it is being opened. */
  close(): Promise<void>;
}

/** Events of a connection for its pool. */
export interface PoolEvents {
  /** The connection may serve another request. */
  onRelease(connection: Connection): void;
  onClose(connection: Connection): void;
}
