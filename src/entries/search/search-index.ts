/** An index of pages: BM25 over their passages, in any script. */
import type MiniSearch from 'minisearch';
import type { SearchResult as Match } from 'minisearch';
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import { PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import type { SearchEngine } from '../../core/model/search-engine.ts';
import { wordsOf } from '../../content/text/words.ts';
import { snippetOf } from './passage-text.ts';

/** Options of a search in an index. */
export interface IndexSearchOptions {
  /** The most results, 1 to 1000. @default 5 */
  readonly limit?: number | undefined;
  /** The best passage of each page, or all passages. @default 'best' */
  readonly passages?: 'best' | 'all' | undefined;
}

/** A passage that was found. */
export interface IndexHit {
  readonly url: string;
  /** The title of the page; its URL where it has none. */
  readonly title: string;
  /** The text of the passage around the words that were found, 300 characters or so. */
  readonly description: string;
  /** The nearest heading above the passage. */
  readonly heading?: string;
  /** The URL with the `#id` of that heading, for pages with the format `chunks`. */
  readonly anchor?: string;
  /** Larger is better; comparable within one search only. */
  readonly score: number;
}

/** An index of `client.index()`; a search engine as well: `search(query, { engine: index })`. */
export interface SearchIndex extends SearchEngine {
  /** Pages in the index. */
  readonly pages: number;
  readonly passages: number;
  /**
   * The best matches of a query. Words match also by their beginning and with a letter or two wrong; of several
   * words not all have to match. Rejects with `BAD_REQUEST` for a query without words.
   *
   * @example const [{ url, description }] = await index.search('restore a backup', { limit: 3 });
   */
  search(query: string, options?: IndexSearchOptions): Promise<IndexHit[]>;
}

/** A page of an index, with its passages. */
export interface IndexedPage {
  readonly url: string;
  readonly title: string;
  readonly passages: readonly IndexedPassage[];
}

/** A passage: plain text, and its position on the page. */
interface IndexedPassage {
  readonly text: string;
  readonly headingPath: readonly string[];
  /** The URL of the page where no heading has an id. */
  readonly anchor: string;
}

/** The texts of a passage, as they are indexed. */
interface PassageFields {
  readonly id: number;
  readonly title: string;
  readonly headings: string;
  readonly text: string;
}

/** Words of the title and of headings weigh more: they name the topic of a passage. */
const weights = { title: 2, headings: 1.5, text: 1 };

const settings = {
  fields: ['title', 'headings', 'text'],
  tokenize: wordsOf,
  // They are normalised already.
  processTerm: (word: string) => word,
};

/** The index over minisearch. */
export class WordIndex implements SearchIndex {
  readonly name = 'index';
  readonly can: SearchEngine['can'] = { web: [] };
  readonly #pages: IndexedPage[] = [];
  /** By their ids in `#words`. */
  readonly #passages: { readonly page: IndexedPage; readonly passage: IndexedPassage }[] = [];
  readonly #words: MiniSearch<PassageFields>;

  private constructor(words: MiniSearch<PassageFields>) {
    this.#words = words;
  }

  /** An index without pages. Rejects with `MISSING_DEPENDENCY`. */
  static async open(): Promise<WordIndex> {
    const { default: Words } = await loadPackage(
      'client.index()',
      'minisearch',
      () => import('minisearch'),
    );
    return new WordIndex(new Words<PassageFields>(settings));
  }

  /** All pages, as they were added. */
  get content(): readonly IndexedPage[] {
    return this.#pages;
  }

  get pages(): number {
    return this.#pages.length;
  }

  get passages(): number {
    return this.#passages.length;
  }

  addPage(page: IndexedPage): void {
    this.#pages.push(page);
    const { title } = page;
    for (const passage of page.passages) {
      const { text, headingPath } = passage;
      const id = this.#passages.push({ page, passage }) - 1;
      this.#words.add({ id, title, headings: headingPath.join(' '), text });
    }
  }

  search(query: string, options: IndexSearchOptions = {}): Promise<IndexHit[]> {
    return new Promise((resolve) => resolve(this.#search(query, options)));
  }

  #search(query: unknown, { limit = 5, passages = 'best' }: IndexSearchOptions): IndexHit[] {
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
      const message = 'limit: expected a whole number from 1 to 1000';
      throw new ValidationError('index.search', [{ path: ['limit'], message }]);
    }
    if (!['best', 'all'].includes(passages)) {
      const message = "passages: expected 'best' or 'all'";
      throw new ValidationError('index.search', [{ path: ['passages'], message }]);
    }
    const sought = typeof query === 'string' ? wordsOf(query.slice(0, longestQuery)) : [];
    if (typeof query !== 'string' || sought.length === 0) {
      throw new PagewrightError('BAD_REQUEST', 'index.search: the query has no words.');
    }
    const seen = new Set<IndexedPage>();
    const hits: IndexHit[] = [];
    for (const match of this.#matches(query.slice(0, longestQuery))) {
      const found = this.#passages[Number(match.id)];
      if (found === undefined || (passages === 'best' && seen.has(found.page))) continue;
      seen.add(found.page);
      hits.push(hitOf(found.page, found.passage, match));
      if (hits.length >= limit) break;
    }
    return hits;
  }

  #matches(query: string): Match[] {
    return this.#words.search(query, {
      boost: weights,
      prefix: (word) => word.length >= 3 || /^\p{Script=Han}$/u.test(word),
      // Only words of alphabets: a changed number or syllable is another word.
      fuzzy: (word) =>
        /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{4,}$/u.test(word) ? 0.2 : false,
      maxFuzzy: 2,
    });
  }
}

function hitOf(
  { url, title }: IndexedPage,
  { text, headingPath, anchor }: IndexedPassage,
  { score, match }: Match,
): IndexHit {
  const heading = headingPath.at(-1);
  return {
    url,
    title,
    description: snippetOf(text, new Set(Object.keys(match))),
    ...(heading === undefined ? {} : { heading }),
    ...(anchor === url ? {} : { anchor }),
    score: Math.round(score * 1000) / 1000,
  };
}

const longestQuery = 1_000; // characters
