/** The list of links that map() builds: each place once, with where it was found. */
import { fingerprint } from '../url/fingerprint.ts';
import { isAssetPath } from '../url/file-type.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { refusePatterns } from './admission.ts';
import { type Scope, scopeOf } from './scope.ts';
import type { UrlMatcher } from './url-pattern.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** Where a link was found. */
export type LinkSource = 'start' | 'sitemap' | 'feed' | 'link';

/** One URL of a site. */
export interface SiteLink {
  readonly url: string;
  /** The page's title or, where the page was not read, what a feed or a sitemap calls it or a link says. */
  title?: string;
  description?: string;
  /** As the sitemap says. */
  lastmod?: string;
  readonly sources: LinkSource[];
  /** True when robots.txt closes the URL to this crawler. */
  blockedByRobots?: boolean;
}

/** Which links belong on the list. */
export interface SiteMapRules {
  readonly url: string;
  readonly includeSubdomains: boolean;
  readonly allowExternalLinks: boolean;
  readonly ignoreQueryParameters: boolean;
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
}

/** What is known about a link beside its URL. */
export interface LinkFacts {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly lastmod?: string | undefined;
}

/** A link, and what was said of it anywhere: titles, descriptions, the texts of links. */
export interface SearchedLink {
  readonly link: SiteLink;
  readonly texts?: readonly string[];
}

/** A link, and what its title is from. */
interface Listed extends SearchedLink {
  readonly texts: string[];
  titledBy?: LinkSource | 'page';
}

/** Whose title wins: what the page says itself, then what lists it, then the first link to it. */
const titleOrder: readonly Listed['titledBy'][] = ['page', 'feed', 'sitemap', 'link', 'start'];

/** Texts of a link that a search looks at. */
const mostTexts = 20;

/** A link that belongs to the list. */
export interface PlacedLink {
  /** As it was found, normalised; `link.url` is the first spelling that was. */
  readonly url: string;
  /** The same for all spellings. */
  readonly key: string;
}

/** Collects links in the order in which they are added. */
export class SiteMap {
  readonly #links = new Map<string, Listed>();
  readonly #rules: SiteMapRules;
  #scope: Scope;

  constructor(rules: SiteMapRules) {
    this.#rules = rules;
    this.#scope = scopeOf([new URL(rules.url)]);
  }

  get size(): number {
    return this.#links.size;
  }

  /** The start page redirects to this URL: its site is the site as well. */
  moveTo(url: string): void {
    this.#scope = scopeOf([new URL(this.#rules.url), new URL(url)]);
  }

  /** False for pages of other sites. */
  isOnSite(url: string): boolean {
    return this.#scope.territoryOf(new URL(url)) !== 'external';
  }

  /** Adds a link, or what is new about a known one; undefined when it does not belong. */
  add(href: string, source: LinkSource, facts: LinkFacts = {}): PlacedLink | undefined {
    if (!canParseUrl(href)) return undefined;
    const { ignoreQueryParameters } = this.#rules;
    const parsed = new URL(href);
    const normal = normalizeUrl(parsed, { ignoreQueryParameters });
    const url = normal === parsed.href ? parsed : new URL(normal);
    if (source !== 'start' && !this.#belongs(url)) return undefined;
    const key = fingerprint(url.href, { ignoreQueryParameters, deduplicateSimilarURLs: true });
    const listed: Listed = this.#links.get(key) ?? {
      link: { url: url.href, sources: [] },
      texts: [],
    };
    this.#links.set(key, listed);
    if (!listed.link.sources.includes(source)) listed.link.sources.push(source);
    describe(listed, source, facts);
    return { url: url.href, key };
  }

  /** What the page at a URL of the list says about itself. */
  describe(href: string, facts: LinkFacts): void {
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

function describe(
  listed: Listed,
  by: LinkSource | 'page',
  { title, description, lastmod }: LinkFacts,
): void {
  const { link, titledBy, texts } = listed;
  for (const text of [title, description]) {
    if (text && texts.length < mostTexts && !texts.includes(text)) texts.push(text);
  }
  const rank = (source: Listed['titledBy']): number => titleOrder.indexOf(source);
  if (title && (titledBy === undefined || rank(by) < rank(titledBy))) {
    link.title = title;
    listed.titledBy = by;
  }
  if (description && (by === 'page' || link.description === undefined)) {
    link.description = description;
  }
  if (lastmod !== undefined) link.lastmod ??= lastmod;
}
