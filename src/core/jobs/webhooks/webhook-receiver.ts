/** Delivers messages to the receiver of a webhook: attempts, retries, and a pause while it is down. */
import type { PostClient, PostRequest } from '../../http/post.ts';
import { PagewrightError } from '../../runtime/errors.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import {
  type AttemptFailure,
  failureBy,
  mayPass,
  retry,
  retryPolicies,
  type RetryPolicy,
} from '../../runtime/retry.ts';
import { retryAfter, isRedirect } from '../../../content/text/http-headers.ts';
import type { WebhookMessage } from './webhook-message.ts';
import { signedHeaders } from './webhook-signature.ts';

/** Signals that end a delivery early. */
export interface DeliverySignals {
  /** Ends everything at once. */
  readonly halt: AbortSignal;
  /** Ends the gap between two attempts; one more attempt follows, without a gap. */
  readonly hurry: AbortSignal;
  /** Called before each attempt; its rejection is the delivery's. */
  readonly confirm?: () => Promise<void>;
}

/** The result of a delivery. */
export interface WebhookDelivery {
  attempts: number;
  /** The error of the last attempt, unless the receiver accepted the message. */
  failed: PagewrightError | undefined;
}

/** Sends one message at a time to a receiver. */
export class WebhookReceiver {
  readonly #url: URL;
  readonly #poster: PostClient;
  readonly #times: DeliveryTimes;
  /** Messages given up in a row. */
  #givenUp = 0;
  #triedAt = -Infinity;
  #lastFailure: PagewrightError | undefined;

  constructor(url: URL, poster: PostClient, times: DeliveryTimes) {
    this.#url = url;
    this.#poster = poster;
    this.#times = times;
  }

  /** The last failure, while the receiver is down and was tried recently. */
  get down(): PagewrightError | undefined {
    const isAway = this.#givenUp >= patience;
    const isDue = performance.now() - this.#triedAt >= this.#times.probeGap;
    return isAway && !isDue ? this.#lastFailure : undefined;
  }

  /** Sends until the message is accepted or given up; only once if the message before was given up. */
  async send(
    message: WebhookMessage,
    { halt, hurry, confirm }: DeliverySignals,
  ): Promise<WebhookDelivery> {
    const { body, headers, secret } = message;
    const delivery: WebhookDelivery = { attempts: 0, failed: undefined };
    const work = async (): Promise<void> => {
      if (delivery.failed !== undefined && halt.aborted) throw delivery.failed;
      await confirm?.();
      const request = {
        url: this.#url,
        headers: { ...headers, ...signedHeaders(body, secret) },
        body,
        signal: halt,
      };
      delivery.attempts += 1;
      delivery.failed = await attemptDelivery(this.#poster, request, this.#times.attempt);
      this.#triedAt = performance.now();
      if (delivery.failed !== undefined) throw delivery.failed;
    };
    const policy = this.#givenUp === 0 ? this.#times : { ...this.#times, attempts: 1 };
    const failureOf = (error: unknown): AttemptFailure =>
      error === delivery.failed ? failureBy(policy, error) : { error, mayRetry: false };
    await retry(policy, work, { hurry, failureOf }).catch((error: unknown) => {
      if (error !== delivery.failed) throw error;
    });
    const failed = (this.#lastFailure = delivery.failed);
    this.#givenUp = failed !== undefined && isDown(failed) ? this.#givenUp + 1 : 0;
    return delivery;
  }
}

const patience = 3; // messages given up in a row before the receiver counts as down

// One attempt to reach a receiver, and the classification of its failure.

/** False when the receiver's answer concerns only this event. */
function isDown(failed: PagewrightError): boolean {
  return failed.statusCode === undefined || mayPass(retryPolicies.webhook, failed);
}

/** Sends the message once, within `timeout` ms; undefined means that it was accepted (any 2xx). */
async function attemptDelivery(
  poster: PostClient,
  request: PostRequest,
  timeout: number,
): Promise<PagewrightError | undefined> {
  using deadline = startDeadline(timeout, [request.signal], 'A webhook');
  try {
    const answer = await poster.post({ ...request, signal: deadline.signal });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode < 300) return undefined;
    const code = isRedirect(statusCode) ? 'BAD_REDIRECT' : 'WEBHOOK_FAILED';
    return new PagewrightError(code, refusal(request.url.host, statusCode), {
      statusCode,
      retryAfter: retryAfter(answer.retryAfter, Date.now()),
    });
  } catch (error) {
    return asError(error, request, timeout);
  }
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

// Time limits of deliveries.

/** Time limits in ms, and when an event is sent again. */
export interface DeliveryTimes extends RetryPolicy {
  /** The limit of one attempt. */
  readonly attempt: number;
  /** The gap between two attempts while the receiver is down. */
  readonly probeGap: number;
  /** The time for deliveries after the job's end. */
  readonly afterEnd: number;
  /** The time for an event in flight when a resumable job is left. */
  readonly afterLeave: number;
  /** The time for deliveries after the client was closed. */
  readonly afterClose: number;
}

/** Five attempts over about a minute. */
export const deliveryTimes: DeliveryTimes = {
  ...retryPolicies.webhook,
  attempt: 10_000,
  probeGap: 30_000,
  afterEnd: 60 * 60 * 1000,
  afterLeave: 3_000,
  afterClose: 5_000,
};
