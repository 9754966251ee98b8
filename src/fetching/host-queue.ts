/** One host with its port: its pace, the requests it bears at a time, and the queues of requests that wait for it. */
import type { TaskPermit } from '../model/pace.ts';
import { PriorityQueue } from './priority-queue.ts';

/** Failures in a row before requests are spaced. */
const tolerance = 5;

/** Milliseconds between two requests after `tolerance` failures; each further one doubles it. */
const firstGap = 500;

const longestGap = 10_000;

/** Milliseconds that Retry-After can close a host for: a host that asks for more is asked again. */
const longestClosure = 60_000;

/** Milliseconds without a good answer after which jobs no longer wait for a host that asks for time. */
const patience = 600_000;

/** One request that waits for its turn. */
export interface QueuedRequest {
  /** Milliseconds to the turns before and after it, at least. */
  readonly delay: number;
  /** It belongs to a request that is under way. */
  readonly isHop: boolean;
  readonly isFile: boolean;
  /** Requests of its job that the host has under way, at most. */
  readonly concurrency: number;
  readonly permit: TaskPermit | undefined;
  /** That of a request which waits for this one. */
  readonly lent: LentPermit | undefined;
  /** The turn is of no use when it starts in more milliseconds. */
  remaining(): number;
  /** True while it waits for other requests to end, not for a time: that is not on its own time. */
  setQueueing(isQueueing: boolean): void;
  /** It was given up. */
  hasLeft: boolean;
  /** Gives it its turn. */
  grant(): void;
  /** Gives it up. */
  leave(error: Error): void;
  /** The error for a turn that comes too late: the host opens in `wait` ms. */
  busy(wait: number): Error;
}

/**
 * A turn whose request is not sent before other requests are answered: those of a hook of its page. They
 * have its place, one at a time.
 */
export interface LentPermit {
  readonly host: HostState;
  isFree: boolean;
  isOver: boolean;
  /** Hosts of requests that wait for the place. */
  readonly waiting: Set<HostState>;
}

/** Requests of one job at one host, its pages or its files; all that belong to no job are one line. */
export class HostQueue {
  readonly job: object;
  readonly #requests = new PriorityQueue<QueuedRequest>();
  /** Those of them whose time runs while they wait. */
  readonly #timed = new Set<QueuedRequest>();
  /** The first one waits for other requests to end. */
  #isQueueing = false;
  /** Those of them that were given up. */
  #left = 0;
  inFlight = 0;

  constructor(job: object) {
    this.job = job;
  }

  /** Requests that wait. */
  get length(): number {
    return this.#requests.size - this.#left;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.length === 0;
  }

  /** Who is next. */
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

  /** Says what the first one waits for, and with it all others. */
  setQueueing(isQueueing: boolean): void {
    if (this.#isQueueing === isQueueing) return;
    this.#isQueueing = isQueueing;
    for (const request of this.#timed) request.setQueueing(isQueueing);
  }

  /** Takes the first one out. */
  shift(): void {
    const request = this.#requests.shift();
    if (request !== undefined) this.#timed.delete(request);
  }

  /** One of those that wait is given up. */
  leave(request: QueuedRequest): void {
    request.hasLeft = true;
    this.#timed.delete(request);
    this.#left += 1;
  }
}

/** What a host can take now. */
export class HostState {
  /** Turns at a time, whoever has them. */
  readonly #most: number;
  /** Redirects of requests that are under way: these are before all others. */
  readonly hops: HostQueue = new HostQueue({});
  /** By job. They take turns. */
  readonly queues: Map<object, HostQueue> = new Map<object, HostQueue>();
  readonly load: AdaptiveConcurrency = new AdaptiveConcurrency();
  /** Turns that have not ended. */
  inFlight = 0;
  /** The same by job. */
  readonly #inFlightOf = new Map<object, number>();
  /** Turns whose requests are not sent yet: distances to them are not known. */
  unsent = 0;
  /** Those who wait are called in a moment. */
  isCalled = false;
  /** Calls those who wait when the host is ready for the first of them. */
  timer: NodeJS.Timeout | undefined;
  /** Failures in a row; a success halves them. */
  #failures = 0;
  /** When the last of them was counted. */
  #failedAt = -Infinity;
  /** No request starts before: the host asked for a pause. */
  #closedUntil = 0;
  /** When that pause ends as the host said it: later than `#closedUntil` when that is shortened. */
  #pausedUntil = 0;
  /** When the host asked for a pause first, with no good answer since. */
  #busySince: number | undefined;
  #lastStart = -Infinity;
  /** Milliseconds from the last start to the next, at least. */
  #distance = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isBusy(): boolean {
    return this.inFlight > 0 || this.queues.size > 0;
  }

  /** When a request may start that keeps `delay` to the one before. */
  opensAt(delay = 0): number {
    return Math.max(this.#closedUntil, this.#lastStart + Math.max(this.#distance, delay));
  }

  /** Milliseconds that the host is not to be asked, by what it said and by its pace. */
  wait(now: number, delay = 0): number {
    const pausedUntil = now < this.#closedUntil ? this.#pausedUntil : 0;
    return Math.max(0, pausedUntil - now, this.opensAt(delay) - now);
  }

  /** The host is closed, and has answered with nothing but rate limits for too long. */
  isUnavailable(now: number): boolean {
    return now < this.#closedUntil && now - (this.#busySince ?? now) >= patience;
  }

  /** When this one may start; Infinity until a request that is under way starts or ends. */
  startOf(request: QueuedRequest, queue: HostQueue): number {
    const { delay, concurrency, isHop, lent } = request;
    const isLent = lent?.host === this && !lent.isOver;
    const isUnclear = this.unsent > (isLent ? 1 : 0) && Math.max(this.#distance, delay) > 0;
    const most = Math.min(this.#most, this.load.limit) + (isLent && lent.isFree ? 1 : 0);
    const isFull = this.inFlight >= most || this.#share(queue.job) >= concurrency;
    return isUnclear || (isFull && !isHop) ? Infinity : this.opensAt(delay);
  }

  /** A turn begins (1) or ends (-1). */
  count(queue: HostQueue, change: 1 | -1): void {
    this.inFlight += change;
    queue.inFlight += change;
    const share = this.#share(queue.job) + change;
    if (share === 0) this.#inFlightOf.delete(queue.job);
    else this.#inFlightOf.set(queue.job, share);
  }

  /** What a job has under way, with its pages and its files. */
  #share(job: object): number {
    return this.#inFlightOf.get(job) ?? 0;
  }

  /** The least time between the starts of those who wait. */
  spacing(delay: number): number {
    return Math.max(this.#gap, delay);
  }

  /** A request starts. */
  started(now: number, delay: number): void {
    this.#lastStart = now;
    this.#distance = this.spacing(delay);
  }

  /** A request was answered as it should. */
  succeeded(): void {
    this.#busySince = undefined;
    this.#failures = Math.floor(this.#failures / 2);
  }

  /** A request that was sent at `sentAt` failed for the host's sake. */
  failed(now: number, sentAt: number, pause: number): void {
    if (pause > 0) {
      // A host that was open for a while and asks again is another story.
      if (now - this.#closedUntil > longestClosure) this.#busySince = undefined;
      this.#busySince ??= now;
      this.#closedUntil = Math.max(this.#closedUntil, now + Math.min(pause, longestClosure));
      this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    }
    if (sentAt < this.#failedAt) return;
    this.#failures += 1;
    this.#failedAt = now;
  }

  get #gap(): number {
    const more = this.#failures - tolerance;
    return more < 0 ? 0 : Math.min(firstGap * 2 ** more, longestGap);
  }
}

// How many requests at a time a host bears: halved when it has too many, one more when all goes well.

/** Good answers at the limit before it grows: few enough to recover within a short crawl, and a host that refuses at one more refuses about one request in sixteen. */
const goodAnswers = 8;

/** The weight of one answer in the smoothed latency, as TCP smooths its round trips. */
const weight = 1 / 8;

/** A host is slowing down when its smoothed latency is so many times the lowest that it was, */
const slowdown = 4;

/** and so many milliseconds more: below, nobody is hurt, and chance is larger than load. */
const leastSlowdown = 1000;

/**
 * Additive increase, multiplicative decrease, as TCP does it. Nothing is limited before the first
 * sign of overload, nor after the host bore again what was under way at that time.
 */
export class AdaptiveConcurrency {
  /** Requests under way, at most. */
  limit: number = Infinity;
  /** What was under way when the limit was set first: there it ends. */
  #end = Infinity;
  #good = 0;
  /** When it was lowered last: requests sent before tell of a load that is over. */
  #loweredAt = -Infinity;
  #latency: number | undefined;
  #lowestLatency = Infinity;

  /** A request that was sent at `sentAt` found the host overloaded or silent; `inFlight` were under way. */
  overloaded(inFlight: number, sentAt: number, now: number): void {
    // One at a time cannot be fewer, only rarer, which is not decided here.
    if (inFlight <= 1 || sentAt < this.#loweredAt) return;
    if (this.limit === Infinity) this.#end = inFlight;
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, inFlight) / 2));
    this.#loweredAt = now;
    this.#good = 0;
  }

  /** A request that was sent at `sentAt` was answered as it should. */
  answered(inFlight: number, sentAt: number, now: number): void {
    if (this.#isSlowingDown(now - sentAt) && inFlight > 1) {
      this.overloaded(inFlight, sentAt, now);
      // Should fewer requests not help, it is not their number: it is not lowered again for that.
      this.#lowestLatency = this.#latency ?? Infinity;
      return;
    }
    if (inFlight < this.limit || sentAt < this.#loweredAt) return;
    this.#good += 1;
    if (this.#good < goodAnswers) return;
    this.#good = 0;
    this.limit += 1;
    if (this.limit >= this.#end) this.limit = Infinity;
  }

  #isSlowingDown(latency: number): boolean {
    const before = this.#latency ?? latency;
    const smoothed = before + (latency - before) * weight;
    this.#latency = smoothed;
    this.#lowestLatency = Math.min(this.#lowestLatency, smoothed);
    const lowest = this.#lowestLatency;
    return smoothed > lowest * slowdown && smoothed > lowest + leastSlowdown;
  }
}
