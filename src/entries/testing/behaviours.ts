/** Server faults by name: for `serve(site, { behaviours: { '/slow': hang() } })`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { SiteResponse } from './site-files.ts';
import { seededRandom } from './fake-clock.ts';

/** One request and its response, as passed to a behaviour. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. */
  readonly url: string;
  /** The site's own response, after the page's delay. */
  page(): Promise<SiteResponse>;
  /** Sends the response. */
  send(page: SiteResponse): void;
  /** Aborts when the client has disconnected or the server closes. */
  readonly signal: AbortSignal;
}

/** Answers a request, correctly or not. Custom behaviours are functions of this type. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>;

/** Takes the request and never answers. */
export function hang(): Behaviour {
  return () => undefined;
}

/** Sends nothing for `ms` milliseconds, then the page. */
export function slowHeaders({ ms }: { readonly ms: number }): Behaviour {
  return async ({ page, send, signal }) => {
    await sleep(ms, undefined, { signal });
    send(await page());
  };
}

/** Waits before each page between `min` and `max` ms; the delay depends only on the URL and the seed. */
export function latency({
  min = 0,
  max,
  seed = 1,
}: {
  readonly min?: number;
  readonly max: number;
  readonly seed?: string | number;
}): Behaviour {
  return async ({ url, page, send, signal }) => {
    const share = seededRandom(`${seed} ${url}`)();
    await sleep(min + share * (max - min), undefined, { signal });
    send(await page());
  };
}

/** Sends the headers at once and the body so slowly that it takes very long. */
export function drip({ bytesPerSecond }: { readonly bytesPerSecond: number }): Behaviour {
  return async ({ page, response, signal }) => {
    const { status, headers, body } = await page();
    response.writeHead(status, headers).flushHeaders();
    const step = Math.max(1, Math.round(bytesPerSecond / 50));
    for (let sent = 0; sent < body.length; sent += step) {
      await sleep((1000 * step) / bytesPerSecond, undefined, { signal });
      response.write(body.subarray(sent, sent + step));
    }
    response.end();
  };
}

/** A page with an endless body, sent as fast as the client reads. */
export function endless(): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, htmlHeaders);
    await pipeline(Readable.from(filler(Infinity)), response);
  };
}

/** A page of `bytes` bytes. With `declared: false` it has no Content-Length header. */
export function huge({
  bytes,
  declared = true,
}: {
  readonly bytes: number;
  readonly declared?: boolean;
}): Behaviour {
  return async ({ response }) => {
    const length = declared ? { 'content-length': String(bytes) } : {};
    response.writeHead(200, { ...htmlHeaders, ...length });
    await pipeline(Readable.from(filler(bytes)), response);
  };
}

/** A small gzip body that unpacks to `bytes` bytes. */
export function gzipBomb({ bytes }: { readonly bytes: number }): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, { ...htmlHeaders, 'content-encoding': 'gzip' });
    await pipeline(Readable.from(filler(bytes)), createGzip(), response);
  };
}

/** Closes the connection with a TCP reset: at once, or after headers and some of the body. */
export function reset({
  when = 'beforeHeaders',
}: { readonly when?: 'beforeHeaders' | 'afterHeaders' } = {}): Behaviour {
  return async ({ request, response, signal }) => {
    if (when === 'afterHeaders') {
      response.writeHead(200, { ...htmlHeaders, 'content-length': '1000' });
      response.write('<!DOCTYPE html><p>And then');
      // A reset discards data that the client has not read yet.
      await sleep(50, undefined, { signal });
    }
    request.socket.resetAndDestroy();
  };
}

/** Declares `missing` bytes more than the page has, and closes the connection properly after the page. */
export function truncated({ missing = 1000 }: { readonly missing?: number } = {}): Behaviour {
  return async ({ page, request, response }) => {
    const { status, headers, body } = await page();
    const length = String(body.length + missing);
    response.writeHead(status, { ...headers, 'content-length': length });
    response.write(body, () => request.socket.end());
  };
}

/** Redirects to itself. */
export function redirectLoop(): Behaviour {
  return ({ url, response }) => {
    response.writeHead(302, { location: url }).end();
  };
}

/** Redirects to `location`, which may be relative and need not be a URL. */
export function redirectTo({
  location,
  status: code = 302,
}: {
  readonly location: string;
  readonly status?: number;
}): Behaviour {
  return ({ response }) => {
    response.writeHead(code, { location }).end();
  };
}

/** Answers with a status and its name; `retryAfter` is the header `retry-after`, seconds or a date. */
export function status({
  code,
  retryAfter,
}: {
  readonly code: number;
  readonly retryAfter?: number | string;
}): Behaviour {
  return ({ response }) => {
    const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', ...wait });
    response.end(`${code} ${STATUS_CODES[code] ?? ''}`.trim());
  };
}

/** Answers the first `failures` requests with a status, 503 by default, the others with the page. */
export function flaky({
  failures,
  status: code = 503,
}: {
  readonly failures: number;
  readonly status?: number;
}): Behaviour {
  const fail = status({ code });
  let left = failures;
  return async (exchange) => {
    if (left-- > 0) await fail(exchange);
    else exchange.send(await exchange.page());
  };
}

/** Sends the page, but names another charset in the Content-Type header. */
export function wrongCharset({
  charset = 'windows-1251',
}: { readonly charset?: string } = {}): Behaviour {
  return async ({ page, send }) => {
    const plain = await page();
    const type = plain.headers['content-type']?.split(';', 1)[0] ?? 'text/html';
    const headers = { ...plain.headers, 'content-type': `${type}; charset=${charset}` };
    send({ ...plain, headers });
  };
}

/** Answers 200 with an empty body. */
export function emptyBody(): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { ...htmlHeaders, 'content-length': '0' }).end();
  };
}

/**
 * Sends these bytes in place of an HTTP response, a list piece by piece with a pause between them,
 * and then closes the connection unless it is to stay open. Texts are Latin-1.
 */
export function raw({
  bytes,
  keepOpen = false,
}: {
  readonly bytes: string | Uint8Array | readonly (string | Uint8Array)[];
  readonly keepOpen?: boolean;
}): Behaviour {
  const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  return async ({ request: { socket }, signal }) => {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await sleep(20, undefined, { signal });
      socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    }
    if (!keepOpen) socket.end();
  };
}

/** Sends a status line and then headers that never end, one every `ms` milliseconds. */
export function endlessHeaders({ ms = 0 }: { readonly ms?: number } = {}): Behaviour {
  return async ({ request: { socket }, signal }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let number = 0; !signal.aborted && !socket.destroyed; number++) {
      socket.write(`x-${number}: ${'a'.repeat(100)}\r\n`);
      await sleep(ms, undefined, { signal });
    }
  };
}

/** The challenge page of a bot protection in place of the content: status 403, and the header that marks it. */
export function challenge(): Behaviour {
  return ({ response }) => {
    response.writeHead(403, { ...htmlHeaders, 'cf-mitigated': 'challenge' });
    response.end('<!DOCTYPE html><title>Just a moment...</title><p>Checking your browser.</p>');
  };
}

/** Sends bytes that are not HTTP and closes the connection. */
export function garbage(): Behaviour {
  return ({ request }) => {
    request.socket.end('\u0000\u0001 this is no HTTP at all \r\n\r\n');
  };
}

const htmlHeaders = { 'content-type': 'text/html; charset=utf-8' };

function* filler(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, '<p>All work and no play makes a page.</p>\n');
  for (let left = bytes; left > 0; left -= chunk.length) {
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  }
}
