/** A local website from a folder or from pages of a test, with a log of its requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypeOf } from '../../core/http/content-types.ts';
import { openSite, type SiteResponse } from './site-files.ts';
import type { Behaviour, Exchange } from './behaviours.ts';

/** Options of the server. */
export interface ServeOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * Behaviours in place of the plain response: by path and query, by path, or by the start of a
   * path with `*` after it (`'*'` is every request). The first of these that matches is used, the
   * longest start first.
   */
  readonly behaviours?: Readonly<Record<string, Behaviour>>;
}

/** A running server. Close it, or `await using` it. */
export interface FixtureServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** The URL of a path: `server.url('/a?b=1')`. */
  url(path: string): string;
  /** The requests, in order of arrival. */
  readonly log: readonly LoggedRequest[];
  clearLog(): void;
  /** Connections that are open now. */
  readonly openSockets: number;
  /** Breaks all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves a folder (see `openSite`) or the pages of a test.
 *
 * @example
 * await using server = await serve({ '/': '<a href="/slow">Slow</a>' }, { behaviours: { '/slow': hang() } });
 */
export async function serve(
  site: string | URL | SiteHandlers,
  options: ServeOptions = {},
): Promise<FixtureServer> {
  const { port = 0, host = '127.0.0.1', behaviours = {} } = options;
  const answer = await answerer(site);
  const log: LoggedRequest[] = [];
  const server = createServer((request, response) => {
    void respond(request, response, { answer, behaviours, log });
  });
  const sockets = trackSockets(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;

  const close = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    origin,
    url: (path) => origin + path,
    log,
    clearLog: () => {
      log.length = 0;
    },
    get openSockets() {
      return [...sockets].filter((socket) => !socket.destroyed).length;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type AnswerRequest = (request: LoggedRequest, origin: string) => Promise<SiteResponse>;

async function answerer(site: string | URL | SiteHandlers): Promise<AnswerRequest> {
  if (typeof site === 'string' || site instanceof URL) {
    const folder = await openSite(site);
    return ({ url }, origin) => folder.respond(url, origin);
  }
  return (request, origin) => answerFromPages(site, request, origin);
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  site: {
    readonly answer: AnswerRequest;
    readonly behaviours: Readonly<Record<string, Behaviour>>;
    readonly log: LoggedRequest[];
  },
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const logged = await readRequest(request);
    site.log.push(logged);
    const exchange: Exchange = {
      request,
      response,
      url: logged.url,
      page: async () => {
        const page = await site.answer(logged, `http://${logged.host}`);
        if (page.delay > 0) await sleep(page.delay, undefined, { signal: gone.signal });
        return page;
      },
      send: ({ status, headers, body }) => void response.writeHead(status, headers).end(body),
      signal: gone.signal,
    };
    await (behaviourFor(logged.url, site.behaviours) ?? plainBehaviour)(exchange);
  } catch (error) {
    // Errors after the client has disconnected are ignored.
    if (!gone.signal.aborted) sendFailure(response, error);
  }
}

async function readRequest(request: IncomingMessage): Promise<LoggedRequest> {
  const time = performance.timeOrigin + performance.now();
  const { localAddress = '', localPort = 0 } = request.socket;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    host: headers.host ?? `${localAddress}:${localPort}`,
    headers,
    body: Buffer.concat(chunks),
    time,
  };
}

function behaviourFor(
  url: string,
  behaviours: Readonly<Record<string, Behaviour>>,
): Behaviour | undefined {
  const starts = Object.keys(behaviours)
    .filter((key) => key.endsWith('*') && url.startsWith(key.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  const key = [url, url.split('?', 1)[0] ?? url, ...starts].find((one) => one in behaviours);
  return key === undefined ? undefined : behaviours[key];
}

const plainBehaviour: Behaviour = async ({ page, send }) => send(await page());

function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(
    `The test site failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}

// A website defined by a test instead of a folder.

/** A request received by a server. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** The Host header. */
  readonly host: string;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The time when its headers arrived; milliseconds since 1970, with fractions. */
  readonly time: number;
}

/** A page: its text, or a whole response. `{{origin}}` in texts and headers becomes the origin. */
export type SitePage =
  | string
  | {
      /** @default 200 */
      readonly status?: number;
      /** content-type depends on the path's extension, else HTML for a text, unless it is given here. */
      readonly headers?: Readonly<Record<string, string>>;
      /** @default an empty one */
      readonly body?: string | Uint8Array;
      /** Milliseconds to wait before the response. @default 0 */
      readonly delay?: number;
    };

/** Answers requests; undefined is a 404. */
export type PageHandler = (
  request: LoggedRequest,
) => SitePage | undefined | Promise<SitePage | undefined>;

/**
 * Pages by path, or by path and query, which is tried first; or one function for all requests.
 * A record may be changed while it is served.
 */
export type SiteHandlers = Readonly<Record<string, SitePage | PageHandler>> | PageHandler;

/** The response of a site of handlers to a request. */
async function answerFromPages(
  site: SiteHandlers,
  request: LoggedRequest,
  origin: string,
): Promise<SiteResponse> {
  const entry = typeof site === 'function' ? site : pageAt(site, request.url);
  const page = typeof entry === 'function' ? await entry(request) : entry;
  return toResponse(page ?? notFound, pathOf(request.url), origin);
}

const notFound: SitePage = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 Not Found',
};

function pageAt(
  pages: Readonly<Record<string, SitePage | PageHandler>>,
  url: string,
): SitePage | PageHandler | undefined {
  const key = [url, pathOf(url)].find((candidate) => Object.hasOwn(pages, candidate));
  return key === undefined ? undefined : pages[key];
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function toResponse(page: SitePage, path: string, origin: string): SiteResponse {
  const {
    status = 200,
    headers = {},
    body = '',
    delay = 0,
  } = typeof page === 'string' ? { body: page } : page;
  const isText = typeof body === 'string';
  const bytes = isText ? Buffer.from(withOrigin(body, origin)) : body;
  const complete: Record<string, string> = {
    'content-type': contentTypeOf(path, isText ? 'text/html; charset=utf-8' : undefined),
    'content-length': String(bytes.length),
  };
  for (const [name, value] of Object.entries(headers)) {
    complete[name.toLowerCase()] = withOrigin(value, origin);
  }
  return { status, headers: complete, body: bytes, delay };
}

function withOrigin(text: string, origin: string): string {
  return text.replaceAll('{{origin}}', origin);
}
