/** One time limit and one abort signal for everything in a call. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from './errors.ts';

/** A running time limit. Dispose it after the work; otherwise its timer stays. */
export interface Deadline extends Disposable {
  /** Aborts with a `PagewrightError` as reason: `TIMEOUT`, or `CANCELLED` when the caller aborted. */
  readonly signal: AbortSignal;
  /** Remaining milliseconds. */
  readonly remaining: number;
  /** Extends the limit to `timeout` ms from the start; never shortens it. */
  extendTo(timeout: number): void;
  /**
   * Pauses the clock until the returned function is called; pauses may overlap. The other signals
   * still abort it.
   */
  pause(): () => void;
  /** The caller's code being waited for; `TIMEOUT` names it. */
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
  /** Milliseconds of finished pauses. */
  let paused = 0;
  /** Pauses in progress, and the start of the first of them. */
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
    // Concurrent calls may share a signal: this is no leak, each call removes its listener.
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

/** Pauses several clocks until the returned function is called. */
export function pauseAll(clocks: readonly Pick<Deadline, 'pause'>[]): () => void {
  const goOn = clocks.map((clock) => clock.pause());
  return () => {
    for (const start of goOn) start();
  };
}

/** Settles like `work`, but rejects with the signal's reason as soon as it aborts. */
export function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Requests of a job may share a signal: this is no leak, each removes its listener.
  setMaxListeners(0, signal);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    const settle =
      <Value>(settler: (value: Value) => void) =>
      (value: Value): void => {
        signal.removeEventListener('abort', abort);
        settler(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}

/** Work that ends when one of the signals aborts; it rejects with its error. */
export async function untilCancelled<T>(
  signals: readonly (AbortSignal | undefined)[],
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? cancellation(signal, what) : error;
  }
}

/** The error of work that ends because `signal` aborted: `TIMEOUT` for the signal of `AbortSignal.timeout()`. */
export function cancellation(signal: AbortSignal, what: string): PagewrightError {
  const cause: unknown = signal.reason;
  if (cause instanceof PagewrightError) return cause;
  return cause instanceof Error && cause.name === 'TimeoutError'
    ? new PagewrightError('TIMEOUT', `${what} was stopped by the timeout of its signal.`, { cause })
    : new PagewrightError('CANCELLED', `${what} was cancelled.`, { cause });
}
