/** What a tab is opened for. Two visits may use the same tab, one after the other, when theirs are equal. */
import type { BrowserContextOptions } from 'playwright-core';
import type { PageRequest, ProxyRoute, Rendering } from '../../model/request.ts';
import type { ResourceNeeds } from './blocking/request-filter.ts';
import type { BrowserFacts } from './identity/browser-facts.ts';
import { contextOptions } from './identity/context-options.ts';
import type { VisitorWindow } from './identity/visitor-window.ts';

/** The setting of a tab. */
export interface TabSetting {
  readonly context: BrowserContextOptions;
  readonly route: ProxyRoute | undefined;
  readonly needs: ResourceNeeds;
  readonly blockAds: boolean;
  /** The part of the request that `emulatePage` completes. */
  readonly rendering: Pick<Rendering, 'mobile' | 'location' | 'stealth'>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who the visit seems to come from. */
export interface Visitor {
  readonly browser: BrowserFacts;
  readonly window: VisitorWindow | undefined;
  /** That of the client, where the caller set one. */
  readonly userAgent: string | undefined;
}

/** The setting for a request. */
export function tabSetting(request: PageRequest, visitor: Visitor): TabSetting {
  const { rendering, route, skipTlsVerification } = request;
  const { mobile, location, stealth, screenshot, branding, actions = [] } = rendering;
  const { browser, window, userAgent } = visitor;
  const own = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const headers = { ...(stealth === true ? {} : own), ...identityHeaders(request.headers) };
  // What is looked at has to be there as it is.
  const isSeen =
    screenshot !== undefined ||
    branding === true ||
    actions.some(({ type }) => type === 'screenshot' || type === 'pdf');
  return {
    context: {
      ...contextOptions(rendering, headers, { browser, window }),
      ignoreHTTPSErrors: skipTlsVerification,
      acceptDownloads: false,
      serviceWorkers: 'block',
    },
    route,
    needs: { images: isSeen, fonts: isSeen, media: false },
    blockAds: rendering.blockAds === true,
    rendering: {
      ...(mobile === undefined ? {} : { mobile }),
      ...(location === undefined ? {} : { location }),
      ...(stealth === undefined ? {} : { stealth }),
    },
    headers,
  };
}

/** Those that are part of who the browser seems to be. */
function identityHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = ['user-agent', 'accept-language'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}
