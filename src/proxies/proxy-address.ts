/** A proxy's URL taken apart; its credentials never get into a message. */
import { PagewrightError } from '../errors.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

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
  // What stands before the first colon may be a user name or a password.
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

/** What fits into the length byte of SOCKS5 (RFC 1929). */
const longestSecret = 255;

/** Percent escapes undone; as it is when they are malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
