/** The engine of `search()`: a function of the caller's that finds results. */

/** A result of the web. */
export interface SearchResultWeb {
  url: string;
  title?: string;
  description?: string;
  position?: number;
  category?: string;
}

/** A result of the news. */
export interface SearchResultNews {
  title?: string;
  url?: string;
  snippet?: string;
  date?: string;
  imageUrl?: string;
  position?: number;
  category?: string;
}

/** A picture. */
export interface SearchResultImages {
  title?: string;
  imageUrl?: string;
  imageWidth?: number;
  imageHeight?: number;
  url?: string;
  position?: number;
}

/** What an engine finds. */
export interface SearchResults {
  web?: readonly SearchResultWeb[] | undefined;
  news?: readonly SearchResultNews[] | undefined;
  images?: readonly SearchResultImages[] | undefined;
}

/** A kind of results. */
export type Source = 'web' | 'news' | 'images';

/** The request to an engine. */
export interface EngineRequest {
  readonly sources: readonly Source[];
  /** Results for each source. */
  readonly limit: number;
  /** The time range, as `qdr:d`. */
  readonly tbs?: string | undefined;
  readonly location?: string | undefined;
  readonly country?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly includeDomains?: readonly string[] | undefined;
  readonly excludeDomains?: readonly string[] | undefined;
  /** Aborts when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** Searches the web: a function over the API of an engine of yours. */
export type SearchEngine = (query: string, request: EngineRequest) => Promise<SearchResults>;
