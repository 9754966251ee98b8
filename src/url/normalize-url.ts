/** From what people write to the one absolute URL that is fetched. */
import { PagewrightError } from '../errors.ts';
import { normalizeEscapes } from './escapes.ts';
import { canParseUrl } from './can-parse-url.ts';

/** Characters of a URL at most; servers take 8,000 or so (RFC 9110, 4.1). */
const maximumLength = 65_536;

/**
 * Reads a URL as a caller types it: `example.test/a`, `localhost:3000` and `//host/x` get `http:`.
 *
 * Throws `UNSUPPORTED_PROTOCOL` for anything but http and https, `INVALID_URL` for what is no URL
 * or longer than 65,536 characters.
 */
export function parseUrl(input: string): URL {
  if (input.length > maximumLength) {
    throw invalid(input, `it has ${input.length} characters, the limit is ${maximumLength}`);
  }
  const text = input.trim();
  if (text === '') throw invalid(input, 'it is empty');
  if (/^(?:\/(?!\/)|\.{1,2}(?:\/|$)|[?#])/.test(text)) {
    throw invalid(input, 'it is relative, and there is no page that it could be relative to');
  }
  const protocol = protocolOf(text);
  if (protocol !== undefined && protocol !== 'http:' && protocol !== 'https:') {
    throw new PagewrightError(
      'UNSUPPORTED_PROTOCOL',
      `${quote(input)} uses ${quote(protocol)}, which cannot be fetched. Use an http: or https: URL.`,
      { url: redact(text) },
    );
  }
  const absolute =
    protocol !== undefined ? text : text.startsWith('//') ? `http:${text}` : `http://${text}`;
  // The platform's own error carries the whole input, password included: it is no cause to keep.
  if (!canParseUrl(absolute)) throw invalid(input, complaint(absolute));
  const url = new URL(absolute);
  if (/^\.|\.\./.test(url.hostname)) throw invalid(input, 'its host has an empty label');
  return url;
}

/**
 * A link of a page as an absolute URL without credentials, or undefined when it is none that can be
 * fetched: another scheme, malformed, or longer than 65,536 characters.
 */
export function resolveLink(href: string, base: string): URL | undefined {
  // A link that names another scheme is refused before it is parsed: data: URLs can be megabytes.
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(href.slice(0, 64))?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return undefined;
  if (href.length > maximumLength || href.trim() === '') return undefined;
  try {
    const url = new URL(href, base);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
    // Each setter parses the URL again.
    if (url.username !== '') url.username = '';
    if (url.password !== '') url.password = '';
    return url;
  } catch {
    return undefined;
  }
}

/**
 * The canonical form: no credentials, no default port, no dot segments, no empty query, escapes in
 * one spelling. The fragment goes too, unless it is the route of a script-driven site (`#/…`, `#!/…`).
 */
export function normalizeUrl(
  url: URL,
  options: { readonly ignoreQueryParameters?: boolean },
): string {
  const query = options.ignoreQueryParameters === true || url.search === '?' ? '' : url.search;
  const route = isRoute(url.hash) ? url.hash : '';
  return `${url.protocol}//${url.host}${normalizeEscapes(url.pathname + query + route)}`;
}

/** True for a fragment that is a page of its own: `#/users/7`, `#!/users/7`. */
export function isRoute(fragment: string): boolean {
  return /^#!?\/./.test(fragment);
}

/** Schemes that are followed by digits and are no host with a port. */
const numberSchemes: ReadonlySet<string> = new Set(['tel', 'sms', 'smsto', 'fax', 'callto']);

/** `http:`, or undefined for text that starts with a host. */
function protocolOf(text: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const rest = text.slice(scheme.length + 1);
  const isPort = /^\d+(?:[/?#]|$)/.test(rest) && !numberSchemes.has(scheme);
  return isPort || scheme.includes('.') ? undefined : `${scheme}:`;
}

function complaint(absolute: string): string {
  const [authority = ''] = absolute.replace(/^https?:[/\\]*/i, '').split(/[/\\?#]/);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host === '') return 'it has no host';
  if (/\s/.test(host)) return 'its host has a space in it';
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65_535)) {
    return `its port ${quote(port)} is not a number from 0 to 65535`;
  }
  return `its host ${quote(host)} is not valid`;
}

function invalid(input: string, reason: string): PagewrightError {
  return new PagewrightError(
    'INVALID_URL',
    `${quote(input)} is not a URL: ${reason}. Give an absolute URL such as "https://example.com/page".`,
    { url: redact(input) },
  );
}

function quote(text: string): string {
  return JSON.stringify(redact(text));
}

/** Without credentials, and short enough for a message. */
function redact(text: string): string {
  const bare = text
    .replace(/^(\s*(?:https?:|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2})[/\\]*)[^/\\?#]*@/i, '$1')
    .replace(/^(?!\s*mailto:)\s*[^/\\?#:@]*:[^/\\?#]*@/i, '');
  return bare.length > 200 ? `${bare.slice(0, 199)}…` : bare;
}
