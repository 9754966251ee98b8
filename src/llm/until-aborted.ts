/** Waiting for a model that may not listen to its signal. */
import { setMaxListeners } from 'node:events';

/** Settles as `work` does, but rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Many requests of a job share one: that is no leak, each takes its listener away again.
  setMaxListeners(0, signal);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
