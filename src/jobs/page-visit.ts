/** One page of a crawl, fetched and read: beside others, in any order. */
import type { FetchedPage, FrontierEntry } from '../frontier/frontier.ts';
import type { SiteFiles } from '../frontier/site-files.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { Parts } from '../parts.ts';
import { visitPage } from '../pipeline.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import type { Outline } from '../reading/outline.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { type CrawledPage, readSitePage, readWholePage } from './crawled-page.ts';
import type { JobControl } from './job-status.ts';
import type { SiteBlocks } from './site-blocks.ts';

/** A page that was fetched and read, kept until it is its turn. */
export type FoundPage = FetchedPage &
  Pick<Outline, 'links' | 'refused'> &
  Omit<CrawledPage, 'outline'> & {
    /** Bytes of the body. */
    readonly bytes: number;
  };

/** What a visit gives. */
export type VisitOutcome = FoundPage | { readonly error: unknown } | { readonly closedBy: string };

/** What the visits of one crawl work with. */
export interface VisitSetting {
  readonly parts: Parts;
  readonly settings: CrawlSettings;
  readonly site: SiteFiles;
  readonly job: JobControl<PlainDocument>;
  readonly siteBlocks: SiteBlocks;
}

/** Never rejects. */
export async function visitEntry(
  setting: VisitSetting,
  entry: FrontierEntry,
): Promise<VisitOutcome> {
  try {
    const closedBy = entry.asksRobots && (await closingRule(setting, entry.url));
    return closedBy ? { closedBy } : await fetchEntry(setting, entry);
  } catch (error) {
    return { error };
  }
}

/** The robots.txt line of another host that closes a page, or undefined. */
async function closingRule(
  { site, settings: { robotsUserAgent } }: VisitSetting,
  url: string,
): Promise<string | undefined> {
  const robots = await site.robots(new URL(url).origin);
  if (robots === undefined || robots.isAllowed(url, robotsUserAgent)) return undefined;
  return robots.rule(url, robotsUserAgent) ?? 'robots.txt';
}

async function fetchEntry(
  { parts, settings, site, job, siteBlocks }: VisitSetting,
  entry: FrontierEntry,
): Promise<FoundPage> {
  const page = settings.pageSettings(entry.url);
  const delay = settings.delay ?? site.crawlDelay(entry.url);
  // Before the page's own time begins.
  await parts.hosts.turn(entry.url, { signal: job.signal, delay });
  const turn = { delay, hasTurn: true, visitor: settings };
  const request = { ...page, ...turn, sourceUrl: entry.url, url: entry.url, signal: job.signal };
  const { snapshot, outline, ...crawled } = await visitPage(parts, request, async (fetched) => {
    const { snapshot } = fetched;
    const place = { host: new URL(snapshot.url).host, clean: request.clean, siteBlocks };
    const read = settings.removeRepeatedBlocks
      ? readSitePage(fetched, place)
      : readWholePage(fetched);
    return { snapshot, ...(await read) };
  });
  job.use({ requests: snapshot.requests, bytes: snapshot.bytes });
  const finalUrl = normalizeUrl(new URL(snapshot.url), {});
  const robots = finalUrl === entry.url ? undefined : await site.robots(new URL(finalUrl).origin);
  const { links = [], refused = [], canonical, textHash }: Partial<Outline> = outline ?? {};
  const found = { finalUrl, robots, canonical, textHash, links, refused };
  return { ...found, ...placed(crawled, entry), bytes: snapshot.body.length };
}

/** The document says where in the crawl the page was found. */
function placed<Page extends Pick<CrawledPage, 'document'>>(
  page: Page,
  entry: FrontierEntry,
): Page {
  const { depth, discoveredBy, parent } = entry;
  return {
    ...page,
    document: async (repeated) => {
      const document = await page.document(repeated);
      Object.assign(document.metadata, { depth, discoveredBy });
      if (parent !== undefined) document.metadata.parentUrl = parent;
      return document;
    },
  };
}
