/**
 * The frontier of a crawl. Takes the links of pages and sitemaps, removes duplicates, applies
 * admission and queues admitted URLs: start page, sitemap entries, then links in the order of their
 * pages.
 */
import { setImmediate } from 'node:timers/promises';
import { PagewrightError } from '../runtime/errors.ts';
import type { ErrorAnswer, SkippedUrl, SkipReason } from '../model/job.ts';
import { fingerprint } from '../url/fingerprint.ts';
import {
  type AdmissionContext,
  type AdmissionRefusal,
  type AdmissionRules,
  type CrawlScope,
  type FrontierEntry,
  refuse,
  refusePatterns,
  refuseRobots,
  scopeOf,
} from './admission.ts';
import { CrawlerTraps, type TrapRefusal } from './traps/crawler-traps.ts';
import type { CrawlOrder, LinkContext } from './orders/crawl-order.ts';
import type { RequestQueue } from './queue/request-queue.ts';
import type { Robots } from './robots/robots.ts';
import { type PageEvidence, SettledPages } from './settled-pages.ts';
import { getOrInsert } from '../runtime/get-or-insert.ts';

export type { FrontierEntry } from './admission.ts';

/** The reasons for which a crawl skips the URLs that are left at its end. */
export type EarlyEnd = Extract<SkipReason, 'LIMIT' | 'BUDGET' | 'ANSWERED'>;

/** All of them. */
export const earlyEnds: readonly EarlyEnd[] = ['LIMIT', 'BUDGET', 'ANSWERED'];

/** The outcome of a fetched page: a document, a skip, or a failure; and whether its links count. */
export interface PageSettlement {
  readonly skip?: SkippedUrl;
  /** The page fails because of the status of its last response. */
  readonly errorAnswer?: ErrorAnswer;
  readonly followLinks: boolean;
}

/** Settings of the frontier. */
export interface FrontierSettings {
  readonly url: string;
  readonly rules: AdmissionRules & {
    readonly ignoreQueryParameters: boolean;
    readonly deduplicateSimilarURLs: boolean;
  };
  readonly robotsUserAgent: string;
  readonly deduplicateContent: 'off' | 'exact' | 'near';
  /** The most documents of the crawl. */
  readonly limit: number;
  /** The start time of the crawl in milliseconds. */
  readonly now: number;
  readonly queue: RequestQueue;
  /** The order of what is in the queue. */
  readonly order: CrawlOrder;
  /** The robots rules of an origin, fetched once; undefined if they are ignored. */
  readonly robots: (origin: string) => Promise<Robots | undefined>;
  /** Called for every URL that the frontier queues or skips. */
  readonly onPending: (entry: FrontierEntry) => void;
  readonly onSkipped: (skip: SkippedUrl) => void;
  /** True when the URL was found before, whatever its outcome. */
  readonly isKnown: (url: string) => boolean;
}

/** A URL in both forms. */
type ParsedUrl = FrontierEntry & { readonly parsed: URL };

const skippedAtOnce = 1000; // URLs skipped before the event loop runs again; 1,000 take 5 ms

/** The frontier of one crawl. Its methods are called one after the other, never concurrently. */
export class Frontier {
  readonly #settings: FrontierSettings;
  /** Queued URLs by fingerprint. */
  readonly #queued = new Map<string, string>();
  readonly #settled: SettledPages;
  readonly #traps: CrawlerTraps;
  /** Queued entries by URL. */
  readonly #entries = new Map<string, FrontierEntry>();
  readonly #waiting = new WaitingPages<FrontierEntry>();
  #scope: CrawlScope;

  constructor(settings: FrontierSettings) {
    this.#settings = settings;
    this.#traps = new CrawlerTraps(settings);
    this.#settled = new SettledPages(settings);
    this.#scope = scopeOf([new URL(settings.url)]);
  }

  /**
   * Queues the start URL; returns the error when robots.txt refuses it, the only possible refusal.
   */
  async addStart(): Promise<PagewrightError | undefined> {
    const { url, robotsUserAgent } = this.#settings;
    const start = new URL(url);
    const robots = await this.#settings.robots(start.origin);
    if (robots !== undefined && !robots.isAllowed(url, robotsUserAgent)) {
      const rule = robots.rule(url, robotsUserAgent) ?? 'robots.txt';
      this.#settings.onSkipped({ url, reason: 'ROBOTS', rule });
      return new PagewrightError(
        'ROBOTS',
        `robots.txt of ${start.origin} disallows the start URL ${url} (${rule}). ignoreRobotsTxt: true fetches it anyway.`,
        { url, cause: robots.cause },
      );
    }
    this.#queued.set(this.#fingerprint(url), url);
    this.#traps.admit(start);
    await this.#enqueue([
      { url, depth: 0, parent: undefined, discoveredBy: 'start', asksRobots: false },
    ]);
    return undefined;
  }

  /** Considers URLs of one page, or of none, in their order and queues the admitted ones. */
  async add(found: readonly FrontierEntry[], from: LinkContext = {}): Promise<void> {
    const parent = found[0]?.parent === undefined ? undefined : new URL(found[0].parent);
    if (parent !== undefined) {
      this.#traps.readPage(
        parent,
        found.map(({ url }) => url),
      );
    }
    const fresh = this.#fresh(found);
    const robots = await this.#siteRobots(fresh.map(({ parsed }) => parsed));
    const admitted: FrontierEntry[] = [];
    for (const one of fresh) {
      if (this.#settings.isKnown(one.url)) continue;
      const entry = this.#consider(one, parent, robots);
      if (entry !== undefined) admitted.push(entry);
    }
    await this.#enqueue([...admitted, ...this.#released()], from);
  }

  #fresh(found: readonly FrontierEntry[]): ParsedUrl[] {
    return found
      .filter(({ url }) => !this.#settings.isKnown(url))
      .map((one) => ({ ...one, parsed: new URL(one.url) }));
  }

  /** Waiting pages of a series that has proved good, in their order. */
  #released(): FrontierEntry[] {
    return this.#traps
      .takeEarned()
      .flatMap((series) => this.#waiting.release(series, () => this.#traps.spend(series)));
  }

  /** The next page in order; like `CrawlOrder.next()` where there is none now. */
  async next(): Promise<FrontierEntry | 'later' | undefined> {
    for (;;) {
      const request = await this.#settings.order.next();
      if (request === undefined || request === 'later') return request;
      const entry = this.#entries.get(request.uniqueKey);
      await this.#settings.queue.markHandled(request);
      this.#entries.delete(request.uniqueKey);
      if (entry === undefined) continue;
      const needless = this.needless(entry);
      const { score } = request;
      if (needless === undefined) return score === undefined ? entry : { ...entry, score };
      this.#settings.onSkipped(needless);
      this.finish(entry.url);
    }
  }

  /** The page is settled, and its links were added. */
  finish(url: string): void {
    this.#settings.order.settled(url);
  }

  /**
   * Why a queued page need not be fetched after all, or undefined; a reason once given stays true.
   */
  needless(entry: FrontierEntry): SkippedUrl | undefined {
    const trap = this.#traps.refuseLate(new URL(entry.url));
    if (trap !== undefined) return skip(entry, trap);
    const owner = this.#ownerOf(entry);
    return owner === undefined ? undefined : skip(entry, { reason: 'DUPLICATE_URL', rule: owner });
  }

  /** The settled page that redirected to this URL, or named it as its canonical URL. */
  #ownerOf(entry: FrontierEntry): string | undefined {
    const owner = this.#settled.at(entry.url);
    return owner === entry.url ? undefined : owner;
  }

  /**
   * Settles a fetched page, in the order of the crawl: a document of its own, or a skip because of
   * its final URL, a duplicate, or the patterns. Only settled pages own URLs, so that the result
   * does not depend on the pages in flight.
   */
  async settle(entry: FrontierEntry, page: PageEvidence): Promise<PageSettlement> {
    const verdict = this.#judge(entry, page);
    await this.#enqueue(this.#released(), { page: entry.url });
    return verdict;
  }

  #judge(entry: FrontierEntry, page: PageEvidence): PageSettlement {
    const finalUrl = new URL(page.finalUrl);
    const refusal = this.#refuseFinal(entry, finalUrl, page.robots);
    const { errorAnswer } = page;
    // The error of a start page that fails is more useful than the rule that leaves it out.
    if (errorAnswer !== undefined && (refusal === undefined || entry.discoveredBy === 'start')) {
      return { errorAnswer, followLinks: false };
    }
    if (refusal !== undefined) {
      return {
        skip: skip(entry, refusal),
        followLinks: entry.discoveredBy === 'start' && refusal.reason !== 'ROBOTS',
      };
    }
    const repeats = (
      reason: SkippedUrl['reason'],
      rule: string,
      followLinks = false,
    ): PageSettlement => ({
      skip: skip(entry, { reason, rule }),
      followLinks,
    });
    const owner = this.#ownerOf(entry) ?? this.#settled.at(page.finalUrl);
    // A page that failed after it was settled may be retried.
    if (owner !== undefined && owner !== entry.url) return repeats('DUPLICATE_URL', owner);
    const isFound = entry.discoveredBy !== 'since';
    const followLinks = isFound && this.#scope.territoryOf(finalUrl) !== 'external';
    this.#settled.take(page.finalUrl, entry.url);
    const original = this.#settled.originalOf(page);
    if (original !== undefined && original !== entry.url) {
      return repeats('DUPLICATE_URL', original, followLinks);
    }
    const twin = this.#settled.twinOf(page);
    if (twin !== undefined && twin !== entry.url) return repeats('DUPLICATE_CONTENT', twin);
    const trap = this.#traps.settle(new URL(entry.url), page);
    if (trap.refusal !== undefined) return { skip: skip(entry, trap.refusal), followLinks: false };
    this.#settled.keep(page, entry.url);
    return { followLinks: followLinks && trap.follow };
  }

  /** Skips waiting pages: no page is left that could prove their series good. */
  refuseWaiting(): void {
    for (const { page, refusal } of this.#waiting.takeAll()) {
      this.#settings.onSkipped(skip(page, refusal));
    }
  }

  /** Accounts for URLs that are no longer fetched: considered as usual, but none is queued. */
  async skipFound(found: readonly FrontierEntry[], reason: EarlyEnd, rule: string): Promise<void> {
    const fresh = this.#fresh(found);
    const robots = await this.#siteRobots(fresh.map(({ parsed }) => parsed));
    for (const one of fresh) {
      if (this.#settings.isKnown(one.url)) continue;
      const { refusal = { reason, rule } } = this.#admission(one, robots);
      this.#settings.onSkipped(skip(one, refusal));
    }
  }

  /** Marks all queued URLs as skipped, and closes the queue. */
  async skipRest(reason: EarlyEnd, rule: string): Promise<void> {
    this.refuseWaiting();
    let skipped = 0;
    // Taking them from the queue one by one would take a hundred times as long.
    for (const entry of this.#entries.values()) {
      this.#settings.onSkipped(this.needless(entry) ?? skip(entry, { reason, rule }));
      // No step here waits for the network: without this the event loop would be blocked.
      if (++skipped % skippedAtOnce === 0) await setImmediate();
    }
    this.#entries.clear();
    await this.#settings.queue.drop();
  }

  /** The start page moves the crawl to its redirect target; any other page must stay inside. */
  #refuseFinal(
    entry: FrontierEntry,
    finalUrl: URL,
    robots: Robots | undefined,
  ): AdmissionRefusal | undefined {
    if (entry.discoveredBy === 'start') {
      this.#scope = scopeOf([new URL(entry.url), finalUrl]);
      return (
        refuseRobots(finalUrl, this.#context(robots)) ??
        refusePatterns(finalUrl, { rules: this.#settings.rules, scope: this.#scope })
      );
    }
    if (finalUrl.href === entry.url) return undefined;
    return refuse(finalUrl, entry.depth, this.#context(robots));
  }

  #consider(
    one: ParsedUrl,
    parent: URL | undefined,
    robots: ReadonlyMap<string, Robots | undefined>,
  ): FrontierEntry | undefined {
    const { parsed: url, ...found } = one;
    const { key, refusal } = this.#admission(one, robots);
    const trap = refusal === undefined ? this.#refuseTrap(url, parent) : undefined;
    const final = trap?.series === undefined ? (refusal ?? trap) : undefined;
    if (final !== undefined) {
      this.#settings.onSkipped(skip(found, final));
      return undefined;
    }
    this.#queued.set(key, found.url);
    const entry = { ...found, asksRobots: this.#scope.territoryOf(url) !== 'site' };
    this.#settings.onPending(entry);
    if (trap?.series === undefined) return entry;
    this.#waiting.add(trap.series, entry, trap);
    return undefined;
  }

  /** The key of a URL, and why it is refused whatever links to it. */
  #admission(
    { url, parsed, depth }: ParsedUrl,
    robots: ReadonlyMap<string, Robots | undefined>,
  ): { readonly key: string; readonly refusal?: AdmissionRefusal } {
    const key = this.#fingerprint(url);
    const owner = this.#queued.get(key) ?? this.#settled.atKey(key);
    const refusal: AdmissionRefusal | undefined =
      owner === undefined
        ? refuse(parsed, depth, this.#context(robots.get(parsed.origin)))
        : { reason: 'DUPLICATE_URL', rule: owner };
    return refusal === undefined ? { key } : { key, refusal };
  }

  /** Sitemaps and feeds are finite, whatever they list. */
  #refuseTrap(url: URL, parent: URL | undefined): TrapRefusal | undefined {
    if (parent !== undefined) return this.#traps.refuse(url, parent);
    this.#traps.admit(url);
    return undefined;
  }

  /**
   * Robots rules of the site itself; those of other hosts are fetched with their pages, so no URL
   * waits for them.
   */
  async #siteRobots(urls: readonly URL[]): Promise<Map<string, Robots | undefined>> {
    const onSite = urls.filter((url) => this.#scope.territoryOf(url) === 'site');
    const origins = [...new Set(onSite.map((url) => url.origin))];
    return new Map(
      await Promise.all(
        origins.map(async (origin) => [origin, await this.#settings.robots(origin)] as const),
      ),
    );
  }

  #context(robots: Robots | undefined): AdmissionContext {
    const { rules, robotsUserAgent } = this.#settings;
    return { rules, scope: this.#scope, robots, robotsUserAgent };
  }

  async #enqueue(entries: readonly FrontierEntry[], from: LinkContext = {}): Promise<void> {
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.discoveredBy === 'start') this.#settings.onPending(entry);
      this.#entries.set(entry.url, entry);
    }
    await this.#settings.order.add(
      entries.map(({ url, depth }) => ({ url, uniqueKey: url, userData: { depth } })),
      from,
    );
  }

  #fingerprint(url: string): string {
    return fingerprint(url, this.#settings.rules);
  }
}

function skip(
  { url, parent }: Pick<FrontierEntry, 'url' | 'parent'>,
  refusal: AdmissionRefusal,
): SkippedUrl {
  return parent === undefined ? { url, ...refusal } : { url, parent, ...refusal };
}

// A page that may still join a crawl: others of its series have to prove good first.

interface WaitingPage<Page> {
  readonly page: Page;
  /** The refusal if no page proves good. */
  readonly refusal: AdmissionRefusal;
}

/** Pages by series, in their order. */
class WaitingPages<Page> {
  readonly #bySeries = new Map<string, WaitingPage<Page>[]>();

  add(series: string, page: Page, { reason, rule }: AdmissionRefusal): void {
    getOrInsert(this.#bySeries, series, () => []).push({ page, refusal: { reason, rule } });
  }

  /** Removes the first pages of a series, as long as one more may join. */
  release(series: string, mayJoin: () => boolean): Page[] {
    const waiting = this.#bySeries.get(series) ?? [];
    let count = 0;
    while (count < waiting.length && mayJoin()) count += 1;
    const released = waiting.splice(0, count).map(({ page }) => page);
    if (waiting.length === 0) this.#bySeries.delete(series);
    return released;
  }

  /** Removes all remaining pages. */
  takeAll(): WaitingPage<Page>[] {
    const all = [...this.#bySeries.values()].flat();
    this.#bySeries.clear();
    return all;
  }
}
