/** Request → snapshot: from the cache, or from an engine through proxy, host throttle, retries and stealth. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cacheMiss,
  type FetchOutcome,
  type FetchPage,
  type PageCache,
} from './cache/page-cache.ts';
import type { Engine } from '../model/engine.ts';
import { isFetchFailure, networkFailure } from '../http/failure.ts';
import { hookFailed, PagewrightError } from '../runtime/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import { gapAfter, mayPass, retryPolicies } from '../runtime/retry.ts';
import { withFailedPage } from '../model/failed-page.ts';
import type { HostPermit } from '../model/pace.ts';
import type { Page as BrowserPage } from '../model/browser-page.ts';
import type { FetchRequest, ScrapeRequest } from '../model/request.ts';
import type { Cookie } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { carriesCredentials, sharesHeaders } from '../http/network/credentials.ts';
import { type Deadline, pauseAll, startDeadline, withSignal } from '../runtime/deadline.ts';
import { type ClientProxy, type ProxyOutcome, proxyOutcome } from '../http/proxies/proxy.ts';
import type { RequestMessage, RetryMessage } from '../telemetry/channels.ts';
import { displayUrl } from '../telemetry/display-url.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import {
  type AttemptVerdict,
  blockedBySite,
  type FetchAttempt,
  judge,
  missingCaptureWarnings,
  notRenderedWarnings,
  pauseWarning,
  rateLimited,
  undisguisedWarning,
} from './attempt-verdict.ts';
import { challengeOf } from './challenge-page.ts';
import {
  askHooks,
  type ChallengePass,
  type ChallengePasses,
  mayAsk,
  withPass,
} from './challenge-passes.ts';
import { EngineFallback } from './engine-fallback.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { HostRules } from '../http/network/host-rules.ts';
import type { HostGate } from './host-gate.ts';
import { redactedFailure } from './redacted-failure.ts';

/** The parts that fetching uses, with the cache. */
export interface CachedFetchingParts extends FetchingParts {
  /** Undefined if every page is fetched. */
  readonly cache: (() => Promise<PageCache>) | undefined;
}

/**
 * Like `fetchPage`, unless a cached copy matches. Rejects with `CACHE_MISS` when it may not fetch.
 * A 304 for a version other than the caller's is ignored: the page is fetched in full.
 */
export async function fetchCached(
  parts: CachedFetchingParts,
  request: ScrapeRequest<unknown>,
  deadline: Deadline,
): Promise<FetchOutcome> {
  let { pace } = request;
  const { known } = request;
  const send: FetchPage = (time, conditions) => {
    const conditional = { ...request, pace, conditions };
    // The host permit belongs to the first request.
    pace &&= { ...pace, hostPermit: undefined };
    return fetchPage(parts, conditional, time);
  };
  const fetch: FetchPage = async (time, conditions) => {
    if (known === undefined || Object.keys(conditions).length > 0) return send(time, conditions);
    const answer = await send(time, known.conditions);
    const { statusCode, requests, bytes } = answer.snapshot;
    if (statusCode !== 304 || known.isConfirmedBy(answer.snapshot)) return answer;
    const whole = await send(time, {});
    const { snapshot } = whole;
    const use = { requests: snapshot.requests + requests, bytes: snapshot.bytes + bytes };
    return { ...whole, snapshot: { ...snapshot, ...use } };
  };
  const cache = await parts.cache?.();
  if (cache !== undefined) {
    const isOwn = parts.hostRules?.headers?.of(new URL(request.url)) !== undefined;
    const { obstacle = isOwn ? 'headers for its host' : undefined } = request.cache;
    return cache.fetch({ ...request, cache: { ...request.cache, obstacle } }, deadline, fetch);
  }
  if (request.cache.isOnly) throw cacheMiss(request.url, 'this client has no cache');
  return fetch(deadline, {});
}

// request → snapshot, by all means: engine, proxy, host permit, retries, stealth.

/** The parts that fetching uses. */
export interface FetchingParts {
  readonly engines: readonly Engine[];
  readonly proxy: ClientProxy | undefined;
  readonly hosts: HostGate;
  /** Headers and proxies of single hosts. @default none */
  readonly hostRules?: HostRules | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** The caller chose the user agent: `proxy: 'auto'` does not disguise it. */
  readonly namesItself: boolean;
  readonly hooks: Pick<HookLists, 'onChallenge'>;
  readonly challenges: ChallengePasses;
}

/**
 * Fetches a page without parsing it. A temporary failure is retried with exponential backoff, a
 * refused page once more in stealth (`proxy: 'auto'`, unless the request names its sender), all
 * within the deadline. A rate limit is waited out; for a page of a job, outside its own time limit.
 *
 * Content from the caller is used as is; `BAD_REQUEST` for options that need a browser.
 *
 * Rejects with the signal's reason when it aborts, with `BLOCKED_BY_SITE` for a challenge page and
 * for a refusal without a body, with `HOST_BUSY` for a rate limit without a body and for a host
 * closed for longer than the remaining time, and with the error of the last attempt when there is
 * no response.
 */
export async function fetchPage(
  parts: FetchingParts,
  request: FetchRequest,
  deadline: Deadline,
): Promise<FetchOutcome> {
  deadline.signal.throwIfAborted();
  if (request.content === undefined) return new PageFetch(parts, request, deadline).run();
  refuseBrowserOptions(request);
  return {
    snapshot: snapshotOfContent(request.url, request.content, request.limits.bodyBytes),
    reason: 'the caller brought the content',
    proxyUsed: 'basic',
  };
}

/** Milliseconds reserved for parsing the response received so far, should another attempt hang. */
function reserveOf(remaining: number): number {
  return Math.min(1000, remaining / 4);
}

/** A clock that ends early enough to parse the response received so far. */
function withReserve(clock: Deadline): Pick<Deadline, 'remaining' | 'pause'> {
  return {
    get remaining() {
      return clock.remaining - reserveOf(clock.remaining);
    },
    pause: () => clock.pause(),
  };
}

/** The attempts at one page. */
class PageFetch {
  readonly #parts: FetchingParts;
  readonly #request: FetchRequest;
  readonly #deadline: Deadline;
  readonly #visitor: object;
  /** The caller set a user agent and did not request stealth. */
  readonly #isUndisguised: boolean;
  /** What is sent again may do once more what it does (RFC 9110, 9.2.2). */
  readonly #isSentOnce: boolean;
  /** Not for robots.txt, sitemaps and files. */
  readonly #asksHooks: boolean;
  readonly #engines: EngineFallback;
  /** The permit of the next attempt, if already acquired. */
  #firstPermit: HostPermit | undefined;
  #attempts = 0;
  #retries = 0;
  /** Rate limits waited out, not counted as retries. */
  #waits = 0;
  /** True once a body that ended early was requested again. */
  #hasRefetched = false;
  /** The next attempt must not reuse the connection of the last one. */
  #isFresh = false;
  #hasRedirected = false;
  /** The URL of the last challenge, which may be the target of a redirect: its pass is sent. */
  #challenged: string;
  /** The pass of the last attempt. */
  #pass: ChallengePass | undefined;
  #hasAsked = false;
  #requests = 0;
  #bytes = 0;
  #browserMs: number | undefined;
  /** The last response: better than the error of a later attempt. */
  #answered: (FetchOutcome & { readonly verdict: AttemptVerdict }) | undefined;
  #lastError: unknown;

  constructor(parts: FetchingParts, request: FetchRequest, deadline: Deadline) {
    this.#parts = parts;
    this.#request = request;
    this.#deadline = deadline;
    this.#visitor = request.visitor ?? {};
    this.#firstPermit = request.pace?.hostPermit;
    this.#isSentOnce = request.method === 'POST' || request.method === 'PATCH';
    this.#asksHooks =
      mayAsk(parts.hooks.onChallenge) && request.pace?.isFile !== true && !this.#isSentOnce;
    this.#challenged = request.url;
    const own = parts.hostRules?.headers?.of(new URL(request.url));
    const agent = request.headers['user-agent'] ?? own?.['user-agent'];
    const isNamed = parts.namesItself || agent !== undefined;
    this.#isUndisguised = request.proxy === 'auto' && isNamed;
    const proxy = this.#isUndisguised ? 'basic' : request.proxy;
    this.#engines = new EngineFallback(parts.engines, { ...request, proxy });
  }

  async run(): Promise<FetchOutcome> {
    for (;;) {
      const { attempt, verdict } = await this.#attempt();
      if ('snapshot' in attempt && (await this.#take(attempt.snapshot, verdict))) continue;
      if (await this.#goesOn(attempt, verdict)) continue;
      if (this.#answered === undefined) throw (attempt as { readonly error: unknown }).error;
      if (this.#asksHooks && (await this.#passChallenge(this.#answered.snapshot))) {
        this.#answered = undefined;
        continue;
      }
      if ('error' in attempt) this.#lastError = attempt.error;
      return this.#finish(this.#answered, this.#answered.verdict);
    }
  }

  /**
   * Passes a challenge with what the caller answers, or has answered for another page. True when the request may be
   * sent again with that; with a `page` that shows the challenge in a browser, when it shows the content.
   */
  async #passChallenge(
    shown: Pick<Snapshot, 'url' | 'statusCode' | 'headers' | 'body'>,
    page?: BrowserPage,
  ): Promise<boolean> {
    const { url, statusCode } = shown;
    const { challenges, hooks } = this.#parts;
    const { signal } = this.#deadline;
    const kind = challengeOf(shown) ?? (statusCode === 401 ? 'login' : undefined);
    if (kind === undefined) challenges.gotThrough(this.#challenged);
    // Another site that a redirect leads to must not receive the caller's login.
    const isOfSite = sharesHeaders(new URL(this.#request.url), new URL(url), 'same-site');
    if (kind === undefined || !isOfSite) return false;
    this.#challenged = url;
    let isShown = false as boolean;
    const ask = async (): Promise<ChallengePass | undefined> => {
      this.#hasAsked = true;
      const state = { url, ...this.#request.position, signal, kind, statusCode, page };
      const answer = await askHooks(hooks.onChallenge, state, this.#deadline).catch((error) => {
        // No earlier response takes the place of this error.
        this.#answered = undefined;
        throw error;
      });
      if (answer !== true) return answer;
      isShown = true;
      return { cookies: this.#won((await page?.context().cookies(url)) ?? []), headers: {} };
    };
    const pass = await challenges.another(
      url,
      this.#pass,
      this.#hasAsked ? undefined : ask,
      // No page waits with a tab, which others may need.
      page === undefined ? (asking) => this.#aside(withSignal(asking, signal)) : undefined,
    );
    if (isShown) this.#pass = pass;
    return page === undefined ? pass !== undefined : isShown;
  }

  /** Cookies to send with other pages: none of a profile, none that the caller set for this page. */
  #won(own: readonly Cookie[]): readonly Cookie[] {
    const { rendering, headers, cookies: given = [] } = this.#request;
    if (rendering.profile !== undefined) return [];
    const pairs = (headers['cookie'] ?? '').split(';').map((pair) => pair.split('=')[0]?.trim());
    const names = new Set([...pairs, ...given.map(({ name }) => name)]);
    return own.filter(({ name }) => !names.has(name));
  }

  /** Stores a response better than the one so far; true when another engine has to complete it. */
  async #take(snapshot: Snapshot, verdict: AttemptVerdict): Promise<boolean> {
    const { tier, choice } = this.#engines;
    const isGood = !verdict.blocked && !verdict.retryable;
    // The HTTP result stays when the browser is blocked.
    if ((isGood || this.#engines.missing === undefined) && !this.#hasMore(snapshot, verdict)) {
      this.#answered = { snapshot, verdict, proxyUsed: tier, reason: choice.reason };
    }
    const { signal } = this.#deadline;
    const wait = (answer: Promise<boolean>): Promise<boolean> =>
      this.#aside(withSignal(answer, signal));
    return isGood && (await this.#engines.escalateToBrowser(snapshot, wait));
  }

  /** True when the response so far holds more of the page than this one. */
  #hasMore(snapshot: Snapshot, { isCut, blocked, retryable }: AttemptVerdict): boolean {
    const before = this.#answered;
    if (before === undefined || !before.verdict.isCut) return false;
    if (before.verdict.blocked || before.verdict.retryable) return false;
    const isLess = isCut && snapshot.body.length < before.snapshot.body.length;
    return blocked || retryable || isLess;
  }

  /**
   * Waits without the job's task permit, which other pages may need, and outside the page's own
   * time limit.
   */
  async #aside<T>(answer: Promise<T>): Promise<T> {
    this.#request.pace?.permit?.release();
    const goOn = this.#deadline.pause();
    try {
      return await answer;
    } finally {
      goOn();
    }
  }

  async #attempt(): Promise<{ readonly attempt: FetchAttempt; readonly verdict: AttemptVerdict }> {
    const { url } = this.#request;
    const { remaining } = this.#deadline;
    const time = this.#answered === undefined ? Infinity : remaining - reserveOf(remaining);
    // Without its own time limit the attempt ends with the caller's deadline, and its error.
    using limit = time < Infinity ? startDeadline(time, [this.#deadline.signal], url) : undefined;
    const { signal } = limit ?? this.#deadline;
    const clocks = limit === undefined ? [this.#deadline] : [this.#deadline, limit];
    let hostPermit: HostPermit | undefined;
    try {
      hostPermit = await this.#acquire(signal, clocks);
      const snapshot = await this.#traced(signal, hostPermit, clocks);
      this.#requests += snapshot.requests;
      this.#bytes += snapshot.bytes;
      if (snapshot.browserMs !== undefined) {
        this.#browserMs = (this.#browserMs ?? 0) + snapshot.browserMs;
      }
      return this.#judged({ snapshot }, hostPermit);
    } catch (error) {
      // A custom engine may use `fetch`.
      const failure = isFetchFailure(error)
        ? networkFailure(error, new URL(url))
        : hookFailed(`The engine "${this.#engines.choice.engine.name}"`, url, error);
      const judged = this.#judged({ error: failure }, hostPermit);
      this.#deadline.signal.throwIfAborted();
      return judged;
    } finally {
      hostPermit?.[Symbol.dispose]();
    }
  }

  /** Judges an attempt; reports to the host throttle if a request was sent. */
  #judged(
    attempt: FetchAttempt,
    hostPermit: HostPermit | undefined,
  ): { readonly attempt: FetchAttempt; readonly verdict: AttemptVerdict } {
    const verdict = judge(attempt, this.#parts.clock.now());
    if (hostPermit !== undefined) this.#reportToHost(verdict, hostPermit);
    return { attempt, verdict };
  }

  async #acquire(signal: AbortSignal, clocks: readonly Deadline[]): Promise<HostPermit> {
    const { url, pace } = this.#request;
    const hostPermit = this.#firstPermit;
    this.#firstPermit = undefined;
    return (
      hostPermit ??
      this.#parts.hosts.acquire(url, { ...pace, signal, clocks: clocks.map(withReserve) })
    );
  }

  /** Waits for the host of a redirect hop; for a page of a job, outside its own time limit. */
  async #hop(url: string, signal: AbortSignal, clocks: readonly Deadline[]): Promise<void> {
    const { pace } = this.#request;
    this.#hasRedirected = true;
    pace?.onRedirect?.();
    const { delay } = pace ?? {};
    const remaining = pace === undefined ? this.#deadline.remaining : Infinity;
    const goOn = pauseAll(pace === undefined ? [] : clocks);
    try {
      const hostPermit = await this.#parts.hosts.acquire(url, {
        delay,
        signal,
        remaining,
        isHop: true,
      });
      hostPermit[Symbol.dispose]();
    } finally {
      goOn();
    }
  }

  /** Sends the request; for observers it has ended once `signal` aborts. */
  #traced(
    signal: AbortSignal,
    hostPermit: HostPermit,
    clocks: readonly Deadline[],
  ): Promise<Snapshot> {
    const message: RequestMessage = {
      ...this.#facts(),
      method: this.#request.method ?? 'GET',
      attempt: (this.#attempts += 1),
    };
    return this.#parts.telemetry.request(message, async () => {
      const snapshot = await withSignal(this.#send(signal, hostPermit, clocks), signal);
      const { url, statusCode, requests, bytes } = snapshot;
      Object.assign(message, { finalUrl: displayUrl(url), statusCode, requests, bytes });
      return snapshot;
    });
  }

  /** Fields common to all messages about the attempt. */
  #facts(): Pick<RequestMessage & RetryMessage, 'url' | 'engine' | 'jobId'> {
    const { url, position } = this.#request;
    return {
      url: displayUrl(url),
      engine: this.#engines.choice.engine.name,
      jobId: position?.jobId,
    };
  }

  async #send(
    signal: AbortSignal,
    hostPermit: HostPermit,
    clocks: readonly Deadline[],
  ): Promise<Snapshot> {
    const { url, method, body, location, limits, rendering, conditions } = this.#request;
    const { truncatesBody, redirectCredentials } = this.#request;
    const { proxy, hostRules, challenges, hooks } = this.#parts;
    const visitor = this.#visitor;
    const { tier, choice } = this.#engines;
    const checks = choice.engine.can.has('render') ? {} : conditions;
    const given = { ...this.#request.headers, ...checks };
    // The answer to the hook of a crawl is for the pages of crawls and clients with a hook.
    this.#pass = hooks.onChallenge.length > 0 ? challenges.of(this.#challenged) : undefined;
    const { headers, cookies, hostHeaders } = withPass(
      { headers: given, cookies: this.#request.cookies, hostHeaders: hostRules?.headers },
      this.#challenged,
      this.#pass,
    );
    const isAnonymous =
      rendering.profile === undefined &&
      (cookies ?? []).length === 0 &&
      body === undefined &&
      !carriesCredentials(headers) &&
      hostHeaders?.of(new URL(url)) === undefined;
    const { skipTlsVerification = isAnonymous } = this.#request;
    const picked = await proxy?.pick({ url, tier, country: location?.country, visitor });
    const routeOf = hostRules?.routeOf(proxy?.routeOf ?? picked) ?? proxy?.routeOf;
    const route = routeOf === undefined ? picked : routeOf(new URL(url));
    const report = (outcome: ProxyOutcome): void => {
      // What the proxy of a host does says nothing about the client's.
      if (picked !== undefined && route?.url === picked.url) proxy?.report?.(picked, outcome);
    };
    hostPermit.start();
    try {
      const snapshot = await choice.engine.fetch({
        url,
        method,
        body: body?.bytes,
        headers,
        limits,
        truncatesBody,
        skipTlsVerification,
        route,
        routeOf,
        hostHeaders,
        keepsFailures: this.#request.keepsFailures,
        visitor,
        signal,
        redirectCredentials,
        cookies,
        onChallenge:
          this.#asksHooks && this.#engines.isLastBrowser
            ? (shown, page) => this.#passChallenge(shown, page)
            : undefined,
        // A kept-alive connection may end before the response: whether the server acted is then unknown.
        freshConnection: this.#isFresh || this.#isSentOnce,
        time: Math.min(...clocks.map(({ remaining }) => remaining)),
        beforeRedirect: (target) => this.#hop(target, signal, clocks),
        pause: () => {
          const goOn = pauseAll(clocks);
          return () => {
            goOn();
            hostPermit.start();
          };
        },
        rendering: tier === 'stealth' ? { ...rendering, stealth: true } : rendering,
      });
      report('ok');
      return snapshot;
    } catch (error) {
      const outcome = proxyOutcome(error);
      if (outcome !== undefined) report(outcome);
      throw redactedFailure(error, this.#request);
    }
  }

  #reportToHost(
    { overloaded, unreachable, refused, answered, pause }: AttemptVerdict,
    hostPermit: HostPermit,
  ): void {
    if (refused && this.#request.refusedIsFinal === true) return;
    // A page whose connection always breaks is one failure of the host, however often it is
    // retried.
    if (overloaded || (unreachable && this.#retries === 0)) hostPermit.failed(pause);
    else if (answered) hostPermit.succeeded();
  }

  /** Prepares another attempt and waits for its time; false after the last one. */
  async #goesOn(attempt: FetchAttempt, verdict: AttemptVerdict): Promise<boolean> {
    const { url, retries, stealthTimeout = 0, refusedIsFinal = false, pace } = this.#request;
    if (verdict.refused && refusedIsFinal) return false;
    if (this.#isSentOnce && (this.#hasRedirected || !isUndone(attempt, verdict))) return false;
    const facts = { ...this.#facts(), attempt: this.#attempts, ...causeOf(attempt) };
    if (verdict.asksForTime && retries > 0 && pace?.permit !== undefined) {
      return this.#waitOut({ ...facts, kind: 'rate-limit', delayMs: verdict.pause ?? 0 });
    }
    // If a server always announces too long a body, the rest is requested once.
    const isLacking = verdict.isCut && !verdict.retryable && !this.#hasRefetched && retries > 0;
    const isWorthIt = isLacking || (verdict.retryable && this.#retries < retries);
    const isStealthRetry = verdict.mayPassInStealth && this.#engines.escalateToStealth();
    if (!isStealthRetry && !isWorthIt) return false;
    if (isStealthRetry) this.#deadline.extendTo(stealthTimeout);
    const policy = verdict.overloaded ? retryPolicies.overloadedPage : retryPolicies.page;
    // The pause applies to the refused client, not to the stealth retry.
    const pause = isStealthRetry ? 0 : (verdict.pause ?? 0);
    const gap = gapAfter(policy, this.#retries + 1, pause, this.#parts.clock);
    const { remaining } = this.#deadline;
    const wait = Math.max(gap, this.#parts.hosts.wait(url));
    if (wait + reserveOf(remaining) >= remaining) return false;
    if (isLacking) this.#hasRefetched = true;
    else if (!isStealthRetry) this.#retries += 1;
    this.#isFresh = verdict.isCut;
    const kind = isStealthRetry ? 'stealth' : 'retry';
    this.#parts.telemetry.retry({ ...facts, kind, delayMs: wait });
    // Other tasks may use the wait; the next attempt's host permit includes a task permit again.
    pace?.permit?.release();
    await sleep(gap, undefined, { signal: this.#deadline.signal }).catch(() => undefined);
    this.#deadline.signal.throwIfAborted();
    return true;
  }

  /** Waits for the host's next permit for a page of a job; false when the host is given up. */
  async #waitOut(retry: RetryMessage): Promise<boolean> {
    this.#waits += 1;
    if (this.#waits >= retryPolicies.rateLimit.attempts) return false;
    this.#parts.telemetry.retry(retry);
    const { url, pace } = this.#request;
    const { signal } = this.#deadline;
    try {
      this.#firstPermit = await this.#aside(this.#parts.hosts.acquire(url, { ...pace, signal }));
      return true;
    } catch {
      signal.throwIfAborted();
      // The host is given up: its last response becomes the page.
      return false;
    }
  }

  #finish({ snapshot, proxyUsed, reason }: FetchOutcome, verdict: AttemptVerdict): FetchOutcome {
    const { statusCode, body, warnings } = snapshot;
    const isRateLimit = verdict.asksForTime || (verdict.overloaded && statusCode === 429);
    const isNothing = body.length === 0 && this.#request.refusalsArePages !== true;
    if (isRateLimit && isNothing) {
      throw withFailedPage(rateLimited(this.#request.url, statusCode, verdict.pause), snapshot);
    }
    const problem = verdict.blocked && proxyUsed === 'basic' ? this.#engines.problem : undefined;
    const notTried =
      problem === undefined ? [] : [`Stealth was not tried, because ${problem.message}`];
    if (verdict.challenge !== undefined || (verdict.blocked && isNothing)) {
      const hasTriedStealth = this.#engines.tier === 'stealth';
      const error = blockedBySite(this.#request.url, statusCode, verdict.challenge, {
        hasTriedStealth,
        isUndisguised: this.#isUndisguised,
        notTried: notTried[0],
      });
      throw withFailedPage(error, snapshot);
    }
    const refusal = verdict.blocked ? 'BLOCKED_BY_SITE' : undefined;
    const { missing } = this.#engines;
    const notRendered = notRenderedWarnings(missing, this.#lastError);
    const notMade = missingCaptureWarnings(snapshot, this.#request.rendering);
    const pause = verdict.pause === undefined ? [] : [pauseWarning(verdict.pause)];
    const undisguised = this.#isUndisguised && verdict.mayPassInStealth ? [undisguisedWarning] : [];
    return {
      snapshot: {
        ...snapshot,
        warnings: [...warnings, ...pause, ...undisguised, ...notTried, ...notRendered, ...notMade],
        requests: this.#requests,
        bytes: this.#bytes,
        browserMs: this.#browserMs,
      },
      reason: missing === undefined ? reason : `static: not rendered, although ${missing}`,
      proxyUsed,
      isPersonal: this.#pass !== undefined,
      errorCode: isRateLimit ? 'HOST_BUSY' : refusal,
    };
  }
}

/** True for a request that certainly had no effect: it was not sent, or the server says when to send it again. */
function isUndone(attempt: FetchAttempt, { overloaded, pause }: AttemptVerdict): boolean {
  if ('snapshot' in attempt) return overloaded && pause !== undefined;
  return mayPass(retryPolicies.unsentPage, { code: causeOf(attempt).errorCode });
}

/** Why an attempt is followed by another one. */
function causeOf(attempt: FetchAttempt): Pick<RetryMessage, 'statusCode' | 'errorCode'> {
  if ('snapshot' in attempt) return { statusCode: attempt.snapshot.statusCode };
  const { error } = attempt;
  return error instanceof PagewrightError ? { errorCode: error.code } : {};
}

// Makes a snapshot of content that the caller provides.

/** Throws `BODY_TOO_LARGE` for more bytes than `limit`. */
function snapshotOfContent(
  url: string,
  content: { readonly body: Uint8Array; readonly contentType: string },
  limit: number,
): Snapshot {
  if (content.body.length > limit) {
    const message = `The content of ${url} has more than ${limit} bytes. Raise limits.bodyBytes to read it.`;
    throw new PagewrightError('BODY_TOO_LARGE', message, { url });
  }
  return {
    url,
    statusCode: 200,
    headers: { 'content-type': content.contentType },
    body: content.body,
    engine: 'none',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  };
}

// Content from the caller is not opened in a browser: options that need one are refused.

/** Throws a `BAD_REQUEST` that names the options that need an open page. */
function refuseBrowserOptions({
  url,
  requires,
}: Pick<ScrapeRequest<unknown>, 'url' | 'requires'>): void {
  // Stealth is ignored: no request is sent.
  const asking = [...requires].filter(([capability]) => capability !== 'stealth');
  if (asking.length === 0) return;
  const options = asking.map(([, option]) => option).join(', ');
  throw new PagewrightError(
    'BAD_REQUEST',
    `Content that you pass in is read as is, without a browser: ${options} is not available for it. Leave that out, or scrape the URL of the page.`,
    { url },
  );
}
