/** The one step that decides whether a URL joins a crawl. Pure: same input, same answer. */
import type { SkipReason } from '../model/job.ts';
import { isArchivePath, isAssetPath } from '../url/file-type.ts';
import type { Robots } from './robots.ts';
import type { Scope } from './scope.ts';
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
export interface Candidate {
  readonly url: URL;
  /** Hops from the start. */
  readonly depth: number;
}

/** Why a URL does not join, and the rule that says so. */
export interface Refusal {
  readonly reason: SkipReason;
  readonly rule: string;
}

/** What is known about the place of a URL. */
export interface AdmissionContext {
  readonly rules: AdmissionRules;
  readonly scope: Scope;
  /** The robots rules of the URL's origin; undefined when robots.txt is ignored. */
  readonly robots: Robots | undefined;
  readonly robotsUserAgent: string;
}

/** The first rule that refuses the URL, or undefined when it may join. */
export function refuse(candidate: Candidate, context: AdmissionContext): Refusal | undefined {
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
  { rules, scope }: { readonly rules: UrlPatterns; readonly scope: Scope },
): Refusal | undefined {
  const excluded = rules.exclude.find((pattern) => pattern.matches(url));
  if (excluded !== undefined) return { reason: 'EXCLUDE', rule: excluded.source };
  // Patterns of paths to keep are written for the site's own paths.
  if (rules.include.length === 0 || scope.territoryOf(url) === 'external') return undefined;
  return rules.include.some((pattern) => pattern.matches(url))
    ? undefined
    : { reason: 'INCLUDE', rule: rules.include.map((pattern) => pattern.source).join(', ') };
}

function refuseFileType(url: URL, { readsArchive }: AdmissionRules): Refusal | undefined {
  if (!isAssetPath(url.pathname)) return undefined;
  if (isArchivePath(url.pathname) && readsArchive?.(url.href) === true) return undefined;
  return { reason: 'FILE_TYPE', rule: /\.[^./]*$/.exec(url.pathname)?.[0] ?? url.pathname };
}

function refuseTerritory(url: URL, { rules, scope }: AdmissionContext): Refusal | undefined {
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
export function refuseRobots(url: URL, context: AdmissionContext): Refusal | undefined {
  const { robots, robotsUserAgent } = context;
  if (robots === undefined || robots.isAllowed(url.href, robotsUserAgent)) return undefined;
  return { reason: 'ROBOTS', rule: robots.rule(url.href, robotsUserAgent) ?? 'robots.txt' };
}
