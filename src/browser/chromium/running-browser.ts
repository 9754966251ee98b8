/** The running browser of a client: its tabs, its idle timeout, its crash. */
import type { Browser } from 'playwright-core';
import { freeDescriptors } from '../../core/runtime/file-descriptors.ts';
import type { PageRequest, Rendering } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { NetworkPolicy } from '../../core/http/network/policy.ts';
import type { Store } from '../../core/storage/store.ts';
import type { OpenVault } from '../../core/storage/vault.ts';
import { crashed, throwFailure } from './navigation-failure.ts';
import { loadFilterLists } from './blocking/filter-lists.ts';
import type { BrowserChoice } from './browser-choice.ts';
import { drawWindow, readBrowserFacts, type SessionWindow } from './identity/emulation.ts';
import { SessionPage } from './session-page.ts';
import { openBrowser, type OpenBrowser } from './open-browser.ts';
import { Profiles, type ProfileVisit } from './profiles.ts';
import { holdBrowser, type Holding } from './tab-network.ts';
import { type TabParts, tabSetting, type TabSetting } from './tab.ts';
import { Tabs } from './tabs.ts';
import { visit } from './visit.ts';
import { milliseconds } from '../../core/checks/duration.ts';

const limits = {
  browserDescriptors: 24, // file descriptors of a started browser with its first tab
  defaultIdleTimeout: 2_000, // milliseconds without a visit after which a browser is closed
  closePatience: 3_000, // milliseconds to close by itself; a browser that is too busy is killed
};

const atOnce = { idleTimeout: 0 };

/** Options for running a browser. */
export interface RunningOptions extends BrowserChoice {
  readonly policy: NetworkPolicy;
  readonly userAgent?: string | undefined;
  readonly maxPages: number;
  /** Started like a person's browser. */
  readonly stealth: boolean;
  readonly store: Store;
  readonly vault?: OpenVault | undefined;
  /** Accept a browser not started here although its pages cannot be held to the policy. */
  readonly isTrusted?: boolean | undefined;
  readonly warn: (sentence: string) => void;
}

/** Opens a browser; `onClosed` is called when it is fully closed. */
export async function runBrowser(
  options: RunningOptions,
  onClosed: () => void,
): Promise<RunningBrowser> {
  const { filterLists = [] } = options;
  const loading = filterLists.length === 0 ? undefined : loadFilterLists(filterLists);
  // Awaited once the browser is open.
  loading?.catch(() => undefined);
  await freeDescriptors(limits.browserDescriptors);
  const open = await openBrowser(options);
  try {
    const holding = await holdingOf(open, options);
    const [facts, pid, lists] = await Promise.all([
      readBrowserFacts(open.browser),
      open.isLocal ? processOf(open.browser) : undefined,
      loading,
    ]);
    const { policy } = options;
    return new RunningBrowser({ ...open, holding, policy, facts, pid, lists }, options, onClosed);
  } catch (error) {
    const isGone = !open.browser.isConnected();
    if (open.isOwn) await open.browser.close().catch(() => undefined);
    throw isGone ? crashed('its first page', 'The browser ended') : error;
  }
}

/** How its pages are held to the network policy; undefined if their requests are checked. */
async function holdingOf(
  { browser, isLocal }: OpenBrowser,
  { isTrusted }: RunningOptions,
): Promise<Holding | undefined> {
  if (isLocal) return { initScript: undefined };
  return isTrusted === true ? undefined : holdBrowser(browser);
}

interface OpenedBrowser extends OpenBrowser, TabParts {
  /** The id of its process, if it runs on this machine. */
  readonly pid: number | undefined;
}

/** A running browser. */
export class RunningBrowser {
  readonly #opened: OpenedBrowser;
  readonly #options: RunningOptions;
  readonly #tabs: Tabs;
  readonly #onClosed: () => void;
  readonly #profiles: Profiles;
  readonly #windows = new WeakMap<object, SessionWindow>();
  /** Visits in progress or waiting for a tab, and open pages of sessions. */
  #visits = 0;
  /** The browser is too busy with abandoned pages to serve others. */
  #isRetired = false;
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: OpenedBrowser, options: RunningOptions, onClosed: () => void) {
    this.#opened = opened;
    this.#options = options;
    this.#onClosed = onClosed;
    this.#profiles = new Profiles(options.store, options.vault);
    this.#tabs = new Tabs(opened, options.maxPages, () => this.#retire());
    opened.browser.once('disconnected', () => void this.close());
    this.#restIfIdle();
  }

  /** True while it accepts visits. */
  get isOpen(): boolean {
    return !this.#isRetired && this.#closing === undefined && this.#opened.browser.isConnected();
  }

  /** Visits one page, in a tab that is not shared. */
  async visit(request: PageRequest): Promise<Snapshot> {
    clearTimeout(this.#idle);
    this.#visits += 1;
    try {
      return await this.#visit(request);
    } catch (error) {
      return await throwFailure(error, request, () => !this.isOpen);
    } finally {
      this.#visits -= 1;
      this.#restIfIdle();
    }
  }

  /** Opens an empty page that stays open, and keeps the browser running until it is closed. */
  async keep(request: PageRequest): Promise<SessionPage> {
    clearTimeout(this.#idle);
    this.#visits += 1;
    const leave = (): void => {
      this.#visits -= 1;
      this.#restIfIdle();
    };
    try {
      const { setting, profile } = await this.#settingOf(request);
      // What later calls display is not known yet.
      const needs = { ...setting.needs, images: true, fonts: true };
      const tab = await this.#tabs.keep({ ...setting, needs }, request.signal);
      return new SessionPage(tab, profile, () => this.#tabs.drop(tab).finally(leave));
    } catch (error) {
      leave();
      return await throwFailure(error, request, () => !this.isOpen);
    }
  }

  /** Closes the browser, if this client started it, and everything opened in it. */
  close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const { isOwn, browser, pid } = this.#opened;
    this.#tabs.refuse(crashed('a page', 'The browser was closed'));
    const closing = isOwn ? closeBrowser(browser, pid, this.#isRetired) : undefined;
    await Promise.allSettled([this.#tabs.close(), closing]);
    this.#onClosed();
  }

  /** The next visit gets a new browser; this one ends with its current visits. */
  #retire(): void {
    if (!this.#opened.isOwn) return;
    this.#isRetired = true;
    this.#tabs.refuse(crashed('other pages', 'The browser did not answer'));
    this.#restIfIdle();
  }

  async #visit(request: PageRequest): Promise<Snapshot> {
    const { setting, profile } = await this.#settingOf(request);
    const tab = await this.#tabs.take(setting, request);
    tab.unusable ??= lastingTrace(request.rendering);
    // It is sent only now that the browser runs and the tab is open.
    request.pause?.()();
    try {
      return await visit('run', tab, request, profile);
    } catch (error) {
      tab.unusable ??= 'its visit failed';
      throw error;
    } finally {
      this.#tabs.giveBack(tab);
    }
  }

  async #settingOf(
    request: PageRequest,
  ): Promise<{ readonly setting: TabSetting; readonly profile: ProfileVisit | undefined }> {
    const { facts } = this.#opened;
    const { userAgent } = this.#options;
    const { profile: folder } = request.rendering;
    const profile = folder === undefined ? undefined : await this.#profiles.open(folder);
    const setting = tabSetting(request, facts, this.#windowOf(request), userAgent);
    const { storageState } = profile ?? {};
    const context = { ...setting.context, ...(storageState === undefined ? {} : { storageState }) };
    return { setting: { ...setting, context }, profile };
  }

  #restIfIdle(): void {
    if (this.#closing !== undefined || this.#visits > 0) return;
    clearTimeout(this.#idle);
    const { idleTimeout = limits.defaultIdleTimeout } = this.#isRetired ? atOnce : this.#options;
    this.#idle = setTimeout(() => void this.close(), milliseconds(idleTimeout));
  }

  /** A visitor in stealth has one window for all its visits. */
  #windowOf({ rendering, visitor = {} }: PageRequest): SessionWindow | undefined {
    if (rendering.stealth !== true) return undefined;
    const known = this.#windows.get(visitor) ?? drawWindow();
    this.#windows.set(visitor, known);
    return known;
  }
}

/** State of a visit that survives a reset of its tab; undefined if there is none. */
function lastingTrace(rendering: Rendering): string | undefined {
  const { profile, location, actions = [], branding, screenshot } = rendering;
  if (profile !== undefined) return 'it has the state of a profile';
  if (location !== undefined) return 'a page may know where its reader is';
  if (actions.length > 0)
    return 'actions may have changed its window, or left listeners and routes';
  if (branding === true) return 'pages were shown in other colours';
  if (screenshot?.viewport !== undefined) return 'its window has another size';
  return undefined;
}

// Ends a browser: closes it, or kills it when it is too busy to respond.

/** The id of the browser's process; undefined if the browser does not report it. */
async function processOf(browser: Browser): Promise<number | undefined> {
  try {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo.find(({ type }) => type === 'browser')?.id;
  } catch {
    return undefined;
  }
}

/**
 * Closes a browser, or kills one that is known to hang; never rejects. `pid` is the id of its
 * process, if it may be killed.
 */
async function closeBrowser(
  browser: Browser,
  pid: number | undefined,
  isStuck: boolean,
): Promise<void> {
  const end = (): void => {
    if (pid !== undefined && browser.isConnected()) killProcess(pid);
  };
  const timer = setTimeout(end, isStuck ? 0 : limits.closePatience);
  await browser.close().catch(() => undefined);
  clearTimeout(timer);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended meanwhile.
  }
}
