/** A running job: awaitable, iterable, cancellable. The job verbs return it. */
import { setMaxListeners } from 'node:events';
import { callSite } from '../runtime/call-site.ts';
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { wrongOption } from '../checks/check.ts';
import type { PlainDocument } from '../model/document.ts';
import type {
  JobInput,
  JobState,
  PageFailure,
  PageTiming,
  SkippedUrl,
  SkipReason,
  UrlOutcome,
} from '../model/job.ts';
import type { UndeliveredEvent } from '../model/webhook.ts';
import { cancellation } from '../runtime/deadline.ts';
import {
  type DocumentFilter,
  documentTest,
  type DocumentTest,
  fitting,
} from '../options/document-filter.ts';
import { normalizeUrl, parseUrl } from '../url/normalize-url.ts';
import type { DurableJob, JobOpening, StoredEnd } from './durable/durable-job.ts';
import { isStoreError } from './durable/job-store.ts';
import { JobEmitter, type JobEvents, ProgressEmitter } from './job-emitter.ts';
import { type SentBefore, WebhookForwarder } from './webhooks/webhook-forwarder.ts';
import { type JobIteration, JobNotifier, JobReaders } from './job-readers.ts';
import { Journal } from './durable/journal.ts';
import { JobRecord } from './job-record.ts';
import type { JobControl, JobProgress, JobResult, JobSetting, JobStatus } from './job-status.ts';
import { traceJob } from './trace-job.ts';
import { emitEnd, jobControl } from './job-control.ts';
import { endOf } from './end-of-work.ts';

const keepTime = 1000; // milliseconds for the store to accept the request of a cancelled job

/**
 * A job that is running since it was made. It always ends: as `completed`, `failed` or `cancelled`.
 *
 * `await job` gives all documents in their order and rejects when the job failed or its signal
 * aborted. `for await (const page of job)` gives them as they come, each loop all of them; the job
 * pauses while every loop lags behind, unless somebody awaits it. Leaving the loop early ends the job
 * when nobody else reads or awaits it; one in a storage can be resumed. A job that another process runs is
 * only read: leaving its loops does not end it.
 */
export class Job<Document> implements Promise<JobResult<Document>>, AsyncIterable<Document> {
  readonly id: string;
  readonly #setting: JobSetting;
  readonly #record: JobRecord<Document>;
  readonly #events: JobEmitter<JobEvents<Document>>;
  readonly #progress: ProgressEmitter<JobEvents<Document>['progress']>;
  readonly #abort = new AbortController();
  readonly #finished: Promise<void>;
  readonly #delivered: Promise<void>;
  #webhook: WebhookForwarder | undefined;
  readonly #readers: JobReaders<Document>;
  readonly #notifier = new JobNotifier();
  /** Calls `#opened` with the document that readers start with. */
  #begin: (position: number) => void = () => undefined;
  readonly #opened: Promise<number> = new Promise((resolve) => (this.#begin = resolve));
  /** Why the job cannot continue in this process, though another may continue it. */
  #broken: { readonly error: unknown } | undefined;
  /** The error of a job that its signal ended, or the end of its client. */
  #interruption: PagewrightError | undefined;
  /** The caller has cancelled it: it is not resumed. */
  #isCancelled = false;
  #isAbandoned = false;
  #isOpen = false;
  #isElsewhere = false;
  readonly #active = new Set<string>();
  #opening: JobOpening | undefined;

  constructor(setting: JobSetting, work: (control: JobControl<Document>) => Promise<void>) {
    this.id = setting.id;
    this.#setting = setting;
    setMaxListeners(0, this.#abort.signal, setting.clientSignal);
    this.#record = new JobRecord(setting, callSite(setting.called ?? new.target));
    this.#events = new JobEmitter((message) => setting.logger.warn(message));
    this.#progress = new ProgressEmitter(this.#events, () => {
      const { progress } = this;
      return { ...progress, done: progress.completed + progress.failed };
    });
    this.#readers = new JobReaders({
      record: this.#record,
      notifier: this.#notifier,
      keepsDocuments: setting.keepsDocuments,
      start: this.#opened,
      warn: (message) => setting.logger.warn(message),
      onDone: async (count) => setting.durable?.readUpTo(count),
      onAbandoned: () => {
        if (setting.followed === undefined) this.#leave();
      },
    });
    this.#webhook = this.#openWebhook();
    const run = (): Promise<void> => this.#run(work);
    // A job that is only read is watched where it runs.
    this.#finished =
      setting.followed === undefined ? traceJob(setting, run, () => this.progress) : run();
    this.#delivered = this.#deliver();
  }

  /**
   * Adds a listener; the returned function removes it. `page`, `pageFailed` and `skipped` tell each URL
   * once and in the order of the job; `progress` has the numbers, at most every 100 ms; `failed` is the job
   * itself, which could not go on.
   *
   * @example job.on('progress', ({ done, total }) => bar.update(done / total));
   */
  on<Name extends keyof JobEvents<Document>>(
    name: Name,
    listener: (payload: JobEvents<Document>[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Stops the job for good: pages in flight are dropped, what is done stays. It has ended five seconds
   * later, even where something of the caller's own does not. A job that another process runs is cancelled
   * there, within a second; one that no process runs, when it is resumed.
   */
  cancel(): void {
    const { followed } = this.#setting;
    if (followed !== undefined) {
      if (this.#record.isRunning) followed.cancel();
      return;
    }
    this.#isCancelled ||= this.#record.isRunning;
    this.#leave();
  }

  /** The numbers now, without documents. */
  get progress(): JobProgress {
    return this.#record.progress;
  }

  /**
   * URLs of the pages that are being fetched or read now, the oldest first. Empty for a job that is only read.
   */
  get active(): string[] {
    return [...this.#active];
  }

  /**
   * The numbers now and the documents from `skip` on, at most 10 MB of them; `next` is the `skip` of
   * those that follow, absent only when the job has ended and all were given. Rejects with
   * `JOB_EXPIRED`, and with `BAD_REQUEST` for a `skip` below 0.
   */
  async status(options: { readonly skip?: number } = {}): Promise<JobStatus<Document>> {
    await this.#opened;
    const isMissing = !this.#isOpen && this.#isFromStore;
    if (isMissing && this.#record.error !== undefined) throw this.#record.error;
    if (this.#record.isRunning) await this.#setting.followed?.look();
    this.#record.refuseExpired();
    return this.#record.status(options.skip ?? 0);
  }

  /**
   * The documents that a filter fits, one after the other, like a loop over the job; a job of 100,000 documents has
   * one of them in memory. Throws `BAD_REQUEST` for a wrong filter; rejects with it for times of a job that runs in
   * another process, which are known at its end.
   *
   * @example for await (const page of job.documents({ label: 'product', status: '2xx' })) { … }
   */
  documents(filter: DocumentFilter = {}): AsyncIterableIterator<Document> {
    return this.#select(documentTest('documents', filter, (document) => this.#timeOf(document)));
  }

  async *#select(test: DocumentTest): AsyncGenerator<Document, void, undefined> {
    await this.#opened;
    if (test.readsTimes && this.#setting.followed !== undefined && this.#record.isRunning) {
      const problem = `the times of job ${this.id} are known when it has ended; another process runs it`;
      throw wrongOption('documents', ['since'], problem);
    }
    yield* fitting(this, test);
  }

  /** When a page was fetched, or the copy of the cache that it is; of one reused without a request, the job's begin. */
  #timeOf({ metadata: { sourceURL, cachedAt } }: PlainDocument): number {
    const fetchedAt = ofUrl(sourceURL, (url) => this.#record.timings.lastOf(url));
    return cachedAt === undefined ? (fetchedAt ?? this.#record.createdAt) : Date.parse(cachedAt);
  }

  /** Pages that could not be scraped, so far. */
  errors(): PageFailure[] {
    return this.#record.ledger.list('failed').map(({ state: _, ...failure }) => failure);
  }

  /**
   * URLs that were not scraped and why, so far: from `skip` on and at most `limit`, of a crawl that met
   * millions in sitemaps the first 100,000. `skippedByReason()` counts them all, `explain()` knows them all.
   * Throws `BAD_REQUEST` for a number that is not whole, or below 0.
   *
   * @default { skip: 0, limit: 100_000 }
   */
  skipped(options: { readonly skip?: number; readonly limit?: number } = {}): SkippedUrl[] {
    return this.#record.skipped(options);
  }

  /** The number of URLs that were not scraped so far, by their reason, the most frequent first. */
  skippedByReason(): Partial<Record<SkipReason, number>> {
    return this.#record.ledger.reasons;
  }

  /**
   * The time and size of each page that was fetched so far, failed and skipped ones included, in the order in
   * which their fetches ended; about 40 bytes of memory a page. A job that another process runs has them at its end.
   *
   * @example for (const { url, durationMs } of job.timings()) console.log(durationMs, url);
   */
  timings(): Generator<PageTiming, void, undefined> {
    return this.#record.timings.list();
  }

  /** The call that started the job, without secrets; undefined until a job of the storage is open. */
  get input(): JobInput | undefined {
    return this.#setting.input;
  }

  /** The outcome of a URL; undefined when the job never met it. */
  explain(url: string | URL): UrlOutcome | undefined {
    return ofUrl(String(url), (one) => this.#record.ledger.explain(one));
  }

  /** Events that did not reach the webhook, so far. */
  undelivered(): UndeliveredEvent[] {
    return this.#setting.outbox?.undelivered() ?? [];
  }

  /**
   * Resolves when the job has ended and each event has reached the webhook, was given up or is left to
   * `client.jobs.resume()`; never rejects.
   */
  delivered(): Promise<void> {
    this.#setting.followed?.watch();
    return this.#delivered;
  }

  /** True when the results are past their time: 24 hours, or what the client's `jobRetention` says. */
  get expired(): boolean {
    return this.#record.expired;
  }

  /**
   * True when the job ended here because of its storage, or because another process runs it: it may go on
   * elsewhere.
   */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** Drops the stored results. Rejects with `BAD_REQUEST` for a job that is only read. */
  async drop(): Promise<void> {
    const { followed } = this.#setting;
    if (followed !== undefined) throw notDropped(this.id);
    await this.#record.drop();
  }

  /** Resolves when the job has ended; never rejects. */
  async settled(): Promise<void> {
    this.#setting.followed?.watch();
    await this.#finished.catch(() => undefined);
  }

  then<A = JobResult<Document>, B = never>(
    onFulfilled?: ((result: JobResult<Document>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#readers.await();
    return this.#result().then(onFulfilled, onRejected);
  }

  /** `then` for errors only; it counts as awaiting the job, and so does `finally`. */
  catch<B = never>(
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<JobResult<Document> | B> {
    return this.then(undefined, onRejected);
  }

  /** Calls the function when the job has ended, however it ended. */
  finally(onFinally?: (() => void) | null): Promise<JobResult<Document>> {
    return this.then().finally(onFinally);
  }

  get [Symbol.toStringTag](): string {
    return 'Job';
  }

  /** A reader of its own: from the first document on, or of a resumed job from where its reader was. */
  [Symbol.asyncIterator](): JobIteration<Document> {
    return this.#readers.read();
  }

  /** True when the job ran before it was opened here. */
  get #isFromStore(): boolean {
    const { durable, followed } = this.#setting;
    return followed !== undefined || durable?.isResumed === true;
  }

  async #result(): Promise<JobResult<Document>> {
    await this.#finished;
    this.#record.refuseExpired();
    // Documents not yet taken by a slow reader are for that reader alone.
    const data = this.#setting.keepsDocuments ? await this.#record.readAll() : [];
    return { ...this.progress, ...this.#record.changes, data, errors: this.errors() };
  }

  async #run(work: (control: JobControl<Document>) => Promise<void>): Promise<void> {
    const { signal, clientSignal } = this.#setting;
    const bySignal = (): void => {
      this.#isCancelled = true;
      if (signal !== undefined) this.#interrupt(cancellation(signal, `Job ${this.id}`));
    };
    const byClient = (): void => {
      if (this.#abort.signal.aborted) return;
      const error = this.#closedWith(clientSignal.reason);
      if (this.#setting.followed !== undefined) this.#broken ??= { error };
      this.#interrupt(error);
    };
    signal?.addEventListener('abort', bySignal, { once: true });
    clientSignal.addEventListener('abort', byClient, { once: true });
    // Listeners added right after the job's creation receive its start.
    await Promise.resolve();
    if (signal?.aborted === true) bySignal();
    if (clientSignal.aborted) byClient();
    if (!this.#isFromStore) {
      this.#events.emit('started', { id: this.id });
      this.#webhook?.started();
    }
    const stopped = this.#abort.signal;
    try {
      if (!stopped.aborted) await endOf(this.#goOn(work), stopped, () => this.#abandon());
      if (this.#record.isRunning) await this.#end(stopped.aborted ? 'cancelled' : 'completed');
    } catch (error) {
      await this.#end(stopped.aborted ? 'cancelled' : 'failed', error);
    } finally {
      this.#begin(0);
      signal?.removeEventListener('abort', bySignal);
      clientSignal.removeEventListener('abort', byClient);
    }
    if (this.#record.error !== undefined) throw this.#record.error;
  }

  async #goOn(work: (control: JobControl<Document>) => Promise<void>): Promise<void> {
    await this.#open();
    if (!this.#abort.signal.aborted && this.#record.isRunning) await work(this.#control());
  }

  /** Loads the stored state of the job. */
  async #open(): Promise<void> {
    const { durable, followed, fromStart = false } = this.#setting;
    if (followed !== undefined) await this.#record.open(await followed.open());
    else if (durable !== undefined) {
      const fail = (error: unknown): void => {
        this.#broken ??= { error };
        this.#leave(error);
        // The events of a job that has ended.
        if (!this.#record.isRunning) void this.#setting.outbox?.leave();
      };
      const warn = (sentence: string): unknown => this.#record.warnings.add(sentence);
      const opening = await durable.open({
        signal: this.#abort.signal,
        warn,
        fail,
        cancel: () => this.cancel(),
        progress: () => this.progress,
      });
      this.#opening = opening;
      await this.#record.open(opening);
      if (durable.isResumed && opening.ended === undefined) {
        await this.#record.log.look();
        this.#setting.onResumed?.();
        this.#webhook = this.#openWebhook();
        const ends = (opening.retries ?? []).flatMap(({ endEvent }) => endEvent ?? []);
        this.#webhook?.resume({ sent: opening.sent, ends, ...positionIn(durable) });
        this.#webhook?.started(true);
      } else if (opening.ended === undefined) {
        const { store, confirm } = positionIn(durable);
        this.#setting.outbox?.storePosition(store, confirm);
      }
    }
    this.#isOpen = true;
    this.#begin(fromStart ? 0 : (this.#opening?.position ?? 0));
    this.#notifier.notify();
  }

  #openWebhook(): WebhookForwarder | undefined {
    const { outbox } = this.#setting;
    return outbox && new WebhookForwarder(outbox, this.#record.log);
  }

  /** Waits until no event is left to send; never rejects. */
  async #deliver(): Promise<void> {
    await this.#finished.catch(() => undefined);
    const { durable, followed, logger } = this.#setting;
    try {
      await this.#sendRest(this.#opening?.ended?.end);
      await this.#setting.outbox?.finished;
      await (durable ?? followed)?.release();
    } catch (error) {
      logger.warn(`The last webhook events of job ${this.id}: ${messageOf(error)}`);
      await durable?.release().catch(() => undefined);
    }
  }

  /** Sends the events left by the process that ended the job. */
  async #sendRest(end: StoredEnd | undefined): Promise<void> {
    const { durable, clientSignal } = this.#setting;
    if (end?.unsent === undefined || durable === undefined) return;
    const sent = await durable.takeUnsent(end.unsent, clientSignal);
    if (sent === undefined || sent > end.unsent.end) return;
    this.#setting.onResumed?.();
    this.#webhook = this.#openWebhook();
    this.#webhook?.resume({ sent, ...positionIn(durable) });
    this.#webhook?.unsent(end.unsent);
    this.#webhook?.ended(this.id, end.state, this.#record);
  }

  /** With `STORAGE` as the reason the job continues later: pages that others visit are still needed. */
  #leave(reason?: unknown): void {
    const cancelled = new PagewrightError('CANCELLED', `Job ${this.id} was cancelled.`);
    this.#stop(isStoreError(reason) ? (reason as PagewrightError) : cancelled);
  }

  /** Ends the job with an error: readers and callers must not mistake a partial result for a full one. */
  #interrupt(error: PagewrightError): void {
    this.#interruption ??= error;
    this.#stop(error);
  }

  /** The error of a job whose client was closed; `STORAGE` as the reason means that the job continues elsewhere. */
  #closedWith(reason: unknown): PagewrightError {
    if (isStoreError(reason)) return reason as PagewrightError;
    const { followed, durable } = this.#setting;
    if (followed !== undefined) return noLongerRead(this.id);
    const advice =
      durable === undefined ? '' : ' client.jobs.resume() of another client continues it.';
    const message = `The client was closed before job ${this.id} had ended.${advice}`;
    return new PagewrightError('CANCELLED', message);
  }

  #stop(reason: PagewrightError): void {
    this.#abort.abort(reason);
    this.#notifier.notify();
  }

  #abandon(): void {
    this.#isAbandoned = true;
    this.#setting.logger.warn(
      `Job ${this.id} was cancelled, but something that it waits for does not end: a store, a request queue or a hook.`,
    );
  }

  async #end(outcome: Exclude<JobState, 'scraping'>, thrown?: unknown): Promise<void> {
    const { id } = this;
    const { now } = this.#setting;
    const end: { state: Exclude<JobState, 'scraping'>; error: unknown } = {
      state: this.#broken === undefined ? outcome : 'failed',
      error: this.#broken?.error ?? (outcome === 'cancelled' ? this.#interruption : thrown),
    };
    const completedAt = now();
    try {
      await this.#store(end, completedAt);
    } catch (error) {
      if (end.state !== 'failed') Object.assign(end, { state: 'failed', error });
      await this.#setting.outbox?.leave();
    }
    const { state, error } = end;
    this.#record.end(state, error, completedAt);
    this.#progress.end();
    emitEnd(this.#events, id, end);
    this.#webhook?.ended(id, state, this.#record);
    this.#notifier.notify();
  }

  /** Stores the end of a job that ended for good; any other job can be resumed. */
  async #store(
    { state, error }: { state: Exclude<JobState, 'scraping'>; error: unknown },
    completedAt: number,
  ): Promise<void> {
    const { durable, followed } = this.#setting;
    if (durable === undefined && followed === undefined) return;
    if (this.#isAbandoned) return this.#giveUp(durable, state === 'cancelled' && this.#isCancelled);
    const isStorage = isStoreError(error);
    const isLeft = state === 'cancelled' ? !this.#isCancelled : isStorage;
    this.#isElsewhere = state === 'failed' && isStorage;
    const stored =
      durable === undefined || isLeft || this.#broken !== undefined || !this.#isOpen
        ? this.#release()
        : durable.finish(this.#record.ending(state, error, completedAt), this.#record.parts());
    await endOf(stored, this.#abort.signal, () => this.#abandon());
  }

  /** Leaves a job whose work does not end; the process that resumes it ends one that was cancelled. */
  async #giveUp(durable: DurableJob | undefined, isForGood: boolean): Promise<void> {
    if (!this.#isOpen) return;
    let isKept: unknown;
    const keep = async (): Promise<void> => void (isKept = await durable?.keepCancelled());
    if (isForGood) await endOf(keep(), this.#abort.signal, () => undefined, keepTime);
    // Not awaited: the event before may wait for the store.
    if (isKept !== true) void this.#setting.outbox?.leave();
  }

  /** Leaves the job to the process that resumes it. */
  async #release(): Promise<void> {
    const { durable, followed, outbox } = this.#setting;
    if (this.#isOpen) await outbox?.leave();
    await (durable ?? followed)?.release();
  }

  #control(): JobControl<Document> {
    return jobControl({
      id: this.id,
      record: this.#record,
      events: this.#events,
      progress: this.#progress,
      readers: this.#readers,
      notifier: this.#notifier,
      signal: this.#abort.signal,
      active: this.#active,
      opening: this.#opening,
      journal: this.#setting.durable?.journal ?? new Journal(),
      webhook: this.#webhook,
    });
  }
}

/** What is known of a URL, which may not be in its normal form, or be no URL. */
function ofUrl<Fact>(url: string, find: (url: string) => Fact | undefined): Fact | undefined {
  const known = find(url);
  if (known !== undefined) return known;
  try {
    return find(normalizeUrl(parseUrl(url), {}));
  } catch {
    return undefined;
  }
}

/** The position of a webhook in the store of its job. */
function positionIn(durable: DurableJob): Pick<SentBefore, 'store' | 'confirm'> {
  return {
    store: (position) => durable.sentUpTo(position),
    confirm: () => durable.confirm(),
  };
}

function notDropped(id: string): PagewrightError {
  const message = `Job ${id} is only read here: client.jobs.resume(id) gives one that can be dropped.`;
  return new PagewrightError('BAD_REQUEST', message);
}

/** The error of a job that another process runs, once the client that reads it is closed. */
function noLongerRead(id: string): PagewrightError {
  const message = `The client was closed while it read job ${id}, which continues where it runs.`;
  return new PagewrightError('CANCELLED', message);
}
