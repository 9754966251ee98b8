/** Keeps what there was to see of the first failures of each kind in a job: the HTML, and in a browser a picture. */
import { BudgetRefusal } from '../../extract/llm/model-failure.ts';
import { pageFiles } from '../fetch/page-files.ts';
import { SkippedByHook } from '../hooks/hook-lists.ts';
import { type FailedPage, failedPages } from '../model/failed-page.ts';
import type { PageFailure } from '../model/job.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Asset, Snapshot } from '../model/snapshot.ts';
import { startDeadline, withSignal } from '../runtime/deadline.ts';
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import type { FormatRequest, KeptFile } from '../../content/formats/format.ts';
import { type PipelineParts, scrapeIdIn } from '../page/pipeline.ts';
import { isStoreError } from './durable/job-store.ts';

const limits = {
  failures: 3, // of each kind
  kinds: 10, // in one job
  html: 2_000_000, // bytes of one page; the rest is cut
};

/** Failures so far, by job and kind. */
const counts = new WeakMap<object, Map<string, number>>();

/**
 * Stores the page of a visit that failed: with an error, or with an answer whose status is the failure. Undefined if
 * it did not fail, or is not kept; never rejects.
 */
export async function keepFailure(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  snapshot: Snapshot | undefined,
  error: unknown,
): Promise<PageFailure['kept']> {
  const { keepsFailures, zeroDataRetention, clean, signal, visitor, position, url } = request;
  const isSecret = zeroDataRetention || clean.redact !== undefined;
  if (keepsFailures !== true || isSecret || signal?.aborted === true) return undefined;
  const isErrorPage = request.refusalsArePages === true && (snapshot?.statusCode ?? 0) >= 400;
  if (error === undefined ? !isErrorPage : !isOfPage(error)) return undefined;
  const page = failedPages.get(error as object) ?? snapshot;
  if (page === undefined || !isHtml(page) || visitor === undefined) return undefined;
  if (!isAmongFirst(visitor, kindOf(snapshot, error))) return undefined;
  // The page's own time has ended: a function that never answers must not hold up the job.
  using deadline = startDeadline(request.timeout, [signal], 'Keeping it');
  const scrapeId = scrapeIdIn(position?.jobId ?? '', url);
  const files = pageFiles(parts, { request, scrapeId, deadline, use: { requests: 0, bytes: 0 } });
  const keep = async (
    kind: Asset['kind'],
    mediaType: string,
    bytes: Uint8Array = new Uint8Array(),
  ): Promise<KeptFile | undefined> => {
    if (bytes.length === 0) return undefined;
    const keeping = files.keep({ kind, mediaType, bytes, url }, { maxJobBytes: Infinity });
    return withSignal(keeping, deadline.signal);
  };
  try {
    const html = await keep('file', 'text/html', page.body?.subarray(0, limits.html));
    const screenshot = await keep('screenshot', 'image/jpeg', page.picture);
    if (html === undefined && screenshot === undefined) return undefined;
    return { ...(html && { html }), ...(screenshot && { screenshot }) };
  } catch (failure) {
    parts.telemetry.warn(`keepFailures: the page ${url} was not kept: ${messageOf(failure)}`);
    return undefined;
  }
}

function isHtml({ headers }: FailedPage): boolean {
  return /html|^$/i.test(headers?.['content-type'] ?? '');
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
