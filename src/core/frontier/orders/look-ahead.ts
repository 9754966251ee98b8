/** An order by a ranking of the waiting URLs, which is the same at any speed. */
import type { RequestQueue } from '../queue/request-queue.ts';
import type { CrawlOrder, CrawlRequest } from './crawl-order.ts';

/** Links, and where they were found. */
type FoundLinks = Parameters<CrawlOrder['add']>;

/** Waiting URLs by rank. */
export interface RankedUrls {
  readonly isEmpty: boolean;
  /** The links of a page, all at once; of none if it is ''. */
  add(found: readonly FoundLinks[], page: string): void;
  /** Takes the first; undefined if there is none. */
  take(): Promise<{ readonly request: CrawlRequest; readonly score?: number } | undefined>;
}

/**
 * The n-th page depends on the pages up to n - `ahead` alone, whether later ones have arrived or not, so
 * that the order is the same at any speed and concurrency. If no URL waits, the links of the next page are awaited.
 */
export function lookAhead(queue: RequestQueue, waiting: RankedUrls, ahead: number): CrawlOrder {
  /** Taken pages whose links do not count yet, in their order. */
  const visits = new Map<string, { isSettled: boolean; readonly found: FoundLinks[] }>();
  let taken = 0;
  return {
    add(...links) {
      const [, { page = '' }] = links;
      const visit = visits.get(page);
      if (visit === undefined) waiting.add([links], page);
      else visit.found.push(links);
      return Promise.resolve();
    },
    async next() {
      for (const [url, { isSettled, found }] of visits) {
        // The start page is awaited: without it there are no links to choose from.
        const counts = visits.size >= ahead || visits.size === taken;
        if (!counts && !waiting.isEmpty) break;
        if (!isSettled) return 'later';
        waiting.add(found, url);
        visits.delete(url);
      }
      const first = await waiting.take();
      if (first === undefined) return undefined;
      taken += 1;
      visits.set(first.request.url, { isSettled: false, found: [] });
      await queue.add([first.request]);
      const request = await queue.next();
      return request && { ...request, score: first.score };
    },
    settled(url) {
      const visit = visits.get(url);
      if (visit !== undefined) visit.isSettled = true;
    },
  };
}
