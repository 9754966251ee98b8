/** One fetch from its URL to the last answer, through all redirects and refreshes. */
import { PagewrightError } from '../../errors.ts';
import type { PageRequest } from '../../model/request.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { type Answer, fetchOnce } from './fetch-once.ts';
import { headersForHop, redirectTarget } from './redirect.ts';
import { refreshTarget } from './refresh.ts';
import { RedirectCookies } from './redirect-cookies.ts';
import { requestHeaders } from './request-headers.ts';
import type { Transport } from './transport.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** What a journey needs of its engine. */
export interface Traveller {
  /** Told in the snapshot. */
  readonly engine: string;
  readonly transport: Transport;
  /** Asked before every hop. */
  readonly policy: NetworkPolicy;
  /** The User-Agent header where the request has none; without one the transport has its own headers. */
  readonly userAgent?: string | undefined;
}

/**
 * Fetches a page over HTTP. A page that refreshes to another one is a redirect, but where following
 * it would lead in a loop or beyond `limits.redirects` it is kept, with a warning: it is a page.
 */
export async function travel(traveller: Traveller, request: PageRequest): Promise<Snapshot> {
  const { engine, transport, policy, userAgent } = traveller;
  const journey = new Journey(request, requestHeaders(request.headers, userAgent));
  for (;;) {
    const answer = await journey.asRedirected(async () => {
      policy.check(journey.url);
      if (journey.isRedirected) await request.beforeRedirect?.(journey.url.href);
      return fetchOnce(transport, { ...request, ...(await journey.nextRequest()) });
    });
    if (!(await journey.goOn(answer))) return journey.snapshot(answer, engine);
  }
}

interface Hop {
  readonly target: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly state: string;
}

/** The way through the redirects of one fetch. */
class Journey {
  readonly #limit: number;
  readonly #cookies = new RedirectCookies();
  readonly #redirects: string[] = [];
  readonly #visited = new Set<string>();
  readonly #doubts = new Set<string>();
  readonly #warnings: string[] = [];
  #headers: Readonly<Record<string, string>>;
  #requests = 0;
  #bytes = 0;
  url: URL;

  constructor(request: PageRequest, headers: Readonly<Record<string, string>>) {
    this.#limit = request.limits.redirects;
    this.#headers = headers;
    this.url = readUrl(request.url);
  }

  /** True from the second hop on. */
  get isRedirected(): boolean {
    return this.#redirects.length > 0;
  }

  /** Has an address that is refused say which page led there. */
  async asRedirected(hop: () => Promise<Answer>): Promise<Answer> {
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

  /** URL and headers of the next hop, cookies included. */
  async nextRequest(): Promise<Hop> {
    const hop = await this.#hop(this.url, this.#headers);
    if (this.#visited.has(hop.state)) throw this.#tooMany('in a loop');
    this.#visited.add(hop.state);
    return hop;
  }

  /** Follows a redirect or a refresh; false when the answer is what was asked for. */
  async goOn({ head, body, requests, bytes, doubt }: Answer): Promise<boolean> {
    // Also that of a redirect: whoever answers in a host's name may lead anywhere.
    if (doubt !== undefined) this.#doubts.add(doubt);
    this.#requests += requests;
    this.#bytes += bytes;
    const redirect = redirectTarget(head, this.url);
    const target = redirect ?? refreshTarget(head, body, this.url);
    if (target === undefined) return false;
    if (this.#redirects.length >= this.#limit) {
      if (redirect !== undefined) throw this.#tooMany(`more than ${this.#limit} times`);
      return this.#keep(target, `limits.redirects is ${this.#limit}`);
    }
    await this.#cookies.keep(head.setCookies, this.url);
    const headers = headersForHop(this.#headers, this.url, target);
    if (redirect === undefined) {
      const { state } = await this.#hop(target, headers);
      if (this.#visited.has(state)) return this.#keep(target, 'it leads in a loop');
    }
    this.#redirects.push(this.url.href);
    this.#headers = headers;
    this.url = target;
    return true;
  }

  snapshot({ head, body, warnings, isCut }: Answer, engine: string): Snapshot {
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

  /** `state` is what makes a request another one than those before. */
  async #hop(target: URL, given: Readonly<Record<string, string>>): Promise<Hop> {
    const { cookie: own, ...headers } = given;
    const cookie = await this.#cookies.header(target, own);
    const state = `${target.href} ${headers['authorization'] ?? ''} ${cookie ?? ''}`;
    return { target, headers: cookie === undefined ? headers : { ...headers, cookie }, state };
  }

  #keep(target: URL, why: string): false {
    this.#warnings.push(`The page refreshes to ${target.href}, which was not followed: ${why}.`);
    return false;
  }

  #tooMany(how: string): PagewrightError {
    const [start = this.url.href] = this.#redirects;
    return new PagewrightError(
      'TOO_MANY_REDIRECTS',
      `${start} redirects ${how}, at last to ${this.url.href}. Raise limits.redirects, or send the cookies that the site asks for.`,
      { url: start },
    );
  }
}

function readUrl(text: string): URL {
  if (!canParseUrl(text)) {
    throw new PagewrightError('INVALID_URL', `${JSON.stringify(text)} is no absolute URL.`);
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
