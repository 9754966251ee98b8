/** Asking a model until it answers: what passes by itself is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { thrownFailure } from './model-failure.ts';
import { untilAborted } from './until-aborted.ts';

/** How a model is asked. */
export interface Asking {
  /** Who is asked, for messages. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** True once something of the answer was handed on: a further attempt would begin it again. */
  readonly hasBegun?: (() => boolean) | undefined;
}

/** Attempts in all. */
const most = 3;

/** Milliseconds before the second attempt; the gap doubles. */
const firstGap = 500;

/** Milliseconds that a server may ask to wait; one that asks for more is not asked again. */
const longestPause = 30_000;

/**
 * Calls `attempt` until it succeeds, three times at most: rate limits, failures of the server and broken
 * connections pass by themselves. Rejects with `MODEL_FAILED`, with what no attempt can change, such as
 * `BLOCKED_ADDRESS`, and with the signal's reason as soon as it aborts.
 */
export async function askModel<T>(attempt: () => PromiseLike<T>, asking: Asking): Promise<T> {
  const { name, signal, clock, hasBegun = () => false } = asking;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await untilAborted(start(attempt), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { error: failure, mayRetry, pause = 0 } = thrownFailure(name, error, clock.now());
      if (!mayRetry) throw failure;
      if (hasBegun() || tries >= most || pause > longestPause) throw lasting(failure, tries);
      const gap = firstGap * 2 ** (tries - 1) * (0.5 + clock.random() / 2);
      await sleep(Math.max(gap, pause), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** What throws at once rejects, too. */
async function start<T>(attempt: () => PromiseLike<T>): Promise<T> {
  return attempt();
}

/** What passes by itself and did not is the model's failure, whatever the connection calls it. */
function lasting(failure: PagewrightError, tries: number): PagewrightError {
  const { message, retryAfter, url } = failure;
  const often = tries === 1 ? '' : ` It was asked ${tries} times.`;
  const cause = failure.code === 'MODEL_FAILED' ? failure.cause : failure;
  return new PagewrightError('MODEL_FAILED', message + often, { retryAfter, url, cause });
}
