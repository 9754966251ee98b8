/** Tracks the requests of a page that are in flight and may bring content. */
import type { Frame, Page, Request } from 'playwright-core';
import { canParseUrl } from '../../../core/url/normalize-url.ts';
import { isHostIn } from '../blocking/request-filter.ts';
import { isSameSite } from '../rendered-html/page-frames.ts';

const limits = {
  repeats: 4, // identical requests from which they count as polling
  variants: 30, // requests to one path with different queries (paging); more no longer count
  remembered: 2_000, // requests in memory; further ones are not waited for
};

/**
 * The requests to wait for: `shown` waits for requests that decide which part of a page is displayed, `content`
 * also for requests that may change its text, `picture` also for requests that a picture needs.
 */
export type AwaitedRequests = 'shown' | 'content' | 'picture';

/** Resource types that may change the text of a page. */
const contentTypes: ReadonlySet<string> = new Set([
  'document',
  'script',
  'stylesheet',
  'xhr',
  'fetch',
]);

/** Frames, and style sheets, which hide or display text. */
const visibilityTypes: ReadonlySet<string> = new Set(['document', 'stylesheet']);

/**
 * Resource types that a picture also needs. Media, sockets, pings and event streams never count.
 */
const pictureTypes: ReadonlySet<string> = new Set(['image', 'font']);

/** Resource types that a page requests without a script. */
const withoutScript: ReadonlySet<string> = new Set([
  'document',
  'stylesheet',
  'image',
  'font',
  'media',
  'other',
]);

/** Listens to a page as long as there is one. */
export class RequestWatch {
  /** End of the last request that counts; `performance.now()`. */
  lastEnd = 0;
  /** A script file was requested since the page began. */
  hasScripts = false;
  /** A script of the page sent a request. */
  hasCalls = false;
  /** The page was expected to navigate, and stays: a download, or a navigation without effect. */
  hasStayed = false;
  readonly #page: Page;
  readonly #open = new Map<Request, number>();
  readonly #seen = new Map<string, number>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#onRequest(request));
    page.on('requestfinished', (request) => this.#onEnd(request));
    page.on('requestfailed', (request) => this.#onFailure(request));
    page.on('websocket', () => (this.hasCalls = true));
  }

  /** Forgets the last visit. */
  reset(): void {
    this.#begin();
    this.lastEnd = 0;
  }

  /**
   * True while a request counts that is younger than `patience` ms. Navigations of the page itself
   * count however long they take.
   */
  isWaiting(patience: number, awaited: AwaitedRequests): boolean {
    const now = performance.now();
    for (const [request, begun] of this.#open) {
      const type = request.resourceType();
      if (awaited === 'shown' && !visibilityTypes.has(type)) continue;
      if (awaited === 'content' && pictureTypes.has(type)) continue;
      if (now - begun < patience || isMainNavigation(request)) return true;
    }
    return false;
  }

  #onRequest(request: Request): void {
    const before = request.redirectedFrom();
    if (before !== null) this.#open.delete(before);
    if (isMainNavigation(request) && before === null) this.#begin();
    const type = request.resourceType();
    if (type === 'script') this.hasScripts = true;
    else if (!withoutScript.has(type)) this.hasCalls = true;
    if (!contentTypes.has(type) && !pictureTypes.has(type)) return;
    if (this.#open.size >= limits.remembered || !this.#counts(request)) return;
    this.#open.set(request, performance.now());
  }

  #onFailure(request: Request): void {
    if (this.#open.has(request) && isMainNavigation(request)) this.hasStayed = true;
    this.#onEnd(request);
  }

  #onEnd(request: Request): void {
    if (this.#open.delete(request) && !pictureTypes.has(request.resourceType())) {
      this.lastEnd = performance.now();
    }
  }

  /** Resets for another document: requests of the previous one sometimes end without an event. */
  #begin(): void {
    this.#open.clear();
    this.#seen.clear();
    this.hasScripts = false;
    this.hasCalls = false;
    this.hasStayed = false;
  }

  #counts(request: Request): boolean {
    if (isMainNavigation(request)) return true;
    const url = request.url();
    return !isMeasuringHost(url) && this.#isOfSite(request) && !this.#isPolling(request, url);
  }

  /** Frames of other sites, mostly advertisements, are not part of the content. */
  #isOfSite(request: Request): boolean {
    try {
      let frame: Frame | null = request.frame();
      const page = this.#page.url();
      if (request.isNavigationRequest()) {
        if (!isSameSite(request.url(), page)) return false;
        frame = frame.parentFrame();
      }
      for (; frame !== null && frame.parentFrame() !== null; frame = frame.parentFrame()) {
        if (!isSameSite(frame.url(), page)) return false;
      }
      return true;
    } catch {
      // A service worker's request has no frame.
      return false;
    }
  }

  #isPolling(request: Request, url: string): boolean {
    const type = request.resourceType();
    if (type !== 'xhr' && type !== 'fetch') return false;
    const method = request.method();
    const exact = `${method} ${url} ${request.postData()?.slice(0, 2_000) ?? ''}`;
    if (this.#count(exact) >= limits.repeats) return true;
    return method === 'GET' && this.#count(url.replace(/[?#].*$/s, '')) > limits.variants;
  }

  #count(key: string): number {
    const times = (this.#seen.get(key) ?? 0) + 1;
    if (times > 1 || this.#seen.size < limits.remembered) this.#seen.set(key, times);
    return times;
  }
}

function isMainNavigation(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    // The frame of a new page is not known yet.
    return true;
  }
}

// Hosts that measure visitors and errors: their responses bring no content.

/** The largest by the share of pages that use them (HTTP Archive, Web Almanac, "third parties"). */
const measuringHosts: ReadonlySet<string> = new Set([
  'google-analytics.com',
  'analytics.google.com',
  'googletagmanager.com',
  'doubleclick.net',
  'googlesyndication.com',
  'googleadservices.com',
  'clarity.ms',
  'bat.bing.com',
  'hotjar.com',
  'hotjar.io',
  'segment.io',
  'segment.com',
  'mixpanel.com',
  'amplitude.com',
  'sentry.io',
  'bugsnag.com',
  'nr-data.net',
  'newrelic.com',
  'datadoghq.com',
  'datadoghq.eu',
  'browser-intake-datadoghq.com',
  'fullstory.com',
  'logrocket.io',
  'mouseflow.com',
  'matomo.cloud',
  'plausible.io',
  'cloudflareinsights.com',
  'facebook.net',
  'criteo.com',
  'demdex.net',
  'omtrdc.net',
  'adobedc.net',
  'chartbeat.net',
  'scorecardresearch.com',
  'quantserve.com',
  'mc.yandex.ru',
  'mc.yandex.com',
  'analytics.tiktok.com',
  'px.ads.linkedin.com',
]);

function isMeasuringHost(url: string): boolean {
  return canParseUrl(url) && isHostIn(measuringHosts, new URL(url).hostname);
}
