/** crawl(): from a start URL to the documents of a site. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from './errors.ts';
import { fetchFile, fileRequest } from './fetching/fetch-file.ts';
import { Frontier, type FrontierEntry } from './frontier/frontier.ts';
import { openRequestQueue } from './frontier/request-queue.ts';
import { SiteFiles } from './frontier/site-files.ts';
import { UrlSources } from './frontier/url-sources.ts';
import { DocumentLine } from './jobs/document-line.ts';
import type { JobControl } from './jobs/job-status.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import { failureOf } from './jobs/page-failure.ts';
import { type FoundPage, visitEntry, type VisitOutcome } from './jobs/page-visit.ts';
import { SiteBlocks } from './jobs/site-blocks.ts';
import type { CrawlSettings } from './options/crawl-options.ts';
import type { Parts } from './parts.ts';
import type { PlainDocument } from './reading/compose-document.ts';

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
    const crawl = await Crawl.open(parts, settings, { ...job, signal });
    await crawl.run(() => halt.abort());
  } finally {
    halt.abort();
  }
}

/** One crawl. Pages are visited side by side and settled one after the other, in their order. */
class Crawl {
  readonly #parts: Parts;
  readonly #settings: CrawlSettings;
  readonly #job: JobControl<PlainDocument>;
  readonly #site: SiteFiles;
  readonly #frontier: Frontier;
  readonly #sources: UrlSources;
  readonly #siteBlocks = new SiteBlocks();
  readonly #line: DocumentLine;
  /** Documents kept. */
  #kept = 0;
  #startError: unknown;

  static async open(
    parts: Parts,
    settings: CrawlSettings,
    job: JobControl<PlainDocument>,
  ): Promise<Crawl> {
    // One for all of them: the settings are this job's own.
    const files = fileRequest(settings.pageSettings(settings.url), settings);
    const site = new SiteFiles({
      ...settings,
      fetch: (url) => fetchFile(parts, url, files, job.signal),
      obeyRobots: !settings.ignoreRobotsTxt,
      now: () => parts.clock.now(),
      signal: job.signal,
    });
    const frontier = new Frontier({
      ...settings,
      queue: await openRequestQueue('crawl', await parts.requestQueue(job.id)),
      robots: (origin) => site.robots(origin),
      onPending: ({ url, parent }) => job.ledger.pending(url, parent),
      onSkipped: (skip) => job.skip(skip),
      isKnown: (url) => job.ledger.has(url),
    });
    return new Crawl(parts, settings, job, site, frontier);
  }

  private constructor(
    parts: Parts,
    settings: CrawlSettings,
    job: JobControl<PlainDocument>,
    site: SiteFiles,
    frontier: Frontier,
  ) {
    this.#parts = parts;
    this.#settings = settings;
    this.#job = job;
    this.#site = site;
    this.#frontier = frontier;
    this.#line = new DocumentLine(this.#siteBlocks, job.signal);
    this.#sources = new UrlSources({
      frontier,
      sitemap: (url) => (settings.sitemap === 'skip' ? undefined : site.sitemap(url)),
      followLinks: settings.sitemap !== 'only',
      warn: (sentence) => job.warn(sentence),
    });
  }

  async run(halt: () => void): Promise<void> {
    const { url, limit, maxConcurrency } = this.#settings;
    const { signal } = this.#job;
    const visit = {
      parts: this.#parts,
      settings: this.#settings,
      site: this.#site,
      job: this.#job,
      siteBlocks: this.#siteBlocks,
    };
    if (!(await this.#frontier.addStart())) this.#sources.begin(url);
    await runOrdered<FrontierEntry, VisitOutcome>({
      concurrency: maxConcurrency,
      signal,
      halt,
      // Every page in flight may become a document: no page is started that could be one too many.
      mayStart: (uncommitted) => this.#kept + this.#line.length + uncommitted < limit,
      next: async () => {
        await this.#job.wanted();
        return signal.aborted ? undefined : this.#sources.next();
      },
      run: (entry) => visitEntry(visit, entry),
      commit: (entry, outcome) => this.#commit(entry, outcome),
    });
    await this.#line.drain();
    if (signal.aborted) return;
    if (this.#kept >= limit) {
      await this.#sources.flush();
      await this.#frontier.skipRest('LIMIT', `limit: ${limit}`);
    }
    if (this.#kept === 0 && this.#startError !== undefined) throw this.#startError;
    this.#addWarnings();
  }

  async #commit(entry: FrontierEntry, outcome: VisitOutcome): Promise<void> {
    if (this.#job.signal.aborted) return;
    if (entry.discoveredBy === 'start') {
      this.#sources.begin('finalUrl' in outcome ? outcome.finalUrl : entry.url);
      if ('error' in outcome) this.#startError = outcome.error;
    }
    const page = await this.#settle(entry, outcome);
    if (page === undefined) return;
    await this.#line.add({
      ...page,
      host: new URL(page.finalUrl).host,
      deliver: (repeated) => this.#deliver(entry, page, repeated),
    });
    // Those that wait may fail, which makes room for others.
    if (this.#kept + this.#line.length >= this.#settings.limit) await this.#line.drain();
  }

  /** Settles one page in its turn; gives it back when it is a document. */
  async #settle(entry: FrontierEntry, outcome: VisitOutcome): Promise<FoundPage | undefined> {
    const job = this.#job;
    if ('closedBy' in outcome) {
      job.skip({ ...foundAt(entry), reason: 'ROBOTS', rule: outcome.closedBy });
      return undefined;
    }
    if ('error' in outcome) {
      const owner = this.#frontier.ownerOf(entry);
      if (owner === undefined) this.#fail(entry, outcome.error);
      else job.skip({ ...foundAt(entry), reason: 'DUPLICATE_URL', rule: owner });
      return undefined;
    }
    const { skip, followLinks } = this.#frontier.settle(entry, outcome);
    if (followLinks) {
      for (const { href, reason } of outcome.refused) {
        job.skip({ url: href, reason, rule: reason, parent: entry.url });
      }
      await this.#sources.addLinks(entry, outcome.links);
    }
    if (skip === undefined) return outcome;
    job.skip(skip);
    return undefined;
  }

  /** Makes the document of a page and keeps it; one that cannot be made or stored is that page's failure. */
  async #deliver(
    entry: FrontierEntry,
    page: FoundPage,
    repeated: ReadonlySet<number>,
  ): Promise<void> {
    let document: PlainDocument;
    try {
      document = await page.document(repeated);
    } catch (error) {
      if (this.#job.signal.aborted) return;
      this.#fail(entry, error);
      if (entry.discoveredBy === 'start') this.#startError = error;
      return;
    }
    try {
      await this.#job.keep(document, entry.url, document.metadata.creditsUsed);
      this.#kept += 1;
    } catch (error) {
      if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
      this.#fail(entry, error);
    }
  }

  #fail(entry: FrontierEntry, error: unknown): void {
    this.#job.fail(failureOf(foundAt(entry), error, this.#parts.clock.now()));
  }

  #addWarnings(): void {
    const job = this.#job;
    const blocked = job.ledger.list('skipped').filter(({ reason }) => reason === 'ROBOTS');
    if (blocked.length > 0) {
      job.warn(
        `robots.txt kept ${blocked.length} of the site's URLs out, ${blocked[0]?.url ?? ''} for one. ` +
          'With ignoreRobotsTxt: true they are fetched.',
      );
    }
    if (job.ledger.counts.completed <= 1 && new URL(this.#settings.url).pathname !== '/') {
      job.warn(
        'At most one page was found below the start URL. Start higher up, or use crawlEntireDomain: true.',
      );
    }
  }
}

function foundAt({ url, parent }: FrontierEntry): Pick<FrontierEntry, 'url'> & { parent?: string } {
  return parent === undefined ? { url } : { url, parent };
}
