/** map(): the URLs of a site, from its sitemaps, feeds and links. */
import { discoverLinks } from './frontier/discover-links.ts';
import { SiteFiles } from './frontier/site-files.ts';
import { type SiteLink, SiteMap } from './frontier/site-map.ts';
import { parseSitemap } from './frontier/sitemaps.ts';
import { readMetadata } from './formats/metadata.ts';
import { isElement } from './html/dom.ts';
import type { Page } from './model/page.ts';
import { startDeadline, withSignal } from './network/deadline.ts';
import type { MapSettings } from './options/map-options.ts';
import { parseSnapshot } from './parsers/index.ts';
import type { Parts } from './parts.ts';
import { fetchFile, fetchSnapshot } from './pipeline.ts';
import { resolveLink } from './url/normalize-url.ts';

/** What `map()` gives. */
export interface MapResult {
  /** The start URL first, then sitemap entries, feed entries and links in their order. */
  readonly links: SiteLink[];
  /** What could not be read; the rest is there. */
  readonly warning?: string;
}

/** Pages whose links are read at most. */
const pageLimit = 50;

/** Lists the URLs of a site. Rejects when the start page cannot be fetched and nothing else is found. */
export async function mapSite(parts: Parts, settings: MapSettings): Promise<MapResult> {
  using deadline = startDeadline(
    settings.timeout,
    [settings.signal, parts.signal],
    `Mapping ${settings.url}`,
  );
  return await withSignal(new SiteMapper(parts, settings, deadline.signal).run(), deadline.signal);
}

class SiteMapper {
  readonly #parts: Parts;
  readonly #settings: MapSettings;
  readonly #signal: AbortSignal;
  readonly #site: SiteMap;
  readonly #files: SiteFiles;
  readonly #warnings = new Set<string>();

  constructor(parts: Parts, settings: MapSettings, signal: AbortSignal) {
    this.#parts = parts;
    this.#settings = settings;
    this.#signal = signal;
    this.#site = new SiteMap(settings);
    this.#files = new SiteFiles({
      fetch: (url) => fetchFile(parts, url, signal),
      obeyRobots: true,
      robotsUserAgent: parts.userAgent,
      signal,
    });
  }

  async run(): Promise<MapResult> {
    const { url, sitemap, limit } = this.#settings;
    let startError: unknown;
    if (sitemap !== 'only') this.#site.add(url, 'start');
    const inSitemaps = sitemap === 'skip' ? 0 : await this.#readSitemaps();
    if (sitemap !== 'only') {
      const depth = this.#settings.maxDiscoveryDepth ?? (inSitemaps > 0 ? 1 : 2);
      startError = await this.#followLinks(depth);
    }
    if (startError !== undefined && this.#site.size <= 1) throw startError;
    const links = this.#site.list().slice(0, limit);
    await this.#markBlocked(links);
    const warning = [...this.#warnings].join(' ');
    return warning === '' ? { links } : { links, warning };
  }

  /** Gives the number of entries that belong to the site. */
  async #readSitemaps(): Promise<number> {
    let entries = 0;
    for await (const item of this.#files.sitemap(this.#settings.url)) {
      if ('warning' in item) this.#warnings.add(item.warning);
      else if (this.#site.add(item.url, 'sitemap', item) !== undefined) entries += 1;
      if (this.#site.size >= this.#settings.limit) break;
    }
    return entries;
  }

  /** Reads pages level by level, the start page first; gives the error of the start page. */
  async #followLinks(depth: number): Promise<unknown> {
    let level = [this.#settings.url];
    let pages = 0;
    let startError: unknown;
    for (let hop = 0; hop < depth && level.length > 0; hop += 1) {
      const nextLevel = new Set<string>();
      const batch = level.slice(0, pageLimit - pages);
      pages += batch.length;
      // Read side by side, taken in order: the list is the same at any speed.
      const read = await inBatches(batch, (url) => this.#readPage(url));
      for (const [index, page] of read.entries()) {
        const url = batch[index] ?? '';
        if ('error' in page) {
          if (hop === 0) startError = page.error;
          this.#warnings.add(`${url} could not be read: ${String((page.error as Error).message)}`);
          continue;
        }
        for (const link of await this.#takeLinks(page.page, url)) nextLevel.add(link);
      }
      if (this.#site.size >= this.#settings.limit) break;
      level = [...nextLevel];
    }
    return startError;
  }

  async #readPage(url: string): Promise<{ page: Page } | { error: unknown }> {
    try {
      const { limits } = this.#parts;
      const request = { url, headers: {}, limits, requires: new Map(), skipTlsVerification: true };
      const { snapshot } = await fetchSnapshot(this.#parts, request, this.#signal);
      const parsing = { limits, parsePdf: true };
      return { page: await parseSnapshot(snapshot, this.#parts.parsers, parsing) };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { error };
    }
  }

  /** Adds what a page links to; gives the links of the site that are new. */
  async #takeLinks(page: Page, url: string): Promise<string[]> {
    const { title, description } = readMetadata(page);
    this.#site.add(url, url === this.#settings.url ? 'start' : 'link', {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    });
    if (url === this.#settings.url && this.#settings.sitemap === 'include') {
      for (const feed of feedUrls(page)) await this.#readFeed(feed);
    }
    const fresh: string[] = [];
    for (const found of discoverLinks(page, { limit: this.#parts.limits.links })) {
      const before = this.#site.size;
      const facts = found.text === undefined ? {} : { title: found.text };
      const link = this.#site.add(found.url, 'link', facts);
      if (link !== undefined && this.#site.size > before) fresh.push(link.url);
    }
    return fresh;
  }

  async #readFeed(url: string): Promise<void> {
    try {
      const { body } = await fetchFile(this.#parts, url, this.#signal);
      const feed = await parseSitemap(body, url);
      for (const entry of feed.urls) this.#site.add(entry.url, 'feed', entry);
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#warnings.add(`The feed ${url} could not be read: ${(error as Error).message}`);
    }
  }

  async #markBlocked(links: readonly SiteLink[]): Promise<void> {
    for (const link of links) {
      const robots = await this.#files.robots(new URL(link.url).origin);
      if (robots?.isAllowed(link.url, this.#parts.userAgent) === false) link.blockedByRobots = true;
    }
  }
}

/** RSS, Atom and JSON feeds that a page names in its head. */
function feedUrls(page: Page): string[] {
  if (page.kind !== 'html') return [];
  const feeds: string[] = [];
  for (let node = page.document.head.firstChild; node !== null; node = node.nextSibling) {
    if (!isElement(node) || node.localName !== 'link') continue;
    if (!/\balternate\b/i.test(node.getAttribute('rel') ?? '')) continue;
    if (!/^application\/(rss\+xml|atom\+xml|feed\+json)/i.test(node.getAttribute('type') ?? ''))
      continue;
    const url = resolveLink(node.getAttribute('href') ?? '', page.baseUrl);
    if (url !== undefined) feeds.push(url.href);
  }
  return feeds;
}

/** Maps with a few calls at the same time, results in order. */
async function inBatches<In, Out>(
  items: readonly In[],
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  for (let index = 0; index < items.length; index += 8) {
    results.push(...(await Promise.all(items.slice(index, index + 8).map(work))));
  }
  return results;
}
