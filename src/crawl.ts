/** crawl(): from a start URL to the documents of a site. */
import { PagewrightError } from './errors.ts';
import { canonicalUrl, discoverLinks } from './frontier/discover-links.ts';
import { Frontier, type FrontierEntry } from './frontier/frontier.ts';
import { HostSlots } from './frontier/host-slots.ts';
import { openRequestQueue } from './frontier/request-queue.ts';
import { SiteFiles } from './frontier/site-files.ts';
import type { JobControl } from './jobs/job-status.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import type { PageFailure, SkippedUrl } from './model/job.ts';
import type { CrawlSettings } from './options/crawl-options.ts';
import type { Parts } from './parts.ts';
import { fetchFile, type PlainDocument, runPipeline } from './pipeline.ts';
import { normalizeUrl } from './url/normalize-url.ts';

/** What one fetch gave, kept until it is its turn. */
type Outcome =
  | {
      readonly document: PlainDocument;
      readonly finalUrl: string;
      readonly canonical: string | undefined;
      readonly body: string;
      readonly links: readonly string[];
      /** Links that are no pages: mail addresses, malformed URLs. */
      readonly refused: readonly SkippedUrl[];
    }
  | { readonly error: unknown };

/** The work of a crawl job. */
export async function runCrawl(
  parts: Parts,
  settings: CrawlSettings,
  job: JobControl<PlainDocument>,
): Promise<void> {
  const { ledger, signal } = job;
  const site = new SiteFiles({
    ...settings,
    fetch: (url) => fetchFile(parts, url, signal),
    obeyRobots: !settings.ignoreRobotsTxt,
    signal,
  });
  const frontier = new Frontier({
    ...settings,
    queue: await openRequestQueue('crawl', await parts.requestQueue(job.id)),
    robots: (origin) => site.robots(origin),
    onPending: ({ url, parent }) => ledger.pending(url, parent),
    onSkipped: (skip) => job.skip(skip),
    isKnown: (url) => ledger.has(url),
  });
  const sources = linkSources(settings, frontier, site, job);
  const slots = new HostSlots(() => parts.clock.now());
  let kept = 0;
  let startError: unknown;

  await frontier.addStart();
  await runOrdered<FrontierEntry, Outcome>({
    concurrency: settings.maxConcurrency,
    signal,
    // Every page in flight may become a document: no page is started that could be one too many.
    mayStart: (uncommitted) => kept + uncommitted < settings.limit,
    next: async () => {
      await job.wanted();
      return signal.aborted ? undefined : sources.next();
    },
    run: async (entry) => {
      try {
        await slots.wait(entry.url, settings.delay ?? site.crawlDelay(entry.url), signal);
        return await fetchPage(parts, settings, entry, signal, job);
      } catch (error) {
        return { error };
      }
    },
    commit: async (entry, outcome) => {
      if (signal.aborted) return;
      if ('error' in outcome) {
        if (entry.discoveredBy === 'start') startError = outcome.error;
        job.fail(failureOf(entry, outcome.error, parts));
        return;
      }
      const { skip, followLinks } = frontier.settle(entry, outcome);
      if (followLinks) {
        outcome.refused.forEach(job.skip);
        await sources.addLinks(entry, outcome.links);
      }
      if (skip !== undefined) {
        job.skip(skip);
        return;
      }
      kept += 1;
      await job.keep(outcome.document, entry.url, outcome.document.metadata.creditsUsed);
    },
  });
  if (signal.aborted) return;
  if (kept >= settings.limit) {
    await sources.flush();
    await frontier.skipRest('LIMIT', `limit: ${settings.limit}`);
  }
  if (kept === 0 && startError !== undefined) throw startError;
  addWarnings(settings, job);
}

/** Sitemap entries are added to the queue so many at a time: duplicates go first, one call a batch. */
const sitemapBatch = 500;

/** Sitemap entries come before links: links wait until the sitemaps are read or the limit is met. */
function linkSources(
  settings: CrawlSettings,
  frontier: Frontier,
  site: SiteFiles,
  job: JobControl<PlainDocument>,
): {
  next(): Promise<FrontierEntry | undefined>;
  addLinks(entry: FrontierEntry, links: readonly string[]): Promise<void>;
  flush(): Promise<void>;
} {
  const entries = settings.sitemap === 'skip' ? undefined : site.sitemap(settings.url);
  let reading = entries !== undefined;
  let held: { entry: FrontierEntry; links: readonly string[] }[] = [];

  const addNow = (entry: FrontierEntry, links: readonly string[]): Promise<void> =>
    frontier.add(
      links.map((url) => ({
        url,
        depth: entry.depth + 1,
        parent: entry.url,
        discoveredBy: 'link' as const,
      })),
    );
  const flush = async (): Promise<void> => {
    reading = false;
    const waiting = held;
    held = [];
    for (const { entry, links } of waiting) await addNow(entry, links);
  };

  const addSitemapEntries = async (): Promise<void> => {
    const urls: string[] = [];
    while (urls.length < sitemapBatch) {
      const item = await entries?.next();
      if (item === undefined || item.done === true) break;
      if ('warning' in item.value) job.warn(item.value.warning);
      else urls.push(item.value.url);
    }
    const found = { depth: 0, parent: undefined, discoveredBy: 'sitemap' as const };
    await frontier.add(urls.map((url) => ({ ...found, url })));
    if (urls.length < sitemapBatch) await flush();
  };

  return {
    flush,
    async next() {
      for (;;) {
        const entry = await frontier.next();
        if (entry !== undefined || !reading) return entry;
        await addSitemapEntries();
      }
    },
    async addLinks(entry, links) {
      if (settings.sitemap === 'only' || entry.isLeaf) return;
      if (reading) held.push({ entry, links });
      else await addNow(entry, links);
    },
  };
}

async function fetchPage(
  parts: Parts,
  settings: CrawlSettings,
  entry: FrontierEntry,
  signal: AbortSignal,
  job: JobControl<PlainDocument>,
): Promise<Outcome> {
  const page = settings.pageSettings(entry.url);
  let links: readonly string[] = [];
  const refused: SkippedUrl[] = [];
  let canonical: string | undefined;
  let body = '';
  const { document, snapshot } = await runPipeline(
    parts,
    { ...page, sourceUrl: entry.url, url: entry.url, signal },
    {
      onPage: (parsed) => {
        links = discoverLinks(parsed, {
          limit: page.limits.links,
          onRefused: (url, reason) =>
            refused.push({ url, reason, rule: reason, parent: entry.url }),
        }).map(({ url }) => url);
        canonical = parsed.kind === 'html' ? canonicalUrl(parsed) : undefined;
        body = parsed.source;
      },
    },
  );
  job.use({ requests: snapshot.requests, bytes: snapshot.bytes });
  document.metadata.depth = entry.depth;
  document.metadata.discoveredBy = entry.discoveredBy;
  if (entry.parent !== undefined) document.metadata.parentUrl = entry.parent;
  return {
    document,
    finalUrl: normalizeUrl(new URL(snapshot.url), {}),
    canonical,
    body,
    links,
    refused,
  };
}

function failureOf(entry: FrontierEntry, error: unknown, parts: Parts): PageFailure {
  const known = error instanceof PagewrightError ? error : undefined;
  return {
    url: entry.url,
    code: known?.code ?? 'PROTOCOL_ERROR',
    error: error instanceof Error ? error.message : String(error),
    timestamp: new Date(parts.clock.now()).toISOString(),
    ...(entry.parent === undefined ? {} : { parent: entry.parent }),
  };
}

function addWarnings(settings: CrawlSettings, job: JobControl<PlainDocument>): void {
  const blocked = job.ledger.list('skipped').filter(({ reason }) => reason === 'ROBOTS');
  if (blocked.length > 0) {
    job.warn(
      `robots.txt kept ${blocked.length} of the site's URLs out, ${blocked[0]?.url ?? ''} for one. ` +
        'With ignoreRobotsTxt: true they are fetched.',
    );
  }
  if (job.ledger.counts.completed <= 1 && new URL(settings.url).pathname !== '/') {
    job.warn(
      'At most one page was found below the start URL. Start higher up, or use crawlEntireDomain: true.',
    );
  }
}
