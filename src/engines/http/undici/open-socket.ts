/** A socket to the host of a URL, directly or through a proxy, with TLS where the URL asks for it. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { NetworkPolicy } from '../../../network/policy.ts';
import { autoSelectFamilyAttemptTimeout, portOf } from '../dial.ts';
import type { ConnectionTarget } from './connection.ts';
import type { TlsSettings } from '../tls-config.ts';

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
    const { openTunnel } = await import('../../../proxies/tunnel.ts');
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
  return new Promise((resolve, reject) => {
    connect(target, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

/** What is wrong with the certificate at the other end, though it was accepted. */
export function certificateErrorOf(socket: Socket | undefined): string | undefined {
  if (!(socket instanceof TLSSocket) || socket.authorized) return undefined;
  // Its type says Error; it is the code of what OpenSSL found.
  return String(socket.authorizationError);
}

/** Milliseconds for DNS, TCP and TLS together; the request's own signal may end it sooner. */
const connectTimeout = 30_000;
