/** The budget of one running job: its use so far, and the part that is used up. */
import { setMaxListeners } from 'node:events';
import { PagewrightError } from '../runtime/errors.ts';
import { BudgetRefusal } from '../../extract/llm/model-failure.ts';
import type { Model, ModelUsage } from '../../extract/llm/model.ts';
import { ModelMeter } from '../../extract/llm/model-meter.ts';
import type { Costs } from '../model/costs.ts';
import type { JobUsage } from '../model/job.ts';
import type { Budget } from '../options/job-options.ts';
import type { Journal } from './durable/journal.ts';
import type { JobControl } from './job-status.ts';

/** The use of a page. */
export interface PageUse {
  /** Bytes as received. */
  readonly received?: number;
  readonly credits?: number;
  /** Requests for the page itself, redirects included. */
  readonly pageRequests?: number | undefined;
}

type BudgetPart = keyof Budget;

/** The parts that are counted in the order of the pages. */
const counted = ['requests', 'bytes', 'credits'] as const;

/**
 * Requests, bytes and credits are counted as pages are settled, in their order: the first page that exceeds one of them
 * does not depend on timing, and no later page is stored. Seconds end the requests in flight; pages that were read
 * before stay. Tokens and cost are counted as the model answers, and it is not called when they would be exceeded:
 * pages that had their answers by then stay. A job that continues in a later process counts the use of its model in
 * earlier ones.
 */
export class JobBudget implements Disposable {
  #budget: Budget;
  /** Credits of a page, at least. */
  readonly #price: number;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #ranBefore: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #used = { requests: 0, bytes: 0, credits: 0 };
  #fetched = 0;
  #over: BudgetPart | undefined;
  /** Counts the job's use of its client's model. */
  #meter: ModelMeter | undefined;
  /** The journal of a job that continues in a later process. */
  #journal: Journal | undefined;

  /**
   * `job` has run for `ranBefore` ms already, and its signal ends the budget. Dispose it when the job ends, or its
   * timer leaks.
   */
  constructor(
    budget: Budget,
    costs: Costs,
    { signal, ranBefore }: Pick<JobControl<unknown>, 'signal' | 'ranBefore'>,
  ) {
    this.#budget = budget;
    this.#price = Math.min(costs.page, costs.stealth);
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
    setMaxListeners(0, this.#signal);
    this.#ranBefore = ranBefore;
    // Pages of earlier processes use none of the seconds.
    if (ranBefore === 0) this.begin();
  }

  /**
   * Starts the seconds: a page is about to be fetched. Throws a `BudgetRefusal` if only pages that an earlier process
   * has fetched are still needed.
   */
  begin(): void {
    const spent = this.#journal === undefined ? undefined : this.#meter?.rule;
    if (spent !== undefined) {
      throw new BudgetRefusal(spent, `The page was not fetched: ${spent} is used up. Raise it.`);
    }
    const { seconds } = this.#budget;
    if (seconds === undefined || this.#timer !== undefined) return;
    const left = Math.max(0, seconds * 1000 - this.#ranBefore);
    this.#timer = setTimeout(() => this.#end('seconds'), left);
  }

  /** Aborts when nothing more is fetched: the budget is used up, or the job ends. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** `budget.seconds: 30` once that is over. */
  get rule(): string | undefined {
    return this.#over === undefined ? undefined : this.#ruleOf(this.#over);
  }

  /**
   * The rule that stops a further page while `inFlight` others may become documents, of which `unsettled` are not
   * counted yet; undefined when it may start. A page that it stops could not have been stored.
   */
  stops(inFlight: number, unsettled: number = inFlight): string | undefined {
    const { requests = Infinity, bytes = Infinity, credits = Infinity } = this.#budget;
    if (this.#over !== undefined) return this.rule;
    if (this.#used.requests + unsettled >= requests) return this.#ruleOf('requests');
    if (this.#fetched >= bytes) return this.#ruleOf('bytes');
    if (this.#meter?.rule !== undefined) return this.#meter.rule;
    const isSpent = this.#used.credits >= credits || this.isPledged(inFlight);
    return isSpent ? this.#ruleOf('credits') : undefined;
  }

  /**
   * True when a further page may start: nothing `stops` it, or the model's part is used up and there are still pages
   * for which an earlier process has called it.
   */
  mayStart(inFlight: number, unsettled: number = inFlight): boolean {
    const rule = this.stops(inFlight, unsettled);
    if (rule === undefined) return true;
    return rule === this.#meter?.rule && (this.#journal?.visitsLeft ?? 0) > 0;
  }

  /** True when there would be no credits for a further page should `waiting` others become documents. */
  isPledged(waiting: number): boolean {
    const least = this.#used.credits + this.#price * (waiting + 1);
    return least > (this.#budget.credits ?? Infinity);
  }

  /** Replaces `budget.requests`: the prompt of a crawl may set its limit, which the number follows. */
  limitRequests(requests: number | undefined): void {
    this.#budget = { ...this.#budget, requests };
  }

  /** Subtracts the bytes of a page that turned out not to be needed. */
  forget(received: number): void {
    this.#fetched -= received;
  }

  /** The job control for requests: their bytes are counted, and they end with the budget. */
  over<Document>(job: JobControl<Document>): JobControl<Document> {
    return {
      ...job,
      signal: this.#signal,
      use: (usage) => {
        this.fetched(usage);
        job.use(usage);
      },
    };
  }

  /** A page was fetched. */
  fetched({ bytes }: Pick<JobUsage, 'bytes'>): void {
    this.#fetched += bytes;
  }

  /**
   * The same parts for the pages of this job: the client's model within the budget, its use counted as the
   * job's. Its use in earlier processes counts, too.
   */
  async metered<Parts extends { readonly model: Model | undefined }>(
    parts: Parts,
    { use, journal }: Pick<JobControl<unknown>, 'use' | 'journal'>,
  ): Promise<Parts> {
    if (parts.model === undefined) return parts;
    const spent = await journal.modelUse();
    const { tokens, cost } = this.#budget;
    const count = ({ inputTokens, outputTokens, cost: money }: ModelUsage): void =>
      use({ requests: 0, bytes: 0, tokens: inputTokens + outputTokens, cost: money });
    if (spent !== undefined) count(spent);
    const onUse = async (used: ModelUsage): Promise<void> => {
      count(used);
      await journal.keepModelUse(meter.usage);
    };
    const meter = new ModelMeter(parts.model, { tokens, cost }, onUse, spent);
    this.#meter = meter;
    if (journal.isResumed) {
      this.#journal = journal;
      await journal.countVisits();
    }
    return { ...parts, model: meter };
  }

  /** Counts the use of a page, in page order. Returns the rule if the page is not stored because of it. */
  take(use: PageUse): string | undefined {
    if (this.#over !== undefined && this.#over !== 'seconds') return this.rule;
    const exceeded = this.exceededBy(use);
    if (exceeded !== undefined) {
      this.#end(exceeded);
      return this.#ruleOf(exceeded);
    }
    const more = amountsOf(use);
    for (const part of counted) this.#used[part] += more[part];
    return undefined;
  }

  /** The part that `take` would end the job for. */
  exceededBy(use: PageUse): BudgetPart | undefined {
    const more = amountsOf(use);
    return counted.find((part) => this.#used[part] + more[part] > (this.#budget[part] ?? Infinity));
  }

  /** The rule if a page failed, in page order, because the budget was used up. */
  causeOf(error: unknown): string | undefined {
    if (error instanceof BudgetRefusal) return error.rule;
    if (this.#over === undefined) return undefined;
    const isAborted = error instanceof PagewrightError && error.code === 'CANCELLED';
    return isAborted || this.#over !== 'seconds' ? this.rule : undefined;
  }

  /** Warns when the budget ended the job; `logger` receives it if nothing was stored: a loop over the job does not. */
  tell(
    job: Pick<JobControl<unknown>, 'ledger' | 'warn'>,
    logger?: { warn(message: string): void },
  ): void {
    const { count = 0, lastRule } = job.ledger.tallyOf('BUDGET') ?? {};
    const rule = this.#over === 'seconds' ? this.rule : lastRule;
    if (rule === undefined) return;
    const { completed } = job.ledger.counts;
    const outcome = rule === this.#ruleOf('requests') ? ` ${completed} became documents, and` : '';
    const warning =
      `The job ended because its budget was used up (${rule}):${outcome} ${count} of the URLs found ` +
      'were not scraped. Raise it for the rest.';
    job.warn(warning);
    if (completed === 0) logger?.warn(warning);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #end(part: BudgetPart): void {
    if (this.#over !== undefined && this.#over !== 'seconds') return;
    this.#over = part;
    this.#ending.abort(new PagewrightError('CANCELLED', `The budget was used up (${this.rule}).`));
  }

  #ruleOf(part: BudgetPart): string {
    return `budget.${part}: ${this.#budget[part]}`;
  }
}

function amountsOf({
  received = 0,
  credits = 0,
  pageRequests = 0,
}: PageUse): Readonly<Record<(typeof counted)[number], number>> {
  return { requests: pageRequests, bytes: received, credits };
}
