/** One reader's way through the documents of a job: what `for await` uses. */
import { withSignal } from '../network/deadline.ts';

/** The documents of a job, as a reader meets them. */
export interface DocumentSource<Document> {
  /** The document to begin with; resolves when that is known. */
  readonly start: Promise<number>;
  /** Documents that there were, up to now. */
  readonly length: number;
  /** The first one that was not forgotten. */
  readonly first: number;
  read(index: number): Promise<Document>;
  /** True while further documents may come; throws when the job failed or its results are gone. */
  mayGrow(): boolean;
  /** Resolves at the next change. */
  readonly changed: Promise<void>;
  /** The reader asks for the next document: it is done with those before. */
  asked(): void;
  /** A reader moved, waits, or left. */
  moved(): void;
}

/**
 * Not an async generator: one of these cannot be left while it waits, so that `return()` would hang
 * as long as a site is silent. Here `return()` ends a `next()` that waits.
 */
export class JobIteration<Document> implements AsyncIterableIterator<Document, void, undefined> {
  readonly #source: DocumentSource<Document>;
  /** Told once when the reader leaves, and whether it had everything. */
  readonly #onLeft: (isComplete: boolean) => void;
  readonly #leaving = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #position = 0;
  #asksForMore = false;
  #hasBegun = false;

  constructor(source: DocumentSource<Document>, onLeft: (isComplete: boolean) => void) {
    this.#source = source;
    this.#onLeft = onLeft;
  }

  /** Documents that were given, or forgotten before. */
  get position(): number {
    return this.#position;
  }

  /** True while the reader waits for a document that is not there yet. */
  get asksForMore(): boolean {
    return this.#asksForMore;
  }

  /** The next document; several calls at once are answered in their order. */
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
      if (!this.#hasBegun) this.#position = await withSignal(this.#source.start, signal);
      this.#hasBegun = true;
      this.#source.asked();
      const index = await withSignal(this.#available(), signal);
      if (index === undefined) {
        this.#leave(true);
        return done;
      }
      const value = await withSignal(this.#source.read(index), signal);
      this.#position += 1;
      this.#source.moved();
      return { done: false, value };
    } catch (error) {
      if (this.#hasLeft()) return done;
      this.#leave(!this.#isGrowing());
      throw error;
    } finally {
      this.#asksForMore = false;
    }
  }

  /** The index of the next document once it is there; undefined when none comes. */
  async #available(): Promise<number | undefined> {
    while (!this.#hasLeft()) {
      // Taken before looking, so that nothing that happens meanwhile is missed.
      const { changed } = this.#source;
      this.#position = Math.max(this.#position, this.#source.first);
      if (this.#position < this.#source.length) return this.#position;
      if (!this.#source.mayGrow()) return undefined;
      if (!this.#asksForMore) {
        this.#asksForMore = true;
        this.#source.moved();
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
      return this.#source.mayGrow();
    } catch {
      return false;
    }
  }

  #leave(isComplete: boolean): void {
    if (this.#hasLeft()) return;
    this.#leaving.abort();
    this.#onLeft(isComplete);
  }
}

const done: IteratorReturnResult<void> = { done: true, value: undefined };
