/** What a job says about the traps that it met. */
import type { SkippedUrl } from '../model/job.ts';

/** One sentence or two about the URLs that were left out as traps, or undefined without any. */
export function trapWarning(trapped: readonly SkippedUrl[]): string | undefined {
  if (trapped.length === 0) return undefined;
  const rules = [...new Set(trapped.map(({ rule }) => rule))];
  const others = rules.length - mostRules;
  const named = rules.slice(0, mostRules).join('; ') + (others > 0 ? `; and ${others} more` : '');
  return (
    `${trapped.length} URL${trapped.length === 1 ? ' was' : 's were'} left out that go on for ever (${named}). ` +
    'With excludePaths none of them is fetched.'
  );
}

/** Rules that are named. */
const mostRules = 3;
