/** The visit of one page in a crawl. Pages are fetched and read concurrently, in any order. */
import type { FormatRequest } from '../../content/formats/format.ts';
import { pageAsksModel } from '../../content/formats/index.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import { orderOf } from '../frontier/orders/orders.ts';
import type { SiteFiles } from '../frontier/robots/site-files.ts';
import type { TaskPermit } from '../model/pace.ts';
import type { ErrorAnswer } from '../model/job.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import { type FetchedPage, scrapeIdIn } from '../page/pipeline.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import {
  type CrawledPage,
  type FoundPage,
  type FoundPageFacts,
  outlineOf,
  paceAt,
  pageRequest,
  placed,
  readSitePage,
  readWholePage,
  withEndpointLinks,
} from './crawled-page.ts';
import type { RepeatedBlocks } from './repeated-blocks.ts';
import { readStoredPage, type VisitFacts } from './durable/stored-page.ts';
import type { StoredValue } from './durable/stored-value.ts';
import type { JobControl } from './job-status.ts';
import { isErrorPage, readErrorPage } from './page-failure.ts';
import { knownVersion, versionOf } from './page-version.ts';
import {
  type FailedVisit,
  fetchInJob,
  type PageVisit,
  type RestoreDocument,
  restoreOrFetch,
  type SentPage,
  usageOf,
  type VisitedPage,
  visitInJob,
  type VisitSetting,
} from './page-visit.ts';
import { type EarlierPage, type Recrawl, type SamePage, samePage } from './recrawl.ts';

/** The outcome of a visit. `closedBy` is the line of the robots.txt that closes the page. */
export type VisitOutcome =
  FoundPage | FailedVisit | { readonly closedBy: string; readonly pageRequests: number };

/** The state shared by the visits of one crawl. */
export interface CrawlVisits extends VisitSetting {
  readonly settings: CrawlSettings;
  readonly site: Pick<SiteFiles, 'robots' | 'crawlDelay'>;
  /** Its signal ends requests. */
  readonly job: Pick<JobControl<PlainDocument>, 'id'> & VisitSetting['job'];
  /** Ends the documents of pages that were fetched. */
  readonly signal: AbortSignal;
  readonly repeatedBlocks: Pick<RepeatedBlocks, 'repeatedOn'>;
  /** The earlier crawl that this one starts from. */
  readonly recrawl: Recrawl | undefined;
  /** True once the entry is known not to need a fetch. */
  readonly isNeedless: (entry: FrontierEntry) => boolean;
}

/** Visits the page of an entry; never rejects. Must be called in page order. */
export function visitEntry(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  permit: TaskPermit,
): Promise<VisitOutcome> {
  const { url } = entry;
  const isNeedless = (): boolean => crawl.isNeedless(entry);
  return visitInJob<VisitOutcome>(crawl, { url, permit, isNeedless }, async (visit) => {
    const closedBy = entry.asksRobots && (await closingRule(crawl, url));
    // It counts as one request: the one for its host's robots.txt.
    if (closedBy) return { closedBy, pageRequests: 1 };
    const visited = await visitEntryPage(crawl, entry, visit, (stored, repeated) =>
      readAgain(crawl, entry, stored, repeated),
    );
    return 'error' in visited ? visited : foundPage(crawl, entry, visited);
  });
}

/** The page as it is stored, or as the site sends it. */
export function visitEntryPage(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  visit: PageVisit,
  restore?: RestoreDocument,
): Promise<VisitedPage<FoundPageFacts> | FailedVisit> {
  const sent = (): SentPage => sentEntry(crawl, entry);
  return restoreOrFetch(crawl, visit, sent, () => fetchEntry(crawl, entry, visit), restore);
}

/** A visitor receives the page's position in the crawl; the crawl itself handles robots.txt files. */
function sentEntry(crawl: CrawlVisits, entry: FrontierEntry): SentPage {
  const { url, depth, parent, discoveredBy, score, label, data } = entry;
  const pace = paceAt(crawl, url);
  const request = pageRequest(crawl.settings, crawl.job.id, entry);
  return {
    jobId: crawl.job.id,
    needsModel: pageAsksModel(request),
    page: { url, depth, parent, discoveredBy, score, label, data, asksRobots: false },
    delay: pace.delay,
    request: { ...request, pace },
  };
}

/** The robots.txt line of another host that closes a page, or undefined. */
async function closingRule(
  { site, settings: { robotsUserAgent } }: CrawlVisits,
  url: string,
): Promise<string | undefined> {
  const robots = await site.robots(new URL(url).origin);
  if (robots === undefined || robots.isAllowed(url, robotsUserAgent)) return undefined;
  return robots.rule(url, robotsUserAgent) ?? 'robots.txt';
}

/** The request for the page; robots.txt applies to the page's files, too. */
function entryRequest(crawl: CrawlVisits, entry: FrontierEntry): ScrapeRequest<FormatRequest> {
  const request = pageRequest(crawl.settings, crawl.job.id, entry);
  return { ...request, closedBy: (url) => closingRule(crawl, url) };
}

/** Reuses the page of the earlier crawl if it is known to be unchanged. */
async function fetchEntry(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  visit: PageVisit,
): Promise<VisitedPage<FoundPageFacts>> {
  const { recrawl } = crawl;
  const earlier = await recrawl?.find(entry.url);
  const { kept, version: before } = earlier ?? {};
  const known = kept === undefined || before === undefined ? undefined : knownVersion(before);
  if (kept !== undefined && before !== undefined && known === undefined) {
    // The version has no validators: the server cannot report whether it changed.
    const isUnchanged = (entry.unchangedSince ?? Infinity) <= before.askedAt;
    if (isUnchanged) return keepAgain(crawl, entry, { kept, version: before, use: noUse });
  }
  const askedAt = crawl.parts.clock.now();
  const asked = { ...entryRequest(crawl, entry), pace: paceAt(crawl, entry.url), known };
  return fetchInJob(crawl, visit, asked, async (fetched, request) => {
    const { snapshot } = fetched;
    const isSame = snapshot.statusCode === 304 && known?.isConfirmedBy(snapshot) === true;
    if (isSame && kept !== undefined && before !== undefined) {
      return keepAgain(crawl, entry, { kept, version: { ...before, askedAt }, use: snapshot });
    }
    return readEntry(crawl, entry, fetched, request, askedAt, earlier);
  });
}

const noUse = { requests: 0, bytes: 0, redirects: [] };

/** The page of the earlier crawl, unchanged. */
function keepAgain(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  same: SamePage,
): VisitedPage<FoundPageFacts> {
  return samePage(same, {
    scrapeId: scrapeIdIn(crawl.job.id, entry.url),
    costs: crawl.parts.costs,
    placed: (document) => placed(document, entry),
    read: (stored, repeated) => readAgain(crawl, entry, stored, repeated),
  });
}

/** Reads the page as the server sent it. `askedAt`: milliseconds since 1970. */
async function readEntry(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  fetched: FetchedPage,
  request: ScrapeRequest<FormatRequest>,
  askedAt: number,
  earlier: EarlierPage | undefined,
): Promise<VisitedPage<FoundPageFacts>> {
  const { parts, settings, job, recrawl } = crawl;
  const { snapshot, cachedAt } = fetched;
  const { engine: engineName } = snapshot;
  if (entry.discoveredBy === 'start') {
    parts.workers.expectPages(Math.min(settings.limit, countLinks(snapshot.body)));
  }
  const { outline, source, ...crawled } = await readContent(crawl, fetched, request);
  const { errorAnswer, isReady, fingerprints } = crawled;
  const document = async (repeated: ReadonlySet<number>): Promise<PlainDocument> =>
    placed(await crawled.document(repeated), entry);
  const page = {
    ...usageOf(snapshot, fetched.fileUse),
    ...outlineOf(
      outline && withEndpointLinks(outline, snapshot.captures?.endpoints ?? []),
      orderOf(settings.strategy).readsTexts === true,
    ),
    errorAnswer,
    finalUrl: normalizeUrl(new URL(snapshot.url), {}),
    isReady,
    bytes: snapshot.body.length,
    fingerprints,
  };
  if (recrawl === undefined && !job.journal.isStored) return { page, source, document };
  const engine = parts.engines.find(({ name }) => name === engineName);
  const version = await versionOf(snapshot, {
    askedAt: cachedAt ?? askedAt,
    isRendered: engine?.can.has('render') === true,
    textHash: page.textHash,
    // Whether a document lacks the blocks that repeat on its site depends on timing.
    ...(settings.removeRepeatedBlocks ? {} : { document: () => document(new Set()) }),
    earlier,
  });
  return { page: { ...page, version }, source, document };
}

/** Counts link tags in a body, up to a hundred: many on a start page announce many pages before it is read. */
function countLinks(body: Uint8Array): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let links = 0;
  let at = bytes.indexOf('<a ');
  while (at >= 0 && links < 100) {
    links += 1;
    at = bytes.indexOf('<a ', at + 3);
  }
  return links;
}

async function readContent(
  { parts, settings, repeatedBlocks, signal }: CrawlVisits,
  fetched: FetchedPage,
  request: ScrapeRequest<FormatRequest>,
): Promise<CrawledPage & { readonly errorAnswer?: ErrorAnswer }> {
  if (isErrorPage(settings, fetched.snapshot)) {
    const { errorAnswer, document } = await readErrorPage(parts, fetched, request);
    return { errorAnswer, outline: undefined, isReady: true, document };
  }
  const questions = {
    outline: true,
    nearHash: settings.deduplicateContent === 'near',
    evidenceFor: settings.question?.query,
  };
  if (!settings.removeRepeatedBlocks) return readWholePage(fetched, questions);
  const { host } = new URL(fetched.snapshot.url);
  return readSitePage(fetched, questions, { host, clean: request.clean, repeatedBlocks, signal });
}

/** The document of a page that was stored without one. */
async function readAgain(
  crawl: CrawlVisits,
  entry: FrontierEntry,
  stored: StoredValue<VisitFacts<object>>,
  repeated: ReadonlySet<number>,
): Promise<PlainDocument> {
  const request = { ...entryRequest(crawl, entry), pace: paceAt(crawl, entry.url) };
  const asked = { ...request, clean: { ...request.clean, repeated }, signal: crawl.signal };
  return placed(await readStoredPage(crawl.parts, asked, stored), entry);
}

async function foundPage(
  { site }: CrawlVisits,
  { url }: FrontierEntry,
  { page, document, stored }: VisitedPage<FoundPageFacts>,
): Promise<FoundPage> {
  const isMoved = page.finalUrl !== url;
  const robots = isMoved ? await site.robots(new URL(page.finalUrl).origin) : undefined;
  return { ...page, robots, document, stored };
}
