/** A request queue that gives the most relevant page first, by words or by similarity of meaning, and the same one at any speed. */
import { Relevance, type RelevanceMatch } from '../text/relevance.ts';
import { readableUrl } from '../url/readable-url.ts';
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

type CrawlRequest = Parameters<RequestQueue['add']>[0][number];

interface RankedCandidate {
  readonly request: CrawlRequest;
  /** Words of the URL, text of the link, title of the page that has it. */
  readonly texts: readonly (string | undefined)[];
}

interface RankedRequest {
  readonly request: CrawlRequest;
  /** Undefined for one without any word of the query, which only its meaning can rank. */
  readonly match: RelevanceMatch | undefined;
  score: number;
  /** Of two that are equally good the one that was found first. */
  readonly order: number;
}

/** One whose meaning is not known yet. */
interface UnreadPage {
  readonly ranked: RankedRequest;
  readonly texts: RankedCandidate['texts'];
}

/** A page that was taken. */
interface VisitedPage {
  readonly score: number;
  isSettled: boolean;
  readonly found: RankedCandidate[];
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
  #meaning: LinkSimilarity | undefined;
  /** Those that `#meaning` has still to be asked about, in their order. */
  readonly #unread: UnreadPage[] = [];
  /** Heap, the best first. */
  readonly #ranked: RankedRequest[] = [];
  /** Those without any word of the query, in their order; the first ones are taken already. */
  readonly #others: CrawlRequest[] = [];
  #othersTaken = 0;
  /** Those taken whose links do not count yet, in their order. */
  readonly #visits = new Map<string, VisitedPage>();
  #context: LinkContext = { texts: new Map() };
  #taken = 0;
  #found = 0;
  /** Links that have to be known before scores change. */
  #nextRanking = 0;

  constructor(queue: RequestQueue, query: string, meaning?: LinkSimilarity) {
    this.#queue = queue;
    this.#meaning = meaning;
    this.#relevance = new Relevance(query, weights);
  }

  /** What is added next was found there. */
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

  /** More is known of how rare words are. Seldom: all of it takes time with the links that are known. */
  #rankAgain(): void {
    this.#nextRanking = Math.ceil(this.#relevance.links * growth) + 1;
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

// How near links are to a query in their meaning, whichever words they use.

/**
 * For each text how near it is to what is looked for: 1 for the same, down to -1. Undefined when that cannot
 * be told any more. The same texts have to give the same numbers.
 */
export type TextSimilarity = (texts: readonly string[]) => Promise<readonly number[] | undefined>;

/** How much URL and text of a link count together, and how much the title of the linking page. */
const similarityWeights = { link: 0.85, title: 0.15 };

/** Characters of a text that count. */
const textLimit = 200;

/** Texts that are asked about in one crawl. */
const mostTexts = 20_000;

/** Asks about each text once in a crawl. */
export class LinkSimilarity {
  readonly #nearness: TextSimilarity;
  readonly #onFull: (texts: number) => void;
  readonly #known = new Map<string, number>();
  #isFull = false;

  /** `onFull` is called once, when further texts are not asked about. */
  constructor(nearness: TextSimilarity, onFull: (texts: number) => void = () => undefined) {
    this.#nearness = nearness;
    this.#onFull = onFull;
  }

  /**
   * The scores of links, each with the words of its URL, its text and the title of its page; -1 for one too
   * many. Undefined when nearness cannot be told any more; rejects as it does.
   */
  async scores(
    links: readonly (readonly (string | undefined)[])[],
  ): Promise<readonly number[] | undefined> {
    const asked = links.map(([url, text, title]) => ({
      link: short([text, url].filter(Boolean).join(': ')),
      title: short(title ?? ''),
    }));
    const unknown = new Set<string>();
    for (const { link, title } of asked) {
      for (const text of [link, title]) {
        if (text === '' || this.#known.has(text) || unknown.has(text)) continue;
        if (this.#known.size + unknown.size < mostTexts) unknown.add(text);
        else this.#tellFull();
      }
    }
    const texts = [...unknown];
    const found = texts.length === 0 ? [] : await this.#nearness(texts);
    if (found === undefined) return undefined;
    for (const [index, text] of texts.entries()) this.#known.set(text, found[index] ?? 0);
    return asked.map(({ link, title }) => {
      const near = link === '' ? 0 : this.#known.get(link);
      if (near === undefined) return -1;
      return (
        similarityWeights.link * near + similarityWeights.title * (this.#known.get(title) ?? near)
      );
    });
  }

  #tellFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#onFull(mostTexts);
  }
}

function short(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, textLimit)
    .replace(/\p{Cs}/gu, '');
}
