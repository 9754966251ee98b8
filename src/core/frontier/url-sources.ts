/** The sources of the URLs of a crawl, in their order: start page, sitemaps and feeds, then links. */
import { setImmediate } from 'node:timers/promises';
import type { EarlyEnd, Frontier, FrontierEntry } from './frontier.ts';
import type { OrderKind } from './orders/crawl-order.ts';
import type { SitemapItem } from './robots/site-files.ts';
import { latestTimeOf } from './sitemaps/sitemap-date.ts';
import type { SitemapNeed } from './sitemaps/sitemaps.ts';

const limits = {
  sitemapBatch: 500, // entries added to the queue in one call
  linkBatch: 500, // links added to the queue in one call: 500 take 15 ms
  readAhead: 100_000, // entries read before the best of them is chosen
};

/** Settings of the sources. */
export interface UrlSourcesSettings {
  readonly frontier: Frontier;
  readonly order: Pick<OrderKind<never>, 'readsAhead' | 'readsTexts'>;
  /** The sitemaps of a URL's site; undefined if none are read. */
  readonly sitemap: (
    url: string,
    need: SitemapNeed,
  ) => AsyncGenerator<SitemapItem, void, undefined> | undefined;
  /** The entries of feeds; undefined if none are read. */
  readonly feeds: (
    urls: readonly string[],
    need: SitemapNeed,
  ) => AsyncGenerator<SitemapItem, void, undefined> | undefined;
  readonly followLinks: boolean;
  /** The most sitemaps and feeds that are read. */
  readonly mostFiles: number;
  readonly warn: (sentence: string) => void;
}

/** The links of a page, and its title. */
export interface LinkingPage {
  readonly title: string | undefined;
  readonly links: readonly string[];
  /** The text of each link; only if the order of pages depends on it. */
  readonly linkTexts?: readonly string[];
}

/**
 * Entries of sitemaps and feeds come before links, so links wait until these are read. They are
 * read as far as pages are needed, and only after the start page is settled.
 */
export class UrlSources {
  readonly #settings: UrlSourcesSettings;
  #entries: AsyncGenerator<FoundEntry, void, undefined> | undefined;
  /** The needed part of the sitemaps and the feeds. */
  readonly #need: SitemapNeed;
  #read = 0;
  #stage: 'waiting' | 'entries' | 'links' = 'waiting';
  readonly #held: Parameters<UrlSources['addLinks']>[] = [];
  readonly #heldUrls = new Map<string, string>();

  constructor(settings: UrlSourcesSettings) {
    this.#settings = settings;
    this.#need = { files: settings.mostFiles, rule: `budget.requests is ${settings.mostFiles}` };
  }

  /** The start page is settled: its site's sitemaps and its feeds may be read. */
  begin({ finalUrl, feeds }: { finalUrl: string; feeds: readonly string[] }): void {
    // A start page that is retried.
    if (this.#stage !== 'waiting') return;
    const { sitemap, feeds: feedEntries } = this.#settings;
    this.#entries = entriesOf({
      sitemap: sitemap(finalUrl, this.#need),
      feed: feedEntries(feeds, this.#need),
    });
    this.#stage = 'entries';
  }

  /** The next page in order; undefined if there is none now. */
  async next(): Promise<FrontierEntry | undefined> {
    const { frontier, order } = this.#settings;
    for (;;) {
      if (this.#stage === 'entries' && order.readsAhead === true) {
        await this.#addEntries();
        if (this.#read >= limits.readAhead) await this.flush();
        continue;
      }
      const entry = await frontier.next();
      if (entry === 'later') return undefined;
      if (entry !== undefined || this.#entries === undefined) return entry;
      await this.#addEntries();
    }
  }

  /** Adds the links of a page, now or after the sitemaps are read. */
  async addLinks(entry: FrontierEntry, page: LinkingPage): Promise<void> {
    if (!this.#settings.followLinks) return;
    if (this.#stage === 'links') {
      await this.#add(entry, page);
      return;
    }
    const { title, links, linkTexts } = page;
    const held = { title: undefined, links: links.map((url) => this.#shared(url)) };
    // A title may be a slice of the page's source, and would retain all of it in memory.
    const { readsTexts } = this.#settings.order;
    const texts = readsTexts === true ? { title, ...(linkTexts && { linkTexts }) } : {};
    this.#held.push([entry, { ...held, ...texts }]);
  }

  /** Pages of a site link to the same pages: 40 links of each would take 40 MB for 10,000 pages. */
  #shared(url: string): string {
    const known = this.#heldUrls.get(url);
    if (known !== undefined) return known;
    this.#heldUrls.set(url, url);
    return url;
  }

  /** Adds the waiting links; links that arrive meanwhile wait for the next call. */
  async flush(): Promise<void> {
    for (let one = this.#held.shift(); one !== undefined; one = this.#held.shift()) {
      await this.#add(...one);
    }
    this.#heldUrls.clear();
    this.#stage = 'links';
  }

  /**
   * Accounts for unread entries, when no more pages are fetched: entries of the fetched sitemaps, and of `files`
   * further ones. `onBatch` is called now and then; false ends it.
   */
  async skipEntries(
    reason: EarlyEnd,
    rule: string,
    { files, onBatch }: { readonly files: number; readonly onBatch: () => Promise<boolean> },
  ): Promise<void> {
    this.#need.files = Math.min(this.#need.files, files);
    this.#need.rule = 'no more pages were needed';
    while (this.#entries !== undefined) {
      const { found } = await this.#readEntries();
      await this.#settings.frontier.skipFound(found, reason, rule);
      if (!(await onBatch())) return;
    }
  }

  async #addEntries(): Promise<void> {
    const { found, texts } = await this.#readEntries();
    this.#read += found.length;
    await this.#settings.frontier.add(found, { texts });
    if (this.#entries === undefined) await this.flush();
  }

  /** The next entries; empty after the last ones. */
  async #readEntries(): Promise<{
    readonly found: readonly FrontierEntry[];
    readonly texts: ReadonlyMap<string, string>;
  }> {
    const found: FrontierEntry[] = [];
    const texts = new Map<string, string>();
    while (found.length < limits.sitemapBatch) {
      const next = await this.#entries?.next();
      if (next === undefined || next.done === true) {
        this.#entries = undefined;
        break;
      }
      const { item, source } = next.value;
      if ('warning' in item) {
        this.#settings.warn(item.warning);
        continue;
      }
      // The date of a feed's entry is its date of publication.
      const { lastmod } = source === 'sitemap' ? item : {};
      const unchangedSince = lastmod === undefined ? undefined : latestTimeOf(lastmod);
      found.push({
        url: item.url,
        depth: 0,
        parent: undefined,
        discoveredBy: source,
        ...(unchangedSince === undefined ? {} : { unchangedSince }),
      });
      if (item.title !== undefined) texts.set(item.url, item.title);
    }
    return { found, texts };
  }

  async #add(entry: FrontierEntry, { title, links, linkTexts = [] }: LinkingPage): Promise<void> {
    const texts = new Map(linkTexts.map((text, index) => [links[index] ?? '', text]));
    const from = { depth: entry.depth + 1, parent: entry.url, discoveredBy: 'link' as const };
    for (let start = 0; start < links.length; start += limits.linkBatch) {
      // A page may have 100,000 links: the event loop runs between batches.
      if (start > 0) await setImmediate();
      const batch = links.slice(start, start + limits.linkBatch);
      await this.#settings.frontier.add(
        batch.map((url) => ({ ...from, url })),
        { page: entry.url, title, texts },
      );
    }
  }
}

interface FoundEntry {
  readonly item: SitemapItem;
  readonly source: 'sitemap' | 'feed';
}

async function* entriesOf(
  sources: Readonly<Record<FoundEntry['source'], AsyncIterable<SitemapItem> | undefined>>,
): AsyncGenerator<FoundEntry, void, undefined> {
  for (const source of ['sitemap', 'feed'] as const) {
    for await (const item of sources[source] ?? []) yield { item, source };
  }
}
