/** One fetch from its URL to the last answer, through all redirects. */
import { PagewrightError } from '../../errors.ts';
import type { PageRequest } from '../../model/request.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { type Answer, fetchOnce } from './fetch-once.ts';
import { headersForHop, redirectTarget } from './redirect.ts';
import { RedirectCookies } from './redirect-cookies.ts';
import { requestHeaders } from './request-headers.ts';
import type { Transport } from './transport.ts';

/** What a journey needs of its engine. */
export interface Traveller {
  /** Told in the snapshot. */
  readonly engine: string;
  readonly transport: Transport;
  /** Asked before every hop. */
  readonly policy: NetworkPolicy;
  /** The User-Agent header where the request has none. */
  readonly userAgent: string;
}

/** Fetches a page over HTTP, redirects included. */
export async function travel(traveller: Traveller, request: PageRequest): Promise<Snapshot> {
  const { engine, transport, policy, userAgent } = traveller;
  const journey = new Journey(request, requestHeaders(request.headers, userAgent));
  for (;;) {
    policy.check(journey.url);
    const answer = await fetchOnce(transport, { ...request, ...(await journey.nextRequest()) });
    if (!(await journey.goOn(answer))) return journey.snapshot(answer, engine);
  }
}

/** The way through the redirects of one fetch. */
class Journey {
  readonly #limit: number;
  readonly #cookies = new RedirectCookies();
  readonly #redirects: string[] = [];
  readonly #visited = new Set<string>();
  #headers: Readonly<Record<string, string>>;
  #requests = 0;
  #bytes = 0;
  url: URL;

  constructor(request: PageRequest, headers: Readonly<Record<string, string>>) {
    this.#limit = request.limits.redirects;
    this.#headers = headers;
    this.url = readUrl(request.url);
  }

  /** URL and headers of the next hop, cookies included. */
  async nextRequest(): Promise<{ target: URL; headers: Readonly<Record<string, string>> }> {
    const { cookie: given, ...headers } = this.#headers;
    const cookie = await this.#cookies.header(this.url, given);
    const state = `${this.url.href} ${headers['authorization'] ?? ''} ${cookie ?? ''}`;
    if (this.#visited.has(state)) throw this.#tooMany('in a loop');
    this.#visited.add(state);
    return { target: this.url, headers: cookie === undefined ? headers : { ...headers, cookie } };
  }

  /** Follows a redirect; false when the answer is none. */
  async goOn({ head, requests, bytes }: Answer): Promise<boolean> {
    this.#requests += requests;
    this.#bytes += bytes;
    const target = redirectTarget(head, this.url);
    if (target === undefined) return false;
    if (this.#redirects.length >= this.#limit)
      throw this.#tooMany(`more than ${this.#limit} times`);
    await this.#cookies.keep(head.setCookies, this.url);
    this.#redirects.push(this.url.href);
    this.#headers = headersForHop(this.#headers, this.url, target);
    this.url = target;
    return true;
  }

  snapshot({ head, body, warnings }: Answer, engine: string): Snapshot {
    return {
      url: this.url.href,
      statusCode: head.statusCode,
      headers: head.headers,
      body,
      engine,
      redirects: this.#redirects,
      warnings,
      requests: this.#requests,
      bytes: this.#bytes,
    };
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
  if (!URL.canParse(text)) {
    throw new PagewrightError('INVALID_URL', `${JSON.stringify(text)} is no absolute URL.`);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PagewrightError(
      'UNSUPPORTED_PROTOCOL',
      `The http engine cannot fetch ${url.protocol} URLs. Use an http: or https: URL.`,
      { url: text },
    );
  }
  url.hash = '';
  url.username = '';
  url.password = '';
  return url;
}
