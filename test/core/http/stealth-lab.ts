/** What the tests of the stealth engine share: servers that note how they are asked, and a proxy. */
import http, { type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import { type StealthClient, stealthEngine } from '../../../src/core/http/stealth.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { cert, key } from './self-signed.ts';

/** A request as it came. */
export interface Asked {
  readonly httpVersion: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names in their order, as they were written; pseudo-headers too. */
  readonly names: readonly string[];
  /** The port that it came from: one for each connection. */
  readonly port: number | undefined;
}

export interface AskedServer {
  readonly origin: string;
  readonly port: number;
  readonly log: readonly Asked[];
  readonly sockets: ReadonlySet<Socket>;
}

type Answer = (
  request: IncomingMessage | http2.Http2ServerRequest,
  response: http.ServerResponse | http2.Http2ServerResponse,
) => void;

const page: Answer = (_, response) => {
  response.setHeader('content-type', 'text/html');
  (response as http.ServerResponse).end('<p>Hello');
};

/** An https server; `h2` speaks HTTP/2 too. */
export async function serveSecure(
  answer: Answer = page,
  { h2 = true }: { readonly h2?: boolean } = {},
): Promise<AskedServer> {
  const log: Asked[] = [];
  const listener: Answer = (request, response) => {
    log.push(note(request));
    answer(request, response);
  };
  const server = h2
    ? http2.createSecureServer({ key, cert, allowHTTP1: true }, listener)
    : https.createServer({ key, cert }, listener);
  server.on('sessionError', () => undefined);
  return { ...(await listen(server, 'https')), log };
}

/** A plain http server. */
export async function servePlain(answer: Answer = page): Promise<AskedServer> {
  const log: Asked[] = [];
  const server = http.createServer((request, response) => {
    log.push(note(request));
    answer(request, response);
  });
  return { ...(await listen(server, 'http')), log };
}

/** A proxy for CONNECT that wants `user:secret`. */
export async function serveConnectProxy(): Promise<AskedServer & { readonly route: string }> {
  const log: Asked[] = [];
  const server = http.createServer((_, response) => void response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    log.push(note(request));
    const expected = `Basic ${Buffer.from('user:secret').toString('base64')}`;
    if (request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  const lab = await listen(server, 'http');
  return { ...lab, log, route: `http://user:secret@127.0.0.1:${lab.port}` };
}

/** An engine that may contact this machine. */
export function stealthLab(
  client: StealthClient,
  allow: readonly string[] = ['127.0.0.1', 'localhost'],
): Engine {
  const engine = stealthEngine({ policy: createNetworkPolicy({ allow }), client });
  onTestFinished(() => engine.dispose?.());
  return engine;
}

/** Closes the server when the test is over. */
export async function listen(
  server: net.Server,
  scheme: string,
): Promise<Omit<AskedServer, 'log'>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `${scheme}://127.0.0.1:${port}`, port, sockets };
}

function note(request: IncomingMessage | http2.Http2ServerRequest): Asked {
  const { httpVersion, url = '', headers, rawHeaders, socket } = request;
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  const port = socket instanceof TLSSocket || socket instanceof net.Socket ? socket.remotePort : 0;
  return { httpVersion, url, headers, names, port };
}
