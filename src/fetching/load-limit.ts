/** How many requests at a time a host bears: halved when it has too many, one more when all goes well. */

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
export class LoadLimit {
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
