/** The interface of a search engine, and the check of the one that a caller chose. */
import { ValidationError } from '../runtime/errors.ts';

/** The kinds of results. */
export const searchSources = ['web', 'news', 'images'] as const;

export type SearchSource = (typeof searchSources)[number];

/** The ages that `since` names; a date is the other form. */
export const searchAges = ['day', 'week', 'month', 'year'] as const;

/** The filters of a search. `since` is an age, `sinceDate` the same option with a date. */
export type SearchFilter =
  'country' | 'language' | 'since' | 'sinceDate' | 'domains' | 'safeSearch';

/** A search as an engine gets it. */
export interface SearchRequest {
  /** One kind of results: with several `sources` the engine is called for each. */
  readonly source: SearchSource;
  /** Results wanted, 1 to 100; further ones are dropped. */
  readonly limit: number;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: string | undefined;
  /** A BCP 47 tag: `de`, `pt-BR`. */
  readonly language?: string | undefined;
  /** An age (`week`), or a date (`2026-03-01`). */
  readonly since?: string | undefined;
  /** Host names, without `*.`: subdomains belong to them. Results of others are dropped. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  readonly safeSearch?: 'off' | 'moderate' | 'strict' | undefined;
  /** Ends the search. */
  readonly signal: AbortSignal;
  /** Now, in milliseconds since 1970, by the client's clock. */
  readonly now: number;
  /**
   * Sends a request under the client's network policy and gives the JSON of its answer. Rate limits, errors of the
   * server and broken connections are retried; 8 MB are read at most; redirects are not followed. Rejects with
   * `SEARCH_FAILED` and with the errors of the connection; messages contain neither headers nor the URL's path.
   */
  fetchJson(request: JsonRequest): Promise<unknown>;
  /** Adds a sentence to the `warning` of the result: that results are missing, and why. */
  warn(sentence: string): void;
}

/** A request to the server of a search engine. */
export interface JsonRequest {
  readonly url: string | URL;
  /** Added to the URL; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes it a POST with this as JSON. @default a GET */
  readonly body?: object | undefined;
}

/** A result as an engine found it. It is not trusted: `search()` checks and cleans it. */
export interface FoundPage {
  readonly url?: string | undefined;
  /** Tags and character references are taken out of both texts. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Any form that `Date.parse` reads; without a zone it is taken as UTC. */
  readonly publishedAt?: string | undefined;
  /** The picture, for `images`; `url` is the page that shows it. */
  readonly imageUrl?: string | undefined;
  readonly imageWidth?: number | undefined;
  readonly imageHeight?: number | undefined;
}

/** A search engine: `searxng`, `braveSearch`, `tavily`, `exa`, an index of `client.index()`, or one of your own. */
export interface SearchEngine {
  /** The name in results, warnings and errors. */
  readonly name: string;
  /**
   * The filters of each kind of results; a kind that is missing is refused with `BAD_REQUEST`, a filter that is
   * missing gives a warning. `search()` filters by domains in any case.
   * @default everything
   */
  readonly can?: Readonly<Partial<Record<SearchSource, readonly SearchFilter[]>>> | undefined;
  /** Finds pages, best first. What it throws becomes `SEARCH_FAILED`, unless it is a `PagewrightError`. */
  search(query: string, request: SearchRequest): Promise<readonly FoundPage[]>;
}

/** A function in place of an engine. */
export type SearchFunction = (
  query: string,
  request: SearchRequest,
) => readonly FoundPage[] | Promise<readonly FoundPage[]>;

/** An engine, or a function in its place. */
export type SearchEngineChoice = SearchEngine | SearchFunction;

/** Throws `ValidationError` for a value that is neither; `at` is the path of the option. */
export function readSearchEngine(
  choice: SearchEngineChoice,
  subject = 'createClient',
  at: readonly string[] = ['search'],
): SearchEngine {
  if (typeof choice === 'function') {
    const name = choice.name === '' ? 'search function' : choice.name;
    return { name, search: async (query, request) => choice(query, request) };
  }
  if (isEngine(choice)) return choice;
  const expected =
    'expected a search engine with name and search(), such as searxng({ url }), or a function';
  const position = at.length === 0 ? '' : `${at.join('.')}: `;
  // The value is not repeated: it may be a key, or options with one.
  const message = `${position}${expected}`;
  throw new ValidationError(subject, [{ path: at, message }]);
}

function isEngine(value: unknown): value is SearchEngine {
  const { name, search } = (value ?? {}) as Partial<SearchEngine>;
  return typeof search === 'function' && typeof name === 'string' && name !== '';
}
