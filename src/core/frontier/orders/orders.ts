/** The table of the orders of a crawl. */
import { choice, required, schemaOf, unmetNeed } from '../../checks/option.ts';
import { loadModule } from '../../runtime/load-module.ts';
import { bestFirstRows, type BestFirstStrategy } from './best-first-options.ts';
import type { OrderKind } from './crawl-order.ts';

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
    async open(queue) {
      const { openDepthFirst } = await loadModule(() => import('./depth-first.ts'));
      return openDepthFirst(queue);
    },
  },
  bestFirst: {
    options: bestFirstRows,
    form: "{ type: 'bestFirst', query: 'words' }",
    mayHave:
      "by: 'words' or 'embedding', until: 'answered', and with until judge: 'words' or 'model'",
    readsAhead: true,
    readsTexts: true,
    async open(queue, strategy, parts) {
      const { openBestFirst } = await loadModule(() => import('./best-first.ts'));
      return openBestFirst(queue, strategy, parts);
    },
  },
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
