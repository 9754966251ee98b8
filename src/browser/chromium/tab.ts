/** A tab: one page with its own context, network and setting, reset after each visit. */
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { pageSession } from '../actions/isolated-world.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PageRequest, ProxyRoute, Rendering, RouteOf } from '../../core/model/request.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { networkFailure } from '../../core/http/failure.ts';
import { portOf } from '../../core/http/open-socket.ts';
import type { NetworkPolicy } from '../../core/http/network/policy.ts';
import {
  applyRequestFilter,
  type FilteredPage,
  requestFilter,
  type ResourceNeeds,
} from './blocking/request-filter.ts';
import type { FilterLists } from './blocking/filter-lists.ts';
import { Downloads } from './document-response.ts';
import {
  type BrowserFacts,
  contextOptions,
  emulatePage,
  type SessionWindow,
} from './identity/emulation.ts';
import { MainDocument } from './main-document.ts';
import type { OpenBrowser } from './open-browser.ts';
import { PageActivity } from './settle/page-activity.ts';
import {
  guardedNetwork,
  type Holding,
  openProxiedNetwork,
  type TabNetwork,
} from './tab-network.ts';
import { compact } from '../../core/runtime/compact.ts';

/** The parts that a tab is opened with. */
export interface TabParts extends Pick<OpenBrowser, 'browser' | 'context' | 'messages'> {
  /** Contexts go through a proxy of this process; undefined: each request of a page is checked. */
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
  /** False for a context of the caller. */
  readonly ownsContext: boolean;
  readonly lists: FilterLists | undefined;
  readonly #network: TabNetwork;
  readonly #watch: Disposable | undefined;
  #closing: Promise<unknown> | undefined;
  /** Between two visits, when all requests are refused: late ones of the first reach no server. */
  #isShut = false;
  /** Requests of all types so far. */
  requests = 0;
  /** Called for every request that the filter blocks. */
  onBlocked: FilteredPage['onBlocked'];
  /** Visits so far. */
  visits = 0;
  /** Pending work of the last visit: steps in the page may end later than an aborted visit. */
  work: Promise<unknown> = Promise.resolve();
  /** Why the tab must not be reused; undefined while it may. */
  unusable: string | undefined;

  private constructor(
    setting: TabSetting,
    parts: Pick<
      Tab,
      'context' | 'page' | 'session' | 'document' | 'activity' | 'downloads' | 'contextId'
    >,
    network: TabNetwork,
    { context, lists, messages }: TabParts,
  ) {
    this.setting = setting;
    this.context = parts.context;
    this.page = parts.page;
    this.session = parts.session;
    this.document = parts.document;
    this.activity = parts.activity;
    this.downloads = parts.downloads;
    this.contextId = parts.contextId;
    this.#network = network;
    this.ownsContext = context === undefined;
    this.lists = lists;
    if (!this.ownsContext) this.unusable = 'its context is not ours';
    if (this.contextId !== undefined) {
      this.#watch = messages?.watch(this.contextId, () => this.#onFlood());
    }
    this.#listen();
  }

  /** Opens a context with one page and a network of its own. */
  static async open(parts: TabParts, setting: TabSetting): Promise<Tab> {
    const { browser, facts, lists, holding } = parts;
    let tab: Tab | undefined;
    const policy: NetworkPolicy = {
      check(url) {
        if (tab !== undefined && tab.#isShut) {
          // Chromium sends requests that outlive the page one by one: more may come.
          tab.unusable ??= 'requests of its page go on';
          throw new PagewrightError('CANCELLED', 'The visit is over.');
        }
        parts.policy.check(url);
      },
      lookup: parts.policy.lookup,
    };
    const network =
      holding === undefined
        ? guardedNetwork(policy, setting.route)
        : await openProxiedNetwork(policy, setting.route);
    let context = parts.context;
    let page: Page | undefined;
    try {
      const { proxy } = network;
      const contextSetting = { ...setting.context, ...(proxy === undefined ? {} : { proxy }) };
      context ??= await browser.newContext(contextSetting);
      if (holding?.initScript !== undefined) await context.addInitScript(holding.initScript);
      page = await context.newPage();
      await network.attach(page);
      const [session, filterSession] = await Promise.all([
        context.newCDPSession(page),
        context.newCDPSession(page),
      ]);
      const { targetInfo } = await session.send('Target.getTargetInfo');
      const contextId = targetInfo.browserContextId;
      const downloads = new Downloads(page, () => {
        // Chromium remembers in a tab that a download was requested.
        if (tab !== undefined) tab.unusable ??= 'its page started a download';
      });
      const { targetId } = targetInfo;
      const document = new MainDocument(session, targetId, network.credentials, downloads);
      const { needs, blockAds, rendering, headers } = setting;
      const pageUrl = (): string => document.displayed?.url ?? document.target;
      await Promise.all([
        document.open(),
        // A session opened while a script runs without end cannot interrupt it.
        pageSession(page),
        answerPermissions(session, contextId),
        applyRequestFilter(filterSession, requestFilter({ needs, blockAds, lists }), {
          pageUrl,
          onBlocked: (url, reason) => tab?.onBlocked?.(url, reason),
        }),
        emulatePage(page, rendering, headers, facts),
      ]);
      const activity = new PageActivity(page);
      const made = { context, page, session, document, activity, downloads, contextId };
      tab = new Tab(setting, made, network, parts);
      return tab;
    } catch (error) {
      const closing = parts.context === undefined ? context?.close() : page?.close();
      await Promise.allSettled([closing, network.close()]);
      throw error;
    }
  }

  /** True if the tab may be reused, as far as known so far. */
  mayStay(): boolean {
    return this.unusable === undefined;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#network.bytes;
  }

  /** Why the host of a URL was not reached in this visit: the browser itself sees only a status. */
  unreached(href: string): PagewrightError | undefined {
    const url = new URL(href.replace(/^ws/i, 'http'));
    const failure = this.#network.failureOf(`${url.hostname}:${portOf(url)}`);
    return failure && networkFailure(failure, url);
  }

  /** Closes its connections. Until `reconnect` no request of its visit reaches the network. */
  disconnect(): void {
    this.#isShut = true;
    this.#network.disconnect();
  }

  /** Reconnects for the next visit; recorded failures are forgotten. */
  reconnect(): void {
    this.#network.disconnect();
    this.#isShut = false;
  }

  /** Closes its connections and its context; never rejects. */
  async close(): Promise<void> {
    // To a second caller of close, Playwright reports the context as closed before it is.
    this.#closing ??= Promise.allSettled([
      this.#network.close(),
      this.ownsContext ? this.context.close() : this.#closePage(),
    ]);
    await this.#closing;
    this.#watch?.[Symbol.dispose]();
  }

  #onFlood(): void {
    const url = this.document.displayed?.url ?? this.document.target;
    this.unusable = 'its page reported too much';
    this.document.fail(flooded(url));
    void this.close();
  }

  /** Chromium ends with its last page: in a context of the caller the last one stays, blank. */
  async #closePage(): Promise<void> {
    if (this.context.pages().length > 1) await this.page.close();
    else await this.page.goto('about:blank');
  }

  /** Records state that a visit leaves behind and a reset cannot remove. */
  #listen(): void {
    const { page, session } = this;
    page.on('request', () => (this.requests += 1));
    session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
      if (isPassword.test(headers['Authorization'] ?? headers['authorization'] ?? '')) {
        this.unusable ??= 'the browser keeps a password that was used';
      }
    });
    page.on('crash', () => (this.unusable = 'its page crashed'));
    page.on('close', () => (this.unusable = 'its page was closed'));
    if (!this.ownsContext) return;
    this.context.on('page', (popup) => {
      if (popup === page) return;
      this.unusable ??= 'a page opened another one';
      void popup.close().catch(() => undefined);
    });
  }
}

function flooded(url: string): PagewrightError {
  return new PagewrightError(
    'PARSE_LIMIT',
    `${url} makes the browser report more than is read: messages in its console, errors, requests or their bodies. Its tab was closed. Try engine: 'http'.`,
    { url },
  );
}

/** Chromium remembers these, unlike bearer tokens, and cannot be made to forget. */
const isPassword = /^(?:basic|digest|ntlm|negotiate)\b/i;

/**
 * Answers each permission prompt as if the user had dismissed it: an unanswered prompt stays open, and Chromium
 * counts prompts by site.
 */
async function answerPermissions(session: CDPSession, context: string | undefined): Promise<void> {
  if (context === undefined) return;
  const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi'];
  const answers = names.map((name) => {
    const permission = { name };
    return session.send('Browser.setPermission', {
      permission,
      setting: 'prompt',
      browserContextId: context,
    });
  });
  // Permission names depend on Chromium's version.
  await Promise.allSettled(answers);
}

// The setting of a tab. Two visits may use the same tab, one after the other, when their settings
// are equal.

/** The setting of a tab. */
export interface TabSetting {
  readonly context: BrowserContextOptions;
  readonly route: ProxyRoute | RouteOf | undefined;
  readonly needs: ResourceNeeds;
  readonly blockAds: boolean;
  /** The part of the request that `emulatePage` completes. */
  readonly rendering: Pick<Rendering, 'mobile' | 'location' | 'stealth'>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The setting for a request: `window` is the window of a visitor in stealth, `userAgent` the client's, if the
 * caller set one.
 */
export function tabSetting(
  request: PageRequest,
  browser: BrowserFacts,
  window: SessionWindow | undefined,
  userAgent: string | undefined,
): TabSetting {
  const { rendering, route, routeOf, skipTlsVerification } = request;
  const { mobile, location, stealth, screenshot, branding, actions = [] } = rendering;
  const own = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const headers = { ...(stealth === true ? {} : own), ...identityHeaders(request.headers) };
  // Visible resources have to be loaded.
  const isSeen =
    screenshot !== undefined || branding === true || actions.some(({ showsPage }) => showsPage);
  return {
    context: {
      ...contextOptions(rendering, headers, browser, window),
      ignoreHTTPSErrors: skipTlsVerification,
      acceptDownloads: false,
      serviceWorkers: 'block',
    },
    route: routeOf ?? route,
    needs: { images: isSeen, fonts: isSeen, media: false },
    blockAds: rendering.blockAds === true,
    rendering: compact({ mobile, location, stealth }),
    headers,
  };
}

/** Headers that are part of the browser's apparent identity. */
function identityHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = ['user-agent', 'accept-language'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

// Resets a tab, so that the next visit neither finds nor reveals state of earlier ones.

const resetPatience = 3_000; // milliseconds; a page that cannot be left by then is closed

/**
 * True if the tab holds nothing of its visits: no document, cookies, storage, caches, connections or history.
 * False if that is not certain, and the tab has to be closed. Facts about servers stay: which hosts want
 * https (HSTS), and TLS sessions.
 */
export async function resetTab(tab: Tab): Promise<boolean> {
  if (!tab.mayStay()) return false;
  // Requests that the page sends on unload would be answered, perhaps with a cookie, in the next
  // visit.
  tab.disconnect();
  return withSignal(leaveAndClear(tab), AbortSignal.timeout(resetPatience));
}

async function leaveAndClear(tab: Tab): Promise<boolean> {
  const { page, session } = tab;
  if (await hasCompany(tab)) return false;
  tab.document.expect(undefined);
  // The page's scripts end before the storage is cleared, so that nothing comes back.
  await page.goto('about:blank', { timeout: resetPatience });
  if (!tab.mayStay()) return false;
  await Promise.all([
    session.send('Network.clearBrowserCookies'),
    session.send('Network.clearBrowserCache'),
    session.send('Page.resetNavigationHistory'),
    session.send('Runtime.evaluate', { expression: "window.name = ''" }),
    // `*` covers all origins, and the session storage of the tab too.
    session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }),
  ]);
  return tab.mayStay();
}

/** Workers and frames of other sites are processes and threads of their own, which end later. */
async function hasCompany({ session, contextId }: Tab): Promise<boolean> {
  const types = ['worker', 'shared_worker', 'service_worker', 'iframe'];
  const filter = types.map((type) => ({ type }));
  const { targetInfos } = await session.send('Target.getTargets', { filter });
  return targetInfos.some(({ browserContextId }) => browserContextId === contextId);
}
