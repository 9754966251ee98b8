/** A page of a crawl: its request, the facts that the crawl uses, and its document, which may be built later. */
import type { FormatRequest } from '../../content/formats/format.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { PageEvidence } from '../frontier/settled-pages.ts';
import type { SiteFiles } from '../frontier/robots/site-files.ts';
import type { PagePlace } from '../model/hooks.ts';
import type { FoundEndpoint } from '../model/network-request.ts';
import type { Pace } from '../model/pace.ts';
import type { CleanOptions, ScrapeRequest } from '../model/request.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import { acceptedDocument, type FetchedPage } from '../page/pipeline.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import type { PageOutline } from '../page/outline.ts';
import type { ProcessingPlan } from '../page/process-page.ts';
import type { RepeatedBlocks } from './repeated-blocks.ts';
import type { PageSource } from './durable/stored-page.ts';
import type { PageVersion } from './page-version.ts';
import { compact } from '../runtime/compact.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import type { PageUsage, VisitedPage } from './page-visit.ts';

/** A page of a crawl. */
export interface CrawledPage {
  readonly outline: PageOutline | undefined;
  /** Set for a page that boilerplate is learnt from: its blocks, recognisable on other pages. */
  readonly fingerprints?: readonly number[] | undefined;
  /** False while the document depends on boilerplate of the site that is not known yet. */
  readonly isReady: boolean;
  /** The source of a document that is not ready. */
  readonly source?: PageSource;
  /** Rejects when the page cannot be read as requested. */
  document(repeated: ReadonlySet<number>): Promise<PlainDocument>;
}

/** The site of a page, and the cleaning of the page. */
interface SitePlace {
  readonly host: string;
  readonly clean: CleanOptions;
  readonly repeatedBlocks: Pick<RepeatedBlocks, 'repeatedOn'>;
  /** Aborts documents that are built later. */
  readonly signal: AbortSignal;
}

/** Facts that a crawl needs from every page. */
type CrawlQuestions = Required<Pick<ProcessingPlan, 'outline' | 'nearHash' | 'evidenceFor'>>;

/** Reads a page for a crawl without `removeRepeatedBlocks`. */
export async function readWholePage(
  page: FetchedPage,
  questions: CrawlQuestions,
): Promise<CrawledPage> {
  const result = page.read(questions);
  const { outline } = (await result).processed;
  // If a hook leaves the page out, its links still count.
  return { outline, ...ready(result.then(acceptedDocument)) };
}

/**
 * Reads a page whose document lacks the blocks that repeat on its site. While these are unknown, the document is built
 * later, from the snapshot, which is held until then.
 *
 * Which case applies depends on timing, so the results must be the same: in both, a page that cannot be read as
 * requested still yields its links.
 */
export async function readSitePage(
  page: FetchedPage,
  questions: CrawlQuestions,
  place: SitePlace,
): Promise<CrawledPage> {
  const repeated = place.repeatedBlocks.repeatedOn(place.host);
  return repeated === undefined
    ? readAhead(page, questions, place)
    : readNow(page, questions, { ...place.clean, repeated });
}

async function readNow(
  page: FetchedPage,
  questions: CrawlQuestions,
  clean: CleanOptions,
): Promise<CrawledPage> {
  const result = page.read({ ...questions, clean });
  const document = ready(result.then(acceptedDocument));
  const { processed } = await result.catch(() => page.read({ ...questions, formats: [] }));
  return { outline: processed.outline, ...document };
}

async function readAhead(
  page: FetchedPage,
  questions: CrawlQuestions,
  { clean, signal }: SitePlace,
): Promise<CrawledPage> {
  const { processed, document: bare } = await page.read({
    ...questions,
    fingerprints: true,
    formats: [],
    clean: { ...clean, extractor: undefined },
  });
  const { outline, fingerprints } = processed;
  if (fingerprints === undefined) {
    const document = page.read({}).then(acceptedDocument);
    await document.catch(() => undefined);
    return { outline, ...ready(document) };
  }
  return {
    outline,
    // An error page differs from the site's other pages.
    fingerprints: page.snapshot.statusCode < 400 ? fingerprints : undefined,
    isReady: false,
    source: { snapshot: page.snapshot, facts: factsOf(bare), identity: page.identity },
    document: async (repeated) =>
      acceptedDocument(await page.readLater({ clean: { ...clean, repeated } }, signal)),
  };
}

function factsOf({ metadata }: PlainDocument): PageSource['facts'] {
  const { scrapeId, engineReason, proxyUsed, creditsUsed } = metadata;
  const { errorCode, cacheState, cachedAt } = metadata;
  return {
    scrapeId,
    engineReason,
    proxyUsed,
    creditsUsed,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(cacheState === undefined ? {} : { cacheState }),
    ...(cachedAt === undefined ? {} : { cachedAt }),
  };
}

/** A separate function, so that the snapshot is not held with the document. */
function ready(document: Promise<PlainDocument>): Pick<CrawledPage, 'isReady' | 'document'> {
  document.catch(() => undefined);
  return { isReady: true, document: () => document };
}

// A page of a crawl that was fetched and read.

/** A page that was fetched and read, held until its turn. */
export type FoundPage = PageEvidence &
  PageUsage &
  Pick<PageOutline, 'links' | 'refused' | 'feeds' | 'title' | 'evidence'> &
  LinkDetails &
  Pick<CrawledPage, 'fingerprints' | 'isReady' | 'document'> &
  Partial<Pick<VisitedPage<PageUsage>, 'stored'>> & {
    /** The version of the page; only if it is stored or compared. */
    readonly version?: PageVersion | undefined;
  };

/** Further facts of each link; only if a hook or the order of pages needs them. */
export type LinkDetails = Partial<Pick<PageOutline, 'linkTexts' | 'linkRels' | 'linkElements'>>;

/** A page without its functions: the part that can be stored. */
export type FoundPageFacts = Omit<FoundPage, 'robots' | 'document' | 'stored'>;

/** The outline with endpoints, and the URLs in their JSON, as links. */
export function withEndpointLinks(
  outline: Partial<PageOutline>,
  endpoints: readonly FoundEndpoint[],
): Partial<PageOutline> {
  const { links = [], linkTexts, linkRels, linkElements } = outline;
  const known = new Set(links);
  const urls = endpoints.flatMap((one) => [one.url, ...one.links]);
  const added = [...new Set(urls.map((url) => normalizeUrl(new URL(url), {})))];
  const fresh = added.filter((url) => !known.has(url));
  if (fresh.length === 0) return outline;
  return {
    ...outline,
    links: [...links, ...fresh],
    ...(linkTexts && { linkTexts: [...linkTexts, ...fresh.map(() => '')] }),
    ...(linkRels && { linkRels: [...linkRels, ...fresh.map(() => '')] }),
    ...(linkElements && { linkElements: [...linkElements, ...fresh.map(() => 'json')] }),
  };
}

/** The part of an outline that a crawl uses. */
export function outlineOf(
  outline: Partial<PageOutline> | undefined,
  ranksLinks: boolean,
): Omit<FoundPageFacts, 'finalUrl' | 'isReady' | 'bytes' | keyof PageUsage> {
  const { links = [], refused = [], feeds = [], canonical, title } = outline ?? {};
  const { textHash, nearHash, missing, contentHash, wordPairs, evidence } = outline ?? {};
  const text = { textHash, nearHash, missing, contentHash, wordPairs, title };
  const found = evidence === undefined ? {} : { evidence };
  return {
    canonical,
    ...text,
    links,
    refused,
    feeds,
    ...found,
    ...detailsOf(outline ?? {}, ranksLinks),
  };
}

function detailsOf(
  { linkTexts, linkRels, linkElements = [] }: Partial<PageOutline>,
  ranksLinks: boolean,
): LinkDetails {
  if (linkTexts === undefined) return {};
  if (linkRels === undefined) return ranksLinks ? { linkTexts } : {};
  return { linkTexts, linkRels, linkElements };
}

// The request for one page of a crawl, and the page's position in its document.

/** The request for a page, without the parts that are known only when it is sent. */
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
    position: placeOf(entry, jobId),
    isHidden: entry.discoveredBy === 'since',
    isStoredWithJob: settings.keepsDocuments,
    keepsFailures: settings.keepFailures,
    refusalsArePages: settings.errorPages === 'fail',
  };
}

/** A page of a job, and where it was found. A batch has neither depths nor parents. */
export type PageOrigin = Pick<FrontierEntry, 'url' | 'label' | 'data'> &
  Partial<Pick<FrontierEntry, 'depth' | 'parent' | 'discoveredBy' | 'score'>>;

/** Where a page was found, for hooks. */
export function placeOf(page: PageOrigin, jobId: string): PagePlace {
  const { depth, parent } = page;
  return compact({ jobId, depth, parent, ...marksOf(page) });
}

/** The label of a page, and a copy of the caller's data. */
export function marksOf({ label, data }: Pick<PageOrigin, 'label' | 'data'>): {
  readonly label?: string;
  readonly data?: unknown;
} {
  const copy = data === undefined ? undefined : (JSON.parse(JSON.stringify(data)) as unknown);
  return compact({ label, data: copy });
}

/** The document with the page's position in its job, its label and its data. */
export function placed(document: PlainDocument, page: PageOrigin): PlainDocument {
  const { depth, discoveredBy, parent: parentUrl, score: exact } = page;
  const score = exact === undefined ? undefined : Math.round(exact * 1000) / 1000;
  const place = { depth, discoveredBy, parentUrl, score, ...marksOf(page) };
  Object.assign(document.metadata, compact<Partial<PlainDocument['metadata']>>(place));
  return document;
}

/** The pace of a crawl's requests to the host of a URL. */
export function paceAt(
  {
    settings,
    site,
  }: {
    readonly settings: CrawlSettings;
    readonly site: Pick<SiteFiles, 'crawlDelay'>;
  },
  url: string,
): Pace {
  const delay = settings.delay ?? site.crawlDelay(url);
  return { delay, concurrency: settings.maxConcurrencyPerHost, job: settings };
}
