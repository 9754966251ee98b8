/** robots.txt (RFC 9309): what a site asks crawlers to leave alone. */
import { normalizeEscapes } from '../url/escapes.ts';
import { compilePattern } from './robots-pattern.ts';

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
}

/** Never throws: what is not a known line is skipped. Reads the first 500 KiB (RFC 9309, 2.5). */
export function parseRobots(text: string): Robots {
  const groups = new Map<string, Set<Group>>();
  const sitemaps = new Set<string>();
  let group: Group = { rules: [] };
  let namesAgents = false;
  for (const [key, value] of readLines(text)) {
    if (key === 'user-agent') {
      // Only a rule ends the list of agents: no other line may interfere (RFC 9309, 2.2.4).
      if (!namesAgents) group = { rules: [] };
      namesAgents = true;
      const token = productToken(value);
      groups.set(token, (groups.get(token) ?? new Set()).add(group));
    } else if (key === 'allow' || key === 'disallow') {
      namesAgents = false;
      if (value !== '') group.rules.push(readRule(key, value));
    } else if (key === 'crawl-delay') {
      const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Infinity;
      if (Number.isFinite(seconds)) group.crawlDelay ??= seconds;
    } else if (key === 'sitemap' && value !== '') {
      sitemaps.add(value);
    }
  }
  return new ParsedRobots(groups, [...sitemaps]);
}

/**
 * What a response to the request for robots.txt means (RFC 9309, 2.3.1): 4xx is no robots.txt, so
 * all is allowed; 5xx is a site that cannot say, so nothing is. 429 is a 4xx here as in the RFC.
 * A caller that gets no response at all should pass 503.
 */
export function robotsFromResponse(statusCode: number, text: string): Robots {
  if (statusCode >= 500) {
    return {
      isAllowed: (url) => isRobotsTxt(url),
      rule: (url) => (isRobotsTxt(url) ? undefined : `robots.txt answered ${statusCode}`),
      crawlDelay: () => undefined,
      sitemaps: [],
    };
  }
  return parseRobots(statusCode >= 200 && statusCode < 300 ? text : '');
}

interface Rule {
  readonly allows: boolean;
  /** As written: `Disallow: /internal/`. */
  readonly line: string;
  /** Octets of the pattern; the longest match wins. */
  readonly length: number;
  readonly matches: (path: string) => boolean;
}

interface Group {
  readonly rules: Rule[];
  crawlDelay?: number;
}

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
    return this.#decide(url, userAgent)?.line;
  }

  crawlDelay(userAgent: string): number | undefined {
    return this.#groupsFor(productToken(userAgent)).find(
      ({ crawlDelay }) => crawlDelay !== undefined,
    )?.crawlDelay;
  }

  #decide(url: string, userAgent: string): Rule | undefined {
    const path = pathOf(url);
    if (path === undefined || path === '/robots.txt') return undefined;
    return this.#rulesFor(productToken(userAgent)).find(({ matches }) => matches(path));
  }

  #rulesFor(token: string): readonly Rule[] {
    const known = this.#rules.get(token);
    if (known !== undefined) return known;
    const rules = this.#groupsFor(token)
      .flatMap((group) => group.rules)
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

const sizeLimit = 500 * 1024;

/** `key: value` pairs; comments, byte order mark and everything else left out. */
function* readLines(text: string): Generator<[key: string, value: string]> {
  let body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  // A line that is cut in half could close more than its author wrote.
  if (body.length > sizeLimit) {
    const cut = body.slice(0, sizeLimit);
    body = cut.slice(0, Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf('\r'), 0));
  }
  for (const line of body.split(/[\r\n]+/)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    if (colon < 0) continue;
    yield [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
  }
}

function readRule(key: 'allow' | 'disallow', value: string): Rule {
  const allows = key === 'allow';
  const line = `${allows ? 'Allow' : 'Disallow'}: ${value}`;
  return { allows, line, ...compilePattern(canonicalPath(value)) };
}

/** `Examplebot/2.1 (+https://…)` and `Mozilla/5.0 (compatible; Examplebot/2.1)` → `examplebot`. */
function productToken(userAgent: string): string {
  const named = /\bcompatible;\s*([^\s/;()]+)/i.exec(userAgent)?.[1];
  return (named ?? /^[^\s/;(]*/.exec(userAgent.trim())?.[0] ?? '').toLowerCase();
}

/** The path and query that rules are compared with, or undefined for what is no URL. */
function pathOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
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
 * escape is not. In the query that goes for `:/?@` too, which some sites escape and some do not.
 */
function canonicalPath(path: string): string {
  const escaped = normalizeEscapes(
    path.replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]+|%(?![0-9a-f]{2})/gi, escapeOctets),
  );
  const query = escaped.indexOf('?');
  if (query < 0) return escaped;
  return (
    escaped.slice(0, query) + escaped.slice(query).replace(/%(?:3A|2F|3F|40)/g, decodeURIComponent)
  );
}

function escapeOctets(text: string): string {
  return Array.from(Buffer.from(text), (octet) => {
    return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
