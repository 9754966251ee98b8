/** The files that a crawl reads of its sites: from the network, or as an earlier process read them. */
import { fileFetcher, fileRequest } from '../fetching/fetch-file.ts';
import { SiteFiles } from '../frontier/site-files.ts';
import type { Pace } from '../model/pace.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { PipelineParts } from '../pipeline.ts';
import type { JobControl } from './job-status.ts';
import { paceAt } from './entry-request.ts';

/** Those of one crawl; `signal` ends what is being fetched. */
export function crawlFiles(
  parts: PipelineParts,
  settings: CrawlSettings,
  { journal, signal }: Pick<JobControl<unknown>, 'journal' | 'signal'>,
): SiteFiles {
  // One for all of them: the settings are this job's own.
  const request = fileRequest(settings.pageSettings(settings.url), settings);
  const { maxConcurrency: concurrency } = settings;
  const paceOf = (url: string): Pace => paceAt({ settings, site }, url);
  const fetch = fileFetcher(parts, { request, concurrency, paceOf, signal });
  const site: SiteFiles = new SiteFiles({
    ...settings,
    fetch: (url, purpose) =>
      journal?.file(url, signal, () => fetch(url, purpose)) ?? fetch(url, purpose),
    obeyRobots: !settings.ignoreRobotsTxt,
    now: () => parts.clock.now(),
    signal,
  });
  return site;
}
