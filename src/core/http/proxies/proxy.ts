/** A proxy: the adapter that picks one for a request, its address, and its failures. */
import { PagewrightError } from '../../runtime/errors.ts';
import type { ProxyRoute, RouteOf } from '../../model/request.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import { decodePercent } from '../../runtime/percent-encoding.ts';

/** Plain proxies, or proxies for sites that block programs. */
export type ProxyTier = 'basic' | 'stealth';

/** The request passed to an adapter. */
export interface ProxyRequest {
  readonly url: string;
  readonly tier: ProxyTier;
  /** The apparent country of the visitor: ISO 3166-1 alpha-2, such as `DE`. */
  readonly country?: string | undefined;
  /** Requests with the same object come from one visitor, which keeps one proxy while it works. */
  readonly visitor?: object | undefined;
}

/**
 * The outcome of a request: `failed` is the proxy's own fault; `unreachable` is a host that the proxy
 * could not reach, which may be the fault of either.
 */
export type ProxyOutcome = 'ok' | 'failed' | 'unreachable';

/** A proxy adapter: any object of this shape works like the built-in ones. */
export interface Proxy {
  /**
   * Picks the route of a request; undefined connects directly. May throw `PROXY_FAILED` when there is
   * no route.
   */
  pick(request: ProxyRequest): ProxyRoute | undefined | Promise<ProxyRoute | undefined>;
  /** Gets the outcome of a request. */
  report?(route: ProxyRoute, outcome: ProxyOutcome): void;
}

/** The proxy of a client: an adapter, or one that knows the route of every URL at once. */
export interface ClientProxy extends Proxy {
  /** For redirects and the requests of a page, where the route depends on the host. */
  readonly routeOf?: RouteOf | undefined;
}

// The parts of a proxy's URL; its credentials never get into a message.

/** The address of a proxy, and its credentials. */
export interface ProxyAddress {
  readonly protocol: 'http:' | 'https:' | 'socks5:';
  /** A host name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** True for `socks5h:`, with which the proxy resolves names itself. */
  readonly resolvesNames: boolean;
  /** `http://host:port`: the proxy in messages, without its credentials. */
  readonly name: string;
}

/** Parses a URL such as `http://user:password@host:8080`; a returned text is the problem with it. */
export function parseProxyUrl(text: unknown): ProxyAddress | string {
  const url = typeof text === 'string' && canParseUrl(text) ? new URL(text) : undefined;
  if (url === undefined) return 'expected a URL such as "http://user:password@host:8080"';
  const scheme = schemes.get(url.protocol);
  // The text before the first colon may be a user name or a password.
  if (scheme === undefined) return 'expected the scheme http:, https:, socks5: or socks5h:';
  if (url.hostname === '') return 'expected a host in the URL';
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    return 'expected a URL that ends after the port';
  }
  const port = url.port === '' ? scheme.port : Number(url.port);
  const username = decodePercent(url.username);
  const password = decodePercent(url.password);
  if (Buffer.byteLength(username) > longestSecret || Buffer.byteLength(password) > longestSecret) {
    return `expected a user name and a password of at most ${longestSecret} bytes`;
  }
  return {
    protocol: scheme.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    username,
    password,
    resolvesNames: url.protocol === 'socks5h:',
    name: `${scheme.protocol}//${url.hostname}:${port}`,
  };
}

/** Parses the URL of a route; throws `BAD_REQUEST`. */
export function proxyAddress(url: string): ProxyAddress {
  const address = parseProxyUrl(url);
  if (typeof address !== 'string') return address;
  throw new PagewrightError('BAD_REQUEST', `The URL of a proxy cannot be used: ${address}.`);
}

const schemes: ReadonlyMap<string, { protocol: ProxyAddress['protocol']; port: number }> = new Map([
  ['http:', { protocol: 'http:', port: 80 }],
  ['https:', { protocol: 'https:', port: 443 }],
  ['socks5:', { protocol: 'socks5:', port: 1080 }],
  ['socks5h:', { protocol: 'socks5:', port: 1080 }],
] as const);

const longestSecret = 255; // the maximum of the length byte in SOCKS5 (RFC 1929)

// A tunnel failure, before its request is known.

/** Thrown in this folder; `openTunnel` makes it a `PROXY_FAILED`. */
export class TunnelFailure extends Error {
  /** The advice for the caller. */
  readonly remedy: string;
  /** True when another address of the same host may be reachable. */
  readonly isAboutAddress: boolean;

  constructor(
    reason: string,
    remedy: string,
    details: { cause?: unknown; address?: boolean } = {},
  ) {
    super(reason, details.cause === undefined ? undefined : { cause: details.cause });
    this.remedy = remedy;
    this.isAboutAddress = details.address === true;
  }
}

/**
 * The outcome reported to an adapter for a request's error; undefined when the error is not about
 * the proxy.
 */
export function proxyOutcome(error: unknown): ProxyOutcome | undefined {
  if (!(error instanceof PagewrightError) || error.code !== 'PROXY_FAILED') return undefined;
  const { cause } = error;
  return cause instanceof TunnelFailure && cause.isAboutAddress ? 'unreachable' : 'failed';
}

export const checkAddress = 'Check the host, port and scheme of the proxy, and that it runs.';

export const checkCredentials = 'Check the user name and password in the URL of the proxy.';

export const checkReach =
  'Check that the proxy can reach this host and is allowed to, or use another one.';
