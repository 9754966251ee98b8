/** Reads the target of a redirect. */
import { isUtf8 } from 'node:buffer';
import { PagewrightError } from '../runtime/errors.ts';
import { quoteUrl } from '../url/normalize-url.ts';

/** The part of a response that decides redirects. */
export interface RedirectHead {
  readonly statusCode: number;
  /** All Location headers, as received. */
  readonly locations: readonly string[];
}

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The redirect URL, without fragment and credentials; undefined when the response is not a
 * redirect. Throws `BAD_REDIRECT` when its Location cannot be followed.
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
    throw badRedirect(from, 'to an invalid URL', [location]);
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw badRedirect(from, 'to a URL that is not http or https', [location]);
  }
  target.hash = '';
  target.username = '';
  target.password = '';
  return target;
}

/** Location bytes arrive as Latin-1; servers write other letters in UTF-8. */
export function decodeLocation(location: string): string {
  const bytes = Buffer.from(location, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : location;
}

function badRedirect(from: URL, where: string, locations: readonly string[]): PagewrightError {
  const quoted = locations.map((location) => quoteUrl(location)).join(', ');
  return new PagewrightError(
    'BAD_REDIRECT',
    `${from.href} redirects ${where}: ${quoted}. Scrape the page that it should lead to.`,
    { url: from.href },
  );
}
