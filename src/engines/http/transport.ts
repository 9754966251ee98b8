/** Sends one request and takes one response: the part of HTTP that differs between client libraries. */
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
