/** The caller's Cookie header as cookies of the page's site. */
import type { BrowserContext, Cookie } from 'playwright-core';
import { PagewrightError } from '../../../errors.ts';
import type { RedirectCredentials } from '../../../model/request.ts';
import { registrableDomain } from '../../../url/registrable-domain.ts';

/** Takes back what was applied. */
export type Undo = () => Promise<void>;

/** What `addCookies` of a context takes. */
type NewCookie = Parameters<BrowserContext['addCookies']>[0][number];

/**
 * Puts `a=1; b=2` into the context's jar, for the host of `url`, or with `same-site` for all hosts of its
 * site; for https only when the page is. As in a header, scripts of the page do not see them. The result removes those that
 * the site has not replaced.
 */
export async function addCookies(
  context: BrowserContext,
  header: string,
  url: URL,
  scope: RedirectCredentials,
): Promise<Undo> {
  const cookies = cookiesOf(header, url, scope);
  if (cookies.length === 0) return () => Promise.resolve();
  await context.addCookies(cookies).catch((cause: unknown) => {
    const names = cookies.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new PagewrightError(
      'BAD_REQUEST',
      `The browser refuses the Cookie header for ${url.origin}, one of: ${names}. Correct headers.cookie.`,
      { cause },
    );
  });
  return async () => {
    const added = new Map(cookies.map(({ name, value }) => [name, value]));
    const kept = await context.cookies();
    for (const cookie of kept.filter(({ name, value }) => added.get(name) === value)) {
      await context.clearCookies(only(cookie));
    }
  };
}

/** The pairs of a Cookie header; what is no pair is left out. */
export function cookiesOf(
  header: string,
  { hostname, protocol, origin }: URL,
  scope: RedirectCredentials,
): NewCookie[] {
  const domain = registrableDomain(hostname);
  const isSecure = protocol === 'https:';
  const cookies: NewCookie[] = [];
  for (const pair of header.split(';')) {
    const split = pair.indexOf('=');
    const name = pair.slice(0, Math.max(split, 0)).trim();
    if (name === '') continue;
    const value = pair.slice(split + 1).trim();
    const settings = { name, value, httpOnly: true, secure: isSecure };
    // An address, `localhost` and a public suffix have no hosts below, `__Host-` allows none.
    const isHostOnly =
      scope === 'same-origin' ||
      !domain.includes('.') ||
      !/[a-z]$/i.test(domain) ||
      /^__Host-/i.test(name);
    cookies.push(
      isHostOnly ? { ...settings, url: origin } : { ...settings, domain: `.${domain}`, path: '/' },
    );
  }
  return cookies;
}

function only({ name, domain, path }: Cookie): { name: string; domain: string; path: string } {
  return { name, domain, path };
}
