/** An engine turns a request into a snapshot. */
import type { Capability, PageRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Bring your own: any object of this shape is as good as the built-in ones. */
export interface Engine {
  /** Told in `metadata.engine`. */
  readonly name: string;
  /** What it can do beyond a plain GET. */
  readonly can: ReadonlySet<Capability>;
  /** Among engines that can do what is asked, the cheapest is taken. HTTP is 10, a browser 100. */
  readonly cost: number;
  /** Which URLs it serves. @default all http and https URLs */
  handles?(url: string): boolean;
  /**
   * Fetches one page, redirects included. Rejects with a `PagewrightError`; with
   * `request.signal.reason` when the signal aborts, leaving no socket behind.
   */
  fetch(request: PageRequest): Promise<Snapshot>;
  /** Releases sockets and processes. A client calls it for engines that it made itself. */
  dispose?(): Promise<void>;
}
