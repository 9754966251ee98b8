/** The end of a job's work: a cancelled job ends, whatever it waits for. */
import { PagewrightError } from '../errors.ts';

/** Milliseconds that work has to end by itself after it was aborted. */
const grace = 5000;

/**
 * Settles as `work` does. Once the signal aborts, work that does not heed it is given up after five
 * seconds: `onAbandoned` is called, and what becomes of the work is of no interest any more.
 */
export async function endOf(
  work: Promise<void>,
  signal: AbortSignal,
  onAbandoned: () => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let abort: () => void = () => undefined;
  const abandoned = new Promise<true>((resolve) => {
    abort = () => {
      timer = setTimeout(() => resolve(true), grace);
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

/** The reason of a job that its caller's signal ended. */
export function stoppedBySignal(id: string, reason: unknown): PagewrightError {
  return reason instanceof PagewrightError
    ? reason
    : new PagewrightError('CANCELLED', `Job ${id} was cancelled by its signal.`, { cause: reason });
}
