/**
 * Every error this library throws on purpose: one class, a code from one table. Programs branch on
 * the code; people read the message.
 */
import { compact } from './compact.ts';

/** The closed list of error codes. `docs/errors.md` is made of it: the meaning of each, and what to do. */
export type ErrorCode =
  // The call itself
  /** An option is unknown, of a wrong type or out of range; `issues` lists each. Correct the call. */
  | 'BAD_REQUEST'
  /** The URL cannot be parsed. Give an absolute http(s) URL. */
  | 'INVALID_URL'
  /** The deadline passed, or the time of an `AbortSignal.timeout()`. Raise it, or request less: no browser, fewer actions. */
  | 'TIMEOUT'
  /** A signal of yours, `cancel()` or `close()` ended the call. `cause` is the signal's reason. */
  | 'CANCELLED'
  // The network
  /** The page of a job answered 4xx or 5xx. `errorPages: 'keep'` makes documents of such pages. */
  | 'HTTP_STATUS'
  /** The host name does not resolve. Check its spelling and the resolver of the machine. */
  | 'DNS'
  /** Nothing answers at this host and port. */
  | 'CONNECTION_REFUSED'
  /** The process or the machine has no file descriptor left. Close files and connections, raise the limit (`ulimit -n`), or lower `maxConcurrency`. */
  | 'TOO_MANY_OPEN_FILES'
  /** The server broke the connection, after all retries. */
  | 'CONNECTION_RESET'
  /** The body ended early and nothing of it can be read. */
  | 'TRUNCATED_BODY'
  /** The answer is not valid HTTP. */
  | 'PROTOCOL_ERROR'
  /** The certificate does not verify, or the handshake failed. `tls.ca` adds an authority of yours. */
  | 'TLS'
  /** The redirects form a loop, or there are more of them than `limits.redirects`. */
  | 'TOO_MANY_REDIRECTS'
  /** A redirect has no usable target. */
  | 'BAD_REDIRECT'
  /** The URL or a redirect is neither http nor https. */
  | 'UNSUPPORTED_PROTOCOL'
  /** The network policy refuses the address. `network: { allow }` opens what you trust. */
  | 'BLOCKED_ADDRESS'
  /** The proxy refused, or could not reach the host. Check its URL and credentials. */
  | 'PROXY_FAILED'
  /** The site refuses automated visitors, or a login was lost. Try `proxy: 'stealth'`, a browser, a proxy or a profile. */
  | 'BLOCKED_BY_SITE'
  /** The host asks for a longer pause than the deadline has. Call again after `retryAfter` ms. */
  | 'HOST_BUSY'
  /** robots.txt forbids the URL. `ignoreRobotsTxt: true` is for sites of yours. */
  | 'ROBOTS'
  // The content
  /** The body is larger than `limits.bodyBytes`. */
  | 'BODY_TOO_LARGE'
  /** The body cannot be unpacked, or unpacks to more than the limits. */
  | 'DECOMPRESSION'
  /** The page has more nodes, depth or text than the limits, or makes its browser report more: messages, errors, requests. */
  | 'PARSE_LIMIT'
  /** No parser reads this type of file. Give one in `parsers`, or ask for `rawHtml`. */
  | 'UNSUPPORTED_CONTENT'
  /** The PDF needs a password. */
  | 'PDF_ENCRYPTED'
  /** The PDF cannot be read. */
  | 'PDF_DAMAGED'
  /** The PDF unpacks to more than the limits. `maxPages` reads its beginning. */
  | 'PDF_LIMIT'
  /** `mode: 'ocr'` was asked for, and the client has no OCR engine. Pass `createClient({ ocr: tesseractOcr() })`. */
  | 'OCR_REQUIRED'
  // The browser
  /** An action did not succeed: the message has its index, type and selector. */
  | 'ACTION_FAILED'
  /** The browser crashed twice on this page. */
  | 'BROWSER_CRASHED'
  /** No browser is found or it does not start. `pagewright doctor` says why. Install Chromium or Chrome, or name one with `browser: { executablePath }`. */
  | 'BROWSER_UNAVAILABLE'
  /** The session is closed: it was idle too long, its page crashed, or it or the client was closed. The message says which. Open another. */
  | 'SESSION_CLOSED'
  // Models and extraction
  /** The call needs a language model. Pass `createClient({ model })`. */
  | 'MODEL_REQUIRED'
  /** The model did not answer, or refused. */
  | 'MODEL_FAILED'
  /** No data that fits the schema was found: the message has the paths. */
  | 'EXTRACT_INVALID'
  // Search
  /** The search engine refused, failed, or answered something that cannot be read. The message and `statusCode` have the reason; `retryAfter` the pause that it asks for. */
  | 'SEARCH_FAILED'
  // Cache, storage and jobs
  /** `cacheOnly` or `minAge` was given and there is no such copy. */
  | 'CACHE_MISS'
  /** The storage or a file failed. A job goes on with `resume()` once it works again. */
  | 'STORAGE'
  /** No job has this id in the storage of the client. */
  | 'JOB_NOT_FOUND'
  /** The results of the job are older than `jobRetention`. */
  | 'JOB_EXPIRED'
  /** The page, or the crawl that they ran, ended three workers of a fleet. */
  | 'WORKER_LOST'
  /** An optional package is not installed, or its version does not fit. The message has the command. */
  | 'MISSING_DEPENDENCY'
  /** A hook of yours threw, or skipped the page of a scrape. `cause` has its error. */
  | 'HOOK_FAILED'
  /** A webhook could not be delivered, after all attempts. */
  | 'WEBHOOK_FAILED';

/** Codes after which a repeated call may succeed. */
const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TIMEOUT',
  'DNS',
  'CONNECTION_REFUSED',
  'CONNECTION_RESET',
  'TOO_MANY_OPEN_FILES',
  'TRUNCATED_BODY',
  'PROXY_FAILED',
  'HOST_BUSY',
  'BROWSER_CRASHED',
  'MODEL_FAILED',
  'SEARCH_FAILED',
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

/** Marks the errors of every copy of this library in a process: a loader such as tsx makes two of one. */
const brand = Symbol.for('pagewright.error');

/** The base class of everything thrown on purpose. `instanceof` knows errors of another copy of the library by their name. */
export class PagewrightError extends Error {
  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return this === PagewrightError || (value as { name?: unknown }).name === this.name;
  }

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
    return compact({ name, code, message, url, statusCode, retryAfter });
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

/**
 * An optional package is needed, and is not installed or has a version that does not work; the message has the
 * command that installs it. `code` is `MISSING_DEPENDENCY`.
 */
export class MissingDependencyError extends PagewrightError {
  override readonly name = 'MissingDependencyError';
  /** The package's name on npm. */
  readonly packageName: string;
  /** The version that is installed and does not work. */
  readonly installedVersion?: string;

  constructor(
    packageName: string,
    message: string,
    { cause, installedVersion }: { cause?: unknown; installedVersion?: string | undefined } = {},
  ) {
    super('MISSING_DEPENDENCY', message, { cause });
    this.packageName = packageName;
    if (installedVersion !== undefined) this.installedVersion = installedVersion;
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
