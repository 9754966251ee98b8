/** A page of a crawl that was fetched and read. */
import type { FetchedPage } from '../frontier/settled-pages.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Outline } from '../reading/outline.ts';
import type { CrawledPage } from './crawled-page.ts';
import type { PageVersion } from './page-version.ts';

/** A page that was fetched and read, kept until it is its turn. */
export type FoundPage = FetchedPage &
  Pick<Outline, 'links' | 'refused' | 'feeds' | 'title'> &
  LinkDetails &
  Pick<CrawledPage, 'fingerprints' | 'isReady' | 'document'> & {
    /** Bytes of the body. */
    readonly bytes: number;
    /** For the page itself, redirects included; 0 for a copy. */
    readonly pageRequests: number;
    /** Bytes that came over the wire, redirects and retries included. */
    readonly received: number;
    /** Milliseconds that a browser had it open. */
    readonly browserMs?: number | undefined;
    /** Which version of the page it is; only where that is stored, or compared. */
    readonly version?: PageVersion | undefined;
  };

/** Requests for a page itself, redirects included; retries, which time decides on, are not. */
export function pageRequestsOf({
  requests,
  redirects,
}: Pick<Snapshot, 'requests' | 'redirects'>): number {
  return requests === 0 ? 0 : 1 + redirects.length;
}

/** What the line of documents needs of a page. */
export type Deliverable = Pick<
  FoundPage,
  'finalUrl' | 'bytes' | 'isReady' | 'document' | 'fingerprints' | 'version'
>;

/** What else is known of each link; only where a hook or the order of pages asks. */
export type LinkDetails = Partial<Pick<Outline, 'linkTexts' | 'linkRels' | 'linkElements'>>;

/** What is known of a page beside functions: the part of it that can be stored. */
export type Found = Omit<FoundPage, 'robots' | 'document'>;
/** The same with what it took. */
export type StoredFound = Found & { readonly requests: number };

/** The part of an outline that a crawl goes on with. */
export function outlineOf(
  outline: Partial<Outline> | undefined,
  ranksLinks: boolean,
): Omit<Found, 'finalUrl' | 'isReady' | 'bytes' | 'received' | 'pageRequests'> {
  const { links = [], refused = [], feeds = [], canonical, title } = outline ?? {};
  const { textHash, nearHash, missing, contentHash, wordPairs } = outline ?? {};
  const text = { textHash, nearHash, missing, contentHash, wordPairs, title };
  return { canonical, ...text, links, refused, feeds, ...detailsOf(outline ?? {}, ranksLinks) };
}

function detailsOf(
  { linkTexts, linkRels, linkElements = [] }: Partial<Outline>,
  ranksLinks: boolean,
): LinkDetails {
  if (linkTexts === undefined) return {};
  if (linkRels === undefined) return ranksLinks ? { linkTexts } : {};
  return { linkTexts, linkRels, linkElements };
}
