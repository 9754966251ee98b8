/** What the tests of the http engine share: loopback servers and an engine, closed after each test. */
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import type { PageRequest } from '../../../src/core/model/request.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { cert, key } from './self-signed.ts';

export interface Lab {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** Open sockets of the server. */
  readonly sockets: ReadonlySet<Socket>;
  /** Request lines and raw requests, in order of arrival. */
  readonly log: string[];
}

/** Serves with a handler; the log gets each request's URL. */
export async function serve(handler: http.RequestListener): Promise<Lab> {
  const log: string[] = [];
  const server = http.createServer((request, response) => {
    log.push(request.url ?? '');
    handler(request, response);
  });
  return listen(server, 'http', log);
}

/** The same over TLS, with a certificate that does not verify. */
export async function serveTls(handler: http.RequestListener): Promise<Lab> {
  const log: string[] = [];
  const server = https.createServer({ key, cert }, (request, response) => {
    log.push(request.url ?? '');
    handler(request, response);
  });
  return listen(server, 'https', log);
}

/** Serves bytes: the handler gets each request as soon as its head is complete. */
export async function serveRaw(
  answer: (socket: Socket, count: number, request: string) => void,
): Promise<Lab> {
  const log: string[] = [];
  const server = net.createServer((socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!received.endsWith('\r\n\r\n')) return;
      log.push(received);
      answer(socket, log.length, received);
      received = '';
    });
  });
  return listen(server, 'http', log);
}

/** Accepts connections and says nothing. */
export async function serveSilence(scheme: 'http' | 'https' = 'http'): Promise<Lab> {
  // An unread socket would not notice that the other side has closed it.
  return listen(
    net.createServer((socket) => void socket.resume()),
    scheme,
    [],
  );
}

/** Has any server record its sockets, and closes it when the test is over. */
async function listen(server: Server, scheme: string, log: string[]): Promise<Lab> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
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
  return { origin: `${scheme}://127.0.0.1:${port}`, port, sockets, log };
}

/** An engine that may contact this machine. */
export function labEngine(allow: readonly string[] = ['127.0.0.1', 'localhost']): Engine {
  const engine = httpEngine(createNetworkPolicy({ allow }), 'lab/1.0');
  onTestFinished(() => engine.dispose?.());
  return engine;
}

export type RequestOverrides = Partial<Omit<PageRequest, 'limits'>> & {
  readonly limits?: Partial<PageRequest['limits']>;
};

export function pageRequest(url: string, overrides: RequestOverrides = {}): PageRequest {
  return {
    url,
    headers: {},
    skipTlsVerification: true,
    rendering: {},
    signal: new AbortController().signal,
    ...overrides,
    limits: { ...defaultLimits, ...overrides.limits },
  };
}

/** Fetches with an engine of its own. */
export function get(url: string, overrides: RequestOverrides = {}): Promise<Snapshot> {
  return labEngine().fetch(pageRequest(url, overrides));
}

export function text(snapshot: Snapshot): string {
  return Buffer.from(snapshot.body).toString('utf8');
}

/** The error of a fetch that must fail. */
export async function failure(work: Promise<unknown>): Promise<PagewrightError> {
  const outcome = await work.then(
    () => new Error('the fetch succeeded'),
    (error: unknown) => error,
  );
  if (outcome instanceof PagewrightError) return outcome;
  throw outcome;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a condition holds; fails after `limit` ms. */
export async function until(condition: () => boolean, limit = 2000): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > limit) throw new Error(`not within ${limit} ms`);
    await sleep(2);
  }
}
