/** Draws the identity of one real browser: its headers, their order and its TLS settings. */
import type { SecureContextOptions } from 'node:tls';
import type { Options } from 'got-scraping';
import { acceptEncoding } from '../content-codings.ts';

/** Headers in the order in which they are sent. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** The version that a connection speaks. */
export type HttpVersion = '1.1' | '2';

/** How a browser speaks TLS. */
export interface BrowserTls {
  /** Ciphers, curves and signature algorithms as that browser offers them. */
  readonly settings: SecureContextOptions;
  /** Ask for the state of the certificate. */
  readonly requestOCSP: boolean;
}

/** One browser on one machine. */
export interface BrowserIdentity {
  readonly tls: BrowserTls;
  /** The browser whose HTTP/2 settings fit. */
  readonly family: 'chrome' | 'firefox' | 'safari';
  /** All headers of a page request, those of `given` in place of the browser's own. */
  headers(version: HttpVersion, url: URL, given: Readonly<Record<string, string>>): HeaderPairs;
}

/** What is used of the `header-generator` that got-scraping brings along. */
interface HeaderGenerator {
  getHeaders(options: Readonly<Record<string, unknown>>): Record<string, string>;
  orderHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
}

/** Draws a browser as they are met on the web; two in a row may be alike. */
export async function drawIdentity(): Promise<BrowserIdentity> {
  const { gotScraping, hooks } = await import('got-scraping');
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
      const said = merge(spoken(own, url), given);
      const named = version === '2' ? framed(said, url) : written(said, url);
      // The order goes by the browser, also where the caller gives another User-Agent.
      const key = version === '2' ? 'user-agent' : 'User-Agent';
      const ordered = Object.keys(generator.orderHeaders({ ...named, [key]: userAgent }));
      // One list serves both versions, so that names of both kinds have the place of the first.
      const isField = (name: string): boolean => name.startsWith(':');
      const names = [...ordered.filter(isField), ...ordered.filter((name) => !isField(name))];
      return names.flatMap((name): HeaderPairs => {
        const value = named[name];
        return value === undefined ? [] : [[name, value]];
      });
    },
  };
}

/** Some headers of one browser. One in 200 that the generator has seen was pretended: it is drawn again. */
function drawHeaders(generator: HeaderGenerator): Record<string, string> {
  let own: Record<string, string>;
  let draws = 0;
  do own = generator.getHeaders({ httpVersion: '2', locales: ['en-US', 'en'] });
  while (!isGenuine(own) && ++draws < mostDraws);
  return own;
}

const mostDraws = 20;

/** Chromium tells the same version in both places; other browsers give no client hints. */
function isGenuine(own: Readonly<Record<string, string>>): boolean {
  const { 'user-agent': userAgent = '', 'sec-ch-ua': hint } = own;
  const version = /Chrome\/(\d+)/.exec(userAgent)?.[1];
  if (version === undefined) return hint === undefined;
  return hint?.includes(`"Chromium";v="${version}"`) === true && !/Headless/i.test(hint);
}

/** What the browser says of itself to this URL. */
function spoken(own: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  const headers: Record<string, string> = { ...own, 'accept-encoding': decodable(own) };
  // The generator takes every page for one that another page links to, and gives no Referer.
  if ('sec-fetch-site' in headers) headers['sec-fetch-site'] = 'none';
  if (url.protocol === 'https:') return headers;
  // Browsers keep client hints, fetch metadata and the newer codings for encrypted connections.
  const plain = Object.entries(headers).filter(([name]) => !name.startsWith('sec-'));
  return { ...Object.fromEntries(plain), 'accept-encoding': 'gzip, deflate' };
}

/** The codings that the browser offers and that can be undone here. */
function decodable({ 'accept-encoding': offered = '' }: Readonly<Record<string, string>>): string {
  const ours = new Set(acceptEncoding.split(', '));
  return (
    offered
      .split(', ')
      .filter((coding) => ours.has(coding))
      .join(', ') || 'gzip, deflate'
  );
}

/** The caller's words win; hints that would contradict its User-Agent are left out. */
function merge(
  own: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(own).filter(
    ([name]) => !(name.startsWith('sec-ch-') && 'user-agent' in given),
  );
  return { ...Object.fromEntries(kept), ...given };
}

/** Names as HTTP/2 has them; the host is a field of its own. */
function framed(said: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  const { host = url.host, ...rest } = said;
  const path = url.pathname + url.search;
  return { ':method': 'GET', ':authority': host, ':scheme': 'https', ':path': path, ...rest };
}

/** Names as HTTP/1.1 has them: browsers write theirs Like-This, client hints apart. */
function written(said: Readonly<Record<string, string>>, { host }: URL): Record<string, string> {
  const { te: _, ...rest } = said;
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
    // No browser speaks anything older any more.
    minVersion: 'TLSv1.2',
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(signatureAlgorithms === undefined ? {} : { sigalgs: signatureAlgorithms }),
    ...(ecdhCurve === undefined ? {} : { ecdhCurve }),
    ...(secureOptions === undefined ? {} : { secureOptions }),
  };
  return { settings, requestOCSP };
}
