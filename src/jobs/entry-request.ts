/** What is asked for one page of a crawl, and where its document says that it was found. */
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { SiteFiles } from '../frontier/site-files.ts';
import type { FormatRequest } from '../formats/format.ts';
import type { PagePlace } from '../model/hooks.ts';
import type { Pace } from '../model/pace.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { PlainDocument } from '../reading/compose-document.ts';

/** The request for a page, but for what is known only when it is sent. */
export function pageRequest(
  settings: CrawlSettings,
  jobId: string,
  entry: FrontierEntry,
): ScrapeRequest<FormatRequest> {
  const { url } = entry;
  return {
    ...settings.pageSettings(url),
    visitor: settings,
    sourceUrl: url,
    url,
    place: placeOf(entry, jobId),
    isHidden: entry.discoveredBy === 'since',
    refusalsArePages: settings.errorPages === 'fail',
  };
}

/** Where a page was found, for hooks. */
export function placeOf({ depth, parent }: FrontierEntry, jobId: string): PagePlace {
  return parent === undefined ? { jobId, depth } : { jobId, depth, parent };
}

/** The document says where in the crawl the page was found. */
export function placed(document: PlainDocument, entry: FrontierEntry): PlainDocument {
  const { depth, discoveredBy, parent, score } = entry;
  Object.assign(document.metadata, { depth, discoveredBy });
  if (parent !== undefined) document.metadata.parentUrl = parent;
  if (score !== undefined) document.metadata.score = Math.round(score * 1000) / 1000;
  return document;
}

/** How often, and how many at a time, the requests of a crawl may go to the host of a URL. */
export function paceAt(
  { settings, site }: { readonly settings: CrawlSettings; readonly site: SiteFiles },
  url: string,
): Pace {
  const delay = settings.delay ?? site.crawlDelay(url);
  return { delay, concurrency: settings.maxConcurrencyPerHost, job: settings };
}
