/** The option `createClient({ browser })`: the browser that a client uses. */

/** What is used of Playwright's own objects; written down here since that package is optional. */
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

/** A browser of this machine that the client starts, or one that somebody else keeps. */
export interface BrowserChoice {
  /** Chromium or Chrome. @default what an environment variable names (`PAGEWRIGHT_CHROMIUM`, `CHROME_PATH`), else that of Playwright, else the system's */
  readonly executablePath?: string | undefined;
  /** Further command-line flags. */
  readonly args?: readonly string[] | undefined;
  /** False shows the windows. @default true */
  readonly headless?: boolean | undefined;
  /** Playwright's `chromium`, or one that is as good: that of `patchright-core`. @default that of `playwright-core` */
  readonly type?: PlaywrightBrowserType | undefined;
  /**
   * A browser that runs already, perhaps elsewhere: `http://127.0.0.1:9222` or `ws://…` of the DevTools
   * protocol. Its pages go through a proxy of this process, as those of a browser that the client starts,
   * where it reaches one; else `BROWSER_UNAVAILABLE`, unless `network: { trustBrowser: true }` says that
   * the network policy need only be asked for what a page requests itself.
   */
  readonly endpoint?: string | undefined;
  /**
   * A Playwright browser of yours: contexts are opened in it and closed again, it stays open. The network
   * policy holds as for `endpoint`; a proxy that the browser was started with is not used.
   */
  readonly browser?: PlaywrightBrowser | undefined;
  /**
   * A Playwright context of yours: pages are opened in it, with its cookies and its proxy; nothing is
   * isolated, and nothing holds it to the network policy: it needs `network: { trustBrowser: true }`.
   */
  readonly context?: PlaywrightContext | undefined;
  /** Pages that are open at once; further ones wait. @default twice the processors, at most 8 */
  readonly maxPages?: number | undefined;
  /** Milliseconds without a page after which the browser is closed; it is started again when needed. @default 2000 */
  readonly idleTimeout?: number | undefined;
  /** Filter lists in the syntax of EasyList and uBlock Origin, as text; needs the package `@ghostery/adblocker`. */
  readonly filterLists?: readonly string[] | undefined;
}
