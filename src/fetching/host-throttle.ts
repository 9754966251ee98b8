/** Throttles the requests of one client by host: how often, and how many at a time, each host is asked. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PagewrightError } from '../errors.ts';
import type { HostPermit, Pace, TaskPermit } from '../model/pace.ts';
import { type Deadline, pauseAll } from '../network/deadline.ts';
import { HostQueue, HostState, type LentPermit, type QueuedRequest } from './host-queue.ts';

/** Idle hosts that are remembered; the one that was used longest ago is forgotten first. */
const mostHosts = 10_000;

/** The key of the line of all requests that belong to no job. */
const withoutJob = {};

/** How many requests a client has under way at a time. */
export interface ClientConcurrency {
  /** In all. */
  readonly maxConcurrency: number;
  /** At one host with its port. */
  readonly maxConcurrencyPerHost: number;
}

const noBounds: ClientConcurrency = {
  maxConcurrency: Infinity,
  maxConcurrencyPerHost: Infinity,
};

/** How a turn is waited for. */
export interface HostPermitOptions extends Omit<Pace, 'hostPermit'> {
  readonly signal: AbortSignal;
  /** Milliseconds that the caller has left. @default Infinity */
  readonly remaining?: number;
  /**
   * The caller's clocks in place of `remaining`: they stand while other requests have to end first, and run
   * while the host wants some time to pass.
   */
  readonly clocks?: readonly Pick<Deadline, 'remaining' | 'pause'>[];
  /** For a redirect of a request that is under way: it only keeps its distance to others. @default false */
  readonly isHop?: boolean;
}

/**
 * Who asks which host (with its port) when, and how many at a time. Each host has its own line of
 * those who wait, so that none waits for another host; those of a job wait without a permit of it and
 * take one together with their turn. Jobs that wait for one host take turns.
 *
 * After five failures in a row requests start at growing distances, 0.5 s to 10 s; successes shorten
 * them again. Requests that were under way together fail together: that is one failure, and it halves
 * how many are under way. Retry-After closes a host for the time it asks for.
 *
 * http and https on their own ports count as one host: they are one machine nearly always.
 */
export class HostThrottle {
  readonly #hosts = new Map<string, HostState>();
  readonly #now: () => number;
  readonly #most: number;
  readonly #mostPerHost: number;
  /** Turns that have not ended, but for those of redirects. */
  #inFlight = 0;
  /** Hosts whose next request waits for one of any host to end, the first that came first. */
  readonly #held = new Set<HostState>();
  readonly #lent = new AsyncLocalStorage<LentPermit>();
  #arrivals = 0;

  /** `now` has to be steady: a clock that is set back would close hosts. */
  constructor(
    now: () => number = () => performance.now(),
    { maxConcurrency, maxConcurrencyPerHost }: ClientConcurrency = noBounds,
  ) {
    this.#now = now;
    this.#most = maxConcurrency;
    this.#mostPerHost = maxConcurrencyPerHost;
  }

  /**
   * Resolves when a request to the URL's host may start, with a task permit of its job where it has a
   * `permit`. Rejects with `HOST_BUSY`, as soon as that is certain, when it is later than the caller can
   * wait, or when the host did nothing but ask for time for ten minutes; and with the signal's reason
   * when it aborts.
   */
  async acquire(url: string, options: HostPermitOptions): Promise<HostPermit> {
    const { signal, delay = 0, permit, isHop = false } = options;
    const { concurrency = Infinity, job, isFile = false } = options;
    signal.throwIfAborted();
    const clock = queueClock(options, this.#now);
    const host = this.#remember(url);
    const lent = this.#lent.getStore();
    const key = permit?.job ?? lent ?? withoutJob;
    const queue = isHop ? host.hops : (host.queues.get(key) ?? new HostQueue(job ?? key));
    if (!isHop) host.queues.set(key, queue);
    const began = this.#now();
    // What started before is before all others, those that arrived before it included.
    const hasStarted = permit !== undefined && permit.priority < 0;
    const before = hasStarted ? 0 : queue.length * host.spacing(delay);
    const wait = host.wait(began, delay) + before;
    const remaining = clock.remaining();
    if ((wait > 0 && wait >= remaining) || (remaining === Infinity && host.isUnavailable(began))) {
      throw hostBusy(url, wait);
    }
    return new Promise<HostPermit>((resolve, reject) => {
      const request: QueuedRequest = {
        delay,
        concurrency,
        permit,
        lent,
        isHop,
        isFile,
        hasLeft: false,
        ...clock,
        grant: () => {
          forget();
          clock.setQueueing(false);
          resolve(this.#begin(host, queue, request));
        },
        leave: (error) => {
          forget();
          clock.setQueueing(false);
          queue.leave(request);
          reject(error);
        },
        busy: (later) => hostBusy(url, later),
      };
      const forget = onAbort(signal, permit, () => {
        request.leave(signal.reason as Error);
        this.#callSoon(host);
      });
      queue.push(permit?.priority ?? this.#arrivals++, request);
      this.#call(host);
    });
  }

  /**
   * Does work that a request waits for, which has its turn and is not sent yet. What is asked of this client
   * there has the place of that request, or it would wait for it for ever.
   */
  async lend<T>(hostPermit: HostPermit | undefined, work: () => Promise<T>): Promise<T> {
    if (!(hostPermit instanceof IssuedHostPermit)) return work();
    const lent = {
      host: hostPermit.host,
      isFree: true,
      isOver: false,
      waiting: new Set<HostState>(),
    };
    try {
      return await this.#lent.run(lent, work);
    } finally {
      lent.isFree = false;
      lent.isOver = true;
    }
  }

  /** Milliseconds until a request to the URL's host may start. */
  wait(url: string): number {
    return this.#hosts.get(hostOf(url))?.wait(this.#now()) ?? 0;
  }

  /** The host answered as it should. */
  succeeded(url: string): void {
    this.#hosts.get(hostOf(url))?.succeeded();
  }

  /**
   * A request that started `sentFor` ms ago found the host overloaded or silent; `pause` is what its
   * Retry-After asks for, in ms.
   */
  failed(url: string, sentFor: number, pause = 0): void {
    const now = this.#now();
    this.#remember(url).failed(now, now - sentFor, pause);
  }

  #begin(
    host: HostState,
    queue: HostQueue,
    { delay, permit, isFile, isHop, lent }: QueuedRequest,
  ): HostPermit {
    const isAhead = permit !== undefined;
    const onChange = (): void => this.#call(host);
    const isInPlace = !isHop && lent?.isFree === true;
    // A redirect belongs to a request that is counted already.
    const weight = isHop || isInPlace ? 0 : 1;
    this.#inFlight += weight;
    if (isInPlace) lent.isFree = false;
    const onEnd = (): void => {
      this.#inFlight -= weight;
      if (isInPlace) this.#takeBack(lent);
      this.#serve();
      this.#call(host);
    };
    return new IssuedHostPermit({
      host,
      queue,
      delay,
      isAhead,
      isFile,
      now: this.#now,
      onChange,
      onEnd,
    });
  }

  /** The place of a request that waits is free again for those that it waits for. */
  #takeBack(lent: LentPermit): void {
    lent.isFree = !lent.isOver;
    const waiting = new Set([lent.host, ...lent.waiting]);
    lent.waiting.clear();
    for (const host of waiting) this.#call(host);
  }

  /** Calls those who wait for a request of any host to end: one host after the other. */
  #serve(): void {
    for (const host of [...this.#held]) {
      if (this.#inFlight >= this.#most) return;
      this.#held.delete(host);
      this.#call(host);
    }
  }

  /** Gives turns to those who may have them, and comes back when the next one may. */
  #call(host: HostState): void {
    clearTimeout(host.timer);
    let next = this.#grant(host);
    while (next === 'again') next = this.#grant(host);
    if (next === Infinity) return;
    host.timer = setTimeout(() => this.#call(host), Math.ceil(next - this.#now()));
  }

  /** Settles who is first in one of the lines; otherwise gives the time at which the host may be ready. */
  #grant(host: HostState): number | 'again' {
    let next = this.#offer(host, host.hops);
    for (const [job, queue] of host.queues) {
      if (next === 'again') break;
      if (queue.isIdle) host.queues.delete(job);
      const offered = this.#offer(host, queue);
      if (offered === 'again') {
        // Behind the other jobs.
        host.queues.delete(job);
        host.queues.set(job, queue);
      }
      next = offered === 'again' ? offered : Math.min(next, offered);
    }
    return next;
  }

  /** Settles who is first in a line when that can be done now; otherwise gives the time when it may. */
  #offer(host: HostState, queue: HostQueue): number | 'again' {
    const request = queue.first;
    if (request === undefined) return Infinity;
    const now = this.#now();
    const wait = host.wait(now, request.delay);
    const remaining = request.remaining();
    if (remaining === Infinity ? host.isUnavailable(now) : wait > 0 && wait > remaining) {
      request.leave(request.busy(wait));
      return 'again';
    }
    const start = host.startOf(request, queue);
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

  /** False while the client, or the waiter's job, has too many requests under way; the host is called then. */
  #takeSlot(host: HostState, { isHop, permit, lent }: QueuedRequest): boolean {
    if (!isHop && this.#inFlight >= this.#most && lent?.isFree !== true) {
      this.#held.add(host);
      lent?.waiting.add(host);
      return false;
    }
    return permit?.tryAcquire(() => this.#call(host)) !== false;
  }

  /** Once for all who leave together: none of them is given a turn in between. */
  #callSoon(host: HostState): void {
    if (host.isCalled) return;
    host.isCalled = true;
    queueMicrotask(() => {
      host.isCalled = false;
      this.#call(host);
    });
  }

  #remember(url: string): HostState {
    const name = hostOf(url);
    const host = this.#hosts.get(name) ?? new HostState(this.#mostPerHost);
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
    if (host.isBusy) this.#hosts.set(name, host);
  }
}

/** The error for a request that cannot wait as long as its host is closed, which is for `wait` ms. */
function hostBusy(url: string, wait: number): PagewrightError {
  const retryAfter = Math.ceil(wait);
  return new PagewrightError(
    'HOST_BUSY',
    `${hostOf(url)} is not asked for ${url} before ${Math.ceil(wait / 1000)} s are over: it asked for a pause (Retry-After) or failed repeatedly, and this request cannot wait so long. Try again later, or raise timeout.`,
    { url, retryAfter },
  );
}

/** Calls back when the signal aborts; the returned function prevents it. */
function onAbort(
  signal: AbortSignal,
  permit: TaskPermit | undefined,
  leave: () => void,
): () => void {
  // Adding one more listener to a signal takes longer the more it has; a job has thousands that wait.
  if (permit?.signal === signal) return permit.onAbort(leave);
  signal.addEventListener('abort', leave, { once: true });
  return () => signal.removeEventListener('abort', leave);
}

/** What a waiter has left, and how its clocks are stopped and started. */
function queueClock(
  { clocks, remaining = Infinity }: Pick<HostPermitOptions, 'clocks' | 'remaining'>,
  now: () => number,
): Pick<QueuedRequest, 'remaining' | 'setQueueing'> {
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

function hostOf(url: string): string {
  return new URL(url).host;
}

// One request's turn at a host, from the moment it may start to its end.

/** What a turn belongs to. */
interface IssuedHostPermitSettings {
  readonly host: HostState;
  readonly queue: HostQueue;
  readonly delay: number;
  /** False for one whose request is sent at once. */
  readonly isAhead: boolean;
  readonly isFile: boolean;
  readonly now: () => number;
  /** Others may have their turns at the host now. */
  readonly onChange: () => void;
  /** Others may have their turns at any host now. */
  readonly onEnd: () => void;
}

/** Begins when it is made. */
class IssuedHostPermit implements HostPermit {
  readonly #setting: IssuedHostPermitSettings;
  #sentAt: number;
  #state: 'waiting' | 'sent' | 'over';

  get host(): HostState {
    return this.#setting.host;
  }

  constructor(setting: IssuedHostPermitSettings) {
    this.#setting = setting;
    const { host, queue, delay, isAhead } = setting;
    this.#state = isAhead ? 'waiting' : 'sent';
    this.#sentAt = setting.now();
    host.count(queue, 1);
    if (isAhead) host.unsent += 1;
    else host.started(this.#sentAt, delay);
  }

  start(): void {
    if (this.#state !== 'waiting') return;
    const { host, delay, now, onChange } = this.#setting;
    this.#state = 'sent';
    this.#sentAt = now();
    host.started(this.#sentAt, delay);
    host.unsent -= 1;
    onChange();
  }

  succeeded(): void {
    if (this.#state !== 'sent') return;
    const { host, isFile, now } = this.#setting;
    host.succeeded();
    if (!isFile) host.load.answered(host.inFlight, this.#sentAt, now());
    this[Symbol.dispose]();
  }

  failed(pause = 0): void {
    if (this.#state !== 'sent') return;
    const { host, now } = this.#setting;
    host.failed(now(), this.#sentAt, pause);
    host.load.overloaded(host.inFlight, this.#sentAt, now());
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#state === 'over') return;
    const { host, queue, onEnd } = this.#setting;
    if (this.#state === 'waiting') host.unsent -= 1;
    this.#state = 'over';
    host.count(queue, -1);
    onEnd();
  }
}
