/** What the result of a crawl says about what may be missing from it. */
import { trapWarning } from '../frontier/trap-warning.ts';
import type { Ledger } from './ledger.ts';

/** Sentences, for a crawl that ended; `url` is its start. */
export function crawlWarnings(ledger: Ledger, url: string): string[] {
  const warnings: string[] = [];
  const skipped = ledger.skips();
  const blocked = skipped.filter(({ reason }) => reason === 'ROBOTS');
  if (blocked.length > 0) {
    warnings.push(
      `robots.txt kept ${blocked.length} of the site's URLs out, ${blocked[0]?.url ?? ''} for one. ` +
        'With ignoreRobotsTxt: true they are fetched.',
    );
  }
  const trapped = trapWarning(skipped);
  if (trapped !== undefined) warnings.push(trapped);
  if (ledger.counts.completed <= 1 && new URL(url).pathname !== '/') {
    warnings.push(
      'At most one page was found below the start URL. Start higher up, or use crawlEntireDomain: true.',
    );
  }
  return warnings;
}
