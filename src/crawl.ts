/** crawl(): from a start URL to the documents of a site. */
import { setMaxListeners } from 'node:events';
import { JobRenderHints } from './core/fetch/rendering/render-hints.ts';
import type { EarlyEnd, Frontier, FrontierEntry } from './core/frontier/frontier.ts';
import type { SiteFiles } from './core/frontier/robots/site-files.ts';
import type { LinkingPage, UrlSources } from './core/frontier/url-sources.ts';
import { hookLists } from './core/hooks/hook-lists.ts';
import type { AnswerStop } from './core/jobs/answer-stop.ts';
import { type AssembledCrawl, assembleCrawl } from './core/jobs/assemble-crawl.ts';
import { crawlWarnings, fewPagesWarning } from './core/jobs/job-warnings.ts';
import { DeliveryQueue } from './core/jobs/delivery-queue.ts';
import { RepeatedBlocks } from './core/jobs/repeated-blocks.ts';
import { optionsToStore } from './core/jobs/durable/stored-options.ts';
import { visitEntry, type VisitOutcome } from './core/jobs/crawl-visit.ts';
import { JobBudget } from './core/jobs/job-budget.ts';
import { type JobConcurrency, openConcurrency } from './core/jobs/job-concurrency.ts';
import type { JobControl } from './core/jobs/job-status.ts';
import { runOrdered } from './core/jobs/ordered-pool.ts';
import { foundAt, type JobHooks } from './core/jobs/job-hooks.ts';
import { type DocumentSource, PageSettler } from './core/jobs/page-settler.ts';
import type { Recrawl } from './core/jobs/recrawl.ts';
import { withSignal } from './core/runtime/deadline.ts';
import type { CrawlSettings } from './core/options/crawl-options.ts';
import type { ClientParts } from './parts.ts';
import { readPrompt } from './preview.ts';
import type { PlainDocument } from './core/page/compose-document.ts';

/** Sitemaps that are fetched for the account of skipped URLs, after the last page; none at a slow pace. */
const furtherSitemaps = { limit: 20, budget: 4 };

/**
 * The work of a crawl job. `given` was made of `options`: a recrawl compares them, and they count more than the
 * prompt. `adapt` changes the settings once the prompt is read.
 */
export async function runCrawl(
  parts: ClientParts,
  given: CrawlSettings,
  job: JobControl<PlainDocument>,
  options: unknown = {},
  adapt: (settings: CrawlSettings) => CrawlSettings = (settings) => settings,
): Promise<void> {
  // Aborts with the job, and at the end of this function: no request outlives it.
  const halt = new AbortController();
  const signal = AbortSignal.any([job.signal, halt.signal]);
  setMaxListeners(0, signal);
  using budget = new JobBudget(given.budget, parts.costs, { ...job, signal });
  try {
    const control = { ...job, signal };
    const metered = await budget.metered(parts, job);
    const read = await readPrompt(metered, given, options, { job: control, budget });
    if (read === undefined) return;
    const settings = adapt(read);
    budget.limitRequests(settings.budget.requests);
    job.limitTo(settings.limit);
    for (const warning of settings.warnings) job.warn(warning);
    const own = { ...metered, hooks: hookLists(settings.hooks, parts.hooks) };
    const stored = optionsToStore(options);
    const setting = { parts: own, settings, job: control, asked: stored, signal: budget.signal };
    const crawl = new Crawl(own, settings, control, budget, await assembleCrawl(setting));
    await crawl.run(() => halt.abort());
  } finally {
    halt.abort();
  }
}

/** One crawl. Pages are visited side by side and settled one after the other, in their order. */
class Crawl {
  readonly #parts: ClientParts;
  readonly #settings: CrawlSettings;
  readonly #job: JobControl<PlainDocument>;
  readonly #budget: JobBudget;
  readonly #site: SiteFiles;
  readonly #frontier: Frontier;
  readonly #sources: UrlSources;
  readonly #repeatedBlocks = new RepeatedBlocks();
  readonly #line: DeliveryQueue;
  readonly #hooks: JobHooks;
  readonly #settler: PageSettler<FrontierEntry>;
  readonly #answer: AnswerStop | undefined;
  readonly #recrawl: Recrawl | undefined;
  /** Failed pages of this round that wait. */
  #again: FrontierEntry[] = [];

  constructor(
    parts: ClientParts,
    settings: CrawlSettings,
    job: JobControl<PlainDocument>,
    budget: JobBudget,
    { site, hooks, frontier, answer, sources, recrawl }: AssembledCrawl,
  ) {
    this.#parts = parts;
    this.#settings = settings;
    this.#job = job;
    this.#budget = budget;
    this.#site = site;
    this.#frontier = frontier;
    this.#hooks = hooks;
    this.#answer = answer;
    this.#recrawl = recrawl;
    this.#line = new DeliveryQueue(this.#repeatedBlocks, job.signal);
    this.#sources = sources;
    this.#settler = new PageSettler({ parts, job, budget, hooks, recrawl });
  }

  async run(halt: () => void): Promise<void> {
    const { url } = this.#settings;
    const refusal = await this.#frontier.addStart();
    if (refusal !== undefined) this.#sources.begin({ finalUrl: url, feeds: [] });
    using concurrency = await openConcurrency(this.#parts, this.#settings, this.#job);
    await this.#visitAll(concurrency, halt);
    if (this.#job.signal.aborted) return;
    this.#frontier.refuseWaiting();
    await this.#visitHidden(concurrency, halt);
    await this.#retryFailed(concurrency, halt);
    await this.#skipRest();
    await this.#hooks.tellSkips();
    const { documents, startError } = this.#settler;
    const nothingBecause = startError ?? refusal;
    if (documents === 0 && nothingBecause !== undefined) throw nothingBecause;
    await this.#recrawl?.end();
    for (const warning of crawlWarnings(this.#job.ledger)) this.#job.warn(warning);
    const few = fewPagesWarning(this.#job.ledger, this.#settings);
    if (few === undefined) return;
    this.#job.warn(few);
    // A loop over the job does not see the warnings of its result.
    this.#parts.logger.warn(few);
  }

  /** Visits the pages of the earlier crawl that no link leads to, which is known only after all others. */
  async #visitHidden(concurrency: JobConcurrency, halt: () => void): Promise<void> {
    if (this.#endedBy() !== undefined) return;
    const hidden = (await this.#recrawl?.hidden()) ?? [];
    if (hidden.length === 0) return;
    await this.#frontier.add(hidden);
    await this.#visitAll(concurrency, halt);
  }

  /** Visits the pages that failed once more, and the pages that they lead to. */
  async #retryFailed(concurrency: JobConcurrency, halt: () => void): Promise<void> {
    while (this.#settler.mayRetry && !this.#job.signal.aborted) {
      this.#again = this.#settler.beginRetry();
      const { length: failed } = this.#again;
      await this.#visitAll(concurrency, halt);
      this.#frontier.refuseWaiting();
      const left = this.#again.splice(0);
      const rule = this.#endedBy()?.rule;
      if (left.length === 0 || rule === undefined) continue;
      this.#job.warn(
        `${left.length} of ${failed} failed pages were not retried (${rule}), ${left[0]?.url ?? ''} for one.`,
      );
    }
  }

  /** Visits and settles the queued pages, and the pages that they lead to. */
  async #visitAll(concurrency: JobConcurrency, halt: () => void): Promise<void> {
    const { limit, maxConcurrency } = this.#settings;
    const visit = {
      parts: this.#parts,
      settings: this.#settings,
      errorPages: this.#settings.errorPages,
      site: this.#site,
      repeatedBlocks: this.#repeatedBlocks,
      recrawl: this.#recrawl,
      signal: this.#job.signal,
      rendering: new JobRenderHints(maxConcurrency, this.#job.learningDistance),
      job: this.#requests(),
      isNeedless: (entry: FrontierEntry) => this.#frontier.needless(entry) !== undefined,
      onFetch: () => this.#budget.begin(),
      visitor: this.#parts.visitor,
    };
    await runOrdered<FrontierEntry, VisitOutcome>({
      get concurrency() {
        return concurrency.pages;
      },
      signal: this.#job.signal,
      halt,
      // Every page in flight may become a document: no page is started that could be one too many.
      mayStart: (uncommitted) =>
        this.#answer?.rule === undefined &&
        this.#settler.documents + this.#line.length + uncommitted < limit &&
        this.#budget.mayStart(this.#line.length + uncommitted, uncommitted),
      next: () => this.#next(),
      waitSignal: visit.job.signal,
      run: (entry, permit) => visitEntry(visit, entry, permit),
      sizeOf: (outcome) => ('bytes' in outcome ? outcome.bytes : 0),
      commit: async (entry, outcome) => {
        await this.#commit(entry, outcome);
        this.#frontier.finish(entry.url);
        await this.#hooks.tellSkips();
      },
    });
    await this.#line.drain();
  }

  /** The job for its requests, which end with the budget, and once the query is answered. */
  #requests(): JobControl<PlainDocument> {
    const job = this.#budget.over(this.#job);
    if (this.#answer === undefined) return job;
    return { ...job, signal: AbortSignal.any([job.signal, this.#answer.signal]) };
  }

  /** The next page, once a consumer wants it; undefined when nothing more is fetched. */
  async #next(): Promise<FrontierEntry | undefined> {
    const { signal } = this.#budget;
    try {
      await withSignal(this.#job.wanted(), signal);
      const { pending } = this.#job.ledger.counts;
      this.#parts.workers.expectPages(
        Math.min(pending, this.#settings.limit - this.#settler.documents),
      );
      const again = this.#again.shift();
      if (again === undefined) {
        const entry = await this.#sources.next();
        return entry && { ...entry, ...this.#settings.marksOf(entry.url) };
      }
      this.#job.ledger.pending(again.url, again.parent);
      return again;
    } catch (error) {
      if (signal.aborted || this.#budget.causeOf(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** The reason and the rule that ended the crawl before its last page, or undefined. */
  #endedBy(): { readonly reason: EarlyEnd; readonly rule: string } | undefined {
    const { limit } = this.#settings;
    if (this.#settler.documents >= limit) return { reason: 'LIMIT', rule: `limit: ${limit}` };
    const answered = this.#answer?.rule;
    if (answered !== undefined) return { reason: 'ANSWERED', rule: answered };
    const budget = this.#budget.stops(0);
    return budget === undefined ? undefined : { reason: 'BUDGET', rule: budget };
  }

  /** Accounts for the URLs that will not be fetched any more. */
  async #skipRest(): Promise<void> {
    const ended = this.#endedBy();
    if (ended === undefined) return;
    const { reason, rule } = ended;
    const { url, delay } = this.#settings;
    const isFull = reason !== 'BUDGET';
    // Sitemaps were read only as far as pages were needed.
    if (!this.#budget.signal.aborted) {
      const isPaced = this.#site.crawlDelay(url) > 0 || (delay ?? 0) > 0;
      const files = isFull ? furtherSitemaps.limit : furtherSitemaps.budget;
      const onBatch = async (): Promise<boolean> => {
        await this.#hooks.tellSkips();
        return !this.#job.signal.aborted;
      };
      await this.#sources
        .skipEntries(reason, rule, { files: isPaced ? 0 : files, onBatch })
        .catch((error: unknown) => {
          // A budget of seconds may end meanwhile.
          if (!this.#budget.signal.aborted) throw error;
        });
    }
    await this.#sources.flush();
    await this.#frontier.skipRest(reason, rule);
    this.#budget.tell(this.#job, this.#parts.logger);
  }

  async #commit(entry: FrontierEntry, outcome: VisitOutcome): Promise<void> {
    if (this.#job.signal.aborted) return;
    this.#settler.visited(entry);
    const needless = this.#frontier.needless(entry);
    if (needless !== undefined) {
      // It depends on time if the page was fetched all the same, so that must make no difference.
      if ('received' in outcome) this.#budget.forget(outcome.received);
      this.#hooks.skip(needless);
      return;
    }
    const answered = this.#answer?.endsBefore(entry);
    if (answered !== undefined) {
      // It depends on time how many pages were fetched by then.
      if ('received' in outcome) this.#budget.forget(outcome.received);
      this.#hooks.skip({ ...foundAt(entry), reason: 'ANSWERED', rule: answered });
      return;
    }
    // Pages that wait come before the page that exceeds the budget.
    if (this.#budget.exceededBy(outcome) !== undefined) await this.#line.drain();
    if (this.#settler.exceedsBudget(entry, outcome)) return;
    const page = await this.#settle(entry, outcome);
    const { startError, mayRetry } = this.#settler;
    // Without its start page the whole crawl has failed, unless that is retried.
    if (startError !== undefined && !mayRetry) throw startError;
    if (entry.discoveredBy === 'start' && startError === undefined) {
      this.#sources.begin('finalUrl' in outcome ? outcome : { finalUrl: entry.url, feeds: [] });
    }
    if (page === undefined) return;
    if (this.#answer !== undefined && 'links' in outcome) {
      await this.#answer.add({ ...entry, evidence: outcome.evidence });
    }
    const { finalUrl = entry.url, bytes = 0, isReady = true, fingerprints } = page;
    await this.#line.add({
      host: new URL(finalUrl).host,
      bytes,
      isReady,
      fingerprints,
      deliver: (repeated) => this.#settler.deliver(entry, page, repeated),
    });
    // Pages that wait may fail, which makes room for others.
    const { length: waiting } = this.#line;
    const isFull = this.#settler.documents + waiting >= this.#settings.limit;
    if (isFull || this.#budget.isPledged(waiting)) await this.#line.drain();
  }

  /** Settles one page in its turn; returns it when it becomes a document. */
  async #settle(entry: FrontierEntry, outcome: VisitOutcome): Promise<DocumentSource | undefined> {
    const job = this.#hooks;
    const settler = this.#settler;
    if ('error' in outcome) return settler.settle(entry, outcome);
    if ('closedBy' in outcome) {
      job.skip({ ...foundAt(entry), reason: 'ROBOTS', rule: outcome.closedBy });
      return undefined;
    }
    if (outcome.version !== undefined) this.#recrawl?.met(entry.url, outcome.version);
    const { skip, errorAnswer, followLinks } = await this.#frontier.settle(entry, outcome);
    if (errorAnswer !== undefined) return settler.settle(entry, outcome);
    if (followLinks && entry.follow !== false) {
      let page: LinkingPage;
      try {
        page = await this.#hooks.links(entry, outcome);
      } catch (error) {
        return settler.failed(entry, error);
      }
      for (const { href, reason } of outcome.refused) {
        job.skip({ url: href, reason, rule: reason, parent: entry.url });
      }
      await this.#sources.addLinks(entry, page);
    }
    if (skip === undefined) return outcome;
    job.skip(skip);
    return undefined;
  }
}
