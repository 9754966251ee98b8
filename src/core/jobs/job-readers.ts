/** The readers of a job's documents: their positions, their iterators, and how far the job may be ahead of them. */
import { withSignal } from '../runtime/deadline.ts';
import type { JobRecord } from './job-record.ts';

const highWaterMark = 16; // documents that may wait for a reader before the job pauses

/** The parts of a job that its readers need. */
export interface JobReadersSetting<Document> {
  readonly record: JobRecord<Document>;
  readonly notifier: JobNotifier;
  /** False: a document is forgotten once every reader has it. */
  readonly keepsDocuments: boolean;
  readonly warn: (message: string) => void;
  /** The document that readers begin with; resolves when the job is open. */
  readonly start: Promise<number>;
  /** All readers have processed `count` documents; resolves once that is stored, and never rejects. */
  readonly onDone: (count: number) => Promise<void>;
  /** The last reader left early, and no caller awaits the job. */
  readonly onAbandoned: () => void;
}

/** The readers of one job. */
export class JobReaders<Document> {
  readonly #setting: JobReadersSetting<Document>;
  /** Readers that have begun and not left. */
  readonly #readers = new Set<JobIteration<Document>>();
  #awaited = false;

  constructor(setting: JobReadersSetting<Document>) {
    this.#setting = setting;
  }

  /** Adds a reader. */
  read(): JobIteration<Document> {
    return new JobIteration(this.#setting, {
      requested: (reader) => this.#setting.onDone(Math.min(...this.#positions(reader))),
      moved: (reader) => {
        this.#readers.add(reader);
        this.forget();
        this.#setting.notifier.notify();
      },
      left: (reader, isComplete) => this.#left(reader, isComplete),
    });
  }

  /** A caller awaits all documents: the job waits for no reader. */
  await(): void {
    this.#awaited = true;
    this.forget();
    this.#setting.notifier.notify();
  }

  /** With `keepDocuments: false`: drops the documents that every reader has, or all without readers. */
  forget(): void {
    const { record, keepsDocuments, warn } = this.#setting;
    if (keepsDocuments) return;
    const { log } = record;
    const positions = this.#positions();
    const nobodyReads = positions.length === 0 && this.#awaited;
    const end = nobodyReads ? log.length : Math.min(log.length, ...positions);
    if (positions.length === 0 && !nobodyReads) return;
    log.forget(end).catch((error: unknown) => warn(String(error)));
  }

  /** True while every reader has enough documents to continue. */
  get isPaced(): boolean {
    const { log } = this.#setting.record;
    const mayRunAhead = this.#readers.size === 0 && this.#setting.keepsDocuments;
    if (this.#awaited || mayRunAhead) return false;
    return log.length - Math.max(log.first, ...this.#positions()) >= highWaterMark;
  }

  /** True while a loop takes documents. */
  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** True while a reader waits for a document, or a caller awaits all of them. */
  get isWaitedFor(): boolean {
    return this.#awaited || [...this.#readers].some(({ asksForMore }) => asksForMore);
  }

  /** False while every reader still has documents to take, and no caller awaits the job. */
  get askForMore(): boolean {
    if (this.#awaited || this.#readers.size === 0) return true;
    return [...this.#readers].some(({ asksForMore }) => asksForMore);
  }

  #positions(...more: readonly JobIteration<Document>[]): number[] {
    return [...new Set([...this.#readers, ...more])].map(({ position }) => position);
  }

  #left(reader: JobIteration<Document>, hadEverything: boolean): void {
    const hadBegun = this.#readers.delete(reader);
    this.forget();
    this.#setting.notifier.notify();
    const isWanted = this.#readers.size > 0 || this.#awaited;
    if (hadBegun && !hadEverything && !isWanted) this.#setting.onAbandoned();
  }
}

// One reader's iteration over the documents of a job, as used by `for await`.

/** Called by a reader. */
interface ReaderEvents<Document> {
  /** It requests the next document and is done with earlier ones. Resolves once that is stored. */
  requested(reader: JobIteration<Document>): Promise<void>;
  /** It moved, or waits. */
  moved(reader: JobIteration<Document>): void;
  /** It leaves; `isComplete` when it had all documents. */
  left(reader: JobIteration<Document>, isComplete: boolean): void;
}

/**
 * Not an async generator: one of these cannot be left while it waits, so that `return()` would hang
 * as long as a site is silent. Here `return()` ends a `next()` that waits.
 */
export class JobIteration<Document> implements AsyncIterableIterator<Document, void, undefined> {
  readonly #job: JobReadersSetting<Document>;
  readonly #events: ReaderEvents<Document>;
  readonly #leaving = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #position = 0;
  #asksForMore = false;
  #hasBegun = false;

  constructor(job: JobReadersSetting<Document>, events: ReaderEvents<Document>) {
    this.#job = job;
    this.#events = events;
  }

  /** Documents that were delivered, or forgotten before. */
  get position(): number {
    return this.#position;
  }

  /** True while the reader waits for a document that is not there yet. */
  get asksForMore(): boolean {
    return this.#asksForMore;
  }

  /** The next document; concurrent calls resolve in their order. */
  next(): Promise<IteratorResult<Document, void>> {
    const result = this.#last.then(() => this.#advance());
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Ends the iteration at once, and with it every `next()` that waits. */
  return(): Promise<IteratorReturnResult<void>> {
    this.#leave(false);
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #advance(): Promise<IteratorResult<Document, void>> {
    const { signal } = this.#leaving;
    if (this.#hasLeft()) return done;
    try {
      const found = await withSignal(this.#find(), signal);
      if (found === undefined) {
        this.#leave(true);
        return done;
      }
      this.#position += 1;
      this.#events.moved(this);
      return { done: false, value: found.document };
    } catch (error) {
      if (this.#hasLeft()) return done;
      this.#leave(!this.#isGrowing());
      throw error;
    } finally {
      this.#asksForMore = false;
    }
  }

  /** The next document once available; undefined when none comes. */
  async #find(): Promise<{ readonly document: Document } | undefined> {
    if (!this.#hasBegun) this.#position = await this.#job.start;
    this.#hasBegun = true;
    if (this.#hasLeft()) return undefined;
    const { record } = this.#job;
    const stored = this.#events.requested(this);
    const index = await this.#available();
    if (index !== undefined) record.refuseExpired();
    const found = index === undefined ? undefined : { document: await record.log.read(index) };
    // After a kill the current document is delivered again, and none before it.
    await stored;
    return found;
  }

  /** The index of the next document once available; undefined when none comes. */
  async #available(): Promise<number | undefined> {
    const { record, notifier } = this.#job;
    while (!this.#hasLeft()) {
      // Read before the check, so that no change meanwhile is missed.
      const { next: changed } = notifier;
      this.#position = Math.max(this.#position, record.log.first);
      if (this.#position < record.log.length) return this.#position;
      if (!record.mayGrow()) return undefined;
      if (!this.#asksForMore) {
        this.#asksForMore = true;
        this.#events.moved(this);
      }
      await changed;
    }
    return undefined;
  }

  #hasLeft(): boolean {
    return this.#leaving.signal.aborted;
  }

  #isGrowing(): boolean {
    try {
      return this.#job.record.mayGrow();
    } catch {
      return false;
    }
  }

  #leave(isComplete: boolean): void {
    if (this.#hasLeft()) return;
    this.#leaving.abort();
    this.#events.left(this, isComplete);
  }
}

const done: IteratorReturnResult<void> = { done: true, value: undefined };

// Notifies all waiters of a change of a job.

export class JobNotifier {
  #next = Promise.resolve();
  #resolve: () => void = () => undefined;

  constructor() {
    this.#arm();
  }

  /** Resolves at the next ring. Read it before the check, so that no change meanwhile is missed. */
  get next(): Promise<void> {
    return this.#next;
  }

  notify(): void {
    this.#resolve();
    this.#arm();
  }

  #arm(): void {
    this.#next = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
