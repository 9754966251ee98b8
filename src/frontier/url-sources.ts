/** Where the URLs of a crawl come from, in their order: start page, sitemaps, then links. */
import { setImmediate } from 'node:timers/promises';
import type { FoundUrl, Frontier, FrontierEntry } from './frontier.ts';
import type { SitemapItem } from './site-files.ts';

/** What the sources work with. */
export interface UrlSourcesSettings {
  readonly frontier: Frontier;
  /** The sitemaps of the site that a URL belongs to; undefined when none are read. */
  readonly sitemap: (url: string) => AsyncGenerator<SitemapItem, void, undefined> | undefined;
  readonly followLinks: boolean;
  readonly warn: (sentence: string) => void;
}

/** Sitemap entries join the queue so many at a time: one call for a batch. */
const sitemapBatch = 500;
/** The same for links; 500 take 15 ms. */
const linkBatch = 500;

/**
 * Sitemap entries come before links, so links wait until the sitemaps are read. Sitemaps are read
 * as far as pages are needed, and only when it is settled where the start page led.
 */
export class UrlSources {
  readonly #settings: UrlSourcesSettings;
  #entries: AsyncGenerator<SitemapItem, void, undefined> | undefined;
  #stage: 'waiting' | 'sitemaps' | 'links' = 'waiting';
  readonly #held: { readonly entry: FrontierEntry; readonly links: readonly string[] }[] = [];

  constructor(settings: UrlSourcesSettings) {
    this.#settings = settings;
  }

  /** The start page is settled at this URL: its site's sitemaps may be read. */
  begin(url: string): void {
    this.#entries = this.#settings.sitemap(url);
    this.#stage = 'sitemaps';
  }

  /** The next page in order; undefined when there is none now. */
  async next(): Promise<FrontierEntry | undefined> {
    for (;;) {
      const entry = await this.#settings.frontier.next();
      if (entry !== undefined || this.#stage !== 'sitemaps') return entry;
      await this.#addSitemapEntries();
    }
  }

  /** Takes the links of a page, now or when the sitemaps are read. */
  async addLinks(entry: FrontierEntry, links: readonly string[]): Promise<void> {
    if (!this.#settings.followLinks) return;
    if (this.#stage === 'links') await this.#add(entry, links);
    else this.#held.push({ entry, links });
  }

  /** Takes the links that waited; what arrives meanwhile waits for its turn. */
  async flush(): Promise<void> {
    for (let one = this.#held.shift(); one !== undefined; one = this.#held.shift()) {
      await this.#add(one.entry, one.links);
    }
    this.#stage = 'links';
  }

  async #addSitemapEntries(): Promise<void> {
    const found: FoundUrl[] = [];
    while (found.length < sitemapBatch) {
      const item = await this.#entries?.next();
      if (item === undefined || item.done === true) break;
      if ('warning' in item.value) this.#settings.warn(item.value.warning);
      else
        found.push({ url: item.value.url, depth: 0, parent: undefined, discoveredBy: 'sitemap' });
    }
    await this.#settings.frontier.add(found);
    if (found.length < sitemapBatch) await this.flush();
  }

  async #add(entry: FrontierEntry, links: readonly string[]): Promise<void> {
    const from = { depth: entry.depth + 1, parent: entry.url, discoveredBy: 'link' as const };
    for (let start = 0; start < links.length; start += linkBatch) {
      // A page may have 100,000 links: the process goes on between them.
      if (start > 0) await setImmediate();
      const batch = links.slice(start, start + linkBatch);
      await this.#settings.frontier.add(batch.map((url) => ({ ...from, url })));
    }
  }
}
