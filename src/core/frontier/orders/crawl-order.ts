/** The order of a crawl: what the frontier asks it, and a row of the table of orders. */
import type { Facet } from '../../checks/option.ts';
import type { RequestQueue } from '../queue/request-queue.ts';

/** Which of the waiting URLs of a crawl is next. It must not depend on time, so that a crawl is the same at any speed. */
export interface CrawlOrder {
  /** These URLs wait from now on. */
  add(requests: readonly CrawlRequest[], from: LinkContext): Promise<void>;
  /** Takes a page; 'later' if an earlier one has to be settled first, undefined if no URL waits. */
  next(): Promise<TakenRequest | 'later' | undefined>;
  /** The page at a taken URL is settled, and its links were added. */
  settled(url: string): void;
}

export type CrawlRequest = Parameters<RequestQueue['add']>[0][number];

type TakenRequest = NonNullable<Awaited<ReturnType<RequestQueue['next']>>> & {
  /** How well its link matched a query. */
  readonly score?: number | undefined;
};

/** The facts about links before they are followed. */
export interface LinkContext {
  /** The page with the links; undefined for the start page, and for entries of sitemaps and feeds. */
  readonly page?: string;
  /** The page's title. */
  readonly title?: string | undefined;
  /** The link texts, by URL. */
  readonly texts?: ReadonlyMap<string, string>;
}

/** An order that `strategy` may name: a row of `orders`. */
export interface OrderKind<Strategy> {
  /** The options of its strategy; an order without any is named by a word. */
  readonly options: Facet;
  /** The text of its flag, if it has no options. @default no flag */
  readonly cli?: string;
  /** Its strategy in messages, and the options that may follow. */
  readonly form: string;
  readonly mayHave?: string;
  /** It chooses among all URLs: sitemaps are read before the first choice. @default read as pages are needed */
  readonly readsAhead?: boolean;
  /** Titles and link texts count. @default false */
  readonly readsTexts?: boolean;
  open(
    queue: RequestQueue,
    strategy: Strategy,
    parts: OrderParts,
  ): CrawlOrder | Promise<CrawlOrder>;
}

/** The parts of a crawl that an order may use. */
export interface OrderParts {
  /** Undefined, with a warning, if the client's model has no embeddings. */
  readonly similarityTo: (query: string) => TextSimilarity | undefined;
  readonly warn: (sentence: string) => void;
}

/**
 * The similarity of each text to the query: 1 for the same, down to -1. Undefined when it is no
 * longer available. The same texts have to give the same numbers.
 */
export type TextSimilarity = (texts: readonly string[]) => Promise<readonly number[] | undefined>;
