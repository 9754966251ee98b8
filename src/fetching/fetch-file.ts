/** Files that belong to a site: robots.txt, sitemaps, feeds. */
import { robotsSizeLimit } from '../frontier/robots.ts';
import type { FetchedFile, FilePurpose } from '../frontier/site-files.ts';
import type { Pace } from '../model/pace.ts';
import type { CacheUse, ScrapeRequest } from '../model/request.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';
import { JobThrottle } from './job-throttle.ts';

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
  | 'pace'
> & { readonly cache?: CacheUse | undefined };

/** Asks for nothing beyond a plain GET. */
const plainGet: Pick<
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
 * response. Of a file that is too large, or endless, the beginning is taken: of robots.txt one byte more
 * than is read, whatever `limits.bodyBytes` says, of others that many bytes.
 */
export async function fetchFile(
  parts: FetchingParts,
  url: string,
  purpose: FilePurpose,
  request: Pick<FileRequest, 'limits'> & Partial<FileRequest>,
  signal: AbortSignal,
): Promise<FetchedFile> {
  // Files are not in the cache: where nothing may be fetched, a site has none.
  if (request.cache?.isOnly === true) return { statusCode: 404, body: new Uint8Array(0), url };
  const pace = { ...request.pace, isFile: true };
  using hostPermit = await parts.hosts.acquire(url, { ...pace, signal });
  using deadline = startDeadline(fileTimeout, [signal], `Fetching ${url}`);
  const bodyBytes = purpose === 'robots' ? robotsSizeLimit + 1 : request.limits.bodyBytes;
  const fetched = fetchPage(
    parts,
    {
      ...plainGet,
      ...request,
      url,
      pace: { ...pace, hostPermit },
      limits: { ...request.limits, bodyBytes },
      truncatesBody: true,
      headers: { accept: '*/*', ...request.headers },
      // All links of a crawl wait for its sitemaps, and some sites name hosts that are long gone.
      refusedIsFinal: purpose === 'listing',
    },
    deadline,
  );
  const { snapshot } = await withSignal(fetched, deadline.signal);
  const { statusCode, body, isCut = false } = snapshot;
  const isFull = purpose === 'listing' && body.length >= bodyBytes;
  return { statusCode, body, url: snapshot.url, isCut: isCut || isFull };
}

/**
 * What the files of a job take over from its pages: the way to the site and how long to try, not what
 * pages ask of a browser. Of the headers only the User-Agent: the others are for pages.
 */
export function fileRequest(
  page: FileRequest,
  visitor: object,
): Partial<FileRequest> & Pick<FileRequest, 'limits'> {
  const { limits, skipTlsVerification, retries, country, headers, requires, cache } = page;
  const userAgent = headers['user-agent'];
  const isStealthy = page.proxy === 'stealth';
  const why = requires.get('stealth');
  return {
    limits,
    skipTlsVerification,
    retries,
    country,
    visitor,
    cache,
    headers: userAgent === undefined ? {} : { 'user-agent': userAgent },
    proxy: isStealthy ? 'stealth' : 'basic',
    requires: isStealthy && why !== undefined ? new Map([['stealth', why]]) : new Map(),
  };
}

/** How the files of a job are fetched. */
export interface FileFetching {
  readonly request: Pick<FileRequest, 'limits'> & Partial<FileRequest>;
  /** Files fetched at the same time. */
  readonly concurrency: number;
  /** The pace at the host of a URL. */
  readonly paceOf: (url: string) => Pace;
  readonly signal: AbortSignal;
}

/**
 * Fetches the files of one job. They have permits of their own: pages wait for files, so files must
 * not wait for pages.
 */
export function fileFetcher(
  parts: FetchingParts,
  { request, concurrency, paceOf, signal }: FileFetching,
): (url: string, purpose: FilePurpose) => Promise<FetchedFile> {
  const throttle = new JobThrottle({ concurrency, signal });
  return async (url, purpose) => {
    const permit = throttle.permit();
    try {
      const pace = { ...paceOf(url), permit };
      return await fetchFile(parts, url, purpose, { ...request, pace }, signal);
    } finally {
      permit.release();
    }
  };
}
