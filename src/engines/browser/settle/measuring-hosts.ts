/** Hosts that measure visitors and errors: what is sent to them brings no content back. */
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** The largest by the share of pages that use them (HTTP Archive, Web Almanac, "third parties"). */
const hosts: ReadonlySet<string> = new Set([
  ...['google-analytics.com', 'analytics.google.com', 'googletagmanager.com', 'doubleclick.net'],
  ...['googlesyndication.com', 'googleadservices.com', 'clarity.ms', 'bat.bing.com'],
  ...['hotjar.com', 'hotjar.io', 'segment.io', 'segment.com', 'mixpanel.com', 'amplitude.com'],
  ...['sentry.io', 'bugsnag.com', 'nr-data.net', 'newrelic.com', 'datadoghq.com', 'datadoghq.eu'],
  ...['browser-intake-datadoghq.com', 'fullstory.com', 'logrocket.io', 'mouseflow.com'],
  ...['matomo.cloud', 'plausible.io', 'cloudflareinsights.com', 'facebook.net', 'criteo.com'],
  ...['demdex.net', 'omtrdc.net', 'adobedc.net', 'chartbeat.net', 'scorecardresearch.com'],
  ...[
    'quantserve.com',
    'mc.yandex.ru',
    'mc.yandex.com',
    'analytics.tiktok.com',
    'px.ads.linkedin.com',
  ],
]);

/** True for one of these hosts and what is below it. */
export function isMeasuring(url: string): boolean {
  let host = canParseUrl(url) ? new URL(url).hostname : '';
  while (host.includes('.')) {
    if (hosts.has(host)) return true;
    host = host.slice(host.indexOf('.') + 1);
  }
  return false;
}
