/** Parses user input to the absolute URL that is fetched, and normalises URLs and percent-escapes. */
import { PagewrightError } from '../runtime/errors.ts';

const maximumLength = 65_536; // characters of a URL; servers take 8,000 or so (RFC 9110, 4.1)

/**
 * Reads a URL as a caller types it: `example.test/a`, `localhost:3000` and `//host/x` get `http:`.
 *
 * Throws `UNSUPPORTED_PROTOCOL` for anything but http and https, `INVALID_URL` for text that is not a
 * URL or longer than 65,536 characters.
 */
export function parseUrl(input: string): URL {
  if (input.length > maximumLength) {
    throw invalidUrl(input, `it has ${input.length} characters, the limit is ${maximumLength}`);
  }
  const text = input.trim();
  if (text === '') throw invalidUrl(input, 'it is empty');
  if (/^(?:\/(?!\/)|\.{1,2}(?:\/|$)|[?#])/.test(text)) {
    throw invalidUrl(input, 'it is relative, and there is no page to resolve it against');
  }
  const protocol = protocolOf(text);
  if (protocol !== undefined && protocol !== 'http:' && protocol !== 'https:') {
    throw new PagewrightError(
      'UNSUPPORTED_PROTOCOL',
      `${quoteUrl(input)} uses ${quoteUrl(protocol)}, which cannot be fetched. Use an http: or https: URL.`,
      { url: redact(text) },
    );
  }
  const absolute = absoluteText(text, protocol);
  // The platform's own error contains the whole input, password included, so it is not the cause.
  if (!canParseUrl(absolute)) throw invalidUrl(input, complaintAbout(bareUrl(absolute)));
  const url = new URL(absolute);
  if (/^\.|\.\./.test(url.hostname)) throw invalidUrl(input, 'its host has an empty label');
  return url;
}

/**
 * A link of a page as an absolute URL without credentials, or undefined when it cannot be fetched:
 * another scheme, malformed, or longer than 65,536 characters.
 */
export function resolveLink(href: string, base: string): URL | undefined {
  // A link that names another scheme is refused before it is parsed: data: URLs can be megabytes.
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(href.slice(0, 64))?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return undefined;
  if (href.length > maximumLength || href.trim() === '') return undefined;
  const url = urlOf(href, base);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  // Each setter parses the URL again.
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
  return url;
}

/**
 * The canonical form: no credentials, no default port, no dot segments, no empty query, escapes in
 * one spelling. The fragment is removed too, unless it is a route of a script-driven site (`#/…`, `#!/…`).
 */
export function normalizeUrl(
  url: URL,
  options: { readonly ignoreQueryParameters?: boolean },
): string {
  const query = options.ignoreQueryParameters === true || url.search === '?' ? '' : url.search;
  const route = isRoute(url.hash) ? url.hash : '';
  return `${url.protocol}//${url.host}${normalizeEscapes(url.pathname + query + route)}`;
}

/** True for a fragment that is its own page: `#/users/7`, `#!/users/7`. */
export function isRoute(fragment: string): boolean {
  return /^#!?\/./.test(fragment);
}

/** Schemes followed by digits that are not a host with a port. */
const numberSchemes: ReadonlySet<string> = new Set(['tel', 'sms', 'smsto', 'fax', 'callto']);

/** `http:`, or undefined for text that starts with a host. */
function protocolOf(text: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const rest = text.slice(scheme.length + 1);
  const isPort = /^\d+(?:[/?#]|$)/.test(rest) && !numberSchemes.has(scheme);
  return isPort || scheme.includes('.') ? undefined : `${scheme}:`;
}

function absoluteText(text: string, protocol: string | undefined): string {
  if (protocol !== undefined) return text;
  return text.startsWith('//') ? `http:${text}` : `http://${text}`;
}

function complaintAbout(absolute: string): string {
  if (canParseUrl(absolute)) {
    return 'its user name or password has a character that has to be escaped, such as %2F for a slash';
  }
  const [authority = ''] = absolute.replace(/^https?:[/\\]*/i, '').split(/[/\\?#]/);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host === '') return 'it has no host';
  if (/\s/.test(host)) return 'its host has a space in it';
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65_535)) {
    return `its port ${quoteUrl(port)} is not a number from 0 to 65535`;
  }
  return `its host ${quoteUrl(host)} is not valid`;
}

function invalidUrl(input: string, reason: string): PagewrightError {
  return new PagewrightError(
    'INVALID_URL',
    `${quoteUrl(input)} is not a URL: ${reason}. Give an absolute URL such as "https://example.com/page".`,
    { url: redact(input) },
  );
}

/** A URL in a message, without user name and password. */
export function quoteUrl(text: string): string {
  return JSON.stringify(redact(text));
}

/**
 * A URL as written, without user name and password. From text that is not a URL, everything that may be one of them is
 * removed: a password may contain a slash or an at sign.
 */
export function bareUrl(text: string): string {
  if (!text.includes('@')) return text;
  const [start = ''] = /^\s*(?:[a-z][a-z0-9+.-]*:(?=[/\\])|https?:)?[/\\]*/i.exec(text) ?? [];
  const rest = text.slice(start.length);
  const isUrl = canParseUrl(absoluteText(text.trim(), protocolOf(text.trim())));
  const [user = ''] = (isUrl && start !== '' ? /^[^/\\?#]*@/ : /^[^:]*:.*@/s).exec(rest) ?? [];
  const isAddress = start === '' && /^\s*mailto:/i.test(text);
  return isAddress ? text : start + rest.slice(user.length);
}

/** A URL without credentials, shortened for a message. */
function redact(text: string): string {
  const bare = bareUrl(text);
  return bare.length > 200 ? `${bare.slice(0, 199)}…` : bare;
}

// Tests reliably whether a text is a URL.

/**
 * Like `URL.canParse`, which is wrong in Node 20 and 22 after some thousand calls: the compiled call reads Latin-1 text
 * as UTF-8, and then rejects hosts such as `faß.example`. ASCII text is the same in both encodings.
 */
export function canParseUrl(url: string, base?: string): boolean {
  return areAscii(url, base) ? URL.canParse(url, base) : urlOf(url, base) !== undefined;
}

/** The URL of a text; undefined for a text that is not a URL, which is known without a costly exception. */
export function urlOf(text: string, base?: string): URL | undefined {
  if (areAscii(text, base) && !URL.canParse(text, base)) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** True for texts that are absolute URLs. */
export function isUrl(value: unknown): value is string {
  return typeof value === 'string' && canParseUrl(value);
}

function areAscii(text: string, base = ''): boolean {
  return !/\P{ASCII}/u.test(text) && !/\P{ASCII}/u.test(base);
}

// Percent-escapes in one spelling, so that equal URLs are equal strings (RFC 3986, 6.2.2).

/**
 * `%7euser%2fx` → `~user%2Fx`: unreserved characters decoded, the hex of the others in upper case.
 * Idempotent: after a bare `%` nothing is decoded, or `%%32e` would become `%2e`.
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escape, offset: number) => {
    const upper = escape.toUpperCase();
    const character = unreserved.get(upper);
    return character === undefined || followsBarePercent(text, offset) ? upper : character;
  });
}

/** `%41` → `A`, for every character that needs no escape. */
const unreserved: ReadonlyMap<string, string> = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~', (character) => [
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    character,
  ]),
);

function followsBarePercent(text: string, offset: number): boolean {
  return (
    text[offset - 1] === '%' ||
    (text[offset - 2] === '%' && /[0-9a-f]/i.test(text[offset - 1] ?? ''))
  );
}
