/**
 * The state of one host and port: its pace, its concurrency limit, and the queues of waiting
 * requests.
 */
import type { TaskPermit } from '../model/pace.ts';
import { PriorityQueue } from './priority-queue.ts';

const limits = {
  tolerance: 5, // failures in a row before requests are spaced out
  firstGap: 500, // milliseconds between requests after `tolerance` failures; each further doubles
  longestGap: 10_000, // milliseconds
  longestClosure: 60_000, // milliseconds that Retry-After can close a host; then it is tried again
  patience: 600_000, // milliseconds without a good response after which jobs give up a busy host
  goodAnswers: 8, // before concurrency grows: a host that refuses at one more refuses 1 in 16
  weight: 1 / 8, // of one response in the smoothed latency, as TCP smooths its round trips
  slowdown: 4, // a host is slowing down at this many times its lowest smoothed latency
  leastSlowdown: 1000, // and this many milliseconds more: smaller differences are noise
};

/** One request that waits for its permit. */
export interface QueuedRequest {
  /** The least gap to the requests before and after it, in milliseconds. */
  readonly delay: number;
  /** It is a redirect hop of a request in flight. */
  readonly isHop: boolean;
  readonly isFile: boolean;
  /** The most requests of its job in flight at the host. */
  readonly concurrency: number;
  readonly permit: TaskPermit | undefined;
  /** The lent permit of a request that waits for this one. */
  readonly lent: LentPermit | undefined;
  /** Milliseconds the request can still wait: a later start is of no use. */
  remaining(): number;
  /**
   * True while it waits for other requests to end, not for a time: queueing does not count as its
   * own time.
   */
  setQueueing(isQueueing: boolean): void;
  /** True once it was given up. */
  hasLeft: boolean;
  /** Grants the permit. */
  grant(): void;
  /** Rejects the request. */
  leave(error: Error): void;
  /** The error for a permit that would come too late: the host opens in `wait` ms. */
  busy(wait: number): Error;
}

/**
 * A permit whose request is sent only after other requests are answered: those made by a hook of
 * its page. They use its place, one at a time.
 */
export interface LentPermit {
  readonly host: HostState;
  isFree: boolean;
  isOver: boolean;
  /** Hosts with requests that wait for the place. */
  readonly waiting: Set<HostState>;
}

/**
 * The queue of one job at one host, for its pages or its files; requests without a job share one
 * queue.
 */
export class HostQueue {
  readonly job: object;
  readonly #requests = new PriorityQueue<QueuedRequest>();
  /** Requests of the queue whose time runs while they wait. */
  readonly #timed = new Set<QueuedRequest>();
  /** True while the first request waits for other requests to end. */
  #isQueueing = false;
  /** Requests of the queue that were given up. */
  #left = 0;
  inFlight = 0;

  constructor(job: object) {
    this.job = job;
  }

  /** The number of waiting requests. */
  get length(): number {
    return this.#requests.size - this.#left;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.length === 0;
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
    if (request.remaining() === Infinity) return;
    this.#timed.add(request);
    request.setQueueing(this.#isQueueing);
  }

  /** Sets whether the first request waits for others to end; this applies to the whole queue. */
  setQueueing(isQueueing: boolean): void {
    if (this.#isQueueing === isQueueing) return;
    this.#isQueueing = isQueueing;
    for (const request of this.#timed) request.setQueueing(isQueueing);
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

/** The capacity of a host, and its queues. */
export class HostState {
  /** The most permits at a time, over all jobs. */
  readonly #most: number;
  /** Redirect hops of requests in flight: served before all other queues. */
  readonly hops: HostQueue = new HostQueue({});
  /** Queues by job, served in round-robin. */
  readonly queues: Map<object, HostQueue> = new Map<object, HostQueue>();
  readonly load: AdaptiveConcurrency = new AdaptiveConcurrency();
  /** Permits that have not been released. */
  inFlight = 0;
  /** The same, by job. */
  readonly #inFlightOf = new Map<object, number>();
  /** Permits whose requests are not sent yet: the gap to their start is not known. */
  unsent = 0;
  /** True once a call of the waiting requests is scheduled. */
  isCalled = false;
  /** Calls the waiting requests when the host is ready for the first of them. */
  timer: NodeJS.Timeout | undefined;
  /** Failures in a row; a success halves them. */
  #failures = 0;
  /** When the last failure was counted. */
  #failedAt = -Infinity;
  /** No request starts before this time: the host asked for a pause. */
  #closedUntil = 0;
  /**
   * The end of that pause as the host gave it: later than `#closedUntil` if the pause was
   * shortened.
   */
  #pausedUntil = 0;
  /** When the host first asked for a pause, without a good response since. */
  #busySince: number | undefined;
  #lastStart = -Infinity;
  /** The least gap between the last start and the next, in milliseconds. */
  #distance = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isBusy(): boolean {
    return this.inFlight > 0 || this.queues.size > 0;
  }

  /** When a request that keeps a gap of `delay` may start. */
  opensAt(delay = 0): number {
    return Math.max(this.#closedUntil, this.#lastStart + Math.max(this.#distance, delay));
  }

  /** Milliseconds until the host may be asked, by its Retry-After and its pace. */
  wait(now: number, delay = 0): number {
    const pausedUntil = now < this.#closedUntil ? this.#pausedUntil : 0;
    return Math.max(0, pausedUntil - now, this.opensAt(delay) - now);
  }

  /** The host is closed, and has answered only with rate limits for too long. */
  isUnavailable(now: number): boolean {
    return now < this.#closedUntil && now - (this.#busySince ?? now) >= limits.patience;
  }

  /** When this request may start; Infinity until a request in flight starts or ends. */
  startOf(request: QueuedRequest, queue: HostQueue): number {
    const { delay, concurrency, isHop, lent } = request;
    const isLent = lent?.host === this && !lent.isOver;
    const isUnclear = this.unsent > (isLent ? 1 : 0) && Math.max(this.#distance, delay) > 0;
    const most = Math.min(this.#most, this.load.limit) + (isLent && lent.isFree ? 1 : 0);
    const isFull = this.inFlight >= most || this.#share(queue.job) >= concurrency;
    return isUnclear || (isFull && !isHop) ? Infinity : this.opensAt(delay);
  }

  /** Counts a permit that is granted (1) or released (-1). */
  count(queue: HostQueue, change: 1 | -1): void {
    this.inFlight += change;
    queue.inFlight += change;
    const share = this.#share(queue.job) + change;
    if (share === 0) this.#inFlightOf.delete(queue.job);
    else this.#inFlightOf.set(queue.job, share);
  }

  /** Requests of a job in flight, pages and files. */
  #share(job: object): number {
    return this.#inFlightOf.get(job) ?? 0;
  }

  /** The least gap between the starts of waiting requests. */
  spacing(delay: number): number {
    return Math.max(this.#gap, delay);
  }

  /** Records the start of a request. */
  started(now: number, delay: number): void {
    this.#lastStart = now;
    this.#distance = this.spacing(delay);
  }

  /** Records a good response. */
  succeeded(): void {
    this.#busySince = undefined;
    this.#failures = Math.floor(this.#failures / 2);
  }

  /** Records that a request sent at `sentAt` failed because of the host. */
  failed(now: number, sentAt: number, pause: number): void {
    if (pause > 0) {
      // A host that was open for a while before it asks again starts a new period.
      if (now - this.#closedUntil > limits.longestClosure) this.#busySince = undefined;
      this.#busySince ??= now;
      this.#closedUntil = Math.max(this.#closedUntil, now + Math.min(pause, limits.longestClosure));
      this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    }
    if (sentAt < this.#failedAt) return;
    this.#failures += 1;
    this.#failedAt = now;
  }

  get #gap(): number {
    const more = this.#failures - limits.tolerance;
    return more < 0 ? 0 : Math.min(limits.firstGap * 2 ** more, limits.longestGap);
  }
}

// Adapts the concurrency of a host: halved when it is overloaded, raised by one while it answers
// well.

/**
 * Additive increase, multiplicative decrease (AIMD), as in TCP. There is no limit before the first
 * sign of overload, nor after the host again bears as many requests as were in flight then.
 */
export class AdaptiveConcurrency {
  /** The most requests in flight. */
  limit: number = Infinity;
  /** The number of requests in flight when the limit was first set: the limit ends there. */
  #end = Infinity;
  #good = 0;
  /** When it was last lowered: requests sent before reflect a load that is over. */
  #loweredAt = -Infinity;
  #latency: number | undefined;
  #lowestLatency = Infinity;

  /**
   * Records that a request sent at `sentAt` found the host overloaded or silent with `inFlight`
   * requests in flight.
   */
  overloaded(inFlight: number, sentAt: number, now: number): void {
    // A limit of one cannot be lowered; gaps between requests are not decided here.
    if (inFlight <= 1 || sentAt < this.#loweredAt) return;
    if (this.limit === Infinity) this.#end = inFlight;
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, inFlight) / 2));
    this.#loweredAt = now;
    this.#good = 0;
  }

  /** Records a good response to a request sent at `sentAt`. */
  answered(inFlight: number, sentAt: number, now: number): void {
    if (this.#isSlowingDown(now - sentAt) && inFlight > 1) {
      this.overloaded(inFlight, sentAt, now);
      // If fewer requests do not help, their number is not the cause: latency does not lower the
      // limit again.
      this.#lowestLatency = this.#latency ?? Infinity;
      return;
    }
    if (inFlight < this.limit || sentAt < this.#loweredAt) return;
    this.#good += 1;
    if (this.#good < limits.goodAnswers) return;
    this.#good = 0;
    this.limit += 1;
    if (this.limit >= this.#end) this.limit = Infinity;
  }

  #isSlowingDown(latency: number): boolean {
    const before = this.#latency ?? latency;
    const smoothed = before + (latency - before) * limits.weight;
    this.#latency = smoothed;
    this.#lowestLatency = Math.min(this.#lowestLatency, smoothed);
    const lowest = this.#lowestLatency;
    return smoothed > lowest * limits.slowdown && smoothed > lowest + limits.leastSlowdown;
  }
}
