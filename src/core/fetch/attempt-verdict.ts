/** Judges one fetch attempt (good, retryable, blocked or final), with the errors and warnings that its caller gets. */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { mayPass, retryPolicies } from '../runtime/retry.ts';
import type { Rendering } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { retryAfter } from '../../content/text/http-headers.ts';
import { challengeOf, isHomemadeChallenge } from './challenge-page.ts';

/** A finished attempt. */
export type FetchAttempt = { readonly snapshot: Snapshot } | { readonly error: unknown };

/** The result of judging an attempt. */
export interface AttemptVerdict {
  /** The same request may succeed if it is sent again. */
  readonly retryable: boolean;
  /** The body ended early: one more attempt may fetch all of it. */
  readonly isCut: boolean;
  /** The site refuses this client: a challenge page, 401, 403 or 429. */
  readonly blocked: boolean;
  /**
   * A client that passes for a person's browser may get in: a challenge page or 403, not 401 or a
   * rate limit.
   */
  readonly mayPassInStealth: boolean;
  /** The vendor of the challenge page received instead of the content. */
  readonly challenge?: string | undefined;
  /** The host reports overload: 429, 503. */
  readonly overloaded: boolean;
  /** A response that is no sign of trouble with the host. */
  readonly answered: boolean;
  /** No response. */
  readonly unreachable: boolean;
  /** The connection was refused: no server listens there. */
  readonly refused: boolean;
  /** A rate limit with its duration: 429 or 503 with Retry-After. */
  readonly asksForTime: boolean;
  /** The server's Retry-After, in milliseconds. */
  readonly pause?: number | undefined;
}

const refusing: ReadonlySet<number> = new Set([401, 403, 429]);

const unanswered: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'CONNECTION_RESET',
]);

/** Judges an attempt; `now` resolves a Retry-After that is a date. */
export function judge(attempt: FetchAttempt, now: number): AttemptVerdict {
  if ('error' in attempt) return judgeError(attempt.error);
  const { statusCode, headers, isCut = false } = attempt.snapshot;
  const challenge = challengeOf(attempt.snapshot);
  const isBusy = mayPass(retryPolicies.overloadedPage, { statusCode });
  const isChallenge = challenge !== undefined || (isBusy && isHomemadeChallenge(attempt.snapshot));
  const overloaded = isBusy && !isChallenge;
  const pause = statusCode >= 400 ? retryAfter(headers['retry-after'], now) : undefined;
  return {
    retryable: mayPass(retryPolicies.page, { statusCode }) && challenge === undefined,
    isCut,
    blocked: challenge !== undefined || refusing.has(statusCode),
    mayPassInStealth: isChallenge || statusCode === 403,
    challenge,
    overloaded,
    // A pause of 0 ms is a plain retry.
    asksForTime: overloaded && pause !== undefined && pause > 0,
    answered: !isChallenge && !isBusy,
    unreachable: false,
    refused: false,
    pause,
  };
}

function judgeError(error: unknown): AttemptVerdict {
  const isOurs = error instanceof PagewrightError;
  const blocked = isOurs && error.code === 'BLOCKED_BY_SITE';
  return {
    retryable: isOurs && mayPass(retryPolicies.page, { code: error.code }),
    isCut: isOurs && error.code === 'TRUNCATED_BODY',
    blocked,
    mayPassInStealth: blocked,
    overloaded: false,
    asksForTime: false,
    answered: false,
    unreachable: isOurs && unanswered.has(error.code),
    refused: isOurs && error.code === 'CONNECTION_REFUSED',
  };
}

// Errors and warnings for a site that refuses a request.

/** The error for a challenge page, and for a refusal without content. */
export function blockedBySite(
  url: string,
  statusCode: number,
  challenge: string | undefined,
  {
    hasTriedStealth,
    isUndisguised,
    notTried,
  }: Readonly<Record<'hasTriedStealth' | 'isUndisguised', boolean>> & {
    /** Why stealth was not tried. */
    readonly notTried: string | undefined;
  },
): PagewrightError {
  const what =
    challenge === undefined
      ? `refused ${url} with status ${statusCode} and no content`
      : `answered ${url} with the challenge page of ${challenge} instead of the content`;
  const change = hasTriedStealth
    ? 'Stealth did not help: use another route to the site (createClient({ proxy })), or ask the site for access.'
    : "Try proxy: 'stealth', use a proxy server (createClient({ proxy })), or ask the site for access.";
  const why = isUndisguised ? `${undisguised} ` : '';
  const message = `${new URL(url).host} ${what}. ${notTried ?? `${why}${change}`}`;
  return new PagewrightError('BLOCKED_BY_SITE', message, { url, statusCode });
}

const undisguised =
  "proxy: 'auto' does not disguise a request with a user agent of your own (userAgent, or a User-Agent header).";

/** The warning for a refusal that stealth might have avoided. */
export const undisguisedWarning: string = `The site refused the request. ${undisguised} Set proxy: 'stealth' to allow that.`;

/** The error for a rate limit without content; `pause` is its Retry-After in ms. */
export function rateLimited(
  url: string,
  statusCode: number,
  pause: number | undefined,
): PagewrightError {
  const delay = pause === undefined ? 'a while' : `${seconds(pause)} s (Retry-After)`;
  return new PagewrightError(
    'HOST_BUSY',
    `${new URL(url).host} answered ${url} with status ${statusCode} and no content: it asks clients to wait ${delay}, which retries and timeout do not allow. Try again later, or raise them.`,
    { url, statusCode, retryAfter: pause === undefined ? undefined : Math.ceil(pause) },
  );
}

/** The warning for a document with a Retry-After. */
export function pauseWarning(pause: number): string {
  return `The server asks clients to wait ${seconds(pause)} s before the next request (Retry-After).`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

// Options that need an open page: a file cannot be rendered or clicked.

const captureOptions = ['actions', 'screenshot', 'branding', 'requests'] as const;

/** A warning for a page fetched without the browser that, by that signal, it needs. */
export function notRenderedWarnings(signal: string | undefined, error: unknown): readonly string[] {
  if (signal === undefined) return [];
  const why = error === undefined ? '' : `: ${messageOf(error)}`;
  return [`The page seems to need a browser (${signal}), and was not rendered${why}.`];
}

/** A warning that names the missing captures; none if all are there. */
export function missingCaptureWarnings(
  { captures = {}, headers, url, body }: Snapshot,
  rendering: Rendering,
): readonly string[] {
  const missing = captureOptions.filter(
    (name) => rendering[name] !== undefined && captures[name] === undefined,
  );
  if (missing.length === 0) return [];
  const type = headers['content-type'] ?? 'no type';
  const what = body.length === 0 ? 'is empty' : `was not shown by a browser (${type})`;
  return [`${url} ${what}: there is nothing for ${missing.join(', ')}.`];
}
