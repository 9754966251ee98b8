/** The threads of one engine: started when needed, ended when idle, a few at once. */
import { type TesseractData, TesseractThread } from './tesseract-thread.ts';

/** Pictures that find all threads busy wait in line. */
export class TesseractPool {
  readonly #data: TesseractData;
  readonly #limit: number;
  readonly #idleTime: number;
  /** Threads that run or start. */
  #size = 0;
  /** Each with the timer that ends it; the last one was used last. */
  readonly #idle = new Map<TesseractThread, NodeJS.Timeout>();
  readonly #line = new Set<() => void>();
  /** Changes with each `close()`: a thread of before is not kept. */
  #epoch = 0;

  constructor(data: TesseractData, limit: number, idleTime: number) {
    this.#data = data;
    this.#limit = limit;
    this.#idleTime = idleTime;
  }

  /** Rejects at once with the signal's reason when it aborts, which ends the thread. */
  async recognize(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    await this.#turn(signal);
    const epoch = this.#epoch;
    let thread: TesseractThread | undefined;
    try {
      thread = this.#takeIdle() ?? (await TesseractThread.start(this.#data, signal));
      return await thread.recognize(bytes, signal);
    } finally {
      this.#size -= 1;
      if (thread?.isUsable === true) {
        if (epoch === this.#epoch) this.#rest(thread);
        else thread.end();
      }
      this.#callNext();
    }
  }

  /** Ends what is idle now, and what is busy as soon as it is not. */
  close(): void {
    this.#epoch += 1;
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      thread.end();
    }
    this.#idle.clear();
  }

  #takeIdle(): TesseractThread | undefined {
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (thread.isUsable) return thread;
    }
    return undefined;
  }

  #rest(thread: TesseractThread): void {
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      thread.end();
    }, this.#idleTime);
    timer.unref();
    this.#idle.set(thread, timer);
  }

  /** Waits until fewer than the limit are at work. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#size >= this.#limit) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const called = (): void => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = (): void => {
          this.#line.delete(called);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', abort, { once: true });
        this.#line.add(called);
      });
    }
    signal.throwIfAborted();
    this.#size += 1;
  }

  #callNext(): void {
    const [next] = this.#line;
    if (next === undefined) return;
    this.#line.delete(next);
    next();
  }
}
