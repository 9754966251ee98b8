/** Decides which requests of a page are not sent, and blocks them over the DevTools protocol. */
import type { CDPSession } from 'playwright-core';
import { canParseUrl } from '../../../core/url/normalize-url.ts';
import { registrableDomain, withoutDots } from '../../../core/url/registrable-domain.ts';
import { adHosts } from './ad-hosts.ts';
import type { FilterLists, ResourceRequest } from './filter-lists.ts';

/** Resources that are only needed to see or hear a page. */
export interface ResourceNeeds {
  /** @default false: the page gets an empty picture in place of each */
  readonly images?: boolean | undefined;
  /** @default false */
  readonly fonts?: boolean | undefined;
  /** Sound and video. @default false */
  readonly media?: boolean | undefined;
}

/** Options of a filter. */
export interface RequestFilterOptions {
  readonly needs: ResourceNeeds;
  /** Blocks hosts that serve ads and track readers, and the matches of the lists. */
  readonly blockAds: boolean;
  /** The caller's lists, in addition to ours. They apply only if `blockAds` is true. */
  readonly lists?: FilterLists | undefined;
}

/** Why a request is blocked. */
export type BlockReason = 'notNeeded' | 'ads';

/** A pattern of requests to pause: both parts must match, `*` stands for any characters. */
export interface RequestPattern {
  readonly urlPattern?: string;
  readonly resourceType?: 'Image' | 'Font' | 'Media';
}

/** Decides about requests. */
interface RequestFilter {
  /** Requests that may be blocked: no other request has to pause. */
  readonly patterns: readonly RequestPattern[];
  /**
   * The reason to block this request; undefined if it is sent. The main document is always sent.
   */
  reasonAgainst(request: ResourceRequest): BlockReason | undefined;
}

/** Makes a filter. Requests of a page to its own site are blocked by lists only, never by host. */
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
      if (unneeded.has(type)) return 'notNeeded';
      if (!blockAds) return undefined;
      // The lists include our hosts, so that their exceptions apply.
      return (lists?.block(request) ?? isForeignAdHost(request)) ? 'ads' : undefined;
    },
  };
}

function patternsOf(
  unneeded: ReadonlySet<string>,
  blockAds: boolean,
  hasLists: boolean,
): RequestPattern[] {
  // A list may match any URL.
  if (blockAds && hasLists) return [{ urlPattern: '*' }];
  const types = (['Image', 'Font', 'Media'] as const).filter((type) => unneeded.has(type));
  // The pattern also pauses requests with the name in their path, or at the end of another name:
  // each is checked.
  const hosts = blockAds ? adHosts : [];
  return [
    ...types.map((resourceType) => ({ resourceType })),
    ...hosts.map((host) => ({ urlPattern: `*://*${host}*` })),
  ];
}

const adHostSet: ReadonlySet<string> = new Set(adHosts);

const longestName = 253; // characters of a host name (RFC 1035)

/** True for a host of our list and for its subdomains. */
export function isAdHost(hostname: string): boolean {
  return isHostIn(adHostSet, hostname);
}

/** True for a host of a list and for its subdomains. */
export function isHostIn(hosts: ReadonlySet<string>, hostname: string): boolean {
  let name = withoutDots(hostname);
  // Longer names do not resolve, and a name of dots alone has 60,000 suffixes.
  if (name.length > longestName) return false;
  for (;;) {
    if (hosts.has(name)) return true;
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

// Blocks requests over the DevTools protocol: only requests that may be blocked are paused.

/** The page that a filter applies to. */
export interface FilteredPage {
  /** The URL of the document in the main frame, or of the one that is being opened. */
  readonly pageUrl: () => string;
  /** Called for every blocked request. */
  readonly onBlocked?: ((url: string, reason: BlockReason) => void) | undefined;
}

/**
 * Applies a filter to a page. The session must not be shared: another `Fetch.enable` on it would replace this
 * one.
 *
 * The filter covers the page and its frames, their workers, redirects and beacons. It does not cover requests
 * of a frame of another site (a separate target in Chromium; the frame itself is filtered), nor WebSockets
 * and service workers.
 */
export async function applyRequestFilter(
  session: CDPSession,
  filter: RequestFilter,
  { pageUrl, onBlocked }: FilteredPage,
): Promise<void> {
  const { patterns } = filter;
  if (patterns.length === 0) return;
  const { targetInfo } = await session.send('Target.getTargetInfo');

  const answer = ({ requestId, request, resourceType, frameId }: PausedRequest): void => {
    const { url } = request;
    // A request of a worker or a beacon has another frame id, or none.
    const isMainFrame = frameId === targetInfo.targetId;
    const filtered = { url, type: resourceType, pageUrl: pageUrl(), isMainFrame };
    const reason = filter.reasonAgainst(filtered);
    if (reason === undefined) return send('Fetch.continueRequest', { requestId });
    onBlocked?.(url, reason);
    if (reason === 'notNeeded' && resourceType === 'Image') {
      return send('Fetch.fulfillRequest', { requestId, ...emptyPicture(request.headers) });
    }
    send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  };
  /** A command for a request that has ended is not a failure. */
  const send = (...[method, parameters]: Parameters<CDPSession['send']>): void => {
    void session.send(method, parameters).catch(() => undefined);
  };

  session.on('Fetch.requestPaused', answer);
  await session.send('Fetch.enable', { patterns: [...patterns] });
}

interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly resourceType: string;
  readonly frameId: string;
}

/**
 * One transparent pixel. A failed picture would run the page's `onerror`, which removes it or loads another
 * one; and code that waits for `onload` would wait forever.
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
