/** An engine turns a request into a snapshot. */
import type { Capability, PageRequest } from './request.ts';
import type { Cookie } from './request-options.ts';
import type { Snapshot } from './snapshot.ts';

/** A custom engine: any object of this shape works like the built-in ones. */
export interface Engine {
  /** Shown in `metadata.engine`. */
  readonly name: string;
  /** Its capabilities beyond a plain GET; `method` for other methods and bodies. */
  readonly can: ReadonlySet<Capability>;
  /** The cheapest engine with all needed capabilities is used. HTTP is 10, a browser 100. */
  readonly cost: number;
  /** The URLs it serves. @default all http and https URLs */
  handles?(url: string): boolean;
  /**
   * What keeps it from fetching pages, such as a package that is missing: `proxy: 'auto'` passes over it. Its message
   * ends a warning that begins with "Stealth was not tried, because". @default nothing
   */
  problem?(): Error | undefined;
  /**
   * Fetches one page, redirects included. Rejects with a `PagewrightError`; with
   * `request.signal.reason` when the signal aborts, leaving no socket behind.
   */
  fetch(request: PageRequest): Promise<Snapshot>;
  /**
   * Opens an empty page with the settings of the request, which stays open: for `client.open()`. Rejects as `fetch`
   * does. @default the engine keeps no page open
   */
  open?(request: PageRequest): Promise<OpenPage>;
  /** Releases sockets and processes. A client calls it for engines that it made itself. */
  dispose?(): Promise<void>;
}

/** A page that stays open. Its calls are made one after the other. */
export interface OpenPage {
  /** The URL that is shown. */
  readonly url: string;
  /** Resolves when the page is gone: it crashed, or its browser ended. */
  readonly ended: Promise<void>;
  /** Loads the URL of the request. Rejects as `fetch` does; the page stays open. */
  fetch(request: PageRequest): Promise<Snapshot>;
  /** What is shown after the actions of the request: nothing is loaded. */
  read(request: PageRequest): Promise<Snapshot>;
  /** All cookies of the page's browser. */
  cookies(): Promise<Cookie[]>;
  /**
   * Closes the page, after saving its profile where `saves` is true and the page is not gone. Resolves with warnings;
   * rejects with `STORAGE` when the profile could not be saved: the page is closed all the same.
   */
  close(saves: boolean): Promise<readonly string[]>;
}
