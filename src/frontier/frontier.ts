/**
 * Which page next. Takes what pages and sitemaps link to, removes duplicates, asks admission and
 * queues what may join: start page, sitemap entries, then links in the order of their pages.
 */
import { createHash } from 'node:crypto';
import type { SkippedUrl } from '../model/job.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { type AdmissionRules, refuse, refusePatterns } from './admission.ts';
import type { RequestQueue } from './request-queue.ts';
import type { Robots } from './robots.ts';
import { type Scope, scopeOf } from './scope.ts';

/** One page to fetch. */
export interface FrontierEntry {
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly discoveredBy: 'start' | 'link' | 'sitemap';
  /** A page of another site: its links are not followed. */
  readonly isLeaf: boolean;
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
  /** The text as received. */
  readonly body: string;
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

/** The frontier of one crawl. Its methods are called one after the other, never side by side. */
export class Frontier {
  readonly #settings: FrontierSettings;
  /** URL by fingerprint: who has it. */
  readonly #claims = new Map<string, string>();
  /** URL by the hash of its body. */
  readonly #bodies = new Map<string, string>();
  readonly #entries = new Map<string, FrontierEntry>();
  #scope: Scope;

  constructor(settings: FrontierSettings) {
    this.#settings = settings;
    this.#scope = scopeOf([new URL(settings.url)]);
  }

  /** Queues the start URL; only robots.txt can refuse it. */
  async addStart(): Promise<void> {
    const { url, robotsUserAgent } = this.#settings;
    const start = new URL(url);
    const robots = await this.#settings.robots(start.origin);
    if (robots !== undefined && !robots.isAllowed(url, robotsUserAgent)) {
      const rule = robots.rule(url, robotsUserAgent) ?? 'robots.txt';
      this.#settings.onSkipped({ url, reason: 'ROBOTS', rule });
      return;
    }
    this.#claims.set(this.#fingerprint(url), url);
    await this.#enqueue([
      { url, depth: 0, parent: undefined, discoveredBy: 'start', isLeaf: false },
    ]);
  }

  /** Considers URLs in their order and queues those that may join. */
  async add(found: readonly FoundUrl[]): Promise<void> {
    const fresh = found.filter(({ url }) => !this.#settings.isKnown(url));
    const origins = new Set(
      fresh
        .map(({ url }) => new URL(url))
        .filter((url) => this.#mayAskRobots(url))
        .map((url) => url.origin),
    );
    const robots = new Map(
      await Promise.all(
        [...origins].map(async (origin) => [origin, await this.#settings.robots(origin)] as const),
      ),
    );
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
      // A page that was fetched meanwhile may have redirected here or named this its canonical URL.
      const owner = this.#claims.get(this.#fingerprint(entry.url));
      if (owner === undefined || owner === entry.url) return entry;
      this.#skip(entry, 'DUPLICATE_URL', owner);
    }
  }

  /**
   * Settles what a fetched page is, in the order of the crawl: a document of its own, or a skip
   * because of where it ended up, what it repeats, or the patterns.
   */
  settle(entry: FrontierEntry, page: FetchedPage): Verdict {
    const finalUrl = new URL(page.finalUrl);
    if (entry.discoveredBy === 'start') {
      this.#scope = scopeOf([new URL(entry.url), finalUrl]);
      const refusal = refusePatterns(finalUrl, { rules: this.#settings.rules, scope: this.#scope });
      this.#claims.set(this.#fingerprint(page.finalUrl), entry.url);
      if (refusal !== undefined) return { skip: { url: entry.url, ...refusal }, followLinks: true };
    } else if (page.finalUrl !== entry.url) {
      const refusal = refuse({ url: finalUrl, depth: entry.depth }, this.#context(undefined));
      if (refusal !== undefined)
        return { skip: { ...skipOf(entry), ...refusal }, followLinks: false };
    }
    const skip = (reason: SkippedUrl['reason'], rule: string): SkippedUrl => ({
      ...skipOf(entry),
      reason,
      rule,
    });
    const owner = this.#claim(entry, page.finalUrl);
    if (owner !== undefined) return { skip: skip('DUPLICATE_URL', owner), followLinks: false };
    const twin = this.#claimBody(entry, page.body);
    if (twin !== undefined) return { skip: skip('DUPLICATE_CONTENT', twin), followLinks: false };
    const original = this.#claimCanonical(entry, page);
    if (original !== undefined) return { skip: skip('DUPLICATE_URL', original), followLinks: true };
    return { followLinks: true };
  }

  /** Marks everything that is still queued as skipped. */
  async skipRest(reason: 'LIMIT' | 'BUDGET', rule: string): Promise<void> {
    for (let entry = await this.next(); entry !== undefined; entry = await this.next()) {
      this.#skip(entry, reason, rule);
    }
  }

  #consider(
    found: FoundUrl,
    robots: ReadonlyMap<string, Robots | undefined>,
  ): FrontierEntry | undefined {
    const url = new URL(found.url);
    const key = this.#fingerprint(found.url);
    const owner = this.#claims.get(key);
    if (owner !== undefined) {
      this.#skip(found, 'DUPLICATE_URL', owner);
      return undefined;
    }
    const refusal = refuse({ url, depth: found.depth }, this.#context(robots.get(url.origin)));
    if (refusal !== undefined) {
      this.#settings.onSkipped({ ...skipOf(found), ...refusal });
      return undefined;
    }
    this.#claims.set(key, found.url);
    return { ...found, isLeaf: this.#scope.territoryOf(url) === 'external' };
  }

  /** No robots.txt is fetched for a place where nothing would be taken anyway. */
  #mayAskRobots(url: URL): boolean {
    return refuse({ url, depth: 0 }, this.#context(undefined)) === undefined;
  }

  #context(robots: Robots | undefined): Parameters<typeof refuse>[1] {
    const { rules, robotsUserAgent } = this.#settings;
    return { rules, scope: this.#scope, robots, robotsUserAgent };
  }

  /** Claims a URL for the entry; gives the URL of the page that had it before. */
  #claim(entry: FrontierEntry, url: string): string | undefined {
    const key = this.#fingerprint(url);
    const owner = this.#claims.get(key);
    // A URL that waits in the queue yields to the page that got there first.
    if (owner !== undefined && owner !== entry.url && !this.#entries.has(owner)) return owner;
    this.#claims.set(key, entry.url);
    return undefined;
  }

  /** A whole site that names its home page as canonical is a mistake, not one page. */
  #claimCanonical(entry: FrontierEntry, page: FetchedPage): string | undefined {
    const { canonical } = page;
    if (canonical === undefined || !this.#settings.rules.deduplicateSimilarURLs) return undefined;
    if (new URL(canonical).pathname === '/' && new URL(page.finalUrl).pathname !== '/') {
      return undefined;
    }
    return this.#claim(entry, canonical);
  }

  #claimBody(entry: FrontierEntry, body: string): string | undefined {
    if (!this.#settings.deduplicateContent || body.trim() === '') return undefined;
    const hash = createHash('sha256').update(body).digest('base64');
    const twin = this.#bodies.get(hash);
    if (twin === undefined) this.#bodies.set(hash, entry.url);
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
