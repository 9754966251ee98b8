/** Keeps requests from being sent, over the DevTools protocol: only those stop that may be blocked. */
import type { CDPSession } from 'playwright-core';
import type { BlockReason, RequestFilter } from './request-filter.ts';

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
