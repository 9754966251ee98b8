/**
 * Opens a connection to a host through a proxy, over HTTP CONNECT or SOCKS5, to the address that
 * the network policy has checked.
 */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net, { isIP, isIPv4, isIPv6, type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { withSignal } from '../../runtime/deadline.ts';
import { PagewrightError } from '../../runtime/errors.ts';
import { isOutOfDescriptors } from '../../runtime/file-descriptors.ts';
import type { ProxyRoute } from '../../model/request.ts';
import {
  checkAddress,
  checkCredentials,
  checkReach,
  type ProxyAddress,
  proxyAddress,
  TunnelFailure,
} from './proxy.ts';

const limits = {
  defaultTimeout: 30_000, // milliseconds
  addresses: 4, // more rarely help, and each may cost the proxy's own time limit
  headBytes: 16 * 1024, // of a reply; proxies answer CONNECT with a few lines
};

/** Where a tunnel leads. */
export interface TunnelTarget {
  /** A host name or an IP address, as in a URL. */
  readonly host: string;
  readonly port: number;
}

/** Options for opening a tunnel. */
export interface TunnelOptions {
  /** The network policy's lookup: it resolves the target and returns only allowed addresses. */
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** For the certificate of an https proxy, which has to verify. @default Node's authorities */
  readonly secureContext?: tls.SecureContext | undefined;
  /** Milliseconds until the tunnel has to be open. @default 30000 */
  readonly timeout?: number | undefined;
}

/**
 * Opens a connection to a target through a proxy: CONNECT over http and https proxies, or SOCKS5.
 * The proxy gets an address that `lookup` has allowed, IPv4 first and at most four, one after the
 * other; with `dns: 'proxy'` the proxy gets the name, and only a literal address is checked. The
 * address of the proxy itself is the caller's choice and not checked.
 *
 * The socket is open and paused, and the caller has to close it. Rejects with `PROXY_FAILED`, with the
 * error of `lookup` (`BLOCKED_ADDRESS`, or the error of DNS), and with the signal's reason at once
 * when it aborts, leaving no socket.
 */
export async function openTunnel(
  route: ProxyRoute,
  target: TunnelTarget,
  options: TunnelOptions,
): Promise<Socket> {
  const { signal, timeout = limits.defaultTimeout } = options;
  signal.throwIfAborted();
  const proxy = proxyAddress(route.url);
  const host = target.host.replace(/^\[|\]$/g, '');
  const limit = new AbortController();
  const cancel = (): void => limit.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(() => limit.abort(tooSlow(timeout)), timeout);
  try {
    const hosts = asksForName(route, proxy, host)
      ? [host]
      : await addressesOf(host, options.lookup, limit.signal);
    return await firstOpen(hosts, (address) =>
      openThrough(proxy, { host: address, port: target.port }, options.secureContext, limit.signal),
    );
  } catch (error) {
    if (!(error instanceof TunnelFailure)) throw error;
    throw proxyFailed(proxy, `${target.host}:${target.port}`, error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function asksForName(route: ProxyRoute, proxy: ProxyAddress, host: string): boolean {
  const dns = route.dns ?? (proxy.resolvesNames ? 'proxy' : 'here');
  return dns === 'proxy' && isIP(host) === 0;
}

/** The addresses that the policy allows. IPv4 first: the proxy may not reach IPv6 hosts. */
function addressesOf(host: string, lookup: LookupFunction, signal: AbortSignal): Promise<string[]> {
  const addresses = new Promise<string[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error !== null) return reject(error);
      const all: LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      resolve(all.toSorted((a, b) => a.family - b.family).map(({ address }) => address));
    });
  });
  return withSignal(addresses, signal);
}

/** Tries the next address while the failure may depend on the address. */
async function firstOpen(
  hosts: readonly string[],
  open: (host: string) => Promise<Socket>,
): Promise<Socket> {
  let failure: unknown;
  for (const host of hosts.slice(0, limits.addresses)) {
    try {
      return await open(host);
    } catch (error) {
      failure = error;
      if (!(error instanceof TunnelFailure) || !error.isAboutAddress) break;
    }
  }
  throw failure;
}

async function openThrough(
  proxy: ProxyAddress,
  destination: { readonly host: string; readonly port: number },
  secureContext: TunnelOptions['secureContext'],
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = dial(proxy, secureContext);
  // This listener stays: between two owners of the socket an error must not be unhandled.
  socket.on('error', () => undefined);
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await connected(socket);
    const connect = proxy.protocol === 'socks5:' ? connectOverSocks : connectOverHttp;
    await connect(socket, proxy, destination);
    signal.throwIfAborted();
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    // This machine is short of descriptors: the proxy is not to blame.
    if (error instanceof TunnelFailure || isOutOfDescriptors(error)) throw error;
    throw lost(error as Error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function dial(
  { protocol, host, port }: ProxyAddress,
  secureContext: TunnelOptions['secureContext'],
): Socket {
  const options = {
    host,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  };
  if (protocol !== 'https:') return net.connect(options);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const trust = secureContext === undefined ? {} : { secureContext };
  return tls.connect({ ...options, ...servername, ...trust, ALPNProtocols: ['http/1.1'] });
}

async function connected(socket: Socket): Promise<void> {
  const closed = new AbortController();
  const stop = (): void => closed.abort();
  socket.once('close', stop);
  try {
    await once(socket, socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect', {
      signal: closed.signal,
    });
  } finally {
    socket.off('close', stop);
  }
}

function lost(error: Error): TunnelFailure {
  const { code = error.message } = error as NodeJS.ErrnoException;
  const isCertificate = /CERT|SIGNED|SIGNATURE|ISSUER/.test(code);
  return new TunnelFailure(
    isCertificate ? `its certificate does not verify (${code})` : `the connection failed (${code})`,
    isCertificate ? 'Name its authority in createClient({ tls: { ca } }).' : checkAddress,
    { cause: error },
  );
}

function tooSlow(timeout: number): TunnelFailure {
  return new TunnelFailure(`it did not open a tunnel within ${timeout} ms`, checkAddress);
}

function proxyFailed(proxy: ProxyAddress, target: string, failure: TunnelFailure): PagewrightError {
  return new PagewrightError(
    'PROXY_FAILED',
    `The proxy ${proxy.name} did not connect to ${target}: ${failure.message}. ${failure.remedy}`,
    { cause: failure },
  );
}

// A tunnel through an HTTP proxy: CONNECT (RFC 9110, 9.3.6).

/** Sends CONNECT over an open connection; once this resolves, the socket leads to the target. */
async function connectOverHttp(
  socket: Socket,
  { username, password }: ProxyAddress,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (username !== '' || password !== '') {
    const credentials = Buffer.from(`${username}:${password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${credentials}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await readReply(socket, parseStatus);
  if (status < 200 || status > 299) throw connectRefusal(status);
}

/** The status of a reply, complete up to its empty line. The bytes after it belong to the target. */
function parseStatus(received: Buffer): ParsedReply<number> | undefined {
  const text = received.toString('latin1', 0, limits.headBytes);
  const [head] = /^[^]*?\r?\n\r?\n/.exec(text) ?? [];
  if (head !== undefined) {
    const [, status] = /^HTTP\/1\.\d (\d{3})(?: |\r?\n)/.exec(head) ?? [];
    if (status === undefined) throw noHttp();
    return { value: Number(status), length: head.length };
  }
  if (!text.startsWith(httpStart.slice(0, text.length))) throw noHttp();
  if (received.length < limits.headBytes) return undefined;
  throw new TunnelFailure(
    `its answer has more than ${limits.headBytes} bytes of headers`,
    checkAddress,
  );
}

const httpStart = 'HTTP/1.';

function noHttp(): TunnelFailure {
  return new TunnelFailure('it did not answer in HTTP/1.1', checkAddress);
}

function connectRefusal(status: number): TunnelFailure {
  const reason = `it answered CONNECT with status ${status}`;
  if (status === 401 || status === 407) return new TunnelFailure(reason, checkCredentials);
  if (status === 403 || status === 405) return new TunnelFailure(reason, checkRules);
  return new TunnelFailure(reason, checkReach, { address: status >= 500 });
}

const checkRules =
  "Some proxies allow CONNECT only to port 443, or not to IP addresses: dns: 'proxy' sends them the host name.";

// A tunnel through a SOCKS5 proxy (RFC 1928, 1929).

/** Negotiates over an open connection; once this resolves, the socket leads to the target. */
async function connectOverSocks(
  socket: Socket,
  { username, password }: ProxyAddress,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const destination = destinationBytes(host);
  const hasLogin = username !== '' || password !== '';
  socket.write(Uint8Array.from(hasLogin ? [5, 2, noLogin, byPassword] : [5, 1, noLogin]));
  const method = await readReply(socket, parseMethod);
  if (method === byPassword && hasLogin) {
    const [name, secret] = [Buffer.from(username), Buffer.from(password)];
    socket.write(Uint8Array.from([1, name.length, ...name, secret.length, ...secret]));
    if ((await readReply(socket, parseLogin)) !== 0) throw loginRefused();
  } else if (method !== noLogin) {
    throw loginRefused();
  }
  socket.write(Uint8Array.from([5, 1, 0, ...destination, port >> 8, port & 0xff]));
  const code = await readReply(socket, parseAnswer);
  if (code !== 0) throw socksRefusal(code);
}

const noLogin = 0;
const byPassword = 2;

const [ipv4, name, ipv6] = [1, 3, 4];

/** The type of the address and its bytes. */
function destinationBytes(host: string): readonly number[] {
  if (isIPv4(host)) return [ipv4, ...host.split('.').map(Number)];
  if (isIPv6(host)) return [ipv6, ...ipv6Bytes(host)];
  const bytes = Buffer.from(host);
  if (bytes.length <= 255) return [name, bytes.length, ...bytes];
  throw new TunnelFailure('the host name is too long for SOCKS5', 'Shorten it.');
}

function ipv6Bytes(host: string): readonly number[] {
  // URLs write IPv6 in hexadecimal words only, also where DNS ends in an IPv4 address.
  const text = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = [], after = []] = text.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 0xff];
  });
}

function parseMethod(received: Buffer): ParsedReply<number> | undefined {
  const [version, method] = received;
  if (version !== 5) throw noSocks();
  return method === undefined ? undefined : { value: method, length: 2 };
}

function parseLogin([, status]: Buffer): ParsedReply<number> | undefined {
  return status === undefined ? undefined : { value: status, length: 2 };
}

/** The reply code. A success ends with the proxy's outgoing address. */
function parseAnswer(received: Buffer): ParsedReply<number> | undefined {
  const [version, code, , kind, size] = received;
  if (version !== 5) throw noSocks();
  if (code !== undefined && code !== 0) return { value: code, length: 2 };
  if (code === undefined || kind === undefined || size === undefined) return undefined;
  const lengths = new Map([
    [ipv4, 10],
    [name, 7 + size],
    [ipv6, 22],
  ]);
  const length = lengths.get(kind);
  if (length === undefined) throw noSocks();
  return received.length < length ? undefined : { value: 0, length };
}

function loginRefused(): TunnelFailure {
  return new TunnelFailure('it did not accept the login', checkCredentials);
}

function noSocks(): TunnelFailure {
  return new TunnelFailure('it did not answer in SOCKS5', checkAddress);
}

function socksRefusal(code: number): TunnelFailure {
  const reason = `it answered ${replies[code] ?? 'with an unknown code'} (${code})`;
  return new TunnelFailure(reason, checkReach, { address: code !== 2 && code !== 7 });
}

/** RFC 1928, 6. */
const replies = [
  'success',
  'general failure',
  'not allowed by its rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];

// One reply of a proxy, read from its socket without the bytes after it.

/** A reply, and its length in the received bytes. */
export interface ParsedReply<T> {
  readonly value: T;
  readonly length: number;
}

/**
 * Reads until `parse` finds its reply in the received bytes; `parse` throws when they cannot become one. The bytes
 * after the reply go back into the socket, which is left paused.
 */
function readReply<T>(
  socket: Socket,
  parse: (received: Buffer) => ParsedReply<T> | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (settle: () => void): void => {
      socket.off('readable', read).off('error', fail).off('end', end).off('close', end);
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const end = (): void => {
      fail(new TunnelFailure('it closed the connection without an answer', checkAddress));
    };
    const read = (): void => {
      try {
        for (let chunk = next(socket); chunk !== null; chunk = next(socket)) {
          received = Buffer.concat([received, chunk]);
          const reply = parse(received);
          if (reply === undefined) continue;
          const rest = received.subarray(reply.length);
          return finish(() => {
            if (rest.length > 0) socket.unshift(rest);
            resolve(reply.value);
          });
        }
      } catch (error) {
        fail(error as Error);
      }
    };
    if (socket.destroyed) return end();
    socket.on('readable', read).on('error', fail).on('end', end).on('close', end);
  });
}

function next(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
