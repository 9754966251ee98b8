/** The slots of one job: how many of its tasks run at a time, and who is next when one is free. */
import type { Ticket } from '../model/pace.ts';
import { Heap } from './heap.ts';

/** What slots need to know. */
export interface SlotsSettings {
  readonly concurrency: number;
  /** The job's signal. */
  readonly signal: AbortSignal;
  /** False while the task of this number may not start; true for all before one that may. @default all may */
  readonly isOpen?: (order: number) => boolean;
  /** Called when a task has its first slot. */
  readonly onStart?: () => void;
  /** Called when a slot is free that nobody waits for. */
  readonly onFree?: () => void;
}

/** Tasks that had a slot before go ahead of all others. */
const ahead = 2 ** 40;

/** Gives slots to tasks in the order of their tickets. */
export class Slots {
  readonly #settings: SlotsSettings;
  readonly #waiting = new Heap<TaskTicket>();
  readonly #onAbort = new Set<() => void>();
  #free: number;
  #tickets = 0;

  constructor(settings: SlotsSettings) {
    this.#settings = settings;
    this.#free = settings.concurrency;
    const abort = (): void => {
      for (const callback of this.#onAbort) callback();
    };
    settings.signal.addEventListener('abort', abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#settings.signal;
  }

  /** The ticket of one more task. */
  ticket(): TaskTicket {
    return new TaskTicket(this, this.#tickets++);
  }

  /** True when a slot is free that nobody waits for. */
  get isIdle(): boolean {
    return this.#free > 0 && this.#waiting.size === 0;
  }

  /** Calls those who wait while there are slots for them. To be called when `isOpen` has changed, too. */
  serve(): void {
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (!this.#isFor(next)) return;
      this.#waiting.shift();
      next.call();
    }
    if (this.#free > 0) this.#settings.onFree?.();
  }

  /** For tickets: false when there is no slot for this one, which is called then. */
  take(ticket: TaskTicket): boolean {
    if (!this.#isFor(ticket)) {
      this.#waiting.push(ticket.priority, ticket);
      return false;
    }
    this.#free -= 1;
    if (!ticket.hasStarted) this.#settings.onStart?.();
    return true;
  }

  /** For tickets. */
  giveBack(): void {
    this.#free += 1;
    this.serve();
  }

  /** For tickets. */
  onAbort(callback: () => void): () => void {
    this.#onAbort.add(callback);
    return () => this.#onAbort.delete(callback);
  }

  #isFor({ hasStarted, order }: TaskTicket): boolean {
    return this.#free > 0 && (hasStarted || (this.#settings.isOpen?.(order) ?? true));
  }
}

/** One task's ticket. */
export class TaskTicket implements Ticket {
  readonly job: Slots;
  readonly order: number;
  /** True when the task has, or had, a slot. */
  hasStarted = false;
  #hasSlot = false;
  /** Whom to call; set while the ticket is in the queue, where it is once however often it asks. */
  #later: (() => void) | undefined;

  constructor(job: Slots, order: number) {
    this.job = job;
    this.order = order;
  }

  get signal(): AbortSignal {
    return this.job.signal;
  }

  get priority(): number {
    return this.hasStarted ? this.order - ahead : this.order;
  }

  takeSlot(later: () => void): boolean {
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

  /** Resolves with a slot, or without one when the job's signal aborts. */
  async slot(): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.onAbort(resolve);
      const tryAgain = (): void => {
        if (!this.takeSlot(tryAgain)) return;
        forget();
        resolve();
      };
      tryAgain();
    });
  }

  leaveSlot(): void {
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.job.giveBack();
  }

  onAbort(callback: () => void): () => void {
    return this.job.onAbort(callback);
  }

  /** For the slots: there may be one now. */
  call(): void {
    const later = this.#later;
    this.#later = undefined;
    later?.();
  }
}
