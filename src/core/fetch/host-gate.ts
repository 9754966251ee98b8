/** Decides when the requests of one client start: slots, pace and pauses of their hosts, and the order. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  HostLimits,
  HostPermit,
  HostTurn,
  Pace,
  SharedHosts,
  TaskPermit,
  TurnOutcome,
} from '../model/pace.ts';
import type { HostRules } from '../http/network/host-rules.ts';
import { type Deadline, pauseAll } from '../runtime/deadline.ts';
import { PagewrightError } from '../runtime/errors.ts';
import {
  countInFlight,
  type Host,
  JobQueue,
  type LentPermit,
  newHost,
  type QueuedRequest,
  type RequestClock,
} from './gated-host.ts';
import {
  answered,
  type EndedRequest,
  hostBounds,
  type HostState,
  isUnavailable,
  opensAt,
  refused,
  spacing,
  started,
  waitFor,
} from './host-state.ts';

const mostHosts = 10_000; // idle hosts in memory; the least recently used one is dropped first

const { longestWait } = hostBounds;

/** The key of the queue for requests that belong to no job. */
const withoutJob = {};

/** The concurrency limits of a client. */
export interface ClientConcurrency {
  /** For all hosts together. */
  readonly maxConcurrency: number;
  /** For one host and port. */
  readonly maxConcurrencyPerHost: number;
}

const noBounds: ClientConcurrency = {
  maxConcurrency: Infinity,
  maxConcurrencyPerHost: Infinity,
};

/** Options for acquiring a permit. */
export interface HostPermitOptions extends Omit<Pace, 'hostPermit'> {
  readonly signal: AbortSignal;
  /** Milliseconds that the caller can wait. @default Infinity */
  readonly remaining?: number;
  /**
   * The caller's clocks, instead of `remaining`: paused while other requests have to end first,
   * running while the host waits for a time.
   */
  readonly clocks?: readonly Pick<Deadline, 'remaining' | 'pause'>[];
  /**
   * For a redirect hop of a request in flight: it only needs its gap to other requests. @default
   * false
   */
  readonly isHop?: boolean;
  /** Another process sends the request and takes the turn. @default false */
  readonly isSentElsewhere?: boolean;
  /**
   * Called before a wait of more than 5 seconds for the host: the caller can give the request up by aborting `signal`,
   * and start again in `wait` ms. @default the request waits
   */
  readonly postpone?: ((wait: number) => void) | undefined;
}

/**
 * Decides when a request to a host (with its port) starts, and how many are in flight. Each host
 * has its own queues, so no request waits for another host; requests of a job wait without a task
 * permit and acquire one together with the host permit. Jobs that wait for one host are served in
 * round-robin.
 *
 * After five failures in a row requests start at growing gaps, 0.5 s to 10 s; successes shorten
 * them again. Requests in flight together that fail together are one failure, which halves the
 * concurrency. Retry-After closes a host for its duration.
 *
 * http and https on their default ports count as one host: nearly always they are one machine.
 */
export class HostGate {
  readonly #hosts = new Map<string, Host>();
  readonly #now: () => number;
  readonly #most: number;
  readonly #mostPerHost: number;
  /** Permits that have not been released, except those of redirect hops. */
  #inFlight = 0;
  /** Hosts whose next request waits for a request of any host to end, in order of arrival. */
  readonly #held = new Set<Host>();
  readonly #lent = new AsyncLocalStorage<LentPermit>();
  /** Other processes that contact the same hosts. */
  readonly #shared: SharedHosts | undefined;
  readonly #rules: HostRules | undefined;
  #arrivals = 0;

  /** `now` has to be monotonic: a clock that is set back would close hosts. */
  constructor(
    now: () => number = () => performance.now(),
    { maxConcurrency, maxConcurrencyPerHost }: ClientConcurrency = noBounds,
    shared?: SharedHosts,
    rules?: HostRules,
  ) {
    this.#now = now;
    this.#shared = shared;
    this.#rules = rules;
    this.#most = maxConcurrency;
    this.#mostPerHost = maxConcurrencyPerHost;
  }

  /**
   * Resolves when a request to the URL's host may start, with a task permit of its job if it has a
   * `permit`. Rejects with `HOST_BUSY`, as soon as certain, when the start would be later than the
   * caller can wait, or when the host has only sent rate limits for ten minutes; and with the
   * signal's reason when it aborts.
   */
  async acquire(url: string, options: HostPermitOptions): Promise<HostPermit> {
    options.signal.throwIfAborted();
    const clock = queueClock(options, this.#now);
    const hostPermit = await this.#queue(url, options, clock);
    if (this.#shared === undefined || options.isSentElsewhere === true) return hostPermit;
    try {
      hostPermit.turn = await this.#takeTurn(this.#shared, url, options, clock);
      return hostPermit;
    } catch (error) {
      hostPermit[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Runs work that a granted request waits for before it is sent. Requests to the host in this work
   * use that request's slot; otherwise they would wait for it forever.
   */
  async lend<T>(hostPermit: HostPermit | undefined, work: () => Promise<T>): Promise<T> {
    if (hostPermit === undefined || !isIssued(hostPermit)) return work();
    const { host } = hostPermit;
    const lent = { host, isFree: true, isOver: false, waiting: new Set<Host>() };
    try {
      return await this.#lent.run(lent, work);
    } finally {
      lent.isFree = false;
      lent.isOver = true;
    }
  }

  /** Milliseconds until a request to the URL's host may start. */
  wait(url: string): number {
    const host = this.#hosts.get(hostOf(url));
    return host === undefined ? 0 : waitFor(host.state, this.#now(), this.#limitsOf(url));
  }

  /** State of the URL's host. */
  stateOf(url: string): HostState {
    return this.#remember(url).state;
  }

  /** The limits of a request with this gap to others; the larger gap counts. */
  #limitsOf(url: string, delay = 0): HostLimits {
    const limits = { delay, most: this.#mostPerHost, perMinute: Infinity };
    return this.#rules?.limitsOf(new URL(url), limits) ?? limits;
  }

  /** Waits until the requests of this process to the host allow this one. */
  async #queue(
    url: string,
    options: HostPermitOptions,
    clock: RequestClock,
  ): Promise<IssuedPermit> {
    const { signal, permit, isHop = false } = options;
    const limits = this.#limitsOf(url, options.delay);
    const { concurrency = Infinity, job, isFile = false } = options;
    const host = this.#remember(url);
    const lent = this.#lent.getStore();
    const key = permit?.job ?? lent ?? withoutJob;
    const queue = isHop ? host.hops : (host.queues.get(key) ?? new JobQueue(job ?? key));
    if (!isHop) host.queues.set(key, queue);
    const began = this.#now();
    // Tasks that started earlier are served first, even before requests that arrived earlier.
    const hasStarted = permit !== undefined && permit.priority < 0;
    const queued = hasStarted ? 0 : queue.length;
    const ahead = host.unsent + queued;
    const minutes = Math.floor(ahead / limits.perMinute) * hostBounds.minute;
    const before = queued * spacing(host.state, limits.delay) + minutes;
    const wait = waitFor(host.state, began, limits, ahead % limits.perMinute) + before;
    const remaining = clock.remaining();
    const isGivenUp = remaining === Infinity && isUnavailable(host.state, began);
    if ((wait > 0 && wait >= remaining) || isGivenUp) throw hostBusy(url, wait, limits);
    if (wait > longestWait) options.postpone?.(wait);
    signal.throwIfAborted();
    return new Promise<IssuedPermit>((resolve, reject) => {
      const settle = (): void => {
        forget();
        clock.setQueueing(false);
      };
      const request: QueuedRequest = {
        clock,
        url,
        ...limits,
        concurrency,
        permit,
        lent,
        isHop,
        isFile,
        hasLeft: false,
        grant: () => {
          settle();
          resolve(this.#issue(host, queue.job, request));
        },
        leave: (error) => {
          settle();
          queue.leave(request);
          reject(error);
        },
      };
      const forget = onAbort(signal, permit, () => {
        request.leave(signal.reason as Error);
        // Requests that leave together do so before one of them is granted a permit.
        queueMicrotask(() => this.#call(host));
      });
      queue.push(permit?.priority ?? this.#arrivals++, request);
      this.#call(host);
    });
  }

  /** Waits until the requests of other processes to the host allow this one. */
  async #takeTurn(
    shared: SharedHosts,
    url: string,
    { signal, delay: ownDelay, isHop = false, postpone }: HostPermitOptions,
    clock: RequestClock,
  ): Promise<HostTurn> {
    const limits = this.#limitsOf(url, ownDelay);
    // A request sent while a page waits for it uses that page's turn.
    const isInTurn = isHop || this.#lent.getStore()?.host === this.#hosts.get(hostOf(url));
    const began = this.#now();
    try {
      for (;;) {
        const turn = await shared.take(hostOf(url), { ...limits, isHop: isInTurn });
        const { state, wait } = turn;
        if (state === 'granted') {
          // A page aborted meanwhile retains its reservation: the gap is wider once.
          if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => turn.end());
          signal.throwIfAborted();
          return turn;
        }
        const isFull = state === 'full';
        const isGivenUp = state === 'unavailable' && clock.remaining() === Infinity;
        if (isGivenUp || (!isFull && wait >= clock.remaining())) throw hostBusy(url, wait, limits);
        if (!isFull || this.#now() - began > longestWait) postpone?.(wait);
        clock.setQueueing(isFull);
        await sleep(isFull ? wait : Math.min(wait, longestWait), undefined, { signal });
      }
    } finally {
      clock.setQueueing(false);
      signal.throwIfAborted();
    }
  }

  /** The permit of a request, which starts now: without a task permit it is sent at once. */
  #issue(host: Host, job: object, request: QueuedRequest): IssuedPermit {
    const { permit, isFile, isHop, lent } = request;
    const { state } = host;
    const isInPlace = !isHop && lent?.isFree === true;
    // A redirect hop belongs to a request that is counted already.
    const weight = isHop || isInPlace ? 0 : 1;
    let phase: 'waiting' | 'sent' | 'over' = 'waiting';
    let sentAt = 0;
    const send = (): void => {
      const before = phase === 'sent' ? sentAt : undefined;
      if (phase === 'waiting') host.unsent -= 1;
      phase = 'sent';
      sentAt = this.#now();
      started(state, sentAt, request, before);
    };
    const end = (outcome?: Omit<TurnOutcome, 'sentFor'>): void => {
      if (phase === 'over') return;
      if (phase === 'waiting') host.unsent -= 1;
      phase = 'over';
      issued.turn?.end(outcome && { ...outcome, sentFor: this.#now() - sentAt });
      countInFlight(host, job, -1);
      this.#inFlight -= weight;
      if (isInPlace) this.#takeBack(lent);
      this.#serve();
      this.#call(host);
    };
    const ended = (): EndedRequest => ({ now: this.#now(), sentAt, inFlight: host.inFlight });
    const issued: IssuedPermit = {
      host,
      turn: undefined,
      start: () => {
        if (phase === 'over') return;
        send();
        this.#call(host);
      },
      succeeded: () => {
        if (phase !== 'sent') return;
        answered(state, ended(), isFile);
        end({ isGood: true, pause: 0 });
      },
      failed: (pause = 0) => {
        if (phase !== 'sent') return;
        refused(state, ended(), pause);
        end({ isGood: false, pause });
      },
      [Symbol.dispose]: end,
    };
    this.#inFlight += weight;
    if (isInPlace) lent.isFree = false;
    countInFlight(host, job, 1);
    host.unsent += 1;
    if (permit === undefined) send();
    return issued;
  }

  /** Frees the slot of a waiting request for the requests that it waits for. */
  #takeBack(lent: LentPermit): void {
    lent.isFree = !lent.isOver;
    const waiting = new Set([lent.host, ...lent.waiting]);
    lent.waiting.clear();
    for (const host of waiting) this.#call(host);
  }

  /** Calls the hosts that wait for a request of any host to end, one by one. */
  #serve(): void {
    for (const host of [...this.#held]) {
      if (this.#inFlight >= this.#most) return;
      this.#held.delete(host);
      this.#call(host);
    }
  }

  /** Grants permits that are due, and sets a timer for the next one. */
  #call(host: Host): void {
    clearTimeout(host.timer);
    let next = this.#grant(host);
    while (next === 'again') next = this.#grant(host);
    if (next === Infinity) return;
    host.timer = setTimeout(() => this.#call(host), Math.ceil(next - this.#now()));
  }

  /**
   * Settles the first request of one of the queues; otherwise returns the earliest time the host
   * may be ready.
   */
  #grant(host: Host): number | 'again' {
    let next = this.#offer(host, host.hops);
    for (const [key, queue] of host.queues) {
      if (next === 'again') break;
      const offered = this.#offer(host, queue);
      next = offered === 'again' ? offered : Math.min(next, offered);
      const isUsed = queue.length > 0 || host.inFlightOf.has(queue.job);
      if (offered !== 'again' && isUsed) continue;
      // Moves the queue behind the other jobs.
      host.queues.delete(key);
      if (isUsed) host.queues.set(key, queue);
    }
    return next;
  }

  /**
   * Settles the first request of a queue if possible; otherwise returns the time at which it may
   * start.
   */
  #offer(host: Host, queue: JobQueue): number | 'again' {
    const request = queue.first;
    if (request === undefined) return Infinity;
    const now = this.#now();
    const wait = waitFor(host.state, now, request);
    const remaining = request.clock.remaining();
    if (remaining === Infinity ? isUnavailable(host.state, now) : wait > 0 && wait > remaining) {
      request.leave(hostBusy(request.url, wait, request));
      return 'again';
    }
    const start = this.#startOf(host, queue.job, request);
    if (start > now && start < Infinity) {
      queue.setQueueing(false);
      return start;
    }
    if (start === Infinity || !this.#takeSlot(host, request)) {
      queue.setQueueing(true);
      return Infinity;
    }
    queue.shift();
    request.grant();
    return 'again';
  }

  /** When this request may start; Infinity until a request in flight starts or ends. */
  #startOf(host: Host, job: object, request: QueuedRequest): number {
    const { state } = host;
    const { delay, concurrency, isHop, lent, perMinute } = request;
    const isLent = lent?.host === host && !lent.isOver;
    const unsent = host.unsent - (isLent ? 1 : 0);
    const isUnclear = unsent >= perMinute || (unsent > 0 && Math.max(state.distance, delay) > 0);
    const most = Math.min(request.most, state.limit) + (isLent && lent.isFree ? 1 : 0);
    const isFull = host.inFlight >= most || (host.inFlightOf.get(job) ?? 0) >= concurrency;
    if (isUnclear || (isFull && !isHop)) return Infinity;
    return opensAt(state, request, host.unsent);
  }

  /**
   * False while the client, or the job of the request, has too many requests in flight; the host is
   * called when one ends.
   */
  #takeSlot(host: Host, { isHop, permit, lent }: QueuedRequest): boolean {
    if (!isHop && this.#inFlight >= this.#most && lent?.isFree !== true) {
      this.#held.add(host);
      lent?.waiting.add(host);
      return false;
    }
    return permit?.tryAcquire(() => this.#call(host)) !== false;
  }

  #remember(url: string): Host {
    const name = hostOf(url);
    const host = this.#hosts.get(name) ?? newHost();
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    if (this.#hosts.size > mostHosts) this.#forgetOldest();
    return host;
  }

  #forgetOldest(): void {
    const [oldest] = this.#hosts;
    if (oldest === undefined) return;
    const [name, host] = oldest;
    this.#hosts.delete(name);
    const isInMinute = (host.state.starts.at(-1) ?? -Infinity) + hostBounds.minute > this.#now();
    if (host.inFlight > 0 || host.queues.size > 0 || isInMinute) this.#hosts.set(name, host);
  }
}

/** A permit with its host, and its turn among the requests of all processes. */
interface IssuedPermit extends HostPermit {
  readonly host: Host;
  turn: HostTurn | undefined;
}

function isIssued(permit: HostPermit): permit is IssuedPermit {
  return 'host' in permit;
}

/** The error for a request that cannot wait until its host opens in `wait` ms. */
function hostBusy(url: string, wait: number, { perMinute }: HostLimits): PagewrightError {
  const retryAfter = Math.ceil(wait);
  const limit = perMinute < Infinity ? `, or has had its ${perMinute} requests a minute` : '';
  return new PagewrightError(
    'HOST_BUSY',
    `${hostOf(url)} gets no request for ${url} for another ${Math.ceil(wait / 1000)} s: it asked for a pause (Retry-After) or failed repeatedly${limit}, and this request cannot wait that long. Try again later, or raise timeout.`,
    { url, retryAfter },
  );
}

/** Calls back when the signal aborts; the returned function removes the listener. */
function onAbort(
  signal: AbortSignal,
  permit: TaskPermit | undefined,
  leave: () => void,
): () => void {
  // Adding a listener to a signal takes longer the more it has; a job has thousands of waiting
  // requests.
  if (permit?.signal === signal) return permit.onAbort(leave);
  signal.addEventListener('abort', leave, { once: true });
  return () => signal.removeEventListener('abort', leave);
}

function queueClock(
  { clocks, remaining = Infinity }: Pick<HostPermitOptions, 'clocks' | 'remaining'>,
  now: () => number,
): RequestClock {
  const latest = now() + remaining;
  let goOn: (() => void) | undefined;
  return {
    remaining: () =>
      clocks === undefined ? latest - now() : Math.min(...clocks.map((clock) => clock.remaining)),
    setQueueing: (isQueueing) => {
      if (clocks === undefined || isQueueing === (goOn !== undefined)) return;
      goOn?.();
      goOn = isQueueing ? pauseAll(clocks) : undefined;
    },
  };
}

/** With the port; `example.com.` is `example.com`. */
function hostOf(url: string): string {
  return new URL(url).host.replace(/\.(?=:|$)/, '');
}
