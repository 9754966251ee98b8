/** A proxy adapter says through which proxy a request goes. */
import type { ProxyRoute } from '../model/request.ts';

/** Plain proxies, or those for sites that turn programs away. */
export type ProxyTier = 'basic' | 'stealth';

/** What is asked of an adapter. */
export interface ProxyRequest {
  readonly url: string;
  readonly tier: ProxyTier;
  /** Where the visitor should seem to be: ISO 3166-1 alpha-2, such as `DE`. */
  readonly country?: string | undefined;
  /** Requests with the same object come from one visitor, who keeps one proxy while it works. */
  readonly visitor?: object | undefined;
}

/**
 * How a request went: `failed` is the proxy's own fault; `unreachable` is a host that it could not
 * reach, which may be the fault of either.
 */
export type ProxyOutcome = 'ok' | 'failed' | 'unreachable';

/** Bring your own: any object of this shape is as good as the built-in ones. */
export interface Proxy {
  /**
   * The way for a request; undefined connects directly. May throw `PROXY_FAILED` when there is
   * none.
   */
  pick(request: ProxyRequest): ProxyRoute | undefined | Promise<ProxyRoute | undefined>;
  /** Told how it went. */
  report?(route: ProxyRoute, outcome: ProxyOutcome): void;
}
