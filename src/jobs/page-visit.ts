/** One page of a crawl, fetched and read: beside others, in any order. */
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { FetchedPage } from '../frontier/settled-pages.ts';
import type { SiteFiles } from '../frontier/site-files.ts';
import type { PagePlace } from '../model/hooks.ts';
import type { Pace, Ticket } from '../model/pace.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import { finishDocument, type PipelineParts, prepareRequest, visitPage } from '../pipeline.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import type { Outline } from '../reading/outline.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { type CrawledPage, readSitePage, readWholePage } from './crawled-page.ts';
import type { JobControl } from './job-status.ts';
import type { SiteBlocks } from './site-blocks.ts';

/** A page that was fetched and read, kept until it is its turn. */
export type FoundPage = FetchedPage &
  Pick<Outline, 'links' | 'refused' | 'feeds' | 'title'> &
  LinkDetails &
  Omit<CrawledPage, 'outline'> & {
    /** Bytes of the body. */
    readonly bytes: number;
    /** Bytes that came over the wire, redirects and retries included. */
    readonly received: number;
  };

/** What else is known of each link; only where a hook or the order of pages asks. */
export type LinkDetails = Partial<Pick<Outline, 'linkTexts' | 'linkRels' | 'linkElements'>>;

/** What a visit gives. */
export type VisitOutcome = FoundPage | { readonly error: unknown } | { readonly closedBy: string };

/** What the visits of one crawl work with. */
export interface VisitSetting {
  readonly parts: PipelineParts;
  readonly settings: CrawlSettings;
  readonly site: SiteFiles;
  /** Its signal ends what is fetched. */
  readonly job: JobControl<PlainDocument>;
  /** Ends the documents of pages that were fetched. */
  readonly signal: AbortSignal;
  readonly siteBlocks: SiteBlocks;
  /** True when it became known that the entry need not be fetched. */
  readonly isNeedless: (entry: FrontierEntry) => boolean;
}

/** Never rejects. */
export async function visitEntry(
  setting: VisitSetting,
  entry: FrontierEntry,
  ticket: Ticket,
): Promise<VisitOutcome> {
  try {
    const closedBy = entry.asksRobots && (await closingRule(setting, entry.url));
    return closedBy ? { closedBy } : await fetchEntry(setting, entry, ticket);
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

/** How often, and how many at a time, the requests of a crawl may go to the host of a URL. */
export function paceAt(
  { settings, site }: Pick<VisitSetting, 'settings' | 'site'>,
  url: string,
): Pace {
  const delay = settings.delay ?? site.crawlDelay(url);
  return { delay, concurrency: settings.maxConcurrencyPerHost, job: settings };
}

async function fetchEntry(
  setting: VisitSetting,
  entry: FrontierEntry,
  ticket: Ticket,
): Promise<FoundPage> {
  const { parts, settings, site, job, siteBlocks, isNeedless } = setting;
  const { url } = entry;
  const { signal } = job;
  const pace = { ...paceAt({ settings, site }, url), ticket };
  // Before the page's own time begins, and without a slot until the host is ready.
  using turn = await parts.hosts.turn(url, { ...pace, signal });
  if (isNeedless(entry)) throw new Error(`${url} need not be fetched.`);
  const asked = {
    ...settings.pageSettings(url),
    pace: { ...pace, turn },
    visitor: settings,
    signal,
  };
  // Hooks see what is sent right before it is. A veto delays nobody: distances count from what was sent.
  const request = await prepareRequest(parts, {
    ...{ ...asked, sourceUrl: url, url },
    place: placeOf(entry, job.id),
  });
  const { snapshot, outline, ...crawled } = await visitPage(parts, request, async (fetched) => {
    const { snapshot } = fetched;
    const host = new URL(snapshot.url).host;
    const place = { host, clean: request.clean, siteBlocks, signal: setting.signal };
    const questions = { outline: true, nearHash: settings.deduplicateContent === 'near' };
    const read = settings.removeRepeatedBlocks
      ? readSitePage(fetched, questions, place)
      : readWholePage(fetched, questions);
    return { snapshot, ...(await read) };
  });
  // What follows waits at most.
  ticket.leaveSlot();
  job.use({ requests: snapshot.requests, bytes: snapshot.bytes });
  const finalUrl = normalizeUrl(new URL(snapshot.url), {});
  const robots = finalUrl === url ? undefined : await site.robots(new URL(finalUrl).origin);
  const {
    links = [],
    refused = [],
    feeds = [],
    canonical,
    title,
  }: Partial<Outline> = outline ?? {};
  const { textHash, nearHash, missing, contentHash, wordPairs }: Partial<Outline> = outline ?? {};
  const details = detailsOf(outline, settings.query !== undefined);
  const text = { textHash, nearHash, missing, contentHash, wordPairs, title };
  const found = { finalUrl, robots, canonical, ...text, links, refused, feeds, ...details };
  const inTurn = { ...request, signal: setting.signal };
  const document = async (repeated: ReadonlySet<number>): Promise<PlainDocument> =>
    finishDocument(parts, inTurn, placed(await crawled.document(repeated), entry));
  return { ...found, ...crawled, document, bytes: snapshot.body.length, received: snapshot.bytes };
}

function detailsOf(outline: Outline | undefined, ranksLinks: boolean): LinkDetails {
  if (outline?.linkRels === undefined) {
    return outline !== undefined && ranksLinks ? { linkTexts: outline.linkTexts } : {};
  }
  const { linkTexts, linkRels, linkElements = [] } = outline;
  return { linkTexts, linkRels, linkElements };
}

/** Where a page was found, for hooks. */
export function placeOf({ depth, parent }: FrontierEntry, jobId: string): PagePlace {
  return parent === undefined ? { jobId, depth } : { jobId, depth, parent };
}

/** The document says where in the crawl the page was found. */
function placed(document: PlainDocument, entry: FrontierEntry): PlainDocument {
  const { depth, discoveredBy, parent, score } = entry;
  Object.assign(document.metadata, { depth, discoveredBy });
  if (parent !== undefined) document.metadata.parentUrl = parent;
  if (score !== undefined) document.metadata.score = Math.round(score * 1000) / 1000;
  return document;
}
