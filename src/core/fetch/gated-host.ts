/** One host and port at the gate: its known state, its requests in flight, and the waiting ones. */
import type { HostLimits, TaskPermit } from '../model/pace.ts';
import { type HostState, newHostState } from './host-state.ts';
import { PriorityQueue } from './priority-queue.ts';

/** One host and port: its known state, its requests in flight, and the waiting ones. */
export interface Host {
  readonly state: HostState;
  /** Redirect hops of requests in flight: served before all other queues. */
  readonly hops: JobQueue;
  /** Queues by job, served in round-robin. */
  readonly queues: Map<object, JobQueue>;
  /** Permits that have not been released. */
  inFlight: number;
  /** The same, by job: pages and files. */
  readonly inFlightOf: Map<object, number>;
  /** Permits whose requests are not sent yet: the gap to their start is unknown. */
  unsent: number;
  /** Calls the waiting requests when the host is ready for the first of them. */
  timer: NodeJS.Timeout | undefined;
}

export function newHost(): Host {
  return {
    state: newHostState(),
    hops: new JobQueue({}),
    queues: new Map(),
    inFlight: 0,
    inFlightOf: new Map(),
    unsent: 0,
    timer: undefined,
  };
}

/** Counts a granted (1) or released (-1) permit. */
export function countInFlight(host: Host, job: object, change: 1 | -1): void {
  host.inFlight += change;
  const share = (host.inFlightOf.get(job) ?? 0) + change;
  if (share === 0) host.inFlightOf.delete(job);
  else host.inFlightOf.set(job, share);
}

/**
 * A permit whose request waits until other requests are answered: those made by a hook of its page.
 * They use its slot, one at a time.
 */
export interface LentPermit {
  readonly host: Host;
  isFree: boolean;
  isOver: boolean;
  /** Hosts with requests that wait for the slot. */
  readonly waiting: Set<Host>;
}

/** Remaining time of a waiting request, and the pausing of its clocks. */
export interface RequestClock {
  /** Milliseconds the request can still wait: a later start is useless. */
  remaining(): number;
  /**
   * True while it waits for other requests to end, not for a time: queueing does not count as its
   * own time.
   */
  setQueueing(isQueueing: boolean): void;
}

/** One request that waits for its permit. */
export interface QueuedRequest extends HostLimits {
  readonly clock: RequestClock;
  readonly url: string;
  /** It is a redirect hop of a request in flight. */
  readonly isHop: boolean;
  readonly isFile: boolean;
  /** Maximum requests of its job in flight at the host. */
  readonly concurrency: number;
  readonly permit: TaskPermit | undefined;
  /** The lent permit of a request that waits for this one. */
  readonly lent: LentPermit | undefined;
  /** True once it was given up. */
  hasLeft: boolean;
  /** Grants the permit. */
  grant(): void;
  /** Rejects the request. */
  leave(error: Error): void;
}

/** The waiting requests of one job at one host, for its pages or its files; those without a job share one queue. */
export class JobQueue {
  readonly job: object;
  readonly #requests = new PriorityQueue<QueuedRequest>();
  /** Requests of the queue whose time runs while they wait. */
  readonly #timed = new Set<QueuedRequest>();
  /** True while the first request waits for other requests to end. */
  #isQueueing = false;
  /** Requests of the queue that were given up. */
  #left = 0;

  constructor(job: object) {
    this.job = job;
  }

  /** The number of waiting requests. */
  get length(): number {
    return this.#requests.size - this.#left;
  }

  /** The next request. */
  get first(): QueuedRequest | undefined {
    while (this.#requests.first?.hasLeft === true) {
      this.#requests.shift();
      this.#left -= 1;
    }
    return this.#requests.first;
  }

  push(order: number, request: QueuedRequest): void {
    this.#requests.push(order, request);
    if (request.clock.remaining() === Infinity) return;
    this.#timed.add(request);
    request.clock.setQueueing(this.#isQueueing);
  }

  /** Sets whether the first request waits for others to end; this applies to the whole queue. */
  setQueueing(isQueueing: boolean): void {
    if (this.#isQueueing === isQueueing) return;
    this.#isQueueing = isQueueing;
    for (const request of this.#timed) request.clock.setQueueing(isQueueing);
  }

  /** Removes the first request. */
  shift(): void {
    const request = this.#requests.shift();
    if (request !== undefined) this.#timed.delete(request);
  }

  /** Gives up one of the waiting requests. */
  leave(request: QueuedRequest): void {
    request.hasLeft = true;
    this.#timed.delete(request);
    this.#left += 1;
  }
}
