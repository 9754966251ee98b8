import { describe, expect, test } from 'vitest';
import { navigationFailure } from '../../../src/browser/chromium/navigation-failure.ts';
import { networkFailure } from '../../../src/core/http/failure.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { impitFailure } from '../../../src/core/http/transports/impersonation/impit-transport.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import {
  failure,
  get,
  labEngine,
  pageRequest,
  serve,
  serveRaw,
  serveSilence,
  serveTls,
  text,
} from './http-lab.ts';

describe('the host', () => {
  test('that does not exist is DNS', async () => {
    const error = await failure(get('http://no-such-host.invalid/page'));
    expect(error.code).toBe('DNS');
    expect(error.url).toBe('http://no-such-host.invalid/page');
    expect(error.retryable).toBe(true);
    expect(error.message).toMatch(
      /^The host name "no-such-host\.invalid" of http:\/\/no-such-host\.invalid\/page was not found \(\w+\)\. Check its spelling/,
    );
  });

  test('that listens on another port is CONNECTION_REFUSED', async () => {
    const { origin } = await serveSilence();
    const closed = `http://127.0.0.1:2/`;
    const error = await failure(get(closed));
    expect(error.code).toBe('CONNECTION_REFUSED');
    expect(error.message).toBe(
      'No connection to 127.0.0.1:2 for http://127.0.0.1:2/ (ECONNREFUSED). Check the host and port, and that a server listens there.',
    );
    expect(origin).not.toBe(closed);
  });

  test('is tried at its other addresses when the first one refuses', async () => {
    // ::1 is tried first or second; only 127.0.0.1 listens.
    const { port } = await serve((_, response) => response.end('here'));
    expect(text(await get(`http://localhost:${port}/`))).toBe('here');
  });

  test('that the policy refuses is BLOCKED_ADDRESS, and nothing connects', async () => {
    const { origin, port, sockets } = await serve((_, response) => response.end());
    const engine = labEngine([]);
    for (const url of [origin, `http://2130706433:${port}/`, `http://localhost:${port}/`]) {
      expect((await failure(engine.fetch(pageRequest(url)))).code).toBe('BLOCKED_ADDRESS');
    }
    expect(sockets.size).toBe(0);
  });

  test('whose name resolves to a refused address is BLOCKED_ADDRESS', async () => {
    const { port, sockets } = await serve((_, response) => response.end());
    const policy = createNetworkPolicy({ allow: ['localhost'], deny: ['127.0.0.0/8', '::1'] });
    const unchecked = { ...policy, check: () => undefined };
    const engine = httpEngine(unchecked, 'lab');
    const error = await failure(engine.fetch(pageRequest(`http://localhost:${port}/`)));
    expect(error.code).toBe('BLOCKED_ADDRESS');
    expect(sockets.size).toBe(0);
    await engine.dispose?.();
  });
});

describe('the connection', () => {
  test('that is reset before an answer is CONNECTION_RESET', async () => {
    const { origin, log } = await serveRaw((socket) => socket.resetAndDestroy());
    const error = await failure(get(origin));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(error.retryable).toBe(true);
    expect(log).toHaveLength(1);
  });

  test('that is closed before an answer is CONNECTION_RESET', async () => {
    const { origin, log } = await serveRaw((socket) => socket.end());
    expect((await failure(get(origin))).code).toBe('CONNECTION_RESET');
    expect(log).toHaveLength(1);
  });

  test('that is closed inside the headers is CONNECTION_RESET', async () => {
    const { origin, log } = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'));
    expect((await failure(get(origin))).code).toBe('CONNECTION_RESET');
    expect(log).toHaveLength(1);
  });
});

describe('the protocol', () => {
  test.each([
    ['garbage', 'hello, this is not HTTP\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a header with a space in its name', 'HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'an unasked upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['an unasked continue', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('broken by %s is PROTOCOL_ERROR', async (_, bytes) => {
    const { origin } = await serveRaw((socket) => socket.end(bytes));
    const error = await failure(get(origin));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain(`${origin}/ was not answered in valid HTTP/1.1`);
  });

  test('with headers beyond the limit is PROTOCOL_ERROR and names the limit', async () => {
    const { origin, sockets } = await serveRaw((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\n${`x-long: ${'a'.repeat(1000)}\r\n`.repeat(80)}Content-Length: 0\r\n\r\n`,
      );
    });
    const error = await failure(get(origin));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain('Raise limits.headerBytes');
    expect((await get(origin, { limits: { headerBytes: 200_000 } })).statusCode).toBe(200);
    expect(sockets.size).toBeLessThanOrEqual(1);
  });

  test('that is TLS on a port for http is PROTOCOL_ERROR or a reset', async () => {
    const { origin } = await serveTls((_, response) => response.end());
    const error = await failure(get(origin.replace('https:', 'http:')));
    expect(['PROTOCOL_ERROR', 'CONNECTION_RESET']).toContain(error.code);
  });
});

describe('TLS', () => {
  test('without verification accepts any certificate and says so', async () => {
    const { origin, port } = await serveTls((_, response) => response.end('secret'));
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('secret');
    expect(snapshot.warnings).toEqual([
      `The certificate of 127.0.0.1:${port} does not verify (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    ]);
  });

  test('with verification refuses it', async () => {
    const { origin, log } = await serveTls((_, response) => response.end('secret'));
    const error = await failure(get(origin, { skipTlsVerification: false }));
    expect(error.code).toBe('TLS');
    expect(error.message).toContain('skipTlsVerification: true accepts');
    expect(log).toEqual([]);
  });

  test('keeps the two kinds of connections apart', async () => {
    const { origin, log } = await serveTls((_, response) => response.end('secret'));
    const engine = labEngine();
    await engine.fetch(pageRequest(origin));
    const strict = pageRequest(origin, { skipTlsVerification: false });
    expect((await failure(engine.fetch(strict))).code).toBe('TLS');
    await engine.fetch(pageRequest(origin));
    expect(log).toHaveLength(2);
  });

  test('that the server does not speak is TLS', async () => {
    const { origin } = await serve((_, response) => response.end());
    expect((await failure(get(origin.replace('http:', 'https:')))).code).toBe('TLS');
  });

  test('that ends in the handshake is CONNECTION_RESET', async () => {
    const { origin } = await serveRaw(() => undefined);
    const secure = origin.replace('http:', 'https:');
    const lab = await serveSilence('https');
    const work = failure(get(lab.origin));
    while (lab.sockets.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    for (const socket of lab.sockets) socket.destroy();
    expect((await work).code).toBe('CONNECTION_RESET');
    expect(secure).toMatch(/^https:/);
  });
});

describe('the request', () => {
  test.each([
    ['x-a', 'one\r\nx-b: two', 'BAD_REQUEST'],
    ['x-a', 'nul\0', 'BAD_REQUEST'],
    ['x-a', '漢字', 'BAD_REQUEST'],
    ['bad name', 'x', 'BAD_REQUEST'],
    ['', 'x', 'BAD_REQUEST'],
    ['Content-Length', '5', 'BAD_REQUEST'],
    ['Transfer-Encoding', 'chunked', 'BAD_REQUEST'],
    ['connection', 'close', 'BAD_REQUEST'],
    ['Expect', '100-continue', 'BAD_REQUEST'],
    ['upgrade', 'h2c', 'BAD_REQUEST'],
    ['host', 'a\r\nb', 'BAD_REQUEST'],
  ])('with the header %j: %j is %s and is not sent', async (name, value, code) => {
    const { origin, log } = await serve((_, response) => response.end());
    const error = await failure(get(origin, { headers: { [name]: value } }));
    expect(error.code).toBe(code);
    expect(log).toEqual([]);
  });

  test.each([
    ['ftp://example.com/', 'UNSUPPORTED_PROTOCOL'],
    ['file:///etc/passwd', 'UNSUPPORTED_PROTOCOL'],
    ['data:text/html,x', 'UNSUPPORTED_PROTOCOL'],
    ['about:blank', 'UNSUPPORTED_PROTOCOL'],
    ['no url', 'INVALID_URL'],
    ['/relative', 'INVALID_URL'],
  ])('for %s is %s', async (url, code) => {
    expect((await failure(get(url))).code).toBe(code);
  });

  test('never tells credentials in an error', async () => {
    const error = await failure(get('http://me:secret@127.0.0.1:2/'));
    expect(JSON.stringify(error) + error.message).not.toContain('secret');
  });
});

describe('what does not come from the network', () => {
  const url = new URL('http://a.test/page');
  const mistake = new TypeError('x is not a function');

  test('is HOOK_FAILED with the error as its cause, and is not tried again', () => {
    const strange = Object.assign(new Error('odd'), { code: 'ERR_INVALID_ARG_TYPE' });
    for (const cause of [mistake, new RangeError('far'), strange, 'text']) {
      const error = networkFailure(cause, url);
      expect(error).toMatchObject({ code: 'HOOK_FAILED', url: url.href, cause, retryable: false });
    }
    const error = networkFailure(impitFailure(mistake, url), url);
    expect(error).toMatchObject({ code: 'HOOK_FAILED', cause: mistake });
    expect(navigationFailure(mistake, url.href)).toMatchObject({
      code: 'HOOK_FAILED',
      cause: mistake,
      url: url.href,
      message: `The code that drives the browser threw for ${url.href}: x is not a function`,
    });
  });

  test('is no error that has its code already, whatever it says', () => {
    const error = new PagewrightError('PROXY_FAILED', 'error:0A00010B:SSL routines::wrong version');
    expect(networkFailure(error, url)).toBe(error);
  });

  test('is not taken for a lost connection before or inside a body', async () => {
    const { origin } = await serve((_, response) => response.end('here'));
    const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
    const lookup = (): never => {
      throw mistake;
    };
    const engine = httpEngine({ ...policy, lookup }, 'lab');
    const named = origin.replace('127.0.0.1', 'localhost');
    const error = await failure(engine.fetch(pageRequest(named)));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', cause: mistake });
    await engine.dispose?.();

    const broken = { ...pageRequest(origin).limits };
    Object.defineProperty(broken, 'bodyBytes', { get: lookup });
    const read = await failure(labEngine().fetch({ ...pageRequest(origin), limits: broken }));
    expect(read).toMatchObject({ code: 'HOOK_FAILED', cause: mistake });
  });

  test('is the cause of what fetch() rejects with, where that is the network', () => {
    const wrapped = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(networkFailure(wrapped(refused), url)).toMatchObject({ code: 'CONNECTION_REFUSED' });
    expect(networkFailure(wrapped(mistake), url)).toMatchObject({ code: 'HOOK_FAILED' });
  });

  test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_HTTP2_STREAM_CANCEL'])(
    '%s is, and stays CONNECTION_RESET',
    (code) => {
      const error = networkFailure(Object.assign(new Error('gone'), { code }), url);
      expect(error).toMatchObject({ code: 'CONNECTION_RESET', retryable: true });
    },
  );
});
