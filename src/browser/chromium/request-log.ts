/** Records the requests of one visit: for the format `requests`, for endpoints, and for waits. */
import type { Page, Request, Response, WebSocket } from 'playwright-core';
import { inTime } from '../actions/isolated-world.ts';
import type {
  NetworkRequest,
  RequestsSettings,
  ResponseWait,
} from '../../core/model/network-request.ts';
import type { Rendering } from '../../core/model/request.ts';
import type { Captures } from '../../core/model/snapshot.ts';
import { maskUrl } from '../../core/http/network/mask-secrets.ts';
import { urlTest } from '../../core/checks/url-filter.ts';
import {
  bodyFields,
  bodyTypeOf,
  endpointsOf,
  hasAnswer,
  hasBody,
  isEndpoint,
  listedRequest,
  type LoggedRequest,
  parsedJson,
  sentBy,
} from './logged-request.ts';
import type { BlockReason } from './blocking/request-filter.ts';
import type { Tab } from './tab.ts';
import { pageUrlsIn } from './urls-in-json.ts';

const limits = {
  listed: 1_000, // requests in the result
  remembered: 10_000, // requests that waits can match
  bodyBytes: 20_000_000, // of all bodies of a visit
  searchedBytes: 2_000_000, // of a body that is only searched for URLs
  links: 10_000, // URLs in the JSON of all endpoints
  bodyPatience: 5_000, // milliseconds to read one body
};

/** Listens to a page until it is disposed of. */
export class RequestLog implements Disposable {
  readonly #tab: Tab;
  readonly #page: Page;
  readonly #list: RequestsSettings | undefined;
  readonly #wantsEndpoints: boolean;
  readonly #tests: readonly ((url: string) => boolean)[];
  readonly #log: LoggedRequest[] = [];
  readonly #blocked = new Map<string, BlockReason>();
  readonly #known = new Map<Request, LoggedRequest>();
  readonly #waiting = new Set<(logged: LoggedRequest) => void>();
  readonly #sizing: Promise<void>[] = [];
  /** Bodies are read one after the other. */
  #reading: Promise<void> = Promise.resolve();
  #bodyBytes = 0;
  #links = 0;
  #count = 0;
  /** The first request that counts for a wait. */
  #mark = 0;

  private constructor(tab: Tab, { requests, endpoints }: Rendering) {
    const { page } = tab;
    this.#tab = tab;
    this.#page = page;
    this.#list = requests;
    this.#wantsEndpoints = endpoints === true;
    this.#tests = (requests?.bodies ?? []).map(urlTest);
    page
      .on('request', this.#onRequest)
      .on('response', this.#onResponse)
      .on('requestfinished', this.#onFinished)
      .on('requestfailed', this.#onFailed)
      .on('websocket', this.#onSocket);
    tab.onBlocked = (url, reason) => {
      if (this.#blocked.size < limits.remembered) this.#blocked.set(url, reason);
    };
  }

  /** Undefined if nothing of a visit needs its requests: then nothing listens. */
  static of(tab: Tab, rendering: Rendering): RequestLog | undefined {
    const { requests, endpoints, waitForResponse, actions = [] } = rendering;
    const isRequested =
      requests !== undefined || endpoints === true || waitForResponse !== undefined;
    const isNeeded = isRequested || actions.some(({ readsResponses }) => readsResponses === true);
    return isNeeded ? new RequestLog(tab, rendering) : undefined;
  }

  [Symbol.dispose](): void {
    this.#tab.onBlocked = undefined;
    this.#page
      .off('request', this.#onRequest)
      .off('response', this.#onResponse)
      .off('requestfinished', this.#onFinished)
      .off('requestfailed', this.#onFailed)
      .off('websocket', this.#onSocket);
  }

  /** Requests before this moment no longer count for waits. */
  beginStep(): void {
    this.#mark = this.#log.length;
  }

  /**
   * Resolves when a response that fits has ended, at once if it did before. Rejects after `timeout` with an
   * `Error` that names the pattern and the closest URLs, and with the signal's reason.
   */
  async waitFor(wait: ResponseWait, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const first = this.#mark;
    const test = urlTest(wait.response);
    const fits = (one: LoggedRequest): boolean =>
      one.index >= first && hasAnswer(one) && test(one.url);
    if (this.#log.some(fits)) return;
    let stop = (): void => undefined;
    let onEnd = (_: LoggedRequest): void => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      const hasCome = await new Promise<boolean>((resolve) => {
        stop = () => resolve(false);
        onEnd = (one) => {
          if (fits(one)) resolve(true);
        };
        this.#waiting.add(onEnd);
        timer = setTimeout(stop, wait.timeout);
        signal.addEventListener('abort', stop, { once: true });
      });
      signal.throwIfAborted();
      if (!hasCome) throw new Error(this.#absence(wait, test));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(onEnd);
    }
  }

  /** The captures so far, after at most `patience` ms, with sentences about what is left out. */
  async captures(patience: number): Promise<{
    readonly made: Pick<Captures, 'requests' | 'endpoints'>;
    readonly warnings: readonly string[];
  }> {
    const list = this.#list;
    if (list === undefined && !this.#wantsEndpoints) return { made: {}, warnings: [] };
    await inTime(
      Promise.all(this.#sizing).then(() => this.#reading),
      patience,
    );
    const listed = this.#log.slice(0, limits.listed);
    const use = list === undefined ? 'searched for endpoints' : 'listed';
    const warning = `The page sent ${this.#count} requests; the first ${limits.listed} were ${use}.`;
    return {
      made: {
        ...(list && {
          requests: listed.map((one) =>
            listedRequest(one, this.#blocked.get(one.url), this.#tab, list),
          ),
        }),
        ...(this.#wantsEndpoints ? { endpoints: endpointsOf(listed) } : {}),
      },
      warnings: this.#count > limits.listed ? [warning] : [],
    };
  }

  readonly #onRequest = (request: Request): void => {
    const url = request.url();
    if (!/^https?:/i.test(url)) return;
    const before = request.redirectedFrom();
    const from = before === null ? undefined : this.#known.get(before);
    if (from !== undefined) from.redirectsTo = url;
    const about = { method: request.method(), url, type: request.resourceType(), request };
    const logged = this.#remember(about);
    if (logged !== undefined) this.#known.set(request, logged);
  };

  readonly #onSocket = (socket: WebSocket): void => {
    const logged = this.#remember({ method: 'GET', url: socket.url(), type: 'websocket' });
    if (logged === undefined) return;
    socket.on('close', () => end(logged));
    socket.on('socketerror', (error) => {
      end(logged);
      logged.failure = error.slice(0, 200);
    });
  };

  #remember(
    about: Pick<LoggedRequest, 'method' | 'url' | 'type' | 'request'>,
  ): LoggedRequest | undefined {
    this.#count += 1;
    const index = this.#log.length;
    if (index >= limits.remembered) return undefined;
    const logged: LoggedRequest = { ...about, index, startedAt: Date.now() };
    this.#log.push(logged);
    return logged;
  }

  readonly #onResponse = (response: Response): void => {
    const logged = this.#known.get(response.request());
    if (logged !== undefined) logged.response = response;
  };

  readonly #onFailed = (request: Request): void => {
    const logged = this.#known.get(request);
    if (logged === undefined) return;
    end(logged);
    logged.failure = request.failure()?.errorText ?? 'net::ERR_FAILED';
  };

  readonly #onFinished = (request: Request): void => {
    const logged = this.#known.get(request);
    if (logged === undefined) return;
    end(logged);
    for (const onEnd of this.#waiting) onEnd(logged);
    const isRequested = this.#list !== undefined || this.#wantsEndpoints;
    if (!isRequested || logged.index >= limits.listed) return;
    const sizing = readSizes(logged);
    this.#sizing.push(sizing);
    const list = this.#tests.some((test) => test(logged.url)) ? this.#list : undefined;
    const isSearched = this.#wantsEndpoints && isEndpoint(logged);
    if (list === undefined && !isSearched) return;
    this.#reading = Promise.all([this.#reading, sizing]).then(() =>
      this.#read(logged, list, isSearched),
    );
  };

  /** Reads what was sent and received; `list` is set if the caller requested it. Never rejects. */
  async #read(
    logged: LoggedRequest,
    list: RequestsSettings | undefined,
    isSearched: boolean,
  ): Promise<void> {
    const sent = list && sentBy(logged, list);
    if (sent !== undefined && this.#bodyBytes + sent.size <= limits.bodyBytes) {
      this.#bodyBytes += sent.size;
      logged.sent = { postData: sent.postData };
    }
    if (!hasBody(logged)) return;
    const type = bodyTypeOf(logged);
    if (type === undefined) {
      logged.body = { bodyOmitted: 'type' };
      return;
    }
    const listed = list?.types.includes(type) === true ? list : undefined;
    if (listed === undefined && !isSearched) return;
    const limit = Math.max(listed?.maxBodyBytes ?? 0, isSearched ? limits.searchedBytes : 0);
    const text = await this.#textOf(logged, limit);
    if (typeof text === 'object') {
      if (listed !== undefined) logged.body = text;
      return;
    }
    const json = type === 'json' ? parsedJson(text) : undefined;
    if (isSearched) {
      logged.links = pageUrlsIn(json, this.#page.url(), limits.links - this.#links);
      this.#links += logged.links.length;
    }
    if (listed === undefined) return;
    const isTooLarge = Buffer.byteLength(text) > listed.maxBodyBytes;
    logged.body = isTooLarge ? { bodyOmitted: 'size' } : bodyFields(text, listed.maskSecrets, json);
  }

  /** The body, or the reason why there is none. */
  async #textOf(
    { response, sizes }: LoggedRequest,
    limit: number,
  ): Promise<string | Pick<NetworkRequest, 'bodyOmitted'>> {
    if ((sizes?.bytes ?? 0) > limit) return { bodyOmitted: 'size' };
    if (this.#bodyBytes >= limits.bodyBytes) return { bodyOmitted: 'total' };
    const bytes = response && (await inTime(response.body(), limits.bodyPatience));
    if (bytes === undefined) return { bodyOmitted: 'gone' };
    if (bytes.length > limit) return { bodyOmitted: 'size' };
    if (this.#bodyBytes + bytes.length > limits.bodyBytes) return { bodyOmitted: 'total' };
    this.#bodyBytes += bytes.length;
    return bytes.toString('utf8').replace(/^\ufeff/, '');
  }

  /** Why a wait has failed. */
  #absence({ response, timeout }: ResponseWait, test: (url: string) => boolean): string {
    const seen = this.#log.slice(this.#mark).filter(({ url }) => /^http/i.test(url));
    const fitting = seen.findLast(({ url }) => test(url));
    const closest = closestUrls(seen, response.shown);
    const why =
      fitting !== undefined
        ? `the body of ${shortUrl(fitting.url)} ${fitting.failure === undefined ? 'did not end' : `failed: ${fitting.failure}`}`
        : closest.length > 0
          ? `the closest were ${closest.join(', ')}`
          : 'no other came';
    return `no response ${response.shown} within ${Math.round(timeout)} ms; ${why}`;
  }
}

function end(logged: LoggedRequest): void {
  const timing = logged.request?.timing();
  const isMeasured = timing !== undefined && timing.startTime > 0 && timing.responseEnd >= 0;
  logged.duration = Math.round(isMeasured ? timing.responseEnd : Date.now() - logged.startedAt);
}

async function readSizes(logged: LoggedRequest): Promise<void> {
  const sizes = await logged.request?.sizes().catch(() => undefined);
  if (sizes === undefined) return;
  logged.sizes = { requestBytes: sizes.requestBodySize, bytes: sizes.responseBodySize };
}

/** The URLs that share the most words with the pattern; requests of scripts first. */
function closestUrls(seen: readonly LoggedRequest[], pattern: string): string[] {
  const words = pattern.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const score = ({ url, type }: LoggedRequest): number => {
    const found = words.filter((word) => url.toLowerCase().includes(word)).length;
    return found * 2 + (type === 'fetch' || type === 'xhr' ? 1 : 0);
  };
  const ranked = [...seen].sort((one, other) => score(other) - score(one));
  return [...new Set(ranked.map(({ url }) => shortUrl(url)))].slice(0, 3);
}

function shortUrl(url: string): string {
  return maskUrl(url).slice(0, 300);
}
