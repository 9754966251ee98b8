/** The key of URLs that are one page. */
import { canParseUrl, normalizeEscapes, normalizeUrl } from './normalize-url.ts';

/** Options for comparing two URLs. */
export interface FingerprintOptions {
  /** Ignores the query. */
  readonly ignoreQueryParameters: boolean;
  /** Ignores http or https, `www.`, a final slash or dot, and the index file. */
  readonly deduplicateSimilarURLs: boolean;
}

/**
 * A key that is equal for URLs that differ only in parts that a server ignores: fragment, spelling of escapes, order of
 * parameters, tracking parameters, session ids. It is not a URL to fetch; text that is not a URL is its own key.
 */
export function fingerprint(url: string, options: FingerprintOptions): string {
  if (!canParseUrl(url)) return url;
  const parsed = new URL(url);
  // Each setter parses the URL again.
  const query = options.ignoreQueryParameters ? '' : essentialQuery(parsed.search);
  // The setter drops a leading question mark, which the query itself may have: `??a`.
  if (query !== parsed.search.slice(1)) parsed.search = `?${query}`;
  setPath(parsed, parsed.pathname.replace(/;jsessionid=[^/;]*/i, ''));
  return options.deduplicateSimilarURLs ? foldSimilar(parsed) : normalizeUrl(parsed, {});
}

/** Parameters about the source or the identity of a visitor, never about the content of the page. */
export const trackingParameters: ReadonlySet<string> = new Set([
  // Google Ads and Analytics, Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Pinterest
  'gclid',
  'gclsrc',
  'gbraid',
  'wbraid',
  'dclid',
  '_ga',
  '_gl',
  'srsltid',
  'fbclid',
  'igshid',
  'igsh',
  'msclkid',
  'yclid',
  'ysclid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'epik',
  // Mailchimp, HubSpot, Marketo, Vero, Klaviyo, Matomo
  'mc_cid',
  'mc_eid',
  '_hsenc',
  '_hsmi',
  'mkt_tok',
  '_kx',
  // Session ids of PHP, Java, ColdFusion and shops
  'phpsessid',
  'jsessionid',
  'cfid',
  'cftoken',
  'oscsid',
  'zenid',
]);

/** Prefixes of such names: Google Analytics, Matomo and Piwik, HubSpot, Omeda, Vero. */
export const trackingPrefixes: readonly string[] = [
  'utm_',
  'mtm_',
  'matomo_',
  'pk_',
  'piwik_',
  'itm_',
  'hsa_',
  'oly_',
  'vero_',
];

/** The query without tracking, sorted by name; values of a repeated name keep their order. */
function essentialQuery(search: string): string {
  if (search.length < 2) return '';
  return search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      // Forms encode a space as +, links as %20.
      const text = normalizeEscapes(parameter).replaceAll('%20', '+');
      const [name = ''] = text.split('=', 1);
      return { name, text };
    })
    .filter(({ name }) => !isTracking(name.toLowerCase()))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ text }) => text)
    .join('&');
}

function isTracking(name: string): boolean {
  return trackingParameters.has(name) || trackingPrefixes.some((prefix) => name.startsWith(prefix));
}

const indexFile = /\/(?:index\.(?:html?|shtml|php|aspx?|jsp)|default\.(?:html?|aspx?))$/i;

/** Removes the scheme: `//host/path`; a port that is not the scheme's default still counts. */
function foldSimilar(url: URL): string {
  setPath(url, url.pathname.replace(indexFile, '/').replace(/(?<=[^/])\/$/, ''));
  const rest = normalizeUrl(url, {}).slice(url.protocol.length + 2 + url.host.length);
  const host = url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, '');
  return `//${host}${url.port === '' ? '' : `:${url.port}`}${rest}`;
}

function setPath(url: URL, path: string): void {
  if (path !== url.pathname) url.pathname = path;
}
