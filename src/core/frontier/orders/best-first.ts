/**
 * A request queue that returns the most relevant page first, by words or by similarity of meaning,
 * in the same order at any speed.
 */
import { Relevance, type RelevanceMatch } from '../../../content/text/relevance.ts';
import { readableUrl } from '../../url/readable-url.ts';
import type { RequestQueue } from '../queue/request-queue.ts';

const limits = {
  growth: 1.25, // of known links after which all waiting scores are recomputed
  textLength: 200, // characters used
  texts: 20_000, // embedded in one crawl
};

/** The facts about links before they are followed. */
export interface LinkContext {
  /** The page with the links; undefined for entries of sitemaps and feeds. */
  readonly page?: string;
  /** The page's title. */
  readonly title?: string | undefined;
  /** The link texts, by URL. */
  readonly texts: ReadonlyMap<string, string>;
}

type CrawlRequest = Parameters<RequestQueue['add']>[0][number];

interface RankedCandidate {
  readonly request: CrawlRequest;
  /** Words of the URL, text of the link, title of the linking page. */
  readonly texts: readonly (string | undefined)[];
}

interface RankedRequest {
  readonly request: CrawlRequest;
  /** Undefined for a link without any word of the query, which only its meaning can rank. */
  readonly match: RelevanceMatch | undefined;
  score: number;
  /** The order of discovery, which breaks ties. */
  readonly order: number;
}

/** A page taken from the queue. */
interface VisitedPage {
  readonly score: number;
  isSettled: boolean;
  readonly found: RankedCandidate[];
}

/** Weights of URL, link text and title of the linking page. */
const weights = [2, 2.5, 0.5];

/**
 * Pages that may be taken before the links of a page count: the most pages in flight at a time. Fewer make a crawl
 * slower, and its choice of pages better.
 */
export const pagesAhead = { usually: 8, fewPagesWanted: 4 };

/**
 * The n-th page depends on the pages up to n - `ahead` alone, whether later ones have arrived or not, so
 * that the order is the same at any speed and concurrency. If the queue is empty, the links of the
 * next page are awaited. The rarity of a word is measured in the links known so far.
 *
 * A `LinkMeaning` ranks in place of words, until it fails. When a page is about to be taken, it scores all links known
 * by then; these do not depend on time.
 */
export class BestFirst implements RequestQueue {
  readonly #queue: RequestQueue;
  readonly #relevance: Relevance;
  readonly #ahead: number;
  #meaning: LinkSimilarity | undefined;
  /** Links that `#meaning` has not scored yet, in their order. */
  readonly #unread: { ranked: RankedRequest; texts: RankedCandidate['texts'] }[] = [];
  /** A heap, the best first. */
  readonly #ranked: RankedRequest[] = [];
  /** Links without any word of the query, in their order; the first ones are taken already. */
  readonly #others: CrawlRequest[] = [];
  #othersTaken = 0;
  /** Taken pages whose links do not count yet, in their order. */
  readonly #visits = new Map<string, VisitedPage>();
  #context: LinkContext = { texts: new Map() };
  #taken = 0;
  #found = 0;
  /** The number of known links at which scores are recomputed. */
  #nextRanking = 0;

  constructor(
    queue: RequestQueue,
    query: string,
    {
      meaning,
      ahead = pagesAhead.usually,
    }: { meaning?: LinkSimilarity | undefined; ahead?: number } = {},
  ) {
    this.#queue = queue;
    this.#meaning = meaning;
    this.#ahead = ahead;
    this.#relevance = new Relevance(query, weights);
  }

  /** Sets the context of the links added next. */
  hear(context: LinkContext): void {
    this.#context = context;
  }

  add(requests: readonly CrawlRequest[]): Promise<void> {
    const { page, title, texts } = this.#context;
    const visit = page === undefined ? undefined : this.#visits.get(page);
    for (const request of requests) {
      const { url } = request;
      const candidate = { request, texts: [readableUrl(url), texts.get(url), title] };
      if (visit === undefined) this.#admit(candidate);
      else visit.found.push(candidate);
    }
    return Promise.resolve();
  }

  /** The best page, or undefined while there is none or an earlier page is not settled. */
  async next(): ReturnType<RequestQueue['next']> {
    for (const [url, visit] of this.#visits) {
      // The start page is awaited: without it there are no links to choose from.
      const counts = this.#visits.size >= this.#ahead || this.#visits.size === this.#taken;
      if (!counts && !this.#isEmpty) break;
      if (!visit.isSettled) return undefined;
      for (const candidate of visit.found) this.#admit(candidate);
      this.#visits.delete(url);
    }
    if (this.#unread.length > 0) await this.#readMeanings();
    const isDue = this.#meaning === undefined && this.#relevance.links >= this.#nextRanking;
    if (isDue) this.#rankAgain();
    const best = this.#takeBest();
    if (best === undefined) return undefined;
    this.#taken += 1;
    this.#visits.set(best.request.url, { score: best.score, isSettled: false, found: [] });
    await this.#queue.add([best.request]);
    return this.#queue.next();
  }

  /** The page at a taken URL is settled, and its links were added. */
  settled(url: string): void {
    const visit = this.#visits.get(url);
    if (visit !== undefined) visit.isSettled = true;
  }

  /** From here on words decide, and meanings are not read. */
  rankByWords(): void {
    if (this.#meaning === undefined) return;
    this.#meaning = undefined;
    for (const { ranked } of this.#unread.splice(0)) this.#ranked.push(ranked);
    this.#rankAgain();
  }

  /** True when the queue is empty and no more links can come. */
  get isDrained(): boolean {
    return (
      this.#isEmpty &&
      [...this.#visits.values()].every(({ isSettled, found }) => isSettled && found.length === 0)
    );
  }

  /** The relevance of the page last taken. */
  scoreOf(url: string): number {
    return Math.max(0, this.#visits.get(url)?.score ?? 0);
  }

  markHandled(...request: Parameters<RequestQueue['markHandled']>): Promise<void> {
    return this.#queue.markHandled(...request);
  }

  drop(): Promise<void> {
    return this.#queue.drop();
  }

  get #isEmpty(): boolean {
    const isRead = this.#ranked.length === 0 && this.#unread.length === 0;
    return isRead && this.#others.length === this.#othersTaken;
  }

  #admit({ request, texts }: RankedCandidate): void {
    const match = this.#relevance.add(texts);
    if (this.#meaning !== undefined) {
      const ranked = { request, match, score: 0, order: this.#found++ };
      this.#unread.push({ ranked, texts });
      return;
    }
    if (match === undefined) {
      this.#others.push(request);
      return;
    }
    const score = this.#relevance.score(match);
    this.#rise({ request, match, score, order: this.#found++ });
  }

  /** If meanings cannot be read, for any reason, all waiting links are ranked by words. */
  async #readMeanings(): Promise<void> {
    const unread = this.#unread.slice();
    let scores: readonly number[] | undefined;
    try {
      scores = await this.#meaning?.scores(unread.map(({ texts }) => texts));
    } finally {
      if (scores === undefined) this.rankByWords();
    }
    if (scores === undefined || this.#meaning === undefined) return;
    this.#unread.splice(0, unread.length);
    for (const [index, { ranked }] of unread.entries()) {
      ranked.score = scores[index] ?? 0;
      this.#rise(ranked);
    }
  }

  #takeBest(): Pick<RankedRequest, 'request' | 'score'> | undefined {
    const best = this.#shift();
    if (best !== undefined) return best;
    const request = this.#others[this.#othersTaken];
    if (request === undefined) return undefined;
    this.#othersTaken += 1;
    if (this.#othersTaken >= 1000 && this.#othersTaken * 2 >= this.#others.length) {
      this.#others.splice(0, this.#othersTaken);
      this.#othersTaken = 0;
    }
    return { request, score: 0 };
  }

  /**
   * Recomputes scores as word rarity changes. Done seldom: its time grows with the number of known
   * links.
   */
  #rankAgain(): void {
    this.#nextRanking = Math.ceil(this.#relevance.links * limits.growth) + 1;
    for (const one of this.#ranked) {
      one.score = one.match === undefined ? 0 : this.#relevance.score(one.match);
    }
    // A sorted list is a heap.
    this.#ranked.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  }

  #rise(entry: RankedRequest): void {
    const heap = this.#ranked;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  #shift(): RankedRequest | undefined {
    const heap = this.#ranked;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: RankedRequest, other: RankedRequest): boolean {
  return one.score === other.score ? one.order < other.order : one.score > other.score;
}

// The similarity of links to a query by meaning, whichever words they use.

/**
 * The similarity of each text to the query: 1 for the same, down to -1. Undefined when it is no
 * longer available. The same texts have to give the same numbers.
 */
export type TextSimilarity = (texts: readonly string[]) => Promise<readonly number[] | undefined>;

/** Weights of URL and link text together, and of the linking page's title. */
const similarityWeights = { link: 0.85, title: 0.15 };

/** Embeds each text once in a crawl. */
export class LinkSimilarity {
  readonly #nearness: TextSimilarity;
  readonly #onFull: (texts: number) => void;
  readonly #known = new Map<string, number>();
  #isFull = false;

  /** `onFull` is called once, when further texts are left out. */
  constructor(nearness: TextSimilarity, onFull: (texts: number) => void = () => undefined) {
    this.#nearness = nearness;
    this.#onFull = onFull;
  }

  /**
   * The scores of links, each with the words of its URL, its text and the title of its page; -1
   * beyond the limit. Undefined when similarity is no longer available; rejects with its error.
   */
  async scores(
    links: readonly (readonly (string | undefined)[])[],
  ): Promise<readonly number[] | undefined> {
    const queries = links.map(([url, text, title]) => ({
      link: short([text, url].filter(Boolean).join(': ')),
      title: short(title ?? ''),
    }));
    const unknown = new Set<string>();
    for (const { link, title } of queries) {
      for (const text of [link, title]) {
        if (text === '' || this.#known.has(text) || unknown.has(text)) continue;
        if (this.#known.size + unknown.size < limits.texts) unknown.add(text);
        else this.#reportFull();
      }
    }
    const texts = [...unknown];
    const found = texts.length === 0 ? [] : await this.#nearness(texts);
    if (found === undefined) return undefined;
    for (const [index, text] of texts.entries()) this.#known.set(text, found[index] ?? 0);
    return queries.map(({ link, title }) => {
      const near = link === '' ? 0 : this.#known.get(link);
      if (near === undefined) return -1;
      return (
        similarityWeights.link * near + similarityWeights.title * (this.#known.get(title) ?? near)
      );
    });
  }

  #reportFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#onFull(limits.texts);
  }
}

function short(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, limits.textLength)
    .replace(/\p{Cs}/gu, '');
}
