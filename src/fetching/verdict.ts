/** What an attempt came to: good, worth another try, refused by the site, or final. */
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { challengeOf } from './challenge-page.ts';
import { retryAfter } from '../text/retry-after.ts';

/** An attempt that is over. */
export type Attempt = { readonly snapshot: Snapshot } | { readonly error: unknown };

/** What to make of it. */
export interface Verdict {
  /** The same request may succeed when it is sent again. */
  readonly retryable: boolean;
  /** The body ended early: one more try may bring the whole. */
  readonly isCut: boolean;
  /** The site does not let this visitor in: a challenge page, 401, 403 or 429. */
  readonly blocked: boolean;
  /** Whose challenge page came in place of the content. */
  readonly challenge?: string | undefined;
  /** The host says that it has too much to do: 429, 503. */
  readonly overloaded: boolean;
  /** A response came, and it says nothing bad about the host. */
  readonly answered: boolean;
  /** There was no answer. */
  readonly unreachable: boolean;
  /** Nothing listens there. */
  readonly refused: boolean;
  /** Milliseconds that the server asks to wait. */
  readonly pause?: number | undefined;
}

/** Statuses of passing trouble: RFC 9110's, and those of Cloudflare for an origin that fails. */
const passing: ReadonlySet<number> = new Set([
  408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524,
]);
const refusing: ReadonlySet<number> = new Set([401, 403, 429]);
const overloading: ReadonlySet<number> = new Set([429, 503]);
const silent: ReadonlySet<string> = new Set(['TIMEOUT', 'CONNECTION_REFUSED', 'CONNECTION_RESET']);

/** Judges an attempt; `now` is for a Retry-After that is a date. */
export function judge(attempt: Attempt, now: number): Verdict {
  if ('error' in attempt) return judgeError(attempt.error);
  const { statusCode, headers, isCut = false } = attempt.snapshot;
  const challenge = challengeOf(attempt.snapshot);
  return {
    retryable: passing.has(statusCode) && challenge === undefined,
    isCut,
    blocked: challenge !== undefined || refusing.has(statusCode),
    challenge,
    overloaded: overloading.has(statusCode) && challenge === undefined,
    answered: challenge === undefined && !overloading.has(statusCode),
    unreachable: false,
    refused: false,
    pause: statusCode >= 400 ? retryAfter(headers['retry-after'], now) : undefined,
  };
}

function judgeError(error: unknown): Verdict {
  const isOurs = error instanceof PagewrightError;
  return {
    retryable: isOurs && error.retryable,
    isCut: false,
    blocked: isOurs && error.code === 'BLOCKED_BY_SITE',
    overloaded: false,
    answered: false,
    unreachable: isOurs && silent.has(error.code),
    refused: isOurs && error.code === 'CONNECTION_REFUSED',
  };
}
