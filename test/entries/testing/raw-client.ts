/** One request with node:http, told as it came over the wire. */
import { request } from 'node:http';

/** What a raw request met. */
export interface RawAnswer {
  /** Undefined when no valid head came. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As much of the body as came. */
  readonly body: Buffer;
  /** The code of what ended it early; `aborted` when `stopAfter` or `stopAt` was reached. */
  readonly failure: string | undefined;
  /** Milliseconds until the head and until the end. */
  readonly headTime: number;
  readonly time: number;
}

/** When the client leaves by itself: after so many ms, or bytes of body. */
export interface RawOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly send?: string;
  readonly stopAfter?: number;
  readonly stopAt?: number;
}

/** Settles however the request ends. */
export function rawRequest(url: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, send, stopAfter, stopAt = Infinity } = options;
  return new Promise((resolve) => {
    const start = performance.now();
    const chunks: Buffer[] = [];
    let head: Pick<RawAnswer, 'status' | 'headers' | 'headTime'> | undefined;
    const finish = (failure?: string): void => {
      clearTimeout(timer);
      const time = performance.now() - start;
      const none = { status: undefined, headers: {}, headTime: NaN };
      resolve({ ...(head ?? none), body: Buffer.concat(chunks), failure, time });
      sent.destroy();
    };
    const timer = setTimeout(() => finish('aborted'), stopAfter ?? 10_000);
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const { statusCode: status, headers: received } = response;
      head = { status, headers: received, headTime: performance.now() - start };
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= stopAt) finish('aborted');
      });
      response.on('end', () => finish());
      response.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    sent.end(send);
  });
}
