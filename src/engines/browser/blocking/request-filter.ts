/**
 * Decides on the requests of a page that are not sent, and stops them over the DevTools protocol.
 */
import type { CDPSession } from 'playwright-core';
import { canParseUrl } from '../../../url/normalize-url.ts';
import { registrableDomain, withoutDots } from '../../../url/registrable-domain.ts';
import { adHosts } from './ad-hosts.ts';
import type { FilterLists, ResourceRequest } from './filter-lists.ts';

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
type BlockReason = 'not needed' | 'ad host' | 'filter list';

/** A request that has to be looked at: both parts have to fit, `*` stands for any characters. */
export interface RequestPattern {
  readonly urlPattern?: string;
  readonly resourceType?: 'Image' | 'Font' | 'Media';
}

/** Decides about requests. */
interface RequestFilter {
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

// Keeps requests from being sent, over the DevTools protocol: only those stop that may be blocked.

/** What a filter is applied to. */
export interface FilteredPage {
  /** The URL of the document in the main frame, or of the one that is being opened. */
  readonly pageUrl: () => string;
  /** Told of every request that is not sent. */
  readonly onBlocked?: ((url: string, reason: BlockReason) => void) | undefined;
}

/**
 * Applies a filter to a page and gives back what takes it away again. The session has to be one of
 * its own: `Fetch.enable` of another would take the place of this one.
 *
 * It holds for the page and its frames, their workers, redirects and beacons. It does not hold for
 * what a frame of another site asks for (Chromium makes that a target of its own; the frame itself is
 * filtered), nor for WebSockets and service workers.
 */
export async function applyRequestFilter(
  session: CDPSession,
  filter: RequestFilter,
  { pageUrl, onBlocked }: FilteredPage,
): Promise<() => Promise<void>> {
  const { patterns } = filter;
  if (patterns.length === 0) return () => Promise.resolve();
  const { targetInfo } = await session.send('Target.getTargetInfo');

  const answer = ({ requestId, request, resourceType, frameId }: PausedRequest): void => {
    const { url } = request;
    // A request of a worker or a beacon has a frame id that is not the main frame's, or none.
    const isMainFrame = frameId === targetInfo.targetId;
    const asked = { url, type: resourceType, pageUrl: pageUrl(), isMainFrame };
    const reason = filter.reasonAgainst(asked);
    if (reason === undefined) return send('Fetch.continueRequest', { requestId });
    onBlocked?.(url, reason);
    if (reason === 'not needed' && resourceType === 'Image') {
      return send('Fetch.fulfillRequest', { requestId, ...emptyPicture(request.headers) });
    }
    send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  };
  /** An answer for a request that is gone by now is no failure. */
  const send = (...[method, parameters]: Parameters<CDPSession['send']>): void => {
    void session.send(method, parameters).catch(() => undefined);
  };

  session.on('Fetch.requestPaused', answer);
  await session.send('Fetch.enable', { patterns: [...patterns] });
  return async () => {
    session.off('Fetch.requestPaused', answer);
    // What is still waiting goes on by this.
    await session.send('Fetch.disable').catch(() => undefined);
  };
}

interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly resourceType: string;
  readonly frameId: string;
}

/**
 * One transparent pixel. A picture that fails would run `onerror` of the page, which removes it or
 * names another one; and what waits for `onload` would wait for ever.
 */
function emptyPicture(headers: Readonly<Record<string, string>>): {
  readonly responseCode: number;
  readonly responseHeaders: { readonly name: string; readonly value: string }[];
  readonly body: string;
} {
  const origin = headers['Origin'] ?? headers['origin'];
  return {
    responseCode: 200,
    responseHeaders: [
      { name: 'content-type', value: 'image/gif' },
      // A later visit may need the picture itself.
      { name: 'cache-control', value: 'no-store' },
      { name: 'cross-origin-resource-policy', value: 'cross-origin' },
      { name: 'access-control-allow-origin', value: origin ?? '*' },
      ...(origin === undefined
        ? []
        : [{ name: 'access-control-allow-credentials', value: 'true' }]),
    ],
    body: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  };
}
