/** The option `createClient({ browser })`: the browser that a client uses. */
import type { Duration } from '../../core/checks/duration.ts';

/**
 * The parts of Playwright's objects that are used; declared here because that package is optional.
 */
interface PlaywrightBrowserType {
  launch(options?: never): Promise<unknown>;
  connectOverCDP(endpoint: string, options?: never): Promise<unknown>;
}

interface PlaywrightBrowser {
  newContext(options?: never): Promise<unknown>;
}

interface PlaywrightContext {
  newPage(): Promise<unknown>;
}

/** A browser on this machine that the client starts, or a running one. */
export interface BrowserChoice {
  /**
   * Path to Chromium or Chrome. @default from an environment variable (`PAGEWRIGHT_CHROMIUM`,
   * `CHROME_PATH`), else Playwright's, else the system's
   */
  readonly executablePath?: string | undefined;
  /** Further command-line flags. */
  readonly args?: readonly string[] | undefined;
  /** False shows the windows. @default true */
  readonly headless?: boolean | undefined;
  /**
   * Playwright's `chromium`, or a compatible launcher such as `chromium` of `patchright-core`.
   * @default `chromium` of `playwright-core`
   */
  readonly type?: PlaywrightBrowserType | undefined;
  /**
   * A running browser, local or remote: `http://127.0.0.1:9222` or `ws://…` of the DevTools
   * protocol. Its pages go through a proxy of this process, like those of a browser that the client
   * starts, if the browser can reach it; else `BROWSER_UNAVAILABLE`, unless
   * `network: { trustBrowser: true }` limits the network policy to the requests of pages
   * themselves.
   */
  readonly endpoint?: string | undefined;
  /**
   * A Playwright browser of yours: contexts are opened and closed in it, the browser stays open.
   * The network policy holds as for `endpoint`; a proxy that the browser was started with is not
   * used.
   */
  readonly browser?: PlaywrightBrowser | undefined;
  /**
   * A Playwright context of yours: pages are opened in it, with its cookies and its proxy; nothing
   * is isolated, and it cannot be held to the network policy: it needs
   * `network: { trustBrowser: true }`.
   */
  readonly context?: PlaywrightContext | undefined;
  /** Pages open at a time; further ones wait. @default twice the processors, at most 8 */
  readonly maxPages?: number | undefined;
  /**
   * Milliseconds without a page after which the browser is closed; it starts again when needed.
   * @default 2000
   */
  readonly idleTimeout?: Duration | undefined;
  /** Filter lists in the syntax of EasyList and uBlock Origin, as text; needs the package `@ghostery/adblocker`. */
  readonly filterLists?: readonly string[] | undefined;
}
