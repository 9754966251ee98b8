/**
 * The files of a page, for formats: downloaded as the page was requested, given to the client's `assets` or stored in its
 * storage, and each downloaded once in a job.
 */
import { PagewrightError } from '../runtime/errors.ts';
import type {
  DownloadedFile,
  FormatRequest,
  PageFile,
  PageFiles,
} from '../../content/formats/format.ts';
import { keepAsset } from '../hooks/keep-asset.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { AssetKeeper, Snapshot } from '../model/snapshot.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { type Deadline, startDeadline, withSignal } from '../runtime/deadline.ts';
import { detectMediaType } from '../../content/parsers/media-type.ts';
import type { AssetFiles } from '../storage/asset-files.ts';
import { displayUrl } from '../telemetry/display-url.ts';
import { fileRequest, plainGet } from './fetch-file.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';

/** The parts that files of pages use. */
export interface PageFileParts extends FetchingParts {
  /** The client's function that stores files; if undefined, the storage does. */
  readonly assets: AssetKeeper | undefined;
  readonly assetFiles: AssetFiles;
}

/** The page whose files are downloaded. */
export interface PageOfFiles {
  readonly request: ScrapeRequest<FormatRequest>;
  readonly scrapeId: string;
  /** Paused while files are downloaded. */
  readonly deadline: Pick<Deadline, 'pause'>;
  /** Counts the requests for files. */
  readonly use: FileUse;
}

/** Use of the files of a page. */
export interface FileUse {
  requests: number;
  bytes: number;
}

const fileTimeout = 30_000; // milliseconds for one file, once its host is open

/** Opens the files of a page. */
export function pageFiles(parts: PageFileParts, page: PageOfFiles): PageFiles {
  const { request, scrapeId } = page;
  const jobId = request.isStoredWithJob === true ? request.position?.jobId : undefined;
  const keeper = request.zeroDataRetention ? undefined : parts.assets;
  const store = async (file: PageFile): Promise<string | undefined> =>
    keeper && keepAsset(keeper, { ...file, scrapeId });
  // Cookies and identity of one visitor for all files of a page.
  const visitor = request.visitor ?? {};
  return {
    place: store,
    download: (url, options) => downloadFile(parts, { ...page, visitor }, url, options),
    async keep(file, { maxJobBytes }) {
      const path = await store(file);
      if (path !== undefined) return { path };
      return { key: await parts.assetFiles.set(jobId, file.bytes, maxJobBytes) };
    },
    once: (url, signal, work) => {
      if (request.position === undefined) return work();
      const headers = JSON.stringify(headersFor(request, url));
      return parts.assetFiles.once(`${request.position.jobId} ${url} ${headers}`, signal, work);
    },
  };
}

async function downloadFile(
  parts: PageFileParts,
  { request, deadline, use, visitor }: PageOfFiles & { readonly visitor: object },
  url: string,
  { maxBytes, signal }: Parameters<PageFiles['download']>[1],
): Promise<DownloadedFile> {
  if (request.content !== undefined) {
    const message =
      'Nothing is downloaded for content that you pass in: scrape the URL of the page.';
    throw new PagewrightError('BAD_REQUEST', message, { url });
  }
  if (request.cache.isOnly) {
    const message = `${url} was not requested: cacheOnly and minAge send no request, and files are not cached.`;
    throw new PagewrightError('CACHE_MISS', message, { url });
  }
  const resume = deadline.pause();
  try {
    const rule = await request.closedBy?.(url);
    if (rule !== undefined) {
      throw new PagewrightError('ROBOTS', `robots.txt disallows ${url}: ${rule}`, { url });
    }
    const { permit: _, hostPermit: __, onRedirect: ___, ...pace } = request.pace ?? {};
    using hostPermit = await parts.hosts.acquire(url, { ...pace, isFile: true, signal });
    using limit = startDeadline(fileTimeout, [signal], `Downloading ${displayUrl(url)}`);
    const fetched = fetchPage(
      parts,
      {
        ...plainGet,
        ...fileRequest(request, visitor),
        url,
        headers: { accept: '*/*', ...headersFor(request, url) },
        redirectCredentials: request.redirectCredentials,
        limits: { ...request.limits, bodyBytes: Math.min(maxBytes, request.limits.bodyBytes) },
        pace: { ...pace, isFile: true, hostPermit },
        // A file may be a page in disguise, which no browser opens.
        mayRender: false,
        position: request.position,
      },
      limit,
    );
    const { snapshot } = await withSignal(fetched, limit.signal);
    use.requests += snapshot.requests;
    use.bytes += snapshot.bytes;
    return await checkedFile(snapshot);
  } finally {
    resume();
  }
}

/** The caller's headers that may be sent to the file. */
function headersFor(request: ScrapeRequest<FormatRequest>, url: string): Record<string, string> {
  const { headers, redirectCredentials } = request;
  return headersForHop(headers, new URL(request.url), new URL(url), redirectCredentials);
}

async function checkedFile({
  url,
  statusCode,
  headers,
  body,
  isCut,
}: Snapshot): Promise<DownloadedFile> {
  if (statusCode >= 400) {
    throw new PagewrightError('HTTP_STATUS', `${url} answered ${statusCode}.`, { url, statusCode });
  }
  if (isCut === true) {
    throw new PagewrightError('TRUNCATED_BODY', `${url} ended early.`, { url });
  }
  const { mediaType } = detectMediaType(headers['content-type'], body, url);
  const sniffedType = detectMediaType(undefined, body, '').mediaType;
  const file = { url, body, mediaType, sniffedType };
  if (!sniffedType.startsWith('image/') || sniffedType === 'image/svg+xml') return file;
  const { readImageHead } = await loadModule(
    () => import('../../documents/images/read-image-head.ts'),
  );
  const { width, height } = readImageHead(sniffedType, body) ?? {};
  return { ...file, width, height };
}
