/** A connection to a host through a proxy, with the address that the network policy has checked. */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net, { isIP, type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { PagewrightError } from '../errors.ts';
import type { ProxyRoute } from '../model/request.ts';
import { connectOverHttp } from './http-connect.ts';
import { type ProxyAddress, proxyAddress } from './proxy-address.ts';
import { connectOverSocks } from './socks5.ts';
import { checkAddress, TunnelFailure } from './tunnel-failure.ts';

/** Where a tunnel leads. */
export interface TunnelTarget {
  /** A name or an address, as it stands in a URL. */
  readonly host: string;
  readonly port: number;
}

/** What opening a tunnel works with. */
export interface TunnelOptions {
  /** The network policy's: it resolves the target and hands over only what may be contacted. */
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** For the certificate of an https proxy, which has to verify. @default Node's authorities */
  readonly secureContext?: tls.SecureContext | undefined;
  /** Milliseconds until the tunnel has to be open. @default 30000 */
  readonly timeout?: number | undefined;
}

/**
 * Opens a connection to a target through a proxy: CONNECT over http and https proxies, or SOCKS5.
 * The proxy is asked for an address that `lookup` has let pass, IPv4 first and at most four one
 * after the other; with `dns: 'proxy'` it is asked for the name, and only a literal address is
 * checked. The proxy itself is the caller's choice and not asked about.
 *
 * The socket is open, paused, and the caller's to close. Rejects with `PROXY_FAILED`, with what
 * `lookup` fails with (`BLOCKED_ADDRESS`, or the error of DNS), and with the signal's reason at once
 * when it aborts, leaving no socket.
 */
export async function openTunnel(
  route: ProxyRoute,
  target: TunnelTarget,
  options: TunnelOptions,
): Promise<Socket> {
  const { signal, timeout = defaultTimeout } = options;
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

const defaultTimeout = 30_000;

/** More rarely helps, and each may cost the proxy its own time limit. */
const maximumAddresses = 4;

function asksForName(route: ProxyRoute, proxy: ProxyAddress, host: string): boolean {
  const dns = route.dns ?? (proxy.resolvesNames ? 'proxy' : 'here');
  return dns === 'proxy' && isIP(host) === 0;
}

/** The addresses that the policy lets pass. IPv4 first: what this machine can reach says nothing about the proxy. */
function addressesOf(host: string, lookup: LookupFunction, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    lookup(host, { all: true }, (error, found) => {
      signal.removeEventListener('abort', abort);
      if (error !== null) return reject(error);
      const all: LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      resolve(all.toSorted((a, b) => a.family - b.family).map(({ address }) => address));
    });
  });
}

/** Tries the next address while the failure is one that another address may not have. */
async function firstOpen(
  hosts: readonly string[],
  open: (host: string) => Promise<Socket>,
): Promise<Socket> {
  let failure: unknown;
  for (const host of hosts.slice(0, maximumAddresses)) {
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
  // Stays: between two owners of the socket an error must not be one that nobody listens for.
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
    throw error instanceof TunnelFailure ? error : lost(error as Error);
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
  return new TunnelFailure(`it opened no tunnel within ${timeout} ms`, checkAddress);
}

function proxyFailed(proxy: ProxyAddress, target: string, failure: TunnelFailure): PagewrightError {
  return new PagewrightError(
    'PROXY_FAILED',
    `The proxy ${proxy.name} opened no connection to ${target}: ${failure.message}. ${failure.remedy}`,
    { cause: failure },
  );
}
