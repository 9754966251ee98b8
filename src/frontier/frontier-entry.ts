/** What goes into the frontier, and what comes out of it. */

/** One page to fetch. */
export interface FrontierEntry {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  /** `since`: the crawl that this one begins with had it, and nothing in this one leads there. */
  readonly discoveredBy: 'start' | 'link' | 'sitemap' | 'feed' | 'since';
  /** The site's sitemap says that the page has not changed since, in ms since 1970. */
  readonly unchangedSince?: number;
  /** On another host than the start: its robots.txt is asked when the page is fetched. */
  readonly asksRobots: boolean;
  /** How well it seemed to answer the query of a crawl that has one. */
  readonly score?: number;
}

/** A URL that a page or a sitemap names. */
export interface FoundUrl {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly discoveredBy: 'link' | 'sitemap' | 'feed' | 'since';
  /** As of a `FrontierEntry`. */
  readonly unchangedSince?: number;
}
