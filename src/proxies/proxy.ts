/** A proxy: the adapter that picks one for a request, its address, and its failures. */
import { PagewrightError } from '../errors.ts';
import type { ProxyRoute } from '../model/request.ts';
import { canParseUrl } from '../url/normalize-url.ts';

/** Plain proxies, or those for sites that turn programs away. */
export type ProxyTier = 'basic' | 'stealth';

/** The request passed to an adapter. */
export interface ProxyRequest {
  readonly url: string;
  readonly tier: ProxyTier;
  /** Where the visitor should seem to be: ISO 3166-1 alpha-2, such as `DE`. */
  readonly country?: string | undefined;
  /** Requests with the same object come from one visitor, who keeps one proxy while it works. */
  readonly visitor?: object | undefined;
}

/**
 * How a request went: `failed` is the proxy's own fault; `unreachable` is a host that it could not
 * reach, which may be the fault of either.
 */
export type ProxyOutcome = 'ok' | 'failed' | 'unreachable';

/** Bring your own: any object of this shape is as good as the built-in ones. */
export interface Proxy {
  /**
   * The way for a request; undefined connects directly. May throw `PROXY_FAILED` when there is
   * none.
   */
  pick(request: ProxyRequest): ProxyRoute | undefined | Promise<ProxyRoute | undefined>;
  /** Told how it went. */
  report?(route: ProxyRoute, outcome: ProxyOutcome): void;
}

// A proxy's URL taken apart; its credentials never get into a message.

/** Where a proxy listens, and what it asks for. */
export interface ProxyAddress {
  readonly protocol: 'http:' | 'https:' | 'socks5:';
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** True for `socks5h:`, by which proxies are told to resolve names themselves. */
  readonly resolvesNames: boolean;
  /** `http://host:port`: the proxy in messages, without its credentials. */
  readonly name: string;
}

/** Takes a URL such as `http://user:password@host:8080` apart; a text says what is wrong with it. */
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
  const username = decoded(url.username);
  const password = decoded(url.password);
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

/** The same for a route; throws `BAD_REQUEST`. */
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

/** The most that fits into the length byte of SOCKS5 (RFC 1929). */
const longestSecret = 255;

/** Percent escapes undone; as it is when they are malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Why a proxy did not open a tunnel, before it is known for which request.

/** Thrown inside this room; `openTunnel` makes it a `PROXY_FAILED`. */
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

export const checkReach = 'Check that the proxy may and can reach this host, or use another one.';
