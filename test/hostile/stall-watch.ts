/** Watches whether the process of a caller goes on: a timer of 10 ms, and the CPU time of the thread beside it. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between two turns that nobody notices. */
export const longestStall = 200;

/** What came between the turns of a timer. */
export interface StallWatch extends Disposable {
  /** Milliseconds of the thread's own work in the longest stretch without a turn. */
  readonly longest: number;
}

/**
 * Begins to watch. On a busy machine a timer is late though the thread did nothing: its CPU time counts
 * where the system tells it, which is less than the time that passed.
 */
export function watchStalls(): StallWatch {
  const cpuTime = cpuClock();
  let longest = 0;
  let last = { time: performance.now(), cpu: cpuTime() };
  const turn = (): void => {
    const now = { time: performance.now(), cpu: cpuTime() };
    longest = Math.max(longest, Math.min(now.time - last.time, now.cpu - last.cpu));
    last = now;
  };
  const timer = setInterval(turn, 10);
  return {
    get longest() {
      turn();
      return longest;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Milliseconds of this thread; of Linux, and of Node from 23.9 on; elsewhere the time that passes. */
function cpuClock(): () => number {
  const { threadCpuUsage } = process as {
    threadCpuUsage?: () => { readonly user: number; readonly system: number };
  };
  if (threadCpuUsage !== undefined) {
    return () => {
      const { user, system } = threadCpuUsage();
      return (user + system) / 1000;
    };
  }
  const file = `/proc/self/task/${process.pid}/schedstat`;
  const read = (): number => Number(readFileSync(file, 'latin1').split(' ', 1)[0]) / 1e6;
  try {
    if (isMainThread && read() > 0) return read;
  } catch {
    // Not Linux.
  }
  return () => performance.now();
}
