/**
 * Admission: the one step that decides whether a URL joins a crawl. Pure: same input, same result.
 */
import type { SkipReason } from '../model/job.ts';
import { isArchivePath, isAssetPath, pathScope } from '../url/path-kind.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import type { Robots } from './robots/robots.ts';
import type { UrlMatcher } from './url-pattern.ts';

/** The caller's patterns. */
export interface UrlPatterns {
  readonly include: readonly UrlMatcher[];
  readonly exclude: readonly UrlMatcher[];
}

/** The crawl rules that admission applies. */
export interface AdmissionRules extends UrlPatterns {
  readonly maxDiscoveryDepth: number;
  readonly crawlEntireDomain: boolean;
  readonly allowSubdomains: boolean;
  readonly allowExternalLinks: boolean;
  /** True when the archive at a URL is to be read; if undefined, no archive is read. */
  readonly readsArchive?: ((url: string) => boolean) | undefined;
}

/** Why a URL is refused, with the rule that refuses it. */
export interface AdmissionRefusal {
  readonly reason: SkipReason;
  readonly rule: string;
}

/** The context of a URL. */
export interface AdmissionContext {
  readonly rules: AdmissionRules;
  readonly scope: CrawlScope;
  /** The robots rules of the URL's origin; undefined when robots.txt is ignored. */
  readonly robots: Robots | undefined;
  readonly robotsUserAgent: string;
}

/**
 * The first rule that refuses the URL, or undefined if it is admitted. `depth`: hops from the
 * start.
 */
export function refuse(
  url: URL,
  depth: number,
  context: AdmissionContext,
): AdmissionRefusal | undefined {
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

/**
 * Applies the include and exclude patterns alone: they also decide on the document of the start
 * page.
 */
export function refusePatterns(
  url: URL,
  { rules, scope }: { readonly rules: UrlPatterns; readonly scope: CrawlScope },
): AdmissionRefusal | undefined {
  const excluded = rules.exclude.find((pattern) => pattern.matches(url));
  if (excluded !== undefined) return { reason: 'EXCLUDE', rule: excluded.source };
  // Include patterns are written for paths of the site itself.
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

/** Applies robots.txt alone. */
export function refuseRobots(url: URL, context: AdmissionContext): AdmissionRefusal | undefined {
  const { robots, robotsUserAgent } = context;
  if (robots === undefined || robots.isAllowed(url.href, robotsUserAgent)) return undefined;
  return { reason: 'ROBOTS', rule: robots.rule(url.href, robotsUserAgent) ?? 'robots.txt' };
}

// The host and path that a URL belongs to, seen from the start of a crawl.

/** The position of a URL: on the site itself, on a sister host, or elsewhere. */
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

/**
 * Host and port without `www.` and the root's dot; the default ports of http and https are equal.
 */
function siteHost(url: URL): string {
  return url.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '');
}

// The input and output of the frontier.

/** A URL from a page or a sitemap, and a page to fetch once it is admitted. */
export interface FrontierEntry {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  /**
   * `since`: the earlier crawl named in the option has the page, and no page of this one links to
   * it.
   */
  readonly discoveredBy: 'start' | 'link' | 'sitemap' | 'feed' | 'since';
  /** According to the site's sitemap, the page has not changed since this time, in ms since 1970. */
  readonly unchangedSince?: number;
  /** On another host than the start: its robots.txt is checked when the page is fetched. */
  readonly asksRobots?: boolean;
  /** The relevance score, in a crawl with a query. */
  readonly score?: number;
  /** Of the page's route, known when its turn comes. */
  readonly label?: string | undefined;
  /** False for a page whose route leaves its links out. */
  readonly follow?: boolean | undefined;
  /** The caller's data that goes with the page. */
  readonly data?: unknown;
}
