/** Draws the identity of one real browser: its headers, their order and its TLS settings. */
import type { SecureContextOptions } from 'node:tls';
import type { Options } from 'got-scraping';
import { loadPackage } from '../../../runtime/optional-packages.ts';
import { acceptEncoding } from '../../request-headers.ts';

/** Headers in the order in which they are sent. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** The HTTP version of a connection. */
export type HttpVersion = '1.1' | '2';

/** The TLS parameters of a browser. */
export interface BrowserTls {
  /** The browser's ciphers, curves and signature algorithms. */
  readonly settings: SecureContextOptions;
  /** Request the revocation status of the certificate. */
  readonly requestOCSP: boolean;
}

/** One browser on one machine. */
export interface BrowserIdentity {
  readonly tls: BrowserTls;
  /** The browser whose HTTP/2 settings match. */
  readonly family: 'chrome' | 'firefox' | 'safari';
  /** All headers of a page request; `given` replaces the browser's own. */
  headers(version: HttpVersion, url: URL, given: Readonly<Record<string, string>>): HeaderPairs;
}

/** The part of the `header-generator` of got-scraping that is used. */
interface HeaderGenerator {
  getHeaders(options: Readonly<Record<string, unknown>>): Record<string, string>;
  orderHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Draws a browser by its share on the web; two in a row may be alike. Rejects with `MISSING_DEPENDENCY` without
 * got-scraping.
 */
export async function drawIdentity(): Promise<BrowserIdentity> {
  const { gotScraping, hooks } = await loadPackage(
    "proxy: 'stealth'",
    'got-scraping',
    () => import('got-scraping'),
  );
  const context = gotScraping.defaults.options.context as { headerGenerator: HeaderGenerator };
  const generator = context.headerGenerator;
  const own = drawHeaders(generator);
  const userAgent = own['user-agent'] ?? '';
  return {
    tls: tlsSettings(hooks.tlsHook, userAgent),
    family: /Firefox\//.test(userAgent)
      ? 'firefox'
      : /Chrome\//.test(userAgent)
        ? 'chrome'
        : 'safari',
    headers: (version, url, given) => {
      const headers = merge(spoken(own, url), given);
      const named = version === '2' ? framed(headers, url) : written(headers, url);
      // The order follows the drawn browser, even if the caller sets another User-Agent.
      const key = version === '2' ? 'user-agent' : 'User-Agent';
      const ordered = Object.keys(generator.orderHeaders({ ...named, [key]: userAgent }));
      // One list serves both versions; the pseudo-headers come first.
      const isField = (name: string): boolean => name.startsWith(':');
      const names = [...ordered.filter(isField), ...ordered.filter((name) => !isField(name))];
      return names.flatMap((name): HeaderPairs => {
        const value = named[name];
        return value === undefined ? [] : [[name, value]];
      });
    },
  };
}

/** Headers of one browser. One in 200 recorded by the generator is fake: it is drawn again. */
function drawHeaders(generator: HeaderGenerator): Record<string, string> {
  let own: Record<string, string>;
  let draws = 0;
  do own = generator.getHeaders({ httpVersion: '2', locales: ['en-US', 'en'] });
  while (!isGenuine(own) && ++draws < mostDraws);
  return own;
}

const mostDraws = 20;

/** Chromium sends one version in both headers; other browsers send no client hints. */
function isGenuine(own: Readonly<Record<string, string>>): boolean {
  const { 'user-agent': userAgent = '', 'sec-ch-ua': hint } = own;
  const version = /Chrome\/(\d+)/.exec(userAgent)?.[1];
  if (version === undefined) return hint === undefined;
  return hint?.includes(`"Chromium";v="${version}"`) === true && !/Headless/i.test(hint);
}

/** The headers of the browser for this URL. */
function spoken(own: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  const headers: Record<string, string> = { ...own, 'accept-encoding': decodable(own) };
  // The generator assumes that a link led to every page, and sets no Referer.
  if ('sec-fetch-site' in headers) headers['sec-fetch-site'] = 'none';
  if (url.protocol === 'https:') return headers;
  // Browsers send client hints, fetch metadata and the newer codings over encrypted connections
  // only.
  const plain = Object.entries(headers).filter(([name]) => !name.startsWith('sec-'));
  return { ...Object.fromEntries(plain), 'accept-encoding': 'gzip, deflate' };
}

/** The codings that the browser offers and this client decodes. */
function decodable({ 'accept-encoding': offered = '' }: Readonly<Record<string, string>>): string {
  const ours = new Set(acceptEncoding.split(', '));
  return (
    offered
      .split(', ')
      .filter((coding) => ours.has(coding))
      .join(', ') || 'gzip, deflate'
  );
}

/** The caller's headers win; hints that would contradict its User-Agent are left out. */
function merge(
  own: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const retained = Object.entries(own).filter(
    ([name]) => !(name.startsWith('sec-ch-') && 'user-agent' in given),
  );
  return { ...Object.fromEntries(retained), ...given };
}

/** Header names for HTTP/2; the host is a pseudo-header, and so is the method, which the exchange sets. */
function framed(headers: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  const { host = url.host, ...rest } = headers;
  const path = url.pathname + url.search;
  return { ':method': 'GET', ':authority': host, ':scheme': 'https', ':path': path, ...rest };
}

/** Header names for HTTP/1.1: browsers write them Like-This, except client hints. */
function written(headers: Readonly<Record<string, string>>, { host }: URL): Record<string, string> {
  const { te: _, ...rest } = headers;
  const pairs = Object.entries({ host, connection: 'keep-alive', ...rest });
  return Object.fromEntries(pairs.map(([name, value]) => [writtenName(name), value]));
}

function writtenName(name: string): string {
  if (/^(?:sec-ch-|x-)/.test(name)) return name;
  return name === 'dnt' ? 'DNT' : name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** got-scraping writes them into the options of its own requests. */
function tlsSettings(fill: (options: Options) => void, userAgent: string): BrowserTls {
  const options = {
    https: {} as Options['https'],
    headers: { 'user-agent': userAgent },
    _unixOptions: {} as { secureOptions?: number; requestOCSP?: boolean },
  };
  fill(options as unknown as Options);
  const { ciphers, signatureAlgorithms, ecdhCurve } = options.https;
  const { secureOptions, requestOCSP = false } = options._unixOptions;
  const settings: SecureContextOptions = {
    // No current browser uses an older version.
    minVersion: 'TLSv1.2',
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(signatureAlgorithms === undefined ? {} : { sigalgs: signatureAlgorithms }),
    ...(ecdhCurve === undefined ? {} : { ecdhCurve }),
    ...(secureOptions === undefined ? {} : { secureOptions }),
  };
  return { settings, requestOCSP };
}
