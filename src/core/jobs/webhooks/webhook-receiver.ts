/** Delivers messages to the receiver of a webhook: attempts, retries, and a pause while it is down. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poster, PostRequest } from '../../http/post.ts';
import { type ErrorCode, PagewrightError } from '../../runtime/errors.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { retryAfter, isRedirect } from '../../../content/text/http-headers.ts';
import type { WebhookMessage } from './webhook-message.ts';
import { signedHeaders } from './webhook-signature.ts';

/** What ends a delivery early. */
export interface DeliverySignals {
  /** Ends everything at once. */
  readonly halt: AbortSignal;
  /** Ends the gap between two attempts; one more attempt follows, without a gap. */
  readonly hurry: AbortSignal;
  /** Called before each attempt; the delivery rejects as it does. */
  readonly confirm?: () => Promise<void>;
}

/** The result of a delivery. */
export interface WebhookDelivery {
  readonly attempts: number;
  /** The last attempt, unless the receiver accepted the message. */
  readonly failed: FailedDelivery | undefined;
}

/** Sends one message at a time to a receiver. */
export class WebhookReceiver {
  readonly #url: URL;
  readonly #poster: Poster;
  readonly #times: DeliveryTimes;
  /** Messages given up in a row. */
  #givenUp = 0;
  #triedAt = -Infinity;
  #lastFailure: FailedDelivery | undefined;

  constructor(url: URL, poster: Poster, times: DeliveryTimes) {
    this.#url = url;
    this.#poster = poster;
    this.#times = times;
  }

  /** The last failure, while the receiver is down and was tried recently. */
  get down(): FailedDelivery | undefined {
    const isDown = this.#givenUp >= patience;
    const isDue = performance.now() - this.#triedAt >= this.#times.probeGap;
    return isDown && !isDue ? this.#lastFailure : undefined;
  }

  /** Sends until the message is accepted or given up; only once if the message before was given up. */
  async send(
    message: WebhookMessage,
    { halt, hurry, confirm }: DeliverySignals,
  ): Promise<WebhookDelivery> {
    const { gaps, attempt: timeout } = this.#times;
    const most = this.#givenUp === 0 ? gaps.length + 1 : 1;
    const { body, headers, secret } = message;
    for (let attempts = 1; ; attempts += 1) {
      await confirm?.();
      const request = {
        url: this.#url,
        headers: { ...headers, ...signedHeaders(body, secret) },
        body,
        signal: halt,
      };
      const failed = await attemptDelivery(this.#poster, request, timeout);
      this.#triedAt = performance.now();
      if (failed === undefined) {
        this.#givenUp = 0;
        return { attempts, failed };
      }
      const isLast = !failed.mayRetry || attempts >= most || hurry.aborted;
      if (!isLast) await this.#pause(attempts, failed, hurry);
      if (!isLast && !halt.aborted) continue;
      this.#givenUp = failed.isDown ? this.#givenUp + 1 : 0;
      this.#lastFailure = failed;
      return { attempts, failed };
    }
  }

  async #pause(attempts: number, failed: FailedDelivery, hurry: AbortSignal): Promise<void> {
    const { gaps, longestPause } = this.#times;
    // Jitter: receivers that failed together are not retried together.
    const gap = (gaps[attempts - 1] ?? 0) * (0.75 + Math.random() / 2);
    const pause = Math.max(gap, Math.min(failed.pause, longestPause));
    await sleep(pause, undefined, { signal: hurry }).catch(() => undefined);
  }
}

const patience = 3; // messages given up in a row before the receiver counts as down

// One attempt to reach a receiver, and the classification of its failure.

/** An attempt that did not succeed. */
interface FailedDelivery {
  readonly code: ErrorCode;
  readonly error: string;
  /** False when the same bytes cannot succeed later. */
  readonly mayRetry: boolean;
  /** False when the receiver's answer concerns only this event. */
  readonly isDown: boolean;
  /** Milliseconds that the receiver asks to wait. */
  readonly pause: number;
}

/** Sends the message once, within `timeout` ms; undefined means that it was accepted (any 2xx). */
async function attemptDelivery(
  poster: Poster,
  request: PostRequest,
  timeout: number,
): Promise<FailedDelivery | undefined> {
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

/**
 * Statuses that the same bytes would get again: the receiver refuses them, or does not accept POST.
 */
const finalStatuses: ReadonlySet<number> = new Set([
  400, 405, 410, 411, 413, 414, 415, 422, 431, 501,
]);

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

// Time limits of deliveries.

/** Time limits in ms. */
export interface DeliveryTimes {
  /** The limit of one attempt. */
  readonly attempt: number;
  /** Gaps between the attempts for one event (one attempt more than gaps), each ± a quarter. */
  readonly gaps: readonly number[];
  /** The longest gap that Retry-After can cause. */
  readonly longestPause: number;
  /** The gap between two attempts while the receiver is down. */
  readonly probeGap: number;
  /** The time for deliveries after the job's end. */
  readonly afterEnd: number;
  /** The time for an event on its way when a job is left that can be resumed. */
  readonly afterLeave: number;
  /** The time for deliveries after the client was closed. */
  readonly afterClose: number;
}

/** Five attempts over about a minute. */
export const deliveryTimes: DeliveryTimes = {
  attempt: 10_000,
  gaps: [1_000, 4_000, 15_000, 40_000],
  longestPause: 60_000,
  probeGap: 30_000,
  afterEnd: 60 * 60 * 1000,
  afterLeave: 3_000,
  afterClose: 5_000,
};
