/** A running job: awaitable, iterable, cancellable. What the job verbs return. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from '../errors.ts';
import type { JobState, PageFailure, SkippedUrl, UrlOutcome } from '../model/job.ts';
import type { UndeliveredEvent } from '../model/webhook.ts';
import { normalizeUrl, parseUrl } from '../url/normalize-url.ts';
import { announceJob } from './announce-job.ts';
import { JobBell } from './job-bell.ts';
import { endOf } from './job-end.ts';
import { JobEmitter, type JobEvents } from './job-events.ts';
import { JobIteration } from './job-iteration.ts';
import { JobRecord } from './job-record.ts';
import type { JobControl, JobProgress, JobResult, JobSetting, JobStatus } from './job-status.ts';

/** How many documents may wait for a reader before the job pauses. */
const highWaterMark = 16;

/**
 * A job that is running since it was made. It always ends: as `completed`, `failed` or `cancelled`.
 *
 * `await job` gives all documents in their order and rejects when the job failed or its signal
 * aborted. `for await (const page of job)` gives them as they come, each loop all of them; the job
 * pauses while every loop lags behind, unless somebody awaits it. Leaving the loop early cancels the
 * job when nobody else reads or awaits it.
 */
export class Job<Document> implements PromiseLike<JobResult<Document>>, AsyncIterable<Document> {
  readonly id: string;
  readonly #setting: JobSetting;
  readonly #record: JobRecord<Document>;
  readonly #events: JobEmitter<Document>;
  readonly #abort = new AbortController();
  readonly #finished: Promise<void>;
  /** Those that have begun and not left. */
  readonly #readers = new Set<JobIteration<Document>>();
  readonly #bell = new JobBell();
  #awaited = false;

  constructor(setting: JobSetting, work: (control: JobControl<Document>) => Promise<void>) {
    this.id = setting.id;
    this.#setting = setting;
    setMaxListeners(0, this.#abort.signal, setting.clientSignal);
    this.#record = new JobRecord(setting);
    this.#events = new JobEmitter((message) => setting.logger.warn(message));
    if (setting.outbox !== undefined) announceJob(this.#events, this.#record.log, setting.outbox);
    this.#finished = this.#run(work);
    this.#finished.catch(() => undefined);
  }

  /**
   * Adds a listener; the returned function removes it. `page`, `pageFailed` and `skipped` tell each URL
   * once and in the order of the job; `failed` is the job itself, which could not go on.
   */
  on<Name extends keyof JobEvents<Document>>(
    name: Name,
    listener: (payload: JobEvents<Document>[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Stops the job: pages in flight are dropped, what is done stays. It has ended five seconds later,
   * even where something of the caller's own does not.
   */
  cancel(): void {
    this.#stop(new PagewrightError('CANCELLED', `Job ${this.id} was cancelled.`));
  }

  /** The numbers now, without documents. */
  get progress(): JobProgress {
    return this.#record.progress;
  }

  /**
   * The numbers now and the documents from `skip` on, at most 10 MB of them; `next` is the `skip` of
   * those that follow. Rejects with `JOB_EXPIRED`, and with `BAD_REQUEST` for a `skip` below 0.
   */
  async status(options: { readonly skip?: number } = {}): Promise<JobStatus<Document>> {
    this.#record.refuseExpired();
    return this.#record.status(options.skip ?? 0);
  }

  /** Pages that could not be scraped, so far. */
  errors(): PageFailure[] {
    return this.#record.ledger.list('failed').map(({ state: _, ...failure }) => failure);
  }

  /** URLs that were not scraped and why, so far. */
  skipped(): SkippedUrl[] {
    return this.#record.ledger.skips();
  }

  /** What became of a URL; undefined when the job never met it. */
  explain(url: string | URL): UrlOutcome | undefined {
    const asFound = String(url);
    const outcome = this.#record.ledger.explain(asFound);
    if (outcome !== undefined) return outcome;
    try {
      return this.#record.ledger.explain(normalizeUrl(parseUrl(asFound), {}));
    } catch {
      return undefined;
    }
  }

  /** Events that did not reach the webhook, so far. */
  undelivered(): UndeliveredEvent[] {
    return this.#setting.outbox?.undelivered() ?? [];
  }

  /** Resolves when the job has ended and each event has reached the webhook or was given up; never rejects. */
  async delivered(): Promise<void> {
    await this.settled();
    await this.#setting.outbox?.finished;
  }

  /** True when the results are past their time: 24 hours, or what the client's `jobRetention` says. */
  get expired(): boolean {
    return this.#record.expired;
  }

  /** Drops the stored results. */
  async drop(): Promise<void> {
    await this.#record.drop();
  }

  /** Resolves when the job has ended; never rejects. */
  async settled(): Promise<void> {
    await this.#finished.catch(() => undefined);
  }

  then<A = JobResult<Document>, B = never>(
    onFulfilled?: ((result: JobResult<Document>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#awaited = true;
    this.#forget();
    this.#bell.ring();
    return this.#result().then(onFulfilled, onRejected);
  }

  /** A reader of its own, from the first document on. */
  [Symbol.asyncIterator](): JobIteration<Document> {
    const record = this.#record;
    const bell = this.#bell;
    const reader = new JobIteration<Document>(
      {
        get length() {
          return record.log.length;
        },
        get first() {
          return record.log.first;
        },
        read: (index) => {
          record.refuseExpired();
          return record.log.read(index);
        },
        mayGrow: () => record.mayGrow(),
        get changed() {
          return bell.next;
        },
        moved: () => {
          this.#readers.add(reader);
          this.#forget();
          bell.ring();
        },
      },
      (hadEverything) => this.#left(reader, hadEverything),
    );
    return reader;
  }

  #left(reader: JobIteration<Document>, hadEverything: boolean): void {
    const hadBegun = this.#readers.delete(reader);
    this.#forget();
    this.#bell.ring();
    const isWanted = this.#readers.size > 0 || this.#awaited;
    if (hadBegun && !hadEverything && !isWanted) this.cancel();
  }

  async #result(): Promise<JobResult<Document>> {
    await this.#finished;
    this.#record.refuseExpired();
    // What a slow reader has still to take is for that reader alone.
    const data = this.#setting.keepsDocuments ? await this.#record.log.readAll() : [];
    return { ...this.progress, data, errors: this.errors() };
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
    const stopped = this.#abort.signal;
    const reason = (): unknown => (signal?.aborted === true ? stopped.reason : undefined);
    try {
      if (!stopped.aborted) await endOf(work(this.#control()), stopped, () => this.#abandon());
      if (stopped.aborted) this.#end('cancelled', reason());
      else this.#end('completed', undefined);
    } catch (error) {
      if (stopped.aborted) this.#end('cancelled', reason());
      else this.#end('failed', error);
    } finally {
      signal?.removeEventListener('abort', bySignal);
      clientSignal.removeEventListener('abort', byClient);
    }
    if (this.#record.error !== undefined) throw this.#record.error;
  }

  #stop(reason: PagewrightError): void {
    this.#abort.abort(reason);
    this.#bell.ring();
  }

  #abandon(): void {
    this.#setting.logger.warn(
      `Job ${this.id} was cancelled while something that it waits for does not end: a store, a request queue or a hook.`,
    );
  }

  #end(state: Exclude<JobState, 'scraping'>, error: unknown): void {
    const { id } = this;
    this.#record.end(state, error);
    if (state === 'failed') this.#events.emit('failed', { id, error });
    else this.#events.emit(state, { id });
    this.#bell.ring();
  }

  #control(): JobControl<Document> {
    const { ledger } = this.#record;
    return {
      id: this.id,
      ledger,
      signal: this.#abort.signal,
      keep: async (document, url, credits) => {
        await this.#record.log.append(document, this.#abort.signal);
        this.#record.kept(url, credits);
        this.#events.emit('page', document);
        this.#forget();
        this.#bell.ring();
      },
      fail: (failure) => {
        if (!this.#record.isRunning) return;
        ledger.failed(failure);
        this.#events.emit('pageFailed', failure);
      },
      skip: (skip) => {
        if (this.#record.isRunning && ledger.skipped(skip)) this.#events.emit('skipped', skip);
      },
      repeat: (skip) => {
        if (!this.#record.isRunning) return;
        ledger.repeated(skip);
        this.#events.emit('skipped', skip);
      },
      use: (usage) => this.#record.use(usage),
      warn: (sentence) => this.#record.warnings.add(sentence),
      wanted: () => this.#wanted(),
      isAskedForMore: () => this.#isAskedForMore(),
      changed: () => this.#bell.next,
    };
  }

  /** With `keepDocuments: false`: drops what every reader has, or everything where nobody reads. */
  #forget(): void {
    if (this.#setting.keepsDocuments) return;
    const { log } = this.#record;
    const positions = [...this.#readers].map(({ position }) => position);
    const nobodyReads = positions.length === 0 && this.#awaited;
    const end = nobodyReads ? log.length : Math.min(log.length, ...positions);
    if (positions.length === 0 && !nobodyReads) return;
    log.forget(end).catch((error: unknown) => this.#setting.logger.warn(String(error)));
  }

  async #wanted(): Promise<void> {
    while (this.#isPaced() && !this.#abort.signal.aborted) await this.#bell.next;
  }

  #isPaced(): boolean {
    const { log } = this.#record;
    const mayRunAhead = this.#readers.size === 0 && this.#setting.keepsDocuments;
    if (this.#awaited || mayRunAhead) return false;
    const furthest = Math.max(log.first, ...[...this.#readers].map(({ position }) => position));
    return log.length - furthest >= highWaterMark;
  }

  #isAskedForMore(): boolean {
    if (this.#awaited || this.#readers.size === 0) return true;
    return [...this.#readers].some(({ asksForMore }) => asksForMore);
  }
}

function cancellation(id: string, reason: unknown): PagewrightError {
  return reason instanceof PagewrightError
    ? reason
    : new PagewrightError('CANCELLED', `Job ${id} was cancelled by its signal.`, { cause: reason });
}
