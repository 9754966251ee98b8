/** One connection to a server, whatever version of HTTP it speaks. */
import type { ProxyRoute } from '../../../model/request.ts';
import type { ExchangeResult } from './exchange.ts';
import type { TransportRequest } from '../transport.ts';

/** Which connections can serve a request: those of the same origin, opened in the same way. */
export interface ConnectionTarget {
  readonly url: URL;
  /** Refuse certificates that do not verify. */
  readonly verifyTls: boolean;
  /** Bytes of response headers. */
  readonly headerBytes: number;
  /** The proxy to go through. */
  readonly route: ProxyRoute | undefined;
}

/** One connection, used by one request at a time. */
export interface Connection {
  /** True when an earlier request was answered on it. */
  readonly wasUsed: boolean;
  /** False when it broke while it lay idle. */
  readonly isOpen: boolean;
  /** What is wrong with the server's certificate, though it was accepted. */
  readonly certificateError: string | undefined;
  /**
   * Sends a GET and settles when its body is complete, cut off or not wanted. Rejects with the
   * signal's reason at once when it aborts, and with `NoResponse` when nothing came back.
   */
  ask(request: TransportRequest): Promise<ExchangeResult>;
  /** Closes the socket, also one that is still being opened. */
  close(): Promise<void>;
}

/** What a connection tells its pool. */
export interface PoolEvents {
  /** It may serve another request. */
  onRelease(connection: Connection): void;
  onClose(connection: Connection): void;
}
