/** How an exchange comes to its end: once, and with its connection given back or closed. */
import type { ResponseHead, TransportResult } from './transport.ts';

/** The connection, as far as its exchange ends. */
export interface EndingWire {
  /** The request is answered in full: the connection may serve another one. */
  release(): void;
  destroy(): void;
}

/** What an exchange settles with. */
export interface ExchangePromise {
  resolve(result: Pick<TransportResult, 'head' | 'cut'>): void;
  reject(error: Error): void;
}

/** The ends that an exchange can come to; the first one counts. */
export interface ExchangeEnding {
  readonly isOver: boolean;
  /** There is no response to use. */
  fail(error: Error): void;
  /** The body is complete, or stopped by `cut`. */
  done(head: ResponseHead, cut?: Error): void;
  /** The body is not wanted: what is small is here already, for more the connection is not worth it. */
  drop(head: ResponseHead): void;
}

/** Listens to the signal until the end; over at once when that has aborted already. */
export function exchangeEnding(
  wire: EndingWire,
  signal: AbortSignal,
  { resolve, reject }: ExchangePromise,
): ExchangeEnding {
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
    fail,
    done: (head, cut) => finish(() => resolve({ head, cut }), cut === undefined),
    drop: (head) => finish(() => resolve({ head, cut: undefined })),
  };
}
