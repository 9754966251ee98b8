/** One request and its response on one connection. */
import type { Dispatcher } from 'undici';
import { countInterim } from '../interim-responses.ts';
import type { BodyTaker, ResponseHead, TransportRequest, TransportResult } from '../transport.ts';

/** The connection of an undici client, as far as an exchange needs it. */
export interface Wire {
  /** Bytes received so far, those of earlier responses included. */
  readonly bytesRead: number;
  /** What broke the socket, when undici takes its end for the end of the body. */
  readonly socketError: Error | undefined;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** The request is answered in full: the connection may serve another one. */
  release(): void;
  destroy(): void;
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
 * Sends a GET and settles when its body is complete, cut off or not wanted. Rejects with the
 * signal's reason at once when it aborts, and with `NoResponse` when nothing came back.
 */
export function exchange(
  connection: Wire,
  { url, headers, signal, onHead }: TransportRequest,
): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    let head: ResponseHead | undefined;
    let taker: BodyTaker | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    const bytesBefore = connection.bytesRead;

    const finish = (settle: () => void, reusable = false): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', abort);
      if (reusable) connection.release();
      else connection.destroy();
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const abort = (): void => fail(signal.reason as Error);
    const done = (answered: ResponseHead, cut?: Error): void =>
      finish(() => resolve({ head: answered, cut }), cut === undefined);
    /** A small unwanted body is here already; for a longer one the connection is not worth it. */
    const drop = (answered: ResponseHead): void =>
      finish(() => resolve({ head: answered, cut: undefined }));

    const interim = countInterim(url, fail);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    connection.dispatch(
      { path: url.pathname + url.search, method: 'GET', headers: { ...headers } },
      {
        onRequestStart: (started) => {
          controller = started;
        },
        onResponseStart: (_, statusCode, responseHeaders) => {
          if (isOver) return;
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
          if (!isOver && taker?.write(chunk) === false) controller?.pause();
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
