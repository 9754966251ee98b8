/** Turns at the hosts of one client: one that struggles is asked less often, and recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../errors.ts';

/** Failures in a row before requests are spaced. */
const tolerance = 5;
/** Milliseconds between two requests after `tolerance` failures; each further one doubles it. */
const firstGap = 500;
const longestGap = 10_000;
/** Milliseconds that Retry-After can close a host for: whoever asks for more is asked again. */
const longestClosure = 60_000;
/** Hosts that are remembered; the one that was used longest ago is forgotten first. */
const mostHosts = 10_000;

interface Host {
  /** Failures in a row; a success halves them. */
  failures: number;
  /** When the last of them was counted. */
  failedAt: number;
  /** No request starts before: the host asked for a pause. */
  closedUntil: number;
  /** When the next request may start; those that wait have their turns before. */
  nextStart: number;
}

/** How a turn is waited for. */
export interface TurnOptions {
  readonly signal: AbortSignal;
  /** Milliseconds that the caller has left. @default Infinity */
  readonly remaining?: number;
  /** Milliseconds to the turn after this one, at least. @default 0 */
  readonly delay?: number | undefined;
}

/**
 * Who asks which host (with its port) when, in order of arrival. After five failures in a row
 * requests start at growing distances, 0.5 s to 10 s; successes shorten them again. Requests that
 * were under way together fail together: that is one failure. Retry-After closes a host for the
 * time it asks for. Other hosts never wait.
 */
export class HostHealth {
  readonly #hosts = new Map<string, Host>();
  readonly #now: () => number;

  /** `now` has to be steady: a clock that is set back would close hosts. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves when a request to the URL's host may start. Rejects at once with `TIMEOUT` when that
   * is later than the caller can wait, and with the signal's reason when it aborts.
   */
  async turn(url: string, options: TurnOptions): Promise<void> {
    const { signal, remaining = Infinity, delay = 0 } = options;
    const began = this.#now();
    for (;;) {
      const host = this.#hosts.get(hostOf(url)) ?? (delay > 0 ? this.#remember(url) : undefined);
      if (host === undefined) return;
      const now = this.#now();
      const start = Math.max(now, host.closedUntil, host.nextStart);
      if (start - began >= remaining) throw closed(url, start - now);
      host.nextStart = start + Math.max(gapOf(host), delay);
      if (start > now) {
        await sleep(start - now, undefined, { signal }).catch(() => undefined);
        signal.throwIfAborted();
      }
      // The host may have asked for a pause in the meantime.
      if (this.#now() >= host.closedUntil) return;
    }
  }

  /** Milliseconds until a request to the URL's host may start. */
  wait(url: string): number {
    const { closedUntil = 0, nextStart = 0 } = this.#hosts.get(hostOf(url)) ?? {};
    return Math.max(0, Math.max(closedUntil, nextStart) - this.#now());
  }

  /** The host answered as it should. */
  succeeded(url: string): void {
    const host = this.#hosts.get(hostOf(url));
    if (host === undefined) return;
    host.failures = Math.floor(host.failures / 2);
    const now = this.#now();
    if (host.failures === 0 && host.closedUntil <= now && host.nextStart <= now) {
      this.#hosts.delete(hostOf(url));
    }
  }

  /**
   * A request that started `sentFor` ms ago found the host overloaded or silent; `pause` is what its
   * Retry-After asks for, in ms.
   */
  failed(url: string, sentFor: number, pause = 0): void {
    const host = this.#remember(url);
    const now = this.#now();
    host.closedUntil = Math.max(host.closedUntil, now + Math.min(pause, longestClosure));
    if (now - sentFor < host.failedAt) return;
    host.failures += 1;
    host.failedAt = now;
  }

  #remember(url: string): Host {
    const name = hostOf(url);
    const host = this.#hosts.get(name) ?? {
      failures: 0,
      failedAt: -Infinity,
      closedUntil: 0,
      nextStart: 0,
    };
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > mostHosts && oldest !== undefined) this.#hosts.delete(oldest);
    return host;
  }
}

function gapOf({ failures }: Host): number {
  return failures < tolerance ? 0 : Math.min(firstGap * 2 ** (failures - tolerance), longestGap);
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function closed(url: string, wait: number): PagewrightError {
  return new PagewrightError(
    'TIMEOUT',
    `${hostOf(url)} is not asked for ${url} before ${Math.ceil(wait / 1000)} s are over: it failed repeatedly or asked for a pause (Retry-After), and less time is left. Try again later, or raise timeout.`,
    { url, retryAfter: Math.ceil(wait) },
  );
}
