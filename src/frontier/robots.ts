/** robots.txt (RFC 9309): what a site asks crawlers to leave alone. */
import { normalizeEscapes } from '../url/escapes.ts';
import { decodeRobots } from './robots-bytes.ts';
import { type Line, readLines } from './robots-lines.ts';
import { compilePattern, type RobotsPattern } from './robots-pattern.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** A site's robots.txt, read. `userAgent` is a product token or a whole User-Agent header. */
export interface Robots {
  /** False when the rules for this agent close the URL. */
  isAllowed(url: string, userAgent: string): boolean;
  /** The line that decides, as written: `Disallow: /internal/`. Undefined when no line is about the URL. */
  rule(url: string, userAgent: string): string | undefined;
  /** Seconds between requests that the site asks this agent for. */
  crawlDelay(userAgent: string): number | undefined;
  /** Values of the `Sitemap:` lines in their order, each once; a few sites write relative URLs. */
  readonly sitemaps: readonly string[];
  /** Why it could not be read, where it could not. */
  readonly cause?: unknown;
}

/**
 * Never throws: what is not a known line is skipped. Reads the first 500 KiB (RFC 9309, 2.5), without a
 * line that ends later; bytes that are not UTF-8 count as octets of a path.
 */
export function parseRobots(source: string | Uint8Array): Robots {
  const groups = new Map<string, Set<Group>>();
  const sitemaps = new Set<string>();
  let group: Group = { lines: [] };
  let namesAgents = false;
  const { text, isCut } = decodeRobots(typeof source === 'string' ? Buffer.from(source) : source);
  for (const line of readLines(text)) {
    const { key, value } = line;
    if (key === 'user-agent') {
      // Only a rule ends the list of agents: no other line may interfere (RFC 9309, 2.2.4).
      if (!namesAgents) group = { lines: [] };
      namesAgents = true;
      const token = productToken(value);
      groups.set(token, (groups.get(token) ?? new Set()).add(group));
    } else if (key === 'allow' || key === 'disallow') {
      namesAgents = false;
      if (value !== '') group.lines.push(line);
    } else if (key === 'crawl-delay') {
      const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Infinity;
      if (Number.isFinite(seconds)) group.crawlDelay ??= seconds;
    } else if (key === 'sitemap' && value !== '') {
      sitemaps.add(value);
    }
  }
  // The rules of the agents that are named last lie behind the limit: those of `*` hold for them.
  if (isCut && namesAgents) {
    for (const [agent, named] of groups)
      if (named.delete(group) && named.size === 0) groups.delete(agent);
  }
  return new ParsedRobots(groups, [...sitemaps]);
}

/**
 * What a response to the request for robots.txt means (RFC 9309, 2.3.1): 4xx is no robots.txt, so
 * all is allowed; 5xx is a site that cannot say, so nothing is. 429 is a 4xx here as in the RFC.
 */
export function robotsFromResponse(statusCode: number, body: string | Uint8Array): Robots {
  if (statusCode >= 500) return closedRobots(`robots.txt answered ${statusCode}`);
  return parseRobots(statusCode >= 200 && statusCode < 300 ? body : '');
}

/** Closes everything but robots.txt itself (RFC 9309, 2.3.1.4). `rule` says why, `cause` is the error. */
export function closedRobots(rule: string, cause?: unknown): Robots {
  return {
    cause,
    isAllowed: (url) => isRobotsTxt(url),
    rule: (url) => (isRobotsTxt(url) ? undefined : rule),
    crawlDelay: () => undefined,
    sitemaps: [],
  };
}

interface Rule extends RobotsPattern {
  readonly allows: boolean;
  readonly value: string;
}

interface Group {
  readonly lines: Line[];
  crawlDelay?: number;
}

/** What stands for a rule where there are too many to compare. */
const tooCostly: Rule = {
  ...compilePattern(''),
  allows: false,
  value: 'too many patterns for a URL of this length',
};

/**
 * Characters that patterns with a wildcard may look at for one URL, about 10 ms: 10,000 patterns on
 * a path of 200 characters. A file of 500 KiB and a path of 60,000 would be seconds of the process.
 */
const workLimit = 2_000_000;

class ParsedRobots implements Robots {
  readonly sitemaps: readonly string[];
  readonly #groups: ReadonlyMap<string, ReadonlySet<Group>>;
  /** Rules by agent, the deciding ones first. */
  readonly #rules = new Map<string, readonly Rule[]>();

  constructor(groups: ReadonlyMap<string, ReadonlySet<Group>>, sitemaps: readonly string[]) {
    this.#groups = groups;
    this.sitemaps = sitemaps;
  }

  isAllowed(url: string, userAgent: string): boolean {
    return this.#decide(url, userAgent)?.allows ?? true;
  }

  rule(url: string, userAgent: string): string | undefined {
    const rule = this.#decide(url, userAgent);
    if (rule === undefined || rule === tooCostly) return rule?.value;
    const line = `${rule.allows ? 'Allow' : 'Disallow'}: ${rule.value}`;
    return line.length > 500 ? `${line.slice(0, 499)}…` : line;
  }

  crawlDelay(userAgent: string): number | undefined {
    return this.#groupsFor(productToken(userAgent)).find(
      ({ crawlDelay }) => crawlDelay !== undefined,
    )?.crawlDelay;
  }

  #decide(url: string, userAgent: string): Rule | undefined {
    const path = pathOf(url);
    if (path === undefined || path === '/robots.txt') return undefined;
    let work = 0;
    for (const rule of this.#rulesFor(productToken(userAgent))) {
      if (rule.scans && (work += path.length) > workLimit) return tooCostly;
      if (rule.matches(path)) return rule;
    }
    return undefined;
  }

  #rulesFor(token: string): readonly Rule[] {
    const known = this.#rules.get(token);
    if (known !== undefined) return known;
    const rules = this.#groupsFor(token)
      .flatMap(({ lines }) => lines.map(compileRule))
      .sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
    this.#rules.set(token, rules);
    return rules;
  }

  /** All groups of the longest name that is the token or its beginning up to a `-`; else those of `*`. */
  #groupsFor(token: string): readonly Group[] {
    for (let name = token; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('-')))) {
      const groups = this.#groups.get(name);
      if (groups !== undefined) return [...groups];
    }
    return [...(this.#groups.get('*') ?? [])];
  }
}

function compileRule({ key, value }: Line): Rule {
  return { allows: key === 'allow', value, ...compilePattern(canonicalPath(value)) };
}

/** Characters of a product token: each of its hyphens is a place where a shorter name may end. */
const longestToken = 200;

/** `Examplebot/2.1 (+https://…)` and `Mozilla/5.0 (compatible; Examplebot/2.1)` → `examplebot`. */
function productToken(userAgent: string): string {
  const named = /\bcompatible;\s*([^\s/;()]+)/i.exec(userAgent)?.[1];
  const token = named ?? /^[^\s/;(]*/.exec(userAgent.trim())?.[0] ?? '';
  return token.slice(0, longestToken).toLowerCase();
}

/** The path and query that rules are compared with, or undefined for what is no URL. */
function pathOf(url: string): string | undefined {
  if (!canParseUrl(url)) return undefined;
  const { pathname, search } = new URL(url);
  // In a pattern `*` and a final `$` are special: the URL's own are compared as escapes.
  return canonicalPath(pathname + search)
    .replaceAll('*', '%2A')
    .replaceAll('$', '%24');
}

function isRobotsTxt(url: string): boolean {
  return pathOf(url) === '/robots.txt';
}

/**
 * One spelling on both sides (RFC 9309, 2.2.2): what a URL cannot hold is escaped, what needs no
 * escape is not. In the query that goes for `:/?@'` too, which some sites escape and some do not.
 */
function canonicalPath(path: string): string {
  if (/^[\w.~:/?#[\]@!$&'()*+,;=-]*$/.test(path)) return path;
  const escaped = normalizeEscapes(
    path
      .replace(/%(?![0-9a-f]{2})/gi, '%25')
      .replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g, (text) =>
        encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')),
      ),
  );
  const query = escaped.indexOf('?');
  if (query < 0) return escaped;
  return (
    escaped.slice(0, query) +
    escaped.slice(query).replace(/%(?:27|3A|2F|3F|40)/g, decodeURIComponent)
  );
}
