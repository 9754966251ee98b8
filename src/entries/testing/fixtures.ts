/** An engine that serves websites from folders: no socket is opened. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { PageRequest } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import type { Engine } from '../../core/model/engine.ts';
import type { Site, SiteResponse } from './site-files.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';

/**
 * Serves each origin from its folder, a path or a `file:` URL; `openSite` says how a folder becomes a site. Other origins
 * are left to the client's other engines, and a redirect to one of them is `CONNECTION_REFUSED`. Every method gets the
 * file of its URL.
 *
 * @example
 * const client = createClient({ engines: [fixturesEngine({ 'https://docs.test': 'fixtures/docs' })] });
 * fixturesEngine({ 'https://docs.test': new URL('docs/', import.meta.url) });
 */
export function fixturesEngine(sites: Readonly<Record<string, string | URL>>): Engine {
  const folders = new Map(
    Object.entries(sites).map(([origin, folder]) => [checkedOrigin(origin), folder]),
  );
  const open = new Map<string, Promise<Site>>();

  const siteOf = (url: URL): Promise<Site> => {
    const folder = folders.get(url.origin);
    if (folder === undefined) throw unknownOrigin(url, [...folders.keys()]);
    const site = open.get(url.origin) ?? openFolder(folder);
    open.set(url.origin, site);
    return site;
  };
  const answer = async (url: URL, signal: AbortSignal): Promise<SiteResponse> => {
    const site = await siteOf(url);
    const response = await site.respond(`${url.pathname}${url.search}`, url.origin);
    if (response.delay > 0) await sleep(response.delay, undefined, { signal });
    return response;
  };

  return {
    name: 'fixtures',
    can: new Set(['method']),
    cost: 0,
    handles: (url) => canParseUrl(url) && folders.has(new URL(url).origin),
    async fetch({ url, limits, truncatesBody = false, signal }) {
      signal.throwIfAborted();
      return await withSignal(
        follow(new URL(url), { limits, truncatesBody }, (at) => answer(at, signal)),
        signal,
      );
    },
  };
}

async function openFolder(folder: string | URL): Promise<Site> {
  const { openSite } = await loadModule(() => import('./site-files.ts'));
  return openSite(folder);
}

async function follow(
  start: URL,
  { limits, truncatesBody }: Pick<PageRequest, 'limits' | 'truncatesBody'>,
  answer: (url: URL) => Promise<SiteResponse>,
): Promise<Snapshot> {
  const { redirectTarget } = await loadModule(() => import('../../core/http/redirect.ts'));
  const redirects: string[] = [];
  let bytes = 0;
  let url = start;
  url.hash = '';
  for (;;) {
    const { status, headers, body } = await answer(url);
    bytes += body.length;
    const locations = locationsOf(headers['location']);
    const target = redirectTarget({ statusCode: status, locations }, url);
    if (target === undefined) {
      const isTooLarge = body.length > limits.bodyBytes;
      if (isTooLarge && truncatesBody !== true) throw tooLarge(url, limits.bodyBytes);
      return {
        url: url.href,
        statusCode: status,
        headers,
        body: isTooLarge ? body.subarray(0, limits.bodyBytes) : body,
        engine: 'fixtures',
        redirects,
        warnings: [],
        requests: redirects.length + 1,
        bytes,
      };
    }
    redirects.push(url.href);
    if (redirects.length > limits.redirects) throw tooManyRedirects(start, limits.redirects);
    url = target;
  }
}

/** The Location as it would arrive on the wire: `redirectTarget` reads UTF-8 in Latin-1. */
function locationsOf(location: string | undefined): string[] {
  return location === undefined ? [] : [Buffer.from(location).toString('latin1')];
}

function checkedOrigin(origin: string): string {
  const url = canParseUrl(origin) ? new URL(origin) : undefined;
  if (url !== undefined && (origin === url.origin || origin === `${url.origin}/`)) {
    return url.origin;
  }
  const message = `"${origin}" is not an origin. Use one such as "https://docs.test".`;
  throw new ValidationError('fixturesEngine', [{ path: [origin], message }]);
}

function unknownOrigin(url: URL, origins: readonly string[]): PagewrightError {
  return new PagewrightError(
    'CONNECTION_REFUSED',
    `No fixture site has the origin ${url.origin}; there are ${origins.join(', ') || 'none'}.`,
    { url: url.href },
  );
}

function tooLarge(url: URL, limit: number): PagewrightError {
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `${url.href} has more than ${limit} bytes. Raise limits.bodyBytes to read it.`,
    { url: url.href },
  );
}

function tooManyRedirects(start: URL, limit: number): PagewrightError {
  return new PagewrightError(
    'TOO_MANY_REDIRECTS',
    `${start.href} redirects more than ${limit} times. Raise limits.redirects if it is not a loop.`,
    { url: start.href },
  );
}
