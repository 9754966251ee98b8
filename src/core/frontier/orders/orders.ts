/** The table of the orders of a crawl. */
import { choice, required, schemaOf, unmetNeed } from '../../checks/option.ts';
import { bestFirst, type BestFirstStrategy } from './best-first.ts';
import type { OrderKind } from './crawl-order.ts';

/** The order in which a crawl takes pages. */
export type CrawlStrategy = 'breadthFirst' | BestFirstStrategy;

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
