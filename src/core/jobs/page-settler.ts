/** Settles the pages of a crawl or batch, in their order: each becomes a document, a failure or a skip. */
import { PagewrightError } from '../runtime/errors.ts';
import type { ErrorAnswer } from '../model/job.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import type { PipelineParts } from '../page/pipeline.ts';
import type { FoundPage, PageOrigin } from './crawled-page.ts';
import { throwStoreError } from './durable/job-store.ts';
import type { JobBudget, PageUse } from './job-budget.ts';
import { foundAt, type JobHooks } from './job-hooks.ts';
import type { JobControl } from './job-status.ts';
import { httpStatusError } from './page-failure.ts';
import { PageOrder } from './page-order.ts';
import type { FailedVisit } from './page-visit.ts';
import type { Recrawl } from './recrawl.ts';

/** A page that becomes a document. */
export type DocumentSource = Pick<FoundPage, 'document' | 'stored' | 'version'> &
  Partial<Pick<FoundPage, 'finalUrl' | 'bytes' | 'isReady' | 'fingerprints'>> & {
    /** True for a document that hooks do not receive: one of them made it. */
    readonly isFinal?: boolean;
  };

interface PageSettlerSetting {
  readonly parts: Pick<PipelineParts, 'hooks' | 'clock'>;
  readonly job: JobControl<PlainDocument>;
  readonly budget: JobBudget;
  readonly hooks: JobHooks;
  /** The earlier crawl that a crawl starts from. */
  readonly recrawl?: Recrawl | undefined;
}

/** Its methods are called one after the other. Each rejects with `STORAGE`, which ends the job. */
export class PageSettler<Page extends PageOrigin> {
  readonly #setting: PageSettlerSetting;
  /** The failed pages by their URLs, if they are retried. */
  readonly #failures = new Map<string, Page>();
  /** The order of the pages, if failed ones are retried. */
  readonly #order: PageOrder | undefined;
  #retriesLeft: number;
  #documents = 0;
  #startError: unknown;

  constructor(setting: PageSettlerSetting) {
    this.#setting = setting;
    const { job } = setting;
    this.#retriesLeft = job.retries;
    if (job.retries === 0) return;
    const order = new PageOrder();
    this.#order = order;
    job.arrange(() => order.documents);
  }

  /** The number of documents. */
  get documents(): number {
    return this.#documents;
  }

  /** The error of the start page, if it gave no document. */
  get startError(): unknown {
    return this.#startError;
  }

  /** True while a further round revisits the pages that fail. */
  get mayRetry(): boolean {
    return this.#retriesLeft > 0;
  }

  /** Begins a round in which failed pages are visited once more; returns these pages. */
  beginRetry(): Page[] {
    const { job } = this.#setting;
    this.#retriesLeft -= 1;
    job.beginRetry();
    this.#order?.beginRetry();
    this.#startError = undefined;
    return [...this.#failures.values()].filter(({ url }) => job.ledger.stateOf(url) === 'failed');
  }

  /** The next page in order was visited. */
  visited(page: Page): void {
    this.#order?.visited({ depth: 0, ...page });
  }

  /** Counts the use of a page; skips the page and returns true if the budget does not allow for it. */
  exceedsBudget(page: Page, outcome: PageUse | (PageUse & FailedVisit)): boolean {
    const { budget } = this.#setting;
    const cause = 'error' in outcome ? budget.causeOf(outcome.error) : undefined;
    const rule = cause ?? budget.take(outcome);
    if (rule !== undefined) this.#skipForBudget(page, rule);
    return rule !== undefined;
  }

  /** Makes the document of a page and stores it; one that cannot be made or stored is that page's failure. */
  async deliver(
    page: Page,
    source: DocumentSource,
    repeated: ReadonlySet<number> = nothing,
  ): Promise<void> {
    const { job, hooks } = this.#setting;
    const problem = await this.#keep(page, source, repeated);
    if (problem === undefined || job.signal.aborted) return;
    if (source.isFinal === true) {
      this.#noteFailure(page);
      hooks.fail(page, problem.error);
      return;
    }
    const instead = await this.failed(page, problem.error);
    if (instead !== undefined) await this.deliver(page, instead, repeated);
  }

  /** Settles a page that was visited; returns it when it becomes a document. */
  async settle(
    page: Page,
    outcome: FailedVisit | (DocumentSource & { readonly errorAnswer?: ErrorAnswer | undefined }),
  ): Promise<DocumentSource | undefined> {
    if ('error' in outcome) return this.failed(page, outcome.error, outcome.at);
    const { errorAnswer: answer, document } = outcome;
    if (answer === undefined) return outcome;
    const evidence = answer.hasDocument
      ? await document(nothing).catch(throwStoreError)
      : undefined;
    return this.failed(page, httpStatusError(page.url, answer), answer.at, evidence);
  }

  /** Settles a page that failed; returns the document that a hook substitutes, still to be delivered. */
  async failed(
    page: Page,
    failure: unknown,
    at: number = this.#setting.parts.clock.now(),
    evidence?: PlainDocument,
  ): Promise<DocumentSource | undefined> {
    throwStoreError(failure);
    const { budget, hooks } = this.#setting;
    const rule = budget.causeOf(failure);
    if (rule !== undefined) {
      this.#skipForBudget(page, rule);
      return undefined;
    }
    const { document, error } = await hooks.settleFailure(page, failure, at, evidence);
    if (page.discoveredBy === 'start') this.#startError = error;
    if (document !== undefined) return { document: () => Promise.resolve(document), isFinal: true };
    this.#noteFailure(page);
    return undefined;
  }

  /** Returns the error when it is the page's failure, not the job's. */
  async #keep(
    page: Page,
    { document, stored: asVisited, version, isFinal = false }: DocumentSource,
    repeated: ReadonlySet<number>,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { job, hooks, budget, parts, recrawl } = this.#setting;
    const { url } = page;
    const take = (credits: number): boolean => {
      const rule = budget.take({ credits });
      if (rule !== undefined) this.#skipForBudget(page, rule);
      return rule === undefined;
    };
    const kept = (): undefined => {
      this.#documents += 1;
      this.#order?.kept(url);
      recrawl?.kept(url, version);
    };
    const earlier = job.stored(url);
    if (earlier !== undefined) {
      if (!take(earlier.credits)) return undefined;
      await job.adopt(earlier);
      return kept();
    }
    // Hooks change the document.
    const stored = parts.hooks.onDocument.length === 0 ? asVisited : undefined;
    if (stored !== undefined && !job.isHeard()) {
      if (!take(stored.credits)) return undefined;
      await job.keepVisit(url, stored);
      return kept();
    }
    let made: PlainDocument;
    try {
      const make = () => document(repeated);
      made = await (isFinal ? make() : hooks.document(page, make));
    } catch (error) {
      throwStoreError(error);
      const rule = budget.causeOf(error);
      if (rule === undefined) return { error };
      this.#skipForBudget(page, rule);
      return undefined;
    }
    const { creditsUsed: credits, redactions } = made.metadata;
    if (!take(credits)) return undefined;
    try {
      await job.keep(made, { url, credits, redactions, stored });
      return kept();
    } catch (error) {
      if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
      return { error };
    }
  }

  #skipForBudget(page: Page, rule: string): void {
    this.#setting.hooks.skip({ ...foundAt(page), reason: 'BUDGET', rule });
  }

  #noteFailure(page: Page): void {
    if (this.mayRetry) this.#failures.set(page.url, page);
  }
}

const nothing: ReadonlySet<number> = new Set();
