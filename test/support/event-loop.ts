/** Whether the process goes on while something is done elsewhere. */
import { performance } from 'node:perf_hooks';

/** Milliseconds that the process may be at work itself: a fetch and a copy of its body. */
const mostWork = 1000;

/**
 * Does the work; throws when the event loop of this thread was busy with it. Time in which the machine
 * gave the process no turn counts only where it had something to do: a machine that others use too
 * does not fail this.
 */
export async function whileFree<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = performance.eventLoopUtilization();
  try {
    return await work();
  } finally {
    const { active, idle } = performance.eventLoopUtilization(before);
    if (active > Math.max(mostWork, idle)) {
      // eslint-disable-next-line no-unsafe-finally -- what it came to does not matter any more
      throw new Error(`The event loop was busy for ${active.toFixed(0)} ms.`);
    }
  }
}
