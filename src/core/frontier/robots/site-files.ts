/** The site files that a crawl reads: robots.txt, once a day for each origin, and sitemaps. */
import { type ErrorCode, messageOf, PagewrightError } from '../../runtime/errors.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import {
  closedRobots,
  parseRobots,
  type Robots,
  robotsFromResponse,
  robotsSizeLimit,
} from './robots.ts';
import { type SitemapEntry, type SitemapNeed, walkSitemaps } from '../sitemaps/sitemaps.ts';

const limits = {
  crawlDelay: 10_000, // milliseconds
  sitemaps: 500,
  feeds: 20,
  rulesBytes: 2 * 1024 * 1024, // of robots.txt in memory; parsed, they take up to 50 times as much
  baseBytes: 1024, // bytes counted for an origin besides its rules
};

/** The parts of a response that matter here. */
export type FetchedFile = Pick<Snapshot, 'statusCode' | 'body' | 'url' | 'isCut'>;

/** The purpose of a file: sitemaps and feeds list pages. */
export type FilePurpose = 'robots' | 'listing';

/** Settings for the files of a site. */
export interface SiteFilesSettings {
  /**
   * Fetches one file within its own time limit, redirects to other hosts included; rejects when
   * there is no response.
   */
  readonly fetch: (url: string, purpose: FilePurpose) => Promise<FetchedFile>;
  /** False ignores the rules of robots.txt; its Sitemap lines still count. */
  readonly obeyRobots: boolean;
  readonly robotsUserAgent: string;
  readonly signal: AbortSignal;
  /** Milliseconds; robots.txt is read again after a day. @default Date.now */
  readonly now?: () => number;
}

/** An entry of a sitemap or a feed, or a warning about its file. */
export type SitemapItem = SitemapEntry | { readonly warning: string };

/** The robots rules and sitemaps of the sites of one crawl. */
export class SiteFiles {
  readonly #settings: SiteFilesSettings;
  readonly #cache: RobotsCache;
  /** Crawl-delay in milliseconds by origin, if its robots.txt sets one. */
  readonly #crawlDelays = new Map<string, number>();

  constructor(settings: SiteFilesSettings) {
    this.#settings = settings;
    this.#cache = new RobotsCache((origin) => this.#readRobots(origin), settings.now ?? Date.now);
  }

  /** The rules to obey at an origin; undefined if robots.txt is ignored. */
  async robots(origin: string): Promise<Robots | undefined> {
    return this.#settings.obeyRobots ? this.#cache.get(origin) : undefined;
  }

  /** The Crawl-delay of robots.txt in milliseconds, at most 10 s; 0 without one. */
  crawlDelay(url: string): number {
    return this.#settings.obeyRobots ? (this.#crawlDelays.get(new URL(url).origin) ?? 0) : 0;
  }

  /**
   * The site's sitemaps in a stable order: the sitemaps that robots.txt names, on any host, then
   * `/sitemap.xml` and `/sitemap_index.xml`, whose absence is not a warning; a start URL that is a
   * sitemap itself comes first. `need` may end the walk early.
   */
  async *sitemap(
    startUrl: string,
    need?: SitemapNeed,
  ): AsyncGenerator<SitemapItem, void, undefined> {
    const { robotsUserAgent, signal } = this.#settings;
    const { origin, pathname } = new URL(startUrl);
    const robots = await this.#cache.get(origin);
    const named = robots.sitemaps
      .filter((url) => canParseUrl(url, origin))
      .map((url) => new URL(url, origin).href);
    if (/\.xml(\.gz)?$/i.test(pathname)) named.unshift(startUrl);
    // Guessed sitemaps need permission of robots.txt; named ones are invitations.
    const guessed = [`${origin}/sitemap.xml`, `${origin}/sitemap_index.xml`]
      .filter((url) => !named.includes(url))
      .filter((url) => !this.#settings.obeyRobots || robots.isAllowed(url, robotsUserAgent));
    const items = walkSitemaps([...new Set([...named, ...guessed])], this.#fetchListing, {
      maxSitemaps: limits.sitemaps,
      signal,
      optional: new Set(guessed),
      need,
    });
    yield* items;
  }

  /** The entries of feeds that a page names, if robots.txt allows the feeds. */
  async *feeds(
    urls: readonly string[],
    need?: SitemapNeed,
  ): AsyncGenerator<SitemapItem, void, undefined> {
    const { robotsUserAgent, signal } = this.#settings;
    const open: string[] = [];
    for (const url of new Set(urls.slice(0, limits.feeds))) {
      const robots = await this.robots(new URL(url).origin);
      if (robots === undefined || robots.isAllowed(url, robotsUserAgent)) open.push(url);
    }
    yield* walkSitemaps(open, this.#fetchListing, { maxSitemaps: limits.feeds, signal, need });
  }

  readonly #fetchListing = (url: string): Promise<FetchedFile> =>
    this.#settings.fetch(url, 'listing');

  async #readRobots(origin: string): Promise<ReadRobots> {
    const read = await this.#settings.fetch(`${origin}/robots.txt`, 'robots').then(
      ({ statusCode, body, isCut = false }) => {
        // The missing rules might disallow more than the received ones.
        const isLost = isCut && statusCode < 300;
        return {
          robots: isLost ? robotsFromFailure(brokenOff) : robotsFromResponse(statusCode, body),
          isReached: statusCode < 500 && !isLost,
          size: body.length,
        };
      },
      (error: unknown) => ({
        // A fetch that ends with the crawl says nothing about the site.
        robots: this.#settings.signal.aborted ? parseRobots('') : robotsFromFailure(error),
        isReached: false,
        size: 0,
      }),
    );
    const seconds = read.robots.crawlDelay(this.#settings.robotsUserAgent) ?? 0;
    if (seconds > 0) this.#crawlDelays.set(origin, Math.min(seconds * 1000, limits.crawlDelay));
    return read;
  }
}

/**
 * No response closes the site (RFC 9309, 2.3.1.4), except for failures that its pages share:
 * without a connection a page reports the error itself, and no page is read against the site's
 * will. A robots.txt that is refused, or behind endless or impossible redirects, counts as missing
 * (2.3.1.2, 2.3.1.3).
 */
function robotsFromFailure(error: unknown): Robots {
  const code = error instanceof PagewrightError ? error.code : undefined;
  if (code !== undefined && openFailures.has(code)) return parseRobots('');
  const reason = [code, messageOf(error)].filter((part) => part !== undefined).join(': ');
  return closedRobots(`robots.txt could not be read: ${reason}`, error);
}

const brokenOff = new PagewrightError('TRUNCATED_BODY', 'robots.txt was cut off.');

const openFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DNS',
  'CONNECTION_REFUSED',
  'TLS',
  'BLOCKED_ADDRESS',
  'PROXY_FAILED',
  'BLOCKED_BY_SITE',
  'TOO_MANY_REDIRECTS',
  'BAD_REDIRECT',
  'UNSUPPORTED_PROTOCOL',
  // A missing folder of fixtures, an invalid option.
  'BAD_REQUEST',
]);

// The robots.txt of the origins of one crawl: each read once a day, within a memory limit.

/** A robots.txt, as far as it could be read. */
interface ReadRobots {
  readonly robots: Robots;
  /** False if the site was unreachable: it is requested again soon, and earlier rules stay. */
  readonly isReached: boolean;
  /** Bytes of the file. */
  readonly size: number;
}

interface CachedRobots {
  readonly reading: Promise<ReadRobots>;
  /** Milliseconds; infinite while it is being read. */
  expires: number;
  size: number;
}

const day = 24 * 60 * 60 * 1000; // RFC 9309, 2.4: the longest use of a copy of a reachable site
const minute = 60 * 1000;

/** A least-recently-used cache. */
export class RobotsCache {
  readonly #read: (origin: string) => Promise<ReadRobots>;
  readonly #now: () => number;
  /** By origin, in the order of use. */
  readonly #entries = new Map<string, CachedRobots>();
  #size = 0;

  /** `read` never rejects. `now` gives milliseconds. */
  constructor(read: (origin: string) => Promise<ReadRobots>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  async get(origin: string): Promise<Robots> {
    const known = this.#entries.get(origin);
    const isFresh = known !== undefined && this.#now() < known.expires;
    const entry = isFresh ? known : this.#begin(origin, known);
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    return (await entry.reading).robots;
  }

  #begin(origin: string, known: CachedRobots | undefined): CachedRobots {
    const reading = this.#readAnew(origin, known?.reading);
    const entry: CachedRobots = { reading, expires: Infinity, size: known?.size ?? 0 };
    reading.then(
      (read) => this.#settle(origin, entry, read),
      // `read` never rejects.
      () => this.#forget(origin, entry),
    );
    return entry;
  }

  #forget(origin: string, entry: CachedRobots): void {
    if (this.#entries.get(origin) !== entry) return;
    this.#entries.delete(origin);
    this.#size -= entry.size;
  }

  /** Earlier rules of a site apply while it is unreachable. */
  async #readAnew(origin: string, known: Promise<ReadRobots> | undefined): Promise<ReadRobots> {
    const read = await this.#read(origin);
    if (read.isReached || known === undefined) return read;
    const { robots, size } = await known;
    return { robots, size, isReached: false };
  }

  #settle(origin: string, entry: CachedRobots, { isReached, size }: ReadRobots): void {
    entry.expires = this.#now() + (isReached ? day : minute);
    // It may have been evicted while it was read.
    if (this.#entries.get(origin) !== entry) return;
    this.#size -= entry.size;
    entry.size = limits.baseBytes + Math.min(size, robotsSizeLimit);
    this.#size += entry.size;
    for (const [oldest, { size: freed }] of this.#entries) {
      if (this.#size <= limits.rulesBytes || oldest === origin) break;
      this.#entries.delete(oldest);
      this.#size -= freed;
    }
  }
}
