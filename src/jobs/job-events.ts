/** The events of a job. A listener that throws harms nobody: the logger hears of it. */
import type { PageFailure, SkippedUrl } from '../model/job.ts';

/** What each event hands to its listeners. */
export interface JobEvents<Document> {
  /** The job began. */
  readonly started: { readonly id: string };
  /** A document was kept. */
  readonly page: Document;
  /** A page could not be scraped; the job goes on. */
  readonly pageFailed: PageFailure;
  /** A URL will not be scraped. */
  readonly skipped: SkippedUrl;
  /** The job was cancelled; what is done stays. */
  readonly cancelled: { readonly id: string };
  /** The job ended well. */
  readonly completed: { readonly id: string };
  /** The job could not go on. */
  readonly failed: { readonly id: string; readonly error: unknown };
}

type Listener<Payload> = (payload: Payload) => unknown;

/** Listeners by event, called in the order in which they were added. */
export class JobEmitter<Document> {
  readonly #listeners = new Map<keyof JobEvents<Document>, Set<Listener<never>>>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof JobEvents<Document>>(
    name: Name,
    listener: Listener<JobEvents<Document>[Name]>,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof JobEvents<Document>>(
    name: Name,
    payload: JobEvents<Document>[Name],
  ): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      Promise.resolve()
        .then(() => (listener as Listener<JobEvents<Document>[Name]>)(payload))
        .catch((error: unknown) => {
          this.#warn(`A listener of the job event "${name}" threw: ${String(error)}`);
        })
        // A logger that throws has nobody left to tell.
        .catch(() => undefined);
    }
  }
}
