/** changes(): the versions of a page that change tracking has recorded. */
import { historyIdentity } from './content/formats/change-tracking/history.ts';
import { type PageVersion, readHistory } from './content/formats/change-tracking/read-history.ts';
import { parseChangesOptions } from './core/options/client-options.ts';
import { parsePageOptions } from './core/options/scrape-options.ts';
import { parseScrapeTarget } from './core/options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import { scrapeRequest } from './scrape.ts';

/** The versions of a page, oldest first. */
export async function changes(
  parts: ClientParts,
  url: unknown,
  options: unknown,
): Promise<PageVersion[]> {
  const { tag = '', identity: name, scrapeOptions } = parseChangesOptions(options);
  const target = parseScrapeTarget(url, 'changes');
  const settings = parsePageOptions('changes', scrapeOptions, parts);
  const identity = historyIdentity(name, parts.identify(scrapeRequest(target, settings)));
  return readHistory(parts.store, target.url, tag, identity);
}
