/** Turns at the hosts of one client: how often and how many at a time each is asked. */
import { PagewrightError } from '../errors.ts';
import type { Pace, Ticket, Turn } from '../model/pace.ts';
import { Host, Line, type Waiter } from './host.ts';
import { HostTurn } from './host-turn.ts';

/** Idle hosts that are remembered; the one that was used longest ago is forgotten first. */
const mostHosts = 10_000;
/** The key of the line of all requests that belong to no job. */
const noJob = {};

/** How a turn is waited for. */
export interface TurnOptions extends Omit<Pace, 'turn'> {
  readonly signal: AbortSignal;
  /** Milliseconds that the caller has left. @default Infinity */
  readonly remaining?: number;
  /** For a redirect of a request that is under way: it only keeps its distance to others. @default false */
  readonly isHop?: boolean;
}

/**
 * Who asks which host (with its port) when, and how many at a time. Each host has its own line of
 * those who wait, so that none waits for another host; those of a job wait without a slot of it and
 * take one together with their turn. Jobs that wait for one host take turns.
 *
 * After five failures in a row requests start at growing distances, 0.5 s to 10 s; successes shorten
 * them again. Requests that were under way together fail together: that is one failure, and it halves
 * how many are under way. Retry-After closes a host for the time it asks for.
 *
 * http and https on their own ports count as one host: they are one machine nearly always.
 */
export class HostHealth {
  readonly #hosts = new Map<string, Host>();
  readonly #now: () => number;
  #arrivals = 0;

  /** `now` has to be steady: a clock that is set back would close hosts. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves when a request to the URL's host may start, with a slot of its job where it has a
   * `ticket`. Rejects with `TIMEOUT`, as soon as that is certain, when it is later than the caller can
   * wait, and with the signal's reason when it aborts.
   */
  async turn(url: string, options: TurnOptions): Promise<Turn> {
    const { signal, remaining = Infinity, delay = 0, ticket, isHop = false } = options;
    const { concurrency = Infinity, job, isFile = false } = options;
    signal.throwIfAborted();
    const host = this.#remember(url);
    const key = ticket?.job ?? noJob;
    const line = isHop ? host.hops : (host.lines.get(key) ?? new Line(job ?? key));
    if (!isHop) host.lines.set(key, line);
    const began = this.#now();
    // What started before is before all others, those that arrived before it included.
    const hasStarted = ticket !== undefined && ticket.priority < 0;
    const before = hasStarted ? 0 : line.length * host.spacing(delay);
    if (Math.max(began, host.opensAt(delay)) + before - began >= remaining) {
      throw this.#closed(url, host.opensAt(delay) + before);
    }
    return new Promise<Turn>((resolve, reject) => {
      const waiter: Waiter = {
        ...{ delay, concurrency, ticket, isHop, isFile, hasLeft: false },
        latest: began + remaining,
        grant: () => {
          forget();
          resolve(this.#begin(host, line, waiter));
        },
        leave: (error) => {
          forget();
          line.leave(waiter);
          reject(error);
        },
        late: (start) => this.#closed(url, start),
      };
      const forget = onAbort(signal, ticket, () => {
        waiter.leave(signal.reason as Error);
        this.#callSoon(host);
      });
      line.push(ticket?.priority ?? this.#arrivals++, waiter);
      this.#call(host);
    });
  }

  /** Milliseconds until a request to the URL's host may start. */
  wait(url: string): number {
    const opensAt = this.#hosts.get(hostOf(url))?.opensAt() ?? 0;
    return Math.max(0, opensAt - this.#now());
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

  #begin(host: Host, line: Line, { delay, ticket, isFile }: Waiter): Turn {
    const isAhead = ticket !== undefined;
    const onChange = (): void => this.#call(host);
    return new HostTurn({ host, line, delay, isAhead, isFile, now: this.#now, onChange });
  }

  /** Gives turns to those who may have them, and comes back when the next one may. */
  #call(host: Host): void {
    clearTimeout(host.timer);
    let next = this.#grant(host);
    while (next === 'again') next = this.#grant(host);
    if (next === Infinity) return;
    host.timer = setTimeout(() => this.#call(host), Math.ceil(next - this.#now()));
  }

  /** Settles who is first in one of the lines; otherwise gives the time at which the host may be ready. */
  #grant(host: Host): number | 'again' {
    let next = this.#offer(host, host.hops);
    for (const [job, line] of host.lines) {
      if (next === 'again') break;
      if (line.isIdle) host.lines.delete(job);
      const offered = this.#offer(host, line);
      if (offered === 'again') {
        // Behind the other jobs.
        host.lines.delete(job);
        host.lines.set(job, line);
      }
      next = offered === 'again' ? offered : Math.min(next, offered);
    }
    return next;
  }

  /** Settles who is first in a line when that can be done now; otherwise gives the time when it may. */
  #offer(host: Host, line: Line): number | 'again' {
    const waiter = line.first;
    if (waiter === undefined) return Infinity;
    const start = host.startOf(waiter, line);
    if (start < Infinity && start > waiter.latest) {
      waiter.leave(waiter.late(start));
      return 'again';
    }
    if (start > this.#now()) return start;
    if (waiter.ticket?.takeSlot(() => this.#call(host)) === false) return Infinity;
    line.shift();
    waiter.grant();
    return 'again';
  }

  /** Once for all who leave together: none of them is given a turn in between. */
  #callSoon(host: Host): void {
    if (host.isCalled) return;
    host.isCalled = true;
    queueMicrotask(() => {
      host.isCalled = false;
      this.#call(host);
    });
  }

  #remember(url: string): Host {
    const name = hostOf(url);
    const host = this.#hosts.get(name) ?? new Host();
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

  #closed(url: string, start: number): PagewrightError {
    const wait = start - this.#now();
    return new PagewrightError(
      'TIMEOUT',
      `${hostOf(url)} is not asked for ${url} before ${Math.ceil(wait / 1000)} s are over: it failed repeatedly or asked for a pause (Retry-After), and less time is left. Try again later, or raise timeout.`,
      { url, retryAfter: Math.ceil(wait) },
    );
  }
}

/** Calls back when the signal aborts; the returned function prevents it. */
function onAbort(signal: AbortSignal, ticket: Ticket | undefined, leave: () => void): () => void {
  // Adding one more listener to a signal takes longer the more it has; a job has thousands that wait.
  if (ticket?.signal === signal) return ticket.onAbort(leave);
  signal.addEventListener('abort', leave, { once: true });
  return () => signal.removeEventListener('abort', leave);
}

function hostOf(url: string): string {
  return new URL(url).host;
}
