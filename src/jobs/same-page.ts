/** A page of a recrawl that is as the earlier crawl had it: nothing of it is read again. */
import type { Snapshot } from '../model/snapshot.ts';
import { type Costs, fetchCredits } from '../model/costs.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import type { keepPage, VisitFacts } from './durable/stored-page.ts';
import type { StoredValue } from './durable/stored-value.ts';
import { type Found, pageRequestsOf } from './found-page.ts';
import { type PageVersion, sameVersion } from './page-version.ts';
import type { KeptPage } from './recrawl.ts';

/** A page as it is kept: what the crawl goes on with, and what its document is made of. */
export interface FreshPage {
  readonly found: Found;
  readonly requests: number;
  readonly from: Parameters<typeof keepPage>[3];
  make(repeated: ReadonlySet<number>): Promise<PlainDocument>;
}

/** What the earlier crawl had, and what it took to know that it is the same. */
export interface SamePage {
  readonly kept: KeptPage;
  /** With the time at which it was confirmed. */
  readonly version: PageVersion;
  readonly use: Pick<Snapshot, 'requests' | 'bytes' | 'redirects'>;
}

/** The page's place in this crawl. */
interface PlaceInCrawl {
  readonly scrapeId: string;
  readonly costs: Costs;
  placed(document: PlainDocument): PlainDocument;
  /** Makes the document of a page that was stored without one. */
  read(
    stored: StoredValue<VisitFacts<object>>,
    repeated: ReadonlySet<number>,
  ): Promise<PlainDocument>;
}

/** The page as one of this crawl. */
export function samePage({ kept, version, use }: SamePage, place: PlaceInCrawl): FreshPage {
  const { from } = kept;
  const { scrapeId } = place;
  const { bytes: received, requests } = use;
  const found = {
    ...kept.found,
    ...{ received, pageRequests: pageRequestsOf(use) },
    ...{ browserMs: undefined, version: sameVersion(version) },
  };
  if ('document' in from) {
    const document = place.placed(withNewFacts(from.document, place));
    const make = (): Promise<PlainDocument> => Promise.resolve(document);
    return { found, requests, from: { make }, make };
  }
  const { cacheState: _, cachedAt: __, ...facts } = from.facts;
  const source = { ...from, facts: { ...facts, scrapeId } };
  const { body, ...snapshot } = source.snapshot;
  const stored = {
    facts: { at: version.askedAt, source: { ...source, snapshot } },
    bytes: () => Promise.resolve(body),
  };
  return { found, requests, from: source, make: (repeated) => place.read(stored, repeated) };
}

/** The document of the same page in another job, of which no model was asked again. */
function withNewFacts(
  document: PlainDocument,
  { scrapeId, costs }: Pick<PlaceInCrawl, 'scrapeId' | 'costs'>,
): PlainDocument {
  const { parentUrl: _, score: __, ...placed } = document.metadata;
  const { cacheState: ___, cachedAt: ____, modelUsage: _____, ...rest } = placed;
  const creditsUsed = fetchCredits(costs, rest);
  return { ...document, metadata: { ...rest, scrapeId, creditsUsed } };
}
