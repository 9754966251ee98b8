/** The table of the orders of a crawl. */
import { choice, required, schemaOf, unmetNeed } from '../../checks/option.ts';
import { bestFirst, type BestFirstStrategy } from './best-first.ts';
import type { OrderKind } from './crawl-order.ts';
import { depthFirst } from './depth-first.ts';
import { lookAhead } from './look-ahead.ts';

/** The order in which a crawl takes pages. */
export type CrawlStrategy = 'breadthFirst' | 'depthFirst' | BestFirstStrategy;

type NameOf<Strategy> = Strategy extends { readonly type: infer Name } ? Name : Strategy;

/** A row for each: all else about orders derives from it. */
export const orders: {
  readonly [One in CrawlStrategy as NameOf<One>]: OrderKind<One>;
} = {
  /** First in, first out: by the number of links from the start. */
  breadthFirst: {
    options: {},
    form: "'breadthFirst'",
    open: (queue) => ({
      add: (requests) => queue.add(requests),
      next: () => queue.next(),
      settled: () => undefined,
    }),
  },
  depthFirst: {
    options: {},
    cli: 'visit the links of a page before those of the pages after it',
    form: "'depthFirst'",
    readsAhead: true,
    // The more pages are in flight, the later the links of the first one come.
    open: (queue) => lookAhead(queue, depthFirst(), 4),
  },
  bestFirst,
};

/** The row of a strategy. */
export function orderOf(strategy: CrawlStrategy): OrderKind<CrawlStrategy> {
  return orders[typeof strategy === 'string' ? strategy : strategy.type];
}

export function isStrategy(value: unknown): value is CrawlStrategy {
  return Object.entries(orders).some(([name, { options }]) => {
    if (Object.keys(options).length === 0) return value === name;
    const { success } = schemaOf({ type: required(choice([name])), ...options }).safeParse(value);
    return success && unmetNeed(options, value as object) === undefined;
  });
}
