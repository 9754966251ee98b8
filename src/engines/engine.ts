/** An engine turns a request into a snapshot. */
import type { Capability, PageRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** A custom engine: any object of this shape works like the built-in ones. */
export interface Engine {
  /** Shown in `metadata.engine`. */
  readonly name: string;
  /** Its capabilities beyond a plain GET. */
  readonly can: ReadonlySet<Capability>;
  /** The cheapest engine with all needed capabilities is used. HTTP is 10, a browser 100. */
  readonly cost: number;
  /** The URLs it serves. @default all http and https URLs */
  handles?(url: string): boolean;
  /**
   * Fetches one page, redirects included. Rejects with a `PagewrightError`; with
   * `request.signal.reason` when the signal aborts, leaving no socket behind.
   */
  fetch(request: PageRequest): Promise<Snapshot>;
  /** Releases sockets and processes. A client calls it for engines that it made itself. */
  dispose?(): Promise<void>;
}
