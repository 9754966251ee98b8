/** The end of a job's work: a cancelled job ends, whatever it waits for. */

const grace = 5000; // milliseconds for aborted work to end by itself

/**
 * Settles like `work`. Once the signal aborts, work that ignores it is given up after `time` milliseconds:
 * `onAbandoned` is called, and the outcome of the work is ignored.
 */
export async function endOf(
  work: Promise<void>,
  signal: AbortSignal,
  onAbandoned: () => void,
  time: number = grace,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let abort: () => void = () => undefined;
  const abandoned = new Promise<true>((resolve) => {
    abort = () => {
      timer = setTimeout(() => resolve(true), time);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    if ((await Promise.race([work, abandoned])) !== true) return;
    work.catch(() => undefined);
    onAbandoned();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
