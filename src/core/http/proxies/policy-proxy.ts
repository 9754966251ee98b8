/**
 * A local proxy that enforces the network policy, for clients that open their own sockets, such as
 * native libraries and browsers.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { PagewrightError } from '../../runtime/errors.ts';
import { withDescriptors } from '../../runtime/file-descriptors.ts';
import type { ProxyRoute, RouteOf } from '../../model/request.ts';
import { defaultLimits } from '../../model/limits.ts';
import type { NetworkPolicy } from '../network/policy.ts';
import { dial, portOf } from '../open-socket.ts';
import { canParseUrl } from '../../url/normalize-url.ts';

/** Options of the proxy. */
export interface PolicyProxyOptions {
  /** Checks every target; the checked address is the one connected to. */
  readonly policy: NetworkPolicy;
  /** The upstream proxy, or the one of each target. @default none: direct connections */
  readonly route?: ProxyRoute | RouteOf | undefined;
  /** Limit for headers of requests and of unencrypted responses, in bytes. @default 65536 */
  readonly headerBytes?: number;
  /** Closes the proxy when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * Receives the reason that a target (`host:port`) was unreachable or responded badly; the client
   * only sees a status.
   */
  readonly onFailure?: (error: Error, target: string) => void;
}

/** An open proxy. */
export interface PolicyProxy extends AsyncDisposable {
  /** `http://user:password@127.0.0.1:port`, with credentials for this proxy only. */
  readonly url: string;
  /** Bytes received from the targets, encryption and headers included. */
  readonly bytesRead: number;
  /** Connections to targets that are open. */
  readonly connections: number;
  /** Closes all connections, so that the client opens new ones. */
  disconnect(): void;
  /** Closes all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Opens a proxy for CONNECT and for requests with an absolute http URL. CONNECT tunnels pass bytes
 * unchanged, so TLS is the client's. A refused target is answered with 403, an unreachable one with
 * 502, wrong credentials with 407.
 *
 * The proxy alone does not keep the process alive.
 */
export async function openPolicyProxy(options: PolicyProxyOptions): Promise<PolicyProxy> {
  options.signal?.throwIfAborted();
  const policyProxy = new RunningPolicyProxy(options);
  await policyProxy.listen();
  return policyProxy;
}

class RunningPolicyProxy implements PolicyProxy {
  readonly #options: PolicyProxyOptions;
  readonly #headerBytes: number;
  readonly #credentials = `gate:${randomBytes(18).toString('hex')}`;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #targets = new Set<Socket>();
  /** Bytes of closed connections. */
  #bytesBefore = 0;
  readonly #abort = (): void => void this.close();

  constructor(options: PolicyProxyOptions) {
    const { headerBytes = defaultLimits.headerBytes, signal } = options;
    this.#options = options;
    this.#headerBytes = headerBytes;
    this.#server = http.createServer({ maxHeaderSize: headerBytes, keepAliveTimeout: 0 });
    this.#server.on('connection', (client: Socket) => {
      this.#clients.add(client.unref());
      client.on('error', () => undefined).on('close', () => this.#clients.delete(client));
    });
    this.#server.on('request', (request, response) => void this.#forward(request, response));
    this.#server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
      void this.#tunnel(request, client, head);
    });
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  listen(): Promise<void> {
    return withDescriptors(async () => {
      this.#server.listen(0, '127.0.0.1').unref();
      await once(this.#server, 'listening');
    }, this.#options.signal);
  }

  get connections(): number {
    return this.#targets.size;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${this.#credentials}@127.0.0.1:${port}`;
  }

  get bytesRead(): number {
    return [...this.#targets].reduce((sum, { bytesRead }) => sum + bytesRead, this.#bytesBefore);
  }

  disconnect(): void {
    for (const socket of [...this.#clients, ...this.#targets]) socket.destroy();
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.#server.close();
    this.disconnect();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // An unread socket does not notice that the client has left.
    const early = [head];
    const keep = (chunk: Buffer): void => {
      early.push(chunk);
      client.pause();
    };
    client.on('data', keep);
    let target: Socket;
    try {
      target = await this.#reach(request, `http://${request.url ?? ''}`);
    } catch (error) {
      this.#report(error, request.url ?? '');
      const lines = [`HTTP/1.1 ${refusal(error).join(' ')}`, challenge.join(': '), '', ''];
      return void client.end(lines.join('\r\n'));
    }
    client.off('data', keep);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    target.write(Buffer.concat(early));
    // Client and target notice by themselves when the other side leaves.
    await pipeline(client, target, client).catch(() => undefined);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let target: Socket | undefined;
    try {
      const url = readTarget(request.url ?? '');
      target = await this.#reach(request, url.href);
      await this.#exchange(url, target, request, response);
    } catch (error) {
      this.#report(error, authorityOf(request.url ?? ''));
      if (response.headersSent) response.destroy();
      else response.writeHead(...refusal(error), challenge).end();
    } finally {
      target?.destroy();
    }
  }

  /** Wrong credentials of a client are not a failure of the target. */
  #report(error: unknown, target: string): void {
    if (error instanceof WrongCredentials) return;
    this.#options.onFailure?.(error as Error, target);
  }

  /** A connection to the target, closed when the client leaves. */
  async #reach(request: IncomingMessage, text: string): Promise<Socket> {
    const { headers, socket: client } = request;
    const expected = `Basic ${Buffer.from(this.#credentials).toString('base64')}`;
    if (headers['proxy-authorization'] !== expected) throw new WrongCredentials();
    const left = new AbortController();
    const leave = (): void => left.abort(new Error('the client of the gate has left'));
    const forget = (): void => void client.off('close', leave).off('end', leave);
    client.on('close', leave).on('end', leave);
    const { policy, route } = this.#options;
    const url = readTarget(text);
    const routed = typeof route === 'function' ? route(pageUrl(request, url)) : route;
    const dialOptions = { policy, route: routed, signal: left.signal };
    const target = await dial(url, dialOptions).catch((error: unknown) => {
      forget();
      throw error;
    });
    this.#targets.add(target.unref());
    target.on('error', () => undefined);
    target.on('close', () => {
      forget();
      this.#targets.delete(target);
      this.#bytesBefore += target.bytesRead;
    });
    left.signal.addEventListener('abort', () => target.destroySoon());
    if (left.signal.aborted) target.destroy();
    return target;
  }

  /** Forwards a request, without its proxy headers, and returns the response. */
  async #exchange(
    url: URL,
    target: Socket,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const forwarded = http.request({
      createConnection: () => target,
      method: request.method,
      path: url.pathname + url.search,
      headers: forwardedHeaders(request.rawHeaders),
      maxHeaderSize: this.#headerBytes,
      insecureHTTPParser: false,
    });
    forwarded.maxHeadersCount = 0;
    let failure: Error | undefined;
    forwarded.on('error', (error) => (failure ??= error));
    request.pipe(forwarded);
    try {
      const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
      response.sendDate = false;
      const { statusCode = 502, statusMessage = '', rawHeaders } = answer;
      response.writeHead(statusCode, statusMessage, rawHeaders).flushHeaders();
      await pipeline(answer, response);
    } catch (error) {
      throw failure ?? error;
    }
  }
}

/** The URL behind a target: clients open tunnels for https and WebSockets; the latter alone lead to port 80. */
function pageUrl({ method }: IncomingMessage, url: URL): URL {
  const isSecure = method === 'CONNECT' && url.port !== '';
  return isSecure ? new URL(`https://${url.host}`) : url;
}

class WrongCredentials extends Error {}

const challenge = ['proxy-authenticate', 'Basic'];

function readTarget(text: string): URL {
  if (canParseUrl(text) && text.startsWith('http:')) return new URL(text);
  const excerpt = JSON.stringify(text.slice(0, 200));
  throw new PagewrightError('INVALID_URL', `The gate cannot take anybody to ${excerpt}.`);
}

function authorityOf(text: string): string {
  if (!canParseUrl(text)) return text;
  const url = new URL(text);
  return `${url.hostname}:${portOf(url)}`;
}

/** Names and values alternately, in their order. */
function forwardedHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  let hasConnection = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    if (key === 'proxy-authorization') continue;
    hasConnection ||= key.endsWith('connection');
    headers.push(key === 'proxy-connection' ? 'Connection' : name, value);
  }
  return hasConnection ? headers : [...headers, 'Connection', 'keep-alive'];
}

function refusal(error: unknown): [status: number, text: string] {
  if (error instanceof WrongCredentials) return [407, 'Proxy Authentication Required'];
  const code = error instanceof PagewrightError ? error.code : undefined;
  if (code === 'BLOCKED_ADDRESS') return [403, 'Forbidden'];
  return code === 'INVALID_URL' ? [400, 'Bad Request'] : [502, 'Bad Gateway'];
}
