/** A page with all that belongs to it: a context of its own, a way through the network policy. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { pageSession } from '../../actions/page-session.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { applyRequestFilter } from './blocking/apply-request-filter.ts';
import type { FilterLists } from './blocking/filter-lists.ts';
import { requestFilter } from './blocking/request-filter.ts';
import { type ClosablePolicy, closablePolicy } from './closable-policy.ts';
import type { Holding } from './held-browser.ts';
import type { BrowserFacts } from './identity/browser-facts.ts';
import { emulatePage } from './identity/emulate-page.ts';
import { Downloads } from './downloads.ts';
import { MainDocument } from './main-document.ts';
import { gatedWay, guardedWay, type NetworkWay } from './network-way.ts';
import { PageActivity } from './settle/page-activity.ts';
import type { TabSetting } from './tab-setting.ts';

/** What a tab is opened with. */
export interface TabParts {
  readonly browser: Browser;
  /** The caller's own, in which pages are opened; undefined: each tab has a context of its own. */
  readonly context: BrowserContext | undefined;
  /** Its contexts go through a proxy of this process; undefined: each request of a page is looked at. */
  readonly holding: Holding | undefined;
  readonly policy: NetworkPolicy;
  readonly facts: BrowserFacts;
  readonly lists: FilterLists | undefined;
}

/** An open tab. */
export class Tab {
  readonly setting: TabSetting;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  readonly document: MainDocument;
  readonly activity: PageActivity;
  readonly downloads: Downloads;
  /** Chromium's name for the context. */
  readonly contextId: string | undefined;
  readonly #way: NetworkWay;
  readonly #policy: ClosablePolicy;
  readonly #ownsContext: boolean;
  #closing: Promise<unknown> | undefined;
  /** Requests of all kinds so far. */
  requests = 0;
  /** Visits so far. */
  visits = 0;
  /** Why it must not be used again; undefined while it may. */
  spoilt: string | undefined;

  private constructor(
    setting: TabSetting,
    parts: Pick<
      Tab,
      'context' | 'page' | 'session' | 'document' | 'activity' | 'downloads' | 'contextId'
    >,
    way: NetworkWay,
    policy: ClosablePolicy,
    ownsContext: boolean,
  ) {
    this.setting = setting;
    this.context = parts.context;
    this.page = parts.page;
    this.session = parts.session;
    this.document = parts.document;
    this.activity = parts.activity;
    this.downloads = parts.downloads;
    this.contextId = parts.contextId;
    this.#way = way;
    this.#policy = policy;
    this.#ownsContext = ownsContext;
    if (!ownsContext) this.spoilt = 'its context is not ours';
    this.#watch();
  }

  /** Opens a context with one page, whose requests all go a way of their own. */
  static async open(parts: TabParts, setting: TabSetting): Promise<Tab> {
    const { browser, facts, lists, holding } = parts;
    let tab: Tab | undefined;
    const policy = closablePolicy(parts.policy, () => {
      // Chromium sends what was to outlive the page one after the other: more of it may come.
      if (tab !== undefined) tab.spoilt ??= 'requests of its page go on';
    });
    const way =
      holding === undefined
        ? guardedWay(policy, setting.route)
        : await gatedWay(policy, setting.route);
    let context = parts.context;
    let page: Page | undefined;
    try {
      const { proxy } = way;
      const contextSetting = { ...setting.context, ...(proxy === undefined ? {} : { proxy }) };
      context ??= await browser.newContext(contextSetting);
      if (holding?.initScript !== undefined) await context.addInitScript(holding.initScript);
      page = await context.newPage();
      await way.attach(page);
      const [session, filterSession] = await Promise.all([
        context.newCDPSession(page),
        context.newCDPSession(page),
      ]);
      const { targetInfo } = await session.send('Target.getTargetInfo');
      const contextId = targetInfo.browserContextId;
      const downloads = new Downloads(page, () => {
        // Chromium remembers of a tab that it was asked to save something.
        if (tab !== undefined) tab.spoilt ??= 'its page started a download';
      });
      const { targetId } = targetInfo;
      const document = new MainDocument(session, targetId, way.credentials, downloads);
      const { needs, blockAds, rendering, headers } = setting;
      const pageUrl = (): string => document.shown?.url ?? document.target;
      await Promise.all([
        document.open(),
        // One that is opened while a script never ends cannot end it.
        pageSession(page),
        answerPermissions(session, contextId),
        applyRequestFilter(filterSession, requestFilter({ needs, blockAds, lists }), { pageUrl }),
        emulatePage(page, rendering, headers, facts),
      ]);
      const activity = PageActivity.watch(page);
      const made = { context, page, session, document, activity, downloads, contextId };
      tab = new Tab(setting, made, way, policy, parts.context === undefined);
      return tab;
    } catch (error) {
      const closing = parts.context === undefined ? context?.close() : page?.close();
      await Promise.allSettled([closing, way.close()]);
      throw error;
    }
  }

  /** It may be used again, as far as is known by now. */
  mayStay(): boolean {
    return this.spoilt === undefined;
  }

  /** Bytes that came for it so far. */
  get bytes(): number {
    return this.#way.bytes;
  }

  /** Why a host was not reached in this visit. */
  failureOf(host: string): Error | undefined {
    return this.#way.failureOf(host);
  }

  /** Ends its connections. Until `reconnect` nothing of its visit reaches the network any more. */
  disconnect(): void {
    this.#policy.isShut = true;
    this.#way.disconnect();
  }

  /** For the next visit; what was learnt of hosts that were not reached is forgotten. */
  reconnect(): void {
    this.#way.disconnect();
    this.#policy.isShut = false;
  }

  /** Closes its connections and its context; never rejects. */
  async close(): Promise<void> {
    // Playwright tells the second who closes a context that it is closed, while it is not yet.
    this.#closing ??= Promise.allSettled([
      this.#way.close(),
      this.#ownsContext ? this.context.close() : this.page.close(),
    ]);
    await this.#closing;
  }

  /** Notes what a visit leaves behind, and what cannot be wiped. */
  #watch(): void {
    const { page, session } = this;
    page.on('request', () => (this.requests += 1));
    session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
      if (isPassword.test(headers['Authorization'] ?? headers['authorization'] ?? '')) {
        this.spoilt ??= 'the browser keeps a password that was used';
      }
    });
    page.on('crash', () => (this.spoilt = 'its page crashed'));
    page.on('close', () => (this.spoilt = 'its page was closed'));
    if (!this.#ownsContext) return;
    this.context.on('page', (popup) => {
      if (popup === page) return;
      this.spoilt ??= 'a page opened another one';
      void popup.close().catch(() => undefined);
    });
  }
}

/** Chromium remembers these by itself, unlike the tokens of scripts, and cannot be told to forget. */
const isPassword = /^(?:basic|digest|ntlm|negotiate)\b/i;

/**
 * Nobody is there to be asked: pages get the answer of a reader who looks away. Without it questions
 * stay open, and Chromium keeps count of them by site.
 */
async function answerPermissions(session: CDPSession, context: string | undefined): Promise<void> {
  if (context === undefined) return;
  const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi'];
  const asked = names.map((name) => {
    const permission = { name };
    return session.send('Browser.setPermission', {
      ...{ permission, setting: 'prompt', browserContextId: context },
    });
  });
  // Their names are those of Chromium's version.
  await Promise.allSettled(asked);
}
