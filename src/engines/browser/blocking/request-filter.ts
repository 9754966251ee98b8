/** Which requests of a page are not sent, and why. */
import { registrableDomain, withoutDots } from '../../../url/registrable-domain.ts';
import { adHosts } from './ad-hosts.ts';
import type { FilterLists } from './filter-lists.ts';
import type { ResourceRequest } from './resource-request.ts';
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** What is fetched of what only eyes and ears need. */
export interface ResourceNeeds {
  /** @default false: an empty picture is given to the page in place of each */
  readonly images?: boolean | undefined;
  /** @default false */
  readonly fonts?: boolean | undefined;
  /** Sound and films. @default false */
  readonly media?: boolean | undefined;
}

/** What a filter is made of. */
export interface RequestFilterOptions {
  readonly needs: ResourceNeeds;
  /** Nothing is asked of hosts that serve ads and follow readers, nor what the lists name. */
  readonly blockAds: boolean;
  /** Lists of the caller's own, beside ours. Nothing of them holds while `blockAds` is false. */
  readonly lists?: FilterLists | undefined;
}

/** Why a request is not sent. */
export type BlockReason = 'not needed' | 'ad host' | 'filter list';

/** A request that has to be looked at: both parts have to fit, `*` stands for any characters. */
export interface RequestPattern {
  readonly urlPattern?: string;
  readonly resourceType?: 'Image' | 'Font' | 'Media';
}

/** Decides about requests. */
export interface RequestFilter {
  /** What can be blocked at all: nothing else has to stop and wait for an answer. */
  readonly patterns: readonly RequestPattern[];
  /** Why this request is blocked; undefined when it is sent. The main document always is. */
  reasonAgainst(request: ResourceRequest): BlockReason | undefined;
}

/** Makes a filter. What a page gets from its own site is blocked by lists only, never by host. */
export function requestFilter({ needs, blockAds, lists }: RequestFilterOptions): RequestFilter {
  const unneeded = new Set<string>();
  if (needs.images !== true) unneeded.add('Image');
  if (needs.fonts !== true) unneeded.add('Font');
  if (needs.media !== true) unneeded.add('Media');
  return {
    patterns: patternsOf(unneeded, blockAds, lists !== undefined),
    reasonAgainst(request) {
      const { type, isMainFrame } = request;
      if (type === 'Document' && isMainFrame) return undefined;
      if (unneeded.has(type)) return 'not needed';
      if (!blockAds) return undefined;
      // The lists have our hosts too, so that their exceptions hold.
      const isBlocked = lists === undefined || lists.block(request);
      if (isBlocked && isForeignAdHost(request)) return 'ad host';
      return isBlocked && lists !== undefined ? 'filter list' : undefined;
    },
  };
}

function patternsOf(
  unneeded: ReadonlySet<string>,
  blockAds: boolean,
  hasLists: boolean,
): RequestPattern[] {
  // A list may name any URL.
  if (blockAds && hasLists) return [{ urlPattern: '*' }];
  const types = (['Image', 'Font', 'Media'] as const).filter((type) => unneeded.has(type));
  // This also stops what only has the name in its path, or at the end of its own: all is looked at.
  const hosts = blockAds ? adHosts : [];
  return [
    ...types.map((resourceType) => ({ resourceType })),
    ...hosts.map((host) => ({ urlPattern: `*://*${host}*` })),
  ];
}

const adHostSet: ReadonlySet<string> = new Set(adHosts);

/** Characters of a host name at most (RFC 1035). */
const longestName = 253;

/** True for a host of our list and for its subdomains. */
export function isAdHost(hostname: string): boolean {
  let name = withoutDots(hostname);
  // Longer names resolve to nothing, and one of dots alone has 60,000 ends.
  if (name.length > longestName) return false;
  for (;;) {
    if (adHostSet.has(name)) return true;
    const dot = name.indexOf('.');
    if (dot === -1) return false;
    name = name.slice(dot + 1);
  }
}

function isForeignAdHost({ url, pageUrl }: ResourceRequest): boolean {
  if (!canParseUrl(url)) return false;
  const { hostname } = new URL(url);
  if (!isAdHost(hostname)) return false;
  if (!canParseUrl(pageUrl)) return true;
  return registrableDomain(hostname) !== registrableDomain(new URL(pageUrl).hostname);
}
