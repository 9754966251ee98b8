/** One request and its response on one connection. */
import type { Dispatcher } from 'undici';
import { type EndingWire, exchangeEnding } from '../exchange-ending.ts';
import { countInterim } from '../interim-responses.ts';
import type { BodyTaker, ResponseHead, TransportRequest, TransportResult } from '../transport.ts';

/** The connection of an undici client, as far as an exchange needs it. */
export interface Wire extends EndingWire {
  /** Bytes received so far, those of earlier responses included. */
  readonly bytesRead: number;
  /** What broke the socket, when undici takes its end for the end of the body. */
  readonly socketError: Error | undefined;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

/** How an exchange ended once there was a response. */
export type ExchangeResult = Pick<TransportResult, 'head' | 'cut'>;

/** Failed without any byte of a response, so that it can be sent again. */
export class NoResponse extends Error {
  constructor(cause: unknown) {
    super('no response', { cause });
  }
}

/**
 * Sends a GET, or a POST, and settles when the response is complete, cut off or not wanted. Rejects with the
 * signal's reason at once when it aborts, and with `NoResponse` when nothing came back.
 */
export function exchange(
  connection: Wire,
  { url, headers, body, signal, onHead }: TransportRequest,
): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    let head: ResponseHead | undefined;
    let taker: BodyTaker | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    const bytesBefore = connection.bytesRead;
    const ending = exchangeEnding(connection, signal, { resolve, reject });
    const { fail, done, drop } = ending;
    const interim = countInterim(url, fail);
    if (ending.isOver) return;
    connection.dispatch(
      {
        path: url.pathname + url.search,
        method: body === undefined ? 'GET' : 'POST',
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
  });
}
