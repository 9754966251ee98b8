/** The slots of one job: how many of its tasks run at a time. A task that waits for its host holds none. */
import type { TaskPermit } from '../model/pace.ts';
import { PriorityQueue } from './priority-queue.ts';

/** The settings of a job's slots. */
export interface JobSlotSettings {
  /** Read whenever a task may start: it may change. */
  readonly concurrency: number;
  /** The job's signal. */
  readonly signal: AbortSignal;
  /**
   * False while the task with this number may not start; true for every task before one that may.
   * @default every task may start
   */
  readonly isOpen?: (order: number) => boolean;
  /** Called when a task first takes a slot. */
  readonly onStart?: () => void;
  /** Called when a slot is free and no task waits for it. */
  readonly onFree?: () => void;
}

const startedFirst = 2 ** 40; // priority of tasks that had a slot before: ahead of all others

/** Grants slots in the order of tasks. */
export class JobSlots {
  readonly #settings: JobSlotSettings;
  readonly #waiting = new PriorityQueue<JobPermit>();
  readonly #onAbort = new Set<() => void>();
  #held = 0;
  #tasks = 0;

  constructor(settings: JobSlotSettings) {
    this.#settings = settings;
    const abort = (): void => {
      for (const callback of this.#onAbort) callback();
    };
    settings.signal.addEventListener('abort', abort, { once: true });
  }

  /** Creates the permit of one more task, without a slot. */
  permit(): JobPermit {
    const order = this.#tasks++;
    const { signal } = this.#settings;
    let hasSlot = false;
    const permit: JobPermit = {
      job: this,
      signal,
      order,
      hasStarted: false,
      later: undefined,
      priority: order,
      tryAcquire: (later) => {
        if (hasSlot) return true;
        const isQueued = permit.later !== undefined;
        if (isQueued || !this.#isFor(permit)) {
          // A task is queued once, however often it calls.
          if (!isQueued) this.#waiting.push(permit.priority, permit);
          permit.later = later;
          return false;
        }
        this.#held += 1;
        if (!permit.hasStarted) this.#settings.onStart?.();
        permit.priority = order - startedFirst;
        return (hasSlot = permit.hasStarted = true);
      },
      release: () => {
        if (!hasSlot) return;
        hasSlot = false;
        this.#held -= 1;
        this.serve();
      },
      onAbort: (callback) => {
        this.#onAbort.add(callback);
        return () => this.#onAbort.delete(callback);
      },
    };
    return permit;
  }

  /** True when a slot is free and no task waits for it. */
  get isIdle(): boolean {
    return this.#hasFree && this.#waiting.size === 0;
  }

  /** Calls tasks that wait for the free slots. Call it also when `isOpen` has changed. */
  serve(): void {
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (!this.#isFor(next)) return;
      this.#waiting.shift();
      const { later } = next;
      next.later = undefined;
      later?.();
    }
    if (this.#hasFree) this.#settings.onFree?.();
  }

  get #hasFree(): boolean {
    return this.#held < this.#settings.concurrency;
  }

  #isFor({ hasStarted, order }: JobPermit): boolean {
    return this.#hasFree && (hasStarted || (this.#settings.isOpen?.(order) ?? true));
  }
}

/** One task's permit. */
export interface JobPermit extends TaskPermit {
  readonly order: number;
  priority: number;
  /** True once the task has held a slot. */
  hasStarted: boolean;
  /** Set while the task waits for a slot: called when one may be free. */
  later: (() => void) | undefined;
}
