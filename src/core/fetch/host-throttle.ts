/** Throttles the requests of one client by host: the gap between them, and their concurrency. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PagewrightError } from '../runtime/errors.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  HostPermit,
  HostTurn,
  Pace,
  SharedHosts,
  TaskPermit,
  TurnOutcome,
} from '../model/pace.ts';
import { type Deadline, pauseAll } from '../runtime/deadline.ts';
import { HostQueue, HostState, type LentPermit, type QueuedRequest } from './host-queue.ts';

const mostHosts = 10_000; // idle hosts in memory; the least recently used one is dropped first

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
   * The caller's clocks, in place of `remaining`: paused while other requests have to end first,
   * running while the host has to pass some time.
   */
  readonly clocks?: readonly Pick<Deadline, 'remaining' | 'pause'>[];
  /**
   * For a redirect hop of a request in flight: it only keeps its gap to other requests. @default
   * false
   */
  readonly isHop?: boolean;
  /** The request is sent by another process, which asks for the turn. @default false */
  readonly isSentElsewhere?: boolean;
  /**
   * Called before a wait of more than 5 seconds for the host: the caller can give the request up, to begin again
   * in `wait` ms, by aborting `signal`. @default the request waits
   */
  readonly postpone?: ((wait: number) => void) | undefined;
}

const longestWait = 5000; // milliseconds that a request waits for its host before it is postponed

/**
 * Decides when a request to a host (with its port) starts, and how many are in flight. Each host
 * has its own queues, so no request waits for another host; requests of a job wait without a task
 * permit and acquire one together with the host permit. Jobs that wait for one host are served in
 * round-robin.
 *
 * After five failures in a row requests start at growing gaps, 0.5 s to 10 s; successes shorten
 * them again. Requests in flight together that fail together are one failure, which halves the
 * concurrency. Retry-After closes a host for the time it asks for.
 *
 * http and https on their default ports count as one host: nearly always they are one machine.
 */
export class HostThrottle {
  readonly #hosts = new Map<string, HostState>();
  readonly #now: () => number;
  readonly #most: number;
  readonly #mostPerHost: number;
  /** Permits that have not been released, except those of redirect hops. */
  #inFlight = 0;
  /** Hosts whose next request waits for a request of any host to end, in order of arrival. */
  readonly #held = new Set<HostState>();
  readonly #lent = new AsyncLocalStorage<LentPermit>();
  /** The other processes that ask the same hosts. */
  readonly #shared: SharedHosts | undefined;
  #arrivals = 0;

  /** `now` has to be monotonic: a clock that is set back would close hosts. */
  constructor(
    now: () => number = () => performance.now(),
    { maxConcurrency, maxConcurrencyPerHost }: ClientConcurrency = noBounds,
    shared?: SharedHosts,
  ) {
    this.#now = now;
    this.#shared = shared;
    this.#most = maxConcurrency;
    this.#mostPerHost = maxConcurrencyPerHost;
  }

  /**
   * Resolves when a request to the URL's host may start, with a task permit of its job if it has a
   * `permit`. Rejects with `HOST_BUSY`, as soon as that is certain, when the start would be later
   * than the caller can wait, or when the host has only asked for time for ten minutes; and with
   * the signal's reason when it aborts.
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

  /** Waits until the requests of other processes to the host allow this one. */
  async #takeTurn(
    shared: SharedHosts,
    url: string,
    { signal, delay = 0, isHop = false, postpone }: HostPermitOptions,
    clock: RequestClock,
  ): Promise<HostTurn> {
    // A request that is sent while a page waits for it uses the turn of that page.
    const isInTurn = isHop || this.#lent.getStore()?.host === this.#hosts.get(hostOf(url));
    const began = this.#now();
    try {
      for (;;) {
        const turn = await shared.take(hostOf(url), {
          delay,
          most: this.#mostPerHost,
          isHop: isInTurn,
        });
        const { state, wait } = turn;
        if (state === 'granted') {
          // A page that is aborted meanwhile keeps its reservation: the gap is wider once.
          if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => turn.end());
          signal.throwIfAborted();
          return turn;
        }
        const isFull = state === 'full';
        const isGivenUp = state === 'unavailable' && clock.remaining() === Infinity;
        if (isGivenUp || (!isFull && wait >= clock.remaining())) throw hostBusy(url, wait);
        if (!isFull || this.#now() - began > longestWait) postpone?.(wait);
        clock.setQueueing(isFull);
        await sleep(isFull ? wait : Math.min(wait, longestWait), undefined, { signal });
      }
    } finally {
      clock.setQueueing(false);
      signal.throwIfAborted();
    }
  }

  /** Waits until the requests of this process to the host allow this one. */
  async #queue(
    url: string,
    options: HostPermitOptions,
    clock: RequestClock,
  ): Promise<IssuedHostPermit> {
    const { signal, delay = 0, permit, isHop = false } = options;
    const { concurrency = Infinity, job, isFile = false } = options;
    const host = this.#remember(url);
    const lent = this.#lent.getStore();
    const key = permit?.job ?? lent ?? withoutJob;
    const queue = isHop ? host.hops : (host.queues.get(key) ?? new HostQueue(job ?? key));
    if (!isHop) host.queues.set(key, queue);
    const began = this.#now();
    // Tasks that started before are served first, including before requests that arrived earlier.
    const hasStarted = permit !== undefined && permit.priority < 0;
    const before = hasStarted ? 0 : queue.length * host.spacing(delay);
    const wait = host.wait(began, delay) + before;
    const remaining = clock.remaining();
    if ((wait > 0 && wait >= remaining) || (remaining === Infinity && host.isUnavailable(began))) {
      throw hostBusy(url, wait);
    }
    if (wait > longestWait) options.postpone?.(wait);
    signal.throwIfAborted();
    return new Promise<IssuedHostPermit>((resolve, reject) => {
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
   * Runs work that a granted request waits for before it is sent. Requests to the host in this work
   * use the place of that request; otherwise they would wait for it forever.
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

  /** Records a good response of the host. */
  succeeded(url: string): void {
    this.#hosts.get(hostOf(url))?.succeeded();
  }

  /**
   * Records that a request sent `sentFor` ms ago found the host overloaded or silent; `pause` is
   * its Retry-After in ms.
   */
  failed(url: string, sentFor: number, pause = 0): void {
    const now = this.#now();
    this.#remember(url).failed(now, now - sentFor, pause);
  }

  #begin(
    host: HostState,
    queue: HostQueue,
    { delay, permit, isFile, isHop, lent }: QueuedRequest,
  ): IssuedHostPermit {
    const isAhead = permit !== undefined;
    const onChange = (): void => this.#call(host);
    const isInPlace = !isHop && lent?.isFree === true;
    // A redirect hop belongs to a request that is counted already.
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

  /** Frees the place of a waiting request for the requests that it waits for. */
  #takeBack(lent: LentPermit): void {
    lent.isFree = !lent.isOver;
    const waiting = new Set([lent.host, ...lent.waiting]);
    lent.waiting.clear();
    for (const host of waiting) this.#call(host);
  }

  /** Calls the hosts that wait for a request of any host to end, one after the other. */
  #serve(): void {
    for (const host of [...this.#held]) {
      if (this.#inFlight >= this.#most) return;
      this.#held.delete(host);
      this.#call(host);
    }
  }

  /** Grants permits that are due, and sets a timer for the next one. */
  #call(host: HostState): void {
    clearTimeout(host.timer);
    let next = this.#grant(host);
    while (next === 'again') next = this.#grant(host);
    if (next === Infinity) return;
    host.timer = setTimeout(() => this.#call(host), Math.ceil(next - this.#now()));
  }

  /**
   * Settles the first request of one of the queues; otherwise returns the time at which the host
   * may be ready.
   */
  #grant(host: HostState): number | 'again' {
    let next = this.#offer(host, host.hops);
    for (const [job, queue] of host.queues) {
      if (next === 'again') break;
      if (queue.isIdle) host.queues.delete(job);
      const offered = this.#offer(host, queue);
      if (offered === 'again') {
        // Moves the queue behind the other jobs.
        host.queues.delete(job);
        host.queues.set(job, queue);
      }
      next = offered === 'again' ? offered : Math.min(next, offered);
    }
    return next;
  }

  /**
   * Settles the first request of a queue if possible; otherwise returns the time at which it may
   * start.
   */
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

  /**
   * False while the client, or the job of the request, has too many requests in flight; the host is
   * called when one ends.
   */
  #takeSlot(host: HostState, { isHop, permit, lent }: QueuedRequest): boolean {
    if (!isHop && this.#inFlight >= this.#most && lent?.isFree !== true) {
      this.#held.add(host);
      lent?.waiting.add(host);
      return false;
    }
    return permit?.tryAcquire(() => this.#call(host)) !== false;
  }

  /** One call for all requests that leave together: none of them is granted a permit in between. */
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

/** The error for a request that cannot wait until its host opens in `wait` ms. */
function hostBusy(url: string, wait: number): PagewrightError {
  const retryAfter = Math.ceil(wait);
  return new PagewrightError(
    'HOST_BUSY',
    `${hostOf(url)} gets no request for ${url} for another ${Math.ceil(wait / 1000)} s: it asked for a pause (Retry-After) or failed repeatedly, and this request cannot wait that long. Try again later, or raise timeout.`,
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

/** The time left for a waiting request, and the pausing of its clocks. */
type RequestClock = Pick<QueuedRequest, 'remaining' | 'setQueueing'>;

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

function hostOf(url: string): string {
  return new URL(url).host;
}

// One request's permit for a host, from the moment it may start to its end.

/** The owner of a permit, and its callbacks. */
interface IssuedHostPermitSettings {
  readonly host: HostState;
  readonly queue: HostQueue;
  readonly delay: number;
  /** False if the request is sent at once. */
  readonly isAhead: boolean;
  readonly isFile: boolean;
  readonly now: () => number;
  /** Called when other permits of the host may be granted. */
  readonly onChange: () => void;
  /** Called when other permits of any host may be granted. */
  readonly onEnd: () => void;
}

/** The permit starts when it is constructed. */
class IssuedHostPermit implements HostPermit {
  /** The turn among the requests of all processes. */
  turn: HostTurn | undefined;
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
    this.#endTurn({ isGood: true, pause: 0 });
    this[Symbol.dispose]();
  }

  failed(pause = 0): void {
    if (this.#state !== 'sent') return;
    const { host, now } = this.#setting;
    host.failed(now(), this.#sentAt, pause);
    host.load.overloaded(host.inFlight, this.#sentAt, now());
    this.#endTurn({ isGood: false, pause });
    this[Symbol.dispose]();
  }

  #endTurn(outcome: Omit<TurnOutcome, 'sentFor'>): void {
    this.turn?.end({ ...outcome, sentFor: this.#setting.now() - this.#sentAt });
    this.turn = undefined;
  }

  [Symbol.dispose](): void {
    if (this.#state === 'over') return;
    const { host, queue, onEnd } = this.#setting;
    if (this.#state === 'waiting') host.unsent -= 1;
    this.#state = 'over';
    this.turn?.end();
    host.count(queue, -1);
    onEnd();
  }
}
