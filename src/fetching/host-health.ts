/** How the hosts of one client are doing: one that fails is asked less often, and recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../errors.ts';
import type { Deadline } from '../network/deadline.ts';

/** Failures in a row before requests are spaced. */
const tolerance = 5;
/** Milliseconds between two requests after `tolerance` failures; each further one doubles it. */
const firstGap = 500;
const longestGap = 10_000;
/** Milliseconds that Retry-After can close a host for: whoever asks for more is asked again. */
const longestClosure = 60_000;
/** Failing hosts that are remembered; the one that failed longest ago is forgotten first. */
const mostHosts = 10_000;

interface Host {
  /** Failures in a row; a success halves them. */
  failures: number;
  /** No request starts before. */
  opensAt: number;
}

/**
 * The circuit of each host (with its port). After five failures in a row requests start at
 * growing distances, 0.5 s to 10 s; successes shorten them again. Retry-After closes a host for the
 * time it asks for. Other hosts never wait.
 */
export class HostHealth {
  readonly #hosts = new Map<string, Host>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Resolves when a request to the URL's host may start. Rejects at once with `TIMEOUT` when that
   * is later than the deadline, and with its signal's reason when it aborts.
   */
  async turn(url: string, deadline: Pick<Deadline, 'signal' | 'remaining'>): Promise<void> {
    const wait = this.wait(url);
    if (wait === 0) return this.#reserve(url);
    if (wait >= deadline.remaining) throw closed(url, wait);
    await sleep(wait, undefined, { signal: deadline.signal }).catch(() => undefined);
    deadline.signal.throwIfAborted();
    return this.turn(url, deadline);
  }

  /** Resolves when the URL's host is open: for a job, whose pages wait before their time begins. */
  async open(url: string, signal: AbortSignal): Promise<void> {
    for (let wait = this.wait(url); wait > 0; wait = this.wait(url)) {
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  }

  /** Milliseconds until a request to the URL's host may start. */
  wait(url: string): number {
    const { opensAt = 0 } = this.#hosts.get(hostOf(url)) ?? {};
    return Math.max(0, opensAt - this.#now());
  }

  /** The host answered as it should. */
  succeeded(url: string): void {
    const host = this.#hosts.get(hostOf(url));
    if (host === undefined) return;
    host.failures = Math.floor(host.failures / 2);
    if (host.failures === 0 && host.opensAt <= this.#now()) this.#hosts.delete(hostOf(url));
  }

  /** The host is overloaded or silent; `pause` is what its Retry-After asks for, in ms. */
  failed(url: string, pause = 0): void {
    const host = this.#hosts.get(hostOf(url)) ?? { failures: 0, opensAt: 0 };
    host.failures += 1;
    host.opensAt = Math.max(host.opensAt, this.#now() + Math.min(pause, longestClosure));
    this.#hosts.delete(hostOf(url));
    this.#hosts.set(hostOf(url), host);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > mostHosts && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /** Keeps the distance to the request after this one. */
  #reserve(url: string): void {
    const host = this.#hosts.get(hostOf(url));
    if (host === undefined || host.failures < tolerance) return;
    const gap = Math.min(firstGap * 2 ** (host.failures - tolerance), longestGap);
    host.opensAt = Math.max(host.opensAt, this.#now() + gap);
  }
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function closed(url: string, wait: number): PagewrightError {
  return new PagewrightError(
    'TIMEOUT',
    `${hostOf(url)} is not asked for ${url} before ${Math.ceil(wait / 1000)} s are over: it failed repeatedly or asked for a pause (Retry-After), and less time is left. Try again later, or raise timeout.`,
    { url },
  );
}
