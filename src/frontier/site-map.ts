/** The list of links that map() builds: each place once, with where it was found. */
import { fingerprint } from '../url/fingerprint.ts';
import { isAssetPath } from '../url/file-type.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { refusePatterns } from './admission.ts';
import { type Scope, scopeOf } from './scope.ts';
import type { UrlMatcher } from './url-pattern.ts';

/** Where a link was found. */
export type LinkSource = 'start' | 'sitemap' | 'feed' | 'link';

/** One URL of a site. */
export interface SiteLink {
  readonly url: string;
  /** The page's title or, where the page was not read, the text of a link to it. */
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
export type LinkFacts = Pick<SiteLink, 'title' | 'description' | 'lastmod'>;

/** Collects links in the order in which they are added. */
export class SiteMap {
  readonly #links = new Map<string, SiteLink>();
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

  /** Adds a link, or what is new about a known one. Gives the link, or undefined when it does not belong. */
  add(href: string, source: LinkSource, facts: LinkFacts = {}): SiteLink | undefined {
    if (!URL.canParse(href)) return undefined;
    const { ignoreQueryParameters } = this.#rules;
    const url = new URL(normalizeUrl(new URL(href), { ignoreQueryParameters }));
    if (source !== 'start' && !this.#belongs(url)) return undefined;
    const key = fingerprint(url.href, { ignoreQueryParameters, deduplicateSimilarURLs: true });
    const link = this.#links.get(key) ?? { url: url.href, sources: [] };
    this.#links.set(key, link);
    if (!link.sources.includes(source)) link.sources.push(source);
    const { title, description, lastmod } = facts;
    if (title !== undefined && title !== '') link.title ??= title;
    if (description !== undefined && description !== '') link.description ??= description;
    if (lastmod !== undefined) link.lastmod ??= lastmod;
    return link;
  }

  /** All links, the start URL first. */
  list(): SiteLink[] {
    const start = (link: SiteLink): number => (link.sources.includes('start') ? 0 : 1);
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
