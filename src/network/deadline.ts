/** One time limit and one abort signal over everything that a call does. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from '../errors.ts';

/** A running time limit. Dispose it when the work is done, or its timer stays. */
export interface Deadline extends Disposable {
  /** Aborts with a `PagewrightError` as reason: `TIMEOUT`, or `CANCELLED` when the caller aborted. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left. */
  readonly remaining: number;
  /** Makes the limit `timeout` ms from the start, when that is later than it was. */
  extendTo(timeout: number): void;
  /**
   * Stops the clock until the returned function is called, and those of other pauses; the signal still
   * aborts with the others.
   */
  pause(): () => void;
  /** What of the caller's own is waited for; `TIMEOUT` tells it. */
  waitsFor: string | undefined;
}

/** Starts a time limit of `timeout` ms that also ends when any of `signals` aborts. */
export function startDeadline(
  timeout: number,
  signals: readonly (AbortSignal | undefined)[],
  what: string,
): Deadline {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const started = performance.now();
  let limit = timeout;
  /** Milliseconds of all pauses that are over. */
  let paused = 0;
  /** Pauses that are not over, and when the first of them began. */
  let pauses = 0;
  let pausedAt = 0;
  let isOver = false;
  const remaining = (): number => {
    const now = pauses > 0 ? pausedAt : performance.now();
    return Math.max(0, started + limit + paused - now);
  };
  const expire = (): void => {
    const waiting = deadline.waitsFor === undefined ? '' : `, waiting for ${deadline.waitsFor}`;
    const message = `${what} took longer than ${limit} ms${waiting}. Raise timeout.`;
    controller.abort(new PagewrightError('TIMEOUT', message));
  };
  let timer = setTimeout(expire, timeout);
  const undo: (() => void)[] = [() => clearTimeout(timer)];
  for (const signal of signals) {
    if (signal === undefined) continue;
    // Many calls at once may share a signal: that is no leak, each takes its listener away again.
    setMaxListeners(0, signal);
    const cancel = (): void => controller.abort(cancellation(signal, what));
    if (signal.aborted) cancel();
    else {
      signal.addEventListener('abort', cancel, { once: true });
      undo.push(() => signal.removeEventListener('abort', cancel));
    }
  }
  const deadline: Deadline = {
    signal: controller.signal,
    waitsFor: undefined,
    get remaining() {
      return remaining();
    },
    extendTo: (longer) => {
      if (longer <= limit || isOver || controller.signal.aborted) return;
      limit = longer;
      clearTimeout(timer);
      if (pauses === 0) timer = setTimeout(expire, remaining());
    },
    pause: () => {
      if (pauses === 0) pausedAt = performance.now();
      pauses += 1;
      clearTimeout(timer);
      return () => {
        pauses -= 1;
        if (pauses > 0) return;
        paused += performance.now() - pausedAt;
        if (!isOver && !controller.signal.aborted) timer = setTimeout(expire, remaining());
      };
    },
    [Symbol.dispose]: () => {
      isOver = true;
      for (const step of undo) step();
    },
  };
  return deadline;
}

/** Stops several clocks until the returned function is called. */
export function pauseAll(clocks: readonly Pick<Deadline, 'pause'>[]): () => void {
  const goOn = clocks.map((clock) => clock.pause());
  return () => {
    for (const start of goOn) start();
  };
}

/** Settles as `work` does, but rejects with the signal's reason as soon as it aborts. */
export function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function cancellation(signal: AbortSignal, what: string): PagewrightError {
  const reason: unknown = signal.reason;
  return reason instanceof PagewrightError
    ? reason
    : new PagewrightError('CANCELLED', `${what} was cancelled.`, { cause: reason });
}
