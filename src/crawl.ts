/** crawl(): from a start URL to the documents of a site. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from './errors.ts';
import { fetchFile, fileRequest } from './fetching/fetch-file.ts';
import { type FetchedPage, Frontier, type FrontierEntry } from './frontier/frontier.ts';
import { openRequestQueue } from './frontier/request-queue.ts';
import { SiteFiles } from './frontier/site-files.ts';
import { UrlSources } from './frontier/url-sources.ts';
import { type CrawledPage, readSitePage, readWholePage } from './jobs/crawled-page.ts';
import { DocumentLine } from './jobs/document-line.ts';
import type { JobControl } from './jobs/job-status.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import { failureOf } from './jobs/page-failure.ts';
import { SiteBlocks } from './jobs/site-blocks.ts';
import type { CrawlSettings } from './options/crawl-options.ts';
import type { Parts } from './parts.ts';
import { visitPage } from './pipeline.ts';
import type { PlainDocument } from './reading/compose-document.ts';
import type { Outline } from './reading/outline.ts';
import { normalizeUrl } from './url/normalize-url.ts';

/** A page that was fetched and read, kept until it is its turn. */
type FoundPage = FetchedPage &
  Pick<Outline, 'links' | 'refused'> &
  Omit<CrawledPage, 'outline'> & {
    /** Bytes of the body. */
    readonly bytes: number;
  };

/** What one fetch gave. */
type Outcome = FoundPage | { readonly error: unknown } | { readonly closedBy: string };

/** The work of a crawl job. */
export async function runCrawl(
  parts: Parts,
  settings: CrawlSettings,
  job: JobControl<PlainDocument>,
): Promise<void> {
  // Ends with the job, and with this function: nothing that was started ahead outlives it.
  const halt = new AbortController();
  const signal = AbortSignal.any([job.signal, halt.signal]);
  setMaxListeners(0, signal);
  try {
    await crawlSite(parts, settings, { ...job, signal }, () => halt.abort());
  } finally {
    halt.abort();
  }
}

async function crawlSite(
  parts: Parts,
  settings: CrawlSettings,
  job: JobControl<PlainDocument>,
  halt: () => void,
): Promise<void> {
  const { ledger, signal } = job;
  // One for all of them: the settings are this job's own.
  const files = fileRequest(settings.pageSettings(settings.url), settings);
  const site = new SiteFiles({
    ...settings,
    fetch: (url) => fetchFile(parts, url, files, signal),
    obeyRobots: !settings.ignoreRobotsTxt,
    now: () => parts.clock.now(),
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
  const sources = new UrlSources({
    frontier,
    sitemap: (url) => (settings.sitemap === 'skip' ? undefined : site.sitemap(url)),
    followLinks: settings.sitemap !== 'only',
    warn: (sentence) => job.warn(sentence),
  });
  const siteBlocks = new SiteBlocks();
  const line = new DocumentLine(siteBlocks, signal);
  let kept = 0;
  let startError: unknown;

  if (!(await frontier.addStart())) sources.begin(settings.url);
  await runOrdered<FrontierEntry, Outcome>({
    concurrency: settings.maxConcurrency,
    signal,
    halt,
    // Every page in flight may become a document: no page is started that could be one too many.
    mayStart: (uncommitted) => kept + line.length + uncommitted < settings.limit,
    next: async () => {
      await job.wanted();
      return signal.aborted ? undefined : sources.next();
    },
    run: async (entry) => {
      try {
        const closedBy = entry.asksRobots && (await closingRule(site, settings, entry.url));
        if (closedBy) return { closedBy };
        return await fetchPage(parts, settings, entry, site, job, siteBlocks);
      } catch (error) {
        return { error };
      }
    },
    commit: async (entry, outcome) => {
      if (signal.aborted) return;
      if (entry.discoveredBy === 'start') {
        sources.begin('finalUrl' in outcome ? outcome.finalUrl : entry.url);
        if ('error' in outcome) startError = outcome.error;
      }
      const page = await settlePage(frontier, sources, job, entry, outcome, parts);
      if (page === undefined) return;
      await line.add({
        ...page,
        host: new URL(page.finalUrl).host,
        deliver: async (repeated) => {
          let document: PlainDocument;
          try {
            document = await page.document(repeated);
          } catch (error) {
            if (signal.aborted) return;
            job.fail(failureOf(foundAt(entry), error, parts.clock.now()));
            if (entry.discoveredBy === 'start') startError = error;
            return;
          }
          if (await keepDocument(job, entry, document, parts)) kept += 1;
        },
      });
      // Those that wait may fail, which makes room for others.
      if (kept + line.length >= settings.limit) await line.drain();
    },
  });
  await line.drain();
  if (signal.aborted) return;
  if (kept >= settings.limit) {
    await sources.flush();
    await frontier.skipRest('LIMIT', `limit: ${settings.limit}`);
  }
  if (kept === 0 && startError !== undefined) throw startError;
  addWarnings(settings, job);
}

/** Settles one page in its turn; gives it back when it is a document. */
async function settlePage(
  frontier: Frontier,
  sources: UrlSources,
  job: JobControl<PlainDocument>,
  entry: FrontierEntry,
  outcome: Outcome,
  parts: Parts,
): Promise<FoundPage | undefined> {
  const { url } = entry;
  const found = foundAt(entry);
  if ('closedBy' in outcome) {
    job.skip({ ...found, reason: 'ROBOTS', rule: outcome.closedBy });
    return undefined;
  }
  if ('error' in outcome) {
    const owner = frontier.ownerOf(entry);
    if (owner === undefined) job.fail(failureOf(found, outcome.error, parts.clock.now()));
    else job.skip({ ...found, reason: 'DUPLICATE_URL', rule: owner });
    return undefined;
  }
  const { skip, followLinks } = frontier.settle(entry, outcome);
  if (followLinks) {
    for (const { href, reason } of outcome.refused) {
      job.skip({ url: href, reason, rule: reason, parent: url });
    }
    await sources.addLinks(entry, outcome.links);
  }
  if (skip === undefined) return outcome;
  job.skip(skip);
  return undefined;
}

/** True when the document was kept. A document that cannot be stored is one page's failure. */
async function keepDocument(
  job: JobControl<PlainDocument>,
  entry: FrontierEntry,
  document: PlainDocument,
  parts: Parts,
): Promise<boolean> {
  try {
    await job.keep(document, entry.url, document.metadata.creditsUsed);
    return true;
  } catch (error) {
    if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
    job.fail(failureOf(foundAt(entry), error, parts.clock.now()));
    return false;
  }
}

function foundAt({ url, parent }: FrontierEntry): Pick<FrontierEntry, 'url'> & { parent?: string } {
  return parent === undefined ? { url } : { url, parent };
}

/** The robots.txt line of another host that closes a page, or undefined. */
async function closingRule(
  site: SiteFiles,
  { robotsUserAgent }: CrawlSettings,
  url: string,
): Promise<string | undefined> {
  const robots = await site.robots(new URL(url).origin);
  if (robots === undefined || robots.isAllowed(url, robotsUserAgent)) return undefined;
  return robots.rule(url, robotsUserAgent) ?? 'robots.txt';
}

async function fetchPage(
  parts: Parts,
  settings: CrawlSettings,
  entry: FrontierEntry,
  site: SiteFiles,
  job: JobControl<PlainDocument>,
  siteBlocks: SiteBlocks,
): Promise<FoundPage> {
  const page = settings.pageSettings(entry.url);
  const delay = settings.delay ?? site.crawlDelay(entry.url);
  // Before the page's own time begins.
  await parts.hosts.turn(entry.url, { signal: job.signal, delay });
  const turn = { delay, hasTurn: true, visitor: settings };
  const request = { ...page, ...turn, sourceUrl: entry.url, url: entry.url, signal: job.signal };
  const { snapshot, outline, ...crawled } = await visitPage(parts, request, async (fetched) => {
    const { snapshot } = fetched;
    const place = { host: new URL(snapshot.url).host, clean: request.clean, siteBlocks };
    const read = settings.removeRepeatedBlocks
      ? readSitePage(fetched, place)
      : readWholePage(fetched);
    return { snapshot, ...(await read) };
  });
  job.use({ requests: snapshot.requests, bytes: snapshot.bytes });
  const finalUrl = normalizeUrl(new URL(snapshot.url), {});
  const robots = finalUrl === entry.url ? undefined : await site.robots(new URL(finalUrl).origin);
  const { links = [], refused = [], canonical, textHash }: Partial<Outline> = outline ?? {};
  const found = { finalUrl, robots, canonical, textHash, links, refused };
  return { ...found, ...placed(crawled, entry), bytes: snapshot.body.length };
}

/** The document says where in the crawl the page was found. */
function placed<Page extends Pick<CrawledPage, 'document'>>(
  page: Page,
  entry: FrontierEntry,
): Page {
  const { depth, discoveredBy, parent } = entry;
  return {
    ...page,
    document: async (repeated) => {
      const document = await page.document(repeated);
      Object.assign(document.metadata, { depth, discoveredBy });
      if (parent !== undefined) document.metadata.parentUrl = parent;
      return document;
    },
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
