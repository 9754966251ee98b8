/** Opens sockets to the host of a URL under the network policy, directly or through a proxy. */
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { withDescriptors } from '../runtime/file-descriptors.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { ProxyRoute } from '../model/request.ts';
import type { NetworkPolicy } from './network/policy.ts';
import type { TlsSettings } from './tls-config.ts';
import type { ConnectionTarget } from './transports/undici/exchange.ts';

/** Options for opening a socket. */
export interface DialOptions {
  readonly policy: NetworkPolicy;
  /** The proxy to go through. @default none: a direct connection */
  readonly route?: ProxyRoute | undefined;
  /** Authorities to trust when the proxy speaks TLS. @default Node's own authorities */
  readonly proxyContext?: SecureContext | undefined;
  readonly signal: AbortSignal;
}

/**
 * Connects to host and port of a URL; only addresses that the policy allows are tried. The caller
 * closes the socket. Waits while no file descriptor is left. Rejects with `BLOCKED_ADDRESS`, with
 * `PROXY_FAILED`, with `TOO_MANY_OPEN_FILES`, with the error of the socket, or with the signal's
 * reason at once when it aborts, leaving no socket.
 */
export function dial(url: URL, options: DialOptions): Promise<Socket> {
  return withDescriptors(() => dialOnce(url, options), options.signal);
}

async function dialOnce(url: URL, options: DialOptions): Promise<Socket> {
  const { policy, route, proxyContext, signal } = options;
  signal.throwIfAborted();
  policy.check(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  if (route !== undefined) {
    const { openTunnel } = await loadModule(() => import('./proxies/tunnel.ts'));
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

/** The port of a URL; by default that of the scheme. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Waits until a socket is open; destroys it when that fails or the signal aborts. */
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

const autoSelectFamilyAttemptTimeout = 1_000; // milliseconds; Node's 250 is low for slow hosts

// A socket to the host of a URL, directly or through a proxy, with TLS if the URL needs it.

/** The undici module. */
export type Undici = typeof import('undici');

/** Options shared by all connections of a pool. */
export interface SocketOptions {
  /** Called for every address of a host, also when a proxy connects to it. */
  readonly lookup: NetworkPolicy['lookup'];
  readonly tls: TlsSettings;
}

/** How a socket is opened. */
interface SocketOpening {
  readonly signal: AbortSignal;
  readonly allowH2: boolean;
}

/**
 * Opens a socket; waits while no file descriptor is left. Rejects with the error of the socket or of
 * `lookup`, with `PROXY_FAILED` and with `TOO_MANY_OPEN_FILES`; when the signal aborts, no socket is
 * left.
 */
export function openSocket(
  undici: Undici,
  target: ConnectionTarget,
  options: SocketOptions,
  opening: SocketOpening,
): Promise<Socket> {
  return withDescriptors(() => openOnce(undici, target, options, opening), opening.signal);
}

async function openOnce(
  { buildConnector }: Undici,
  { url, skipTlsVerification, route }: ConnectionTarget,
  { lookup, tls }: SocketOptions,
  { signal, allowH2 }: SocketOpening,
): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const port = portOf(url);
  let tunnel: Socket | undefined;
  if (route !== undefined) {
    const { openTunnel } = await loadModule(() => import('./proxies/tunnel.ts'));
    const trust = /^https:/i.test(route.url) ? tls.proxyContext : undefined;
    const target = { host: url.hostname, port };
    tunnel = await openTunnel(route, target, { lookup, signal, secureContext: trust });
    if (!isSecure) return tunnel;
  }
  const connect = buildConnector({
    lookup,
    signal,
    allowH2,
    rejectUnauthorized: !skipTlsVerification,
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
  // undici passes null beside an error.
  return promisify(connect)(target) as Promise<Socket>;
}

/** The problem of the peer's certificate, if it was accepted despite it. */
export function certificateErrorOf(socket: Socket | undefined): string | undefined {
  if (!(socket instanceof TLSSocket) || socket.authorized) return undefined;
  // Typed as Error, but it is OpenSSL's error code.
  return String(socket.authorizationError);
}

const connectTimeout = 30_000; // milliseconds for DNS, TCP and TLS; the request may end it sooner
