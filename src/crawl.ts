/** crawl(): from a start URL to the documents of a site. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from './errors.ts';
import { fetchFile, fileRequest } from './fetching/fetch-file.ts';
import { type FetchedPage, Frontier, type FrontierEntry } from './frontier/frontier.ts';
import { openRequestQueue } from './frontier/request-queue.ts';
import { SiteFiles } from './frontier/site-files.ts';
import { UrlSources } from './frontier/url-sources.ts';
import type { JobControl } from './jobs/job-status.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import { failureOf } from './jobs/page-failure.ts';
import type { CrawlSettings } from './options/crawl-options.ts';
import type { Parts } from './parts.ts';
import { runPipeline } from './pipeline.ts';
import type { PlainDocument } from './reading/compose-document.ts';
import type { Outline } from './reading/outline.ts';
import { normalizeUrl } from './url/normalize-url.ts';

/** What one fetch gave, kept until it is its turn. */
type Outcome =
  | (FetchedPage & Pick<Outline, 'links' | 'refused'> & { readonly document: PlainDocument })
  | { readonly error: unknown }
  | { readonly closedBy: string };

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
  let kept = 0;
  let startError: unknown;

  if (!(await frontier.addStart())) sources.begin(settings.url);
  await runOrdered<FrontierEntry, Outcome>({
    concurrency: settings.maxConcurrency,
    signal,
    halt,
    // Every page in flight may become a document: no page is started that could be one too many.
    mayStart: (uncommitted) => kept + uncommitted < settings.limit,
    next: async () => {
      await job.wanted();
      return signal.aborted ? undefined : sources.next();
    },
    run: async (entry) => {
      try {
        const closedBy = entry.asksRobots && (await closingRule(site, settings, entry.url));
        if (closedBy) return { closedBy };
        return await fetchPage(parts, settings, entry, site, { ...job, signal });
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
      if (await commitPage(frontier, sources, job, entry, outcome, parts)) kept += 1;
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

/** Settles one page in its turn; true when its document was kept. */
async function commitPage(
  frontier: Frontier,
  sources: UrlSources,
  job: JobControl<PlainDocument>,
  entry: FrontierEntry,
  outcome: Outcome,
  parts: Parts,
): Promise<boolean> {
  const { url, parent } = entry;
  const found = parent === undefined ? { url } : { url, parent };
  if ('closedBy' in outcome) {
    job.skip({ ...found, reason: 'ROBOTS', rule: outcome.closedBy });
    return false;
  }
  if ('error' in outcome) {
    const owner = frontier.ownerOf(entry);
    if (owner === undefined) job.fail(failureOf(found, outcome.error, parts.clock.now()));
    else job.skip({ ...found, reason: 'DUPLICATE_URL', rule: owner });
    return false;
  }
  const { skip, followLinks } = frontier.settle(entry, outcome);
  if (followLinks) {
    for (const { href, reason } of outcome.refused) {
      job.skip({ url: href, reason, rule: reason, parent: url });
    }
    await sources.addLinks(entry, outcome.links);
  }
  if (skip !== undefined) {
    job.skip(skip);
    return false;
  }
  try {
    await job.keep(outcome.document, url, outcome.document.metadata.creditsUsed);
    return true;
  } catch (error) {
    // A document that cannot be stored is one page's failure; a store that cannot write is the job's.
    if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
    job.fail(failureOf(found, error, parts.clock.now()));
    return false;
  }
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
): Promise<Outcome> {
  const page = settings.pageSettings(entry.url);
  const delay = settings.delay ?? site.crawlDelay(entry.url);
  // Before the page's own time begins.
  await parts.hosts.turn(entry.url, { signal: job.signal, delay });
  const turn = { delay, hasTurn: true, visitor: settings };
  const { document, snapshot, reading } = await runPipeline(
    parts,
    { ...page, ...turn, sourceUrl: entry.url, url: entry.url, signal: job.signal },
    { outline: true },
  );
  job.use({ requests: snapshot.requests, bytes: snapshot.bytes });
  document.metadata.depth = entry.depth;
  document.metadata.discoveredBy = entry.discoveredBy;
  if (entry.parent !== undefined) document.metadata.parentUrl = entry.parent;
  const finalUrl = normalizeUrl(new URL(snapshot.url), {});
  const robots = finalUrl === entry.url ? undefined : await site.robots(new URL(finalUrl).origin);
  const { links = [], refused = [], canonical, textHash }: Partial<Outline> = reading.outline ?? {};
  return { document, finalUrl, robots, canonical, textHash, links, refused };
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
