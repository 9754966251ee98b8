/** The links of a page: their base, their absolute form, links within the page, and safe links. */
import { canParseUrl } from './normalize-url.ts';
import { decodePercent } from '../runtime/percent-encoding.ts';

const limits = {
  usualBaseLength: 200, // characters; a base up to this length is used without checking the page
  baseBudget: 4_000_000, // characters that resolving links may add to a page
  longestPlainLink: 2000, // characters
};

/**
 * False when a long URL before each link of the page would take more than 4,000,000 characters: a
 * `<base>` or a redirect of some kilobytes turns 60 KB of links into 60 MB.
 */
export function isAffordableBase(base: string, source: string): boolean {
  const [url = ''] = base.split('#', 1);
  if (url.length <= limits.usualBaseLength) return true;
  const [path = ''] = url.split('?', 1);
  const directory = path.lastIndexOf('/') + 1;
  const candidates = /srcset/i.test(source) ? countMatches(source, /,/g) : 0;
  const added = directory * (countMatches(source, reference) + candidates);
  return added + url.length * countMatches(source, referenceToHere) <= limits.baseBudget;
}

const urlAttributes =
  'href|src|srcset|action|formaction|cite|poster|data|background|longdesc|content|resource|about|itemid|ping';

const reference = new RegExp(`\\b(?:${urlAttributes})\\s*=|url\\(`, 'gi');

/** Matches references of a query, a fragment or nothing, which use the whole base URL, not only its folder. */
const referenceToHere = new RegExp(`\\b(?:${urlAttributes})\\s*=\\s*["']?\\s*[?#"'>]`, 'gi');

function countMatches(source: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.test(source)) found += 1;
  return found;
}

// Links whose absolute form needs no parsing: most links of most pages.

/** Resolves plain links against one base; parsing a URL takes twenty times as long. */
export class PlainLinks {
  /** The base's origin, without a slash; undefined for one that is not http or https, or has credentials. */
  readonly #origin: string | undefined;

  constructor(base: string) {
    this.#origin = originOf(base);
  }

  /**
   * The value of `new URL(href, base).href` for a path with nothing to encode or to resolve, such as
   * `/docs/page-7.html`, with or without the base's own origin before it; undefined for all others.
   */
  resolve(href: string): string | undefined {
    const origin = this.#origin;
    if (origin === undefined || href.length > limits.longestPlainLink) return undefined;
    const path = href.startsWith(origin) ? href.slice(origin.length) : href;
    // Matching makes V8 flatten the concatenation: a slice would retain the whole page in memory.
    const url = origin + path;
    return path.startsWith('/') && plainUrl.test(url) ? url : undefined;
  }
}

/** A URL whose path segments do not begin with a dot: `..` leads upwards. */
const plainUrl = /^https?:\/\/[^/]+\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/;

function originOf(base: string): string | undefined {
  if (!canParseUrl(base)) return undefined;
  const { protocol, host, username, password } = new URL(base);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? `${protocol}//${host}` : undefined;
}

// Links that stay on the page.

/** The decoded fragment of a link to a position on the page; else undefined. */
export function pageFragment(href: string | null, baseUrl: string): string | undefined {
  if (href === null) return undefined;
  const trimmed = href.trim();
  if (trimmed.startsWith('#')) return decodePercent(trimmed.slice(1));
  const hash = baseUrl.indexOf('#');
  const base = hash === -1 ? baseUrl : baseUrl.slice(0, hash);
  const isHere = base !== '' && trimmed.startsWith(base) && trimmed[base.length] === '#';
  return isHere ? decodePercent(trimmed.slice(base.length + 1)) : undefined;
}

// The URLs of a page that may be used as links.

/**
 * True for relative URLs and for schemes that open a page, a message, a call or a map. Everything
 * else runs code (`javascript:`, `vbscript:`), carries its own page (`data:`, `blob:`), reads this
 * machine (`file:`) or starts a program on it.
 */
export function isSafeUrl(url: string): boolean {
  const scheme = schemeOf(url);
  return scheme === undefined || safeSchemes.has(scheme);
}

/**
 * The URL without user name and password; text that is not an http or https URL stays unchanged.
 */
export function withoutCredentials(url: string): string {
  if (!url.includes('@')) return url;
  // Browsers skip inner white space, and allow any number of slashes after the scheme.
  const written = url.replace(/[\t\n\r]/g, '');
  return written.replace(/^(\s*(?:https?:[/\\]*|[/\\]{2,}))[^/\\?#]*@/i, '$1');
}

/** True for schemes that run code or carry their own page; other schemes may still be unsafe. */
export function isCodeUrl(url: string): boolean {
  return codeSchemes.has(schemeOf(url) ?? '');
}

/** `javascript` for `java\nscript:…`: parsed like browsers, which skip white space and control characters. */
function schemeOf(url: string): string | undefined {
  const start = url.slice(0, 200).replace(/^[\u0000-\u0020]+/, '');
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(start.replace(/[\t\n\r]/g, '')) ?? [];
  return scheme?.toLowerCase();
}

const codeSchemes: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'blob']);

const safeSchemes: ReadonlySet<string> = new Set(
  (
    'http https mailto tel sms geo maps magnet webcal xmpp irc ircs matrix nntp news sip sips ' +
    'ftp ftps sftp ssh git svn gemini gopher callto facetime skype whatsapp tg signal bitcoin doi urn'
  ).split(' '),
);
