/** batchScrape(): the pages of a list of URLs, in the order of the list. */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type PageRenderHints, JobRenderHints } from './fetching/rendering/render-hints.ts';
import type { OnErrorResult } from './hooks/page-hooks.ts';
import { SkippedByHook } from './hooks/hook-lists.ts';
import type { BatchList } from './jobs/batch-job.ts';
import { errorFrom } from './jobs/durable/journal.ts';
import {
  keepFailure,
  keepPage,
  storedDocument,
  type VisitFacts,
} from './jobs/durable/stored-page.ts';
import { emptyBatchWarning } from './jobs/job-warnings.ts';
import { pageRequestsOf } from './jobs/crawled-page.ts';
import { JobNotifier } from './jobs/job-readers.ts';
import { JobBudget } from './jobs/job-budget.ts';
import type { JobControl } from './jobs/job-status.ts';
import { keepDocument } from './jobs/delivery-queue.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import {
  type ErrorPage,
  failureOf,
  httpStatusError,
  isErrorPage,
  pageError,
  readErrorPage,
} from './jobs/page-failure.ts';
import type { ErrorAnswer } from './model/job.ts';
import type { TaskPermit } from './model/pace.ts';
import { withSignal } from './network/deadline.ts';
import type { BatchSettings } from './options/batch-options.ts';
import type { ScrapeTarget } from './options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import {
  answerFailure,
  type FetchedPage,
  finishDocument,
  prepareRequest,
  type TimedRequest,
  visitPage,
} from './pipeline.ts';
import type { PlainDocument } from './processing/compose-document.ts';
import { scrapeRequest } from './scrape.ts';

/** A page that failed. */
interface Failed {
  readonly error: unknown;
  /** Milliseconds since 1970. @default now */
  readonly at?: number;
  /** Of an error page: what came. */
  readonly evidence?: PlainDocument | undefined;
  /** Bytes. */
  readonly received?: number;
  /** For the page itself, redirects included. */
  readonly pageRequests?: number | undefined;
}

/** What became of a page: its document, still to be handed to hooks, or what went wrong. */
type Outcome =
  | (Pick<Received, 'received' | 'pageRequests'> & { readonly make: () => Promise<PlainDocument> })
  | Failed;

/** What one visit works with; `use` grows while the page is asked for. */
interface VisitInBatch {
  readonly permit: TaskPermit;
  readonly place: PageRenderHints;
  readonly use: { pageRequests: number };
}

/** What is stored of a page that was received. */
interface Received {
  readonly requests: number;
  /** For the page itself, redirects included. */
  readonly pageRequests: number;
  readonly received: number;
  readonly browserMs?: number | undefined;
  readonly errorAnswer?: ErrorAnswer | undefined;
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
  readonly #targets: ScrapeTarget[] = [];
  /** Of the next one to be visited. */
  #position = 0;
  #settled = 0;
  /** Rings when a URL was added, and when one is settled. */
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
  }

  async run(halt: () => void): Promise<void> {
    for (const warning of this.#settings.warnings) this.#job.warn(warning);
    this.#list.open((targets) => this.#add(targets));
    const { maxConcurrency } = this.#settings;
    const rendering = new JobRenderHints(maxConcurrency);
    await runOrdered<ScrapeTarget, Outcome>({
      concurrency: maxConcurrency,
      signal: this.#job.signal,
      waitSignal: this.#budget.signal,
      takesSlots: true,
      halt,
      mayStart: (uncommitted) => this.#budget.mayStart(uncommitted),
      next: () => this.#next(),
      run: (target, permit) => this.#visit(target, permit, rendering.begin(target.url)),
      commit: async (target, outcome) => {
        await this.#commit(target, outcome);
        this.#settled += 1;
        this.#notifier.notify();
      },
    });
    this.#list.close();
    if (this.#job.signal.aborted) return;
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
    // A loop over the job sees no warning of its result.
    this.#parts.logger.warn(warning);
  }

  /** A URL is one page, however often it is given. */
  #add(targets: readonly ScrapeTarget[]): void {
    for (const target of targets) {
      const { url, sourceUrl } = target;
      if (this.#job.ledger.has(url)) {
        this.#job.repeat({ url: sourceUrl, reason: 'DUPLICATE_URL', rule: url });
      } else {
        this.#job.ledger.pending(url);
        this.#targets.push(target);
      }
    }
    this.#notifier.notify();
  }

  /** The next URL, once somebody wants it; undefined when the batch is done. */
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
          return target;
        }
        if (await this.#isDone()) return undefined;
        await withSignal(change, signal);
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Nothing runs, nothing waits, and whoever may add URLs has seen the last page. */
  async #isDone(): Promise<boolean> {
    if (this.#settled < this.#position) return false;
    // Listeners hear of the last page now.
    await setImmediate();
    if (this.#position < this.#targets.length || !this.#job.isAskedForMore()) return false;
    this.#list.close();
    return true;
  }

  async #visit(target: ScrapeTarget, permit: TaskPermit, begun: PageRenderHints): Promise<Outcome> {
    const { journal } = this.#job;
    using place = begun;
    const stored = await journal?.visit<VisitFacts<Received>>(target.url);
    if (journal !== undefined && stored !== undefined) {
      const { error, page, at, lesson = 'none', pageRequests } = stored.facts;
      place.record(lesson);
      if (page === undefined) return { error: error && errorFrom(error), at, pageRequests };
      return await this.#outcome(target, page, () => storedDocument(journal, target.url, stored));
    }
    const use = { pageRequests: 0 };
    try {
      this.#budget.begin();
      const fetched = await this.#fetch(target, { permit, place, use });
      const { snapshot, errorAnswer, document: make } = fetched;
      const { requests, bytes: received, browserMs } = snapshot;
      const page = { requests, ...use, received, browserMs, errorAnswer };
      const visit = { at: this.#parts.clock.now(), lesson: place.lesson, page };
      if (journal !== undefined) await keepPage(journal, target.url, visit, { make });
      return await this.#outcome(target, page, make);
    } catch (failure) {
      const error = pageError(this.#settings, target.url, failure);
      const at = this.#parts.clock.now();
      const isOutcome = !this.#budget.signal.aborted;
      const failed = { at, error, ...use, lesson: place.lesson };
      if (isOutcome && journal !== undefined) await keepFailure(journal, target.url, failed);
      return { error, at, ...use };
    }
  }

  async #fetch(
    target: ScrapeTarget,
    { permit, place, use }: VisitInBatch,
  ): Promise<Partial<ErrorPage> & Pick<ErrorPage, 'document'> & Pick<FetchedPage, 'snapshot'>> {
    const { signal } = this.#budget;
    const onRedirect = (): void => void (use.pageRequests += 1);
    const pace = { job: this.#settings, permit, onRedirect };
    const { page } = this.#settings;
    const renderHints = await place.hintsFor(page, this.#parts.engines, signal);
    // Before the page's own time begins, and without a task permit until the host is ready.
    using hostPermit = await this.#parts.hosts.acquire(target.url, { ...pace, signal });
    const request = await prepareRequest(this.#parts, {
      ...scrapeRequest(target, page),
      pace: { ...pace, hostPermit },
      visitor: this.#settings,
      renderHints,
      signal,
      refusalsArePages: this.#settings.errorPages === 'fail',
      place: { jobId: this.#job.id },
    });
    use.pageRequests = 1;
    return await visitPage(this.#parts, request, async (fetched) => {
      const { snapshot, read } = fetched;
      use.pageRequests = pageRequestsOf(snapshot);
      if (isErrorPage(this.#settings, snapshot)) {
        return { snapshot, ...(await readErrorPage(this.#parts, fetched, request)) };
      }
      const { processed, document } = await read({});
      if (processed.hooked?.veto !== undefined) throw processed.hooked.veto;
      return { snapshot, document: () => Promise.resolve(document) };
    });
  }

  async #outcome(
    target: ScrapeTarget,
    { requests, pageRequests, received, browserMs, errorAnswer }: Received,
    made: () => Promise<PlainDocument>,
  ): Promise<Outcome> {
    this.#budget.over(this.#job).use({ requests, bytes: received, browserMs });
    if (errorAnswer !== undefined) {
      const error = httpStatusError(target.url, errorAnswer);
      const evidence = errorAnswer.hasDocument ? await made().catch(() => undefined) : undefined;
      return { error, at: errorAnswer.at, received, pageRequests, evidence };
    }
    const [{ journal }, { signal }] = [this.#job, this.#budget];
    const finish = async (): Promise<PlainDocument> =>
      finishDocument(this.#parts, this.#timed(target, signal), await made());
    const isAsked = journal !== undefined && this.#parts.hooks.onDocument.length > 0;
    const make = isAsked ? () => journal.answer('unmade', target.url, signal, finish) : finish;
    return { make, received, pageRequests };
  }

  #timed({ url }: Pick<ScrapeTarget, 'url'>, signal: AbortSignal): TimedRequest {
    const { timeout } = this.#settings.page;
    return { url, timeout, signal, place: { jobId: this.#job.id } };
  }

  async #commit(target: ScrapeTarget, outcome: Outcome): Promise<void> {
    if (this.#job.signal.aborted) return;
    const cause = 'error' in outcome ? this.#budget.causeOf(outcome.error) : undefined;
    const rule = cause ?? this.#budget.take(outcome);
    if (rule !== undefined) {
      this.#job.skip({ url: target.url, reason: 'BUDGET', rule });
      return;
    }
    const problem = 'error' in outcome ? outcome : await this.#keep(target, outcome.make);
    if (problem === undefined) return;
    const instead = await this.#failed(target, problem);
    if (instead === undefined) return;
    const again = await this.#keep(target, () => Promise.resolve(instead));
    if (again !== undefined) this.#fail(target, again);
  }

  /** Gives what went wrong when that is the page's failure, not the job's. */
  async #keep(
    { url }: ScrapeTarget,
    make: () => Promise<PlainDocument>,
  ): Promise<{ readonly error: unknown } | undefined> {
    const kept = await keepDocument(this.#job, this.#budget, url, make);
    if (kept === 'kept') return undefined;
    if ('error' in kept) return kept;
    this.#job.skip({ url, reason: 'BUDGET', rule: kept.rule });
    return undefined;
  }

  /** Settles a page that failed; gives what a hook wants to be kept in its place. */
  async #failed({ url }: ScrapeTarget, failed: Failed): Promise<PlainDocument | undefined> {
    const { error: failure } = failed;
    if (this.#job.signal.aborted) return undefined;
    if (failure instanceof SkippedByHook) {
      this.#job.skip({ url, reason: 'EXCLUDE', rule: failure.rule });
      return undefined;
    }
    const { journal, signal } = this.#job;
    const ask = (): Promise<OnErrorResult> =>
      answerFailure(this.#parts, this.#timed({ url }, signal), failure);
    const isAsked = journal !== undefined && this.#parts.hooks.onError.length > 0;
    const answer = await (isAsked ? journal.answer('failed', url, signal, ask) : ask());
    if ('document' in answer) return answer.document;
    this.#fail({ url }, answer.error === failure ? failed : answer);
    return undefined;
  }

  #fail(
    { url }: Pick<ScrapeTarget, 'url'>,
    { error, at = this.#parts.clock.now(), evidence }: Failed,
  ): void {
    // Pages that the end of the job broke off stay pending.
    if (this.#job.signal.aborted) return;
    this.#job.fail(failureOf({ url }, error, at, evidence));
  }
}
