/** A stored job that another process runs, or ran: read until its end, without its lease. */
import type { JobInput } from '../../model/job.ts';
import { withSignal } from '../../runtime/deadline.ts';
import type { Store } from '../../storage/store.ts';
import type { FollowedSource, JobControl, JobProgress } from '../job-status.ts';
import { type JobOpening, names, readEnd, readProgress } from './durable-job.ts';
import {
  type JobManifest,
  JobStore,
  notResumed,
  readManifest,
  refuseExpired,
} from './job-store.ts';
import { Journal, StoredDocuments } from './journal.ts';
import { LeaseWatch } from './lease.ts';
import { inputToShow } from './stored-options.ts';

const interval = 500; // milliseconds between two reads of the store while a caller waits

/** The settings of a job that is only read. */
export interface FollowedSetting {
  readonly id: string;
  readonly store: Store;
  readonly now: () => number;
  /** Milliseconds that results are stored after the end, if the store does not declare it. */
  readonly retention: number;
  readonly logger: { warn(message: string): void };
}

/**
 * Writes nothing but a cancel request. Polls the store twice a second while a loop waits for a document or a caller
 * awaits the job, and reads it when the status is requested; otherwise never.
 */
export class FollowedJob implements FollowedSource {
  readonly documents: StoredDocuments;
  readonly #setting: FollowedSetting;
  readonly #store: JobStore;
  readonly #lease: LeaseWatch;
  #retention: number;
  #input: JobInput | undefined;
  #isRun = true;
  /** True for a crawl that no worker has taken yet. */
  #isNew = false;
  #isSubmitted = false;
  #isWatched = false;
  #cancelling: Promise<void> | undefined;
  /** Callers that wait for the next poll. */
  readonly #asking: (() => void)[] = [];
  #wake: () => void = () => undefined;
  #hasEnded = false;

  constructor(setting: FollowedSetting) {
    this.#setting = setting;
    this.#retention = setting.retention;
    this.#store = new JobStore(setting.store, setting.id);
    this.#lease = new LeaseWatch(this.#store);
    // The process that resumes the job rebuilds a document that cannot be read.
    const warn = (): void => undefined;
    const journal = new Journal(this.#store, { isResumed: true, warn, fail: warn });
    this.documents = new StoredDocuments(this.#store, journal, warn);
  }

  /** The call that started the job; undefined before the job was found. */
  get input(): JobInput | undefined {
    return this.#input;
  }

  /** Milliseconds that results are stored after the end, as declared by the process that ended the job. */
  get retention(): number {
    return this.#retention;
  }

  get warning(): string | undefined {
    const { id } = this.#setting;
    if (this.#isRun && !this.#isNew) return undefined;
    return this.#isSubmitted
      ? `Job ${id} waits for a worker that takes crawls.`
      : `No process runs job ${id}: client.jobs.resume(id) continues it.`;
  }

  async open(): Promise<Pick<JobOpening, 'createdAt' | 'ended'>> {
    const { createdAt, state } = await this.#find();
    if (state === 'scraping') return { createdAt };
    return { createdAt, ended: await readEnd(this.#store, this.#setting.id) };
  }

  /** The work of the job: adopts the contents of the store until the job's end. */
  async follow<Document>(control: JobControl<Document>): Promise<void> {
    try {
      while (!(await this.#take(control))) await this.#pause(control);
    } finally {
      this.#hasEnded = true;
      this.#answer();
    }
  }

  async look(): Promise<void> {
    if (this.#hasEnded) return;
    const answered = new Promise<void>((resolve) => this.#asking.push(resolve));
    this.#wake();
    await answered;
  }

  watch(): void {
    this.#isWatched = true;
    this.#wake();
  }

  cancel(): void {
    const { id, logger } = this.#setting;
    const store = async (): Promise<void> => {
      const { state } = await this.#find();
      if (state === 'scraping') await this.#store.set(names.cancel, new Uint8Array([1]));
    };
    this.#cancelling ??= store().catch((error: unknown) => {
      this.#cancelling = undefined;
      logger.warn(`Job ${id} could not be cancelled: ${String(error)}`);
    });
  }

  async release(): Promise<void> {
    await this.#cancelling;
  }

  /** True when the job has ended. */
  async #take<Document>(control: JobControl<Document>): Promise<boolean> {
    const { id, logger } = this.#setting;
    const asked = this.#asking.length;
    // Before the state: the lease of an ending job is released once the end is stored.
    const isHeld = await this.#lease.isHeld();
    const { state, submitted } = await this.#find();
    if (state !== 'scraping') {
      await control.adoptEnd(await readEnd(this.#store, id));
      return true;
    }
    await control.adoptStored();
    const progress = await readProgress<JobProgress>(this.#store, id);
    if (progress !== undefined) control.tellProgress(progress);
    const wasRun = this.#isRun;
    this.#isRun = isHeld;
    this.#isSubmitted = submitted !== undefined;
    this.#isNew = this.#isSubmitted && this.#lease.isUntaken;
    if (wasRun && !isHeld && this.warning !== undefined) logger.warn(this.warning);
    this.#answer(asked);
    return false;
  }

  /** Waits until the next poll is due. */
  async #pause<Document>(control: JobControl<Document>): Promise<void> {
    const { signal } = control;
    const due = performance.now() + interval;
    while (this.#asking.length === 0) {
      const isWaitedFor = this.#isWatched || control.isWaitedFor();
      const left = due - performance.now();
      if (isWaitedFor && left <= 0) return;
      const changed = isWaitedFor ? undefined : control.changed();
      try {
        await withSignal(this.#woken(isWaitedFor ? left : undefined, changed), signal);
      } finally {
        this.#wake();
      }
    }
  }

  /** Resolves after `delay` milliseconds, when `changed` does, or on a caller's request. */
  #woken(delay: number | undefined, changed: Promise<void> | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = delay === undefined ? undefined : setTimeout(resolve, delay);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      void changed?.then(resolve);
    });
  }

  #answer(count: number = Infinity): void {
    for (const answer of this.#asking.splice(0, count)) answer();
  }

  async #find(): Promise<JobManifest> {
    const { id, store, now } = this.#setting;
    const manifest = await readManifest(store, id);
    refuseExpired(manifest, now());
    const { verb, url, options, completedAt, expiresAt } = manifest;
    if (verb === 'extract') throw notResumed(id);
    this.#input ??= inputToShow({ verb, url, options });
    if (completedAt !== undefined && expiresAt !== undefined) {
      this.#retention = expiresAt - completedAt;
    }
    return manifest;
  }
}
