/** A running extraction: awaitable and cancellable. `extract()` returns it. */
import { PagewrightError } from '../runtime/errors.ts';
import type { RecipeReport } from '../../extract/recipes/recipe.ts';
import type { Provenance } from '../../extract/provenance/provenance.ts';
import type { ModelTotals } from '../../extract/llm/model.ts';
import type { PlainDocument } from '../model/document.ts';
import type { JobCounts, JobUsage, PageFailure, SkippedUrl } from '../model/job.ts';
import type { UndeliveredEvent } from '../model/webhook.ts';
import { countsOf } from './durable/durable-job.ts';
import { Job } from './job.ts';
import type { Done, JobEvents } from './job-emitter.ts';
import { failedJob } from './webhooks/webhook-forwarder.ts';
import type { JobControl, JobProgress, JobSetting } from './job-status.ts';

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
export interface Extraction<T> extends Pick<ExtractSoFar, 'pages'> {
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
  Pick<ExtractSoFar, 'errors' | 'skipped'> &
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
export interface ExtractSetting extends JobSetting {
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

/** Sets the function that gives the data so far. */
export type ShowExtraction = (look: () => Pick<ExtractSoFar, 'data' | 'pages'>) => void;

/** The work of an extraction. */
export type ExtractWork<T> = (
  control: JobControl<PlainDocument>,
  show: ShowExtraction,
) => Promise<Extraction<T>>;

/** An extraction that is running since it was made. Awaiting rejects when it failed or was cancelled. */
export class ExtractJob<T, Proven extends boolean = false> implements Promise<
  ExtractResult<T, Proven>
> {
  readonly id: string;
  /** Entries of `urls` that are not URLs. */
  readonly invalidURLs: readonly string[];
  readonly #setting: ExtractSetting;
  readonly #job: Job<PlainDocument>;
  readonly #cancelling = new AbortController();
  #look: () => Pick<ExtractSoFar, 'data' | 'pages'> = () => ({ pages: [] });
  #extraction: Extraction<T> | undefined;

  constructor(setting: ExtractSetting, work: ExtractWork<T>) {
    this.id = setting.id;
    this.invalidURLs = setting.invalidURLs;
    this.#setting = setting;
    const { outbox, ...own } = setting;
    const signals = [setting.signal ?? [], this.#cancelling.signal].flat();
    const signal = AbortSignal.any(signals);
    this.#job = new Job({ ...own, signal, called: new.target }, async (control) => {
      const extraction = await work(control, (look) => (this.#look = look));
      control.signal.throwIfAborted();
      this.#extraction = extraction;
      const { data, pages } = extraction;
      this.#look = () => ({ data, pages });
    });
    if (outbox === undefined) return;
    outbox.add({ event: 'started' });
    this.then(
      (result) => outbox.add({ event: 'completed', read: copyOf(result) }),
      (error: unknown) => outbox.add(failedJob(error)),
    );
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
    return this.#job.on(name, (payload) => {
      if (!('done' in payload)) return listener(payload as ExtractEvents[Name]);
      const { id, total, done } = payload;
      const counts = { id, status: stateOf(payload), ...countsOf(payload), total, done };
      return listener(counts as ExtractEvents[Name]);
    });
  }

  /** Where the job is now, without its data. */
  get progress(): ExtractProgress {
    const { progress } = this.#job;
    const { id, success, creditsUsed, usage, createdAt, completedAt, expiresAt, warning } =
      progress;
    return {
      id,
      success,
      status: stateOf(progress),
      creditsUsed,
      usage,
      createdAt,
      ...(completedAt === undefined ? {} : { completedAt }),
      expiresAt,
      ...(warning === undefined ? {} : { warning }),
    };
  }

  /** The number of pages by state. Pages of a URL that ends in `/*` count once the site was searched for them. */
  get counts(): JobCounts {
    return countsOf(this.#job.progress);
  }

  /** URLs of the pages that are being fetched or read now, the oldest first. */
  get active(): string[] {
    return this.#job.active;
  }

  /** Where the job is now, with the data so far. Throws `JOB_EXPIRED` when the result is past its time. */
  status(): ExtractStatus {
    if (this.expired) {
      throw new PagewrightError('JOB_EXPIRED', `The results of job ${this.id} have expired.`);
    }
    return { ...this.#look(), ...this.#outcomes, ...this.progress };
  }

  /** Stops the job; awaiting it rejects with `CANCELLED`. */
  cancel(): void {
    this.#cancelling.abort(new PagewrightError('CANCELLED', `Job ${this.id} was cancelled.`));
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
  settled(): Promise<void> {
    return this.#job.settled();
  }

  then<A = ExtractResult<T, Proven>, B = never>(
    onFulfilled?: ((result: ExtractResult<T, Proven>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#job.then(() => this.#result).then(onFulfilled, onRejected);
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
    return this.#job.expired;
  }

  get #outcomes(): Pick<ExtractSoFar, 'errors' | 'skipped'> {
    return { errors: this.#job.errors(), skipped: this.#job.skipped() };
  }

  /** The result of a job that has completed. */
  get #result(): ExtractResult<T, Proven> {
    const result = { ...this.#extraction, ...this.#outcomes, ...this.progress };
    // The job was created with work whose result has this type.
    return result as unknown as ExtractResult<T, Proven>;
  }
}

function stateOf({ status }: Pick<JobProgress, 'status'>): ExtractState {
  return status === 'scraping' ? 'processing' : status;
}

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
