/** The accounts of one extraction: what it may use, what it used, and what its budget left out. */
import type { Costs } from '../model/costs.ts';
import type { JobUsage, SkippedUrl } from '../model/job.ts';
import type { ExtractBudget } from '../options/budget.ts';
import { JobBudget } from './job-budget.ts';
import { addJobUsage } from './job-usage.ts';
import { Ledger } from './ledger.ts';

/** Dispose them when the extraction ends, or a timer stays. */
export class ExtractAccounts implements Disposable {
  readonly budget: JobBudget;
  readonly ledger: Ledger = new Ledger();
  readonly warnings: Set<string> = new Set();
  /** Nothing of an extraction is stored. */
  readonly journal = undefined;
  readonly #pages: number | undefined;
  #usage: JobUsage = { requests: 0, bytes: 0 };

  /** `signal` ends the extraction. */
  constructor({ pages, ...budget }: ExtractBudget, costs: Costs, signal: AbortSignal) {
    this.#pages = pages;
    this.budget = new JobBudget(budget, costs, { signal, ranBefore: 0 });
  }

  /** So far. */
  get usage(): JobUsage {
    return this.#usage;
  }

  /** Pages that the budget left out, so far. */
  get skipped(): SkippedUrl[] {
    return this.ledger.skipsBy('BUDGET');
  }

  readonly use = (more: JobUsage): void => {
    this.#usage = addJobUsage(this.#usage, more);
  };

  /** The rule that stops a further page while `inFlight` others may be read beside the `read` ones. */
  stops(read: number, inFlight: number): string | undefined {
    if (read + inFlight >= (this.#pages ?? Infinity)) return `budget.pages: ${this.#pages}`;
    return this.budget.stops(inFlight);
  }

  /** A page was fetched. */
  received(use: JobUsage): void {
    this.budget.fetched(use);
    this.use(use);
  }

  readonly skip = (url: string, rule: string): void => {
    this.ledger.skipped({ url, reason: 'BUDGET', rule });
  };

  readonly warn = (sentence: string): void => {
    this.warnings.add(sentence);
  };

  [Symbol.dispose](): void {
    this.budget[Symbol.dispose]();
  }
}
