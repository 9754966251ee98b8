/** A running extraction: awaitable and cancellable. What `extract()` returns. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from '../errors.ts';
import type { RecipeReport } from '../formats/json/recipes/recipe-report.ts';
import type { Provenance } from '../formats/json/provenance/provenance.ts';
import type { ModelTotals } from '../llm/model-totals.ts';
import type { JobUsage, PageFailure, SkippedUrl } from '../model/job.ts';
import type { UndeliveredEvent } from '../model/webhook.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import { failedJob } from './announce-job.ts';

/** Where an extraction is. */
export type ExtractState = 'processing' | 'completed' | 'failed' | 'cancelled';

/** Values that pages disagree about; the first is the one taken. */
export interface ExtractConflict {
  /** Where in the data: `offers[0].price`. */
  readonly path: string;
  readonly values: readonly { readonly value: unknown; readonly url: string }[];
}

/** What the work of an extraction gives. */
export interface Extraction<T> {
  readonly data: T;
  /** The URLs each value was read from, by its path in the data. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  readonly conflicts: readonly ExtractConflict[];
  /** Paths of the schema for which no page had a value. */
  readonly notFound: readonly string[];
  /** Pages that could not be read; the data is of the others. */
  readonly errors: readonly PageFailure[];
  /** Pages that were not read because the budget was used up; the data is of the others. */
  readonly skipped: readonly SkippedUrl[];
  readonly creditsUsed: number;
  /** What reading the pages used; finding those of a `/*` is not in it. */
  readonly usage: JobUsage;
  /** What the language model used, where it was asked. */
  readonly modelUsage?: ModelTotals;
  /** What the recipe of each page did, in the order of the pages, if `recipe` was given. */
  readonly recipes?: readonly RecipeReport[];
  readonly warning?: string;
  /** Where each value is said, by its path in the data, if it was asked for. */
  readonly provenance?: Provenance;
}

/** What `await job` gives. */
export type ExtractResult<T, Proven extends boolean = false> = Omit<Extraction<T>, 'provenance'> &
  ExtractStatus &
  ProvenanceField<Proven>;

/** The field is there when it was asked for. */
type ProvenanceField<Proven extends boolean> = [Proven] extends [false]
  ? unknown
  : [Proven] extends [true]
    ? { readonly provenance: Provenance }
    : { readonly provenance?: Provenance };

/** An extraction's state at one moment. */
export interface ExtractStatus {
  readonly id: string;
  readonly success: boolean;
  readonly status: ExtractState;
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  readonly completedAt?: string;
}

/** What an extraction needs from its client. */
export interface ExtractSetting {
  readonly id: string;
  readonly now: () => number;
  readonly signal: AbortSignal | undefined;
  readonly clientSignal: AbortSignal;
  /** Where the job's events are sent. */
  readonly outbox?: Outbox | undefined;
}

/** An extraction that is running since it was made. Awaiting rejects when it failed or was cancelled. */
export class ExtractJob<T, Proven extends boolean = false> implements PromiseLike<
  ExtractResult<T, Proven>
> {
  readonly id: string;
  readonly #setting: ExtractSetting;
  readonly #abort = new AbortController();
  readonly #createdAt: number;
  readonly #result: Promise<ExtractResult<T, Proven>>;
  #state: ExtractState = 'processing';
  #completedAt: number | undefined;

  constructor(setting: ExtractSetting, work: (signal: AbortSignal) => Promise<Extraction<T>>) {
    this.id = setting.id;
    this.#setting = setting;
    setMaxListeners(0, this.#abort.signal, setting.clientSignal);
    this.#createdAt = setting.now();
    this.#result = this.#run(work);
    this.#result.catch(() => undefined);
  }

  /** Where the job is now. */
  status(): ExtractStatus {
    return {
      id: this.id,
      success: this.#state === 'processing' || this.#state === 'completed',
      status: this.#state,
      createdAt: new Date(this.#createdAt).toISOString(),
      ...(this.#completedAt === undefined
        ? {}
        : { completedAt: new Date(this.#completedAt).toISOString() }),
    };
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
    return this.#result.then(onFulfilled, onRejected);
  }

  async #run(
    work: (signal: AbortSignal) => Promise<Extraction<T>>,
  ): Promise<ExtractResult<T, Proven>> {
    const cancel = (): void => this.cancel();
    const signals = [this.#setting.signal, this.#setting.clientSignal];
    for (const signal of signals) signal?.addEventListener('abort', cancel, { once: true });
    await Promise.resolve();
    const { outbox } = this.#setting;
    outbox?.add({ event: 'started' });
    try {
      if (signals.some((signal) => signal?.aborted === true)) this.cancel();
      this.#abort.signal.throwIfAborted();
      const extraction = await work(this.#abort.signal);
      this.#abort.signal.throwIfAborted();
      this.#end('completed');
      // Whoever makes the job does the work that its type promises.
      const result = { ...extraction, ...this.status() } as ExtractResult<T, Proven>;
      if (outbox !== undefined) outbox.add({ event: 'completed', read: copyOf(result) });
      return result;
    } catch (error) {
      const { signal } = this.#abort;
      const reason: unknown = signal.aborted ? signal.reason : error;
      this.#end(signal.aborted ? 'cancelled' : 'failed');
      outbox?.add(failedJob(reason));
      throw reason;
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', cancel);
    }
  }

  #end(state: ExtractState): void {
    this.#state = state;
    this.#completedAt = this.#setting.now();
  }
}

/** What it is now, given later: whoever awaits the job may change it before it is sent. */
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
