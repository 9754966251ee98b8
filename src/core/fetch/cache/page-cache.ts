/** The cache between request and engines: matching copies, and fetches that callers share. */
import { messageOf, PagewrightError } from '../../runtime/errors.ts';
import type { ScrapeRequest } from '../../model/request.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { cacheKey, sharingObstacle } from './cache-key.ts';
import type { CachedPage, CachedPageStore } from './cached-page.ts';
import { type CoalescedEntry, RequestCoalescer } from './coalesce-requests.ts';
import {
  conditionsOf,
  confirmedPage,
  forbidsStoring,
  isFresh,
  mayBeStale,
  variesByAnything,
} from './http-caching.ts';

/** A snapshot, and how it was fetched. */
export interface FetchOutcome extends Pick<CachedPage, 'snapshot' | 'reason' | 'proxyUsed'> {
  /** The snapshot is a refusal by the site (401, 403) or a rate limit (429, 503). */
  readonly errorCode?: 'BLOCKED_BY_SITE' | 'HOST_BUSY' | undefined;
  /** Fetched with what the caller's hook answered to a challenge: not to be stored. @default false */
  readonly isPersonal?: boolean | undefined;
  /** Undefined if the cache was not used. */
  readonly cacheState?: 'hit' | 'miss';
  /** When the copy was fetched or last confirmed, in ms since 1970. */
  readonly cachedAt?: number;
}

/** Fetches the page; `conditions` are headers for engines that return the response unchanged. */
export type FetchPage = (
  deadline: Deadline,
  conditions: Readonly<Record<string, string>>,
) => Promise<FetchOutcome>;

/** Settings of a cache. */
export interface PageCacheSettings {
  readonly pages: CachedPageStore;
  readonly now: () => number;
  /** The part common to all requests of the client, as text. */
  readonly scope: string;
  /** True for engines whose body differs from the response's. */
  readonly isRendering: (engine: string) => boolean;
  readonly respectHeaders: boolean;
}

/** Statuses of whole pages. A missing page may exist in a minute, and is never stored. */
const whole: ReadonlySet<number> = new Set([200, 203]);

const gone: ReadonlySet<number> = new Set([404, 410]);

/** A failing cache never fails a page: the page gets a warning. */
export class PageCache {
  readonly #settings: PageCacheSettings;
  readonly #coalescer: RequestCoalescer<FetchOutcome>;

  constructor(settings: PageCacheSettings) {
    this.#settings = settings;
    this.#coalescer = new RequestCoalescer(settings.now);
  }

  /**
   * Returns a matching copy, or else the page from `fetch`, which is stored. Rejects with
   * `CACHE_MISS` when it may not fetch, and with the errors of `fetch`.
   */
  async fetch(
    request: ScrapeRequest<unknown>,
    deadline: Deadline,
    fetch: FetchPage,
  ): Promise<FetchOutcome> {
    const { maxAge, isOnly, store } = request.cache;
    const obstacle = sharingObstacle(request);
    const mayReuse = isOnly || maxAge > 0;
    if (obstacle !== undefined || (!mayReuse && !store)) {
      if (isOnly) throw cacheMiss(request.url, obstacle);
      return fetch(deadline, {});
    }
    const key = cacheKey(this.#settings.scope, request);
    if (!mayReuse) return this.#fetchAnew({ request, key, fetch }, deadline);
    using entry = this.#coalescer.enter(key);
    const { page, warning } = await this.#read(key, request);
    const warnings = warning === undefined ? [] : [warning];
    if (page !== undefined && this.#fits(page, request)) return hit(page, warnings);
    if (isOnly) throw cacheMiss(request.url, warning);
    const visit = { request, key, fetch, stale: page };
    const outcome = await this.#shared(visit, entry, deadline);
    return { cacheState: 'miss', ...withWarnings(outcome, warnings) };
  }

  /** Pages of jobs are fetched with the host permit of their job. */
  #shared(
    visit: UncachedRequest,
    entry: CoalescedEntry<FetchOutcome>,
    deadline: Deadline,
  ): Promise<FetchOutcome> {
    const { cache, pace, zeroDataRetention, retries, proxy, stealthTimeout } = visit.request;
    const work = (time: Deadline): Promise<FetchOutcome> => this.#fetchAnew(visit, time);
    if (pace !== undefined || zeroDataRetention) return work(deadline);
    const variant = JSON.stringify([cache.store, retries, proxy, stealthTimeout]);
    return entry.coalesce(variant, cache.maxAge, deadline, work).then(ownCaptures);
  }

  async #read(
    key: string,
    { url, proxy }: ScrapeRequest<unknown>,
  ): Promise<{ readonly page?: CachedPage | undefined; readonly warning?: string }> {
    try {
      const page = await this.#settings.pages.get(key);
      const isWanted = page?.url === url && !(proxy === 'basic' && page.proxyUsed === 'stealth');
      return { page: isWanted ? page : undefined };
    } catch (error) {
      return { warning: sentence('The cache could not be read', error) };
    }
  }

  /** True if the copy can be used as is. */
  #fits(page: CachedPage, { cache: { minAge, maxAge, isOnly } }: ScrapeRequest<unknown>): boolean {
    const now = this.#settings.now();
    const age = now - page.cachedAt;
    // A copy from the future has no age: a clock was wrong.
    if (age < (minAge ?? 0) || age >= maxAge) return false;
    if (!this.#settings.respectHeaders) return true;
    return isFresh(page, now) || (isOnly && mayBeStale(page));
  }

  async #fetchAnew(visit: UncachedRequest, deadline: Deadline): Promise<FetchOutcome> {
    const { key, request, stale, fetch } = visit;
    const { now } = this.#settings;
    const askedAt = now();
    // Conditions on another method than GET are about its effects (RFC 9110, 13.1).
    const conditions = stale && request.method === undefined ? conditionsOf(stale) : undefined;
    const fetched = await fetch(deadline, conditions ?? {});
    const { snapshot } = fetched;
    if (stale === undefined || conditions === undefined || snapshot.statusCode !== 304) {
      return this.#keep(visit, fetched, askedAt);
    }
    const page = confirmedPage(stale, snapshot, { askedAt, cachedAt: now() });
    if (page !== undefined) {
      const { pages } = this.#settings;
      const change = this.#mayKeep(page.snapshot)
        ? () => pages.set(key, page)
        : () => pages.delete(key);
      const warnings = await this.#tryToKeep(request, change);
      return withUse(hit(page, warnings), snapshot);
    }
    // The 304 is for another version: the page itself is fetched.
    return withUse(await this.#fetchAnew({ ...visit, stale: undefined }, deadline), snapshot);
  }

  async #keep(
    { key, request }: UncachedRequest,
    fetched: FetchOutcome,
    askedAt: number,
  ): Promise<FetchOutcome> {
    const { pages, now, isRendering } = this.#settings;
    const { snapshot, reason, proxyUsed, isPersonal = false } = fetched;
    const { statusCode, isCut = false, warnings, engine } = snapshot;
    // A warning marks a flawed page: not rendered, or incomplete.
    const isWhole = whole.has(statusCode) && !isCut && warnings.length === 0 && !isPersonal;
    const page: CachedPage = {
      url: request.url,
      reason,
      proxyUsed,
      isRendered: isRendering(engine),
      askedAt,
      snapshot: { ...snapshot, requests: 0, bytes: 0, browserMs: undefined },
      cachedAt: now(),
    };
    let change: (() => Promise<void>) | undefined;
    if (isWhole && this.#mayKeep(snapshot)) {
      change = () => pages.set(key, ownCaptures(page));
    } else if (isWhole || gone.has(statusCode)) {
      // An earlier copy must not outlive this response.
      change = () => pages.delete(key);
    }
    return withWarnings(fetched, await this.#tryToKeep(request, change));
  }

  #mayKeep({ headers }: Snapshot): boolean {
    if (forbidsStoring(headers)) return false;
    return !this.#settings.respectHeaders || !variesByAnything(headers);
  }

  async #tryToKeep(
    { cache: { store } }: ScrapeRequest<unknown>,
    change: (() => Promise<void>) | undefined,
  ): Promise<readonly string[]> {
    if (!store || change === undefined) return [];
    try {
      await change();
      return [];
    } catch (error) {
      return [sentence('The page could not be kept in the cache', error)];
    }
  }
}

/** A page fetched because no copy matches. */
interface UncachedRequest {
  readonly request: ScrapeRequest<unknown>;
  readonly key: string;
  readonly fetch: FetchPage;
  /** A copy that is too old. */
  readonly stale?: CachedPage | undefined;
}

function hit(
  { snapshot, reason, proxyUsed, cachedAt }: CachedPage,
  warnings: readonly string[],
): FetchOutcome {
  const outcome = { snapshot, reason, proxyUsed, cachedAt } as const;
  return { ...withWarnings(ownCaptures(outcome), warnings), cacheState: 'hit' };
}

function withWarnings<T extends FetchOutcome>(outcome: T, added: readonly string[]): T {
  if (added.length === 0) return outcome;
  const { snapshot } = outcome;
  return { ...outcome, snapshot: { ...snapshot, warnings: [...snapshot.warnings, ...added] } };
}

function sentence(what: string, error: unknown): string {
  return `${what}: ${messageOf(error).replace(/\.$/, '')}.`;
}

/** The same, with the requests and bytes of another request added. */
function withUse(outcome: FetchOutcome, { requests, bytes }: Snapshot): FetchOutcome {
  const { snapshot } = outcome;
  const use = { requests: snapshot.requests + requests, bytes: snapshot.bytes + bytes };
  return { ...outcome, snapshot: { ...snapshot, ...use } };
}

/** Captures become part of a document, which its caller may change. */
function ownCaptures<T extends { readonly snapshot: Snapshot }>(outcome: T): T {
  const { snapshot } = outcome;
  if (snapshot.captures === undefined) return outcome;
  return { ...outcome, snapshot: { ...snapshot, captures: structuredClone(snapshot.captures) } };
}

// The error for a page that may not be fetched and is not cached.

/** The error for a page without a copy; `why` gives a reason that is not obvious. */
export function cacheMiss(url: string, why?: string): PagewrightError {
  const reason = why === undefined ? '' : ` (${why})`;
  return new PagewrightError(
    'CACHE_MISS',
    `The cache has no copy of ${url} that fits these options${reason}, and cacheOnly or minAge allow no request. Leave them out to fetch the page.`,
    { url },
  );
}
