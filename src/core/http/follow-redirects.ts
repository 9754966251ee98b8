/** Fetches a URL through all redirects and refreshes, up to the last response. */
import type { CookieJar } from 'tough-cookie';
import { PagewrightError } from '../runtime/errors.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { PageRequest } from '../model/request.ts';
import type { Cookie } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { headersForHop, sharesHeaders } from './network/credentials.ts';
import type { NetworkPolicy } from './network/policy.ts';
import { canParseUrl, quoteUrl } from '../url/normalize-url.ts';
import { isAssetPath } from '../url/path-kind.ts';
import { contentTypeOf } from './content-types.ts';
import { downloadName, downloadWarnings, isDownload } from './download.ts';
import {
  fetchOnce,
  type HopRequest,
  type HopResponse,
  type HopResponseHead,
} from './fetch-once.ts';
import { redirectTarget } from './redirect.ts';
import { refreshTarget } from './refresh.ts';
import { requestHeaders } from './request-headers.ts';
import type { Transport } from './transport.ts';

/** The parts of the engine that following redirects needs. */
export interface HttpClient {
  /** The engine's name in snapshots. */
  readonly engine: string;
  readonly transport: Transport;
  /** Called before each hop. */
  readonly policy: NetworkPolicy;
  /**
   * The User-Agent header for requests without one; if undefined, the transport sends its own
   * headers.
   */
  readonly userAgent?: string | undefined;
}

/**
 * Fetches a page over HTTP. A page that refreshes to another one counts as a redirect, unless
 * following it would loop or exceed `limits.redirects`: then it is the result, with a warning.
 */
export async function followRedirects(
  httpClient: HttpClient,
  request: PageRequest,
): Promise<Snapshot> {
  const { engine, transport, policy, userAgent } = httpClient;
  const chain = new RedirectChain(request, userAgent);
  for (;;) {
    const answer = await chain.asRedirected(async () => {
      policy.check(chain.url);
      if (chain.isRedirected) await request.beforeRedirect?.(chain.url.href);
      return fetchOnce(transport, request, await chain.nextRequest());
    });
    const page = await chain.goOn(answer);
    if (page !== undefined) return chain.snapshot(page, engine);
  }
}

/** The redirect hops of one fetch. */
class RedirectChain {
  readonly #request: PageRequest;
  readonly #userAgent: string | undefined;
  readonly #cookies: RedirectCookies;
  readonly #redirects: string[] = [];
  readonly #visited = new Set<string>();
  readonly #doubts = new Set<string>();
  readonly #warnings: string[] = [];
  #headers: Readonly<Record<string, string>>;
  #sent: Pick<PageRequest, 'method' | 'body'>;
  #requests = 0;
  #bytes = 0;
  /** Goes back to the last page that refreshed to another one. */
  #goBack: (() => HopResponse) | undefined;
  /** The status of the last response. */
  #statusCode: number | undefined;
  url: URL;

  constructor(request: PageRequest, userAgent: string | undefined) {
    this.#request = request;
    this.#userAgent = userAgent;
    this.#headers = request.headers;
    this.#sent = { method: request.method, body: request.body };
    this.#cookies = new RedirectCookies(request.cookies);
    this.url = readUrl(request.url);
  }

  /** True from the second hop on. */
  get isRedirected(): boolean {
    return this.#redirects.length > 0;
  }

  /** Adds to the error of a refused address which page led there. */
  async asRedirected(hop: () => Promise<HopResponse>): Promise<HopResponse> {
    try {
      return await hop();
    } catch (error) {
      const from = this.#redirects.at(-1);
      const isRefused = error instanceof PagewrightError && error.code === 'BLOCKED_ADDRESS';
      if (!isRefused || from === undefined) throw error;
      const message = `${from} redirects to ${this.url.href}. ${error.message}`;
      throw new PagewrightError('BLOCKED_ADDRESS', message, { url: this.url.href, cause: error });
    }
  }

  /** The request of the next hop, cookies included. */
  async nextRequest(): Promise<HopRequest> {
    const headers = await this.#headersAt(this.url, this.#headers);
    const state = this.#stateOf(this.url, headers);
    if (this.#visited.has(state)) throw this.#tooMany('in a loop');
    this.#visited.add(state);
    return {
      ...this.#sent,
      url: this.url,
      headers,
      skipTlsVerification: this.#skipsTls(this.url),
      skipsDownload: this.#goBack !== undefined,
    };
  }

  /** Follows a redirect or a refresh; otherwise returns the final response. */
  async goOn(answer: HopResponse): Promise<HopResponse | undefined> {
    const { head, body, requests, bytes, doubt } = answer;
    // Redirects count too: an impostor of the host may lead anywhere.
    if (doubt !== undefined) this.#doubts.add(doubt);
    this.#requests += requests;
    this.#bytes += bytes;
    this.#statusCode = head.statusCode;
    const redirect = redirectTarget(head, this.url);
    if (redirect === undefined && this.#goBack !== undefined && isDownload(head)) {
      // As in a browser, a page that starts a download stays open.
      this.#warnOfDownload(this.url, head.headers);
      return this.#goBack();
    }
    const target = redirect ?? refreshTarget(head, body, this.url);
    if (target === undefined) return answer;
    if (redirect === undefined && isAssetPath(target.pathname)) {
      // Types that are displayed but no page, such as pictures and styles.
      const type = { 'content-type': contentTypeOf(target.pathname) };
      if (isDownload({ statusCode: 200, headers: type })) this.#warnOfDownload(target, {});
      return answer;
    }
    const { limits, redirectCredentials } = this.#request;
    if (this.#redirects.length >= limits.redirects) {
      if (redirect !== undefined) throw this.#tooMany(`more than ${limits.redirects} times`);
      return this.#keep(answer, target, `limits.redirects is ${limits.redirects}`);
    }
    await this.#cookies.keep(head.setCookies, this.url);
    const isKept = redirect !== undefined && keepsMethod(head.statusCode, this.#sent.method);
    if (isKept) this.#refuseToPassOn(target);
    else this.#sent = { method: undefined, body: undefined };
    const own = isKept ? this.#headers : withoutBodyHeaders(this.#headers);
    const headers = headersForHop(own, this.url, target, redirectCredentials);
    if (redirect === undefined) {
      const state = this.#stateOf(target, await this.#headersAt(target, headers));
      if (this.#visited.has(state)) return this.#keep(answer, target, 'it leads in a loop');
      const [url, hops] = [this.url, this.#redirects.length];
      this.#goBack = () => {
        this.url = url;
        this.#redirects.length = hops;
        return answer;
      };
    }
    this.#redirects.push(this.url.href);
    this.#headers = headers;
    this.url = target;
    return undefined;
  }

  /** The part of a request that distinguishes it from earlier ones. */
  #stateOf({ href }: URL, { authorization, cookie }: Readonly<Record<string, string>>): string {
    return [this.#sent.method, href, authorization, cookie].join(' ');
  }

  /** A body may hold secrets, like the headers: it goes where they go. */
  #refuseToPassOn(target: URL): void {
    const { method = 'GET', body } = this.#sent;
    const { redirectCredentials } = this.#request;
    if (body === undefined || sharesHeaders(this.url, target, redirectCredentials)) return;
    const { href } = this.url;
    throw new PagewrightError(
      'BAD_REDIRECT',
      `${href} redirects the ${method} to ${target.href}, another origin, which does not get its body. Scrape that URL, or for another host of the same site set redirectCredentials: 'same-site'.`,
      { url: href, statusCode: this.#statusCode },
    );
  }

  #warnOfDownload({ href }: URL, headers: HopResponseHead['headers']): void {
    this.#warnings.push(...downloadWarnings(new Map([[href, downloadName(href, headers)]])));
  }

  snapshot({ head, body, warnings, isCut }: HopResponse, engine: string): Snapshot {
    return {
      url: this.url.href,
      statusCode: head.statusCode,
      headers: head.headers,
      body,
      engine,
      redirects: this.#redirects,
      ...(isCut ? { isCut } : {}),
      warnings: [...warnings, ...this.#doubts, ...this.#warnings],
      requests: this.#requests,
      bytes: this.#bytes,
    };
  }

  /** A host with headers has to verify, unless the request starts at one: then the caller says so. */
  #skipsTls(url: URL): boolean {
    const { url: first, hostHeaders, skipTlsVerification } = this.#request;
    const hasHeaders = (one: URL): boolean => hostHeaders?.of(one) !== undefined;
    return skipTlsVerification && (!hasHeaders(url) || hasHeaders(new URL(first)));
  }

  /** The headers of a hop: those of its host, the caller's, and cookies. */
  async #headersAt(
    url: URL,
    given: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const all = { ...this.#request.hostHeaders?.of(url), ...given };
    const { cookie: own, ...headers } = requestHeaders(all, this.#userAgent);
    const cookie = await this.#cookies.header(url, own);
    return cookie === undefined ? headers : { ...headers, cookie };
  }

  #keep(answer: HopResponse, target: URL, why: string): HopResponse {
    this.#warnings.push(`The page refreshes to ${target.href}, which was not followed: ${why}.`);
    return answer;
  }

  #tooMany(reason: string): PagewrightError {
    const [start = this.url.href] = this.#redirects;
    return new PagewrightError(
      'TOO_MANY_REDIRECTS',
      `${start} redirects ${reason}, at last to ${this.url.href}. Raise limits.redirects, or send the cookies that the site asks for.`,
      { url: start, statusCode: this.#statusCode },
    );
  }
}

/** As of the fetch standard, "HTTP-redirect fetch". */
function keepsMethod(statusCode: number, method: PageRequest['method']): boolean {
  return statusCode !== 303 && !(method === 'POST' && statusCode <= 302);
}

function withoutBodyHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const about = /^content-(?:encoding|language|location|type)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !about.test(name)));
}

function readUrl(text: string): URL {
  if (!canParseUrl(text)) {
    throw new PagewrightError('INVALID_URL', `${quoteUrl(text)} is no absolute URL.`);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PagewrightError(
      'UNSUPPORTED_PROTOCOL',
      `${url.protocol} URLs cannot be fetched over HTTP. Use an http: or https: URL.`,
      { url: text },
    );
  }
  url.hash = '';
  url.username = '';
  url.password = '';
  return url;
}

// Cookies of the caller, and of servers during the redirects of one fetch.

/** The jar is made with the first cookie: most pages are reached without one. */
export class RedirectCookies {
  #jar: CookieJar | undefined;
  readonly #given: readonly Cookie[];

  /** Cookies that their domain could not have set are ignored. */
  constructor(given: readonly Cookie[] = []) {
    this.#given = given;
  }

  /** Stores the Set-Cookie headers of a response; cookies that the site may not set are ignored. */
  async keep(setCookies: readonly string[], from: URL): Promise<void> {
    if (setCookies.length === 0) return;
    const jar = await this.#open();
    for (const cookie of setCookies) {
      await jar.setCookie(cookie, from.href, { ignoreError: true });
    }
  }

  /**
   * The Cookie header for a URL: the caller's cookies; cookies of the jar replace those of the same
   * name.
   */
  async header(url: URL, given: string | undefined): Promise<string | undefined> {
    if (this.#jar === undefined && this.#given.length === 0) return given;
    const stored = await (await this.#open()).getCookies(url.href);
    const names = new Set(stored.map((cookie) => cookie.key));
    const own = (given ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0]?.trim() ?? ''));
    const pairs = [...own, ...stored.map((cookie) => cookie.cookieString())];
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }

  async #open(): Promise<CookieJar> {
    if (this.#jar !== undefined) return this.#jar;
    const { Cookie: JarCookie, CookieJar } = await loadModule(() => import('tough-cookie'));
    const jar = new CookieJar();
    for (const { name, value, domain, path, expires, secure } of this.#given) {
      const host = domain.replace(/^\./, '');
      const cookie = new JarCookie({
        key: name,
        value,
        path,
        secure,
        ...(host === domain ? {} : { domain: host }),
        ...(expires < 0 ? {} : { expires: new Date(expires * 1000) }),
      });
      await jar.setCookie(cookie, `https://${host}/`, { ignoreError: true });
    }
    return (this.#jar = jar);
  }
}
