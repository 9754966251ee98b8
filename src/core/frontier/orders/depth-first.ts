/** Depth-first order: the links of a page come before the links of its siblings. */
import type { RequestQueue } from '../queue/request-queue.ts';
import type { CrawlOrder, CrawlRequest } from './crawl-order.ts';
import { lookAhead, type RankedUrls } from './look-ahead.ts';

/** Pages in flight at a time: the more there are, the later the links of the first one come. */
const pagesAhead = 4;

export function openDepthFirst(queue: RequestQueue): CrawlOrder {
  return lookAhead(queue, depthFirst(), pagesAhead);
}

/** A URL in the list: it waits, or is taken. */
interface ListedUrl {
  readonly request: CrawlRequest;
  next: ListedUrl | undefined;
}

/** Links come right behind their page in the list, URLs of no page at its end. */
export function depthFirst(): RankedUrls {
  const head: Pick<ListedUrl, 'next'> = { next: undefined };
  let end = head;
  const waiting = new Set<ListedUrl>();
  /** Taken pages whose links do not count yet. */
  const open = new Map<string, ListedUrl>();
  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    add(found, page) {
      let at: Pick<ListedUrl, 'next'> = open.get(page) ?? end;
      open.delete(page);
      for (const request of found.flatMap(([requests]) => requests)) {
        const listed = { request, next: at.next };
        at.next = listed;
        at = listed;
        if (listed.next === undefined) end = listed;
        waiting.add(listed);
      }
    },
    take() {
      let before = head;
      for (let one = head.next; one !== undefined; one = before.next) {
        if (waiting.delete(one)) {
          open.set(one.request.url, one);
          return Promise.resolve(one);
        }
        if (open.has(one.request.url)) before = one;
        else before.next = one.next;
        if (one === end) end = before;
      }
      return Promise.resolve(undefined);
    },
  };
}
