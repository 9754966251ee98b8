/** The share of its query that the pages of a crawl cover, and whether further pages still bring anything new. */
import { type QueryEvidence, termWeights } from '../../../content/text/query-evidence.ts';
import { wordsOf } from '../../../content/text/words.ts';

const thresholds = {
  leastPassage: 0.3, // share of the query that makes a passage count at all
  leastSupport: 0.25, // share of the query that a second page needs to support the first
  patience: 4, // pages without anything new: as many as the last good page's links take
  unseenShare: 0.6, // a word of the query on no page may be a synonym of one there; a name is not
  nearlyBest: 0.7, // a passage nearly as good as the best one is new when its words are
  promising: 1.25, // a much more promising link scores this many times as high as fruitless pages
  mostPages: 12, // the best pages
  mostWords: 20_000, // of their passages
  mostPassages: 5, // of a result, one or two of a page
};

/** A page of the crawl, in its turn. */
export interface AnswerPage {
  readonly url: string;
  /** The page's evidence about the query; undefined for a page without content. */
  readonly evidence?: QueryEvidence | undefined;
  /** How well its links matched the query, before it was read. */
  readonly score?: number | undefined;
}

/** A passage that counts towards the answer. */
export interface AnswerPassage {
  readonly url: string;
  readonly text: string;
}

/** The evidence about the query in the pages read so far. */
export interface AnswerCover {
  /** The share of the query, weighted by rarity, that is found in passages: 0 to 1. */
  readonly coverage: number;
  /** Pages read. */
  readonly pages: number;
  /** The best first. */
  readonly passages: readonly AnswerPassage[];
}

/** The share of the query that all passages need together, and that the best one needs. */
const needed = { coverage: 0.7, passage: 0.6 };

/** The same while the second page has less than this share of the query. */
const weakSupport = { share: 0.5, patience: 8 };

/**
 * The same while no second page supports the first, in case the first is wrong. Links have to be less promising than
 * this share of the link that led to the page.
 */
const noSupport = { patience: 12, promise: 0.5 };

/** A rise of the coverage, and a share of new words in passages, below which a page brings nothing new. */
const leastGain = { coverage: 0.02, words: 0.1 };

interface ScoredPage {
  readonly url: string;
  readonly score: number;
  readonly passages: QueryEvidence['passages'];
}

interface RankedPassage extends AnswerPassage {
  readonly share: number;
}

/**
 * Measures the pages in the order in which they are committed. Its memory does not grow with the number of pages: it
 * stores counts, the passages of the best pages and the words in passages.
 */
export class AnswerProgress {
  readonly #weights: readonly number[];
  /** For each term, the number of pages that have it. */
  readonly #having: number[];
  #pages = 0;
  #best: ScoredPage[] = [];
  readonly #words = new Set<string>();
  /** The scores of the pages since the last one that brought something new. */
  #stale: number[] = [];

  constructor(query: string) {
    this.#weights = termWeights(query);
    this.#having = this.#weights.map(() => 0);
  }

  /** Adds a page. True when it brought something new. */
  add({ url, evidence, score = 0 }: AnswerPage): boolean {
    this.#pages += 1;
    const { terms = [], passages = [] } = evidence ?? {};
    for (const term of terms) this.#having[term] = (this.#having[term] ?? 0) + 1;
    const weights = this.#currentWeights();
    // A passage without a new word is on each page of the site, such as a notice.
    const fresh = passages
      .map(({ text, matches }) => ({ text, matches, words: this.#newWords(text) }))
      .filter(
        ({ matches, words }) =>
          words.length > 0 && shareOf(matches, weights) >= thresholds.leastPassage,
      );
    const before = this.#shares(weights)[0] ?? 0;
    const known = this.#words.size;
    const added = fresh
      .filter(({ matches }) => shareOf(matches, weights) >= thresholds.nearlyBest * before)
      .flatMap(({ words }) => words);
    for (const word of fresh.flatMap(({ words }) => words)) {
      if (this.#words.size < thresholds.mostWords) this.#words.add(word);
    }
    const coverage = this.#coverageWith(weights);
    if (fresh.length > 0) this.#keep({ url, score, passages: fresh }, weights);
    const isNew =
      this.#coverageWith(weights) > coverage + leastGain.coverage ||
      new Set(added).size > leastGain.words * known + 2;
    if (isNew) this.#stale = [];
    else this.#stale = [...this.#stale, score].slice(-noSupport.patience);
    return isNew;
  }

  /** The coverage so far. */
  get cover(): AnswerCover {
    const weights = this.#currentWeights();
    const ranked = this.#best
      .flatMap(({ url, passages }) =>
        passages
          .map(({ text, matches }): RankedPassage => ({
            url,
            text,
            share: shareOf(matches, weights),
          }))
          .sort(byShare)
          .slice(0, 2),
      )
      .sort(byShare);
    return {
      coverage: Math.round(this.#coverageWith(weights) * 1000) / 1000,
      pages: this.#pages,
      passages: ranked.slice(0, thresholds.mostPassages).map(({ url, text }) => ({ url, text })),
    };
  }

  /** True when one passage has most of the query, so that it may be the answer. */
  get mayBeAnswered(): boolean {
    const [best = 0] = this.#shares(this.#currentWeights());
    return best >= needed.passage;
  }

  /**
   * True when the query is covered and the last pages brought nothing new, unless the next page, which has this score,
   * is much more promising than they were.
   */
  isDoneBefore(next = 0): boolean {
    const weights = this.#currentWeights();
    const [best = 0, second = 0] = this.#shares(weights);
    if (best < needed.passage || this.#coverageWith(weights) < needed.coverage) return false;
    if (second < thresholds.leastSupport) {
      const { score = 0 } = this.#best[0] ?? {};
      return this.#stale.length >= noSupport.patience && next <= noSupport.promise * score;
    }
    const wanted = second < weakSupport.share ? weakSupport.patience : thresholds.patience;
    if (this.#stale.length < wanted) return false;
    return next <= thresholds.promising * Math.max(...this.#stale.slice(-wanted));
  }

  #newWords(text: string): string[] {
    return [...new Set(wordsOf(text))].filter((word) => !this.#words.has(word));
  }

  /**
   * A term on every page weighs little, one on few pages much. A name on no page weighs most of all, so that a query
   * about content that the site lacks is not covered.
   */
  #currentWeights(): readonly number[] {
    const most = Math.log(1 + this.#pages / 0.5);
    return this.#weights.map((weight, index) => {
      const having = this.#having[index] ?? 0;
      if (having === 0) return weight === 1 ? thresholds.unseenShare : weight;
      return (weight * Math.log(1 + this.#pages / (having + 0.5))) / most;
    });
  }

  #keep(page: ScoredPage, weights: readonly number[]): void {
    this.#best = [...this.#best, page]
      .map((scored) => ({ scored, share: bestShare(scored, weights) }))
      .sort((one, other) => other.share - one.share)
      .slice(0, thresholds.mostPages)
      .map(({ scored }) => scored);
  }

  /** The best passage of each stored page, the best first. */
  #shares(weights: readonly number[]): number[] {
    return this.#best.map((page) => bestShare(page, weights)).sort((one, other) => other - one);
  }

  #coverageWith(weights: readonly number[]): number {
    const best = weights.map((_, index) =>
      Math.max(
        0,
        ...this.#best.flatMap(({ passages }) =>
          passages.map(({ matches }) =>
            shareOf(matches, weights) >= thresholds.leastPassage ? (matches[index] ?? 0) : 0,
          ),
        ),
      ),
    );
    return shareOf(best, weights);
  }
}

/** The share of the query that these matches cover. */
function shareOf(matches: readonly number[], weights: readonly number[]): number {
  let [share, whole] = [0, 0];
  for (const [index, weight] of weights.entries()) {
    share += weight * (matches[index] ?? 0);
    whole += weight;
  }
  return whole === 0 ? 0 : share / whole;
}

function bestShare({ passages }: ScoredPage, weights: readonly number[]): number {
  return Math.max(0, ...passages.map(({ matches }) => shareOf(matches, weights)));
}

function byShare(one: RankedPassage, other: RankedPassage): number {
  return other.share - one.share;
}
