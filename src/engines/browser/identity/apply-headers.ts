/** The caller's headers in a browser: for the page's own origin or site only. */
import type { CDPSession, Page } from 'playwright-core';
import { PagewrightError } from '../../../errors.ts';
import type { RedirectCredentials } from '../../../model/request.ts';
import { sharesHeaders } from '../../../network/credentials.ts';
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
 * Sends `headers` with every request of this page to the origin of `url`, or with `same-site` to its
 * registrable domain: documents, subresources, workers, redirects. Third parties, and the target of a
 * redirect that leaves the origin or site, never get one.
 *
 * `cookie` goes into the context's cookie jar, where the site can renew it and redirects follow the
 * rules of cookies, which know no ports: it is taken out again when the page leaves its origin.
 * `user-agent` and `accept-language` are left to `contextOptions`. Without headers no request is held.
 *
 * Rejects with `BAD_REQUEST` for headers that belong to the connection. The result takes everything
 * back: before the context serves another visit, and before its state is stored.
 */
export async function applyHeaders(
  page: Page,
  url: string,
  headers: Readonly<Record<string, string>>,
  scope: RedirectCredentials = 'same-origin',
): Promise<Undo> {
  const { cookie = '', ...sent } = checked(headers);
  const from = new URL(url);
  const removeCookies = await addCookies(page.context(), cookie, from, scope);
  const hasHeaders = Object.keys(sent).length > 0;
  const watchesCookies = cookie !== '' && scope === 'same-origin';
  if (!hasHeaders && !watchesCookies) return removeCookies;
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType, frameId }) => {
    const complete = headersToSend(sent, url, { ...request, resourceType }, scope);
    const isPage = resourceType === 'Document' && frameId === targetInfo.targetId;
    const leaves = watchesCookies && isPage && !sharesHeaders(from, new URL(request.url), scope);
    const ready = leaves ? removeCookies() : Promise.resolve();
    // A context that cannot drop its cookies is being closed.
    void ready.catch(() => undefined).then(() => send(session, requestId, complete));
  });
  // Only the site's own requests are held; what else fits the pattern is told apart later.
  const domain = registrableDomain(from.hostname);
  const held = hasHeaders ? {} : ({ resourceType: 'Document' } as const);
  const patterns = [`*://*${domain}/*`, `*://*${domain}:*/*`].map((urlPattern) => ({
    ...{ urlPattern, ...held },
  }));
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
  scope: RedirectCredentials,
): Record<string, string> | undefined {
  if (!sharesHeaders(new URL(pageUrl), new URL(request.url), scope)) return undefined;
  const isDocument = request.resourceType === 'Document';
  const own = Object.entries(given).filter(([name]) => isDocument || !ofDocuments.has(name));
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

/** These speak of a page: an image that is asked for as HTML is refused by some servers. */
const ofDocuments: ReadonlySet<string> = new Set(['accept', 'referer']);
