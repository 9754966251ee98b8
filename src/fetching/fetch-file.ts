/** Files that belong to a site: robots.txt, sitemaps, feeds. */
import type { ScrapeRequest } from '../model/request.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';

/** What a job's files have in common with its pages. */
export type FileRequest = Pick<
  ScrapeRequest<unknown>,
  | 'headers'
  | 'limits'
  | 'skipTlsVerification'
  | 'retries'
  | 'proxy'
  | 'country'
  | 'visitor'
  | 'requires'
>;

/** Asks for nothing beyond a plain GET. */
export const plainGet: Pick<
  ScrapeRequest<never>,
  'requires' | 'mayRender' | 'rendering' | 'retries' | 'proxy' | 'skipTlsVerification'
> = {
  requires: new Map(),
  mayRender: true,
  rendering: {},
  retries: 2,
  proxy: 'basic',
  skipTlsVerification: true,
};

/** Milliseconds for one robots.txt or sitemap. */
const fileTimeout = 15_000;

/**
 * Fetches one file, once its host is open. Status codes are the caller's; rejects when there is no
 * response.
 */
export async function fetchFile(
  parts: FetchingParts,
  url: string,
  request: Pick<FileRequest, 'limits'> & Partial<FileRequest>,
  signal: AbortSignal,
): Promise<{ readonly statusCode: number; readonly body: Uint8Array; readonly url: string }> {
  await parts.hosts.turn(url, { signal });
  using deadline = startDeadline(fileTimeout, [signal], `Fetching ${url}`);
  const fetched = fetchPage(
    parts,
    { ...plainGet, ...request, url, headers: { accept: '*/*', ...request.headers }, hasTurn: true },
    deadline,
  );
  return (await withSignal(fetched, deadline.signal)).snapshot;
}

/**
 * What the files of a job take over from its pages: the way to the site and how long to try, not what
 * pages ask of a browser. Of the headers only the User-Agent: the others are for pages.
 */
export function fileRequest(
  page: FileRequest,
  visitor: object,
): Partial<FileRequest> & Pick<FileRequest, 'limits'> {
  const { limits, skipTlsVerification, retries, country, headers, requires } = page;
  const userAgent = headers['user-agent'];
  const isStealthy = page.proxy === 'stealth';
  const why = requires.get('stealth');
  return {
    ...{ limits, skipTlsVerification, retries, country, visitor },
    headers: userAgent === undefined ? {} : { 'user-agent': userAgent },
    proxy: isStealthy ? 'stealth' : 'basic',
    requires: isStealthy && why !== undefined ? new Map([['stealth', why]]) : new Map(),
  };
}
