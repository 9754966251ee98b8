/** One attempt to reach a receiver, and what its failure means. */
import type { Poster, PostRequest } from '../engines/http/post.ts';
import { type ErrorCode, PagewrightError } from '../errors.ts';
import { retryAfter } from '../text/retry-after.ts';
import { startDeadline } from '../network/deadline.ts';

/** An attempt that did not succeed. */
export interface FailedAttempt {
  readonly code: ErrorCode;
  readonly error: string;
  /** False when the same bytes cannot succeed later. */
  readonly mayRetry: boolean;
  /** False when the receiver gave an answer that is about this event only. */
  readonly isDown: boolean;
  /** Milliseconds that the receiver asks to be left alone. */
  readonly pause: number;
}

/** Sends it once, within `timeout` ms; undefined means that it was taken (any 2xx). */
export async function attempt(
  poster: Poster,
  request: PostRequest,
  timeout: number,
): Promise<FailedAttempt | undefined> {
  using deadline = startDeadline(timeout, [request.signal], 'A webhook');
  try {
    const answer = await poster.post({ ...request, signal: deadline.signal });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode < 300) return undefined;
    const isFinal = finalStatuses.has(statusCode) || isRedirect(statusCode);
    return {
      code: isRedirect(statusCode) ? 'BAD_REDIRECT' : 'WEBHOOK_FAILED',
      error: refusal(request.url.host, statusCode),
      mayRetry: !isFinal,
      isDown: !isFinal,
      pause: retryAfter(answer.retryAfter, Date.now()) ?? 0,
    };
  } catch (error) {
    const { code, message } = asError(error, request, timeout);
    const mayRetry = code !== 'BLOCKED_ADDRESS' && code !== 'CANCELLED';
    return { code, error: message, mayRetry, isDown: true, pause: 0 };
  }
}

/** What the same bytes are answered with again: a receiver that does not want them, or not by POST. */
const finalStatuses: ReadonlySet<number> = new Set([
  ...[400, 405, 410, 411, 413, 414, 415, 422, 431, 501],
]);

function isRedirect(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 400;
}

function refusal(host: string, statusCode: number): string {
  return isRedirect(statusCode)
    ? `${host} answered ${statusCode}. Redirects are not followed: give the URL that they lead to.`
    : `${host} answered ${statusCode}; any 2xx would have been right.`;
}

function asError(error: unknown, { url, signal }: PostRequest, timeout: number): PagewrightError {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (!(reason instanceof PagewrightError)) {
    return new PagewrightError('WEBHOOK_FAILED', String(reason), { cause: reason });
  }
  if (reason.code !== 'TIMEOUT' || signal.aborted) return reason;
  return new PagewrightError('TIMEOUT', `${url.host} did not answer within ${timeout} ms.`);
}
