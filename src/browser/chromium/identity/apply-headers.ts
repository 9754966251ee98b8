/** The caller's headers and cookies in a browser: for the page's own origin or site only. */
import type { BrowserContext, CDPSession, Cookie, Page } from 'playwright-core';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import type { RedirectCredentials } from '../../../core/model/request-options.ts';
import type { PageRequest } from '../../../core/model/request.ts';
import { sharesHeaders } from '../../../core/http/network/credentials.ts';
import { registrableDomain } from '../../../core/url/registrable-domain.ts';
import { requestHeaders } from '../../../core/http/request-headers.ts';

/** A paused request in the DevTools protocol. */
export interface HeldRequest {
  readonly url: string;
  /** `Document`, `Image`, … */
  readonly resourceType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends `headers` with every request of this page to the origin of `url`, or with `same-site` to
 * its registrable domain: documents, subresources, workers, redirects. Third parties, and the
 * target of a redirect that leaves the origin or site, never receive one.
 *
 * `cookie` goes into the context's cookie jar, where the site can renew it and redirects follow the
 * rules of cookies, which ignore ports: it is removed again when the page leaves its origin.
 * `user-agent` and `accept-language` are left to `contextOptions`. Without headers no request is
 * paused.
 *
 * Rejects with `BAD_REQUEST` for headers that belong to the connection. The result undoes
 * everything: before the context serves another visit, and before its state is stored.
 */
export async function applyHeaders(
  page: Page,
  request: Pick<
    PageRequest,
    'url' | 'headers' | 'hostHeaders' | 'skipTlsVerification' | 'redirectCredentials'
  >,
): Promise<Undo> {
  const { url, hostHeaders, redirectCredentials: scope = 'same-origin' } = request;
  const { cookie = '', ...sent } = checked(request.headers);
  const from = new URL(url);
  // A tab verifies all certificates or none: without that only the host of the request gets its headers.
  const isVerified = !request.skipTlsVerification || hostHeaders?.of(from) !== undefined;
  const ofHosts = isVerified ? hostHeaders : undefined;
  const own = cookiesOf(cookie, from, scope);
  const removeCookies = await addCookies(page.context(), own, 'headers.cookie');
  const hasHeaders = Object.keys(sent).length > 0;
  const watchesCookies = cookie !== '' && scope === 'same-origin';
  if (!hasHeaders && !watchesCookies && ofHosts === undefined) return removeCookies;
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  session.on('Fetch.requestPaused', ({ requestId, request: held, resourceType, frameId }) => {
    const isMain = frameId === targetInfo.targetId;
    const isPage = resourceType === 'Document' && isMain;
    const target = new URL(held.url);
    // A script of another site might read the answer.
    const isOwn = isPage || (isMain && URL.parse(page.url())?.origin === target.origin);
    const own = isOwn ? ofHosts?.of(target) : undefined;
    const headers = withHeaders(held.headers, own);
    const complete =
      headersToSend(sent, url, { ...held, headers, resourceType }, scope) ?? (own && headers);
    const leaves = watchesCookies && isPage && !sharesHeaders(from, target, scope);
    const ready = leaves ? removeCookies() : Promise.resolve();
    // A context that cannot drop its cookies is being closed.
    void ready.catch(() => undefined).then(() => send(session, requestId, complete));
  });
  // Only requests of the site itself are paused; other matches of the pattern are told apart later.
  const site = hasHeaders || watchesCookies ? [`*${registrableDomain(from.hostname)}`] : [];
  const kind = hasHeaders || ofHosts ? {} : ({ resourceType: 'Document' } as const);
  const patterns = [...site, ...(ofHosts?.hosts ?? [])]
    .flatMap((host) => [`*://${host}/*`, `*://${host}:*/*`])
    .map((urlPattern) => ({ urlPattern, ...kind }));
  await session.send('Fetch.enable', { patterns });
  return async () => {
    await session.detach().catch(() => undefined);
    await removeCookies();
  };
}

/** All headers of a paused request; undefined when no header of the caller belongs there. */
export function headersToSend(
  given: Readonly<Record<string, string>>,
  pageUrl: string,
  request: HeldRequest,
  scope: RedirectCredentials,
): Record<string, string> | undefined {
  if (!sharesHeaders(new URL(pageUrl), new URL(request.url), scope)) return undefined;
  const isDocument = request.resourceType === 'Document';
  const own = Object.entries(given).filter(([name]) => isDocument || !ofDocuments.has(name));
  if (own.length === 0) return undefined;
  return withHeaders(request.headers, Object.fromEntries(own));
}

/** `own` takes the place of headers with the same names. */
function withHeaders(
  headers: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const others = Object.entries(headers).filter(
    ([name]) => !Object.hasOwn(own, name.toLowerCase()),
  );
  return { ...Object.fromEntries(others), ...own };
}

async function send(
  session: CDPSession,
  requestId: string,
  headers: Record<string, string> | undefined,
): Promise<void> {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => ({ name, value }));
  try {
    await session.send('Fetch.continueRequest', {
      requestId,
      ...(headers === undefined ? {} : { headers: entries }),
    });
  } catch {
    // The request ended on its own, or a header was refused: without a command it would hang.
    await session
      .send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      .catch(() => undefined);
  }
}

/** The headers without those set elsewhere. Lower-case names. */
function checked(headers: Readonly<Record<string, string>>): Record<string, string> {
  const {
    'user-agent': _,
    'accept-language': __,
    ...rest
  } = requestHeaders(headers, undefined) as Record<string, string | undefined>;
  for (const name of refused) {
    if (rest[name] === undefined) continue;
    throw new PagewrightError(
      'BAD_REQUEST',
      `A browser sets the header "${name}" itself. Leave it out, or fetch the page with engine: 'http'.`,
    );
  }
  return rest as Record<string, string>;
}

/** Headers that Chromium does not let a client set. */
const refused: readonly string[] = ['host', 'set-cookie', 'cookie2'];

/** Headers for pages only: some servers refuse an image that is requested as HTML. */
const ofDocuments: ReadonlySet<string> = new Set(['accept', 'referer']);

// The caller's cookies in the browser's cookie jar.

/** Undoes what was applied. */
type Undo = () => Promise<void>;

/** The argument of a context's `addCookies`. */
type NewCookie = Parameters<BrowserContext['addCookies']>[0][number];

/** Puts cookies into the context's cookie jar. The result removes those that the site has not replaced. */
export async function addCookies(
  context: BrowserContext,
  cookies: readonly NewCookie[],
  option: string,
): Promise<Undo> {
  if (cookies.length === 0) return () => Promise.resolve();
  await context.addCookies([...cookies]).catch((cause: unknown) => {
    const names = cookies.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new PagewrightError(
      'BAD_REQUEST',
      `The browser refuses one of the cookies ${names}. Correct ${option}.`,
      { cause },
    );
  });
  return async () => {
    const stored = await context.cookies();
    const isAdded = (cookie: Cookie): boolean =>
      cookies.some(({ name, value, domain = cookie.domain }) => {
        return name === cookie.name && value === cookie.value && domain === cookie.domain;
      });
    for (const cookie of stored.filter(isAdded)) await context.clearCookies(only(cookie));
  };
}

/**
 * The pairs of a Cookie header `a=1; b=2`, for the host of `url`, or with `same-site` for all hosts of its site; for
 * https only if the page is https. As in a header, scripts of the page do not see them. Other parts are left out.
 */
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
    // An address, `localhost` and a public suffix have no subdomains; `__Host-` allows none.
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
