/** Opens sockets to the host of a URL under the network policy, directly or through a proxy. */
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import type { ProxyRoute } from '../../model/request.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import type { TlsSettings } from './tls-config.ts';
import type { ConnectionTarget } from './undici/exchange.ts';

/** The way to take. */
export interface DialOptions {
  readonly policy: NetworkPolicy;
  /** The proxy to go through. @default none: a direct connection */
  readonly route?: ProxyRoute | undefined;
  /** Whom to trust when the proxy speaks TLS. @default the authorities that Node knows */
  readonly proxyContext?: SecureContext | undefined;
  readonly signal: AbortSignal;
}

/**
 * Connects to host and port of a URL; only addresses that the policy lets pass are tried. The socket
 * is the caller's to close. Rejects with `BLOCKED_ADDRESS`, with `PROXY_FAILED`, with the error of
 * the socket, or with the signal's reason at once when it aborts, leaving no socket.
 */
export async function dial(url: URL, options: DialOptions): Promise<Socket> {
  const { policy, route, proxyContext, signal } = options;
  signal.throwIfAborted();
  policy.check(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  if (route !== undefined) {
    const { openTunnel } = await import('../../proxies/tunnel.ts');
    return await openTunnel(
      route,
      { host, port },
      {
        lookup: policy.lookup,
        signal,
        secureContext: proxyContext,
      },
    );
  }
  const socket = net.connect({
    host,
    port,
    lookup: policy.lookup,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout,
  });
  await opened(socket, 'connect', signal);
  return socket;
}

/** That of the scheme, where the URL names none. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Waits for a socket to tell that it is open; destroys it when that fails or the signal aborts. */
export async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/** Milliseconds before the next address of a host is tried; Node's 250 are too few for slow lines. */
const autoSelectFamilyAttemptTimeout = 1_000;

// A socket to the host of a URL, directly or through a proxy, with TLS where the URL asks for it.

/** undici's part in it. */
export type Undici = typeof import('undici');

/** What all connections of a pool have in common. */
export interface SocketOptions {
  /** Asked for every address of a host, also when a proxy connects to it. */
  readonly lookup: NetworkPolicy['lookup'];
  readonly tls: TlsSettings;
}

/**
 * Opens a socket. Rejects with the socket's error, with that of `lookup` and with `PROXY_FAILED`;
 * when the signal aborts, no socket is left.
 */
export async function openSocket(
  { buildConnector }: Undici,
  { url, verifyTls, route }: ConnectionTarget,
  { lookup, tls }: SocketOptions,
  { signal, allowH2 }: { readonly signal: AbortSignal; readonly allowH2: boolean },
): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const port = portOf(url);
  let tunnel: Socket | undefined;
  if (route !== undefined) {
    const { openTunnel } = await import('../../proxies/tunnel.ts');
    const trust = /^https:/i.test(route.url) ? tls.proxyContext : undefined;
    const target = { host: url.hostname, port };
    tunnel = await openTunnel(route, target, { lookup, signal, secureContext: trust });
    if (!isSecure) return tunnel;
  }
  const connect = buildConnector({
    lookup,
    signal,
    allowH2,
    rejectUnauthorized: verifyTls,
    ...(isSecure ? { secureContext: tls.contextFor(url.hostname) } : {}),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout,
    timeout: connectTimeout,
    maxCachedSessions: 0,
  });
  const { hostname, host, protocol } = url;
  const target = {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    host,
    protocol,
    port: String(port),
    ...(tunnel === undefined ? {} : { httpSocket: tunnel }),
  };
  // null is what undici hands over beside an error.
  return promisify(connect)(target) as Promise<Socket>;
}

/** What is wrong with the certificate at the other end, though it was accepted. */
export function certificateErrorOf(socket: Socket | undefined): string | undefined {
  if (!(socket instanceof TLSSocket) || socket.authorized) return undefined;
  // Its type says Error; it is the code of what OpenSSL found.
  return String(socket.authorizationError);
}

/** Milliseconds for DNS, TCP and TLS together; the request's own signal may end it sooner. */
const connectTimeout = 30_000;
