/** The threads of one engine: started when needed, ended when idle, a few at once. */
import PQueue from 'p-queue';
import { type TesseractData, TesseractThread } from './tesseract-thread.ts';

/** As many threads as pictures are read at once. */
export class TesseractPool {
  readonly #data: TesseractData;
  /** Pictures that find all threads busy wait in line. */
  readonly #line: PQueue;
  readonly #idleTime: number;
  /** Each with the timer that ends it; the last one was used last. */
  readonly #idle = new Map<TesseractThread, NodeJS.Timeout>();
  /** Changes with each `close()`: a thread of before is not kept. */
  #epoch = 0;

  constructor(data: TesseractData, limit: number, idleTime: number) {
    this.#data = data;
    this.#line = new PQueue({ concurrency: limit });
    this.#idleTime = idleTime;
  }

  /** Rejects at once with the signal's reason when it aborts, which ends the thread. */
  recognize(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    return this.#line.add(() => this.#read(bytes, signal), { signal });
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

  async #read(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const epoch = this.#epoch;
    let thread: TesseractThread | undefined;
    try {
      thread = this.#takeIdle() ?? (await TesseractThread.start(this.#data, signal));
      return await thread.recognize(bytes, signal);
    } finally {
      if (thread?.isUsable === true) {
        if (epoch === this.#epoch) this.#rest(thread);
        else thread.end();
      }
    }
  }
}
