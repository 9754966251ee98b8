/** A running extraction: awaitable and cancellable. `extract()` returns it. */
import { setMaxListeners } from 'node:events';
import { callSite } from '../runtime/call-site.ts';
import { PagewrightError } from '../runtime/errors.ts';
import type { RecipeReport } from '../../extract/recipes/recipe.ts';
import type { Provenance } from '../../extract/provenance/provenance.ts';
import type { ModelTotals } from '../../extract/llm/model.ts';
import type { JobCounts, JobUsage, PageFailure, SkippedUrl } from '../model/job.ts';
import type { UndeliveredEvent } from '../model/webhook.ts';
import { cancellation } from '../runtime/deadline.ts';
import { type Done, JobEmitter, type JobEvents, ProgressEmitter } from './job-emitter.ts';
import { failedJob } from './webhooks/webhook-forwarder.ts';
import type { JobSetting } from './job-status.ts';
import { traceJob } from './trace-job.ts';
import { isoTime } from '../runtime/clock.ts';

/** Where an extraction is. */
export type ExtractState = 'processing' | 'completed' | 'failed' | 'cancelled';

/** Values that pages disagree about; the first is the one taken. */
export interface ExtractConflict {
  /** Where in the data: `offers[0].price`. */
  readonly path: string;
  readonly values: readonly { readonly value: unknown; readonly url: string }[];
}

/** A page that was read. */
export interface ExtractPage {
  readonly url: string;
  /** Whether it is a stored copy; absent where the cache was not asked. */
  readonly cacheState?: 'hit' | 'miss';
  /** ISO 8601: when the copy was fetched, or last confirmed by the server. */
  readonly cachedAt?: string;
  /** False if no value of the page is in the data: the page has none, or contradicts the pages taken. */
  readonly isUsed: boolean;
}

/** The data of pages that do not contradict each other. */
export interface ExtractCandidate<T> {
  readonly data: T;
  /** The pages with this data. */
  readonly urls: readonly string[];
}

/** The data and numbers of an extraction at one moment. */
export interface ExtractSoFar {
  /** Of the pages read so far, and not validated: required values may be missing. */
  readonly data?: unknown;
  /** The pages that were read, in the order of the URLs. */
  readonly pages: readonly ExtractPage[];
  /** Pages that could not be read; the data is of the others. */
  readonly errors: readonly PageFailure[];
  /** Pages that were not read because the budget was used up; the data is of the others. */
  readonly skipped: readonly SkippedUrl[];
  readonly creditsUsed: number;
  /** The use of reading the pages; finding the pages of a `/*` is not in it. */
  readonly usage: JobUsage;
  readonly warning?: string;
}

/** The result of an extraction's work. */
export interface Extraction<T> extends ExtractSoFar {
  readonly data: T;
  /**
   * Present if pages contradict each other: the data of each group of pages that agree, as far as it fits
   * the schema. The first candidate is `data`; the others follow by their number of values.
   */
  readonly candidates?: readonly ExtractCandidate<T>[];
  /** The URLs each value was read from, by its path in the data. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  readonly conflicts: readonly ExtractConflict[];
  /** Paths of the schema for which no page had a value. */
  readonly notFound: readonly string[];
  /** Entries of `urls` that are not URLs. */
  readonly invalidURLs: readonly string[];
  /** The use of the language model, where it was asked. */
  readonly modelUsage?: ModelTotals;
  /** What the recipe of each page did, in the order of the pages, if `recipe` was given. */
  readonly recipes?: readonly RecipeReport[];
  /** Where each value is said, by its path in the data, if it was asked for. */
  readonly provenance?: Provenance;
}

/** The value of `await job`. */
export type ExtractResult<T, Proven extends boolean = false> = Omit<Extraction<T>, 'provenance'> &
  ExtractProgress &
  ProvenanceField<Proven>;

/** The field is there when it was asked for. */
type ProvenanceField<Proven extends boolean> = [Proven] extends [false]
  ? unknown
  : [Proven] extends [true]
    ? { readonly provenance: Provenance }
    : { readonly provenance?: Provenance };

/** The state of an extraction at one moment. */
export interface ExtractProgress extends Pick<ExtractSoFar, 'creditsUsed' | 'usage' | 'warning'> {
  readonly id: string;
  readonly success: boolean;
  readonly status: ExtractState;
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  readonly completedAt?: string;
  /**
   * When the result is dropped: 24 hours after the end, or what `jobRetention` says. While the job runs: if it
   * ended now.
   */
  readonly expiresAt: string;
}

/** The state of an extraction with its data so far, or, once it has completed, with its result. */
export type ExtractStatus = ExtractProgress & ExtractSoFar;

/** The parts of the client that an extraction needs. */
export interface ExtractSetting extends Pick<
  JobSetting,
  | 'id'
  | 'now'
  | 'retention'
  | 'signal'
  | 'clientSignal'
  | 'outbox'
  | 'logger'
  | 'telemetry'
  | 'traced'
> {
  /** Entries of `urls` that are not URLs. */
  readonly invalidURLs: readonly string[];
}

/** The arguments of each event's listeners, for an extraction. */
export interface ExtractEvents extends Pick<
  JobEvents<never>,
  'started' | 'cancelled' | 'completed' | 'failed'
> {
  /**
   * A page was read, failed or was skipped, for a progress bar: `done` of `total` pages. At most every 100 ms, and
   * once more right before the job ends.
   */
  readonly progress: ExtractCounts;
}

/** The pages of an extraction by state; all are 0 until the pages of each `/*` are found. */
export interface ExtractCounts extends JobCounts, Done, Pick<ExtractProgress, 'id' | 'status'> {
  /** Pages that are or may be read: discovered without the skipped. */
  readonly total: number;
}

/** Called when the work has changed something: with the data so far, the number of pages in each state, and the pages under way. */
export type ShowExtraction = (
  look: () => ExtractSoFar,
  count: () => JobCounts,
  active: ReadonlySet<string>,
) => void;

/** The work of an extraction. */
export type ExtractWork<T> = (signal: AbortSignal, show: ShowExtraction) => Promise<Extraction<T>>;

/** An extraction that is running since it was made. Awaiting rejects when it failed or was cancelled. */
export class ExtractJob<T, Proven extends boolean = false> implements Promise<
  ExtractResult<T, Proven>
> {
  readonly id: string;
  /** Entries of `urls` that are not URLs. */
  readonly invalidURLs: readonly string[];
  readonly #setting: ExtractSetting;
  readonly #abort = new AbortController();
  readonly #createdAt: number;
  readonly #result: Promise<ExtractResult<T, Proven>>;
  readonly #events: JobEmitter<ExtractEvents>;
  readonly #progress: ProgressEmitter<ExtractCounts>;
  #look: () => ExtractSoFar = () => nothingYet;
  #count: () => JobCounts = () => noPages;
  #active: ReadonlySet<string> = new Set();
  #state: ExtractState = 'processing';
  #completedAt: number | undefined;

  constructor(setting: ExtractSetting, work: ExtractWork<T>) {
    this.id = setting.id;
    this.invalidURLs = setting.invalidURLs;
    this.#setting = setting;
    setMaxListeners(0, this.#abort.signal, setting.clientSignal);
    this.#createdAt = setting.now();
    this.#events = new JobEmitter((message) => setting.logger.warn(message));
    this.#progress = new ProgressEmitter(this.#events, () => {
      const counts = this.#count();
      const { discovered, completed, failed, skipped } = counts;
      const total = discovered - skipped;
      return { id: this.id, status: this.#state, ...counts, total, done: completed + failed };
    });
    const named = callSite(new.target);
    const run = (): Promise<ExtractResult<T, Proven>> => this.#run(work);
    const traced = traceJob(setting, run, () => ({ ...this.counts, ...this.progress }));
    this.#result = traced.catch((error: unknown) => {
      throw named(error);
    });
    this.#result.catch(() => undefined);
  }

  /**
   * Adds a listener; the returned function removes it.
   *
   * @example job.on('progress', ({ done, total }) => bar.update(done / total));
   */
  on<Name extends keyof ExtractEvents>(
    name: Name,
    listener: (payload: ExtractEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /** Where the job is now, without its data. */
  get progress(): ExtractProgress {
    const { creditsUsed, usage, warning } = this.#look();
    const end = this.#completedAt;
    return {
      id: this.id,
      success: this.#state === 'processing' || this.#state === 'completed',
      status: this.#state,
      creditsUsed,
      usage,
      createdAt: isoTime(this.#createdAt),
      ...(end === undefined ? {} : { completedAt: isoTime(end) }),
      expiresAt: isoTime((end ?? this.#setting.now()) + this.#setting.retention),
      ...(warning === undefined ? {} : { warning }),
    };
  }

  /** The number of pages by state. Pages of a URL that ends in `/*` count once the site was searched for them. */
  get counts(): JobCounts {
    return this.#count();
  }

  /** URLs of the pages that are being fetched or read now, the oldest first. */
  get active(): string[] {
    return [...this.#active];
  }

  /** Where the job is now, with the data so far. Throws `JOB_EXPIRED` when the result is past its time. */
  status(): ExtractStatus {
    this.#refuseExpired();
    return { ...this.#look(), ...this.progress };
  }

  /** Stops the job; awaiting it rejects with `CANCELLED`. */
  cancel(): void {
    this.#abort.abort(new PagewrightError('CANCELLED', `Extraction ${this.id} was cancelled.`));
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

  /** Resolves when nothing of the job runs any more; never rejects. */
  async settled(): Promise<void> {
    await this.#result.catch(() => undefined);
  }

  then<A = ExtractResult<T, Proven>, B = never>(
    onFulfilled?: ((result: ExtractResult<T, Proven>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const given = this.#result.then((result) => {
      this.#refuseExpired();
      return result;
    });
    return given.then(onFulfilled, onRejected);
  }

  /** `then` for errors only. */
  catch<B = never>(
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<ExtractResult<T, Proven> | B> {
    return this.then(undefined, onRejected);
  }

  /** Calls the function when the job has ended, however it ended. */
  finally(onFinally?: (() => void) | null): Promise<ExtractResult<T, Proven>> {
    return this.then().finally(onFinally);
  }

  get [Symbol.toStringTag](): string {
    return 'ExtractJob';
  }

  /** True when the result is past its time: 24 hours, or what the client's `jobRetention` says. */
  get expired(): boolean {
    const { now, retention } = this.#setting;
    return this.#completedAt !== undefined && now() > this.#completedAt + retention;
  }

  #refuseExpired(): void {
    if (!this.expired) return;
    throw new PagewrightError('JOB_EXPIRED', `The results of job ${this.id} have expired.`);
  }

  async #run(work: ExtractWork<T>): Promise<ExtractResult<T, Proven>> {
    const signals = [this.#setting.signal, this.#setting.clientSignal];
    const cancel = (): void => {
      const ended = signals.find((signal) => signal?.aborted === true);
      if (ended !== undefined) this.#abort.abort(cancellation(ended, `Extraction ${this.id}`));
    };
    for (const signal of signals) signal?.addEventListener('abort', cancel, { once: true });
    // Listeners added right after the job's creation receive its start.
    await Promise.resolve();
    const { id } = this;
    const { outbox } = this.#setting;
    this.#events.emit('started', { id });
    outbox?.add({ event: 'started' });
    try {
      cancel();
      this.#abort.signal.throwIfAborted();
      const extraction = await work(this.#abort.signal, (look, count, active) => {
        this.#look = look;
        this.#count = count;
        this.#active = active;
        this.#progress.changed();
      });
      this.#abort.signal.throwIfAborted();
      const { data, pages, errors, skipped, creditsUsed, usage, warning } = extraction;
      const last = { data, pages, errors, skipped, creditsUsed, usage };
      this.#look = () => (warning === undefined ? last : { ...last, warning });
      this.#end('completed');
      this.#events.emit('completed', { id });
      // The job was created with work whose result has this type.
      const result = { ...extraction, ...this.progress } as ExtractResult<T, Proven>;
      if (outbox !== undefined) outbox.add({ event: 'completed', read: copyOf(result) });
      return result;
    } catch (error) {
      const { signal } = this.#abort;
      const reason: unknown = signal.aborted ? signal.reason : error;
      this.#end(signal.aborted ? 'cancelled' : 'failed');
      if (signal.aborted) this.#events.emit('cancelled', { id });
      else this.#events.emit('failed', { id, error });
      outbox?.add(failedJob(reason));
      throw reason;
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', cancel);
    }
  }

  #end(state: ExtractState): void {
    this.#state = state;
    this.#completedAt = this.#setting.now();
    this.#progress.end();
  }
}

const noPages: JobCounts = { discovered: 0, completed: 0, failed: 0, skipped: 0, pending: 0 };

const nothingYet: ExtractSoFar = {
  pages: [],
  errors: [],
  skipped: [],
  creditsUsed: 0,
  usage: { requests: 0, bytes: 0 },
};

/** A copy of the result: the caller may change it before the webhook is sent. */
function copyOf(result: unknown): () => readonly unknown[] {
  try {
    const json = JSON.stringify(result);
    return () => [JSON.parse(json) as unknown];
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
