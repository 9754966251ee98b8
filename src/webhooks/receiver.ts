/** The other end of a webhook: sent to once or again, and taken for down when it does not answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poster } from '../engines/http/post.ts';
import { attempt, type FailedAttempt } from './attempt.ts';
import type { DeliveryTimes } from './delivery-times.ts';
import type { WebhookMessage } from './webhook-message.ts';

/** What ends a delivery early. */
export interface DeliverySignals {
  /** Ends everything at once. */
  readonly halt: AbortSignal;
  /** Ends the gap between two attempts; there is one more, and no other gap. */
  readonly hurry: AbortSignal;
}

/** How a delivery ended. */
export interface Delivery {
  readonly attempts: number;
  /** The last attempt, unless the message was taken. */
  readonly failed: FailedAttempt | undefined;
}

/** One message at a time. */
export class Receiver {
  readonly #url: URL;
  readonly #poster: Poster;
  readonly #times: DeliveryTimes;
  /** Messages given up in a row. */
  #givenUp = 0;
  #triedAt = -Infinity;
  #lastFailure: FailedAttempt | undefined;

  constructor(url: URL, poster: Poster, times: DeliveryTimes) {
    this.#url = url;
    this.#poster = poster;
    this.#times = times;
  }

  /** What it failed with, while it is down and was tried not long ago. */
  get down(): FailedAttempt | undefined {
    const isDown = this.#givenUp >= patience;
    const isDue = performance.now() - this.#triedAt >= this.#times.probeGap;
    return isDown && !isDue ? this.#lastFailure : undefined;
  }

  /** Sends until it is taken or given up. Where the message before was given up, once. */
  async send(message: WebhookMessage, { halt, hurry }: DeliverySignals): Promise<Delivery> {
    const { gaps, attempt: timeout } = this.#times;
    const most = this.#givenUp === 0 ? gaps.length + 1 : 1;
    const request = { ...message, url: this.#url, signal: halt };
    for (let attempts = 1; ; attempts += 1) {
      const failed = await attempt(this.#poster, request, timeout);
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

  async #pause(attempts: number, failed: FailedAttempt, hurry: AbortSignal): Promise<void> {
    const { gaps, longestPause } = this.#times;
    // Receivers that failed together are not asked together.
    const gap = (gaps[attempts - 1] ?? 0) * (0.75 + Math.random() / 2);
    const pause = Math.max(gap, Math.min(failed.pause, longestPause));
    await sleep(pause, undefined, { signal: hurry }).catch(() => undefined);
  }
}

/** Messages given up in a row before the receiver is down: one alone may be at fault itself. */
const patience = 3;
