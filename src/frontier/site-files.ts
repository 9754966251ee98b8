/** What a crawl reads of a site beside its pages: robots.txt, once per origin, and sitemaps. */
import { TextDecoder } from 'node:util';
import { type Robots, robotsFromResponse } from './robots.ts';
import { type SitemapEntry, walkSitemaps } from './sitemaps.ts';

/** One response, of which only this much matters here. */
export interface FetchedFile {
  readonly statusCode: number;
  readonly body: Uint8Array;
  /** The final URL. */
  readonly url: string;
}

/** How the files of a site are read. */
export interface SiteFilesSettings {
  /** Fetches one file within its own time limit; rejects when there is no response. */
  readonly fetch: (url: string) => Promise<FetchedFile>;
  /** False reads no robots.txt for permission; its Sitemap lines still count. */
  readonly obeyRobots: boolean;
  readonly robotsUserAgent: string;
  readonly signal: AbortSignal;
}

/** One sitemap entry, or a sentence about a part that could not be read. */
export type SitemapItem = SitemapEntry | { readonly warning: string };

/** The robots rules and sitemaps of the sites of one crawl. */
export class SiteFiles {
  readonly #settings: SiteFilesSettings;
  readonly #robots = new Map<string, Promise<Robots>>();
  /** Milliseconds by origin; known once its robots.txt was read. */
  readonly #crawlDelays = new Map<string, number>();

  constructor(settings: SiteFilesSettings) {
    this.#settings = settings;
  }

  /** The rules to obey at an origin; undefined when robots.txt is ignored. */
  async robots(origin: string): Promise<Robots | undefined> {
    return this.#settings.obeyRobots ? this.#robotsTxt(origin) : undefined;
  }

  /** Milliseconds that robots.txt asks for between two requests, at most 10 s; 0 when it does not. */
  crawlDelay(url: string): number {
    return this.#settings.obeyRobots ? (this.#crawlDelays.get(new URL(url).origin) ?? 0) : 0;
  }

  /**
   * The site's sitemaps in a stable order: those robots.txt names, then `/sitemap.xml` and
   * `/sitemap_index.xml`, whose absence is no news; a start URL that is a sitemap itself first.
   */
  async *sitemap(startUrl: string): AsyncGenerator<SitemapItem, void, undefined> {
    const { origin, pathname } = new URL(startUrl);
    const named = (await this.#robotsTxt(origin)).sitemaps
      .filter((url) => URL.canParse(url, origin))
      .map((url) => new URL(url, origin).href);
    if (/\.xml(\.gz)?$/i.test(pathname)) named.unshift(startUrl);
    const guessed = [`${origin}/sitemap.xml`, `${origin}/sitemap_index.xml`];
    const starts = [...new Set([...named, ...guessed])];
    const optional = new Set(guessed.filter((url) => !named.includes(url)));
    const items = walkSitemaps(starts, (url) => this.#settings.fetch(url), {
      maxSitemaps: maximumSitemaps,
      signal: this.#settings.signal,
      optional,
    });
    yield* items;
  }

  #robotsTxt(origin: string): Promise<Robots> {
    const known = this.#robots.get(origin);
    if (known !== undefined) return known;
    const robots = this.#readRobots(origin);
    this.#robots.set(origin, robots);
    return robots;
  }

  async #readRobots(origin: string): Promise<Robots> {
    const robots = await this.#settings.fetch(`${origin}/robots.txt`).then(
      ({ statusCode, body }) => robotsFromResponse(statusCode, new TextDecoder().decode(body)),
      // A host that does not answer is judged by its pages, each with an error of its own.
      () => robotsFromResponse(404, ''),
    );
    const seconds = robots.crawlDelay(this.#settings.robotsUserAgent) ?? 0;
    this.#crawlDelays.set(origin, Math.min(seconds * 1000, maximumCrawlDelay));
    return robots;
  }
}

const maximumCrawlDelay = 10_000;
const maximumSitemaps = 500;
