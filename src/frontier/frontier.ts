/**
 * Which page next. Takes what pages and sitemaps link to, removes duplicates, asks admission and
 * queues what may join: start page, sitemap entries, then links in the order of their pages.
 */
import { setImmediate } from 'node:timers/promises';
import type { SkippedUrl } from '../model/job.ts';
import { fingerprint } from '../url/fingerprint.ts';
import {
  type AdmissionContext,
  type AdmissionRules,
  type Refusal,
  refuse,
  refusePatterns,
  refuseRobots,
} from './admission.ts';
import type { RequestQueue } from './request-queue.ts';
import type { Robots } from './robots.ts';
import { type Scope, scopeOf } from './scope.ts';

/** One page to fetch. */
export interface FrontierEntry {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly discoveredBy: 'start' | 'link' | 'sitemap';
  /** On another host than the start: its robots.txt is asked when the page is fetched. */
  readonly asksRobots: boolean;
}

/** A URL that a page or a sitemap names. */
export interface FoundUrl {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly discoveredBy: 'link' | 'sitemap';
}

/** What became known of a page when it was fetched. */
export interface FetchedPage {
  readonly finalUrl: string;
  readonly canonical: string | undefined;
  /** The same for the same text; undefined for a page without any. */
  readonly textHash: string | undefined;
  /** The robots rules of the final URL's origin. */
  readonly robots: Robots | undefined;
}

/** What a fetched page is: a document, or a skip; and whether its links count. */
export interface Verdict {
  readonly skip?: SkippedUrl;
  readonly followLinks: boolean;
}

/** What the frontier works by. */
export interface FrontierSettings {
  readonly url: string;
  readonly rules: AdmissionRules & {
    readonly ignoreQueryParameters: boolean;
    readonly deduplicateSimilarURLs: boolean;
  };
  readonly robotsUserAgent: string;
  readonly deduplicateContent: boolean;
  readonly queue: RequestQueue;
  /** The robots rules of an origin, fetched once; undefined when they are ignored. */
  readonly robots: (origin: string) => Promise<Robots | undefined>;
  /** Told of every URL the frontier takes or leaves. */
  readonly onPending: (entry: FrontierEntry) => void;
  readonly onSkipped: (skip: SkippedUrl) => void;
  /** True when the URL was met before, whatever became of it. */
  readonly isKnown: (url: string) => boolean;
}

/** URLs that are skipped before the process goes on; 100 take 10 ms. */
const skippedAtOnce = 100;

/** The frontier of one crawl. Its methods are called one after the other, never side by side. */
export class Frontier {
  readonly #settings: FrontierSettings;
  /** URL by fingerprint: what was queued. */
  readonly #queued = new Map<string, string>();
  /** URL by fingerprint: which settled page has it, by its final or its canonical URL. */
  readonly #settled = new Map<string, string>();
  /** URL by the hash of its text. */
  readonly #texts = new Map<string, string>();
  readonly #entries = new Map<string, FrontierEntry>();
  #scope: Scope;

  constructor(settings: FrontierSettings) {
    this.#settings = settings;
    this.#scope = scopeOf([new URL(settings.url)]);
  }

  /** Queues the start URL; false when robots.txt refuses it, which nothing else can. */
  async addStart(): Promise<boolean> {
    const { url, robotsUserAgent } = this.#settings;
    const start = new URL(url);
    const robots = await this.#settings.robots(start.origin);
    if (robots !== undefined && !robots.isAllowed(url, robotsUserAgent)) {
      const rule = robots.rule(url, robotsUserAgent) ?? 'robots.txt';
      this.#settings.onSkipped({ url, reason: 'ROBOTS', rule });
      return false;
    }
    this.#queued.set(this.#fingerprint(url), url);
    await this.#enqueue([
      { url, depth: 0, parent: undefined, discoveredBy: 'start', asksRobots: false },
    ]);
    return true;
  }

  /** Considers URLs in their order and queues those that may join. */
  async add(found: readonly FoundUrl[]): Promise<void> {
    const fresh = found.filter(({ url }) => !this.#settings.isKnown(url));
    const robots = await this.#siteRobots(fresh.map(({ url }) => new URL(url)));
    const admitted: FrontierEntry[] = [];
    for (const one of fresh) {
      if (this.#settings.isKnown(one.url)) continue;
      const entry = this.#consider(one, robots);
      if (entry === undefined) continue;
      this.#settings.onPending(entry);
      admitted.push(entry);
    }
    await this.#enqueue(admitted);
  }

  /** The next page in order, or undefined when none is queued. */
  async next(): Promise<FrontierEntry | undefined> {
    for (;;) {
      const request = await this.#settings.queue.next();
      if (request === undefined) return undefined;
      const entry = this.#entries.get(request.uniqueKey);
      await this.#settings.queue.markHandled(request);
      this.#entries.delete(request.uniqueKey);
      if (entry === undefined) continue;
      const owner = this.ownerOf(entry);
      if (owner === undefined) return entry;
      this.#skip(entry, 'DUPLICATE_URL', owner);
    }
  }

  /** The settled page that redirected to this URL, or named it its canonical one. */
  ownerOf(entry: FrontierEntry): string | undefined {
    const owner = this.#settled.get(this.#fingerprint(entry.url));
    return owner === entry.url ? undefined : owner;
  }

  /**
   * Settles what a fetched page is, in the order of the crawl: a document of its own, or a skip
   * because of where it ended up, what it repeats, or the patterns. Only settled pages own URLs, so
   * that the answer does not depend on what is in flight.
   */
  settle(entry: FrontierEntry, page: FetchedPage): Verdict {
    const finalUrl = new URL(page.finalUrl);
    const refusal = this.#refuseFinal(entry, finalUrl, page.robots);
    if (refusal !== undefined) {
      return {
        skip: { ...skipOf(entry), ...refusal },
        followLinks: entry.discoveredBy === 'start' && refusal.reason !== 'ROBOTS',
      };
    }
    const skip = (reason: SkippedUrl['reason'], rule: string): SkippedUrl => ({
      ...skipOf(entry),
      reason,
      rule,
    });
    const key = this.#fingerprint(page.finalUrl);
    const owner = this.ownerOf(entry) ?? this.#settled.get(key);
    if (owner !== undefined) return { skip: skip('DUPLICATE_URL', owner), followLinks: false };
    const followLinks = this.#scope.territoryOf(finalUrl) !== 'external';
    this.#settled.set(key, entry.url);
    const canonical = this.#canonicalKey(page);
    const original = canonical === undefined ? undefined : this.#settled.get(canonical);
    if (original !== undefined && original !== entry.url) {
      return { skip: skip('DUPLICATE_URL', original), followLinks };
    }
    const twin = this.#claimText(entry, page.textHash);
    if (twin !== undefined) return { skip: skip('DUPLICATE_CONTENT', twin), followLinks: false };
    if (canonical !== undefined) this.#settled.set(canonical, entry.url);
    return { followLinks };
  }

  /** Marks everything that is still queued as skipped. */
  async skipRest(reason: 'LIMIT' | 'BUDGET', rule: string): Promise<void> {
    let skipped = 0;
    for (let entry = await this.next(); entry !== undefined; entry = await this.next()) {
      this.#skip(entry, reason, rule);
      // Nothing above waits for the network: without this the process would stand still.
      if (++skipped % skippedAtOnce === 0) await setImmediate();
    }
  }

  /** The start page moves the crawl to where it redirects; any other page must stay inside. */
  #refuseFinal(
    entry: FrontierEntry,
    finalUrl: URL,
    robots: Robots | undefined,
  ): Refusal | undefined {
    if (entry.discoveredBy === 'start') {
      this.#scope = scopeOf([new URL(entry.url), finalUrl]);
      return (
        refuseRobots(finalUrl, this.#context(robots)) ??
        refusePatterns(finalUrl, { rules: this.#settings.rules, scope: this.#scope })
      );
    }
    if (finalUrl.href === entry.url) return undefined;
    return refuse({ url: finalUrl, depth: entry.depth }, this.#context(robots));
  }

  #consider(
    found: FoundUrl,
    robots: ReadonlyMap<string, Robots | undefined>,
  ): FrontierEntry | undefined {
    const url = new URL(found.url);
    const key = this.#fingerprint(found.url);
    const owner = this.#queued.get(key) ?? this.#settled.get(key);
    if (owner !== undefined) {
      this.#skip(found, 'DUPLICATE_URL', owner);
      return undefined;
    }
    const refusal = refuse({ url, depth: found.depth }, this.#context(robots.get(url.origin)));
    if (refusal !== undefined) {
      this.#settings.onSkipped({ ...skipOf(found), ...refusal });
      return undefined;
    }
    this.#queued.set(key, found.url);
    const isOnSite = this.#scope.territoryOf(url) === 'site';
    return { ...found, asksRobots: !isOnSite };
  }

  /** Robots of the site itself; other hosts are asked when their pages are fetched, so none waits for them. */
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

  /** A whole site that names its home page as canonical is a mistake, not one page. */
  #canonicalKey({ canonical, finalUrl }: FetchedPage): string | undefined {
    if (canonical === undefined || !this.#settings.rules.deduplicateSimilarURLs) return undefined;
    const isHome = (url: string): boolean => new URL(url).pathname === '/';
    return isHome(canonical) && !isHome(finalUrl) ? undefined : this.#fingerprint(canonical);
  }

  #claimText(entry: FrontierEntry, hash: string | undefined): string | undefined {
    if (!this.#settings.deduplicateContent || hash === undefined) return undefined;
    const twin = this.#texts.get(hash);
    if (twin === undefined) this.#texts.set(hash, entry.url);
    return twin;
  }

  async #enqueue(entries: readonly FrontierEntry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.discoveredBy === 'start') this.#settings.onPending(entry);
      this.#entries.set(entry.url, entry);
    }
    await this.#settings.queue.add(
      entries.map(({ url, depth }) => ({ url, uniqueKey: url, userData: { depth } })),
    );
  }

  #skip(found: Pick<FoundUrl, 'url' | 'parent'>, reason: SkippedUrl['reason'], rule: string): void {
    this.#settings.onSkipped({ ...skipOf(found), reason, rule });
  }

  #fingerprint(url: string): string {
    return fingerprint(url, this.#settings.rules);
  }
}

function skipOf({ url, parent }: Pick<FoundUrl, 'url' | 'parent'>): {
  readonly url: string;
  readonly parent?: string;
} {
  return parent === undefined ? { url } : { url, parent };
}
