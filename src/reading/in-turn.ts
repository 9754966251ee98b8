/** Readings on the caller's thread, one after the other. */
import { setImmediate } from 'node:timers/promises';

/**
 * Reading has steps that wait for nothing; without turns the trees of all pages that arrived together
 * would be in memory at once, and the process would stand still until the last of them was read.
 */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs the work when all before it are done. Before each the process goes on, before the first one
   * too: pages of several connections arrive in one go, and each could be the first when it does.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => setImmediate()).then(work);
    this.#last = result.then(noop, noop);
    return result;
  }
}

function noop(): void {
  // Whoever asked for the work hears of its end.
}
