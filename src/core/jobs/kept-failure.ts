/** Keeps what there was to see of the first failures of each kind in a job: the HTML, and in a browser a picture. */
import { BudgetRefusal } from '../../extract/llm/model-failure.ts';
import { keepAsset } from '../hooks/keep-asset.ts';
import { SkippedByHook } from '../hooks/hook-lists.ts';
import { failedPageOf } from '../model/failed-page.ts';
import type { PageFailure } from '../model/job.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Asset, Snapshot } from '../model/snapshot.ts';
import { startDeadline, withSignal } from '../runtime/deadline.ts';
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import type { FormatRequest } from '../../content/formats/format.ts';
import { type PipelineParts, scrapeIdIn } from '../page/pipeline.ts';
import { isStoreError } from './durable/job-store.ts';

const limits = {
  failures: 3, // of each kind
  kinds: 10, // in one job
  html: 2_000_000, // bytes of one page; the rest is cut
};

/** The files of a failure. */
export type KeptFailure = NonNullable<PageFailure['kept']>;

/** Failures so far, by job and kind. */
const counts = new WeakMap<object, Map<string, number>>();

/**
 * Stores the page of a failure: the error, or without one an answer whose status is the failure. Undefined if it is
 * not kept; never rejects.
 */
export async function keepFailure(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  snapshot: Snapshot | undefined,
  error?: unknown,
): Promise<KeptFailure | undefined> {
  const { keepsFailures, zeroDataRetention, clean, signal, visitor, position, url } = request;
  const isSecret = zeroDataRetention || clean.redact !== undefined;
  if (keepsFailures !== true || isSecret || signal?.aborted === true) return undefined;
  const page = failedPageOf(error) ?? (snapshot && pageOf(snapshot));
  if (page === undefined || visitor === undefined || !isOfPage(error)) return undefined;
  if (!isAmongFirst(visitor, kindOf(snapshot, error))) return undefined;
  const jobId = request.isStoredWithJob === true ? position?.jobId : undefined;
  const scrapeId = scrapeIdIn(position?.jobId ?? '', url);
  const keep = async (
    kind: Asset['kind'],
    mediaType: string,
    bytes: Uint8Array | undefined,
  ): Promise<{ readonly key?: string; readonly path?: string } | undefined> => {
    if (bytes === undefined || bytes.length === 0) return undefined;
    if (parts.assets === undefined)
      return { key: await parts.assetFiles.set(jobId, bytes, Infinity) };
    return { path: await keepAsset(parts.assets, { kind, mediaType, bytes, url, scrapeId }) };
  };
  // The page's own time has ended: a function that never answers must not hold up the job.
  using deadline = startDeadline(request.timeout, [signal], 'Keeping it');
  const inTime = <T>(work: Promise<T>): Promise<T> => withSignal(work, deadline.signal);
  try {
    const html = await inTime(keep('file', 'text/html', page.html?.subarray(0, limits.html)));
    const screenshot = await inTime(keep('screenshot', 'image/jpeg', page.picture));
    if (html === undefined && screenshot === undefined) return undefined;
    return { ...(html && { html }), ...(screenshot && { screenshot }) };
  } catch (failure) {
    parts.telemetry.warn(`keepFailures: the page ${url} was not kept: ${messageOf(failure)}`);
    return undefined;
  }
}

/** The HTML of an answer, and its picture. */
function pageOf({ headers, body, picture }: Snapshot): ReturnType<typeof failedPageOf> {
  const isHtml = /html|^$/i.test(headers['content-type'] ?? '');
  return isHtml ? { html: body, picture } : undefined;
}

/** False for what is no failure of the page. */
function isOfPage(error: unknown): boolean {
  return !(error instanceof SkippedByHook || error instanceof BudgetRefusal || isStoreError(error));
}

/** `HTTP_STATUS 4`, by the class of the status. */
function kindOf(snapshot: Snapshot | undefined, error: unknown): string {
  const { code, statusCode = snapshot?.statusCode ?? 0 } =
    error instanceof PagewrightError
      ? error
      : { code: error === undefined ? 'HTTP_STATUS' : 'HOOK_FAILED' };
  return `${code} ${Math.floor(statusCode / 100)}`;
}

function isAmongFirst(job: object, kind: string): boolean {
  const known = counts.get(job) ?? new Map<string, number>();
  counts.set(job, known);
  const count = known.get(kind) ?? 0;
  if (count >= limits.failures || (count === 0 && known.size >= limits.kinds)) return false;
  known.set(kind, count + 1);
  return true;
}
