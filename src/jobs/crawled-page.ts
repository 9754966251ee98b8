/** Reading a page of a crawl: what the crawl goes on with at once, and the document in its turn. */
import type { CleanOptions } from '../model/request.ts';
import type { FetchedPage, PageResult } from '../pipeline.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import type { Outline } from '../reading/outline.ts';
import type { ReadingPlan } from '../reading/read-page.ts';
import type { PageSource } from './durable/stored-page.ts';
import type { SiteBlocks } from './site-blocks.ts';

/** A page of a crawl. */
export interface CrawledPage {
  readonly outline: Outline | undefined;
  /** What can be recognised on other pages, of a page that may be learnt from. */
  readonly fingerprints?: readonly number[] | undefined;
  /** False while the document depends on what is yet to be learnt of the site. */
  readonly isReady: boolean;
  /** What the document is made of while it depends on that. */
  readonly source?: PageSource;
  /** Rejects when the page cannot be read as it was asked for. */
  document(repeated: ReadonlySet<number>): Promise<PlainDocument>;
}

/** Where a page stands, and how it is cleaned. */
interface SitePlace {
  readonly host: string;
  readonly clean: CleanOptions;
  readonly siteBlocks: SiteBlocks;
  /** Ends documents that are made later. */
  readonly signal: AbortSignal;
}

/** What a crawl wants of every page. */
type CrawlQuestions = Required<Pick<ReadingPlan, 'outline' | 'nearHash'>>;

/** Reads a page as a crawl does that removes nothing. */
export async function readWholePage(
  page: FetchedPage,
  questions: CrawlQuestions,
): Promise<CrawledPage> {
  const result = await page.read(questions);
  return { outline: result.reading.outline, ...ready(documentOf(result)) };
}

/**
 * Reads a page whose document lacks what repeats on its site. While that is not known the document
 * is made later, from the snapshot, which is held until then.
 *
 * Which of both happens depends on time, so it must make no difference: in either case a page that
 * cannot be read as it was asked for has links all the same.
 */
export async function readSitePage(
  page: FetchedPage,
  questions: CrawlQuestions,
  place: SitePlace,
): Promise<CrawledPage> {
  const repeated = place.siteBlocks.repeatedOn(place.host);
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
  const document = ready(result.then(documentOf));
  const { reading } = await result.catch(() => page.read({ ...questions, formats: [] }));
  return { outline: reading.outline, ...document };
}

async function readAhead(
  page: FetchedPage,
  questions: CrawlQuestions,
  { clean, signal }: SitePlace,
): Promise<CrawledPage> {
  const { reading, document: bare } = await page.read({
    ...questions,
    fingerprints: true,
    formats: [],
    clean: { ...clean, extractor: undefined },
  });
  const { outline, fingerprints } = reading;
  if (fingerprints === undefined) {
    const document = page.read({}).then(documentOf);
    await document.catch(() => undefined);
    return { outline, ...ready(document) };
  }
  return {
    outline,
    // A page that says what went wrong is not like the others.
    fingerprints: page.snapshot.statusCode < 400 ? fingerprints : undefined,
    isReady: false,
    source: { snapshot: page.snapshot, facts: factsOf(bare), identity: page.identity },
    document: async (repeated) =>
      documentOf(await page.readLater({ clean: { ...clean, repeated } }, signal)),
  };
}

/** Rejects when a hook vetoed it: the links of the page count all the same. */
// eslint-disable-next-line @typescript-eslint/require-await -- what is thrown belongs to the document
async function documentOf({ reading, document }: PageResult): Promise<PlainDocument> {
  if (reading.hooked?.veto !== undefined) throw reading.hooked.veto;
  return document;
}

function factsOf({ metadata }: PlainDocument): PageSource['facts'] {
  const { scrapeId, engineReason, proxyUsed, creditsUsed } = metadata;
  const { errorCode, cacheState, cachedAt } = metadata;
  return {
    ...{ scrapeId, engineReason, proxyUsed, creditsUsed },
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(cacheState === undefined ? {} : { cacheState }),
    ...(cachedAt === undefined ? {} : { cachedAt }),
  };
}

/** A function of its own, so that the snapshot is not held with the document. */
function ready(document: Promise<PlainDocument>): Pick<CrawledPage, 'isReady' | 'document'> {
  document.catch(() => undefined);
  return { isReady: true, document: () => document };
}
