/** What a crawl did, at its end. */
import type { PageFailure, SkippedUrl, SkipReason } from '../index.ts';

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

/** Counts the skipped URLs by their reason, the most frequent first. */
export function countReasons(skipped: readonly SkippedUrl[]): CrawlFacts['skippedByReason'] {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** Lines for a person. */
export function summaryLines(facts: CrawlFacts): string[] {
  const { status, completed, pending, writtenTo, errors, skippedByReason, warning } = facts;
  const reasons = Object.entries(skippedByReason).map(([reason, count]) => `${count} ${reason}`);
  return [
    ...errors.map(({ code, url, error }) => `failed: ${code} ${url}: ${error}`),
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
    `${completed} ${completed === 1 ? 'page' : 'pages'} written to ${writtenTo.join(' and ')}`,
    ...(status === 'cancelled' ? [`interrupted, ${pending} URLs were still queued`] : []),
  ];
}
