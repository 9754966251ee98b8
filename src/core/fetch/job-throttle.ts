/**
 * Limits how many tasks of one job run at a time; a task that waits for its host holds no permit.
 */
import type { TaskPermit } from '../model/pace.ts';
import { PriorityQueue } from './priority-queue.ts';

/** The settings of a job throttle. */
export interface JobThrottleSettings {
  /** Read whenever a task may start: it may change. */
  readonly concurrency: number;
  /** The job's signal. */
  readonly signal: AbortSignal;
  /**
   * False while the task with this number may not start; true for every task before one that may.
   * @default every task may start
   */
  readonly isOpen?: (order: number) => boolean;
  /** Called when a task first acquires its permit. */
  readonly onStart?: () => void;
  /** Called when a permit is free and no task waits for it. */
  readonly onFree?: () => void;
}

const startedFirst = 2 ** 40; // priority of tasks that had a permit before: ahead of all others

/** Grants permits in the order of the tasks. */
export class JobThrottle {
  readonly #settings: JobThrottleSettings;
  readonly #waiting = new PriorityQueue<JobTaskPermit>();
  readonly #onAbort = new Set<() => void>();
  /** Permits that tasks hold. */
  #held = 0;
  #permits = 0;

  constructor(settings: JobThrottleSettings) {
    this.#settings = settings;
    const abort = (): void => {
      for (const callback of this.#onAbort) callback();
    };
    settings.signal.addEventListener('abort', abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#settings.signal;
  }

  /** Creates the permit of one more task, not yet acquired. */
  permit(): JobTaskPermit {
    return new JobTaskPermit(this, this.#permits++);
  }

  /** True when a permit is free and no task waits for it. */
  get isIdle(): boolean {
    return this.#hasFree && this.#waiting.size === 0;
  }

  /** Grants free permits to waiting tasks. Also to be called when `isOpen` has changed. */
  serve(): void {
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (!this.#isFor(next)) return;
      this.#waiting.shift();
      next.call();
    }
    if (this.#hasFree) this.#settings.onFree?.();
  }

  /** Called by permits: false when none is free for this task, which is called later. */
  take(permit: JobTaskPermit): boolean {
    if (!this.#isFor(permit)) {
      this.#waiting.push(permit.priority, permit);
      return false;
    }
    this.#held += 1;
    if (!permit.hasStarted) this.#settings.onStart?.();
    return true;
  }

  /** Called by permits. */
  giveBack(): void {
    this.#held -= 1;
    this.serve();
  }

  /** Called by permits. */
  onAbort(callback: () => void): () => void {
    this.#onAbort.add(callback);
    return () => this.#onAbort.delete(callback);
  }

  get #hasFree(): boolean {
    return this.#held < this.#settings.concurrency;
  }

  #isFor({ hasStarted, order }: JobTaskPermit): boolean {
    return this.#hasFree && (hasStarted || (this.#settings.isOpen?.(order) ?? true));
  }
}

/** One task's permit. */
export class JobTaskPermit implements TaskPermit {
  readonly job: JobThrottle;
  readonly order: number;
  /** True once the task has held its permit. */
  hasStarted = false;
  #hasSlot = false;
  /**
   * The callback of the task; set while the task is in the queue, where it stands once however
   * often it asks.
   */
  #later: (() => void) | undefined;

  constructor(job: JobThrottle, order: number) {
    this.job = job;
    this.order = order;
  }

  get signal(): AbortSignal {
    return this.job.signal;
  }

  get priority(): number {
    return this.hasStarted ? this.order - startedFirst : this.order;
  }

  tryAcquire(later: () => void): boolean {
    if (this.#hasSlot) return true;
    const isQueued = this.#later !== undefined;
    if (isQueued || !this.job.take(this)) {
      this.#later = later;
      return false;
    }
    this.#hasSlot = true;
    this.hasStarted = true;
    return true;
  }

  /** Resolves with the permit, or without it when the job's signal aborts. */
  async acquire(): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.onAbort(resolve);
      const tryAgain = (): void => {
        if (!this.tryAcquire(tryAgain)) return;
        forget();
        resolve();
      };
      tryAgain();
    });
  }

  release(): void {
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.job.giveBack();
  }

  onAbort(callback: () => void): () => void {
    return this.job.onAbort(callback);
  }

  /** Called by the throttle: a permit may be free now. */
  call(): void {
    const later = this.#later;
    this.#later = undefined;
    later?.();
  }
}
