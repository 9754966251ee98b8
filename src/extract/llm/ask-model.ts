/** Asks a model until it answers: temporary failures are retried. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { thrownFailure } from './model-failure.ts';

const retry = {
  attempts: 3,
  firstGap: 500, // milliseconds before the second attempt; the gap doubles
  longestPause: 30_000, // milliseconds; a server that asks for a longer wait is not tried again
};

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
export async function askModel<T>(attempt: () => PromiseLike<T>, asking: ModelCall): Promise<T> {
  const { name, signal, clock, hasBegun = () => false } = asking;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await untilAborted(startAttempt(attempt), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { error: failure, mayRetry, pause = 0 } = thrownFailure(name, error, clock.now());
      if (!mayRetry) throw failure;
      if (hasBegun() || tries >= retry.attempts || pause > retry.longestPause)
        throw lastingFailure(failure, tries);
      const gap = retry.firstGap * 2 ** (tries - 1) * (0.5 + clock.random() / 2);
      await sleep(Math.max(gap, pause), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Turns synchronous errors into rejections. */
async function startAttempt<T>(attempt: () => PromiseLike<T>): Promise<T> {
  return attempt();
}

/** A temporary failure that lasted becomes `MODEL_FAILED`, whatever its code was. */
function lastingFailure(failure: PagewrightError, tries: number): PagewrightError {
  const { message, retryAfter, url } = failure;
  const often = tries === 1 ? '' : ` The model was called ${tries} times.`;
  const cause = failure.code === 'MODEL_FAILED' ? failure.cause : failure;
  return new PagewrightError('MODEL_FAILED', message + often, { retryAfter, url, cause });
}

// Waits for a model that may ignore its signal.

/** Settles as `work` does, but rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Many requests of a job share one signal: this is not a leak, each removes its listener.
  setMaxListeners(0, signal);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

// The system's clock, for a model that is not connected to a client.

/** The random numbers decide gaps between attempts, nothing secret. */
export const systemClock: Clock = { now: Date.now, random: Math.random };
