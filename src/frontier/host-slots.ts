/** Politeness: the time between two request starts to one host. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Hands out starting times, host by host (a host with another port is another host). */
export class HostSlots {
  readonly #nextStart = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves when a request to the URL's host may start; rejects with the signal's reason. */
  async wait(url: string, delay: number, signal: AbortSignal): Promise<void> {
    if (delay <= 0) return;
    const { host } = new URL(url);
    const now = this.#now();
    const start = Math.max(now, this.#nextStart.get(host) ?? now);
    this.#nextStart.set(host, start + delay);
    if (start <= now) return;
    await sleep(start - now, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}
