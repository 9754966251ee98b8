/** Fetches the files of a site: robots.txt, sitemaps, feeds. */
import { robotsSizeLimit } from '../frontier/robots/robots.ts';
import type { FetchedFile, FilePurpose } from '../frontier/robots/site-files.ts';
import type { Pace } from '../model/pace.ts';
import type { CacheUse, ScrapeRequest } from '../model/request.ts';
import { startDeadline, withSignal } from '../runtime/deadline.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';
import { JobSlots } from './job-slots.ts';

/** The settings that a job's files share with its pages. */
export type FileRequest = Pick<
  ScrapeRequest<unknown>,
  | 'headers'
  | 'limits'
  | 'skipTlsVerification'
  | 'retries'
  | 'proxy'
  | 'location'
  | 'visitor'
  | 'requires'
  | 'pace'
> & { readonly cache?: CacheUse | undefined };

/** The options of a plain GET. */
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

const fileTimeout = 15_000; // milliseconds for one robots.txt or sitemap

/**
 * Fetches one file once its host is open. The caller handles status codes; rejects when there is no
 * response. A file that is too large, or endless, is cut: robots.txt one byte after the part that
 * is parsed, whatever `limits.bodyBytes` is, other files after that many bytes.
 */
export async function fetchFile(
  parts: FetchingParts,
  url: string,
  purpose: FilePurpose,
  request: Pick<FileRequest, 'limits'> & Partial<FileRequest>,
  signal: AbortSignal,
): Promise<FetchedFile> {
  // Files are not cached: with `cache.isOnly` every file is a 404.
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
      // All links of a crawl wait for its sitemaps, and some sites list hosts that no longer exist.
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
 * The settings that a job's files take from its pages: proxy, network and retry settings, not
 * browser options. Of the headers only User-Agent: the others are for pages.
 */
export function fileRequest(
  page: FileRequest,
  visitor: object,
): Partial<FileRequest> & Pick<FileRequest, 'limits'> {
  const { limits, skipTlsVerification, retries, location, headers, requires, cache } = page;
  const userAgent = headers['user-agent'];
  const isStealthy = page.proxy === 'stealth';
  const why = requires.get('stealth');
  return {
    limits,
    skipTlsVerification,
    retries,
    location,
    visitor,
    cache,
    headers: userAgent === undefined ? {} : { 'user-agent': userAgent },
    proxy: isStealthy ? 'stealth' : 'basic',
    requires: isStealthy && why !== undefined ? new Map([['stealth', why]]) : new Map(),
  };
}

/** Settings for fetching the files of a job. */
export interface FileFetching {
  readonly request: Pick<FileRequest, 'limits'> & Partial<FileRequest>;
  /** Maximum files fetched at a time. */
  readonly concurrency: number;
  /** The pace for the host of a URL. */
  readonly paceOf: (url: string) => Pace;
  readonly signal: AbortSignal;
}

/**
 * Fetches the files of one job. Files have their own task permits: pages wait for files, so files
 * must not wait for pages.
 */
export function fileFetcher(
  parts: FetchingParts,
  { request, concurrency, paceOf, signal }: FileFetching,
): (url: string, purpose: FilePurpose) => Promise<FetchedFile> {
  const slots = new JobSlots({ concurrency, signal });
  return async (url, purpose) => {
    const permit = slots.permit();
    try {
      const pace = { ...paceOf(url), permit };
      return await fetchFile(parts, url, purpose, { ...request, pace }, signal);
    } finally {
      permit.release();
    }
  };
}
