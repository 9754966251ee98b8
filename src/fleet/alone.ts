/** Runs visits side by side, and some of them alone. */

/** A visit that waits for its turn. */
interface WaitingVisit {
  readonly isAlone: boolean;
  start(): void;
}

/** Lets visits run side by side; a visit that runs alone waits for the others, and later ones wait for it. */
export class VisitTurns {
  #running = 0;
  #isOneAlone = false;
  readonly #waiting: WaitingVisit[] = [];

  /** Runs the visit in its turn. */
  async run<T>(isAlone: boolean, visit: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push({ isAlone, start: resolve });
      this.#serve();
    });
    try {
      return await visit();
    } finally {
      this.#running -= 1;
      this.#isOneAlone = false;
      this.#serve();
    }
  }

  #serve(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#isOneAlone || (next.isAlone && this.#running > 0)) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#isOneAlone = next.isAlone;
      next.start();
    }
  }
}
