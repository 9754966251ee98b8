/** request → snapshot, from the cache or from the engines. */
import { cacheMiss } from '../cache/cache-miss.ts';
import type { CacheOutcome, FetchPage, PageCache } from '../cache/page-cache.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Deadline } from '../network/deadline.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';

/** What fetching works with, and where copies are. */
export interface TakingParts extends FetchingParts {
  /** Undefined: every page is fetched. */
  readonly cache: PageCache | undefined;
}

/**
 * As `fetchPage`, unless a copy fits. Rejects with `CACHE_MISS` when nothing may be fetched. A 304 about
 * another version than the one that the caller has is not taken for an answer: the page is asked for.
 */
export async function fetchOrTake(
  parts: TakingParts,
  request: ScrapeRequest<unknown>,
  deadline: Deadline,
): Promise<CacheOutcome> {
  let { pace } = request;
  const { known } = request;
  const send: FetchPage = (time, conditions) => {
    const asked = { ...request, pace, conditions };
    // The turn that was waited for is that of the first request.
    pace &&= { ...pace, turn: undefined };
    return fetchPage(parts, asked, time);
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
  if (parts.cache !== undefined) return parts.cache.fetch(request, deadline, fetch);
  if (request.cache.isOnly) throw cacheMiss(request.url, 'this client has no cache');
  return fetch(deadline, {});
}
