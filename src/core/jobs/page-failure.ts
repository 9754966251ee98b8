/** Failed pages as data, and error pages as failures of their job. */
import { STATUS_CODES } from 'node:http';
import { type ErrorCode, messageOf, PagewrightError } from '../runtime/errors.ts';
import type { FormatRequest } from '../../content/formats/format.ts';
import { SkippedByHook } from '../hooks/hook-lists.ts';
import type { PlainDocument } from '../model/document.ts';
import type { ErrorAnswer, PageFailure } from '../model/job.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ErrorPages } from '../options/job-options.ts';
import { acceptedDocument, type FetchedPage, type PipelineParts } from '../page/pipeline.ts';
import { isStoreError } from './durable/job-store.ts';

/** The failure of a page as data. An error page also has its `document`. */
export function failureOf(
  page: Pick<PageFailure, 'url' | 'parent' | 'label' | 'data'>,
  error: unknown,
  now: number,
  document?: PlainDocument,
): PageFailure {
  const { code, statusCode } =
    error instanceof PagewrightError
      ? error
      : { code: 'HOOK_FAILED' as const, statusCode: undefined };
  return {
    ...page,
    code,
    error: messageOf(error),
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(document === undefined ? {} : { document }),
    timestamp: new Date(now).toISOString(),
  };
}

/** True when the job counts a page as failed by the status of its last answer. */
export function isErrorPage(
  { errorPages }: { readonly errorPages: ErrorPages },
  { statusCode }: Pick<Snapshot, 'statusCode'>,
): boolean {
  return errorPages === 'fail' && statusCode >= 400;
}

/** An error page as received. */
export interface ErrorPage {
  readonly errorAnswer: ErrorAnswer;
  /** Rejects where `errorAnswer.hasDocument` is false. */
  readonly document: () => Promise<PlainDocument>;
}

/**
 * Reads an error page. No model is called, its document costs nothing, and an unreadable error page yields an answer
 * without a document. Rejects with `SkippedByHook` when a hook leaves the page out, and with `STORAGE`.
 */
export async function readErrorPage(
  { clock }: Pick<PipelineParts, 'clock'>,
  { snapshot, read }: FetchedPage,
  { url, formats, signal }: Pick<ScrapeRequest<FormatRequest>, 'url' | 'formats' | 'signal'>,
): Promise<ErrorPage> {
  const { statusCode, url: finalUrl, body } = snapshot;
  const answered = { statusCode, finalUrl, at: clock.now() };
  try {
    const free = formats.filter(({ uses }) => uses.model !== true && uses.downloads !== true);
    const document = acceptedDocument(await read({ formats: free }));
    document.metadata.creditsUsed = 0;
    const errorAnswer = { ...answered, hasDocument: body.length > 0 };
    return { errorAnswer, document: () => Promise.resolve(document) };
  } catch (error) {
    const isOfPage = !(error instanceof SkippedByHook || isStoreError(error));
    if (!isOfPage || signal?.aborted === true) throw error;
    const failure = httpStatusError(url, answered);
    const errorAnswer = { ...answered, hasDocument: false };
    return { errorAnswer, document: () => Promise.reject(failure) };
  }
}

/** The failure of an error page. */
export function httpStatusError(
  url: string,
  { finalUrl, statusCode }: Pick<ErrorAnswer, 'finalUrl' | 'statusCode'>,
  advice = "To keep error pages as documents, set errorPages: 'keep'.",
  cause?: unknown,
): PagewrightError {
  const from = finalUrl === url ? url : `${url}, which redirects to ${finalUrl},`;
  const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
  return new PagewrightError('HTTP_STATUS', `${from} answered ${status}. ${advice}`, {
    url,
    statusCode,
    cause,
  });
}

/** Codes of answers whose body could not be received. */
const unreceived: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BODY_TOO_LARGE',
  'DECOMPRESSION',
  'TRUNCATED_BODY',
  'PROTOCOL_ERROR',
  'CONNECTION_RESET',
]);

/** An error page fails by its status, even if its body could not be received; other errors stay unchanged. */
export function pageError(
  { errorPages }: { readonly errorPages: ErrorPages },
  url: string,
  error: unknown,
): unknown {
  if (errorPages !== 'fail' || !(error instanceof PagewrightError)) return error;
  const { code, statusCode = 0, url: finalUrl = url, message } = error;
  if (statusCode < 400 || !unreceived.has(code)) return error;
  return httpStatusError(url, { finalUrl, statusCode }, message, error);
}

type FailureKind = Pick<PageFailure, 'code' | 'statusCode'>;

/** `HTTP_STATUS 404`, or the code alone. */
export function kindOf({ code, statusCode }: FailureKind): string {
  return statusCode === undefined ? code : `${code} ${statusCode}`;
}

/** `2 HTTP_STATUS 404, 1 TIMEOUT`: the most frequent first. */
export function failureKinds(failures: readonly FailureKind[]): string {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    const kind = kindOf(failure);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}
