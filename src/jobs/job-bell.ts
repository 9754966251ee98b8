/** A bell that wakes everybody who waits for a change of a job. */
export class JobBell {
  #next = Promise.resolve();
  #resolve: () => void = () => undefined;

  constructor() {
    this.#arm();
  }

  /** Resolves at the next ring. Take it before looking, so that nothing that happens meanwhile is missed. */
  get next(): Promise<void> {
    return this.#next;
  }

  ring(): void {
    this.#resolve();
    this.#arm();
  }

  #arm(): void {
    this.#next = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
