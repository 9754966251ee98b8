/** request → snapshot, whatever it takes: engine, proxy, a host's turn, retries, stealth. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseEngine, type EngineChoice } from '../engines/choose.ts';
import type { Engine } from '../engines/engine.ts';
import { hookFailed, PagewrightError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import type { ProxyRoute, ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Deadline } from '../network/deadline.ts';
import type { Proxy, ProxyTier } from '../proxies/proxy.ts';
import type { HostHealth } from './host-health.ts';
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
  | 'skipTlsVerification'
  | 'retries'
  | 'proxy'
  | 'country'
  | 'visitor'
  | 'stealthTimeout'
>;

/** What came back, and how. */
export interface Fetched {
  readonly snapshot: Snapshot;
  /** The signal that decided for the engine. */
  readonly reason: string;
  readonly proxyUsed: ProxyTier;
  /** The site refuses this visitor (401, 403, 429); the snapshot is its refusal. */
  readonly blocked: boolean;
}

/**
 * Fetches a page without reading it. What fails in passing is tried again with growing gaps, a
 * page that the site refuses once more in stealth (`proxy: 'auto'`), all within the deadline.
 *
 * Rejects with the signal's reason when it aborts, with `BLOCKED_BY_SITE` for a challenge page and
 * for a refusal without a body, and with the error of the last attempt when there is no response.
 */
export async function fetchPage(
  parts: FetchingParts,
  request: FetchRequest,
  deadline: Deadline,
): Promise<Fetched> {
  deadline.signal.throwIfAborted();
  if (request.content === undefined) return new Fetch(parts, request, deadline).run();
  return {
    snapshot: givenSnapshot(request.url, request.content),
    reason: 'the caller brought the content',
    proxyUsed: 'basic',
    blocked: false,
  };
}

/** Milliseconds before the second attempt; each further one waits twice as long, less a part by chance. */
const firstGap = 200;
/** The same for a host that has too much to do. */
const firstGapOfBusy = 1000;

/** The attempts at one page. */
class Fetch {
  readonly #parts: FetchingParts;
  readonly #request: FetchRequest;
  readonly #deadline: Deadline;
  readonly #visitor: object;
  #tier: ProxyTier;
  #choice: EngineChoice;
  #retries = 0;
  #requests = 0;
  #bytes = 0;

  constructor(parts: FetchingParts, request: FetchRequest, deadline: Deadline) {
    this.#parts = parts;
    this.#request = request;
    this.#deadline = deadline;
    this.#visitor = request.visitor ?? {};
    this.#tier = request.proxy === 'stealth' ? 'stealth' : 'basic';
    this.#choice = chooseEngine(parts.engines, request);
  }

  async run(): Promise<Fetched> {
    for (;;) {
      const attempt = await this.#attempt();
      const verdict = judge(attempt, this.#parts.clock.now());
      this.#tellHost(verdict);
      if (!(await this.#goesOn(verdict))) return this.#finish(attempt, verdict);
    }
  }

  async #attempt(): Promise<Attempt> {
    const { url, headers, limits, skipTlsVerification, rendering } = this.#request;
    const { engine } = this.#choice;
    const { signal } = this.#deadline;
    await this.#parts.hosts.turn(url, this.#deadline);
    let route: ProxyRoute | undefined;
    try {
      route = await this.#route();
      const snapshot = await engine.fetch({
        ...{ url, headers, limits, skipTlsVerification, route, signal },
        rendering: this.#tier === 'stealth' ? { ...rendering, stealth: true } : rendering,
        visitor: this.#visitor,
      });
      this.#reportRoute(route, 'ok');
      this.#requests += snapshot.requests;
      this.#bytes += snapshot.bytes;
      return { snapshot };
    } catch (error) {
      signal.throwIfAborted();
      const failure = hookFailed(`The engine "${engine.name}"`, url, error);
      if (failure.code === 'PROXY_FAILED') this.#reportRoute(route, 'failed');
      return { error: failure };
    }
  }

  async #route(): Promise<ProxyRoute | undefined> {
    const { url, country } = this.#request;
    return this.#parts.proxy?.pick({ url, tier: this.#tier, country, visitor: this.#visitor });
  }

  #reportRoute(route: ProxyRoute | undefined, outcome: 'ok' | 'failed'): void {
    if (route !== undefined) this.#parts.proxy?.report?.(route, outcome);
  }

  #tellHost({ overloaded, unreachable, pause }: Verdict): void {
    const { hosts } = this.#parts;
    // One page that always breaks off is not the host's state, however often it is tried.
    const counts = overloaded || (unreachable && this.#retries === 0);
    if (counts) hosts.failed(this.#request.url, pause);
    else if (!unreachable) hosts.succeeded(this.#request.url);
  }

  /** Prepares another attempt and waits for its time; false when this was the last. */
  async #goesOn(verdict: Verdict): Promise<boolean> {
    const hidden = verdict.blocked ? this.#stealthChoice() : undefined;
    if (hidden === undefined && (!verdict.retryable || this.#retries >= this.#request.retries)) {
      return false;
    }
    if (hidden !== undefined) this.#deadline.extendTo(this.#request.stealthTimeout ?? 0);
    const chance = 0.5 + this.#parts.clock.random() / 2;
    const first = verdict.overloaded ? firstGapOfBusy : firstGap;
    const gap = Math.max(first * 2 ** this.#retries * chance, verdict.pause ?? 0);
    if (gap >= this.#deadline.remaining) return false;
    if (hidden === undefined) {
      this.#retries += 1;
    } else {
      this.#tier = 'stealth';
      this.#choice = hidden;
    }
    await sleep(gap, undefined, { signal: this.#deadline.signal }).catch(() => undefined);
    this.#deadline.signal.throwIfAborted();
    return true;
  }

  /** How a refused page can be asked for once more; undefined when it was, or must not be. */
  #stealthChoice(): EngineChoice | undefined {
    const { engine } = this.#choice;
    // An engine for certain URLs only is the authority on these: no other one knows them.
    const isGeneral = engine.handles === undefined;
    if (this.#tier === 'stealth' || this.#request.proxy !== 'auto' || !isGeneral) return undefined;
    const requires = new Map(this.#request.requires).set('stealth', 'a page that refused');
    try {
      return chooseEngine(this.#parts.engines, { ...this.#request, requires });
    } catch {
      return undefined;
    }
  }

  #finish(attempt: Attempt, verdict: Verdict): Fetched {
    if ('error' in attempt) throw attempt.error;
    const { statusCode, body, warnings } = attempt.snapshot;
    if (verdict.challenge !== undefined || (verdict.blocked && body.length === 0)) {
      throw blockedBySite(this.#request.url, statusCode, verdict.challenge, this.#tier);
    }
    const pause = verdict.pause === undefined ? [] : [pauseWarning(verdict.pause)];
    return {
      snapshot: {
        ...attempt.snapshot,
        warnings: [...warnings, ...pause],
        requests: this.#requests,
        bytes: this.#bytes,
      },
      reason: this.#choice.reason,
      proxyUsed: this.#tier,
      blocked: verdict.blocked,
    };
  }
}

function blockedBySite(
  url: string,
  statusCode: number,
  challenge: string | undefined,
  tier: ProxyTier,
): PagewrightError {
  const what =
    challenge === undefined
      ? `refuses ${url} with status ${statusCode} and no content`
      : `answers ${url} with the challenge page of ${challenge} in place of the content`;
  const change =
    tier === 'stealth'
      ? 'Stealth did not help: bring a proxy (createClient({ proxy })) or an engine that renders, or ask the site for access.'
      : "Try proxy: 'stealth', bring a proxy (createClient({ proxy })), or ask the site for access.";
  return new PagewrightError('BLOCKED_BY_SITE', `${new URL(url).host} ${what}. ${change}`, { url });
}

function pauseWarning(pause: number): string {
  return `The server asks to wait ${Math.ceil(pause / 1000)} s before the next request (Retry-After).`;
}

/** Content that the caller already holds, as if it had been fetched. */
function givenSnapshot(
  url: string,
  content: { readonly body: Uint8Array; readonly contentType: string },
): Snapshot {
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
