/** Parses robots.txt (RFC 9309): bytes, lines, groups and path patterns. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { canParseUrl, normalizeEscapes } from '../../url/normalize-url.ts';

const limits = {
  patternWork: 2_000_000, // characters that patterns may examine for one URL: 10 ms, not seconds
  longestToken: 200, // characters of a product token: at each hyphen a shorter name may end
  lineLength: 16 * 1024, // characters; only the beginning of a longer line counts, as at Google
};

/** A parsed robots.txt. `userAgent` is a product token or a whole User-Agent header. */
export interface Robots {
  /** False when the rules for this agent disallow the URL. */
  isAllowed(url: string, userAgent: string): boolean;
  /**
   * The line that decides, as written: `Disallow: /internal/`. Undefined when no line matches the
   * URL.
   */
  rule(url: string, userAgent: string): string | undefined;
  /** Seconds between requests that the site demands of this agent. */
  crawlDelay(userAgent: string): number | undefined;
  /** Values of the `Sitemap:` lines in their order, each once; a few sites write relative URLs. */
  readonly sitemaps: readonly string[];
  /** The error if it could not be read. */
  readonly cause?: unknown;
}

/**
 * Never throws: unknown lines are skipped. Reads the first 500 KiB (RFC 9309, 2.5), without a line
 * that ends later; bytes that are not UTF-8 count as octets of a path.
 */
export function parseRobots(source: string | Uint8Array): Robots {
  const groups = new Map<string, Set<RobotsGroup>>();
  const sitemaps = new Set<string>();
  const delays = new Map<string, number>();
  let group: RobotsGroup = { lines: [] };
  let namesAgents = false;
  // A Crawl-delay is not a rule of the RFC, but sites end the list of agents with it.
  let delayed: string[] = [];
  let isListOver = false;
  const { text, isCut } = decodeRobots(typeof source === 'string' ? Buffer.from(source) : source);
  for (const line of readRobotsLines(text)) {
    const { key, value } = line;
    if (key === 'user-agent') {
      // Only a rule ends the list of agents: no other line may interfere (RFC 9309, 2.2.4).
      if (!namesAgents) group = { lines: [] };
      namesAgents = true;
      const token = productToken(value);
      groups.set(token, (groups.get(token) ?? new Set()).add(group));
      if (isListOver) delayed = [];
      isListOver = false;
      delayed.push(token);
    } else if (key === 'allow' || key === 'disallow') {
      namesAgents = false;
      isListOver = true;
      if (value !== '') group.lines.push(line);
    } else if (key === 'crawl-delay') {
      const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Infinity;
      isListOver = true;
      if (!Number.isFinite(seconds)) continue;
      for (const agent of delayed) if (!delays.has(agent)) delays.set(agent, seconds);
    } else if (key === 'sitemap' && value !== '') {
      sitemaps.add(value);
    }
  }
  // The rules of the last named agents lie behind the limit: the rules of `*` apply to them.
  if (isCut && namesAgents) {
    for (const [agent, named] of groups)
      if (named.delete(group) && named.size === 0) groups.delete(agent);
  }
  return new ParsedRobots(groups, delays, [...sitemaps]);
}

/**
 * The meaning of a response to the request for robots.txt (RFC 9309, 2.3.1): 4xx means no
 * robots.txt, so all is allowed; 5xx means unreachable, so nothing is. 429 is a 4xx here as in the
 * RFC.
 */
export function robotsFromResponse(statusCode: number, body: string | Uint8Array): Robots {
  if (statusCode >= 500) return closedRobots(`robots.txt answered ${statusCode}`);
  return parseRobots(statusCode >= 200 && statusCode < 300 ? body : '');
}

/**
 * Disallows everything but robots.txt itself (RFC 9309, 2.3.1.4). `rule` is the reason, `cause` the
 * error.
 */
export function closedRobots(rule: string, cause?: unknown): Robots {
  return {
    cause,
    isAllowed: (url) => isRobotsTxt(url),
    rule: (url) => (isRobotsTxt(url) ? undefined : rule),
    crawlDelay: () => undefined,
    sitemaps: [],
  };
}

interface RobotsRule extends RobotsPattern {
  readonly allows: boolean;
  readonly value: string;
}

interface RobotsGroup {
  readonly lines: RobotsLine[];
}

/** The rule used when there are too many to compare. */
const tooCostly: RobotsRule = {
  ...compilePattern(''),
  allows: false,
  value: 'too many patterns for a URL of this length',
};

class ParsedRobots implements Robots {
  readonly sitemaps: readonly string[];
  readonly #groups: ReadonlyMap<string, ReadonlySet<RobotsGroup>>;
  /** Seconds by agent. */
  readonly #delays: ReadonlyMap<string, number>;
  /** Rules by agent, in order of precedence. */
  readonly #rules = new Map<string, readonly RobotsRule[]>();

  constructor(
    groups: ReadonlyMap<string, ReadonlySet<RobotsGroup>>,
    delays: ReadonlyMap<string, number>,
    sitemaps: readonly string[],
  ) {
    this.#groups = groups;
    this.#delays = delays;
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
    return this.#delays.get(this.#nameFor(productToken(userAgent)));
  }

  #decide(url: string, userAgent: string): RobotsRule | undefined {
    const path = pathOf(url);
    if (path === undefined || path === '/robots.txt') return undefined;
    let work = 0;
    for (const rule of this.#rulesFor(productToken(userAgent))) {
      if (rule.scans && (work += path.length) > limits.patternWork) return tooCostly;
      if (rule.matches(path)) return rule;
    }
    return undefined;
  }

  #rulesFor(token: string): readonly RobotsRule[] {
    const known = this.#rules.get(token);
    if (known !== undefined) return known;
    const rules = this.#groupsFor(token)
      .flatMap(({ lines }) => lines.map(compileRule))
      .sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
    this.#rules.set(token, rules);
    return rules;
  }

  #groupsFor(token: string): readonly RobotsGroup[] {
    return [...(this.#groups.get(this.#nameFor(token)) ?? [])];
  }

  /** The longest name that equals the token or its beginning up to a `-`, else `*`. */
  #nameFor(token: string): string {
    for (let name = token; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('-')))) {
      if (this.#groups.has(name)) return name;
    }
    return '*';
  }
}

function compileRule({ key, value }: RobotsLine): RobotsRule {
  return { allows: key === 'allow', value, ...compilePattern(canonicalPath(value)) };
}

/** `Examplebot/2.1 (+https://…)` and `Mozilla/5.0 (compatible; Examplebot/2.1)` → `examplebot`. */
function productToken(userAgent: string): string {
  const named = /\bcompatible;\s*([^\s/;()]+)/i.exec(userAgent)?.[1];
  const token = named ?? /^[^\s/;(]*/.exec(userAgent.trim())?.[0] ?? '';
  return token.slice(0, limits.longestToken).toLowerCase();
}

/** The path and query that rules are compared with, or undefined for a string that is not a URL. */
function pathOf(url: string): string | undefined {
  if (!canParseUrl(url)) return undefined;
  const { pathname, search } = new URL(url);
  // In a pattern `*` and a final `$` are special: in a URL they are compared as escapes.
  return canonicalPath(pathname + search)
    .replaceAll('*', '%2A')
    .replaceAll('$', '%24');
}

function isRobotsTxt(url: string): boolean {
  return pathOf(url) === '/robots.txt';
}

/**
 * One spelling on both sides (RFC 9309, 2.2.2): characters that a URL cannot hold are escaped,
 * needless escapes are decoded. In the query this includes `:/?@'`, which some sites escape and
 * some do not.
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

// Decodes the bytes of robots.txt to text.

/** The most bytes of a robots.txt that are read: RFC 9309, 2.5, requires at least as many. */
export const robotsSizeLimit: number = 500 * 1024;

/** The text of a robots.txt. */
export interface RobotsText {
  readonly text: string;
  /** True when the file is larger than the part that is read. */
  readonly isCut: boolean;
}

/**
 * UTF-8, or UTF-16 if a byte order mark or zero bytes say so. An octet that is not UTF-8 becomes
 * its escape, as in a URL: `/caf\xE9` is `/caf%E9`. Data beyond the limit is left out, and so is
 * the line that the limit cuts: half a rule could allow or disallow more than its author wrote.
 */
function decodeRobots(bytes: Uint8Array): RobotsText {
  const isCut = bytes.length > robotsSizeLimit;
  const [first, second] = bytes;
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (bytes.length > 1 && (isLittleEndian || isBigEndian)) {
    const decoder = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be');
    const text = decoder.decode(bytes.subarray(0, robotsSizeLimit));
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), 0);
    return { text: isCut ? text.slice(0, end) : text, isCut };
  }
  const body = withoutMark(isCut ? wholeLines(bytes) : bytes);
  return { text: isUtf8(body) ? new TextDecoder().decode(body) : escapeStrayOctets(body), isCut };
}

/** Also removes a byte order mark that is cut. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const mark = [0xef, 0xbb, 0xbf];
  const end = mark.findIndex((byte, index) => bytes[index] !== byte);
  return bytes.subarray(end < 0 ? mark.length : end);
}

/** One byte more shows whether the last line ends at the limit. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(0, robotsSizeLimit + 1);
  return body.subarray(0, Math.max(body.lastIndexOf(0x0a), body.lastIndexOf(0x0d), 0));
}

function escapeStrayOctets(bytes: Uint8Array): string {
  const sequences =
    /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}|[\x80-\xFF]/g;
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return octets.replace(sequences, (sequence) => {
    if (sequence.length === 1) return octetEscapes[sequence.charCodeAt(0)] ?? '';
    const buffer = Buffer.from(sequence, 'latin1');
    return isUtf8(buffer)
      ? buffer.toString()
      : Array.from(buffer, (octet) => octetEscapes[octet]).join('');
  });
}

/** `%00` to `%FF`. */
const octetEscapes: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
});

// The lines of robots.txt, as sites write them.

/** One `key: value`. The key is in lower case, with misspellings corrected. */
interface RobotsLine {
  readonly key: string;
  readonly value: string;
}

/** Comments and lines without a value are left out. */
function* readRobotsLines(text: string): Generator<RobotsLine, void, undefined> {
  for (const line of text.split(/[\r\n]+/)) {
    const [content = ''] = line.slice(0, limits.lineLength).split('#', 1);
    const { key, value } = splitRobotsLine(content.trim());
    if (key !== '') yield { key: misspellings.get(key) ?? key, value };
  }
}

function splitRobotsLine(line: string): RobotsLine {
  const colon = line.indexOf(':');
  if (colon >= 0) {
    return { key: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() };
  }
  // Without a colon, two words are key and value.
  const [key = '', value, ...rest] = line.split(/[ \t]+/, 3);
  return value === undefined || rest.length > 0
    ? { key: '', value: '' }
    : { key: key.toLowerCase(), value };
}

/** Misspellings that are frequent on the web, from Google's open-source parser. */
const misspellings: ReadonlyMap<string, string> = new Map([
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['site-map', 'sitemap'],
]);

// Path patterns of robots.txt: `*` matches anything, a final `$` the end.

/** A compiled pattern. */
interface RobotsPattern {
  /** Octets of the pattern as written, wildcards included. */
  readonly length: number;
  /** True when a comparison may examine the whole path, not only its beginning. */
  readonly scans: boolean;
  /**
   * Compares with a path and query in the same spelling, in which `*` and `$` are `%2A` and `%24`.
   */
  readonly matches: (path: string) => boolean;
}

/**
 * A pattern matches every path that it is a prefix of. Each literal piece is searched once, from
 * left to right, and its first match is taken: no backtracking, whatever the pattern.
 */
function compilePattern(pattern: string): RobotsPattern {
  const atEnd = pattern.endsWith('$');
  const [first = '', ...rest] = (atEnd ? pattern.slice(0, -1) : pattern)
    .replaceAll('$', '%24')
    .split('*');
  const pieces = rest.filter(
    (piece, index) => piece !== '' || (atEnd && index === rest.length - 1),
  );
  const last = atEnd ? pieces.pop() : undefined;
  const matches = (path: string): boolean => {
    if (!path.startsWith(first)) return false;
    let position = first.length;
    for (const piece of pieces) {
      const found = path.indexOf(piece, position);
      if (found < 0) return false;
      position = found + piece.length;
    }
    if (!atEnd) return true;
    if (last === undefined) return position === path.length;
    return path.endsWith(last) && path.length - last.length >= position;
  };
  return { length: pattern.length, scans: pieces.length > 0, matches };
}
