/** The one browser of a client while it runs: its tabs, its end when nobody needs it, its crash. */
import type { PageRequest } from '../../model/request.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import type { Store } from '../../storage/store.ts';
import { type FilterLists, loadFilterLists } from './blocking/filter-lists.ts';
import type { BrowserChoice } from './browser-choice.ts';
import { type BrowserFacts, readBrowserFacts } from './identity/browser-facts.ts';
import { drawWindow, type VisitorWindow } from './identity/visitor-window.ts';
import { openBrowser, type OpenBrowser } from './open-browser.ts';
import { Profiles } from './profiles/profiles.ts';
import { tabSetting } from './tab-setting.ts';
import { Tabs } from './tabs.ts';
import { visit } from './visit.ts';

/** Milliseconds without a visit after which a browser is closed. */
const defaultIdleTimeout = 2_000;

/** What a browser is run with. */
export interface RunningOptions extends BrowserChoice {
  readonly policy: NetworkPolicy;
  readonly userAgent?: string | undefined;
  readonly maxPages: number;
  /** Started so that it looks like that of a person. */
  readonly stealth: boolean;
  readonly store: Store;
}

/** Opens a browser; `onEnd` is called when it can take no further visit. */
export async function runBrowser(
  options: RunningOptions,
  onEnd: () => void,
): Promise<RunningBrowser> {
  const { filterLists = [] } = options;
  const [open, lists] = await Promise.all([
    openBrowser(options, { stealth: options.stealth }),
    filterLists.length === 0 ? undefined : loadFilterLists(filterLists),
  ]);
  const facts = await readBrowserFacts(open.browser);
  return new RunningBrowser({ open, facts, lists }, options, onEnd);
}

/** What was found out when it was opened. */
interface Opened {
  readonly open: OpenBrowser;
  readonly facts: BrowserFacts;
  readonly lists: FilterLists | undefined;
}

/** A running browser. */
export class RunningBrowser {
  readonly #opened: Opened;
  readonly #options: RunningOptions;
  readonly #tabs: Tabs;
  readonly #onEnd: () => void;
  readonly #profiles: Profiles;
  readonly #windows = new WeakMap<object, VisitorWindow>();
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, options: RunningOptions, onEnd: () => void) {
    const { open, facts, lists } = opened;
    const { policy, maxPages } = options;
    this.#opened = opened;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#profiles = new Profiles(options.store);
    const { browser, context, isLocal } = open;
    this.#tabs = new Tabs({ browser, context, isLocal, policy, facts, lists }, maxPages);
    open.browser.once('disconnected', () => this.#end());
    this.#restIfIdle();
  }

  /** One page, in a tab that nobody else uses. */
  async visit(request: PageRequest): Promise<Snapshot> {
    clearTimeout(this.#idle);
    const { facts, lists } = this.#opened;
    const { userAgent } = this.#options;
    const { rendering, signal } = request;
    try {
      const asked = rendering.profile;
      const profile = asked === undefined ? undefined : await this.#profiles.open(asked);
      const visitor = { browser: facts, window: this.#windowOf(request), userAgent };
      const setting = tabSetting(request, visitor);
      const { storageState } = profile ?? {};
      const context = {
        ...setting.context,
        ...(storageState === undefined ? {} : { storageState }),
      };
      const tab = await this.#tabs.take({ ...setting, context }, signal);
      if (asked !== undefined) tab.spoilt = 'it has the state of a profile';
      if (rendering.location !== undefined) tab.spoilt = 'a page may know where its reader is';
      try {
        return await visit(tab, request, { lists, profile });
      } finally {
        this.#tabs.giveBack(tab);
      }
    } finally {
      this.#restIfIdle();
    }
  }

  /** Closes the browser, where it is ours, and everything that was opened in it. */
  async close(): Promise<void> {
    this.#end();
    this.#closing ??= this.#closeAll();
    await this.#closing;
  }

  async #closeAll(): Promise<void> {
    await this.#tabs.close();
    const { isOwn, browser } = this.#opened.open;
    if (isOwn) await browser.close().catch(() => undefined);
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#onEnd();
  }

  #restIfIdle(): void {
    if (this.#closing !== undefined || this.#tabs.demand > 0) return;
    clearTimeout(this.#idle);
    const { idleTimeout = defaultIdleTimeout } = this.#options;
    this.#idle = setTimeout(() => void this.close(), idleTimeout);
  }

  /** A visitor in disguise has one window, whatever it visits. */
  #windowOf({ rendering, visitor = {} }: PageRequest): VisitorWindow | undefined {
    if (rendering.stealth !== true) return undefined;
    const known = this.#windows.get(visitor) ?? drawWindow();
    this.#windows.set(visitor, known);
    return known;
  }
}
