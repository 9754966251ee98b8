/** The log of a client: lines by level, written to the caller's logger. */
import { messageOf } from '../runtime/errors.ts';
import type { ChannelMessages, TracedMessage } from './channels.ts';
import { withoutSignatures } from './display-url.ts';

/** The facts of a log line; `event` says what it is about: `request`, `retry`, `page`, `job`, `model`, `webhook` or `warning`. */
export interface LogFields {
  readonly event: string;
  readonly [field: string]: unknown;
}

/**
 * Receives the log of a client. It is called as pino and bunyan are, with the fields and then the message; `console`
 * fits, too. A method that is missing is not called.
 *
 * @example const client = createClient({ logger: pino({ level: 'debug' }) });
 */
export interface Logger {
  /** Requests, retries, pages with the state of the cache, and calls of the model. */
  debug?(fields: LogFields, message: string): void;
  /** The start of a job, and its end with the numbers. */
  info?(fields: LogFields, message: string): void;
  /** Warnings that belong to no result. */
  warn(fields: LogFields, message: string): void;
  /** Jobs that failed, and events that did not reach their webhook. */
  error?(fields: LogFields, message: string): void;
}

export type LogLevel = keyof Logger;

/** Writes to a logger whose errors are ignored: no caller is left to receive them. */
export class RunLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** True if lines of this level are written. */
  hears(level: LogLevel): boolean {
    return this.#logger[level] !== undefined;
  }

  /** Writes the line for the message of a channel. */
  line<Name extends keyof ChannelMessages>(
    level: LogLevel,
    name: Name,
    message: ChannelMessages[Name],
  ): void {
    if (!this.hears(level)) return;
    const { error, ...fields }: ChannelMessages[Name] & { readonly error?: unknown } = message;
    const event = name.slice('pagewright:'.length);
    const failure = error === undefined ? {} : { errorMessage: reasonOf(error) };
    this.write(level, { event, ...fields, ...failure }, sentences[name](message));
  }

  write(level: LogLevel, fields: LogFields, message: string): void {
    void this.#write(level, fields, message);
  }

  /** The logger may be async, whatever its type. */
  async #write(level: LogLevel, fields: LogFields, message: string): Promise<void> {
    try {
      await (this.#logger[level]?.(fields, message) as unknown);
    } catch {
      // A failing logger is the caller's concern.
    }
  }
}

/** The sentence for the message of a channel at its end. */
const sentences: {
  readonly [Name in keyof ChannelMessages]: (message: ChannelMessages[Name]) => string;
} = {
  'pagewright:request': ({ method, url, engine, statusCode, ...end }) =>
    `${method} ${url} by ${engine}: ${outcome(end, String(statusCode))}`,
  'pagewright:retry': ({ url, attempt, kind, delayMs, statusCode, errorCode }) =>
    `${url} is asked again in ${Math.round(delayMs)} ms (${kind}): attempt ${attempt} gave ${statusCode ?? errorCode ?? 'an error'}`,
  'pagewright:page': ({ url, statusCode, cacheState, ...end }) =>
    `Page ${url}: ${outcome(end, cacheState === undefined ? String(statusCode) : `${statusCode}, cache ${cacheState}`)}`,
  'pagewright:job': ({ verb, id, status, durationMs = 0, error, ...counts }) => {
    const job = ['Job', verb, id].filter((part) => part !== undefined).join(' ');
    if (status === undefined) return `${job} started`;
    const { completed = 0, failed = 0, skipped = 0 } = counts;
    const why = error === undefined ? '' : `: ${reasonOf(error)}`;
    return `${job} ${status} in ${Math.round(durationMs)} ms, ${completed} pages, ${failed} failed, ${skipped} skipped${why}`;
  },
  'pagewright:model': ({ model, operation, inputTokens, outputTokens, ...end }) =>
    `Model ${model}, ${operation}: ${outcome(end, `${inputTokens} + ${outputTokens} tokens`)}`,
};

function outcome({ durationMs = 0, error, errorCode }: TracedMessage, success: string): string {
  const end = error === undefined ? success : `${errorCode ?? 'an error'}: ${reasonOf(error)}`;
  return `${end} (${Math.round(durationMs)} ms)`;
}

function reasonOf(error: unknown): string {
  return withoutSignatures(messageOf(error));
}
