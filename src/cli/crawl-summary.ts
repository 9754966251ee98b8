/** What a crawl did, at its end. */
import type { PageFailure, SkipReason } from '../index.ts';
import { failureKinds, kindOf } from '../jobs/page-failure.ts';

/** The facts of the summary. */
export interface CrawlFacts {
  readonly status: string;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Left in the queue when the crawl was interrupted. */
  readonly pending: number;
  /** Where the pages are. */
  readonly writtenTo: readonly string[];
  readonly errors: readonly PageFailure[];
  readonly skippedByReason: Readonly<Partial<Record<SkipReason, number>>>;
  readonly warning?: string;
}

/** Failed pages that have a line of their own. */
const mostFailures = 20;

/** Lines for a person. */
export function summaryLines(facts: CrawlFacts): string[] {
  const { status, completed, pending, writtenTo, errors, skippedByReason, warning } = facts;
  const reasons = Object.entries(skippedByReason).map(([reason, count]) => `${count} ${reason}`);
  const more = errors.length - mostFailures;
  return [
    ...errors.slice(0, mostFailures).map(failureLine),
    ...(more > 0 ? [`failed: ${more} more; --json lists all`] : []),
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
    `${pages(completed)} written to ${writtenTo.join(' and ')}`,
    ...(errors.length === 0 ? [] : [`${pages(errors.length)} failed: ${failureKinds(errors)}`]),
    ...(status === 'cancelled' ? [`interrupted, ${pending} URLs were still queued`] : []),
  ];
}

function failureLine(failure: PageFailure): string {
  const { code, url, error } = failure;
  // The status says it all.
  const why = code === 'HTTP_STATUS' ? '' : `: ${error}`;
  return `failed: ${kindOf(failure)} ${url}${why}`;
}

function pages(count: number): string {
  return `${count} ${count === 1 ? 'page' : 'pages'}`;
}
