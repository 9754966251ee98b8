/** The http engine over HTTP/2: what holds for HTTP/1.1 holds here. */
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import type { Engine } from '../../../src/core/model/engine.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { serveHttpProxy } from './proxies/proxy-lab.ts';
import { failure, pageRequest, serve, serveTls, sleep, text, until } from './http-lab.ts';
import { cert, key } from './self-signed.ts';

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

interface Http2Lab {
  readonly origin: string;
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** HTTP version and path of each request. */
  readonly log: string[];
}

async function serveHttp2(
  listener: Listener,
  options: http2.SecureServerOptions = {},
): Promise<Http2Lab> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const server = http2.createSecureServer(
    { key, cert, maxSendHeaderBlockLength: 1_000_000, ...options },
    (request, response) => {
      log.push(`${request.httpVersion} ${request.url}`);
      request.on('error', () => undefined);
      listener(request, response);
    },
  );
  server.on('sessionError', () => undefined);
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `https://127.0.0.1:${port}`, port, sockets, log };
}

function http2Engine(): Engine {
  const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
  const engine = httpEngine(policy, 'lab/1.0', { http2: true });
  onTestFinished(() => engine.dispose?.());
  return engine;
}

const get = (
  origin: string,
  overrides: Parameters<typeof pageRequest>[1] = {},
): ReturnType<Engine['fetch']> => http2Engine().fetch(pageRequest(origin, overrides));

describe('a page over HTTP/2', () => {
  test('comes with its headers, and the certificate is told', async () => {
    let seen: unknown;
    const { origin, port, log } = await serveHttp2((request, response) => {
      seen = request.headers;
      response.setHeader('x-twice', ['a', 'b']);
      response.setHeader('content-type', 'text/html');
      response.end('two');
    });
    const snapshot = await get(`${origin}/a?b=c`, { headers: { 'x-mine': 'yes' } });
    expect(text(snapshot)).toBe('two');
    expect(snapshot).toMatchObject({ statusCode: 200, requests: 1, bytes: 3 });
    expect(snapshot.headers).toMatchObject({ 'x-twice': 'a, b', 'content-type': 'text/html' });
    expect(Object.keys(snapshot.headers).filter((name) => name.startsWith(':'))).toEqual([]);
    expect(snapshot.warnings).toEqual([
      `The certificate of 127.0.0.1:${port} does not verify (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    ]);
    expect(seen).toMatchObject({
      ':method': 'GET',
      ':path': '/a?b=c',
      ':authority': `127.0.0.1:${port}`,
      'user-agent': 'lab/1.0',
      'x-mine': 'yes',
    });
    expect(log).toEqual(['2.0 /a?b=c']);
  });

  test('is refused when the certificate has to verify', async () => {
    const { origin, log } = await serveHttp2((_, response) => response.end());
    expect((await failure(get(origin, { skipTlsVerification: false }))).code).toBe('TLS');
    expect(log).toEqual([]);
  });

  test('is fetched again on the same connection', async () => {
    const { origin, log, sockets } = await serveHttp2((_, response) => response.end('x'));
    const engine = http2Engine();
    for (let count = 0; count < 3; count++) await engine.fetch(pageRequest(origin));
    expect(log).toHaveLength(3);
    expect(sockets.size).toBe(1);
    await engine.dispose?.();
    await until(() => sockets.size === 0);
  });

  test('is fetched side by side with others on connections of their own', async () => {
    const { origin, sockets } = await serveHttp2((_, response) => {
      setTimeout(() => response.end('x'), 50);
    });
    const engine = http2Engine();
    await Promise.all([1, 2, 3].map(() => engine.fetch(pageRequest(origin))));
    expect(sockets.size).toBe(3);
  });

  test('is decompressed', async () => {
    const { origin } = await serveHttp2((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(zlib.gzipSync('packed'));
    });
    expect(text(await get(origin))).toBe('packed');
  });

  test('is redirected, to other versions too', async () => {
    const plain = await serve((_, response) => response.end('at last'));
    const { origin } = await serveHttp2((request, response) => {
      const location = request.url === '/' ? '/ü' : `${plain.origin}/end`;
      response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
    });
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('at last');
    expect(snapshot.redirects).toEqual([`${origin}/`, `${origin}/%C3%BC`]);
  });

  test('may be preceded by hints', async () => {
    const { origin } = await serveHttp2((_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('after hints');
    });
    expect(text(await get(origin))).toBe('after hints');
  });

  test('may have no body', async () => {
    const { origin } = await serveHttp2((_, response) => response.writeHead(204).end());
    expect(await get(origin)).toMatchObject({ statusCode: 204, bytes: 0 });
  });

  test('may have trailers', async () => {
    const { origin } = await serveHttp2((_, response) => {
      response.write('body');
      response.addTrailers({ 'x-late': 'yes' });
      response.end();
    });
    expect(text(await get(origin))).toBe('body');
  });

  test('comes through a proxy', async () => {
    const { port, log } = await serveHttp2((_, response) => response.end('tunnelled'));
    const proxy = await serveHttpProxy();
    const route = { url: proxy.url };
    expect(text(await get(`https://localhost:${port}/`, { route }))).toBe('tunnelled');
    expect(log).toEqual(['2.0 /']);
    expect(proxy.asked).toEqual([`127.0.0.1:${port}`]);
  });
});

describe('a server without HTTP/2', () => {
  test('is asked in HTTP/1.1 on the connection that found out', async () => {
    const { origin, log, sockets } = await serveTls((_, response) => response.end('one'));
    const engine = http2Engine();
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('one');
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('one');
    expect(log).toHaveLength(2);
    expect(sockets.size).toBe(1);
  });

  test('over http needs no negotiation', async () => {
    const { origin } = await serve((_, response) => response.end('one'));
    expect(text(await get(origin))).toBe('one');
  });

  test('that closed an idle connection is asked once more on a new one', async () => {
    const { origin, sockets } = await serveTls((_, response) => response.end('one'));
    const engine = http2Engine();
    await engine.fetch(pageRequest(origin));
    for (const socket of sockets) socket.destroy();
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('one');
  });
});

test('a server that wants HTTP/1.1 after all is asked again so, and from then on', async () => {
  const { origin, log } = await serveHttp2(
    (request, response) => {
      if (request.httpVersion === '1.1') response.end('one');
      else request.stream.close(http2.constants.NGHTTP2_HTTP_1_1_REQUIRED);
    },
    { allowHTTP1: true },
  );
  const engine = http2Engine();
  const snapshot = await engine.fetch(pageRequest(origin));
  expect([text(snapshot), snapshot.requests]).toEqual(['one', 2]);
  await engine.fetch(pageRequest(`${origin}/b`));
  expect(log).toEqual(['2.0 /', '1.1 /', '1.1 /b']);
});

test('HTTP/2 is not offered unless it is asked for', async () => {
  const { origin, log } = await serveHttp2((_, response) => response.end(), { allowHTTP1: true });
  const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
  const engine = httpEngine(policy, 'lab/1.0');
  onTestFinished(() => engine.dispose?.());
  await engine.fetch(pageRequest(origin));
  expect(log).toEqual(['1.1 /']);
});

describe('limits', () => {
  test.each([
    [20, 1_000],
    [80, 65_536],
  ])('headers of %i lines beyond %i bytes are PROTOCOL_ERROR', async (lines, headerBytes) => {
    const { origin, sockets } = await serveHttp2((_, response) => {
      for (let line = 0; line < lines; line++) response.setHeader(`x-${line}`, 'a'.repeat(900));
      response.end();
    });
    const error = await failure(get(origin, { limits: { headerBytes } }));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain('Raise limits.headerBytes');
    await until(() => sockets.size === 0);
  });

  test('headers without end are PROTOCOL_ERROR', async () => {
    const { origin, sockets } = await serveHttp2((_, response) => {
      for (let line = 0; line < 1_000; line++) response.setHeader(`x-${line}`, 'a'.repeat(900));
      response.end();
    });
    const error = await failure(get(origin, { limits: { headerBytes: 10_000_000 } }));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain('not answered in valid HTTP/2');
    await until(() => sockets.size === 0);
  });

  test('the limit of headers can be raised', async () => {
    const { origin } = await serveHttp2((_, response) => {
      for (let line = 0; line < 150; line++) response.setHeader(`x-${line}`, 'a'.repeat(900));
      response.end('large');
    });
    expect(text(await get(origin, { limits: { headerBytes: 300_000 } }))).toBe('large');
  });

  test('a body over the limit is BODY_TOO_LARGE and ends the connection', async () => {
    const { port } = await serveHttp2((_, response) => {
      const chunk = Buffer.alloc(100_000);
      const fill = (): void => {
        while (response.writable && response.write(chunk));
      };
      response.on('drain', fill);
      fill();
    });
    // Node's server waits to be read before it notices that nobody is there; a proxy sees it at once.
    const proxy = await serveHttpProxy();
    const overrides = { limits: { bodyBytes: 1_000_000 }, route: { url: proxy.url } };
    const error = await failure(get(`https://localhost:${port}/`, overrides));
    expect(error.code).toBe('BODY_TOO_LARGE');
    await until(() => proxy.sockets.size === 0);
  });

  test('a bomb is stopped', async () => {
    const bomb = zlib.brotliCompressSync(Buffer.alloc(60_000_000), {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    const { origin } = await serveHttp2((_, response) => {
      response.setHeader('content-encoding', 'br');
      response.end(bomb);
    });
    expect(['BODY_TOO_LARGE', 'DECOMPRESSION']).toContain((await failure(get(origin))).code);
  });

  test('a large body arrives whole though it is read slowly', async () => {
    const body = Buffer.alloc(20_000_000, 'x');
    const { origin } = await serveHttp2((_, response) => void response.end(body));
    expect((await get(origin)).body.length).toBe(body.length);
  });
});

test.each<[string, (socket: TLSSocket) => void]>([
  ['garbage', (socket) => void socket.write('this is not HTTP/2 at all, nor anything else\r\n')],
  ['HTTP/1.1', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
  [
    'a frame that is too large',
    (socket) => void socket.write(Buffer.from('ffffff000000000001', 'hex')),
  ],
])('%s in place of HTTP/2 is PROTOCOL_ERROR', async (_, answer) => {
  const server = tls.createServer({ key, cert, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined).resume();
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const signal = AbortSignal.timeout(5_000);
  const error = await failure(get(`https://127.0.0.1:${port}/`, { signal }));
  expect(error.code).toBe('PROTOCOL_ERROR');
});

describe('what breaks off', () => {
  const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants;

  test.each([
    ['CANCEL', NGHTTP2_CANCEL],
    ['INTERNAL_ERROR', NGHTTP2_INTERNAL_ERROR],
    ['REFUSED_STREAM', NGHTTP2_REFUSED_STREAM],
  ])('before the answer, by a reset with %s, is CONNECTION_RESET', async (_, code) => {
    const { origin, log } = await serveHttp2((_, response) => response.stream.close(code));
    expect((await failure(get(origin))).code).toBe('CONNECTION_RESET');
    expect(log).toHaveLength(1);
  });

  test.each([
    ['CANCEL', NGHTTP2_CANCEL],
    ['INTERNAL_ERROR', NGHTTP2_INTERNAL_ERROR],
  ])('in the body, by a reset with %s, is a warning', async (_, code) => {
    const { origin } = await serveHttp2((_, response) => {
      response.write('half');
      setTimeout(() => response.stream.close(code), 20);
    });
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('half');
    expect(snapshot.warnings).toContain('The body ended early, after 4 bytes.');
  });

  test('in the body is asked for once more, on another connection', async () => {
    const connections = new Set<unknown>();
    const { origin, log } = await serveHttp2(({ stream }, response) => {
      connections.add(stream.session);
      response.setHeader('content-type', 'text/html');
      if (connections.size > 1) return void response.end('<p>The whole page.');
      response.write('<p>half');
      setTimeout(() => response.stream.close(NGHTTP2_CANCEL), 20);
    });
    await using client = createClient({
      network: { allow: ['127.0.0.1'] },
      tls: { http2: true },
    });
    const page = await client.scrape(origin);
    expect(page.markdown).toBe('The whole page.');
    expect(page.metadata).not.toHaveProperty('truncated');
    expect(log).toHaveLength(2);
  });

  test('before any byte of the body is TRUNCATED_BODY', async () => {
    const { origin } = await serveHttp2((_, response) => {
      response.stream.respond({ ':status': 200, 'content-length': 100 });
      setTimeout(() => response.stream.close(NGHTTP2_CANCEL), 20);
    });
    const error = await failure(get(origin));
    expect(['TRUNCATED_BODY', 'PROTOCOL_ERROR', 'CONNECTION_RESET']).toContain(error.code);
  });

  test('with the socket in the body is a warning', async () => {
    const { origin, sockets } = await serveHttp2((_, response) => {
      response.write('half');
      setTimeout(() => sockets.forEach((socket) => socket.destroy()), 20);
    });
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('half');
    expect(snapshot.warnings).toContain('The body ended early, after 4 bytes.');
  });

  test('with the socket before the answer is CONNECTION_RESET', async () => {
    const { origin, log } = await serveHttp2((request) => request.stream.session?.destroy());
    expect((await failure(get(origin))).code).toBe('CONNECTION_RESET');
    expect(log).toHaveLength(1);
  });

  test('with GOAWAY, the next request takes a new connection', async () => {
    const { origin, log } = await serveHttp2((_, response) => {
      response.end('page');
      response.stream.session?.close();
    });
    const engine = http2Engine();
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('page');
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('page');
    expect(log).toHaveLength(2);
  });

  test('with GOAWAY in place of an answer is an error', async () => {
    const { origin } = await serveHttp2((request) => request.stream.session?.goaway(11));
    const error = await failure(get(origin, { signal: AbortSignal.timeout(3_000) }));
    expect(['CONNECTION_RESET', 'PROTOCOL_ERROR']).toContain(error.code);
  });

  test('while it was idle is asked for again on a new connection', async () => {
    let first = true;
    const { origin, log } = await serveHttp2((request, response) => {
      if (request.url === '/') return void response.end('page');
      if (!first) return void response.end('second');
      first = false;
      request.stream.close(NGHTTP2_REFUSED_STREAM);
    });
    const engine = http2Engine();
    await engine.fetch(pageRequest(origin));
    const snapshot = await engine.fetch(pageRequest(`${origin}/again`));
    expect(text(snapshot)).toBe('second');
    expect(snapshot.requests).toBe(2);
    expect(log).toHaveLength(3);
  });
});

describe('the request', () => {
  test.each([
    ['x-a', 'one\r\nx-b: two'],
    ['x-a', 'nul\0'],
    ['x-a', '漢字'],
    ['bad name', 'x'],
    ['', 'x'],
    [':path', '/other'],
    [':authority', 'other.test'],
    ['http2-settings', 'x'],
  ])('with the header %j: %j is BAD_REQUEST and is not sent', async (name, value) => {
    const { origin, log } = await serveHttp2((_, response) => response.end());
    expect((await failure(get(origin, { headers: { [name]: value } }))).code).toBe('BAD_REQUEST');
    expect(log).toEqual([]);
  });

  test('takes a Host header as the authority', async () => {
    let authority: string | undefined;
    const { origin } = await serveHttp2((request, response) => {
      authority = request.authority;
      response.end();
    });
    await get(origin, { headers: { host: 'other.test' } });
    expect(authority).toBe('other.test');
  });
});

describe('aborting', () => {
  const reason = new PagewrightError('CANCELLED', 'enough');

  test.each([
    ['before the answer', false],
    ['in the body', true],
  ])('%s leaves no socket', async (_, begins) => {
    const { origin, sockets, log } = await serveHttp2((_, response) => {
      if (begins) response.write('half');
    });
    const controller = new AbortController();
    const work = failure(get(origin, { signal: controller.signal }));
    await until(() => log.length === 1);
    await sleep(20);
    controller.abort(reason);
    expect(await work).toBe(reason);
    await until(() => sockets.size === 0);
  });

  test('of the client ends what runs', async () => {
    const { origin, sockets, log } = await serveHttp2(() => undefined);
    const engine = http2Engine();
    const work = failure(engine.fetch(pageRequest(origin)));
    await until(() => log.length === 1);
    await engine.dispose?.();
    expect(['CANCELLED', 'CONNECTION_RESET']).toContain((await work).code);
    await until(() => sockets.size === 0);
  });
});
