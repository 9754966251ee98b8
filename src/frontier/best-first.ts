/** A request queue that gives the most relevant page first, and the same one at any speed. */
import { type Match, Relevance } from '../text/relevance.ts';
import { readableUrl } from '../url/readable-url.ts';
import type { LinkMeaning } from './link-meaning.ts';
import type { RequestQueue } from './request-queue.ts';

/** What is known of links before they are followed. */
export interface LinkContext {
  /** The page that has them; undefined for entries of sitemaps and feeds. */
  readonly page?: string;
  /** The page's title. */
  readonly title?: string | undefined;
  /** What each link says, by URL. */
  readonly texts: ReadonlyMap<string, string>;
}

type Request = Parameters<RequestQueue['add']>[0][number];

interface Candidate {
  readonly request: Request;
  /** Words of the URL, text of the link, title of the page that has it. */
  readonly texts: readonly (string | undefined)[];
}

interface Ranked {
  readonly request: Request;
  /** Undefined for one without any word of the query, which only its meaning can rank. */
  readonly match: Match | undefined;
  score: number;
  /** Of two that are equally good the one that was found first. */
  readonly order: number;
}

/** One whose meaning is not known yet. */
interface Unread {
  readonly ranked: Ranked;
  readonly texts: Candidate['texts'];
}

/** A page that was taken. */
interface Visit {
  readonly score: number;
  isSettled: boolean;
  readonly found: Candidate[];
}

/** How much URL, text of the link and title of the linking page count. */
const weights = [2, 2.5, 0.5];
/** Pages that may be taken before the links of a page count: no more than these are under way at a time. */
const pagesAhead = 8;
/** How much more has to be known before the scores of all that wait are worked out anew. */
const growth = 1.25;

/**
 * What the n-th page is depends on the pages up to n - 8 alone, whether later ones are there already
 * or not, so that the order is the same at any speed and concurrency. Where nothing else is left
 * the links of the next page are waited for. How rare a word is counts as far as links are known.
 *
 * With a `LinkMeaning` that decides in place of words, until it cannot tell any more. It is asked when a
 * page is about to be taken, about all links that are known by then: which those are depends on no time.
 */
export class BestFirst implements RequestQueue {
  readonly #queue: RequestQueue;
  readonly #relevance: Relevance;
  #meaning: LinkMeaning | undefined;
  /** Those that `#meaning` has still to be asked about, in their order. */
  readonly #unread: Unread[] = [];
  /** Heap, the best first. */
  readonly #ranked: Ranked[] = [];
  /** Those without any word of the query, in their order; the first ones are taken already. */
  readonly #others: Request[] = [];
  #othersTaken = 0;
  /** Those taken whose links do not count yet, in their order. */
  readonly #visits = new Map<string, Visit>();
  #context: LinkContext = { texts: new Map() };
  #taken = 0;
  #found = 0;
  /** Links that have to be known before scores change. */
  #nextRanking = 0;

  constructor(queue: RequestQueue, query: string, meaning?: LinkMeaning) {
    this.#queue = queue;
    this.#meaning = meaning;
    this.#relevance = new Relevance(query, weights);
  }

  /** What is added next was found there. */
  hear(context: LinkContext): void {
    this.#context = context;
  }

  add(requests: readonly Request[]): Promise<void> {
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

  /** The best page, or undefined while there is none or a page before it is not settled. */
  async next(): ReturnType<RequestQueue['next']> {
    for (const [url, visit] of this.#visits) {
      // The start page is waited for: before it there is nothing to choose from.
      const counts = this.#visits.size >= pagesAhead || this.#visits.size === this.#taken;
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

  /** It is decided what becomes of a URL that was taken, and its links were added. */
  settled(url: string): void {
    const visit = this.#visits.get(url);
    if (visit !== undefined) visit.isSettled = true;
  }

  /** From here on words decide, and no meaning is asked for. */
  rankByWords(): void {
    if (this.#meaning === undefined) return;
    this.#meaning = undefined;
    for (const { ranked } of this.#unread.splice(0)) this.#ranked.push(ranked);
    this.#rankAgain();
  }

  /** True when nothing waits and nothing can come any more. */
  get isDrained(): boolean {
    return (
      this.#isEmpty &&
      [...this.#visits.values()].every(({ isSettled, found }) => isSettled && found.length === 0)
    );
  }

  /** How relevant the page seemed when it was taken; just after that. */
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

  #admit({ request, texts }: Candidate): void {
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

  /** Where meanings cannot be told, for whatever reason, all that wait are ranked by their words. */
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

  #takeBest(): Pick<Ranked, 'request' | 'score'> | undefined {
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

  /** More is known of how rare words are. Seldom: all of it takes time with the links that are known. */
  #rankAgain(): void {
    this.#nextRanking = Math.ceil(this.#relevance.links * growth) + 1;
    for (const one of this.#ranked) {
      one.score = one.match === undefined ? 0 : this.#relevance.score(one.match);
    }
    // A sorted list is a heap.
    this.#ranked.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  }

  #rise(entry: Ranked): void {
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

  #shift(): Ranked | undefined {
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

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.score === other.score ? one.order < other.order : one.score > other.score;
}
