/** Jobs in the shape of the SDK: status, pages of documents, errors, and waiting for the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { ExtractJob } from '../../core/jobs/extract-job.ts';
import type { JobProgress } from '../../core/jobs/job-status.ts';
import type { Job } from '../../core/jobs/job.ts';
import { type Document, toDocument } from './document.ts';
import type { PageClient } from './page-client.ts';
import { badRequest, type JobKind, JobTimeoutError, sdkCode } from './sdk-error.ts';

/** The answer to the start of a job. */
export interface CrawlResponse {
  id: string;
  /** Names the job: `pagewright:/v2/crawl/<id>`. Nothing answers there. */
  url: string;
}

/** The answer to the start of a batch. */
export interface BatchScrapeResponse extends CrawlResponse {
  /** Entries that are not URLs, if there are any. */
  invalidURLs?: string[];
}

/** A crawl or batch with the documents so far, in their order. */
export interface CrawlJob {
  id: string;
  status: 'scraping' | 'completed' | 'failed' | 'cancelled';
  /** Pages that are, or may become, documents. */
  total: number;
  completed: number;
  /** Counted as the service does; nothing is charged. */
  creditsUsed?: number;
  /** ISO 8601; while the job runs, as if it ended now. */
  expiresAt: string;
  /** The link to the next documents, or null. */
  next?: string | null;
  data: Document[];
  warning?: string;
}

/** A batch: as a crawl. */
export type BatchScrapeJob = CrawlJob;

/** The documents of a status. */
export interface PaginationConfig {
  /** Documents to pass over, as the link `next` says. The SDK has no such option. @default 0 */
  skip?: number | undefined;
  /** All documents, not only the first 100. @default true */
  autoPaginate?: boolean | undefined;
  /** Pages of 100 documents after the first. @default no limit */
  maxPages?: number | undefined;
  /** Documents. @default no limit */
  maxResults?: number | undefined;
  /** Seconds for reading documents after the first page. @default no limit */
  maxWaitTime?: number | undefined;
}

/** Pages that failed, and pages that robots.txt disallows. */
export interface CrawlErrorsResponse {
  errors: { id: string; timestamp?: string; url: string; code?: string; error: string }[];
  robotsBlocked: string[];
}

/** A crawl that is running. */
export interface ActiveCrawl {
  id: string;
  /** Always `local`: there are no teams. */
  teamId: string;
  url: string;
  /** The options of pagewright, without secrets. */
  options?: Record<string, unknown> | null;
}

/** The crawls of the client that are running. */
export interface ActiveCrawlsResponse {
  success: boolean;
  crawls: ActiveCrawl[];
}

/** A page of a job's documents. */
interface DocumentPage {
  readonly progress: JobProgress;
  readonly data: Document[];
  /** The number of the first document after it. */
  readonly next: number | undefined;
}

/** Documents on a page, as in the service. */
const pageSize = 100;

/** The crawl or batch of that id. Throws `JOB_NOT_FOUND`. */
export function pageJob(client: PageClient, id: unknown): Job<object> {
  const job = client.jobs.get(jobId(id));
  if ('explain' in job) return job;
  throw new PagewrightError('JOB_NOT_FOUND', `Job ${job.id} is an extraction: getExtractStatus().`);
}

/** The extraction of that id. Throws `JOB_NOT_FOUND`. */
export function extraction(client: PageClient, id: unknown): ExtractJob<unknown, boolean> {
  const job = client.jobs.get(jobId(id));
  if (!('explain' in job)) return job;
  throw new PagewrightError('JOB_NOT_FOUND', `Job ${job.id} is not an extraction.`);
}

function jobId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  throw badRequest('The id of the job cannot be empty');
}

/** Pages of a job's documents. The first may be empty. */
async function* documentPages(
  job: Job<object>,
  skip: number,
): AsyncGenerator<DocumentPage, void, undefined> {
  let from = skip;
  for (;;) {
    const { data, next, changes: _, ...progress } = await job.status({ skip: from });
    for (let at = 0; at === 0 || at < data.length; at += pageSize) {
      const end = at + pageSize;
      yield {
        progress,
        data: data.slice(at, end).map(toDocument),
        next: end < data.length ? from + end : next,
      };
    }
    if (next === undefined || data.length === 0) return;
    from = next;
  }
}

/** The status of a job with its documents. */
export async function statusOf(
  job: Job<object>,
  kind: JobKind,
  pagination: PaginationConfig = {},
): Promise<CrawlJob> {
  const {
    skip = 0,
    autoPaginate = true,
    maxPages = Infinity,
    maxResults = Infinity,
    maxWaitTime = Infinity,
  } = pagination;
  const data: Document[] = [];
  const begin = performance.now();
  let pages = 0;
  let last: DocumentPage | undefined;
  for await (const page of documentPages(job, skip)) {
    last = page;
    data.push(...page.data);
    if (!autoPaginate) break;
    const seconds = (performance.now() - begin) / 1000;
    if (pages >= maxPages || data.length >= maxResults || seconds > maxWaitTime) break;
    pages += 1;
  }
  const { progress, next } = last as DocumentPage;
  const link = autoPaginate || next === undefined ? null : jobLink(kind, job.id, next);
  return crawlJob(progress, data.slice(0, maxResults), link);
}

/** A job in the form of the SDK. */
export function crawlJob(progress: JobProgress, data: Document[], next: string | null): CrawlJob {
  const { id, status, total, completed, creditsUsed, expiresAt, warning } = progress;
  return {
    id,
    status,
    total,
    completed,
    creditsUsed,
    expiresAt,
    next,
    data,
    ...(warning === undefined ? {} : { warning }),
  };
}

/** The name of a job, or of its documents from a number on. */
export function jobLink(kind: JobKind, id: string, skip?: number): string {
  const path = kind === 'crawl' ? 'crawl' : 'batch/scrape';
  return `pagewright:/v2/${path}/${id}${skip === undefined ? '' : `?skip=${skip}`}`;
}

/**
 * The job once it has ended in any state. Rejects with `JobTimeoutError` after that many seconds; the job
 * continues then.
 */
export async function finalStatus(
  job: Job<object>,
  kind: JobKind,
  timeout?: number | null,
): Promise<CrawlJob> {
  const final = job.then(
    ({ data, errors: _, changes: __, ...progress }) =>
      crawlJob(progress, data.map(toDocument), null),
    () => statusOf(job, kind),
  );
  return within(final, timeout, () => new JobTimeoutError(job.id, timeout ?? 0, kind));
}

/** Checks the seconds that a call may wait; before its job starts. */
export function checkTimeout(seconds: number | null | undefined): void {
  if (seconds === undefined || seconds === null || seconds > 0) return;
  throw badRequest('timeout must be positive');
}

/** The value, or the error when it takes longer than that many seconds. */
export async function within<T>(
  value: Promise<T>,
  seconds: number | null | undefined,
  late: () => Error,
): Promise<T> {
  if (seconds === undefined || seconds === null) return value;
  const waiting = new AbortController();
  const { signal } = waiting;
  // The limit of timers.
  const milliseconds = Math.min(seconds * 1000, 2 ** 31 - 1);
  try {
    return await Promise.race([
      value,
      sleep(milliseconds, undefined, { signal }).then(() => Promise.reject(late())),
    ]);
  } finally {
    waiting.abort();
  }
}

/** Seconds that a cancelled job has to end. */
const cancelSeconds = 6;

/** Cancels a job and waits until it has ended; false if it had ended before. */
export async function cancelJob(job: Job<object>): Promise<boolean> {
  await readJob(job);
  job.cancel();
  const ended = job.then(
    () => undefined,
    () => undefined,
  );
  // A job that no process runs ends when it is resumed.
  await within(ended, cancelSeconds, () => new Error()).catch(() => undefined);
  const { status } = job.progress;
  return status === 'cancelled' || status === 'scraping';
}

/** Reads a job of the storage, so that its errors are known. Rejects with `JOB_NOT_FOUND`. */
async function readJob(job: Job<object>): Promise<void> {
  await job.status({ skip: Number.MAX_SAFE_INTEGER });
}

/** The failed pages, and the URLs that robots.txt disallows. */
export async function errorsOf(job: Job<object>): Promise<CrawlErrorsResponse> {
  await readJob(job);
  return {
    errors: job.errors().map(({ url, code, error, timestamp }, index) => ({
      id: `${job.id}-${index}`,
      timestamp,
      url,
      code: sdkCode(code),
      error,
    })),
    robotsBlocked: job
      .skipped()
      .filter(({ reason }) => reason === 'ROBOTS')
      .map(({ url }) => url),
  };
}

/** The crawls of a client that are running. */
export async function activeCrawls(client: PageClient): Promise<ActiveCrawl[]> {
  const jobs = await client.jobs.list();
  const crawls = jobs.filter(({ verb, isRunning }) => verb === 'crawl' && isRunning);
  return Promise.all(
    crawls.map(async ({ id, url = '' }) => {
      const job = pageJob(client, id);
      // The options of a job of the storage are read with it.
      if (job.input === undefined) await job.status();
      return { id, teamId: 'local', url, options: { ...job.input?.options } };
    }),
  );
}

/** The state of an extraction, and its data so far or at its end. */
export interface ExtractResponse {
  success?: boolean;
  id?: string;
  status?: 'processing' | 'completed' | 'failed' | 'cancelled';
  data?: unknown;
  error?: string;
  warning?: string;
  /** The URLs of each value, by its path in the data, if `showSources` was given. */
  sources?: Record<string, unknown>;
  expiresAt?: string;
  creditsUsed?: number;
}

/** The state of an extraction. */
export async function extractStatus(
  job: ExtractJob<unknown, boolean>,
  showSources: boolean,
): Promise<ExtractResponse> {
  const { success, id, status, data, warning, expiresAt, creditsUsed } = job.status();
  const state = {
    success,
    id,
    status,
    ...(data === undefined ? {} : { data }),
    ...(warning === undefined ? {} : { warning }),
    expiresAt,
    creditsUsed,
  };
  if (status === 'processing') return state;
  return job.then(
    ({ data: final, sources }) => ({
      ...state,
      data: final,
      ...(showSources ? { sources: { ...sources } } : {}),
    }),
    (error: unknown) => ({
      ...state,
      error: error instanceof Error ? error.message : String(error),
    }),
  );
}
