/** batchScrape(): the pages of a list of URLs, in the order of the list. */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { JobRenderHints } from './core/fetch/rendering/render-hints.ts';
import { pageAsksModel } from './content/formats/index.ts';
import type { BatchList } from './core/jobs/batch-job.ts';
import { placed, placeOf } from './core/jobs/crawled-page.ts';
import { emptyBatchWarning } from './core/jobs/job-warnings.ts';
import { JobNotifier } from './core/jobs/job-readers.ts';
import { JobBudget } from './core/jobs/job-budget.ts';
import { openConcurrency } from './core/jobs/job-concurrency.ts';
import type { JobControl } from './core/jobs/job-status.ts';
import { JobHooks } from './core/jobs/job-hooks.ts';
import { runOrdered } from './core/jobs/ordered-pool.ts';
import { isErrorPage, readErrorPage } from './core/jobs/page-failure.ts';
import { PageSettler } from './core/jobs/page-settler.ts';
import {
  type FailedVisit,
  fetchInJob,
  type PageUsage,
  type PageVisit,
  restoreOrFetch,
  type SentPage,
  usageOf,
  type VisitedPage,
  visitInJob,
  type VisitSetting,
} from './core/jobs/page-visit.ts';
import type { ErrorAnswer } from './core/model/job.ts';
import type { TaskPermit } from './core/model/pace.ts';
import { withSignal } from './core/runtime/deadline.ts';
import type { BatchSettings } from './core/options/batch-options.ts';
import type { ScrapeTarget } from './core/options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import { acceptedDocument } from './core/page/pipeline.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import { scrapeRequest } from './scrape.ts';

/** The outcome of a visit: the page with its document, or the failure. */
type VisitOutcome = (BatchPage & Pick<VisitedPage<BatchPage>, 'document' | 'stored'>) | FailedVisit;

/** The facts of a page that was fetched, as they are stored. */
interface BatchPage extends PageUsage {
  readonly errorAnswer?: ErrorAnswer | undefined;
}

/** Everything that the visits of one batch have in common. */
export interface BatchVisits extends VisitSetting {
  readonly settings: BatchSettings;
  readonly job: Pick<JobControl<PlainDocument>, 'id'> & VisitSetting['job'];
}

/** The page as it is stored, or as the site sends it. */
export function visitTarget(
  batch: BatchVisits,
  target: ScrapeTarget,
  visit: PageVisit,
): Promise<VisitedPage<BatchPage> | FailedVisit> {
  const { parts, settings, job } = batch;
  const request = {
    ...scrapeRequest(target, settings.page),
    pace: { job: settings, concurrency: settings.maxConcurrency },
    visitor: settings,
    refusalsArePages: settings.errorPages === 'fail',
    position: placeOf(target, job.id),
    isStoredWithJob: settings.keepsDocuments,
    keepsFailures: settings.keepFailures,
  };
  const { url, sourceUrl, authorization, data } = target;
  // A password is in no message: this process visits the page.
  const visits = authorization === undefined ? batch : { ...batch, visitor: undefined };
  const sent = (): SentPage => {
    const needsModel = pageAsksModel(request);
    return { jobId: job.id, page: { url, sourceUrl, data }, request, needsModel };
  };
  return restoreOrFetch(visits, visit, sent, () =>
    fetchInJob(batch, visit, request, async (fetched, prepared) => {
      if (isErrorPage(settings, fetched.snapshot)) {
        const { errorAnswer, document } = await readErrorPage(parts, fetched, prepared);
        const page = { ...usageOf(fetched.snapshot), errorAnswer };
        return { page, document: async () => placed(await document(), target) };
      }
      const document = placed(acceptedDocument(await fetched.read({})), target);
      const usage = usageOf(fetched.snapshot, fetched.fileUse);
      return { page: usage, document: () => Promise.resolve(document) };
    }),
  );
}

/** The work of a batch job. */
export async function runBatch(
  parts: ClientParts,
  settings: BatchSettings,
  list: BatchList,
  job: JobControl<PlainDocument>,
): Promise<void> {
  const halt = new AbortController();
  const signal = AbortSignal.any([job.signal, halt.signal]);
  setMaxListeners(0, signal);
  using budget = new JobBudget(settings.budget, parts.costs, { ...job, signal });
  try {
    const metered = await budget.metered(parts, job);
    await new Batch(metered, settings, list, { ...job, signal }, budget).run(() => halt.abort());
  } finally {
    halt.abort();
  }
}

/** One batch. Pages are visited side by side and settled one after the other, in their order. */
class Batch {
  readonly #parts: ClientParts;
  readonly #settings: BatchSettings;
  readonly #list: BatchList;
  readonly #job: JobControl<PlainDocument>;
  readonly #budget: JobBudget;
  readonly #visits: BatchVisits;
  readonly #targets: ScrapeTarget[] = [];
  /** The index of the next target. */
  #position = 0;
  #settled = 0;
  /** The data of the URLs that have some. */
  readonly #data = new Map<string, unknown>();
  /** The URLs that were given again with other data. */
  readonly #otherData: string[] = [];
  readonly #settler: PageSettler<ScrapeTarget>;
  /** Notified when a URL was added, and when one is settled. */
  readonly #notifier = new JobNotifier();

  constructor(
    parts: ClientParts,
    settings: BatchSettings,
    list: BatchList,
    job: JobControl<PlainDocument>,
    budget: JobBudget,
  ) {
    this.#parts = parts;
    this.#settings = settings;
    this.#list = list;
    this.#job = job;
    this.#budget = budget;
    // URLs that a batch leaves out are no news to hooks: its caller gave them.
    const own = { ...parts, hooks: { ...parts.hooks, onSkipped: [] } };
    const timeoutOf = (): number => settings.page.timeout;
    const hooks = new JobHooks({ parts: own, timeoutOf, job, signal: job.signal });
    this.#settler = new PageSettler({ parts, job, budget, hooks });
    this.#visits = {
      parts,
      settings,
      errorPages: settings.errorPages,
      job: budget.over(job),
      rendering: new JobRenderHints(settings.maxConcurrency, job.learningDistance),
      onFetch: () => budget.begin(),
      visitor: parts.visitor,
    };
  }

  async run(halt: () => void): Promise<void> {
    for (const warning of this.#settings.warnings) this.#job.warn(warning);
    this.#list.open((targets) => this.#add(targets));
    using concurrency = await openConcurrency(this.#parts, this.#settings, this.#job);
    await runOrdered<ScrapeTarget, VisitOutcome>({
      get concurrency() {
        return concurrency.pages;
      },
      signal: this.#job.signal,
      waitSignal: this.#budget.signal,
      halt,
      mayStart: (uncommitted) => this.#budget.mayStart(uncommitted),
      next: () => this.#next(),
      run: (target, permit) => this.#visit(target, permit),
      commit: async (target, outcome) => {
        await this.#commit(target, outcome);
        this.#settled += 1;
        this.#notifier.notify();
      },
    });
    this.#list.close();
    if (this.#job.signal.aborted) return;
    const [first] = this.#otherData;
    if (first !== undefined) {
      this.#job.warn(
        `URLs given again with other data: ${this.#otherData.length}, such as ${first}. Each is one page, with the data that came first.`,
      );
    }
    this.#warnOfNothing();
    const rule = this.#budget.stops(0);
    if (rule === undefined) return;
    for (const { url } of this.#targets.slice(this.#position)) {
      this.#job.skip({ url, reason: 'BUDGET', rule });
    }
    this.#budget.tell(this.#job, this.#parts.logger);
  }

  #warnOfNothing(): void {
    const warning = emptyBatchWarning(this.#job.ledger, this.#list.invalid);
    if (warning === undefined) return;
    this.#job.warn(warning);
    // A loop over the job does not see the warnings of its result.
    this.#parts.logger.warn(warning);
  }

  /** A URL is one page, however often it is given. */
  #add(targets: readonly ScrapeTarget[]): void {
    for (const target of targets) {
      const { url, sourceUrl, data } = target;
      if (this.#job.ledger.has(url)) {
        if (!isDeepStrictEqual(data, this.#data.get(url))) this.#otherData.push(url);
        this.#job.repeat({ url: sourceUrl, reason: 'DUPLICATE_URL', rule: url });
      } else {
        this.#job.ledger.pending(url);
        this.#targets.push(target);
        if (data !== undefined) this.#data.set(url, data);
      }
    }
    this.#notifier.notify();
  }

  /** The next URL, once a consumer wants it; undefined when the batch is done. */
  async #next(): Promise<ScrapeTarget | undefined> {
    const { signal } = this.#budget;
    try {
      for (;;) {
        await withSignal(this.#job.wanted(), signal);
        // Taken before looking, so that nothing that happens meanwhile is missed.
        const change = Promise.race([this.#notifier.next, this.#job.changed()]);
        const target = this.#targets[this.#position];
        if (target !== undefined) {
          this.#parts.workers.expectPages(this.#targets.length - this.#position);
          this.#position += 1;
          this.#job.ledger.pending(target.url);
          return target;
        }
        if (await this.#isDone()) {
          if (!this.#settler.mayRetry) return undefined;
          this.#targets.push(...this.#settler.beginRetry());
          continue;
        }
        await withSignal(change, signal);
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** True when no page runs or waits, and every caller that may add URLs has seen the last page. */
  async #isDone(): Promise<boolean> {
    if (this.#settled < this.#position) return false;
    // Listeners hear of the last page now.
    await setImmediate();
    if (this.#position < this.#targets.length || !this.#job.isAskedForMore()) return false;
    this.#list.close();
    return true;
  }

  #visit(target: ScrapeTarget, permit: TaskPermit): Promise<VisitOutcome> {
    return visitInJob<VisitOutcome>(this.#visits, { url: target.url, permit }, async (visit) => {
      const visited = await visitTarget(this.#visits, target, visit);
      if ('error' in visited) return visited;
      const { page, document, stored } = visited;
      return { ...page, document, stored };
    });
  }

  async #commit(target: ScrapeTarget, outcome: VisitOutcome): Promise<void> {
    if (this.#job.signal.aborted) return;
    const settler = this.#settler;
    settler.visited(target);
    if (settler.exceedsBudget(target, outcome)) return;
    const page = await settler.settle(target, outcome);
    if (page !== undefined) await settler.deliver(target, page);
  }
}
