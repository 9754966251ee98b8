/** The caller's headers in a browser: for the page's own site, for nobody else. */
import type { CDPSession, Page } from 'playwright-core';
import { PagewrightError } from '../../../errors.ts';
import { registrableDomain } from '../../../url/registrable-domain.ts';
import { requestHeaders } from '../../http/request-headers.ts';
import { addCookies, type Undo } from './add-cookies.ts';

/** What the browser tells of a request that it holds. */
export interface HeldRequest {
  readonly url: string;
  /** `Document`, `Image`, … */
  readonly resourceType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends `headers` with every request of this page to the site of `url` (one registrable domain):
 * documents, subresources, workers, redirects within the site. Third parties, and the target of a
 * redirect that leaves the site, never get one. Credentials do not go from https to http.
 *
 * `cookie` goes into the context's cookie jar, where the site can renew it and redirects follow the
 * rules of cookies; `user-agent` and `accept-language` are left to `contextOptions`. Without other
 * headers no request is held.
 *
 * Rejects with `BAD_REQUEST` for headers that belong to the connection. The result takes everything
 * back: before the context serves another visit, and before its state is stored.
 */
export async function applyHeaders(
  page: Page,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Undo> {
  const { cookie = '', ...sent } = checked(headers);
  const removeCookies = await addCookies(page.context(), cookie, new URL(url));
  if (Object.keys(sent).length === 0) return removeCookies;
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType }) => {
    const complete = headersToSend(sent, url, { ...request, resourceType });
    void send(session, requestId, complete);
  });
  // Only the site's own requests are held; what else fits the pattern is told apart later.
  const domain = registrableDomain(new URL(url).hostname);
  const patterns = [`*://*${domain}/*`, `*://*${domain}:*/*`].map((urlPattern) => ({ urlPattern }));
  await session.send('Fetch.enable', { patterns });
  return async () => {
    await session.detach().catch(() => undefined);
    await removeCookies();
  };
}

/** All headers of a held request; undefined when none of the caller's belongs there. */
export function headersToSend(
  given: Readonly<Record<string, string>>,
  pageUrl: string,
  request: HeldRequest,
): Record<string, string> | undefined {
  const page = new URL(pageUrl);
  const target = new URL(request.url);
  if (registrableDomain(target.hostname) !== registrableDomain(page.hostname)) return undefined;
  const losesTls = page.protocol === 'https:' && target.protocol !== 'https:';
  const isDocument = request.resourceType === 'Document';
  const own = Object.entries(given).filter(
    ([name]) => !(losesTls && credentials.has(name)) && (isDocument || !ofDocuments.has(name)),
  );
  if (own.length === 0) return undefined;
  const names = new Set(own.map(([name]) => name));
  const others = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return Object.fromEntries([...others, ...own]);
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
    // The request ended on its own, or a header was refused: without an answer it would hang.
    await session
      .send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      .catch(() => undefined);
  }
}

/** Without those that other parts see to. Lower-case names. */
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

/** What Chromium does not let anybody set. */
const refused: readonly string[] = ['host', 'set-cookie', 'cookie2'];

const credentials: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization']);

/** These speak of a page: an image that is asked for as HTML is refused by some servers. */
const ofDocuments: ReadonlySet<string> = new Set(['accept', 'referer']);
