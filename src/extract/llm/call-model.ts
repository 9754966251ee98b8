/** Calls a model; retries temporary failures. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { retry, retryPolicies } from '../../core/runtime/retry.ts';
import { thrownFailure } from './model-failure.ts';

/** Settings of a call. */
export interface ModelCall {
  /** The model's name, for messages. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** True once part of the answer was passed on: a further attempt would repeat it. */
  readonly hasBegun?: (() => boolean) | undefined;
}

/**
 * Calls `attempt` until it succeeds, three times at most: rate limits, failures of the server and broken
 * connections may be temporary. Rejects with `MODEL_FAILED`, with permanent errors such as
 * `BLOCKED_ADDRESS`, and with the signal's reason as soon as it aborts.
 */
export function callModel<T>(attempt: () => PromiseLike<T>, call: ModelCall): Promise<T> {
  const { name, signal, clock, hasBegun = () => false } = call;
  // Synchronous errors become rejections.
  const work = (): Promise<T> => withSignal((async () => attempt())(), signal);
  return retry(retryPolicies.model, work, {
    signal,
    clock,
    failureOf: (thrown, tries) => {
      const failure = thrownFailure(name, thrown, clock.now());
      if (!failure.mayRetry) return failure;
      const { error, pause } = failure;
      return { error: lastingFailure(error, tries), mayRetry: !hasBegun(), pause };
    },
  });
}

/** A temporary failure that lasted becomes `MODEL_FAILED`, whatever its code was. */
function lastingFailure(failure: PagewrightError, tries: number): PagewrightError {
  const { message, retryAfter, url } = failure;
  const often = tries === 1 ? '' : ` The model was called ${tries} times.`;
  const cause = failure.code === 'MODEL_FAILED' ? failure.cause : failure;
  return new PagewrightError('MODEL_FAILED', message + often, { retryAfter, url, cause });
}

// The system's clock, for a model that is not connected to a client.

/** The random numbers decide gaps between attempts, nothing secret. */
export const systemClock: Clock = { now: Date.now, random: Math.random };
