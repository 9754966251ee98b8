/** Coalesces requests for the same page into one fetch (single flight), each caller within its own deadline. */
import { type Deadline, withSignal } from '../../runtime/deadline.ts';

/** Work that several callers wait for: cancelled when the last of them leaves. */
class SharedRequest<T> {
  readonly startedAt: number;
  /** The position of its end among all events; Infinity while it runs. */
  ended = Infinity;
  readonly #waiting = new Set<Deadline>();
  /** While the work is paused: the functions that restart the clocks. */
  #paused: Map<Deadline, () => void> | undefined;
  readonly #abandoned = new AbortController();
  readonly #result: Promise<T>;

  constructor(startedAt: number, work: (deadline: Deadline) => Promise<T>, end: () => number) {
    this.startedAt = startedAt;
    // Once the first caller waits for it.
    this.#result = Promise.resolve()
      .then(() => work(this.#deadline()))
      .finally(() => (this.ended = end()));
  }

  get isAbandoned(): boolean {
    return this.#abandoned.signal.aborted;
  }

  async wait(deadline: Deadline): Promise<T> {
    this.#waiting.add(deadline);
    this.#paused?.set(deadline, deadline.pause());
    try {
      return await withSignal(this.#result, deadline.signal);
    } finally {
      this.#waiting.delete(deadline);
      this.#paused?.delete(deadline);
      const isOver = this.ended < Infinity || this.#waiting.size > 0;
      if (!isOver) this.#abandoned.abort(deadline.signal.reason);
    }
  }

  /** Pauses the clocks of all waiting callers, and of callers that join meanwhile. */
  #pause(): () => void {
    const paused = new Map([...this.#waiting].map((deadline) => [deadline, deadline.pause()]));
    this.#paused = paused;
    return () => {
      this.#paused = undefined;
      for (const goOn of paused.values()) goOn();
    };
  }

  /** The longest of the callers' deadlines; its pauses apply to each of them. */
  #deadline(): Deadline {
    const waiting = this.#waiting;
    return {
      signal: this.#abandoned.signal,
      get remaining() {
        return Math.max(0, ...[...waiting].map(({ remaining }) => remaining));
      },
      extendTo: (timeout) => {
        for (const deadline of waiting) deadline.extendTo(timeout);
      },
      pause: () => this.#pause(),
      set waitsFor(work: string | undefined) {
        for (const deadline of waiting) deadline.waitsFor = work;
      },
      [Symbol.dispose]: () => undefined,
    };
  }
}

/** The work shared by the callers of one key while at least one of them waits. */
interface CoalescedGroup<T> {
  callers: number;
  readonly shared: Map<string, SharedRequest<T>>;
}

/** One caller in the group of a key, until disposed. */
export interface CoalescedEntry<T> extends Disposable {
  /**
   * Joins the work in progress, or starts it. Requests of different variants are never shared, nor are
   * those that began more than `maxAge` ms ago.
   */
  coalesce(
    variant: string,
    maxAge: number,
    deadline: Deadline,
    work: (deadline: Deadline) => Promise<T>,
  ): Promise<T>;
}

/** Failures are shared like results; none is stored. */
export class RequestCoalescer<T> {
  readonly #now: () => number;
  readonly #groups = new Map<string, CoalescedGroup<T>>();
  #events = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Enters the group of a key. The caller may also join work that ends later: otherwise a cache lookup slower than the
   * work of others would repeat that work.
   */
  enter(key: string): CoalescedEntry<T> {
    const group = this.#groups.get(key) ?? {
      callers: 0,
      shared: new Map<string, SharedRequest<T>>(),
    };
    this.#groups.set(key, group);
    group.callers += 1;
    const entered = (this.#events += 1);
    return {
      coalesce: (variant, maxAge, deadline, work) => {
        const now = this.#now();
        const current = group.shared.get(variant);
        const isFit = current !== undefined && !current.isAbandoned && current.ended > entered;
        if (isFit && now - current.startedAt < maxAge) return current.wait(deadline);
        const request = new SharedRequest(now, work, () => (this.#events += 1));
        group.shared.set(variant, request);
        return request.wait(deadline);
      },
      [Symbol.dispose]: () => {
        group.callers -= 1;
        if (group.callers === 0) this.#groups.delete(key);
      },
    };
  }
}
