/** Judges an attempt: good, worth another try, refused by the site, or final. */
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { challengeOf, isHomemadeChallenge } from './challenge-page.ts';
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
  /** A visitor that looks like a reader may be let in: a challenge page or 403, not 401 or a rate limit. */
  readonly mayPassHidden: boolean;
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
  /** The answer is a rate limit that says how long it lasts: 429 or 503 with Retry-After. */
  readonly asksForTime: boolean;
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
  const isBusy = overloading.has(statusCode);
  const isChallenge = challenge !== undefined || (isBusy && isHomemadeChallenge(attempt.snapshot));
  const overloaded = isBusy && !isChallenge;
  const pause = statusCode >= 400 ? retryAfter(headers['retry-after'], now) : undefined;
  return {
    retryable: passing.has(statusCode) && challenge === undefined,
    isCut,
    blocked: challenge !== undefined || refusing.has(statusCode),
    mayPassHidden: isChallenge || statusCode === 403,
    challenge,
    overloaded,
    // A wait of no time is a plain retry.
    asksForTime: overloaded && pause !== undefined && pause > 0,
    answered: !isChallenge && !isBusy,
    unreachable: false,
    refused: false,
    pause,
  };
}

function judgeError(error: unknown): Verdict {
  const isOurs = error instanceof PagewrightError;
  const blocked = isOurs && error.code === 'BLOCKED_BY_SITE';
  return {
    // A host that is closed for longer than there is time stays closed.
    retryable: isOurs && error.retryable && error.code !== 'HOST_BUSY',
    isCut: isOurs && error.code === 'TRUNCATED_BODY',
    blocked,
    mayPassHidden: blocked,
    overloaded: false,
    asksForTime: false,
    answered: false,
    unreachable: isOurs && silent.has(error.code),
    refused: isOurs && error.code === 'CONNECTION_REFUSED',
  };
}
