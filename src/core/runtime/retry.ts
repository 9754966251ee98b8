/** Retries: one loop, and its policies. A policy is data; `docs/politeness.md` has them as a table. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { PagewrightError } from './errors.ts';

/** Failures to retry, when, how often. */
export interface RetryPolicy {
  /** Temporary failures: statuses, classes of them (`5xx`), error codes, `error` for all without a response. */
  readonly retried: string;
  /** Permanent failures among them. @default none */
  readonly final?: string;
  /** Milliseconds before the second attempt, the third, and so on; the last gap repeats. */
  readonly gaps: readonly number[];
  /** Each gap is multiplied by a random number between these two. */
  readonly jitter: readonly [least: number, most: number];
  /** The longest Retry-After that is respected, in milliseconds. @default 0 */
  readonly longestPause?: number;
  /** Shortens a longer one to that; otherwise it ends the attempts. @default false */
  readonly shortensPause?: boolean;
  /** Attempts at most, the first included. @default one more than `gaps` */
  readonly attempts?: number;
  /** Milliseconds for all attempts. @default no limit */
  readonly time?: number;
}

const half = [0.5, 1] as const;
const noConnection = 'TIMEOUT DNS CONNECTION_REFUSED CONNECTION_RESET TRUNCATED_BODY';
const notSent = 'PROXY_FAILED TOO_MANY_OPEN_FILES';
const api = { gaps: [500, 1000], jitter: half };

const page = {
  // Statuses of temporary failures: from RFC 9110, and Cloudflare's for a failing origin. Not HOST_BUSY: the host stays
  // closed for longer than the page has; not MODEL_FAILED: the model was called again already.
  retried: `408 425 429 500 502 503 504 520 521 522 523 524 ${noConnection} ${notSent} BROWSER_CRASHED`,
  gaps: [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400],
  jitter: half,
  longestPause: Infinity, // within the time of the page
  attempts: 3, // one more than the option `retries`
};

/** Every policy. */
export const retryPolicies = {
  page,
  /** A page asked for with POST or PATCH that has not been sent. Of its answers only 429 and 503 with Retry-After are retried. */
  unsentPage: { ...page, retried: `DNS CONNECTION_REFUSED ${notSent}` },
  /** A page whose host is overloaded. */
  overloadedPage: { ...page, retried: '429 503', gaps: page.gaps.map((gap) => 5 * gap) },
  /** A page of a job whose host sets a pause: it waits for the host, which gets no request until then. */
  rateLimit: { retried: '429 503', gaps: [0], jitter: half, longestPause: Infinity, attempts: 11 },
  model: { ...api, retried: `408 409 429 5xx ${noConnection}`, longestPause: 30_000 },
  searchEngine: { ...api, retried: `429 5xx ${noConnection} ${notSent}`, longestPause: 10_000 },
  /** S3 requests retries, also if conditional writes meet. */
  s3: {
    retried: '408 429 5xx RequestTimeout ConditionalRequestConflict OperationAborted error',
    final: '501 505 507',
    gaps: [100, 200, 400, 800, 1600],
    jitter: half,
    shortensPause: true,
  },
  webhook: {
    retried: '4xx 5xx error',
    // The receiver would refuse the same bytes again, or does not accept POST.
    final: '400 405 410 411 413 414 415 422 431 501 BLOCKED_ADDRESS CANCELLED',
    gaps: [1_000, 4_000, 15_000, 40_000],
    // Receivers that fail together are not retried together.
    jitter: [0.75, 1.25],
    longestPause: 60_000,
    shortensPause: true,
  },
  /** The store and the Redis of a fleet. */
  store: { retried: 'STORAGE', gaps: [500], jitter: [1, 1], attempts: Infinity, time: 30_000 },
  /** A file that another process has locked. */
  sqlite: { retried: 'SQLITE_BUSY', gaps: [25], jitter: [0.2, 1], attempts: Infinity, time: 5000 },
  fileDescriptor: {
    retried: 'TOO_MANY_OPEN_FILES',
    gaps: [20, 50, 100, 200, 400, 800, 800, 800],
    // Of many waiting calls, not all retry at once.
    jitter: [0.5, 1.5],
  },
} as const satisfies Readonly<Record<string, RetryPolicy>>;

/** True if the same request may succeed later, by its response status or else its error code. */
export function mayPass(
  { retried, final = 'none' }: RetryPolicy,
  { statusCode, code = '' }: { readonly statusCode?: number; readonly code?: string | undefined },
): boolean {
  const status = String(statusCode);
  const causes = statusCode === undefined ? ['error', code] : [status, `${status[0]}xx`, code];
  const fits = (list: string): boolean => list.split(' ').some((cause) => causes.includes(cause));
  return fits(retried) && !fits(final);
}

/** Milliseconds between attempt `attempt` and the next; `pause` is Retry-After. Infinity if that is too long. */
export function gapAfter(
  { gaps, jitter: [least, most], longestPause = 0, shortensPause = false }: RetryPolicy,
  attempt: number,
  pause: number,
  clock: Pick<Clock, 'random'>,
): number {
  const gap = (gaps[attempt - 1] ?? gaps.at(-1) ?? 0) * (least + clock.random() * (most - least));
  if (pause > longestPause && !shortensPause) return Infinity;
  return Math.max(gap, Math.min(pause, longestPause));
}

/** A failed attempt. */
export interface AttemptFailure<Thrown = unknown> {
  /** The caller's error if no attempt follows. */
  readonly error: Thrown;
  /** False when the same request cannot succeed later. */
  readonly mayRetry: boolean;
  /** The server's Retry-After in ms. */
  readonly pause?: number | undefined;
}

/** The inputs of attempts besides the policy. */
interface RetryOptions {
  /** Ends everything: the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the gap between two attempts; one more follows, the last. */
  readonly hurry?: AbortSignal | undefined;
  /** @default Math */
  readonly clock?: Pick<Clock, 'random'>;
  /** Judges the error of attempt `attempt`. @default by the policy, for errors of this library */
  readonly failureOf?: (thrown: unknown, attempt: number) => AttemptFailure;
}

/** Calls `work` until it succeeds or the policy ends. Rejects with the error of the last attempt. */
export async function retry<T>(
  policy: RetryPolicy,
  work: () => T | PromiseLike<T>,
  options: RetryOptions = {},
): Promise<T> {
  const { signal, hurry, clock = Math } = options;
  const { failureOf = (error: unknown) => failureBy(policy, error) } = options;
  const { attempts = policy.gaps.length + 1, time = Infinity } = policy;
  const end = performance.now() + time;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (thrown) {
      if (signal?.aborted === true) throw signal.reason;
      const { error, mayRetry, pause = 0 } = failureOf(thrown, attempt);
      const gap = gapAfter(policy, attempt, pause, clock);
      const isLast = !mayRetry || attempt >= attempts || performance.now() + gap >= end;
      if (isLast || hurry?.aborted === true) throw error;
      await sleep(gap, undefined, { signal: hurry ?? signal }).catch(() => undefined);
    }
  }
}

/** Judges by the policy; errors that are not of this library are final. */
export function failureBy(policy: RetryPolicy, error: unknown): AttemptFailure {
  if (!(error instanceof PagewrightError)) return { error, mayRetry: false };
  return { error, mayRetry: mayPass(policy, error), pause: error.retryAfter };
}
