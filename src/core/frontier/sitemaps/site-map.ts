/** The list of links that `map()` builds, each page once, and its search. */
import { setImmediate } from 'node:timers/promises';
import { Relevance, type RelevanceMatch } from '../../../content/text/relevance.ts';
import { canParseUrl, normalizeUrl } from '../../url/normalize-url.ts';
import { isAssetPath } from '../../url/path-kind.ts';
import { fingerprint } from '../../url/fingerprint.ts';
import { readableUrl } from '../../url/readable-url.ts';
import { type CrawlScope, refusePatterns, scopeOf } from '../admission.ts';
import type { UrlMatcher } from '../url-pattern.ts';
import { factNames, type FactTexts, type LinkFacts } from './sitemap-readers.ts';

/** Where a link was found; `endpoint`: it gave JSON to the start page, or is in that JSON. */
export type LinkSource = 'start' | 'sitemap' | 'feed' | 'link' | 'endpoint';

/** One URL of a site. */
export interface SiteLink extends LinkFacts {
  readonly url: string;
  readonly sources: LinkSource[];
  /** True when robots.txt disallows the URL for this crawler. */
  blockedByRobots?: boolean;
}

/** The rules for links on the list. */
export interface SiteMapRules {
  readonly url: string;
  readonly includeSubdomains: boolean;
  readonly allowExternalLinks: boolean;
  readonly ignoreQueryParameters: boolean;
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
}

/** A link with all its titles, descriptions and link texts. */
interface SearchedLink {
  readonly link: SiteLink;
  readonly texts?: readonly string[];
}

/** A link, and the source of its title. */
interface ListedLink extends SearchedLink {
  readonly texts: string[];
  titledBy?: LinkSource | 'page';
}

/** The precedence of titles: the page's own, then feeds and sitemaps, then the first link to it. */
const titleOrder: readonly ListedLink['titledBy'][] = [
  'page',
  'feed',
  'sitemap',
  'link',
  'endpoint',
  'start',
];

const mostTexts = 20; // texts of a link that a search reads

/** Collects links in the order in which they are added. */
export class SiteMap {
  readonly #links = new Map<string, ListedLink>();
  readonly #rules: SiteMapRules;
  #scope: CrawlScope;

  constructor(rules: SiteMapRules) {
    this.#rules = rules;
    this.#scope = scopeOf([new URL(rules.url)]);
  }

  get size(): number {
    return this.#links.size;
  }

  /** The start page redirects to this URL: its site counts as the site too. */
  moveTo(url: string): void {
    this.#scope = scopeOf([new URL(this.#rules.url), new URL(url)]);
  }

  /** False for pages of other sites. */
  isOnSite(url: string): boolean {
    return this.#scope.territoryOf(new URL(url)) !== 'external';
  }

  /**
   * Adds a link, or new facts about a known one; undefined if it does not belong on the list. `key` is equal
   * for all spellings of `url`.
   */
  add(
    href: string,
    source: LinkSource,
    facts: FactTexts = {},
  ): { readonly url: string; readonly key: string } | undefined {
    if (!canParseUrl(href)) return undefined;
    const { ignoreQueryParameters } = this.#rules;
    const parsed = new URL(href);
    const normal = normalizeUrl(parsed, { ignoreQueryParameters });
    const url = normal === parsed.href ? parsed : new URL(normal);
    if (source !== 'start' && !this.#belongs(url)) return undefined;
    const key = fingerprint(url.href, { ignoreQueryParameters, deduplicateSimilarURLs: true });
    const listed: ListedLink = this.#links.get(key) ?? {
      link: { url: url.href, sources: [] },
      texts: [],
    };
    this.#links.set(key, listed);
    if (!listed.link.sources.includes(source)) listed.link.sources.push(source);
    describe(listed, source, facts);
    return { url: url.href, key };
  }

  /** Adds a page's own title and description to a listed URL. */
  describe(href: string, facts: FactTexts): void {
    const { ignoreQueryParameters } = this.#rules;
    const key = fingerprint(href, { ignoreQueryParameters, deduplicateSimilarURLs: true });
    const listed = this.#links.get(key);
    if (listed !== undefined) describe(listed, 'page', facts);
  }

  /** All links, the start URL first. */
  list(): SearchedLink[] {
    const start = ({ link }: SearchedLink): number => (link.sources.includes('start') ? 0 : 1);
    return [...this.#links.values()].sort((a, b) => start(a) - start(b));
  }

  #belongs(url: URL): boolean {
    if (!/^https?:$/.test(url.protocol) || isAssetPath(url.pathname)) return false;
    const { include, exclude, includeSubdomains, allowExternalLinks } = this.#rules;
    const territory = this.#scope.territoryOf(url);
    if (territory === 'subdomain' && !includeSubdomains) return false;
    if (territory === 'external' && !allowExternalLinks) return false;
    return refusePatterns(url, { rules: { include, exclude }, scope: this.#scope }) === undefined;
  }
}

function describe(listed: ListedLink, by: LinkSource | 'page', facts: FactTexts): void {
  const { link, titledBy, texts } = listed;
  const { title, description } = facts;
  for (const text of [title, description]) {
    if (text && texts.length < mostTexts && !texts.includes(text)) texts.push(text);
  }
  const rank = (source: ListedLink['titledBy']): number => titleOrder.indexOf(source);
  if (title && (titledBy === undefined || rank(by) < rank(titledBy))) {
    link.title = title;
    listed.titledBy = by;
  }
  if (description && by === 'page') link.description = description;
  for (const name of factNames) {
    const value = facts[name];
    if (value) link[name] ??= value;
  }
}

// Searches links for a query, best first: the result of `map({ search })`.

/** Weights of title, URL, description and other texts. */
const weights = [2.5, 2, 1, 1.5];

/**
 * Selects the links that match enough of the query in title, URL, description or other texts, link texts among them.
 * Equally good ones stay in their order. The event loop runs meanwhile.
 */
export async function searchLinks(
  links: readonly SearchedLink[],
  query: string,
): Promise<SiteLink[]> {
  const relevance = new Relevance(query, weights);
  const matches: { readonly link: SiteLink; readonly match: RelevanceMatch }[] = [];
  for (const [index, searched] of links.entries()) {
    if (index % atOnce === atOnce - 1) await setImmediate();
    const match = relevance.add(textsOf(searched));
    if (match !== undefined) matches.push({ link: searched.link, match });
  }
  return matches
    .map(({ link, match }) => ({ link, score: relevance.score(match) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ link }) => link);
}

const atOnce = 500; // links scored before the event loop runs; 500 take 10 ms

function textsOf({ link, texts = [] }: SearchedLink): (string | undefined)[] {
  const { url, title, description } = link;
  const others = texts.filter((text) => text !== title && text !== description);
  return [title, readableUrl(url), description, others.join(' ')];
}

// Chooses the pages of a site to read for a question, if there are more than the limit.

/**
 * At most `limit` links: the best matches by title, URL and description, filled up with others in
 * their order. The result keeps the original order.
 */
export async function mostRelevant(
  links: readonly SiteLink[],
  question: string,
  limit: number,
): Promise<SiteLink[]> {
  if (links.length <= limit) return [...links];
  const searched = links.map((link) => ({ link }));
  const chosen = new Set((await searchLinks(searched, question)).slice(0, limit));
  for (const link of links) {
    if (chosen.size >= limit) break;
    chosen.add(link);
  }
  return links.filter((link) => chosen.has(link));
}
