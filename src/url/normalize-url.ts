/** From what people write to the one absolute URL that is fetched. */
import { PagewrightError } from '../errors.ts';
import { normalizeEscapes } from './escapes.ts';

/**
 * Reads a URL as a caller types it: `example.test/a`, `localhost:3000` and `//host/x` get `http:`.
 *
 * Throws `UNSUPPORTED_PROTOCOL` for anything but http and https, `INVALID_URL` for what is no URL.
 */
export function parseUrl(input: string): URL {
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
  try {
    const url = new URL(absolute);
    if (/^\.|\.\./.test(url.hostname)) throw invalid(input, 'its host has an empty label');
    return url;
  } catch (error) {
    throw error instanceof PagewrightError ? error : invalid(input, complaint(absolute), error);
  }
}

/** A link of a page as an absolute URL, or undefined when it is none that can be fetched. */
export function resolveLink(href: string, base: string): URL | undefined {
  // A link that names another scheme is refused before it is parsed: data: URLs can be megabytes.
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(href.slice(0, 64))?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return undefined;
  if (href.trim() === '') return undefined;
  try {
    const url = new URL(href, base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
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

function invalid(input: string, reason: string, cause?: unknown): PagewrightError {
  return new PagewrightError(
    'INVALID_URL',
    `${quote(input)} is not a URL: ${reason}. Give an absolute URL such as "https://example.com/page".`,
    { url: redact(input), cause },
  );
}

function quote(text: string): string {
  return JSON.stringify(redact(text));
}

/** Without credentials, and short enough for a message. */
function redact(text: string): string {
  const bare = text.replace(/\/\/[^/?#\s]*@/, '//');
  return bare.length > 200 ? `${bare.slice(0, 199)}…` : bare;
}
