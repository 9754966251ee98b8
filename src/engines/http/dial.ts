/** A socket to the host of a URL, opened under the network policy. */
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ProxyRoute } from '../../model/request.ts';
import type { NetworkPolicy } from '../../network/policy.ts';

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
        ...{ lookup: policy.lookup, signal, secureContext: proxyContext },
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
export const autoSelectFamilyAttemptTimeout = 1_000;
