/** The events of a job and their listeners. An error of a listener goes to the logger. */
import type { PageFailure, SkippedUrl } from '../model/job.ts';
import type { JobProgress } from './job-status.ts';

/** The arguments of each event's listeners. */
export interface JobEvents<Document> {
  /** The job began. */
  readonly started: { readonly id: string };
  /** A document was kept. */
  readonly page: Document;
  /** A page could not be scraped; the job goes on. */
  readonly pageFailed: PageFailure;
  /** A URL will not be scraped. */
  readonly skipped: SkippedUrl;
  /**
   * The numbers have changed, for a progress bar: `done` of `total`. At most every 100 ms, after the events that
   * are counted, and once more with the final numbers right before the job ends.
   */
  readonly progress: JobProgress & Done;
  /** The job was cancelled; finished documents stay. */
  readonly cancelled: { readonly id: string };
  /** The job ended well. */
  readonly completed: { readonly id: string };
  /** The job could not go on. */
  readonly failed: { readonly id: string; readonly error: unknown };
}

/** The part of `total` that has an outcome. */
export interface Done {
  /** Pages that are completed or failed. */
  readonly done: number;
}

type JobListener<Payload> = (payload: Payload) => unknown;

/** Listeners by event, called in the order in which they were added. */
export class JobEmitter<Events extends object> {
  readonly #listeners = new Map<PropertyKey, Set<JobListener<never>>>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof Events>(name: Name, listener: JobListener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** True while there are listeners. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      Promise.resolve()
        .then(() => (listener as JobListener<Events[Name]>)(payload))
        .catch((error: unknown) => {
          this.#warn(`A listener of the job event "${name}" threw: ${String(error)}`);
        })
        // The error of a logger cannot be logged.
        .catch(() => undefined);
    }
  }
}

const progressInterval = 100; // minimum milliseconds between two events

/** Emits the event `progress` while it has listeners. */
export class ProgressEmitter<Progress> {
  readonly #events: JobEmitter<{ readonly progress: Progress }>;
  readonly #read: () => Progress;
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #hasEnded = false;

  constructor(events: JobEmitter<{ readonly progress: Progress }>, read: () => Progress) {
    this.#events = events;
    this.#read = read;
  }

  /** The numbers have changed: emits them now, or together with later changes. */
  changed(): void {
    if (this.#timer !== undefined || this.#hasEnded || !this.#events.has('progress')) return;
    const wait = this.#last + progressInterval - performance.now();
    if (wait <= 0) this.#emit();
    else this.#timer = setTimeout(() => this.#emit(), wait).unref();
  }

  /** Emits the final numbers, and nothing after them. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#emit();
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#events.has('progress')) return;
    this.#last = performance.now();
    this.#events.emit('progress', this.#read());
  }
}
