/** The order that takes the most relevant page first, by words or by similarity of meaning. */
import { Relevance, type RelevanceMatch } from '../../../content/text/relevance.ts';
import { readableUrl } from '../../url/readable-url.ts';
import type { RequestQueue } from '../queue/request-queue.ts';
import type { BestFirstStrategy } from './best-first-options.ts';
import type { CrawlOrder, CrawlRequest, OrderParts, TextSimilarity } from './crawl-order.ts';
import { lookAhead, type RankedUrls } from './look-ahead.ts';

const limits = {
  growth: 1.25, // of known links after which all waiting scores are recomputed
  textLength: 200, // characters used
  texts: 20_000, // embedded in one crawl
};

/** Words of the URL, text of the link, title of the linking page. */
type LinkTexts = readonly (string | undefined)[];

interface RankedRequest {
  readonly request: CrawlRequest;
  /** Undefined for a link without any word of the query, which only its meaning can rank. */
  readonly match: RelevanceMatch | undefined;
  score: number;
  /** The order of discovery, which breaks ties. */
  readonly order: number;
}

/** Weights of URL, link text and title of the linking page. */
const weights = [2, 2.5, 0.5];

/**
 * Pages that may be taken before the links of a page count: the most pages in flight at a time. Fewer make a crawl
 * slower, and its choice of pages better.
 */
const pagesAhead = { usually: 8, fewPagesWanted: 4 };

/** Opens the order: the pages about a query come first. */
export function openBestFirst(
  queue: RequestQueue,
  { query, by = 'words', until }: BestFirstStrategy,
  { similarityTo, warn }: OrderParts,
): CrawlOrder {
  const nearness = by === 'words' ? undefined : similarityTo(query);
  const onFull = (texts: number): void =>
    warn(
      `${texts} link texts were embedded; links beyond them come last. Leave more of the site out: excludePaths, sitemap: 'skip'.`,
    );
  const meaning = nearness && new LinkSimilarity(nearness, onFull);
  const ahead = until === undefined ? pagesAhead.usually : pagesAhead.fewPagesWanted;
  return lookAhead(queue, new BestFirst(query, meaning), ahead);
}

/**
 * The rarity of a word is measured in the links known so far. A `LinkMeaning` ranks in place of words, until it fails:
 * when a page is about to be taken, it scores all links known by then, which do not depend on time.
 */
export class BestFirst implements RankedUrls {
  readonly #relevance: Relevance;
  #meaning: LinkSimilarity | undefined;
  /** Links that `#meaning` has not scored yet, in their order. */
  readonly #unread: { ranked: RankedRequest; texts: LinkTexts }[] = [];
  /** A heap, the best first. */
  readonly #ranked: RankedRequest[] = [];
  /** Links without any word of the query, in their order; the first ones are taken already. */
  readonly #others: CrawlRequest[] = [];
  #othersTaken = 0;
  #found = 0;
  /** The number of known links at which scores are recomputed. */
  #nextRanking = 0;

  constructor(query: string, meaning?: LinkSimilarity) {
    this.#meaning = meaning;
    this.#relevance = new Relevance(query, weights);
  }

  get isEmpty(): boolean {
    const isRead = this.#ranked.length === 0 && this.#unread.length === 0;
    return isRead && this.#others.length === this.#othersTaken;
  }

  add(...[found]: Parameters<RankedUrls['add']>): void {
    for (const [requests, { texts, title }] of found) {
      for (const request of requests) {
        this.#admit(request, [readableUrl(request.url), texts?.get(request.url), title]);
      }
    }
  }

  async take(): ReturnType<RankedUrls['take']> {
    if (this.#unread.length > 0) await this.#readMeanings();
    const isDue = this.#meaning === undefined && this.#relevance.links >= this.#nextRanking;
    if (isDue) this.#rankAgain();
    const best = this.#takeBest();
    return best && { request: best.request, score: Math.max(0, best.score) };
  }

  #admit(request: CrawlRequest, texts: LinkTexts): void {
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
      if (scores === undefined) this.#rankByWords();
    }
    if (scores === undefined) return;
    this.#unread.splice(0, unread.length);
    for (const [index, { ranked }] of unread.entries()) {
      ranked.score = scores[index] ?? 0;
      this.#rise(ranked);
    }
  }

  /** From here on words decide, and meanings are not read. */
  #rankByWords(): void {
    this.#meaning = undefined;
    for (const { ranked } of this.#unread.splice(0)) this.#ranked.push(ranked);
    this.#rankAgain();
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
  async scores(links: readonly LinkTexts[]): Promise<readonly number[] | undefined> {
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
