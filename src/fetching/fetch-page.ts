/** request → snapshot, whatever it takes: engine, proxy, a host's turn, retries, stealth. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engines/engine.ts';
import { isFetchFailure, networkFailure } from '../engines/http/failure.ts';
import { hookFailed } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import type { Turn } from '../model/pace.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { carriesCredentials } from '../network/credentials.ts';
import { type Deadline, pauseAll, startDeadline, withSignal } from '../network/deadline.ts';
import type { Proxy, ProxyTier } from '../proxies/proxy.ts';
import { proxyOutcome } from '../proxies/tunnel-failure.ts';
import { EngineSteps } from './engine-steps.ts';
import { givenSnapshot } from './given-snapshot.ts';
import type { HostHealth } from './host-health.ts';
import { notMadeWarnings, notRenderedWarnings } from './not-made-warnings.ts';
import { refuseRendering } from './refuse-rendering.ts';
import { blockedBySite, hostBusy, pauseWarning } from './refusal.ts';
import { type Attempt, judge, type Verdict } from './verdict.ts';

/** What fetching works with. */
export interface FetchingParts {
  readonly engines: readonly Engine[];
  readonly proxy: Proxy | undefined;
  readonly hosts: HostHealth;
  readonly clock: Clock;
}

/** The part of a request that is about fetching. */
export type FetchRequest = Pick<
  ScrapeRequest<unknown>,
  | 'url'
  | 'content'
  | 'headers'
  | 'limits'
  | 'requires'
  | 'mayRender'
  | 'rendering'
  | 'redirectCredentials'
  | 'skipTlsVerification'
  | 'retries'
  | 'proxy'
  | 'country'
  | 'visitor'
  | 'lessons'
  | 'stealthTimeout'
  | 'pace'
  | 'refusalsArePages'
> & {
  /** As of a `PageRequest`. */
  readonly truncatesBody?: boolean | undefined;
  /** Headers for engines that bring the response as it came: a browser has conditions of its own. */
  readonly conditions?: Readonly<Record<string, string>> | undefined;
  /** A connection that is refused is not tried again, and says nothing of the host. @default false */
  readonly refusedIsFinal?: boolean | undefined;
};

/** What came back, and how. */
export interface Fetched {
  readonly snapshot: Snapshot;
  /** The signal that decided for the engine. */
  readonly reason: string;
  readonly proxyUsed: ProxyTier;
  /** The snapshot is what the site says to a visitor that it refuses (401, 403), or that it asks for time (429, 503). */
  readonly errorCode?: 'BLOCKED_BY_SITE' | 'HOST_BUSY' | undefined;
}

/**
 * Fetches a page without reading it. What fails in passing is tried again with growing gaps, a
 * page that the site refuses once more in stealth (`proxy: 'auto'`), all within the deadline. A rate
 * limit is waited out, by a page of a job outside its own time.
 *
 * Content that the caller brought is taken as it is; `BAD_REQUEST` for what only a browser could do.
 *
 * Rejects with the signal's reason when it aborts, with `BLOCKED_BY_SITE` for a challenge page and
 * for a refusal without a body, with `HOST_BUSY` for a rate limit without a body and for a host that
 * is closed for longer than there is time, and with the error of the last attempt when there is no
 * response.
 */
export async function fetchPage(
  parts: FetchingParts,
  request: FetchRequest,
  deadline: Deadline,
): Promise<Fetched> {
  deadline.signal.throwIfAborted();
  if (request.content === undefined) return new Fetch(parts, request, deadline).run();
  refuseRendering(request);
  return {
    snapshot: givenSnapshot(request.url, request.content, request.limits.bodyBytes),
    reason: 'the caller brought the content',
    proxyUsed: 'basic',
  };
}

/** Milliseconds before the second attempt; each further one waits twice as long, less a part by chance. */
const firstGap = 200;
/** The same for a host that has too much to do. */
const firstGapOfBusy = 1000;
/** Rate limits that a page of a job waits out. */
const mostWaits = 10;
/** Milliseconds that are kept for reading the answer that is there already, should a further try hang. */
function reserveOf(remaining: number): number {
  return Math.min(1000, remaining / 4);
}

/** A clock that runs out while there is time for reading what is there already. */
function withReserve(clock: Deadline): Pick<Deadline, 'remaining' | 'pause'> {
  return {
    get remaining() {
      return clock.remaining - reserveOf(clock.remaining);
    },
    pause: () => clock.pause(),
  };
}

/** A response, and how it was got. */
interface Answered {
  readonly snapshot: Snapshot;
  readonly verdict: Verdict;
  readonly tier: ProxyTier;
  readonly reason: string;
}

/** The attempts at one page. */
class Fetch {
  readonly #parts: FetchingParts;
  readonly #request: FetchRequest;
  readonly #deadline: Deadline;
  readonly #visitor: object;
  readonly #steps: EngineSteps;
  /** That of the next attempt, when it was waited for already. */
  #firstTurn: Turn | undefined;
  #retries = 0;
  /** Rate limits that were waited out beside the retries. */
  #waits = 0;
  /** A body that ended early was asked for once more. */
  #hasAskedAgain = false;
  /** The next attempt is not to use a connection of the last one. */
  #isFresh = false;
  #requests = 0;
  #bytes = 0;
  #browserMs: number | undefined;
  /** The last response: better than the error of a later attempt. */
  #answered: Answered | undefined;
  #lastError: unknown;

  constructor(parts: FetchingParts, request: FetchRequest, deadline: Deadline) {
    this.#parts = parts;
    this.#request = request;
    this.#deadline = deadline;
    this.#visitor = request.visitor ?? {};
    this.#firstTurn = request.pace?.turn;
    this.#steps = new EngineSteps(parts.engines, request);
  }

  async run(): Promise<Fetched> {
    for (;;) {
      const { attempt, verdict } = await this.#attempt();
      if ('snapshot' in attempt && (await this.#take(attempt.snapshot, verdict))) continue;
      if (await this.#goesOn(verdict)) continue;
      if (this.#answered === undefined) throw (attempt as { readonly error: unknown }).error;
      if ('error' in attempt) this.#lastError = attempt.error;
      return this.#finish(this.#answered);
    }
  }

  /** Keeps a response that is better than what there is; true when another engine is to complete it. */
  async #take(snapshot: Snapshot, verdict: Verdict): Promise<boolean> {
    const { tier, choice } = this.#steps;
    const isGood = !verdict.blocked && !verdict.retryable;
    // A refused browser does not make the page that came without one worse.
    if ((isGood || this.#steps.missing === undefined) && !this.#hasMore(snapshot, verdict)) {
      this.#answered = { snapshot, verdict, tier, reason: choice.reason };
    }
    const { signal } = this.#deadline;
    const wait = (answer: Promise<boolean>): Promise<boolean> =>
      this.#aside(withSignal(answer, signal));
    return isGood && (await this.#steps.toRendering(snapshot, wait));
  }

  /** True when a part of the page came before, and this is less of it or something else. */
  #hasMore(snapshot: Snapshot, { isCut, blocked, retryable }: Verdict): boolean {
    const before = this.#answered;
    if (before === undefined || !before.verdict.isCut) return false;
    if (before.verdict.blocked || before.verdict.retryable) return false;
    const isLess = isCut && snapshot.body.length < before.snapshot.body.length;
    return blocked || retryable || isLess;
  }

  /** Waits without a slot of the job, which other pages may need, and outside the page's own time. */
  async #aside<T>(answer: Promise<T>): Promise<T> {
    this.#request.pace?.ticket?.leaveSlot();
    const goOn = this.#deadline.pause();
    try {
      return await answer;
    } finally {
      goOn();
    }
  }

  async #attempt(): Promise<{ readonly attempt: Attempt; readonly verdict: Verdict }> {
    const { url } = this.#request;
    const { remaining } = this.#deadline;
    const time = this.#answered === undefined ? Infinity : remaining - reserveOf(remaining);
    // Without a limit of its own the attempt ends with the deadline, whose error is the caller's.
    using limit = time < Infinity ? startDeadline(time, [this.#deadline.signal], url) : undefined;
    const { signal } = limit ?? this.#deadline;
    const clocks = limit === undefined ? [this.#deadline] : [this.#deadline, limit];
    let turn: Turn | undefined;
    try {
      turn = await this.#turn(signal, clocks);
      const snapshot = await withSignal(this.#send(signal, turn, clocks), signal);
      this.#requests += snapshot.requests;
      this.#bytes += snapshot.bytes;
      if (snapshot.browserMs !== undefined) {
        this.#browserMs = (this.#browserMs ?? 0) + snapshot.browserMs;
      }
      return this.#judged({ snapshot }, turn);
    } catch (error) {
      // An engine of the caller's may be built on `fetch`.
      const failure = isFetchFailure(error)
        ? networkFailure(error, new URL(url))
        : hookFailed(`The engine "${this.#steps.choice.engine.name}"`, url, error);
      const judged = this.#judged({ error: failure }, turn);
      this.#deadline.signal.throwIfAborted();
      return judged;
    } finally {
      turn?.[Symbol.dispose]();
    }
  }

  /** Judges an attempt; the host is told when there was a request. */
  #judged(
    attempt: Attempt,
    turn: Turn | undefined,
  ): { readonly attempt: Attempt; readonly verdict: Verdict } {
    const verdict = judge(attempt, this.#parts.clock.now());
    if (turn !== undefined) this.#tellHost(verdict, turn);
    return { attempt, verdict };
  }

  async #turn(signal: AbortSignal, clocks: readonly Deadline[]): Promise<Turn> {
    const { url, pace } = this.#request;
    const turn = this.#firstTurn;
    this.#firstTurn = undefined;
    return (
      turn ?? this.#parts.hosts.turn(url, { ...pace, signal, clocks: clocks.map(withReserve) })
    );
  }

  /** Waits for the time of a redirect's target: a page of a job outside its own time. */
  async #hop(url: string, signal: AbortSignal, clocks: readonly Deadline[]): Promise<void> {
    const { pace } = this.#request;
    pace?.onRedirect?.();
    const { delay } = pace ?? {};
    const remaining = pace === undefined ? this.#deadline.remaining : Infinity;
    const goOn = pauseAll(pace === undefined ? [] : clocks);
    try {
      const turn = await this.#parts.hosts.turn(url, { delay, signal, remaining, isHop: true });
      turn[Symbol.dispose]();
    } finally {
      goOn();
    }
  }

  async #send(signal: AbortSignal, turn: Turn, clocks: readonly Deadline[]): Promise<Snapshot> {
    const { url, country, limits, rendering, conditions } = this.#request;
    const { truncatesBody, redirectCredentials } = this.#request;
    const { proxy } = this.#parts;
    const visitor = this.#visitor;
    const { tier, choice } = this.#steps;
    const headers = choice.engine.can.has('render')
      ? this.#request.headers
      : { ...this.#request.headers, ...conditions };
    const isAnonymous = rendering.profile === undefined && !carriesCredentials(headers);
    const { skipTlsVerification = isAnonymous } = this.#request;
    const route = await proxy?.pick({ url, tier, country, visitor });
    turn.start();
    try {
      const snapshot = await choice.engine.fetch({
        ...{ url, headers, limits, truncatesBody, skipTlsVerification, route, visitor, signal },
        redirectCredentials,
        freshConnection: this.#isFresh,
        time: Math.min(...clocks.map(({ remaining }) => remaining)),
        beforeRedirect: (target) => this.#hop(target, signal, clocks),
        pause: () => pauseAll(clocks),
        rendering: tier === 'stealth' ? { ...rendering, stealth: true } : rendering,
      });
      if (route !== undefined) proxy?.report?.(route, 'ok');
      return snapshot;
    } catch (error) {
      const outcome = proxyOutcome(error);
      if (route !== undefined && outcome !== undefined) proxy?.report?.(route, outcome);
      throw error;
    }
  }

  #tellHost({ overloaded, unreachable, refused, answered, pause }: Verdict, turn: Turn): void {
    if (refused && this.#request.refusedIsFinal === true) return;
    // One page that always breaks off is not the host's state, however often it is tried.
    if (overloaded || (unreachable && this.#retries === 0)) turn.failed(pause);
    else if (answered) turn.succeeded();
  }

  /** Prepares another attempt and waits for its time; false when this was the last. */
  async #goesOn(verdict: Verdict): Promise<boolean> {
    const { url, retries, stealthTimeout = 0, refusedIsFinal = false, pace } = this.#request;
    if (verdict.refused && refusedIsFinal) return false;
    if (verdict.asksForTime && retries > 0 && pace?.ticket !== undefined) return this.#waitOut();
    // A server that always promises too much is asked for the rest once.
    const isLacking = verdict.isCut && !verdict.retryable && !this.#hasAskedAgain && retries > 0;
    const isWorthIt = isLacking || (verdict.retryable && this.#retries < retries);
    const isHidden = verdict.mayPassHidden && this.#steps.toHidden();
    if (!isHidden && !isWorthIt) return false;
    if (isHidden) this.#deadline.extendTo(stealthTimeout);
    const chance = 0.5 + this.#parts.clock.random() / 2;
    const first = verdict.overloaded ? firstGapOfBusy : firstGap;
    // Another visitor is not the one that is asked to wait.
    const pause = isHidden ? 0 : (verdict.pause ?? 0);
    const gap = Math.max(first * 2 ** this.#retries * chance, pause);
    const { remaining } = this.#deadline;
    const wait = Math.max(gap, this.#parts.hosts.wait(url));
    if (wait + reserveOf(remaining) >= remaining) return false;
    if (isLacking) this.#hasAskedAgain = true;
    else if (!isHidden) this.#retries += 1;
    this.#isFresh = verdict.isCut;
    // Others may use the time; the turn of the next attempt brings a slot again.
    pace?.ticket?.leaveSlot();
    await sleep(gap, undefined, { signal: this.#deadline.signal }).catch(() => undefined);
    this.#deadline.signal.throwIfAborted();
    return true;
  }

  /** Waits for the host's next turn for a page of a job; false when it is not worth waiting any more. */
  async #waitOut(): Promise<boolean> {
    if (this.#waits >= mostWaits) return false;
    this.#waits += 1;
    const { url, pace } = this.#request;
    const { signal } = this.#deadline;
    try {
      this.#firstTurn = await this.#aside(this.#parts.hosts.turn(url, { ...pace, signal }));
      return true;
    } catch {
      signal.throwIfAborted();
      // The host is given up: its last answer is the page's.
      return false;
    }
  }

  #finish({ snapshot, verdict, tier, reason }: Answered): Fetched {
    const { statusCode, body, warnings } = snapshot;
    const isRateLimit = verdict.asksForTime || (verdict.overloaded && statusCode === 429);
    const isNothing = body.length === 0 && this.#request.refusalsArePages !== true;
    if (isRateLimit && isNothing) {
      throw hostBusy(this.#request.url, statusCode, verdict.pause);
    }
    if (verdict.challenge !== undefined || (verdict.blocked && isNothing)) {
      const hasTriedStealth = this.#steps.tier === 'stealth';
      throw blockedBySite(this.#request.url, statusCode, verdict.challenge, hasTriedStealth);
    }
    const refusal = verdict.blocked ? 'BLOCKED_BY_SITE' : undefined;
    const notRendered = notRenderedWarnings(this.#steps.missing, this.#lastError);
    const notMade = notMadeWarnings(snapshot, this.#request.rendering);
    const pause = verdict.pause === undefined ? [] : [pauseWarning(verdict.pause)];
    return {
      snapshot: {
        ...snapshot,
        warnings: [...warnings, ...pause, ...notRendered, ...notMade],
        requests: this.#requests,
        bytes: this.#bytes,
        browserMs: this.#browserMs,
      },
      reason,
      proxyUsed: tier,
      errorCode: isRateLimit ? 'HOST_BUSY' : refusal,
    };
  }
}
