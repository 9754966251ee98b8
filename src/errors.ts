/**
 * Every error this library throws on purpose: one class, a code from one table. Programs branch on
 * the code; people read the message.
 */

/** The closed list of error codes. */
export type ErrorCode =
  // The call itself
  | 'BAD_REQUEST'
  | 'INVALID_URL'
  | 'UNSUPPORTED_OPTION'
  | 'TIMEOUT'
  | 'CANCELLED'
  // The network
  | 'HTTP_STATUS'
  | 'DNS'
  | 'CONNECTION_REFUSED'
  | 'CONNECTION_RESET'
  | 'TRUNCATED_BODY'
  | 'PROTOCOL_ERROR'
  | 'TLS'
  | 'TOO_MANY_REDIRECTS'
  | 'BAD_REDIRECT'
  | 'UNSUPPORTED_PROTOCOL'
  | 'BLOCKED_ADDRESS'
  | 'PROXY_FAILED'
  | 'BLOCKED_BY_SITE'
  | 'HOST_BUSY'
  | 'ROBOTS'
  // The content
  | 'BODY_TOO_LARGE'
  | 'DECOMPRESSION'
  | 'PARSE_LIMIT'
  | 'UNSUPPORTED_CONTENT'
  | 'PDF_ENCRYPTED'
  | 'PDF_DAMAGED'
  | 'PDF_LIMIT'
  | 'OCR_REQUIRED'
  // The browser
  | 'ACTION_FAILED'
  | 'BROWSER_CRASHED'
  | 'BROWSER_UNAVAILABLE'
  // Models and extraction
  | 'MODEL_REQUIRED'
  | 'MODEL_FAILED'
  | 'EXTRACT_INVALID'
  // Cache, storage and jobs
  | 'CACHE_MISS'
  | 'STORAGE'
  | 'JOB_NOT_FOUND'
  | 'JOB_EXPIRED'
  | 'WORKER_LOST'
  | 'MISSING_DEPENDENCY'
  | 'HOOK_FAILED'
  | 'WEBHOOK_FAILED';

/** Codes after which a repeated call may succeed. */
const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TIMEOUT',
  'DNS',
  'CONNECTION_REFUSED',
  'CONNECTION_RESET',
  'TRUNCATED_BODY',
  'PROXY_FAILED',
  'HOST_BUSY',
  'BROWSER_CRASHED',
  'MODEL_FAILED',
]);

/** The optional fields of an error. */
export interface ErrorDetails {
  /** The URL that failed, if any. The thrower removes credentials. */
  readonly url?: string | undefined;
  /** The lower-level error, kept for debugging. */
  readonly cause?: unknown;
  /** The HTTP status of the failed response, if there was a response. */
  readonly statusCode?: number | undefined;
  /** Milliseconds to wait before the same call can succeed. */
  readonly retryAfter?: number | undefined;
}

/** An error as plain data. */
export interface PlainError {
  readonly name: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly url?: string;
  /** The HTTP status of the failed response. */
  readonly statusCode?: number;
  /** Milliseconds to wait before the same call. */
  readonly retryAfter?: number;
}

/** The base class of everything thrown on purpose. */
export class PagewrightError extends Error {
  override readonly name: string = 'PagewrightError';
  /** The kind of failure; stable between releases. */
  readonly code: ErrorCode;
  /** The URL that failed, if any. */
  readonly url?: string;
  /** The HTTP status of the failed response, if there was a response. */
  readonly statusCode?: number;
  /** Milliseconds to wait before the same call, if known: a host asked for a pause. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.url !== undefined) this.url = details.url;
    if (details.statusCode !== undefined) this.statusCode = details.statusCode;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }

  /** True when the same call may succeed later (a timeout, a reset connection). */
  get retryable(): boolean {
    return retryableCodes.has(this.code);
  }

  /** A plain object for logs and `--json` output, without the cause. */
  toJSON(): PlainError {
    const { name, code, message, url, statusCode, retryAfter } = this;
    return {
      name,
      code,
      message,
      ...(url === undefined ? {} : { url }),
      ...(statusCode === undefined ? {} : { statusCode }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
}

/** One problem in the caller's input. */
export interface ValidationIssue {
  /** Path to the problem: `['formats', 1, 'selectors']`. */
  readonly path: readonly (string | number)[];
  /** The problem and its correction. */
  readonly message: string;
}

/** The caller's input is wrong; thrown before anything is fetched. `code` is `BAD_REQUEST`. */
export class ValidationError extends PagewrightError {
  override readonly name = 'ValidationError';
  /** Every problem, not only the first. */
  readonly issues: readonly ValidationIssue[];

  constructor(subject: string, issues: readonly ValidationIssue[]) {
    super('BAD_REQUEST', `${subject}: ${issues.map((issue) => issue.message).join('; ')}`);
    this.issues = issues;
  }

  override toJSON(): PlainError & {
    issues: readonly ValidationIssue[];
  } {
    return { ...super.toJSON(), issues: this.issues };
  }
}

/** An optional package is needed and not installed. `code` is `MISSING_DEPENDENCY`. */
export class MissingDependencyError extends PagewrightError {
  override readonly name = 'MissingDependencyError';
  /** The package's name on npm. */
  readonly packageName: string;

  /** `install` is the argument of `npm install`, where it is more than the name. */
  constructor(
    packageName: string,
    purpose: string,
    cause?: unknown,
    install: string = packageName,
  ) {
    super(
      'MISSING_DEPENDENCY',
      `${purpose} needs the package "${packageName}", which is not installed. Run: npm install ${install}`,
      { cause },
    );
    this.packageName = packageName;
  }
}

/** A step in the browser could not be done. `code` is `ACTION_FAILED`. */
export class ActionError extends PagewrightError {
  override readonly name = 'ActionError';
  /** The index of the action in `actions`, from 0. */
  readonly actionIndex: number;
  /** The name of the action: `click`. */
  readonly actionType: string;

  constructor(
    reason: string,
    action: { readonly index: number; readonly type: string },
    details: ErrorDetails = {},
  ) {
    const where = details.url === undefined ? '' : ` on ${details.url}`;
    super('ACTION_FAILED', `actions[${action.index}] (${action.type})${where}: ${reason}`, details);
    this.actionIndex = action.index;
    this.actionType = action.type;
  }

  override toJSON(): PlainError & {
    actionIndex: number;
    actionType: string;
  } {
    const { actionIndex, actionType } = this;
    return { ...super.toJSON(), actionIndex, actionType };
  }
}

/** Extracted data does not fit the caller's schema. `code` is `EXTRACT_INVALID`. */
export class ExtractError extends PagewrightError {
  override readonly name = 'ExtractError';
  /** Where the data fails the schema. */
  readonly issues: readonly ValidationIssue[];

  constructor(message: string, issues: readonly ValidationIssue[], details: ErrorDetails = {}) {
    super('EXTRACT_INVALID', message, details);
    this.issues = issues;
  }

  override toJSON(): PlainError & {
    issues: readonly ValidationIssue[];
  } {
    return { ...super.toJSON(), issues: this.issues };
  }
}

/** Adds an HTTP status to an error that has none. */
export function withStatus(error: PagewrightError, statusCode: number): PagewrightError {
  return error.statusCode === undefined ? Object.assign(error, { statusCode }) : error;
}

/** The error for the caller's own code that threw: a format, an engine, a function. */
export function hookFailed(what: string, url: string, cause: unknown): PagewrightError {
  if (cause instanceof PagewrightError) return cause;
  const message = `${what} threw for ${url}: ${messageOf(cause)}`;
  return new PagewrightError('HOOK_FAILED', message, { url, cause });
}

/** The message of a thrown value: it may be anything, and may throw itself when it is read. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something that cannot be shown as text';
  }
}
