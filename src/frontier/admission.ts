/** Admission: the one step that decides whether a URL joins a crawl. Pure: same input, same answer. */
import type { SkipReason } from '../model/job.ts';
import { isArchivePath, isAssetPath, pathScope } from '../url/path-kind.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import type { Robots } from './robots.ts';
import type { UrlMatcher } from './url-pattern.ts';

/** The patterns a caller gave. */
export interface UrlPatterns {
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
}

/** The rules of a crawl that admission knows. */
export interface AdmissionRules extends UrlPatterns {
  readonly maxDiscoveryDepth: number;
  readonly crawlEntireDomain: boolean;
  readonly allowSubdomains: boolean;
  readonly allowExternalLinks: boolean;
  /** Whether the archive at a URL is to be read; without it none is. */
  readonly readsArchive?: ((url: string) => boolean) | undefined;
}

/** A URL that was found. */
export interface UrlCandidate {
  readonly url: URL;
  /** Hops from the start. */
  readonly depth: number;
}

/** Why a URL does not join, and the rule that says so. */
export interface AdmissionRefusal {
  readonly reason: SkipReason;
  readonly rule: string;
}

/** What is known about the place of a URL. */
export interface AdmissionContext {
  readonly rules: AdmissionRules;
  readonly scope: CrawlScope;
  /** The robots rules of the URL's origin; undefined when robots.txt is ignored. */
  readonly robots: Robots | undefined;
  readonly robotsUserAgent: string;
}

/** The first rule that refuses the URL, or undefined when it may join. */
export function refuse(
  candidate: UrlCandidate,
  context: AdmissionContext,
): AdmissionRefusal | undefined {
  const { url, depth } = candidate;
  const { rules } = context;
  return (
    refuseTerritory(url, context) ??
    refusePatterns(url, context) ??
    refuseFileType(url, rules) ??
    (depth > rules.maxDiscoveryDepth
      ? { reason: 'DEPTH', rule: `maxDiscoveryDepth: ${rules.maxDiscoveryDepth}` }
      : undefined) ??
    refuseRobots(url, context)
  );
}

/** The include and exclude patterns alone: they decide over the start page's document too. */
export function refusePatterns(
  url: URL,
  { rules, scope }: { readonly rules: UrlPatterns; readonly scope: CrawlScope },
): AdmissionRefusal | undefined {
  const excluded = rules.exclude.find((pattern) => pattern.matches(url));
  if (excluded !== undefined) return { reason: 'EXCLUDE', rule: excluded.source };
  // Patterns of paths to keep are written for the site's own paths.
  if (rules.include.length === 0 || scope.territoryOf(url) === 'external') return undefined;
  return rules.include.some((pattern) => pattern.matches(url))
    ? undefined
    : { reason: 'INCLUDE', rule: rules.include.map((pattern) => pattern.source).join(', ') };
}

function refuseFileType(url: URL, { readsArchive }: AdmissionRules): AdmissionRefusal | undefined {
  if (!isAssetPath(url.pathname)) return undefined;
  if (isArchivePath(url.pathname) && readsArchive?.(url.href) === true) return undefined;
  return { reason: 'FILE_TYPE', rule: /\.[^./]*$/.exec(url.pathname)?.[0] ?? url.pathname };
}

function refuseTerritory(
  url: URL,
  { rules, scope }: AdmissionContext,
): AdmissionRefusal | undefined {
  switch (scope.territoryOf(url)) {
    case 'external':
      return rules.allowExternalLinks
        ? undefined
        : { reason: 'EXTERNAL', rule: 'allowExternalLinks: false' };
    case 'subdomain':
      return rules.allowSubdomains
        ? undefined
        : { reason: 'SUBDOMAIN', rule: 'allowSubdomains: false' };
    case 'site':
      return rules.crawlEntireDomain || scope.coversPath(url)
        ? undefined
        : { reason: 'SCOPE', rule: 'crawlEntireDomain: false' };
  }
}

/** What robots.txt says alone. */
export function refuseRobots(url: URL, context: AdmissionContext): AdmissionRefusal | undefined {
  const { robots, robotsUserAgent } = context;
  if (robots === undefined || robots.isAllowed(url.href, robotsUserAgent)) return undefined;
  return { reason: 'ROBOTS', rule: robots.rule(url.href, robotsUserAgent) ?? 'robots.txt' };
}

// Which host and path a URL belongs to, seen from the start of a crawl.

/** Where a URL lies: on the site itself, on a sister host, or elsewhere. */
export type UrlTerritory = 'site' | 'subdomain' | 'external';

/** The region a crawl starts in. A start page that redirects adds its final URL. */
export interface CrawlScope {
  territoryOf(url: URL): UrlTerritory;
  /** True when the path is at or below one of the start paths. */
  coversPath(url: URL): boolean;
}

/** The region around the start URLs. `www.` and the scheme do not make another site; a port does. */
export function scopeOf(starts: readonly URL[]): CrawlScope {
  const hosts = new Set(starts.map(siteHost));
  const domains = new Set(starts.map((url) => registrableDomain(url.hostname)));
  const paths = starts.map(pathScope);
  return {
    territoryOf(url) {
      if (hosts.has(siteHost(url))) return 'site';
      return domains.has(registrableDomain(url.hostname)) ? 'subdomain' : 'external';
    },
    coversPath: (url) => paths.some((covers) => covers(url)),
  };
}

/** Host and port without `www.` and the root's dot; the default ports of http and https are the same place. */
function siteHost(url: URL): string {
  return url.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '');
}

// What goes into the frontier, and what comes out of it.

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
