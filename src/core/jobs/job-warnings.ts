/** The sentences of a job's warning: parts that may be missing, traps, and the reasons for few or no documents. */
import type { SkippedUrl, SkipReason } from '../model/job.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { Ledger } from './ledger.ts';
import { failureKinds } from './page-failure.ts';

/** Sentences about the parts that an ended crawl may lack. */
export function crawlWarnings(ledger: Ledger): string[] {
  const warnings: string[] = [];
  const blocked = ledger.tallyOf('ROBOTS');
  if (blocked !== undefined) {
    warnings.push(
      `robots.txt disallows ${blocked.count} of the site's URLs, ${blocked.firstUrl} for one. ` +
        'ignoreRobotsTxt: true fetches them.',
    );
  }
  const merged = ledger.tallyOf('DUPLICATE_CONTENT');
  if (merged !== undefined) {
    warnings.push(
      `${merged.count} page${merged.count === 1 ? ' was' : 's were'} merged with another that has the same content, ` +
        `${merged.firstUrl} for one. deduplicateContent: 'off' keeps all of them.`,
    );
  }
  const trapped = trapWarning(ledger.skipsBy('TRAP'));
  if (trapped !== undefined) warnings.push(trapped);
  return warnings;
}

/** Why an ended crawl has at most one page, and what to change; undefined if it has more, or enough. */
export function fewPagesWarning(
  ledger: Ledger,
  { url, limit, sitemap, marksOf }: Pick<CrawlSettings, 'url' | 'limit' | 'sitemap' | 'marksOf'>,
): string | undefined {
  const { completed } = ledger.counts;
  if (completed > 1 || completed >= limit) return undefined;
  const budget = ledger.tallyOf('BUDGET')?.lastRule;
  // The budget's own warning reports that there may be more pages; this one, where the requests went.
  if (budget !== undefined && !budget.startsWith('budget.requests')) return undefined;
  const what = completed === 1 ? 'One page was kept' : 'No page was kept';
  const failures = failureCounts(ledger);
  const left = reasonAdvice.flatMap(([reason, advice]) => {
    const tally = ledger.tallyOf(reason);
    return tally === undefined ? [] : [`${tally.count} ${reason} (${advice})`];
  });
  const found = failures === undefined ? left : [...left, failures];
  if (found.length > 0) return `${what} of ${url}. Of the URLs found: ${found.join('; ')}.`;
  if (marksOf(url).follow === false) {
    return `${what} of ${url}: the route of this page has follow: false, and no sitemap lists others.`;
  }
  return sitemap === 'only'
    ? `${what} of ${url}: its sitemaps list no others. With sitemap: 'include', links are followed too.`
    : `${what} of ${url}: it links to no others, and no sitemap lists any. ` +
        "If a script adds its links, render it with engine: 'browser'.";
}

/** Why an ended batch has no document; undefined if it has one. */
export function emptyBatchWarning(
  ledger: Ledger,
  invalidUrls: readonly string[],
): string | undefined {
  if (ledger.counts.completed > 0) return undefined;
  const vetoed = ledger.tallyOf('EXCLUDE');
  const left = vetoed === undefined ? [] : [`${vetoed.count} left out (${vetoed.lastRule})`];
  const failures = failureCounts(ledger);
  const found = failures === undefined ? left : [...left, failures];
  if (found.length > 0) return `No page was kept: ${found.join('; ')}.`;
  if (invalidUrls.length > 0) {
    return `No page was kept: none of the ${invalidUrls.length} URLs is valid, ${invalidUrls[0] ?? ''} for one.`;
  }
  return ledger.counts.discovered === 0
    ? 'No page was kept: the list of URLs is empty.'
    : undefined;
}

/** `3 failed (2 HTTP_STATUS 404, 1 TIMEOUT)`; undefined if none failed. */
function failureCounts(ledger: Ledger): string | undefined {
  const failures = ledger.list('failed');
  return failures.length === 0
    ? undefined
    : `${failures.length} failed (${failureKinds(failures)})`;
}

/** The reasons that a caller can act on, with the advice for each. */
const reasonAdvice: readonly (readonly [SkipReason, string])[] = [
  ['INCLUDE', 'no pattern of includePaths matches; patterns are tested on the path'],
  ['EXCLUDE', 'a pattern of excludePaths matches, or a hook left them out'],
  ['SCOPE', 'not below the start URL; crawlEntireDomain: true takes them'],
  ['SUBDOMAIN', 'on other hosts of the domain; allowSubdomains: true takes them'],
  ['EXTERNAL', 'on other sites; allowExternalLinks: true takes them'],
  ['DEPTH', 'too many links away; raise maxDiscoveryDepth'],
  ['ROBOTS', 'closed by robots.txt; ignoreRobotsTxt: true takes them'],
  ['FILE_TYPE', 'files that are not read'],
  ['DUPLICATE_URL', 'lead to a page that was already found'],
  ['DUPLICATE_CONTENT', "the same text as another page; deduplicateContent: 'off' keeps them"],
  ['TRAP', 'look like an endless series'],
];

// The sentences about the traps that a job met.

/** One sentence or two about the URLs that were left out as traps, or undefined without any. */
function trapWarning(trapped: readonly SkippedUrl[]): string | undefined {
  if (trapped.length === 0) return undefined;
  const rules = [...new Set(trapped.map(({ rule }) => rule))];
  const others = rules.length - mostRules;
  const named = rules.slice(0, mostRules).join('; ') + (others > 0 ? `; and ${others} more` : '');
  return (
    `${trapped.length} URL${trapped.length === 1 ? ' was' : 's were'} left out as part of an endless series (${named}). ` +
    'excludePaths can leave out all of them.'
  );
}

const mostRules = 3; // rules that are named
