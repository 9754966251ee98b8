/** Readings on the caller's thread, one after the other. */
import { setImmediate } from 'node:timers/promises';

/**
 * Reading has steps that wait for nothing; without turns the trees of all pages that arrived together
 * would be in memory at once, and the process would stand still until the last of them was read.
 */
export class InTurn {
  #last: Promise<unknown> | undefined;

  /** Runs the work when all before it are done; between two of them the process goes on. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = before === undefined ? work() : before.then(() => setImmediate()).then(work);
    const settled = result.then(noop, noop);
    this.#last = settled;
    try {
      return await result;
    } finally {
      if (this.#last === settled) this.#last = undefined;
    }
  }
}

function noop(): void {
  // Whoever asked for the work hears of its end.
}
