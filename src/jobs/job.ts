/** A running job: awaitable, iterable, cancellable. What the job verbs return. */
import { setMaxListeners } from 'node:events';
import { PagewrightError, ValidationError } from '../errors.ts';
import type { JobState, PageFailure, SkippedUrl, UrlOutcome } from '../model/job.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { DocumentLog } from './document-log.ts';
import { JobEmitter, type JobEvents } from './job-events.ts';
import type { JobControl, JobProgress, JobResult, JobSetting, JobStatus } from './job-status.ts';
import { Ledger } from './ledger.ts';

/** How long results are kept after the end, in ms. */
const retention = 24 * 60 * 60 * 1000;
/** How many documents may wait for a consumer before the job pauses. */
const highWaterMark = 16;
const pageBytes = 10 * 1024 * 1024;

/**
 * A job that is running since it was made.
 *
 * `await job` gives all documents in their order and rejects when the job failed or its signal
 * aborted. `for await (const page of job)` gives them as they come; the job pauses while every
 * consumer lags behind, unless somebody awaits it. Leaving the loop early cancels the job when
 * nobody else consumes or awaits it.
 */
export class Job<Document> implements PromiseLike<JobResult<Document>>, AsyncIterable<Document> {
  readonly id: string;
  readonly #setting: JobSetting;
  readonly #log: DocumentLog<Document>;
  readonly #ledger = new Ledger();
  readonly #events: JobEmitter<Document>;
  readonly #abort = new AbortController();
  readonly #finished: Promise<void>;
  readonly #createdAt: number;
  readonly #warnings = new Set<string>();
  /** Positions of the iterators in use. */
  readonly #consumers = new Set<{ position: number }>();
  #awaited = false;
  #isDropped = false;
  #state: JobState = 'scraping';
  #completedAt: number | undefined;
  #error: unknown;
  #credits = 0;
  readonly #usage = { requests: 0, bytes: 0 };
  #wake = Promise.resolve();
  #ring: () => void = () => undefined;

  constructor(setting: JobSetting, work: (control: JobControl<Document>) => Promise<void>) {
    this.id = setting.id;
    this.#setting = setting;
    setMaxListeners(0, this.#abort.signal, setting.clientSignal);
    this.#createdAt = setting.now();
    this.#log = new DocumentLog(setting.store, this.id);
    this.#events = new JobEmitter((message) => setting.logger.warn(message));
    this.#armBell();
    this.#finished = this.#run(work);
    this.#finished.catch(() => undefined);
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof JobEvents<Document>>(
    name: Name,
    listener: (payload: JobEvents<Document>[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /** Stops the job: pages in flight are dropped, what is done stays. */
  cancel(): void {
    this.#stop(new PagewrightError('CANCELLED', `Job ${this.id} was cancelled.`));
  }

  /** The numbers now, without documents. */
  get progress(): JobProgress {
    const counts = this.#ledger.counts;
    const completedAt = this.#completedAt;
    return {
      id: this.id,
      success: this.#state === 'scraping' || this.#state === 'completed',
      status: this.#state,
      total: counts.discovered - counts.skipped,
      ...counts,
      creditsUsed: this.#credits,
      usage: { ...this.#usage },
      createdAt: isoTime(this.#createdAt),
      ...(completedAt === undefined
        ? {}
        : { completedAt: isoTime(completedAt), expiresAt: isoTime(completedAt + retention) }),
      ...(this.#warnings.size === 0 ? {} : { warning: [...this.#warnings].join(' ') }),
    };
  }

  /** The numbers now and the documents from `skip` on, at most 10 MB of them. Throws `JOB_EXPIRED`. */
  async status(options: { readonly skip?: number } = {}): Promise<JobStatus<Document>> {
    this.#refuseExpired();
    const { skip = 0 } = options;
    if (!Number.isInteger(skip) || skip < 0) {
      const message = `skip: expected a whole number from 0 on, got ${String(skip)}`;
      throw new ValidationError('status', [{ path: ['skip'], message }]);
    }
    const progress = this.progress;
    const available = this.#log.length;
    const data: Document[] = [];
    let index = skip;
    let bytes = 0;
    while (index < available) {
      bytes += this.#log.size(index);
      // A single document above the limit is given all the same, or it could never be read.
      if (bytes > pageBytes && data.length > 0) break;
      data.push(await this.#log.read(index));
      index += 1;
    }
    return { ...progress, data, ...(index < available ? { next: index } : {}) };
  }

  /** Pages that could not be scraped, so far. */
  errors(): PageFailure[] {
    return this.#ledger.list('failed').map(({ state: _, ...failure }) => failure);
  }

  /** URLs that were not scraped and why, so far. */
  skipped(): SkippedUrl[] {
    return this.#ledger.list('skipped').map(({ state: _, ...skip }) => skip);
  }

  /** What became of a URL; undefined when the job never met it. */
  explain(url: string | URL): UrlOutcome | undefined {
    const asFound = String(url);
    const outcome = this.#ledger.explain(asFound);
    if (outcome !== undefined || !URL.canParse(asFound)) return outcome;
    return this.#ledger.explain(normalizeUrl(new URL(asFound), {}));
  }

  /** True when the results are past their 24 hours. */
  get expired(): boolean {
    const end = this.#completedAt;
    return this.#isDropped || (end !== undefined && this.#setting.now() > end + retention);
  }

  /** Drops the stored results. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    await this.#log.drop();
  }

  /** Resolves when nothing of the job runs any more; never rejects. */
  async settled(): Promise<void> {
    await this.#finished.catch(() => undefined);
  }

  then<A = JobResult<Document>, B = never>(
    onFulfilled?: ((result: JobResult<Document>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#awaited = true;
    this.#ring();
    return this.#result().then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document, void, undefined> {
    const consumer = { position: 0 };
    this.#consumers.add(consumer);
    let complete = false;
    try {
      for (;;) {
        // Taken before looking, so that nothing that happens meanwhile is missed.
        const change = this.#wake;
        this.#refuseExpired();
        if (consumer.position < this.#log.length) {
          const document = await this.#log.read(consumer.position);
          consumer.position += 1;
          this.#ring();
          yield document;
        } else if (this.#state === 'scraping') {
          await change;
        } else {
          complete = true;
          if (this.#error !== undefined) throw this.#error;
          return;
        }
      }
    } finally {
      this.#consumers.delete(consumer);
      this.#ring();
      if (!complete && this.#consumers.size === 0 && !this.#awaited) this.cancel();
    }
  }

  async #result(): Promise<JobResult<Document>> {
    await this.#finished;
    this.#refuseExpired();
    return { ...this.progress, data: await this.#log.readAll(), errors: this.errors() };
  }

  async #run(work: (control: JobControl<Document>) => Promise<void>): Promise<void> {
    const { signal, clientSignal } = this.#setting;
    const bySignal = (): void => this.#stop(cancellation(this.id, signal?.reason));
    const byClient = (): void => this.cancel();
    signal?.addEventListener('abort', bySignal, { once: true });
    clientSignal.addEventListener('abort', byClient, { once: true });
    // Listeners that are added right after the job was made hear of its start.
    await Promise.resolve();
    if (signal?.aborted === true) bySignal();
    if (clientSignal.aborted) byClient();
    this.#events.emit('started', { id: this.id });
    try {
      if (!this.#abort.signal.aborted) await work(this.#control());
      this.#end(this.#abort.signal.aborted ? 'cancelled' : 'completed');
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        this.#error = error;
        this.#end('failed');
        throw error;
      }
      this.#end('cancelled');
    } finally {
      signal?.removeEventListener('abort', bySignal);
      clientSignal.removeEventListener('abort', byClient);
    }
    if (signal?.aborted === true) {
      this.#error = this.#abort.signal.reason as Error;
      throw this.#error;
    }
  }

  #refuseExpired(): void {
    if (!this.expired) return;
    throw new PagewrightError('JOB_EXPIRED', `The results of job ${this.id} have expired.`);
  }

  #stop(reason: PagewrightError): void {
    this.#abort.abort(reason);
    this.#ring();
  }

  #end(state: JobState): void {
    this.#state = state;
    this.#completedAt = this.#setting.now();
    if (state === 'failed') this.#events.emit('failed', { id: this.id, error: this.#error });
    else this.#events.emit(state === 'cancelled' ? 'cancelled' : 'completed', { id: this.id });
    this.#ring();
  }

  #control(): JobControl<Document> {
    return {
      id: this.id,
      ledger: this.#ledger,
      signal: this.#abort.signal,
      keep: async (document, url, credits) => {
        await this.#log.append(document);
        this.#credits += credits;
        this.#ledger.completed(url);
        this.#events.emit('page', document);
        this.#ring();
      },
      fail: (failure) => {
        this.#ledger.failed(failure);
        this.#events.emit('pageFailed', failure);
      },
      skip: (skip) => {
        if (this.#ledger.skipped(skip)) this.#events.emit('skipped', skip);
      },
      use: ({ requests, bytes }) => {
        this.#usage.requests += requests;
        this.#usage.bytes += bytes;
      },
      warn: (sentence) => this.#warnings.add(sentence),
      wanted: () => this.#wanted(),
    };
  }

  async #wanted(): Promise<void> {
    while (this.#isPaced() && !this.#abort.signal.aborted) await this.#wake;
  }

  #isPaced(): boolean {
    if (this.#awaited || this.#consumers.size === 0) return false;
    const furthest = Math.max(...[...this.#consumers].map((consumer) => consumer.position));
    return this.#log.length - furthest >= highWaterMark;
  }

  /** Wakes everybody who waits for a change, and hangs up a new bell for the next one. */
  #armBell(): void {
    this.#wake = new Promise((resolve) => {
      this.#ring = () => {
        resolve();
        this.#armBell();
      };
    });
  }
}

function cancellation(id: string, reason: unknown): PagewrightError {
  return reason instanceof PagewrightError
    ? reason
    : new PagewrightError('CANCELLED', `Job ${id} was cancelled by its signal.`, { cause: reason });
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
