/** map(): the URLs of a site, from its sitemaps, feeds and links. */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { PagewrightError } from './errors.ts';
import { fetchFile, plainGet } from './fetching/fetch-file.ts';
import { fetchPage } from './fetching/fetch-page.ts';
import { SiteFiles } from './frontier/site-files.ts';
import { type SiteLink, SiteMap } from './frontier/site-map.ts';
import { parseSitemap } from './frontier/sitemaps.ts';
import type { PageMetadata } from './model/metadata.ts';
import { startDeadline, withSignal } from './network/deadline.ts';
import type { Limits } from './model/request.ts';
import type { MapSettings } from './options/map-options.ts';
import type { Parts } from './parts.ts';
import type { Outline } from './reading/outline.ts';
import { outlineOnly } from './reading/read-page.ts';
import { readSnapshot } from './reading/read-snapshot.ts';

/** What `map()` gives. */
export interface MapResult {
  /** The start URL first, then sitemap entries, feed entries and links in their order. */
  readonly links: SiteLink[];
  /** What could not be read; the rest is there. */
  readonly warning?: string;
}

/** Pages whose links are read at most. */
const pageLimit = 50;
/** Milliseconds for one page: a page that hangs is a warning, not the end of the map. */
const pageTimeout = 15_000;

/**
 * Lists the URLs of a site. Rejects when the start page cannot be fetched and nothing else is
 * found, and with `TIMEOUT` when the time is over before anything is; what was found until then is
 * given with a warning.
 */
export async function mapSite(parts: Parts, settings: MapSettings): Promise<MapResult> {
  using deadline = startDeadline(
    settings.timeout,
    [settings.signal, parts.signal],
    `Mapping ${settings.url}`,
  );
  // Ends with this function: no sitemap that was fetched ahead outlives it.
  const halt = new AbortController();
  const signal = AbortSignal.any([deadline.signal, halt.signal]);
  setMaxListeners(0, signal);
  const mapper = new SiteMapper(parts, settings, signal);
  try {
    return await withSignal(mapper.run(), deadline.signal);
  } catch (error) {
    const isLate = error instanceof PagewrightError && error.code === 'TIMEOUT';
    if (isLate && mapper.hasFound) return mapper.result(error.message);
    throw error;
  } finally {
    halt.abort();
  }
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
      fetch: (url) => fetchFile(parts, url, this.#fileRequest, signal),
      obeyRobots: true,
      now: () => parts.clock.now(),
      robotsUserAgent: parts.userAgent,
      signal,
    });
  }

  get #fileRequest(): { readonly limits: Limits; readonly visitor: object } {
    return { limits: this.#parts.limits, visitor: this.#settings };
  }

  async run(): Promise<MapResult> {
    const { url, sitemap, maxDiscoveryDepth } = this.#settings;
    const start = sitemap === 'only' ? undefined : await this.#readPage(url);
    if (start !== undefined) this.#site.add(url, 'start');
    const home = start !== undefined && 'url' in start ? start.url : url;
    this.#site.moveTo(home);
    const inSitemaps = sitemap === 'skip' ? 0 : await this.#readSitemaps(home);
    if (start !== undefined) {
      await this.#followLinks(start, maxDiscoveryDepth ?? (inSitemaps > 0 ? 1 : 2));
      if ('error' in start && !this.hasFound) throw start.error;
    }
    await this.#markBlocked(this.#list());
    return this.result();
  }

  /** True when there is more than the start URL. */
  get hasFound(): boolean {
    return this.#site.size > 1;
  }

  /** What was found so far. */
  result(lastWarning?: string): MapResult {
    if (lastWarning !== undefined) this.#warnings.add(lastWarning);
    const links = this.#list();
    const warning = [...this.#warnings].join(' ');
    return warning === '' ? { links } : { links, warning };
  }

  #list(): SiteLink[] {
    return this.#site.list().slice(0, this.#settings.limit);
  }

  /** Gives the number of entries that belong to the site. */
  async #readSitemaps(home: string): Promise<number> {
    let entries = 0;
    for await (const item of this.#files.sitemap(home)) {
      if ('warning' in item) this.#warnings.add(item.warning);
      else if (this.#site.add(item.url, 'sitemap', item) !== undefined) entries += 1;
      if (this.#site.size >= this.#settings.limit) break;
    }
    return entries;
  }

  /** Reads pages level by level, the start page first. */
  async #followLinks(start: MapReading, depth: number): Promise<void> {
    let level: readonly { readonly url: string; readonly reading: MapReading }[] = [
      { url: this.#settings.url, reading: start },
    ];
    let pages = 1;
    for (let hop = 1; hop <= Math.max(1, depth); hop += 1) {
      const found = new Set<string>();
      for (const { url, reading } of level) {
        if ('error' in reading) {
          this.#warnings.add(`${url} could not be read: ${(reading.error as Error).message}`);
        } else if (depth > 0) {
          for (const link of await this.#takeLinks(reading, url)) found.add(link);
        }
      }
      if (hop >= depth || this.#site.size >= this.#settings.limit) return;
      const next = await this.#openToCrawlers(found, pageLimit - pages);
      pages += next.length;
      // Read side by side, taken in order: the list is the same at any speed.
      level = await inBatches(next, async (url) => ({ url, reading: await this.#readPage(url) }));
    }
  }

  /** The first ones that robots.txt leaves open. */
  async #openToCrawlers(urls: Iterable<string>, limit: number): Promise<string[]> {
    const open: string[] = [];
    for await (const url of inSteps(urls)) {
      if (open.length >= limit) break;
      if (!(await this.#isBlocked(url))) open.push(url);
    }
    return open;
  }

  async #readPage(url: string): Promise<MapReading> {
    try {
      using deadline = startDeadline(pageTimeout, [this.#signal], `Reading ${url}`);
      const { limits } = this.#parts;
      const request = { url, headers: {}, limits, ...plainGet, visitor: this.#settings };
      const fetched = fetchPage(this.#parts, request, deadline);
      const { snapshot } = await withSignal(fetched, deadline.signal);
      const plan = { ...outlineOnly, limits };
      const { outline, metadata } = await withSignal(
        readSnapshot(this.#parts, snapshot, plan, deadline.signal),
        deadline.signal,
      );
      return { url: snapshot.url, outline: outline ?? {}, metadata };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { error };
    }
  }

  /** Adds what a page links to; gives the links of the site that are new. */
  async #takeLinks({ outline, metadata }: ReadPage, url: string): Promise<string[]> {
    const { title, description } = metadata;
    this.#site.add(url, url === this.#settings.url ? 'start' : 'link', {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    });
    if (url === this.#settings.url && this.#settings.sitemap === 'include') {
      for (const feed of outline.feeds ?? []) await this.#readFeed(feed);
    }
    const fresh: string[] = [];
    for await (const [index, found] of inSteps((outline.links ?? []).entries())) {
      const before = this.#site.size;
      const link = this.#site.add(found, 'link', { title: outline.linkTexts?.[index] ?? '' });
      const isNew = link !== undefined && this.#site.size > before;
      // Pages of other sites are listed, and not read.
      if (isNew && this.#site.isOnSite(link.url)) fresh.push(link.url);
    }
    return fresh;
  }

  async #readFeed(url: string): Promise<void> {
    try {
      const { body } = await fetchFile(this.#parts, url, this.#fileRequest, this.#signal);
      const feed = await parseSitemap(body, url);
      for (const entry of feed.urls) this.#site.add(entry.url, 'feed', entry);
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#warnings.add(`The feed ${url} could not be read: ${(error as Error).message}`);
    }
  }

  async #markBlocked(links: readonly SiteLink[]): Promise<void> {
    const origins = new Set<string>();
    for await (const { url } of inSteps(links)) origins.add(new URL(url).origin);
    await Promise.all([...origins].map((origin) => this.#files.robots(origin)));
    for await (const link of inSteps(links)) {
      if (await this.#isBlocked(link.url)) link.blockedByRobots = true;
    }
  }

  async #isBlocked(url: string): Promise<boolean> {
    const robots = await this.#files.robots(new URL(url).origin);
    return robots?.isAllowed(url, this.#parts.userAgent) === false;
  }
}

/** What the list takes from a page. */
interface ReadPage {
  /** The final one. */
  readonly url: string;
  readonly outline: Partial<Outline>;
  readonly metadata: PageMetadata;
}

/** A page, or why it could not be read. */
type MapReading = ReadPage | { readonly error: unknown };

/** One by one, but the process goes on after every 500 (10 ms): a page may have 100,000 links. */
async function* inSteps<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for (const item of items) {
    if (++count % 500 === 0) await setImmediate();
    yield item;
  }
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
