import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPoster, type PostClient } from '../../../../src/core/http/post.ts';
import type { TlsConfig } from '../../../../src/core/http/tls-config.ts';
import { createNetworkPolicy } from '../../../../src/core/http/network/policy.ts';
import { serve } from '../../../../src/entries/testing/index.ts';
import { cert, key } from '../../http/self-signed.ts';

function open(tls?: TlsConfig, allow = ['127.0.0.1']): PostClient {
  const policy = createNetworkPolicy({ allow });
  const poster = openPoster({ policy, userAgent: 'test/1', tls });
  onTestFinished(() => poster.close());
  return poster;
}

const message = { headers: { 'x-a': 'b' }, body: Buffer.from('{"a":1}') };
const soon = (): AbortSignal => AbortSignal.timeout(20_000);

describe('a poster', () => {
  it('sends the bytes with their length and tells the status', async () => {
    await using server = await serve({ '/a': { status: 202 } });
    const answer = await open().post({
      ...message,
      url: new URL(server.url('/a')),
      signal: soon(),
    });
    expect(answer).toEqual({ statusCode: 202, retryAfter: undefined });
    expect(server.log).toMatchObject([
      {
        method: 'POST',
        headers: { 'x-a': 'b', 'user-agent': 'test/1', 'content-length': '7' },
        body: message.body,
      },
    ]);
  });

  it('is not led anywhere by a redirect', async () => {
    await using server = await serve({
      '/a': { status: 307, headers: { location: '{{origin}}/b' } },
      '/b': 'secret',
    });
    const { statusCode } = await open().post({
      ...message,
      url: new URL(server.url('/a')),
      signal: soon(),
    });
    expect(statusCode).toBe(307);
    expect(server.log.map(({ url }) => url)).toEqual(['/a']);
  });

  it('connects to the address that it has checked, and to no other', async () => {
    await using server = await serve({ '/': 'hello' });
    const url = new URL(server.url('/').replace('127.0.0.1', 'localhost'));
    const post = { ...message, url, signal: soon() };
    await expect(open(undefined, []).post(post)).rejects.toMatchObject({ code: 'BLOCKED_ADDRESS' });
    expect(server.log).toEqual([]);
    expect(await open(undefined, ['localhost']).post(post)).toMatchObject({ statusCode: 200 });
  });

  it('leaves a receiver that does not read when its signal aborts', async () => {
    const sockets: Socket[] = [];
    const server = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/`);
    const body = Buffer.alloc(64 * 1024 * 1024);
    const reason = new Error('enough');
    const stop = new AbortController();
    const posted = open().post({ headers: {}, body, url, signal: stop.signal });
    await expect.poll(() => sockets.length).toBe(1);
    stop.abort(reason);
    await expect(posted).rejects.toBe(reason);
    for (const socket of sockets) {
      // A socket that nobody reads does not notice its end.
      socket.on('error', () => undefined).resume();
      if (!socket.closed) await once(socket, 'close');
    }
    const closed = once(server, 'close');
    server.close();
    await closed;
  });

  it('tells the origin only of a receiver that never comes to its answer', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50);
    const server = createServer((socket) => void socket.on('error', () => undefined).write(hints));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/?token=t0ken`);
    const posted = open().post({ ...message, url, signal: soon() });
    await expect(posted).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    await expect(posted).rejects.not.toThrow(/t0ken/);
  });

  it('trusts no certificate that does not verify, and the authorities it is told of', async () => {
    const server = createTlsServer({ key, cert }, (_, response) => void response.end('hello'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = new URL(`https://127.0.0.1:${port}/?token=t0ken`);
    const post = { ...message, url, signal: soon() };
    const refused = open().post(post);
    await expect(refused).rejects.toMatchObject({ code: 'TLS' });
    await expect(refused).rejects.toThrow(/must verify/);
    await expect(refused).rejects.not.toThrow(/t0ken|skipTls/);
    expect(await open({ ca: cert, http2: true }).post(post)).toMatchObject({ statusCode: 200 });
  });
});
