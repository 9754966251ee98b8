/** Publishes a client's work, and writes it to its log. */
import { PagewrightError } from '../runtime/errors.ts';
import {
  type ChannelMessages,
  isHeard,
  type JobMessage,
  type ModelMessage,
  type PageMessage,
  type RequestMessage,
  retries,
  type RetryMessage,
  type TracedName,
  tracing,
} from './channels.ts';
import { type Logger, RunLog } from './logger.ts';

/** The telemetry of one client. Work without a subscriber or a log level runs as is. */
export class Telemetry {
  readonly #log: RunLog;

  constructor(logger: Logger) {
    this.#log = new RunLog(logger);
  }

  /** `work` fills in the message. */
  request<T>(message: RequestMessage, work: () => Promise<T>): Promise<T> {
    return this.#traced('pagewright:request', message, work);
  }

  page<T>(message: PageMessage, work: () => Promise<T>): Promise<T> {
    return this.#traced('pagewright:page', message, work);
  }

  model<T>(message: ModelMessage, work: () => Promise<T>): Promise<T> {
    return this.#traced('pagewright:model', message, work);
  }

  job<T>(message: JobMessage, work: () => Promise<T>): Promise<T> {
    const isLogged = this.#log.hears('info') || this.#log.hears('error');
    this.#log.line('info', 'pagewright:job', message);
    return this.#traced('pagewright:job', message, work, isLogged);
  }

  /** A call without its own pages, as a job; `count` gives the number of its results. */
  call<Result extends { readonly warning?: string | undefined }>(
    call: Pick<JobMessage, 'verb' | 'url'>,
    work: () => Promise<Result>,
    count: (result: Result) => number,
  ): Promise<Result> {
    const message: JobMessage = { id: undefined, ...call };
    return this.job(message, async () => {
      try {
        const result = await work();
        const { warning } = result;
        Object.assign(message, { status: 'completed', completed: count(result), warning });
        return result;
      } catch (error) {
        const isCancelled = error instanceof PagewrightError && error.code === 'CANCELLED';
        message.status = isCancelled ? 'cancelled' : 'failed';
        throw error;
      }
    });
  }

  retry(message: RetryMessage): void {
    retries.publish(message);
    this.#log.line('debug', 'pagewright:retry', message);
  }

  /** A warning that belongs to no result. */
  warn(message: string): void {
    this.#log.write('warn', { event: 'warning' }, message);
  }

  /** An event that did not reach its webhook. */
  undelivered(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#log.write('error', { event: 'webhook', ...fields }, message);
  }

  #traced<Name extends TracedName, T>(
    name: Name,
    message: ChannelMessages[Name],
    work: () => Promise<T>,
    isLogged: boolean = this.#log.hears('debug'),
  ): Promise<T> {
    if (!isLogged && !isHeard(name)) return work();
    return this.#timed(name, message, work);
  }

  async #timed<Name extends TracedName, T>(
    name: Name,
    message: ChannelMessages[Name],
    work: () => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    let value!: T;
    try {
      // The result, which may have headers and a body, is left out of the message.
      await tracing[name].tracePromise(async () => {
        try {
          value = await work();
        } catch (error) {
          message.error = error;
          message.errorCode = error instanceof PagewrightError ? error.code : undefined;
          throw error;
        } finally {
          message.durationMs = performance.now() - startedAt;
        }
      }, message);
      return value;
    } finally {
      const status = 'status' in message ? message.status : undefined;
      const level = name === 'pagewright:job' ? 'info' : 'debug';
      this.#log.line(status === 'failed' ? 'error' : level, name, message);
    }
  }
}
