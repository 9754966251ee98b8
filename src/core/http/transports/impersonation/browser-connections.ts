/**
 * Connections with the TLS and HTTP/2 settings of a browser, and the exchange of one request over
 * them.
 */
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import http2, { type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import tls, { type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import type { NetworkPolicy } from '../../network/policy.ts';
import { IdlePool, type IdleSessions } from './sessions.ts';
import { certificateErrorOf, dial, opened } from '../../open-socket.ts';
import type { TlsSettings } from '../../tls-config.ts';
import {
  type BodyTaker,
  checkHeaderSize,
  countInterim,
  exchangeEnding,
  type ExchangeResult,
  gatherHeaders,
  NoResponse,
  type ResponseHead,
  type TransportRequest,
  clientClosed,
} from '../../transport.ts';
import type { BrowserIdentity, HeaderPairs, HttpVersion } from './browser-identity.ts';

/** The key of reusable connections: one visitor, one origin, opened in the same way. */
export interface BrowserTarget extends Pick<
  TransportRequest,
  'url' | 'skipTlsVerification' | 'route'
> {
  /** Different for each visitor. */
  readonly visitorKey: string;
  readonly identity: BrowserIdentity;
}

/** One connection, used by one request at a time. */
export interface BrowserConnection extends IdleSessions {
  readonly version: HttpVersion;
  readonly socket: Socket;
  /** Set for HTTP/2. */
  readonly session: ClientHttp2Session | undefined;
  /** The problem of the server's certificate, if it was accepted despite it. */
  readonly certificateError: string | undefined;
  /** Called when the response is complete: the connection may serve another request. */
  release(): void;
  /** Called before the connection is reused. */
  wake(): void;
}

/** Opens connections under a policy and pools reusable ones. */
export class BrowserConnections {
  readonly #policy: NetworkPolicy;
  readonly #tls: TlsSettings;
  /** Contexts by browser, then by the caller's additions. */
  readonly #contexts = new WeakMap<object, WeakMap<object, SecureContext>>();
  readonly #idle = new IdlePool<BrowserConnection>();
  readonly #open = new Set<Socket>();
  readonly #closing = new AbortController();

  constructor(policy: NetworkPolicy, tlsSettings: TlsSettings) {
    this.#policy = policy;
    this.#tls = tlsSettings;
    setMaxListeners(0, this.#closing.signal);
  }

  /** An idle connection. */
  take(target: BrowserTarget): BrowserConnection | undefined {
    const connection = this.#idle.take(keyOf(target));
    connection?.wake();
    return connection;
  }

  /**
   * A new connection, ready for a request. Rejects like `dial`, and with `CANCELLED` after `close`.
   */
  async open(target: BrowserTarget, signal: AbortSignal): Promise<BrowserConnection> {
    const attempt = new AbortController();
    const abort = (): void =>
      attempt.abort(signal.aborted ? signal.reason : clientClosed(target.url));
    const sources = [signal, this.#closing.signal];
    for (const source of sources) source.addEventListener('abort', abort);
    try {
      if (sources.some(({ aborted }) => aborted)) abort();
      const socket = await this.#connect(target, attempt.signal);
      attempt.signal.throwIfAborted();
      return this.#connection(target, socket);
    } finally {
      for (const source of sources) source.removeEventListener('abort', abort);
    }
  }

  /** Destroys every connection; requests in flight fail. */
  close(): void {
    this.#closing.abort();
    this.#idle.clear();
    for (const socket of this.#open) {
      socket.destroy(Object.assign(new Error('the client was closed'), { code: 'ABORT_ERR' }));
    }
  }

  async #connect(target: BrowserTarget, signal: AbortSignal): Promise<Socket> {
    const { url, identity, skipTlsVerification, route } = target;
    const proxyContext = route === undefined ? undefined : this.#tls.proxyContext;
    const socket = await dial(url, { policy: this.#policy, route, proxyContext, signal });
    if (url.protocol === 'http:') return socket;
    // Node's types lack `requestOCSP`.
    const options: tls.ConnectionOptions & { readonly requestOCSP: boolean } = {
      secureContext: this.#contextFor(identity, url),
      requestOCSP: identity.tls.requestOCSP,
      socket,
      // Literal addresses are not server names (RFC 6066, 3).
      ...(isIP(hostOf(url)) === 0 ? { servername: hostOf(url) } : { host: hostOf(url) }),
      rejectUnauthorized: !skipTlsVerification,
      ALPNProtocols: ['h2', 'http/1.1'],
    };
    const secure = tls.connect(options);
    await opened(secure, 'secureConnect', signal);
    return secure;
  }

  #contextFor({ tls: { settings } }: BrowserIdentity, { hostname }: URL): SecureContext {
    const added: SecureContextOptions = this.#tls.optionsFor(hostname);
    const contexts = this.#contexts.get(settings) ?? new WeakMap<object, SecureContext>();
    this.#contexts.set(settings, contexts);
    const context = contexts.get(added) ?? tls.createSecureContext({ ...added, ...settings });
    contexts.set(added, context);
    return context;
  }

  #connection(target: BrowserTarget, socket: Socket): BrowserConnection {
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#open.delete(socket));
    const isHttp2 = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    const session = isHttp2 ? openSession(target, socket) : undefined;
    const refuse = (): void => void socket.destroy();
    const connection: BrowserConnection = {
      version: isHttp2 ? '2' : '1.1',
      socket,
      session,
      certificateError: certificateErrorOf(socket),
      get isOpen() {
        return socket.writable && !socket.destroyed && session?.closed !== true;
      },
      release: () => {
        if (!connection.isOpen) return connection.destroy();
        (session ?? socket).unref();
        // Data received now belongs to no request, and must not answer the next one.
        if (!isHttp2) socket.on('data', refuse);
        this.#idle.keep(keyOf(target), connection);
      },
      wake: () => {
        (session ?? socket).ref();
        socket.off('data', refuse);
      },
      destroy: () => {
        session?.destroy();
        socket.destroy();
      },
    };
    return connection;
  }
}

function openSession({ url, identity }: BrowserTarget, socket: TLSSocket): ClientHttp2Session {
  const { windowSize, ...settings } = http2Settings[identity.family];
  const session = http2.connect(url.origin, {
    createConnection: () => socket,
    settings: { ...settings, enablePush: false },
    maxHeaderListPairs,
  });
  session.on('error', () => undefined);
  session.on('connect', () => {
    if (!session.destroyed) session.setLocalWindowSize(windowSize);
  });
  return session;
}

/** The HTTP/2 settings that browsers announce, as listed by fingerprinting services. */
const http2Settings = {
  chrome: {
    headerTableSize: 65_536,
    initialWindowSize: 6_291_456,
    maxHeaderListSize: 262_144,
    windowSize: 15_728_640,
  },
  firefox: {
    headerTableSize: 65_536,
    initialWindowSize: 131_072,
    maxFrameSize: 16_384,
    windowSize: 12_582_912,
  },
  safari: { initialWindowSize: 4_194_304, maxConcurrentStreams: 100, windowSize: 10_551_295 },
};

const maxHeaderListPairs = 2_000; // Node's 128 are too few for some servers

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function keyOf({ url, skipTlsVerification, route, visitorKey }: BrowserTarget): string {
  return [visitorKey, url.origin, skipTlsVerification, route?.url, route?.dns].join(' ');
}

// One request and its response on one connection, over HTTP/1.1 or HTTP/2.

/**
 * Sends a request and settles when the body of its response is complete, cut off or not wanted. Rejects with the
 * signal's reason at once when it aborts, and with `NoResponse` when there is none.
 */
export function browserExchange(
  connection: BrowserConnection,
  headers: HeaderPairs,
  request: TransportRequest,
): Promise<ExchangeResult> {
  const { signal, url, headerBytes, onHead } = request;
  let head: ResponseHead | undefined;
  const ending = exchangeEnding(connection, signal);
  const { result, fail, done, drop } = ending;
  const broken = (error: Error): void => {
    if (head === undefined) fail(new NoResponse(error));
    else done(head, error);
  };
  const answer = ({ statusCode, rawHeaders, body, isComplete }: RawAnswer): void => {
    if (ending.isOver) return;
    const answered = { statusCode, headers: gatherHeaders(rawHeaders) };
    head = answered;
    let taker: BodyTaker | undefined;
    try {
      checkHeaderSize(rawHeaders, headerBytes);
      taker = onHead(answered, { resume: () => void body.resume(), fail });
    } catch (error) {
      return fail(error as Error);
    }
    body.on('data', (chunk: Buffer) => {
      if (!ending.isOver && taker?.write(chunk) === false) body.pause();
    });
    const end = (): void => done(answered, isComplete() ? undefined : earlyEnd());
    body.on('end', end).on('close', end).on('error', broken);
    if (taker === undefined) setImmediate(drop, answered);
  };

  if (ending.isOver) return result;
  const events = { answer, broken, interim: countInterim(url, fail) };
  try {
    if (connection.session === undefined) {
      overHttp1(connection.socket, headers, request, events);
    } else overHttp2(connection.session, headers, request, events);
  } catch (error) {
    fail(error as Error);
  }
  return result;
}

interface RawAnswer {
  readonly statusCode: number;
  /** Names and values alternately. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
  /** True if the body is complete. */
  readonly isComplete: () => boolean;
}

interface ExchangeEvents {
  answer(answer: RawAnswer): void;
  broken(error: Error): void;
  interim(): void;
}

function overHttp1(
  socket: Socket,
  headers: HeaderPairs,
  sent: TransportRequest,
  { answer, broken, interim }: ExchangeEvents,
): void {
  const { url, method, headerBytes, body } = sent;
  const request = http.request({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    // As a list they are sent unchanged.
    headers: headers.flat(),
    maxHeaderSize: headerBytes,
    insecureHTTPParser: false,
  });
  request.maxHeadersCount = 0;
  request.on('response', (response) => {
    answer({
      statusCode: response.statusCode ?? 0,
      rawHeaders: response.rawHeaders,
      body: response,
      isComplete: () => response.complete,
    });
  });
  request.on('information', interim);
  request.on('upgrade', () => broken(new Error('bad upgrade')));
  request.on('error', broken);
  request.end(body);
}

function overHttp2(
  session: ClientHttp2Session,
  headers: HeaderPairs,
  { method, body }: TransportRequest,
  { answer, broken, interim }: ExchangeEvents,
): void {
  const fields = { ...Object.fromEntries(headers), ':method': method };
  const stream = session.request(fields, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  let hasAnswer = false;
  const onResponse = (
    answered: IncomingHttpHeaders,
    _: number,
    rawHeaders: readonly string[],
  ): void => {
    hasAnswer = true;
    answer({
      statusCode: Number(answered[':status']),
      rawHeaders,
      body: stream,
      isComplete: () => stream.readableEnded && !stream.aborted && stream.rstCode === 0,
    });
  };
  // Node passes the raw headers too, which its types omit.
  stream.on('response', onResponse as never);
  stream.on('headers', interim);
  stream.on('error', broken);
  stream.on('close', () => {
    if (!hasAnswer) broken(earlyEnd());
  });
}

function earlyEnd(): Error {
  return Object.assign(new Error('the connection ended early'), { code: 'ECONNRESET' });
}
