/** The robots.txt of the origins of one crawl: each read once a day, within a bound of memory. */
import type { Robots } from './robots.ts';
import { robotsSizeLimit } from './robots-bytes.ts';

/** A robots.txt as far as it could be read. */
export interface ReadRobots {
  readonly robots: Robots;
  /** False when the site could not say: it is asked again soon, and what it said before stays. */
  readonly isReached: boolean;
  /** Bytes of the file. */
  readonly size: number;
}

interface Kept {
  readonly reading: Promise<ReadRobots>;
  /** Milliseconds; never while it is being read. */
  expires: number;
  size: number;
}

/** RFC 9309, 2.4: no copy is used for longer, unless the site cannot be reached. */
const day = 24 * 60 * 60 * 1000;
const minute = 60 * 1000;

/** Bytes of robots.txt that are kept at once; read, they take up to fifty times as much memory. */
const sizeLimit = 2 * 1024 * 1024;
/** What an origin takes beside its rules. */
const baseSize = 1024;

/** Keeps those that were asked for last. */
export class RobotsCache {
  readonly #read: (origin: string) => Promise<ReadRobots>;
  readonly #now: () => number;
  /** By origin, in the order of use. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  /** `read` never rejects. `now` gives milliseconds. */
  constructor(read: (origin: string) => Promise<ReadRobots>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  async get(origin: string): Promise<Robots> {
    const known = this.#kept.get(origin);
    const isFresh = known !== undefined && this.#now() < known.expires;
    const kept = isFresh ? known : this.#begin(origin, known);
    this.#kept.delete(origin);
    this.#kept.set(origin, kept);
    return (await kept.reading).robots;
  }

  #begin(origin: string, known: Kept | undefined): Kept {
    const reading = this.#readAnew(origin, known?.reading);
    const kept: Kept = { reading, expires: Infinity, size: known?.size ?? 0 };
    reading.then(
      (read) => this.#settle(origin, kept, read),
      // Whoever asked is told; the next one asks again.
      () => this.#forget(origin, kept),
    );
    return kept;
  }

  #forget(origin: string, kept: Kept): void {
    if (this.#kept.get(origin) !== kept) return;
    this.#kept.delete(origin);
    this.#size -= kept.size;
  }

  /** What a site said before counts while it cannot be reached. */
  async #readAnew(origin: string, known: Promise<ReadRobots> | undefined): Promise<ReadRobots> {
    const read = await this.#read(origin);
    if (read.isReached || known === undefined) return read;
    const { robots, size } = await known;
    return { robots, size, isReached: false };
  }

  #settle(origin: string, kept: Kept, { isReached, size }: ReadRobots): void {
    kept.expires = this.#now() + (isReached ? day : minute);
    // It may have been dropped while it was read.
    if (this.#kept.get(origin) !== kept) return;
    this.#size -= kept.size;
    kept.size = baseSize + Math.min(size, robotsSizeLimit);
    this.#size += kept.size;
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size <= sizeLimit || oldest === origin) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
    }
  }
}
