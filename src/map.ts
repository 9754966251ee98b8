/** map(): the URLs of a site, from its sitemaps, feeds, links and endpoints. */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { PagewrightError } from './core/runtime/errors.ts';
import { fetchFile, fileRequest } from './core/fetch/fetch-file.ts';
import { fetchPage } from './core/fetch/fetch-page.ts';
import { JobRenderHints } from './core/fetch/rendering/render-hints.ts';
import {
  type LinkSource,
  searchLinks,
  type SiteLink,
  SiteMap,
} from './core/frontier/sitemaps/site-map.ts';
import { SiteFiles, type SitemapItem } from './core/frontier/robots/site-files.ts';
import { httpStatusError } from './core/jobs/page-failure.ts';
import type { FoundEndpoint } from './core/model/network-request.ts';
import type { Snapshot } from './core/model/snapshot.ts';
import { startDeadline, withSignal } from './core/runtime/deadline.ts';
import { type MapSettings, parseMapOptions } from './core/options/map-options.ts';
import type { ClientParts } from './parts.ts';
import type { ProcessedPage } from './core/page/process-page.ts';
import { outlineOnly } from './core/page/process-page.ts';
import { processSnapshot } from './core/page/process-snapshot.ts';
import { displayUrl } from './core/telemetry/display-url.ts';
import { type Redaction, Redactor } from './content/text/redactor.ts';

/** The result of `map()`. */
export interface MapResult {
  /**
   * The start URL first, then sitemap entries, feed entries, endpoints and links in their order; with `search`
   * the matching URLs, best first.
   */
  readonly links: SiteLink[];
  /** Sources that could not be read; `links` holds the rest. */
  readonly warning?: string;
}

const pageLimit = 50; // pages whose links are read
const pageTimeout = 15_000; // milliseconds; a page that hangs is a warning, not the end of the map
const renderedTimeout = 30_000; // milliseconds, if the start page is rendered: a browser may start
const usualDepth = 2; // hops from the start page to pages whose links are read
const searchedLinks = 100_000; // collected before a search picks the best of them

/** `client.map()`: checks the options, and publishes the call. */
export async function map(parts: ClientParts, url: unknown, options: unknown): Promise<MapResult> {
  const settings = parseMapOptions(url, options, parts);
  return parts.telemetry.call(
    { verb: 'map', url: displayUrl(settings.url) },
    () => mapSite(parts, settings),
    ({ links }) => links.length,
  );
}

/**
 * Lists the URLs of a site. Rejects when the start page cannot be fetched and no other URL is
 * found, and with `TIMEOUT` when the time is over before a URL is found; otherwise a timeout gives
 * the URLs found so far, with a warning.
 */
export async function mapSite(parts: ClientParts, settings: MapSettings): Promise<MapResult> {
  using deadline = startDeadline(
    settings.timeout,
    [settings.signal, parts.signal],
    `Mapping ${settings.url}`,
  );
  // Aborts when this function ends: no prefetched sitemap outlives it.
  const halt = new AbortController();
  const signal = AbortSignal.any([deadline.signal, halt.signal]);
  setMaxListeners(0, signal);
  const mapper = new SiteMapper(parts, settings, signal);
  try {
    return await withSignal(mapper.run(), deadline.signal);
  } catch (error) {
    const isLate = error instanceof PagewrightError && error.code === 'TIMEOUT';
    const isEnded = settings.signal?.aborted === true;
    if (isLate && !isEnded && mapper.hasFound) return await mapper.result(error.message);
    throw error;
  } finally {
    halt.abort();
  }
}

class SiteMapper {
  readonly #parts: ClientParts;
  readonly #settings: MapSettings;
  readonly #signal: AbortSignal;
  readonly #site: SiteMap;
  readonly #files: SiteFiles;
  readonly #rendering = new JobRenderHints(sideBySide);
  readonly #warnings: Set<string>;
  /** Keys of the links of all pages read, the start page included. */
  readonly #linked = new Set<string>();

  constructor(parts: ClientParts, settings: MapSettings, signal: AbortSignal) {
    this.#parts = parts;
    this.#settings = settings;
    this.#signal = signal;
    this.#warnings = new Set(settings.warnings);
    this.#site = new SiteMap(settings);
    // One request for all files: the settings are the same for the whole call.
    const files = fileRequest(settings.pageSettings(settings.url), settings);
    this.#files = new SiteFiles({
      fetch: (url, purpose) => fetchFile(parts, url, purpose, files, signal),
      obeyRobots: true,
      now: () => parts.clock.now(),
      robotsUserAgent: parts.userAgent,
      signal,
    });
  }

  async run(): Promise<MapResult> {
    const { url, sitemap, maxDiscoveryDepth = usualDepth, depthBesideSitemaps } = this.#settings;
    const start = sitemap === 'only' ? undefined : await this.#readPage(url);
    if (start !== undefined && 'url' in start && start.statusCode >= 400) {
      const { statusCode, url: finalUrl } = start;
      const advice = 'Its links were read anyway.';
      this.#warnings.add(httpStatusError(url, { finalUrl, statusCode }, advice).message);
    }
    if (start !== undefined) this.#linked.add(this.#site.add(url, 'start')?.key ?? url);
    const home = start !== undefined && 'url' in start ? start.url : url;
    this.#site.moveTo(home);
    if (sitemap !== 'skip') {
      await this.#takeEntries(this.#files.sitemap(home), 'sitemap');
      // If the start page redirects to another origin, both origins may have a sitemap.
      if (new URL(home).origin !== new URL(url).origin) {
        await this.#takeEntries(this.#files.sitemap(url), 'sitemap');
      }
    }
    const depth = this.hasFound ? depthBesideSitemaps : undefined;
    if (start !== undefined) {
      if ('outline' in start && sitemap === 'include') {
        await this.#takeEntries(this.#files.feeds(start.outline?.feeds ?? []), 'feed');
      }
      if ('captures' in start) await this.#takeEndpoints(start.captures?.endpoints ?? []);
      await this.#followLinks(start, depth ?? maxDiscoveryDepth);
      if ('error' in start && !this.hasFound) throw start.error;
    }
    const result = await this.result();
    await this.#markBlocked(result.links);
    return result;
  }

  /** True when a URL besides the start URL is known. */
  get hasFound(): boolean {
    return this.#site.size > (this.#settings.sitemap === 'only' ? 0 : 1);
  }

  /** The URLs found so far. */
  async result(lastWarning?: string): Promise<MapResult> {
    if (lastWarning !== undefined) this.#warnings.add(lastWarning);
    const { search, limit, url, pageSettings } = this.#settings;
    const { redact } = pageSettings(url).clean;
    const all = this.#site.list();
    const links =
      search === undefined ? all.map(({ link }) => link) : await searchLinks(all, search);
    const listed = links.slice(0, limit);
    const warning = [...this.#warnings].join(' ');
    return {
      links: redact === undefined ? listed : listed.map((link) => redacted(link, redact)),
      ...(warning === '' ? {} : { warning }),
    };
  }

  /** True when the result would take no further link. */
  get #isFull(): boolean {
    const { search, limit } = this.#settings;
    return this.#site.size >= (search === undefined ? limit : Math.max(limit, searchedLinks));
  }

  async #takeEntries(items: AsyncIterable<SitemapItem>, source: LinkSource): Promise<void> {
    for await (const item of items) {
      if ('warning' in item) this.#warnings.add(item.warning);
      else this.#site.add(item.url, source, item);
      if (source === 'sitemap' && this.#isFull) break;
    }
  }

  /**
   * Reads pages level by level, the start page first; the choice of pages depends on links alone,
   * never on sitemaps.
   */
  async #followLinks(start: MapReading, depth: number): Promise<void> {
    let level: readonly { readonly url: string; readonly reading: MapReading }[] = [
      { url: this.#settings.url, reading: start },
    ];
    const delay = this.#files.crawlDelay(this.#settings.url);
    let room = pagesInTime(this.#settings.timeout, delay) - 1;
    for (let hop = 1; hop <= Math.max(1, depth); hop += 1) {
      const found = new Set<string>();
      for (const { url, reading } of level) {
        if ('error' in reading) {
          this.#warnings.add(`${url} could not be read: ${(reading.error as Error).message}`);
        } else if (depth > 0) {
          for (const link of await this.#takeLinks(reading, url)) found.add(link);
        }
      }
      if (hop >= depth || this.#isFull) return;
      const next = await this.#openToCrawlers(found, room);
      room -= next.length;
      if (delay > 0 && room === 0) {
        this.#warnings.add(
          `robots.txt asks for ${delay / 1000} s between two pages: only a few pages were read for links. Raise timeout for more.`,
        );
      }
      // Fetched concurrently, merged in order: the list is the same at any speed.
      level = await inBatches(next, async (url) => ({ url, reading: await this.#readPage(url) }));
    }
  }

  /** The first `limit` URLs that robots.txt allows. */
  async #openToCrawlers(urls: Iterable<string>, limit: number): Promise<string[]> {
    const open: string[] = [];
    for await (const url of inSteps(urls)) {
      if (open.length >= limit) break;
      if (!(await this.#isBlocked(url))) open.push(url);
    }
    return open;
  }

  async #readPage(url: string): Promise<MapReading> {
    const [parts, settings] = [this.#parts, this.#settings];
    using hints = this.#rendering.begin(url);
    try {
      const delay = this.#files.crawlDelay(url);
      const page = settings.pageSettings(url);
      const renderHints = await hints.hintsFor(page, parts.engines, this.#signal);
      const limit = page.rendering.endpoints === true ? renderedTimeout : pageTimeout;
      // Acquired before the page's own time limit starts.
      using hostPermit = await parts.hosts.acquire(url, { signal: this.#signal, delay });
      using deadline = startDeadline(limit, [this.#signal], `Reading ${url}`);
      const request = { ...page, url, visitor: settings, renderHints, pace: { delay, hostPermit } };
      const fetched = fetchPage(parts, { ...request, stealthTimeout: undefined }, deadline);
      const { snapshot } = await withSignal(fetched, deadline.signal);
      const plan = { ...outlineOnly, limits: page.limits };
      const { outline, metadata } = await withSignal(
        processSnapshot(parts, snapshot, plan, deadline.signal),
        deadline.signal,
      );
      const { url: finalUrl, statusCode, captures } = snapshot;
      return { url: finalUrl, statusCode, captures, outline, metadata };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { error };
    }
  }

  async #takeEndpoints(endpoints: readonly FoundEndpoint[]): Promise<void> {
    const urls = endpoints.flatMap(({ url, links }) => [url, ...links]);
    for await (const url of inSteps(urls)) this.#site.add(url, 'endpoint');
  }

  /** Adds the links of a page; returns the new links of the site. */
  async #takeLinks(
    { outline, metadata }: Pick<ProcessedPage, 'outline' | 'metadata'>,
    url: string,
  ): Promise<string[]> {
    const { title, description } = metadata;
    this.#site.describe(url, { title, description });
    const fresh: string[] = [];
    for await (const [index, found] of inSteps((outline?.links ?? []).entries())) {
      const added = this.#site.add(found, 'link', { title: outline?.linkTexts[index] });
      if (added === undefined || this.#linked.has(added.key)) continue;
      this.#linked.add(added.key);
      // Pages of other sites are listed but not read.
      if (this.#site.isOnSite(added.url)) fresh.push(added.url);
    }
    return fresh;
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

/** The link with its texts redacted; its URL is to be fetched as it is. */
function redacted(link: SiteLink, redact: readonly Redaction[]): SiteLink {
  const redactor = new Redactor(redact, link.url);
  const { title, description } = link;
  return {
    ...link,
    ...(title === undefined ? {} : { title: redactor.text(title) }),
    ...(description === undefined ? {} : { description: redactor.text(description) }),
  };
}

/** The parts of a page that `map()` uses, or the error of reading it. */
type MapReading =
  | (Pick<Snapshot, 'url' | 'statusCode' | 'captures'> &
      Pick<ProcessedPage, 'outline' | 'metadata'>)
  | { readonly error: unknown };

/** How many pages fit in the time: a Crawl-delay may take half of the call's time. */
function pagesInTime(timeout: number, delay: number): number {
  return delay > 0 ? Math.min(pageLimit, 1 + Math.floor(timeout / 2 / delay)) : pageLimit;
}

/**
 * Yields items one by one and lets the event loop run after every 500 (10 ms): a page may have
 * 100,000 links.
 */
async function* inSteps<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for (const item of items) {
    if (++count % 500 === 0) await setImmediate();
    yield item;
  }
}

const sideBySide = 8; // pages read concurrently

/** Maps with limited concurrency, results in order. */
async function inBatches<In, Out>(
  items: readonly In[],
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  for (let index = 0; index < items.length; index += sideBySide) {
    results.push(...(await Promise.all(items.slice(index, index + sideBySide).map(work))));
  }
  return results;
}
