/** The errors of the SDK, made from pagewright's errors. */
import { type ErrorCode, PagewrightError, ValidationError } from '../../core/runtime/errors.ts';

/**
 * Every rejection of the methods, as in the SDK. `cause` is the `PagewrightError`, whose own `code` is finer;
 * a method that this library does not have rejects with the status 501 and the code `NOT_AVAILABLE`.
 *
 * @example
 * try {
 *   await app.scrape(url);
 * } catch (error) {
 *   if (error instanceof SdkError && error.status === 408) console.log('too slow');
 * }
 */
export class SdkError extends Error {
  override name = 'FirecrawlSdkError';
  /** The HTTP status that the service answers with in this case. */
  status?: number | undefined;
  /** A code of the service, such as `SCRAPE_TIMEOUT`, or, where the service has none, of pagewright. */
  code?: string | undefined;
  /** For wrong parameters: each problem, with its path and message. */
  details?: unknown;
  /** The job that the error is about. */
  jobId?: string | undefined;

  constructor(message: string, status?: number, code?: string, details?: unknown, jobId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.jobId = jobId;
  }
}

/** A crawl or batch did not end within the `timeout` of the call. The job continues. */
export class JobTimeoutError extends SdkError {
  override name = 'JobTimeoutError';
  timeoutSeconds: number;

  constructor(jobId: string, timeoutSeconds: number, jobType: JobKind = 'batch') {
    const message = `The ${jobType} job ${jobId} did not end within ${timeoutSeconds} seconds. It continues: ask for its status, or cancel it.`;
    super(message, undefined, 'JOB_TIMEOUT', undefined, jobId);
    this.timeoutSeconds = timeoutSeconds;
  }
}

/** A job with pages. */
export type JobKind = 'crawl' | 'batch';

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  INVALID_URL: 400,
  UNSUPPORTED_PROTOCOL: 400,
  MODEL_REQUIRED: 400,
  OCR_REQUIRED: 400,
  BLOCKED_ADDRESS: 403,
  BLOCKED_BY_SITE: 403,
  ROBOTS: 403,
  CACHE_MISS: 404,
  JOB_NOT_FOUND: 404,
  JOB_EXPIRED: 404,
  TIMEOUT: 408,
  HOST_BUSY: 429,
};

const codes: Readonly<Partial<Record<ErrorCode, string>>> = {
  TIMEOUT: 'SCRAPE_TIMEOUT',
  DNS: 'SCRAPE_DNS_RESOLUTION_ERROR',
  TLS: 'SCRAPE_SSL_ERROR',
  ACTION_FAILED: 'SCRAPE_ACTION_ERROR',
  UNSUPPORTED_CONTENT: 'SCRAPE_UNSUPPORTED_FILE_ERROR',
  OCR_REQUIRED: 'SCRAPE_PDF_OCR_REQUIRED',
  CACHE_MISS: 'SCRAPE_NO_CACHED_DATA',
};

/** The service's name for a code, where it has one. */
export function sdkCode(code: ErrorCode): string {
  return codes[code] ?? code;
}

/** Runs a method; its errors become errors of the SDK. */
export async function withSdkErrors<T>(work: () => T | Promise<T>, jobId?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PagewrightError ? sdkError(error, jobId) : error;
  }
}

/** The error of the SDK for one of pagewright. */
function sdkError(error: PagewrightError, jobId?: string): SdkError {
  const details = error instanceof ValidationError ? error.issues : undefined;
  const status = statuses[error.code] ?? 500;
  const made = new SdkError(error.message, status, sdkCode(error.code), details, jobId);
  made.cause = error;
  return made;
}

/** A parameter that is wrong. */
export function badRequest(message: string): SdkError {
  return new SdkError(message, 400, 'BAD_REQUEST');
}

/** A method or parameter of the service that has no counterpart here. */
export function notAvailable(name: string, reason: string): SdkError {
  return new SdkError(`${name} is not available here: ${reason}`, 501, 'NOT_AVAILABLE');
}

/** Throws for a text that has to have words. */
export function requireText(what: string, text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '') return text.trim();
  throw badRequest(`${what} cannot be empty`);
}
