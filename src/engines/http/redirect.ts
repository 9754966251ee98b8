/** Where a redirect leads, and what may go along. */
import { isUtf8 } from 'node:buffer';
import { PagewrightError } from '../../errors.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';

/** The part of a response that decides about redirects. */
export interface RedirectHead {
  readonly statusCode: number;
  /** All Location headers, as received. */
  readonly locations: readonly string[];
}

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The URL to go to, without fragment and credentials; undefined when the response is no redirect.
 * Throws `BAD_REDIRECT` when its Location cannot be followed.
 */
export function redirectTarget(head: RedirectHead, from: URL): URL | undefined {
  const [location = '', ...others] = new Set(head.locations.map((value) => value.trim()));
  if (!redirectCodes.has(head.statusCode) || location === '') return undefined;
  if (others.length > 0)
    throw badRedirect(from, 'to several places at once', [location, ...others]);
  let target: URL;
  try {
    target = new URL(decodeLocation(location), from);
  } catch {
    throw badRedirect(from, 'to what is no URL', [location]);
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw badRedirect(from, 'to a URL that is not http or https', [location]);
  }
  target.hash = '';
  target.username = '';
  target.password = '';
  return target;
}

/** The bytes of a URL come as Latin-1; servers write other letters in UTF-8. */
export function decodeLocation(location: string): string {
  const bytes = Buffer.from(location, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : location;
}

const credentials: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * The headers that may go to the next hop: credentials stay behind when the site changes or the
 * connection loses its encryption, a Host header when the origin does.
 */
export function headersForHop(
  headers: Readonly<Record<string, string>>,
  from: URL,
  to: URL,
): Record<string, string> {
  const kept = { ...headers };
  if (from.origin !== to.origin) delete kept['host'];
  const leavesSite = registrableDomain(from.hostname) !== registrableDomain(to.hostname);
  const losesTls = from.protocol === 'https:' && to.protocol === 'http:';
  if (leavesSite || losesTls) for (const name of credentials) delete kept[name];
  return kept;
}

/** Without what may be a user name and password. */
function redacted(location: string): string {
  return location.replace(/\/\/[^/?#]*@/, '//');
}

function badRedirect(from: URL, where: string, locations: readonly string[]): PagewrightError {
  const shown = locations
    .map((location) => JSON.stringify(redacted(location).slice(0, 200)))
    .join(', ');
  return new PagewrightError(
    'BAD_REDIRECT',
    `${from.href} redirects ${where}: ${shown}. Scrape the page that it should lead to.`,
    { url: from.href },
  );
}
