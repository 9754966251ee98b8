/** Failures of a model: classifies them as temporary or not, with advice for the caller. */
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { type AttemptFailure, mayPass, retryPolicies } from '../../core/runtime/retry.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { retryAfter } from '../../content/text/http-headers.ts';
import { countIn } from './json-value.ts';
import { memberOf, isRecord } from '../../core/runtime/json.ts';

type ModelFailure = AttemptFailure<PagewrightError>;

/** An error response. */
export interface RefusedRequest {
  /** The model's name, for messages: `gpt-5 at api.example`. */
  readonly name: string;
  readonly statusCode: number;
  /** The server's message. */
  readonly message: string;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;
}

/** A request that the server refused, and that may be sent in another form; `callModel` handles it. */
export class RefusedAttempt extends Error {
  readonly refused: RefusedRequest;

  constructor(refused: RefusedRequest) {
    super(refused.message);
    this.refused = refused;
  }
}

/** An error that no further attempt changes. */
export function modelFailed(message: string, cause?: unknown): PagewrightError {
  return new PagewrightError('MODEL_FAILED', message, { cause });
}

/** The failure for an error response, by its status. */
function refusedRequest(refused: RefusedRequest, now: number): ModelFailure {
  const { name, statusCode, message } = refused;
  const reported = cleanMessage(message);
  const sentence = reported === '' ? '' : `: ${reported.replace(/[.\s]+$/, '')}`;
  const pause = retryAfter(refused.retryAfter, now);
  const isOut = statusCode === 429 && /insufficient_quota|billing/i.test(message);
  const mayRetry = mayPass(retryPolicies.model, { statusCode }) && !isOut;
  return {
    error: new PagewrightError(
      'MODEL_FAILED',
      `The model ${name} answered ${statusCode}${sentence}. ${isOut ? noQuota : remedyFor(statusCode)}`,
      { retryAfter: pause },
    ),
    mayRetry,
    pause,
  };
}

/**
 * The failure for a thrown error: an error of this library, of a connection, or of an SDK with the status and
 * headers of a response. Its message is reported without possible keys.
 */
export function thrownFailure(name: string, thrown: unknown, now: number): ModelFailure {
  if (thrown instanceof RefusedAttempt) return refusedRequest(thrown.refused, now);
  if (thrown instanceof PagewrightError) {
    return { error: thrown, mayRetry: mayPass(retryPolicies.model, { code: thrown.code }) };
  }
  const statusCode = countIn(memberOf(thrown, 'statusCode')) ?? countIn(memberOf(thrown, 'status'));
  if (statusCode !== undefined && statusCode >= 300) {
    const header = headerOf(memberOf(thrown, 'responseHeaders') ?? memberOf(thrown, 'headers'));
    return refusedRequest(
      { name, statusCode, message: messageOf(thrown), retryAfter: header },
      now,
    );
  }
  const mayRetry = memberOf(thrown, 'isRetryable') === true || isConnectionFailure(thrown);
  const remedy = mayRetry ? 'Try again later.' : 'Check the model and its provider.';
  const reported = cleanMessage(messageOf(thrown)).replace(/[.\s]+$/, '');
  return {
    error: modelFailed(`The model ${name} failed: ${reported}. ${remedy}`, unreached(thrown)),
    mayRetry,
  };
}

/** A message of a server or SDK, on one line, short, and without possible keys. */
export function cleanMessage(message: string): string {
  const line = oneLine(message.slice(0, 2000));
  const hidden = line
    .replace(/\bBearer [^\s"',]+/gi, 'Bearer [hidden]')
    .replace(/\b(?:sk|gsk|xai|hf|r8)[-_][\w*.-]{6,}/g, '[hidden]')
    .replace(/\bAIza[\w*-]{6,}/g, '[hidden]');
  return hidden.length > 300 ? `${hidden.slice(0, 299)}…` : hidden;
}

const noQuota = 'The account has no quota left: check its plan and billing.';

function remedyFor(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) {
    return 'Redirects are not followed: use the URL that it leads to as baseUrl.';
  }
  const isBusy = mayPass(retryPolicies.model, { statusCode });
  return remedies[statusCode] ?? (isBusy ? 'Try again later.' : badRequest);
}

const badRequest = 'Check the name of the model and its options.';

const remedies: Readonly<Record<number, string>> = {
  401: 'Check the API key.',
  403: 'Check that the API key may use this model.',
  404: 'Check the base URL and the name of the model.',
  413: 'The request is too large for it: set contextTokens of the model lower.',
  429: 'It limits the request rate: send fewer requests at a time, or try again later.',
};

/** Errors of sockets, and errors of `fetch` with such a cause. */
function isConnectionFailure(thrown: unknown): boolean {
  return codesOf(thrown).some((code) =>
    /^(?:E(?:CONN|PIPE|TIMEDOUT|AI_AGAIN)|UND_ERR_)/.test(code),
  );
}

/** A cause that marks for budgets that no request was sent. The error itself may contain a key. */
function unreached(thrown: unknown): PagewrightError | undefined {
  const codes = codesOf(thrown);
  if (codes.includes('ECONNREFUSED')) {
    return new PagewrightError('CONNECTION_REFUSED', 'The connection was refused.');
  }
  return codes.some((code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    ? new PagewrightError('DNS', 'The name of the host has no address.')
    : undefined;
}

function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  for (let error = thrown, depth = 0; isRecord(error) && depth < 5; depth += 1) {
    const { code } = error;
    if (typeof code === 'string') codes.push(code);
    error = error['cause'];
  }
  return codes;
}

function headerOf(headers: unknown): string | undefined {
  const value =
    headers instanceof Headers ? headers.get('retry-after') : memberOf(headers, 'retry-after');
  return typeof value === 'string' ? value : undefined;
}

// A request that was not sent because it exceeds a budget: jobs record a skip, other calls reject.

export class BudgetRefusal extends PagewrightError {
  /** `budget.tokens: 5000`, for the records of a job. */
  readonly rule: string;

  constructor(rule: string, message: string) {
    super('MODEL_FAILED', message);
    this.rule = rule;
  }
}
