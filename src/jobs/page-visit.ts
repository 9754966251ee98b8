/** One page of a crawl, fetched and read: beside others, in any order. */
import type { PageRenderHints, JobRenderHints } from '../fetching/rendering/render-hints.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { SiteFiles } from '../frontier/site-files.ts';
import type { TaskPermit } from '../model/pace.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import {
  finishDocument,
  type PipelineParts,
  prepareRequest,
  scrapeIdIn,
  visitPage,
} from '../pipeline.ts';
import type { PlainDocument } from '../processing/compose-document.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import type { ErrorAnswer } from '../model/job.ts';
import type { KnownVersion } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { errorFrom } from './durable/journal.ts';
import {
  keepFailure,
  keepPage,
  readStoredPage,
  storedDocument,
  type VisitFacts,
} from './durable/stored-page.ts';
import type { StoredValue } from './durable/stored-value.ts';
import {
  type CrawledPage,
  type FoundPage,
  type FoundPageFacts,
  outlineOf,
  paceAt,
  pageRequest,
  pageRequestsOf,
  placed,
  placeOf,
  readSitePage,
  readWholePage,
  type StoredPageFacts,
} from './crawled-page.ts';
import type { JobControl } from './job-status.ts';
import { isErrorPage, pageError, readErrorPage } from './page-failure.ts';
import { knownVersion, versionOf } from './page-version.ts';
import { type FreshPage, type Recrawl, type SamePage, samePage } from './recrawl.ts';
import type { SiteBoilerplate } from './delivery-queue.ts';

/** What a visit gives; `at` is when it failed, in milliseconds. */
export type VisitOutcome =
  | FoundPage
  | { readonly error: unknown; readonly at: number; readonly pageRequests: number }
  | { readonly closedBy: string; readonly pageRequests: number };

/** What the visits of one crawl work with. */
export interface VisitSetting {
  readonly parts: PipelineParts;
  readonly settings: CrawlSettings;
  readonly site: SiteFiles;
  /** Its signal ends what is fetched. */
  readonly job: JobControl<PlainDocument>;
  /** Ends the documents of pages that were fetched. */
  readonly signal: AbortSignal;
  readonly siteBoilerplate: SiteBoilerplate;
  readonly rendering: JobRenderHints;
  /** The crawl that this one begins with. */
  readonly recrawl: Recrawl | undefined;
  /** True when it became known that the entry need not be fetched. */
  readonly isNeedless: (entry: FrontierEntry) => boolean;
  /** Told when a page is about to be fetched that is not in the journal. */
  readonly onFetch: () => void;
}

/** What one visit works with. */
interface EntryVisit extends VisitSetting {
  readonly place: PageRenderHints;
  /** Requests for the page so far, redirects included. */
  pageRequests: number;
}

/** Never rejects. A page of the journal is not fetched again. To be called in the order of the pages. */
export async function visitEntry(
  crawl: VisitSetting,
  entry: FrontierEntry,
  permit: TaskPermit,
): Promise<VisitOutcome> {
  const { parts, job } = crawl;
  const { journal } = job;
  const { url } = entry;
  using place = crawl.rendering.begin(url);
  const setting = { ...crawl, place, pageRequests: 0 };
  try {
    const closedBy = entry.asksRobots && (await closingRule(setting, url));
    // Each host has a robots.txt: a page of other hosts may take as many requests as one that is open.
    if (closedBy) return { closedBy, pageRequests: 1 };
    const stored = await journal?.visit<VisitFacts<StoredPageFacts>>(url);
    if (stored !== undefined) return await restore(setting, entry, stored);
    return await fetchEntry(setting, entry, permit);
  } catch (failure) {
    const error = pageError(setting.settings, url, failure);
    const at = parts.clock.now();
    const isOutcome = !job.signal.aborted && !(error instanceof NeedlessPage);
    const { pageRequests } = setting;
    if (isOutcome && journal !== undefined) {
      await keepFailure(journal, url, { at, error, pageRequests, lesson: place.lesson });
    }
    return { error, at, pageRequests };
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

/** A page that turned out not to be needed. */
class NeedlessPage extends Error {}

async function fetchEntry(
  setting: EntryVisit,
  entry: FrontierEntry,
  permit: TaskPermit,
): Promise<FoundPage> {
  const { parts, settings, job, recrawl } = setting;
  const earlier = await recrawl?.find(entry.url);
  const { kept, version: before } = earlier ?? {};
  const known = before === undefined ? undefined : knownVersion(before);
  if (kept !== undefined && before !== undefined && known === undefined) {
    // There is nothing that the server could be asked with.
    const isUnchanged = (entry.unchangedSince ?? Infinity) <= before.askedAt;
    if (isUnchanged)
      return keepAgain(setting, entry, permit, { kept, version: before, use: noUse });
  }
  setting.onFetch();
  const startedAt = parts.clock.now();
  const asked = kept === undefined ? undefined : known;
  const page = await fetchAndRead(setting, entry, permit, asked);
  const { snapshot } = page;
  if (!('document' in page)) {
    const version = before === undefined ? undefined : { ...before, askedAt: startedAt };
    if (kept === undefined || version === undefined) throw new TypeError('No page is known.');
    return keepAgain(setting, entry, permit, { kept, version, use: snapshot });
  }
  const { outline, source, cachedAt, errorAnswer, ...crawled } = page;
  const make = async (repeated: ReadonlySet<number>): Promise<PlainDocument> =>
    placed(await crawled.document(repeated), entry);
  const found: FoundPageFacts = {
    errorAnswer,
    finalUrl: normalizeUrl(new URL(snapshot.url), {}),
    isReady: crawled.isReady,
    ...outlineOf(outline, settings.query !== undefined),
    bytes: snapshot.body.length,
    received: snapshot.bytes,
    browserMs: snapshot.browserMs,
    pageRequests: setting.pageRequests,
    fingerprints: crawled.fingerprints,
  };
  const engine = parts.engines.find(({ name }) => name === snapshot.engine);
  const version =
    recrawl === undefined && job.journal === undefined
      ? undefined
      : await versionOf(snapshot, {
          askedAt: cachedAt ?? startedAt,
          isRendered: engine?.can.has('render') === true,
          textHash: found.textHash,
          // Whether a document lacks what repeats on its site depends on time.
          ...(settings.removeRepeatedBlocks ? {} : { document: () => make(nothing) }),
          earlier,
        });
  return keepFound(setting, entry, permit, {
    found: { ...found, version },
    requests: snapshot.requests,
    from: source ?? { make: () => make(nothing) },
    make,
  });
}

const nothing: ReadonlySet<number> = new Set();
const noUse = { requests: 0, bytes: 0, redirects: [] };

async function keepFound(
  setting: EntryVisit,
  entry: FrontierEntry,
  permit: TaskPermit,
  { found, requests, from, make }: FreshPage,
): Promise<FoundPage> {
  const { parts, job } = setting;
  if (job.journal !== undefined) {
    // Before the slot is given back: what a dead process had under way is all that is fetched again.
    const { lesson } = setting.place;
    const visit = { at: parts.clock.now(), lesson, page: { ...found, requests } };
    await keepPage(job.journal, entry.url, visit, from);
  }
  // What follows waits at most.
  permit.release();
  job.use({ requests, bytes: found.received, browserMs: found.browserMs });
  return foundPage(setting, entry, found, make);
}

/** Keeps what the earlier crawl had: the page is the same. */
function keepAgain(
  setting: EntryVisit,
  entry: FrontierEntry,
  permit: TaskPermit,
  same: SamePage,
): Promise<FoundPage> {
  const page = samePage(same, {
    scrapeId: scrapeIdIn(setting.job.id, entry.url),
    costs: setting.parts.costs,
    placed: (document) => placed(document, entry),
    read: (stored, repeated) => readAgain(setting, entry, stored, repeated),
  });
  return keepFound(setting, entry, permit, page);
}

async function fetchAndRead(
  setting: EntryVisit,
  entry: FrontierEntry,
  permit: TaskPermit,
  known: KnownVersion | undefined,
): Promise<
  | { readonly snapshot: Snapshot }
  | (CrawledPage & {
      readonly snapshot: Snapshot;
      readonly cachedAt?: number | undefined;
      readonly errorAnswer?: ErrorAnswer | undefined;
    })
> {
  const { parts, settings, site, job, siteBoilerplate, isNeedless } = setting;
  const { url } = entry;
  const { signal } = job;
  const onRedirect = (): void => void (setting.pageRequests += 1);
  const pace = { ...paceAt({ settings, site }, url), permit, onRedirect };
  const page = pageRequest(settings, job.id, entry);
  const renderHints = await setting.place.hintsFor(page, parts.engines, signal);
  // Before the page's own time begins, and without a task permit until the host is ready.
  using hostPermit = await parts.hosts.acquire(url, { ...pace, signal });
  if (isNeedless(entry)) throw new NeedlessPage(`${url} need not be fetched.`);
  // Hooks see what is sent right before it is. A veto delays nobody: distances count from what was sent.
  const request = await prepareRequest(parts, {
    ...page,
    pace: { ...pace, hostPermit },
    renderHints,
    signal,
    known,
  });
  setting.pageRequests = 1;
  return await visitPage(parts, request, async (fetched) => {
    const { snapshot, cachedAt } = fetched;
    setting.pageRequests = pageRequestsOf(snapshot);
    if (snapshot.statusCode === 304 && known?.isConfirmedBy(snapshot) === true) return { snapshot };
    const host = new URL(snapshot.url).host;
    const place = { host, clean: request.clean, siteBoilerplate, signal: setting.signal };
    if (isErrorPage(settings, snapshot)) {
      const { errorAnswer, document } = await readErrorPage(parts, fetched, request);
      return { snapshot, cachedAt, errorAnswer, outline: undefined, isReady: true, document };
    }
    const questions = { outline: true, nearHash: settings.deduplicateContent === 'near' };
    const read = settings.removeRepeatedBlocks
      ? readSitePage(fetched, questions, place)
      : readWholePage(fetched, questions);
    return { snapshot, cachedAt, ...(await read) };
  });
}

/** A visit of the journal, as if the page had just been fetched. */
async function restore(
  setting: EntryVisit,
  entry: FrontierEntry,
  stored: StoredValue<VisitFacts<StoredPageFacts>>,
): Promise<VisitOutcome> {
  const { job } = setting;
  const { journal } = job;
  const { at, error, page, lesson = 'none', pageRequests = 0 } = stored.facts;
  setting.place.record(lesson);
  if (page === undefined || journal === undefined) {
    return { error: error === undefined ? undefined : errorFrom(error), at, pageRequests };
  }
  const { requests, ...found } = page;
  job.use({ requests, bytes: found.received, browserMs: found.browserMs });
  return foundPage(setting, entry, found, async (repeated) => {
    if (found.isReady) return storedDocument(journal, entry.url, stored);
    return readAgain(setting, entry, stored, repeated);
  });
}

/** The document of a page that was stored without one. */
async function readAgain(
  setting: EntryVisit,
  entry: FrontierEntry,
  stored: StoredValue<VisitFacts<object>>,
  repeated: ReadonlySet<number>,
): Promise<PlainDocument> {
  const { parts, settings, job } = setting;
  const request = pageRequest(settings, job.id, entry);
  const asked = { ...request, clean: { ...request.clean, repeated }, signal: setting.signal };
  return placed(await readStoredPage(parts, asked, stored), entry);
}

async function foundPage(
  { parts, settings, site, job, signal }: VisitSetting,
  entry: FrontierEntry,
  found: FoundPageFacts,
  make: (repeated: ReadonlySet<number>) => Promise<PlainDocument>,
): Promise<FoundPage> {
  const { finalUrl } = found;
  const { url } = entry;
  const robots = finalUrl === url ? undefined : await site.robots(new URL(finalUrl).origin);
  const place = placeOf(entry, job.id);
  const document = async (repeated: ReadonlySet<number>): Promise<PlainDocument> => {
    const made = await make(repeated);
    if (parts.hooks.onDocument.length === 0 || found.errorAnswer !== undefined) return made;
    return finishDocument(parts, { ...settings.pageSettings(url), url, place, signal }, made);
  };
  return { ...found, robots, document };
}
