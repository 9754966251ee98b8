/** Runs work concurrently, and some of it exclusively. */

/** Work that waits for the lock. */
interface WaitingWork {
  readonly isExclusive: boolean;
  start(): void;
}

/** Exclusive work waits until no other work runs, and later work waits for it. */
export class ExclusiveLock {
  #running = 0;
  #isExclusive = false;
  readonly #waiting: WaitingWork[] = [];

  /** Runs the work once it has the lock. */
  async run<T>(isExclusive: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push({ isExclusive, start: resolve });
      this.#serve();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#isExclusive = false;
      this.#serve();
    }
  }

  #serve(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#isExclusive || (next.isExclusive && this.#running > 0)) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#isExclusive = next.isExclusive;
      next.start();
    }
  }
}
