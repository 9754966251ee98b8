/**
 * Every error this library throws on purpose: one class, a code from one table.
 * The code is what a program branches on; the message is what a person reads.
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
  | 'MISSING_DEPENDENCY'
  | 'HOOK_FAILED'
  | 'WEBHOOK_FAILED';

/** Codes after which the same call may succeed when it is made again. */
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

/** What an error may carry beside its message. */
export interface ErrorDetails {
  /** The URL the failure is about, when there is one. Credentials are removed by the thrower. */
  readonly url?: string | undefined;
  /** The lower-level error, kept for debugging. */
  readonly cause?: unknown;
  /** The HTTP status of the answer that the failure is about, when there was an answer. */
  readonly statusCode?: number | undefined;
  /** Milliseconds before which the same call cannot succeed. */
  readonly retryAfter?: number | undefined;
}

/** An error as plain data. */
export interface PlainError {
  readonly name: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly url?: string;
  /** The HTTP status of the answer that the failure is about. */
  readonly statusCode?: number;
  /** Milliseconds to wait before the same call. */
  readonly retryAfter?: number;
}

/** The base class of everything thrown on purpose. */
export class PagewrightError extends Error {
  override readonly name: string = 'PagewrightError';
  /** The failure's kind; stable between releases. */
  readonly code: ErrorCode;
  /** The URL the failure is about, when there is one. */
  readonly url?: string;
  /** The HTTP status of the answer that the failure is about, when there was an answer. */
  readonly statusCode?: number;
  /** Milliseconds to wait before the same call, when that is known: a host asked for a pause. */
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

  /** A plain object for logs and `--json` output: what is known, without the cause. */
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

/** One thing that is wrong with the caller's input. */
export interface ValidationIssue {
  /** Where: `['formats', 1, 'selectors']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong and what would be right. */
  readonly message: string;
}

/** The caller's input is wrong; thrown before anything is fetched. `code` is `BAD_REQUEST`. */
export class ValidationError extends PagewrightError {
  override readonly name = 'ValidationError';
  /** Everything that is wrong, not only the first thing. */
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

  /** `install` is what npm is told, where that is more than the name. */
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
  /** Its place in `actions`, from 0. */
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

/** The error of an answer that had this status, where it does not say another one. */
export function withStatus(error: PagewrightError, statusCode: number): PagewrightError {
  return error.statusCode === undefined ? Object.assign(error, { statusCode }) : error;
}

/** The error for something of the caller's own that threw: a format, an engine, a function. */
export function hookFailed(what: string, url: string, cause: unknown): PagewrightError {
  if (cause instanceof PagewrightError) return cause;
  const message = `${what} threw for ${url}: ${messageOf(cause)}`;
  return new PagewrightError('HOOK_FAILED', message, { url, cause });
}

/** What a thrown value says: it may be anything, and may throw itself when it is looked at. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something that cannot be shown as text';
  }
}
