/** Servers of TLS on this machine, with certificates that no authority signed. */
import { once } from 'node:events';
import http2 from 'node:http2';
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { cert, key } from '../core/http/self-signed.ts';
import { expiredCert, expiredKey, otherCert, otherKey } from './bad-certificates.ts';
import type { Scene } from './scenario.ts';

/** What can be wrong with a certificate beside its signer. */
export const certificates: Readonly<
  Record<'selfSigned' | 'expired' | 'otherHost', { readonly key: string; readonly cert: string }>
> = {
  selfSigned: { key, cert },
  expired: { key: expiredKey, cert: expiredCert },
  otherHost: { key: otherKey, cert: otherCert },
};

/** Serves a page over TLS until the scenario ends; gives its URL. */
export async function serveTls(
  scene: Pick<Scene, 'defer'>,
  certificate: keyof typeof certificates,
  options: https.ServerOptions = {},
  answer: (response: ServerResponse) => void = sayHello,
): Promise<string> {
  const server = https.createServer({ ...certificates[certificate], ...options }, (_, response) => {
    answer(response);
  });
  return `https://127.0.0.1:${await listen(scene, server)}/`;
}

function sayHello(response: ServerResponse): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end('<p>Over TLS</p>');
}

/** Serves HTTP/2 and nothing else. */
export async function serveHttp2(scene: Pick<Scene, 'defer'>): Promise<string> {
  const server = http2.createSecureServer({ ...certificates.selfSigned, allowHTTP1: false });
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html; charset=utf-8' });
    stream.end('<p>Over HTTP/2</p>');
  });
  return `https://127.0.0.1:${await listen(scene, server)}/`;
}

/** Hands every connection to a function. */
export async function serveSocket(
  scene: Pick<Scene, 'defer'>,
  answer: (socket: Socket, number: number) => void,
): Promise<number> {
  let number = 0;
  return await listen(
    scene,
    net.createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket, ++number);
      // An unread socket would not notice that the other side has closed it.
      socket.resume();
    }),
  );
}

async function listen(scene: Pick<Scene, 'defer'>, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scene.defer(async () => {
    // The client is closed by now: what is still open has leaked.
    for (let wait = 0; sockets.size > 0 && wait < 100; wait++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const leaked = sockets.size;
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    if (leaked > 0) throw new Error(`${leaked} sockets are open after the client was closed`);
  });
  return (server.address() as AddressInfo).port;
}
